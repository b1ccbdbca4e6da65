"""What contacts and frictions do at one state: how rows answer forces, and the mode a motion goes on in.

Loops that numba compiles, over one `table.Table`. F is what the compiled dynamics gave (D, d, A, b).
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.laws import (
    BY_CONTACT,
    GIVEN,
    HELD_COUNT,
    HELD_START,
    IS_ROUGH,
    PRESS_AT,
    PRESS_KIND,
    SLIP_DIM,
    SLIP_START,
)  # fmt: skip
from dalembert.simulate.cases import solve
from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OFF, OPEN
from dalembert.simulate.linear import DONE, Shape, accelerations, accelerations_again
from dalembert.simulate.table import (
    ACTIVE,
    BEFORE,
    BEST_CASE,
    BEST_DIR0,
    BEST_SIGN,
    BEST_STATUS,
    CANDIDATE,
    CONTACT,
    CONTACTS,
    COUNTS,
    DIM,
    FORCE_SCALE,
    FORCED,
    FRICTION,
    FROM_REST,
    GIVEN0,
    GROUPS,
    HELD,
    HELD0,
    HOLD0,
    KINETIC,
    LAWS,
    MAY,
    MAY_STICK,
    MODE_DIR0,
    MODE_SIGN,
    NEW_SIDE,
    NORMAL,
    OWNER,
    PLACE,
    PRESS,
    REACTIONS,
    RESPONSE,
    RESTING,
    ROUGH,
    ROWS,
    SCALES,
    SIDE,
    SIZE,
    SLIP_SCALE,
    SLOPES,
    START,
    STATIC,
    TWO_SIDED,
    W0,
    WHICH,
    WHO,
)  # fmt: skip

CREEPS = 2  # a slip from rest that begins with no acceleration
STOPPED = 100.0  # speeds that count as none, below which a planar slip stops: its direction has two digits there
ONE_WAY = 1e-12  # of (tr W)², det W where the constraints leave a planar slip one direction
CONTRADICTS = 20  # a contact that the constraints do not let move


def sizes(n, symmetric):
    """Where d begins in F; A follows it, then b."""
    return n * (n + 1) // 2 if symmetric else n * n


def coefficient(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + j]


def static_coefficient(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + laws.frictions + j]


def given_normal(tab, laws, j):
    return tab.reals[LAWS, laws.rows - laws.bilateral + 2 * laws.frictions + j]


def restitution(tab, laws, i):
    return tab.reals[LAWS, laws.rows - laws.bilateral + 3 * laws.frictions + i]


def slip_of(tab, laws, j, c):
    """A component of a friction's slip."""
    return tab.reals[LAWS, laws.layout[SLIP_START, j] - laws.bilateral + c]


def slip_size(tab, laws, j):
    first = slip_of(tab, laws, j, 0)
    return abs(first) if laws.layout[SLIP_DIM, j] == 1 else np.hypot(first, slip_of(tab, laws, j, 1))


def bilateral_rows(tab, laws, kept):
    """Rows that hold both ways: the constraints, what frictions hold, and with `kept` every slip; how many."""
    active, layout = tab.wholes[ACTIVE], laws.layout
    count = 0
    for i in range(laws.bilateral):
        active[count] = i
        count += 1
    for j in range(laws.frictions):
        if layout[PRESS_KIND, j] == BY_CONTACT and tab.wholes[CONTACT, layout[PRESS_AT, j]] == OPEN:
            continue
        for c in range(layout[HELD_COUNT, j]):
            active[count] = layout[HELD_START, j] + c
            count += 1
        for c in range(layout[SLIP_DIM, j] if kept else 0):
            active[count] = layout[SLIP_START, j] + c
            count += 1
    return count


def responses(tab, shape, laws, w):
    """What F asks for, and what a unit force along each row of the problem does: slopes, reactions, and with them W."""
    n, size, F = shape.n, tab.wholes[COUNTS, SIZE], tab.F
    start = sizes(n, shape.symmetric)
    at_A, at_b = start + n, start + n + laws.rows * n
    U, NU = tab.responses[SLOPES], tab.responses[REACTIONS]
    status, row = accelerations(F, shape, False, w, U[0], NU[0], True)
    if status != DONE:
        return status, row
    for i in range(laws.rows):
        tab.reals[BEFORE, i] = F[at_b + i]
        F[at_b + i] = 0.0
    for k in range(size):
        for c in range(n):
            F[start + c] = F[at_A + tab.wholes[ROWS, k] * n + c]
        status, row = accelerations_again(F, shape, w, U[1 + k], NU[1 + k])
        if status != DONE:
            return status, row
    for i in range(size):
        source = at_A + tab.wholes[ROWS, i] * n
        for k in range(size + 1):
            entry = 0.0
            for c in range(n):
                entry += F[source + c] * U[k, c]
            if k == 0:
                tab.reals[W0, i] = entry
            else:
                tab.squares[RESPONSE, i, k - 1] = entry
    for i in range(tab.wholes[COUNTS, CONTACTS]):
        if not abs(tab.squares[RESPONSE, i, i]) > 1e-13:
            return CONTRADICTS, tab.wholes[WHICH, i]
    return DONE, 0


def add_contacts(tab, laws, chosen):
    """The chosen contacts as the first rows of a problem that has nothing else yet."""
    wholes = tab.wholes
    count = 0
    for i in range(laws.contacts):
        wholes[PLACE, i] = -1
        if wholes[chosen, i]:
            wholes[ROWS, count], wholes[WHICH, count], wholes[PLACE, i] = laws.bilateral + i, i, count
            count += 1
    wholes[COUNTS, SIZE], wholes[COUNTS, CONTACTS], wholes[COUNTS, GROUPS] = count, count, 0


def add_group(tab, first_row, dim, owner, who):
    """A friction, or what a contact reverses, as further rows of the problem; returns its number."""
    wholes, reals = tab.wholes, tab.reals
    g, size = wholes[COUNTS, GROUPS], wholes[COUNTS, SIZE]
    wholes[START, g], wholes[DIM, g], wholes[OWNER, g], wholes[WHO, g] = size, dim, owner, who
    wholes[ROUGH, g], wholes[MAY_STICK, g], wholes[FORCED, g] = 0, 1, 0
    wholes[TWO_SIDED, g], wholes[HELD, g], wholes[SIDE, g] = 0, 0, 0
    reals[NORMAL, g], reals[KINETIC, g], reals[STATIC, g] = 0.0, 0.0, 0.0
    for k in range(tab.levers.shape[2]):
        tab.levers[PRESS, g, k] = 0.0
    for c in range(dim):
        wholes[ROWS, size + c] = first_row + c
    wholes[COUNTS, GROUPS], wholes[COUNTS, SIZE] = g + 1, size + dim
    return g


def press_group(tab, laws, g, j):
    """Coefficients and pressing force of a friction's group, affine in the forces of the problem."""
    reals, layout, NU = tab.reals, laws.layout, tab.responses[REACTIONS]
    size = tab.wholes[COUNTS, SIZE]
    reals[KINETIC, g], reals[STATIC, g] = coefficient(tab, laws, j), static_coefficient(tab, laws, j)
    tab.wholes[ROUGH, g] = layout[IS_ROUGH, j]
    at = layout[PRESS_AT, j]
    if layout[PRESS_KIND, j] == GIVEN:
        reals[NORMAL, g] = given_normal(tab, laws, j)
    elif layout[PRESS_KIND, j] == BY_CONTACT:
        tab.levers[PRESS, g, tab.wholes[PLACE, at]] = 1.0
    else:
        tab.wholes[TWO_SIDED, g] = 1
        reals[NORMAL, g] = NU[0, at]
        for k in range(size):
            tab.levers[PRESS, g, k] = NU[1 + k, at]
    tab.wholes[HELD, g] = layout[HELD_COUNT, j]
    for c in range(layout[HELD_COUNT, j]):
        row = layout[HELD_START, j] + c
        reals[HELD0 + c, g] = NU[0, row]
        for k in range(size):
            tab.levers[HOLD0 + c, g, k] = NU[1 + k, row]


def weigh(tab):
    """The scales of the problem, against which nothing is nothing."""
    size, groups = tab.wholes[COUNTS, SIZE], tab.wholes[COUNTS, GROUPS]
    force, slip = 0.0, 0.0
    for i in range(size):
        slip = max(slip, abs(tab.reals[W0, i]))
        if tab.squares[RESPONSE, i, i] > 0.0:
            force = max(force, abs(tab.reals[W0, i]) / tab.squares[RESPONSE, i, i])
    for g in range(groups):
        force = max(force, abs(tab.reals[NORMAL, g]))
    for i in range(size):
        slip = max(slip, abs(tab.squares[RESPONSE, i, i]) * force)
    tab.reals[SCALES, FORCE_SCALE], tab.reals[SCALES, SLIP_SCALE] = max(force, 1e-300), max(slip, 1e-300)


def slip_direction(tab, laws, j, c):
    """Component c of a slip's unit vector: the mode's in one dimension, that of the slip itself in the plane.

    A slip that creeps out of its cone has no direction of its own yet: the mode's it is until then.
    """
    if laws.layout[SLIP_DIM, j] == 2 and tab.wholes[FROM_REST, j] != CREEPS:
        length = slip_size(tab, laws, j)
        if length > 1e-300:
            return slip_of(tab, laws, j, c) / length
    return tab.reals[MODE_DIR0 + c, j]


def settle(tab, F, laws, n, symmetric, w):
    """The mode after an event: which candidates stay closed, which frictions stick or slip.

    CANDIDATE contacts touch and do not separate; RESTING frictions have no slip (the others slip along what they
    have); MAY is 0 where a friction's cone was just left. Returns the status of the linear solve and of the cases.
    """
    wholes, reals, layout = tab.wholes, tab.reals, laws.layout
    start = sizes(n, symmetric)
    for i in range(start + n + laws.rows * (n + 1)):
        tab.F[i] = F[i]
    for i in range(laws.contacts):
        wholes[CONTACT, i] = CLOSED if wholes[CANDIDATE, i] else OPEN
    count = bilateral_rows(tab, laws, False)
    shape = Shape(n, laws.rows, laws.rows, symmetric, False, wholes[ACTIVE][:count], wholes[ACTIVE][:count])
    add_contacts(tab, laws, CANDIDATE)
    for j in range(laws.frictions):
        wholes[FRICTION, j] = OFF
        owner = wholes[PLACE, layout[PRESS_AT, j]] if layout[PRESS_KIND, j] == BY_CONTACT else -1
        if layout[PRESS_KIND, j] == BY_CONTACT and owner < 0:
            continue
        g = add_group(tab, layout[SLIP_START, j], layout[SLIP_DIM, j], owner, j)
        wholes[MAY_STICK, g], wholes[SIDE, g] = wholes[MAY, j], wholes[NEW_SIDE, j]
        if not wholes[RESTING, j] and not layout[IS_ROUGH, j]:
            wholes[FORCED, g] = 1
            for c in range(layout[SLIP_DIM, j]):
                reals[GIVEN0 + c, g] = slip_of(tab, laws, j, c) / slip_size(tab, laws, j)
    if wholes[COUNTS, SIZE] == 0:
        return DONE, 0, 1
    status, row = responses(tab, shape, laws, w)
    if status != DONE:
        return status, row, 1
    for i in range(wholes[COUNTS, SIZE]):
        reals[W0, i] -= reals[BEFORE, wholes[ROWS, i]]
    for g in range(wholes[COUNTS, GROUPS]):
        press_group(tab, laws, g, wholes[WHO, g])
    weigh(tab)
    cases = solve(tab)
    if cases != NO_SOLUTION:
        take_mode(tab, laws)
    return DONE, 0, cases


def take_mode(tab, laws):
    """The kept solution as the mode."""
    wholes, reals = tab.wholes, tab.reals
    for p in range(wholes[COUNTS, CONTACTS]):
        wholes[CONTACT, wholes[WHICH, p]] = wholes[BEST_CASE, p]
    for g in range(wholes[COUNTS, GROUPS]):
        j = wholes[WHO, g]
        wholes[FRICTION, j], reals[MODE_SIGN, j] = wholes[BEST_STATUS, g], reals[BEST_SIGN, g]
        for c in range(2):
            reals[MODE_DIR0 + c, j] = reals[BEST_DIR0 + c, g] if c < laws.layout[SLIP_DIM, j] else 0.0


SHARED = (
    sizes, coefficient, static_coefficient, given_normal, restitution, slip_of, slip_size, bilateral_rows,
    responses, add_contacts, add_group, press_group, weigh, slip_direction, settle, take_mode,
)  # fmt: skip
