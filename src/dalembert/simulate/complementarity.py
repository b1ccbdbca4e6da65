"""Which contacts press and which frictions stick: complementarity with Coulomb's cone, as loops that numba compiles.

Forces f = (λ₁ … λ_c, R₁ … ) act on the rows of contacts and of slips; the rows answer with w = w₀ + W f, where w is the
separation and the slip that results (accelerations in a motion, velocities after an impact). Wanted are all f with

    0 ≤ λ_i ⊥ w_i ≥ 0                                          contacts
    w_j = 0 and |R_j| ≤ μ_s N_j,   or   R_j = −μ N_j w_j/|w_j|  frictions, N_j = n_j + L_j f

N_j is a given force, or a reaction: of a contact (L_j picks λ_i) or of a constraint (its absolute value counts).
Reactions that hold further rows at zero, h_j = k_j + H_j f, count inside the same cone: |R_j|² + |h_j|² ≤ (μ_s N_j)²
sticks and |R_j|² = (μ N_j)² − |h_j|² slips (ZhangMei (4.15)–(4.18)). All cases are tried in turn, so that no solution
and two solutions, Painlevé's, are seen as what they are. Without friction there is one solution, which Lemke's pivots
find for any number of contacts.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.lemke import lemke
from dalembert.simulate.pivoting import reduce
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
    COL_AT,
    CONTACTS,
    COUNTS,
    DIGITS,
    DIM,
    DIR0,
    DIR1,
    FORCE,
    FORCE_SCALE,
    FORCED,
    GIVEN0,
    GIVEN1,
    GROUPS,
    HELD,
    HELD0,
    HOLD0,
    KINETIC,
    MAY_STICK,
    NORMAL,
    OWNER,
    PRESS,
    PULL,
    RESPONSE,
    RIGHT,
    ROUGH,
    ROW_AT,
    SCALES,
    SIDE,
    SIGN,
    SIZE,
    SLIP_SCALE,
    START,
    STATIC,
    STATUS,
    SYSTEM,
    TURNED,
    TWO_SIDED,
    W0,
)  # fmt: skip

OPEN, CLOSED = 0, 1
OFF, STICK, SLIP = 0, 1, 2
NO_SOLUTION, SOLVED, SEVERAL, TOO_MANY = 0, 1, 2, 3
MOST_CASES = 20000
AIMED = 1e-5  # angle over which a slope is taken
LEFT = 1e-6  # of the slip's scale, where a cone was just left


def press_of(tab, j):
    """N_j for the forces found, with its sign."""
    N = tab.reals[NORMAL, j]
    for k in range(tab.wholes[COUNTS, SIZE]):
        N += tab.levers[PRESS, j, k] * tab.reals[FORCE, k]
    return N


def case_forces(tab):
    """The forces that a case asks for: equations of closed contacts, sticking and slipping rows; False without any."""
    M, b, wholes, reals = tab.squares[SYSTEM], tab.reals[RIGHT], tab.wholes, tab.reals
    size, contacts, groups = wholes[COUNTS, SIZE], wholes[COUNTS, CONTACTS], wholes[COUNTS, GROUPS]
    for i in range(size):
        b[i] = 0.0
        for k in range(size):
            M[i, k] = 0.0
    for i in range(contacts):
        if wholes[CASE, i] == CLOSED:
            at_rest(tab, i)
        else:
            M[i, i] = 1.0
    for j in range(groups):
        status = wholes[STATUS, j]
        for c in range(wholes[DIM, j]):
            i = wholes[START, j] + c
            if status == STICK:
                at_rest(tab, i)
                continue
            M[i, i] = 1.0
            if status == SLIP and wholes[HELD, j] > 0:
                b[i] = -reals[PULL, j] * reals[DIR0 + c, j]
            elif status == SLIP:  # R + μ N d = 0
                pull = reals[KINETIC, j] * reals[DIR0 + c, j] * reals[SIGN, j]
                b[i] = -pull * reals[NORMAL, j]
                for k in range(size):
                    M[i, k] += pull * tab.levers[PRESS, j, k]
    rank = reduce(M, b, size, size, -1, wholes[ROW_AT], wholes[COL_AT])
    for k in range(size):
        reals[FORCE, k] = 0.0
    for i in range(rank):
        reals[FORCE, wholes[COL_AT, i]] = b[i]
    for i in range(rank, size):
        if abs(b[i]) > 1e-9:
            return False
    return True


def at_rest(tab, i):
    """The equation w_i = 0."""
    tab.reals[RIGHT, i] = -tab.reals[W0, i]
    for k in range(tab.wholes[COUNTS, SIZE]):
        tab.squares[SYSTEM, i, k] = tab.squares[RESPONSE, i, k]


def answer(tab):
    size = tab.wholes[COUNTS, SIZE]
    for i in range(size):
        w = tab.reals[W0, i]
        for k in range(size):
            w += tab.squares[RESPONSE, i, k] * tab.reals[FORCE, k]
        tab.reals[ANSWER, i] = w


def planar(tab, j):
    """Whether a group slips along a direction that is still to be found."""
    return tab.wholes[STATUS, j] == SLIP and tab.wholes[DIM, j] == 2 and not tab.wholes[FORCED, j]


def turn(tab, share):
    """Turn each planar slip a share of the way towards the w that results; the largest change that is asked for.

    Of a w that is hardly there the direction is rounding, and counts less.
    """
    change = 0.0
    for j in range(tab.wholes[COUNTS, GROUPS]):
        if not planar(tab, j):
            continue
        start = tab.wholes[START, j]
        length = np.hypot(tab.reals[ANSWER, start], tab.reals[ANSWER, start + 1])
        if length <= nothing(tab, j, 1e-14) * tab.reals[SCALES, SLIP_SCALE]:
            continue
        for c in range(2):
            asked = tab.reals[ANSWER, start + c] / length - tab.reals[DIR0 + c, j]
            change = max(change, abs(asked) * min(1.0, length / (1e-6 * tab.reals[SCALES, SLIP_SCALE])))
            tab.reals[DIR0 + c, j] += share * asked
        length = np.hypot(tab.reals[DIR0, j], tab.reals[DIR1, j])
        for c in range(2 if length > 0.0 else 0):
            tab.reals[DIR0 + c, j] /= length
    return change


def held_square(tab, j):
    """|h_j|², of the reactions that count in the same cone."""
    square = 0.0
    for c in range(tab.wholes[HELD, j]):
        reaction = tab.reals[HELD0 + c, j]
        for k in range(tab.wholes[COUNTS, SIZE]):
            reaction += tab.levers[HOLD0 + c, j, k] * tab.reals[FORCE, k]
        square += reaction**2
    return square


def tighten(tab):
    """Pulls of slips that share their cone with held rows, for the forces found; the change, −1 where none is left."""
    change = 0.0
    for j in range(tab.wholes[COUNTS, GROUPS]):
        if tab.wholes[STATUS, j] != SLIP or tab.wholes[HELD, j] == 0:
            continue
        square = (tab.reals[KINETIC, j] * press_of(tab, j)) ** 2 - held_square(tab, j)
        if square < 0.0:
            return -1.0
        change = max(change, abs(np.sqrt(square) - tab.reals[PULL, j]))
        tab.reals[PULL, j] = np.sqrt(square)
    return change


def friction_holds(tab, j):
    """Whether a friction's forces keep its law."""
    wholes, reals = tab.wholes, tab.reals
    if wholes[STATUS, j] == OFF:
        return True
    tiny = 1e-11 * reals[SCALES, FORCE_SCALE]
    N = press_of(tab, j)
    if wholes[STATUS, j] == STICK:
        square = held_square(tab, j)
        for c in range(wholes[DIM, j]):
            square += reals[FORCE, wholes[START, j] + c] ** 2
        N = abs(N) if wholes[TWO_SIDED, j] else N
        return wholes[ROUGH, j] != 0 or np.sqrt(square) <= reals[STATIC, j] * N + tiny
    if not wholes[SIDE, j] and N * reals[SIGN, j] < -tiny:  # on its way to a new side it is zero but for rounding
        return False
    if wholes[FORCED, j]:
        return True
    along = 0.0
    for c in range(wholes[DIM, j]):
        along += reals[ANSWER, wholes[START, j] + c] * reals[DIR0 + c, j]
    return along >= -nothing(tab, j, 1e-11) * reals[SCALES, SLIP_SCALE]


def nothing(tab, j, rounding):
    """What part of the slip's scale counts as none. As a cone is left the slip has none to start with, but for the
    error with which that instant is known; its direction is then against the force that held it."""
    return rounding if tab.wholes[MAY_STICK, j] else LEFT


def holds(tab):
    """Whether the forces of a case satisfy what the case did not impose."""
    wholes, reals = tab.wholes, tab.reals
    for i in range(wholes[COUNTS, CONTACTS]):
        if wholes[CASE, i] == CLOSED:
            if reals[FORCE, i] < -1e-11 * reals[SCALES, FORCE_SCALE]:
                return False
        elif reals[ANSWER, i] < -1e-11 * reals[SCALES, SLIP_SCALE]:
            return False
    for j in range(wholes[COUNTS, GROUPS]):
        if not friction_holds(tab, j):
            return False
    return True


def try_case(tab):
    """Solve one case, turning planar slips until they lie along what results; whether it holds.

    A slip that friction almost stops swings to and fro when it is turned all the way; then it is turned a part of it.
    """
    first_directions(tab)
    for j in range(tab.wholes[COUNTS, GROUPS]):
        tab.reals[PULL, j] = 0.0
    share, before, left = 1.0, np.inf, np.inf
    for _attempt in range(400):
        if not case_forces(tab):
            return False
        answer(tab)
        change = tighten(tab)
        if change < 0.0:
            return False
        turned = turn(tab, share)
        left = max(change / tab.reals[SCALES, FORCE_SCALE], turned)
        if left < 1e-15:
            break
        if turned > 0.7 * before:
            share = max(0.5 * share, 0.01)
        before = turned
    if not left < 1e-9:
        left = aim(tab)
    return left < 1e-9 and holds(tab)


def aim(tab):
    """Newton's method for the angles at which w × d = 0, one planar slip after the other; the last change of any.

    Where friction almost holds, w is small against W R and swings about with every small turn of d: to turn d towards
    w leads nowhere, but the product is smooth.
    """
    first_directions(tab)
    reals, left = tab.reals, np.inf
    for _ in range(50):
        left = 0.0
        for j in range(tab.wholes[COUNTS, GROUPS]):
            if tab.wholes[STATUS, j] == SLIP and tab.wholes[HELD, j] > 0:
                return np.inf
            if not planar(tab, j):
                continue
            if not case_forces(tab):
                return np.inf
            d0, d1, here = reals[DIR0, j], reals[DIR1, j], across(tab, j)
            point(tab, j, d0, d1, AIMED)
            if not case_forces(tab):
                return np.inf
            slope = (across(tab, j) - here) / AIMED
            angle = min(max(-here / slope, -0.3), 0.3) if slope != 0.0 else 0.3
            point(tab, j, d0, d1, angle)
            left = max(left, abs(angle))
        if left < 1e-14:
            break
    if not case_forces(tab):
        return np.inf
    answer(tab)
    return left


def across(tab, j):
    """w × d of a planar slip for the forces found."""
    answer(tab)
    start = tab.wholes[START, j]
    return tab.reals[ANSWER, start] * tab.reals[DIR1, j] - tab.reals[ANSWER, start + 1] * tab.reals[DIR0, j]


def point(tab, j, d0, d1, angle):
    """A slip's direction, turned by an angle from (d0, d1)."""
    c, s = np.cos(angle), np.sin(angle)
    tab.reals[DIR0, j], tab.reals[DIR1, j] = c * d0 - s * d1, s * d0 + c * d1


def first_directions(tab):
    """A planar slip starts to be looked for against the force that sticking would have needed."""
    wholes, reals = tab.wholes, tab.reals
    some = False
    for j in range(wholes[COUNTS, GROUPS]):
        wholes[TURNED, j] = 1 if planar(tab, j) else 0
        if wholes[TURNED, j]:
            wholes[STATUS, j] = STICK
            some = True
    solved = some and case_forces(tab)
    for j in range(wholes[COUNTS, GROUPS]):
        if not wholes[TURNED, j]:
            continue
        wholes[STATUS, j] = SLIP
        start = wholes[START, j]
        length = np.hypot(reals[FORCE, start], reals[FORCE, start + 1])
        reals[DIR0, j], reals[DIR1, j] = 1.0, 0.0
        if solved and length > 0.0:
            reals[DIR0, j], reals[DIR1, j] = -reals[FORCE, start] / length, -reals[FORCE, start + 1] / length


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


SHARED = (
    press_of, nothing, case_forces, at_rest, answer, planar, turn, held_square, try_case, aim, across, point, cases_of,
    solve, keep, tighten, friction_holds, holds, first_directions, read_case, solve_without_friction, next_case,
)  # fmt: skip
