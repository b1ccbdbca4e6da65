"""Which contacts press and which frictions stick: complementarity with Coulomb's cone, as loops that numba compiles.

Forces f = (λ₁ … λ_c, R₁ … ) act on the rows of contacts and of slips; the rows answer with w = w₀ + W f, where w is the
separation and the slip that results (accelerations in a motion, velocities after an impact). Wanted are all f with

    0 ≤ λ_i ⊥ w_i ≥ 0                                          contacts
    w_j = 0 and |R_j| ≤ μ_s N_j,   or   R_j = −μ N_j w_j/|w_j|  frictions, N_j = n_j + L_j f

N_j is a given force, or a reaction: of a contact (L_j picks λ_i) or of a constraint (its absolute value counts).
Reactions that hold further rows at zero, h_j = k_j + H_j f, count inside the same cone: |R_j|² + |h_j|² ≤ (μ_s N_j)²
sticks and |R_j|² = (μ N_j)² − |h_j|² slips (ZhangMei (4.15)–(4.18)). Here one case is tried: which contacts press,
which frictions stick. `cases` goes through all of them.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.pivoting import reduce
from dalembert.simulate.table import (
    ANSWER,
    CASE,
    COL_AT,
    CONTACTS,
    COUNTS,
    DIM,
    DIR0,
    DIR1,
    FORCE,
    FORCE_SCALE,
    FORCED,
    GROUPS,
    HELD,
    HELD0,
    HOLD0,
    KINETIC,
    MAY_STICK,
    NORMAL,
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
    UNDER_ONE0,
    W0,
)  # fmt: skip

OPEN, CLOSED = 0, 1
OFF, STICK, SLIP = 0, 1, 2
NO_SOLUTION, SOLVED, SEVERAL, TOO_MANY = 0, 1, 2, 3
AIMED = 1e-5  # angle over which a slope is taken
LEFT = 1e-6  # of the slip's scale, where a cone was just left
AIMS = 1e-6  # of the slip's scale: a shorter w has a direction with less than ten digits, and counts by its length


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
            change = max(change, abs(asked) * min(1.0, length / (AIMS * tab.reals[SCALES, SLIP_SCALE])))
            tab.reals[DIR0 + c, j] += share * asked
        length = np.hypot(tab.reals[DIR0, j], tab.reals[DIR1, j])
        for c in range(2 if length > 0.0 else 0):
            tab.reals[DIR0 + c, j] /= length
    return change


def held_reaction(tab, j, c):
    """h_j, of the reactions that count in the same cone, along the held row c."""
    reaction = tab.reals[HELD0 + c, j]
    for k in range(tab.wholes[COUNTS, SIZE]):
        reaction += tab.levers[HOLD0 + c, j, k] * tab.reals[FORCE, k]
    return reaction


def held_square(tab, j):
    """|h_j|²"""
    square = 0.0
    for c in range(tab.wholes[HELD, j]):
        square += held_reaction(tab, j, c) ** 2
    return square


def tighten(tab):
    """Pulls of slips that share their cone with held rows, one after the other, and the forces under them.

    Returns the change, −1 where no pull is left.
    N and h are affine in the pull S, so S² + |h|² = (μN)² is a quadratic, as in `sliding.shared_pull`.
    """
    reals, change = tab.reals, 0.0
    for j in range(tab.wholes[COUNTS, GROUPS]):
        if tab.wholes[STATUS, j] != SLIP or tab.wholes[HELD, j] == 0:
            continue
        before, mu = reals[PULL, j], reals[KINETIC, j]
        reals[PULL, j] = 1.0
        if not case_forces(tab):
            return -1.0
        N1 = press_of(tab, j)
        for c in range(tab.wholes[HELD, j]):
            reals[UNDER_ONE0 + c, j] = held_reaction(tab, j, c)
        reals[PULL, j] = 0.0
        if not case_forces(tab):
            return -1.0
        N0 = press_of(tab, j)
        N1 -= N0
        square, cross, rest = 1.0 - (mu * N1) ** 2, -(mu**2) * N0 * N1, -((mu * N0) ** 2)
        for c in range(tab.wholes[HELD, j]):
            h0 = held_reaction(tab, j, c)
            h1 = reals[UNDER_ONE0 + c, j] - h0
            square += h1**2
            cross += h0 * h1
            rest += h0**2
        if rest > 0.0 or not square > 0.0:
            return -1.0
        reals[PULL, j] = (-cross + np.sqrt(max(cross**2 - square * rest, 0.0))) / square
        change = max(change, abs(reals[PULL, j] - before))
        if not case_forces(tab):
            return -1.0
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


SHARED = (
    press_of, nothing, case_forces, at_rest, answer, planar, turn, held_reaction, held_square, try_case, aim, across,
    point, tighten, friction_holds, holds, first_directions,
)  # fmt: skip
