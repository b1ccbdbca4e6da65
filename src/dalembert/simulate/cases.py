"""All cases of contacts and frictions in turn, so that no solution and two, Painlevé's, are seen as what they are.

Without friction there is one solution, which Lemke's pivots find for any number of contacts. Loops that numba compiles.
"""

from __future__ import annotations

from dalembert.simulate.complementarity import (
    CLOSED,
    NO_SOLUTION,
    OFF,
    OPEN,
    SEVERAL,
    SLIP,
    SOLVED,
    STICK,
    TOO_MANY,
    answer,
    try_case,
)  # fmt: skip
from dalembert.simulate.lemke import lemke
from dalembert.simulate.table import (
    ANSWER,
    BASE,
    BASIS,
    BEST_ANSWER,
    BEST_CASE,
    BEST_DIR0,
    BEST_DIR1,
    BEST_FORCE,
    BEST_SIGN,
    BEST_STATUS,
    CASE,
    CONTACTS,
    COUNTS,
    DIGITS,
    DIM,
    DIR0,
    DIR1,
    FORCE,
    FORCED,
    GIVEN0,
    GIVEN1,
    GROUPS,
    MAY_STICK,
    OWNER,
    RESPONSE,
    ROUGH,
    SCALES,
    SIDE,
    SIGN,
    SIZE,
    SLIP_SCALE,
    STATUS,
    TWO_SIDED,
    W0,
)  # fmt: skip

MOST_CASES = 20000


def cases_of(tab, j):
    """Sticking, and slipping one way or the other, or along a direction to be found."""
    if tab.wholes[ROUGH, j] or tab.wholes[FORCED, j]:
        return 1
    return 3 if tab.wholes[DIM, j] == 1 else 2


def next_case(tab, places):
    """Count on in the mixed base of the cases; False after the last."""
    for p in range(places):
        tab.wholes[DIGITS, p] += 1
        if tab.wholes[DIGITS, p] < tab.wholes[BASE, p]:
            return True
        tab.wholes[DIGITS, p] = 0
    return False


def read_case(tab):
    """Statuses from digits; False where a case makes no sense. Contacts first closed, frictions first sticking."""
    wholes, reals = tab.wholes, tab.reals
    contacts = wholes[COUNTS, CONTACTS]
    for i in range(contacts):
        wholes[CASE, i] = CLOSED if wholes[DIGITS, i] == 0 else OPEN
    for j in range(wholes[COUNTS, GROUPS]):
        digit, plain = wholes[DIGITS, contacts + j], cases_of(tab, j)
        other_side = digit >= plain
        digit = digit - plain if other_side else digit
        reals[SIGN, j] = -1.0 if other_side else 1.0
        if wholes[OWNER, j] >= 0 and wholes[CASE, wholes[OWNER, j]] == OPEN:
            wholes[STATUS, j] = OFF
            if digit != 0 or other_side:
                return False
        elif wholes[FORCED, j]:
            wholes[STATUS, j] = SLIP
            reals[DIR0, j], reals[DIR1, j] = reals[GIVEN0, j], reals[GIVEN1, j]
        elif digit == 0:
            wholes[STATUS, j] = STICK
            if other_side or not wholes[MAY_STICK, j]:  # sticking does not care on which side it is pressed
                return False
        else:
            wholes[STATUS, j] = SLIP
            if wholes[DIM, j] == 1:
                reals[DIR0, j] = 1.0 if digit == 1 else -1.0
        if wholes[STATUS, j] == SLIP and wholes[SIDE, j] * reals[SIGN, j] < 0.0:
            return False  # it was just left by this side
    return True


def solve(tab):
    """Every case in turn: NO_SOLUTION, SOLVED, SEVERAL (with other contacts) or TOO_MANY; the first one is kept."""
    wholes = tab.wholes
    contacts, groups = wholes[COUNTS, CONTACTS], wholes[COUNTS, GROUPS]
    cases = 1.0
    for p in range(contacts + groups):
        j = p - contacts
        wholes[BASE, p] = 2 if j < 0 else cases_of(tab, j) * (2 if wholes[TWO_SIDED, j] else 1)
        wholes[DIGITS, p] = 0
        cases *= wholes[BASE, p]
    if cases > MOST_CASES:
        return TOO_MANY if groups > 0 else solve_without_friction(tab)
    found = 0
    more = True
    while more:
        if read_case(tab) and try_case(tab) and keep(tab, found):
            found += 1
        more = next_case(tab, contacts + groups)
    return NO_SOLUTION if found == 0 else (SOLVED if found == 1 else SEVERAL)


def keep(tab, found):
    """Keep the first solution that holds; whether this one is another. Degenerate cases give the same answer twice.

    Where sticking is possible it is what happens, though slipping from rest with less than the static friction would
    satisfy the equations too; so only solutions with other contacts count as others.
    """
    wholes, reals = tab.wholes, tab.reals
    size = wholes[COUNTS, SIZE]
    if found > 0:
        other = False
        for i in range(wholes[COUNTS, CONTACTS]):
            other |= wholes[CASE, i] != wholes[BEST_CASE, i]
        differs = False
        for k in range(size):
            differs |= abs(reals[ANSWER, k] - reals[BEST_ANSWER, k]) > 1e-7 * reals[SCALES, SLIP_SCALE]
        return other and differs
    for k in range(size):
        reals[BEST_FORCE, k], reals[BEST_ANSWER, k] = reals[FORCE, k], reals[ANSWER, k]
    for i in range(wholes[COUNTS, CONTACTS]):
        wholes[BEST_CASE, i] = wholes[CASE, i]
    for j in range(wholes[COUNTS, GROUPS]):
        wholes[BEST_STATUS, j] = wholes[STATUS, j]
        reals[BEST_SIGN, j], reals[BEST_DIR0, j], reals[BEST_DIR1, j] = reals[SIGN, j], reals[DIR0, j], reals[DIR1, j]
    return True


def solve_without_friction(tab):
    count = tab.wholes[COUNTS, CONTACTS]
    if not lemke(tab.squares[RESPONSE], tab.reals[W0], count, tab.reals[FORCE], tab.tableau, tab.wholes[BASIS]):
        return NO_SOLUTION
    answer(tab)
    for i in range(count):
        tab.wholes[CASE, i] = CLOSED if tab.reals[ANSWER, i] <= 1e-11 * tab.reals[SCALES, SLIP_SCALE] else OPEN
    keep(tab, 0)
    return SOLVED


SHARED = (cases_of, next_case, read_case, solve, keep, solve_without_friction)
