"""One table for everything that contacts and frictions need at a state, in few arrays.

numba's time to compile grows with the number of arrays. Rows are named here; columns are contacts, frictions (or groups
of rows), forces, or rows of A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# whole numbers, by group: a friction, or a row that a contact reverses
START, DIM, OWNER, ROUGH, MAY_STICK, FORCED, TWO_SIDED, HELD, WHO, STATUS, BEST_STATUS, TURNED = range(12)
# by contact of the problem, and by contact of the model
CASE, BEST_CASE, WHICH, PLACE, CANDIDATE, INVOLVED, LEAVES, OLD_CONTACT, DECAYS = range(12, 21)
# by friction of the model
RESTING, MAY, OLD_FRICTION, FROM_REST = range(21, 25)
# counting cases, pivots, rows of A behind the forces, rows that hold both ways, sizes
DIGITS, BASE, ROW_AT, COL_AT, BASIS, ROWS, ACTIVE, PHI_ACTIVE, COUNTS = range(25, 34)
# the mode
CONTACT, FRICTION = 34, 35
POWER = 36  # by guard: how often its root at the beginning of a step is divided out
SIDE, NEW_SIDE = 37, 38  # by group, by friction: the side on which a constraint presses from now on; 0 where it is open
LAST_CONTACT, LAST_FRICTION, LAST_REST = 39, 40, 41  # the mode of the last accelerations
WHOLES = 42

# real numbers, by force
W0, FORCE, ANSWER, RIGHT, BEST_FORCE, BEST_ANSWER, IMPULSE, BEFORE = range(8)
# by group
GIVEN0, GIVEN1, KINETIC, STATIC, NORMAL, SIGN, PULL, DIR0, DIR1, BEST_SIGN, BEST_DIR0, BEST_DIR1, HELD0, HELD1 = range(
    8, 22
)
# the mode, by friction; and its planar slips' thresholds and shared pulls
MODE_DIR0, MODE_DIR1, MODE_SIGN, EPSILON, SHARED_PULL = range(22, 27)
# by coordinate, and by state
FREE, CHANGE, EVENT = 27, 28, 29
# by contact: normal impulses, and the books of flights
NORMAL_IMPULSE, LAST_TIME, LAST_FLIGHT, FIRST_FLIGHT, RATIO = range(30, 35)
RATES = 35  # by row of A
SEEN = 36  # by guard
LAWS = 37  # what the compiled laws gave
SCALES = 38
SLOPE_FREE, REACTION_FREE = 39, 40  # without the pull that is looked for
# what the last accelerations were solved from beside `Table.last` (directions and side as in the mode, in that order),
# and what they are
LAST_LAWS, LAST_DIR0, LAST_DIR1, LAST_SIGN, LAST_SLOPE, LAST_REACTION = range(41, 47)
UNDER_ONE0, UNDER_ONE1 = 47, 48  # by group: held reactions under a pull of one
REALS = 49

# squares
RESPONSE, SYSTEM = 0, 1
# levers, by group and force
PRESS, HOLD0, HOLD1 = 0, 1, 2
# responses
SLOPES, REACTIONS = 0, 1

# places in COUNTS and SCALES
SIZE, CONTACTS, GROUPS, KNOWN, RANK_A, RANK_R = range(6)
FORCE_SCALE, SLIP_SCALE = 0, 1


class Table(NamedTuple):
    wholes: np.ndarray
    reals: np.ndarray
    squares: np.ndarray
    levers: np.ndarray
    responses: np.ndarray
    tableau: np.ndarray
    tangents: np.ndarray
    F: np.ndarray
    last: np.ndarray  # of the compiled dynamics, what the last accelerations were solved from


def table_for(
    forces: int, contacts: int, groups: int, n: int = 0, rows: int = 0, guards: int = 0, laws: int = 0, outputs: int = 0
) -> Table:
    """Room for so many forces, contacts and groups, in a system of n coordinates and so many rows.

    `laws` and `outputs` are what the compiled laws and dynamics give.
    """
    width = max(forces, contacts, groups, 2 * n, rows, guards, contacts + groups, laws, 6)
    forces, contacts, groups = max(forces, 1), max(contacts, 1), max(groups, 1)
    return Table(
        wholes=np.zeros((WHOLES, width), dtype=np.int64),
        reals=np.zeros((REALS, width)),
        squares=np.zeros((2, forces, forces)),
        levers=np.zeros((3, groups, forces)),
        responses=np.zeros((2, forces + 1, max(n, rows, 1))),
        tableau=np.zeros((contacts, 2 * contacts + 2)),
        tangents=np.zeros((groups, max(n, 1))),
        F=np.zeros(max(outputs, n * n + n + rows * (2 * n + 1)) + 1),
        last=np.zeros(max(outputs, 1)),
    )
