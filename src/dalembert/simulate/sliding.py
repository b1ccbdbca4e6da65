"""Accelerations in a mode: sliding frictions pull, whatever presses them, and the rest of the rows are held.

    R = −μ N c/|c| along the slip rows T:   N given: d −= μ N Tᵀĉ;   N = λ of a row: that row's column of R loses μ Tᵀĉ
A slip that shares its cone with held rows pulls with S, S² + |h|² = (μN)² (ZhangMei (4.15)–(4.18)); h and N are affine
in S, so S is the root of a quadratic. Loops that numba compiles.
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.laws import (
    BY_CONTACT,
    GIVEN,
    HELD_COUNT,
    HELD_START,
    PRESS_AT,
    PRESS_KIND,
    SLIP_DIM,
    SLIP_START,
)  # fmt: skip
from dalembert.simulate.complementarity import SLIP
from dalembert.simulate.contacts import coefficient, given_normal, sizes, slip_direction
from dalembert.simulate.linear import DONE, Shape, accelerations, accelerations_again
from dalembert.simulate.table import FREE, FRICTION, MODE_SIGN, REACTION_FREE, SHARED_PULL, SLOPE_FREE


def transpose_rows(F, n, m, start):
    """R = Aᵀ behind b."""
    at_A, at_R = start + n, start + n + m * n + m
    for i in range(n):
        for r in range(m):
            F[at_R + i * m + r] = F[at_A + r * n + i]


def pulled(tab, F, laws, n, m, start):
    """Every slip's pull into d and R; returns how many share their cone with held rows."""
    layout = laws.layout
    at_A, at_R = start + n, start + n + m * n + m
    shared = 0
    for j in range(laws.frictions):
        if tab.wholes[FRICTION, j] != SLIP:
            continue
        for c in range(n):
            tab.tangents[j, c] = 0.0
        for k in range(layout[SLIP_DIM, j]):
            along = slip_direction(tab, laws, j, k)
            for c in range(n):
                tab.tangents[j, c] += along * F[at_A + (layout[SLIP_START, j] + k) * n + c]
        if layout[HELD_COUNT, j] > 0:
            shared += 1
            continue
        mu, kind = coefficient(tab, laws, j), layout[PRESS_KIND, j]
        for c in range(n):
            if kind == GIVEN:
                F[start + c] -= mu * max(given_normal(tab, laws, j), 0.0) * tab.tangents[j, c]
            elif kind == BY_CONTACT:
                F[at_R + c * m + laws.bilateral + layout[PRESS_AT, j]] -= mu * tab.tangents[j, c]
            else:
                F[at_R + c * m + layout[PRESS_AT, j]] -= mu * tab.reals[MODE_SIGN, j] * tab.tangents[j, c]
    return shared


def pressing(tab, laws, j, nu):
    """N of a friction from the multipliers."""
    kind, at = laws.layout[PRESS_KIND, j], laws.layout[PRESS_AT, j]
    if kind == GIVEN:
        return given_normal(tab, laws, j)
    return nu[laws.bilateral + at] if kind == BY_CONTACT else abs(nu[at])


def shares_cone(tab, laws, j):
    return tab.wholes[FRICTION, j] == SLIP and laws.layout[HELD_COUNT, j] > 0


def with_pulls(tab, F, laws, shape, fixed, w, a, nu):
    start = sizes(shape.n, shape.symmetric)
    for c in range(shape.n):
        F[start + c] = tab.reals[FREE, c]
    for j in range(laws.frictions):
        if shares_cone(tab, laws, j):
            for c in range(shape.n):
                F[start + c] -= tab.reals[SHARED_PULL, j] * tab.tangents[j, c]
    return accelerations(F, shape, fixed, w, a, nu, True)


def pulled_by_one(tab, F, laws, shape, fixed, w, a, nu, j):
    """Accelerations and multipliers with a pull of one along the slip of j, after those without."""
    if w.rank[2] != 1:
        tab.reals[SHARED_PULL, j] = 1.0
        return with_pulls(tab, F, laws, shape, fixed, w, a, nu)
    start = sizes(shape.n, shape.symmetric)
    for c in range(shape.n):
        F[start + c] = -tab.tangents[j, c]
    status, row = accelerations_again(F, shape, w, a, nu)
    for c in range(shape.n):
        a[c] += tab.reals[SLOPE_FREE, c]
    for i in range(shape.m):
        nu[i] += tab.reals[REACTION_FREE, i]
    return status, row


def shared_pull(tab, F, laws, shape, fixed, w, a, nu, j):
    """S of one friction with the others' as they are: the positive root of its quadratic."""
    mu, first, count = coefficient(tab, laws, j), laws.layout[HELD_START, j], laws.layout[HELD_COUNT, j]
    tab.reals[SHARED_PULL, j] = 0.0
    status, row = with_pulls(tab, F, laws, shape, fixed, w, a, nu)
    if status != DONE:
        return status, row
    N0 = pressing(tab, laws, j, nu)
    for c in range(shape.n):
        tab.reals[SLOPE_FREE, c] = a[c]
    for i in range(shape.m):
        tab.reals[REACTION_FREE, i] = nu[i]
    status, row = pulled_by_one(tab, F, laws, shape, fixed, w, a, nu, j)
    if status != DONE:
        return status, row
    N1 = pressing(tab, laws, j, nu) - N0
    square, cross, rest = 1.0 - (mu * N1) ** 2, -(mu**2) * N0 * N1, -((mu * N0) ** 2)
    for c in range(count):
        h0 = tab.reals[REACTION_FREE, first + c]
        h1 = nu[first + c] - h0
        square += h1**2
        cross += h0 * h1
        rest += h0**2
    pull = 0.0
    if rest < 0.0 and square > 0.0:
        pull = (-cross + np.sqrt(max(cross**2 - square * rest, 0.0))) / square
    tab.reals[SHARED_PULL, j] = max(pull, 0.0)
    for c in range(shape.n):  # all of it is affine in the pull
        a[c] = tab.reals[SLOPE_FREE, c] + tab.reals[SHARED_PULL, j] * (a[c] - tab.reals[SLOPE_FREE, c])
    for i in range(shape.m):
        nu[i] = tab.reals[REACTION_FREE, i] + tab.reals[SHARED_PULL, j] * (nu[i] - tab.reals[REACTION_FREE, i])
    return DONE, 0


def bends_reactions(tab, laws):
    """Whether a slip is pressed by a reaction, so that a column of R is no longer a row of A."""
    for j in range(laws.frictions):
        slips = tab.wholes[FRICTION, j] == SLIP and laws.layout[HELD_COUNT, j] == 0
        if slips and laws.layout[PRESS_KIND, j] != GIVEN:
            return True
    return False


def accelerations_in_mode(tab, F, laws, shape, fixed, w, a, nu, wanted):
    """As `linear.accelerations`, with the pulls of what slips; `shape.general` tells whether anything does."""
    if not shape.general:
        return accelerations(F, shape, fixed, w, a, nu, wanted)
    n, m = shape.n, shape.m
    start = sizes(n, shape.symmetric)
    if bends_reactions(tab, laws):
        transpose_rows(F, n, m, start)
    else:
        shape = Shape(n, m, shape.reactions, shape.symmetric, False, shape.active, shape.columns)
    shared = pulled(tab, F, laws, n, m, start)
    if shared == 0:
        return accelerations(F, shape, fixed, w, a, nu, wanted)
    for c in range(n):
        tab.reals[FREE, c] = F[start + c]
    for _sweep in range(60 if shared > 1 else 1):
        change = 0.0
        for j in range(laws.frictions):
            if shares_cone(tab, laws, j):
                before = tab.reals[SHARED_PULL, j]
                status, row = shared_pull(tab, F, laws, shape, fixed, w, a, nu, j)
                if status != DONE:
                    return status, row
                now = tab.reals[SHARED_PULL, j]
                change = max(change, abs(now - before) / max(now, 1e-300))
        if change < 1e-15:
            break
    return DONE, 0


SHARED = (
    bends_reactions, pressing, shares_cone, with_pulls, accelerations_in_mode, transpose_rows, pulled, pulled_by_one,
    shared_pull,
)  # fmt: skip
