"""One step of the Gauss collocation method of three stages (order 6), with symmetric projection: time-reversible.

Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1.3 and V.4.1:

    ŷ₀ = y₀ + G(y₀)ᵀ μ,   ŷ₁ = Φ_h(ŷ₀),   y₁ = ŷ₁ + G(y₁)ᵀ μ,   g(y₁) = 0

with g = (φ, ψ), and φ's multipliers acting on q, ψ's on v. All equations are iterated to rounding.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate import pivoting
from dalembert.simulate.core import (
    GUESS,
    NEW,
    OLD,
    RANK_PHI,
    RANK_PSI,
    RATE_RESIDUAL,
    RESIDUAL,
    SHIFTED,
    STAGE,
    STEPS,
    T_END,
    T_NEW,
    T_START,
    TRY,
    H,
    K,
    T,
    apart,
    evaluate,
    kernel,
    residuals,
)  # fmt: skip
from dalembert.simulate.dop853 import PROJECTION_FAILED
from dalembert.simulate.linear import (
    DONE,
    IN_CHANGE,
    IN_G,
    IN_J,
    IN_MU,
    IN_MU_RATE,
    IN_RESIDUAL,
    LEFT_COLUMNS,
    LEFT_ROWS,
)

NOT_CONVERGED = 9
LEAP = 0.25  # of what a step moves, and of the speeds: a kick that is more does not correct the step, it makes another
SEEN = 1e-12  # of the coordinates: less is rounding

_R = np.sqrt(15.0)
NODES = np.array([0.5 - _R / 10, 0.5, 0.5 + _R / 10])
WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18
MATRIX = np.array(
    [
        [5 / 36, 2 / 9 - _R / 15, 5 / 36 - _R / 30],
        [5 / 36 + _R / 24, 2 / 9, 5 / 36 - _R / 24],
        [5 / 36 + _R / 30, 2 / 9 + _R / 15, 5 / 36],
    ]
)


@kernel
def collocate(calls, mem, whole, t, h, start, out):
    """out = Φ_h(start), its three slopes in K[13 … 15], by fixed-point iteration until rounding stops it."""
    apart()
    bank = mem.bank
    size = calls.size
    status = evaluate(calls, mem, whole, t, start, True, bank[K + 13])
    if status != DONE:
        return status
    for s in range(3):
        for i in range(size):
            bank[GUESS + s, i] = bank[K + 13, i]
    before, grows = np.inf, False
    for iteration in range(100):
        change, scale = 0.0, 0.0
        for s in range(3):
            for i in range(size):
                entry = 0.0
                for j in range(3):
                    entry += MATRIX[s, j] * bank[GUESS + j, i]
                bank[STAGE, i] = start[i] + h * entry
            status = evaluate(calls, mem, whole, t + NODES[s] * h, bank[STAGE], True, bank[K + 13 + s])
            if status != DONE:
                return NOT_CONVERGED if grows else status
        for s in range(3):
            for i in range(size):
                change = max(change, abs(h * (bank[K + 13 + s, i] - bank[GUESS + s, i])))
                scale = max(scale, abs(start[i]), abs(h * bank[K + 13 + s, i]))
                bank[GUESS + s, i] = bank[K + 13 + s, i]
        if not np.isfinite(change) or (iteration > 60 and change > 1e-12 * scale):
            return NOT_CONVERGED
        if change == 0.0 or (change <= 1e-14 * scale and change >= before):
            break
        grows = change > before  # what has no value then is far from any solution
        before = change
    for i in range(size):
        out[i] = start[i] + h * (
            WEIGHTS[0] * bank[GUESS, i] + WEIGHTS[1] * bank[GUESS + 1, i] + WEIGHTS[2] * bank[GUESS + 2, i]
        )
    return DONE


@kernel
def kick(calls, mem, t, at, target, rates):
    """target += G(at)ᵀ μ for the positions, or with `rates` the speeds."""
    apart()
    n = calls.shape.n
    rows = calls.shape.active.shape[0] if rates else calls.phi_rows.shape[0]
    if rows == 0:
        return
    residuals(calls, mem, t, at, rates)
    J, mu = mem.w.matrices[IN_J], mem.w.vectors[IN_MU_RATE if rates else IN_MU]
    offset = n if rates else 0
    for j in range(n):
        entry = 0.0
        for i in range(rows):
            entry += J[i, j] * mu[i]
        target[offset + j] += entry


@kernel
def multiplier_update(calls, mem, whole, t, y, rates):
    """μ -= (G Gᵀ)⁺ g / 2 at y; returns the residual before, and its scale."""
    apart()
    n = calls.shape.n
    rows = calls.shape.active.shape[0] if rates else calls.phi_rows.shape[0]
    if rows == 0:
        return 0.0, 0.0
    worst, scale = residuals(calls, mem, t, y, rates)
    w = mem.w
    J, G, r, change = w.matrices[IN_J], w.matrices[IN_G], w.vectors[IN_RESIDUAL], w.vectors[IN_CHANGE]
    row_at, col_at = w.places[LEFT_ROWS], w.places[LEFT_COLUMNS]
    for i in range(rows):
        r[i] = -0.5 * r[i]
    limit = whole[RANK_PSI] if rates else whole[RANK_PHI]
    rank = pivoting.least_norm(J, r, rows, n, limit, row_at, col_at, G, change)
    residuals(calls, mem, t, y, rates)
    for i in range(rows):  # Gᵀ μ = δ: the Jacobian is transposed
        for j in range(n):
            G[j, i] = J[i, j]
    for j in range(n):
        for i in range(rows):
            J[j, i] = G[j, i]
        r[j] = change[j]
    pivoting.least_norm(J, r, n, rows, rank, row_at, col_at, G, change)
    mu = w.vectors[IN_MU_RATE if rates else IN_MU]
    for i in range(rows):
        mu[i] += change[i]
    return worst, scale


@kernel
def leaps(calls, mem, h, out):
    """Whether the kick at the end takes the step elsewhere, onto another branch of the mechanism."""
    bank, n = mem.bank, calls.shape.n
    kick_q, kick_v, speed, place = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        kick_q = max(kick_q, abs(out[i] - bank[TRY, i]))
        kick_v = max(kick_v, abs(out[n + i] - bank[TRY, n + i]))
        speed = max(speed, abs(bank[OLD, n + i]), abs(out[n + i]))
        place = max(place, abs(out[i]))
    return kick_v > LEAP * speed or kick_q > LEAP * abs(h) * speed + SEEN * place


@kernel
def symmetric_step(calls, mem, real, whole, h, out):
    """The projected step of length h from the old state, into out."""
    apart()
    bank = mem.bank
    t, size = real[T], calls.size
    rows = calls.shape.active.shape[0]
    mem.w.vectors[IN_MU : IN_MU_RATE + 1, :] = 0.0
    best = np.inf
    for iteration in range(30):
        for i in range(size):
            bank[TRY, i] = bank[OLD, i]
        kick(calls, mem, t, bank[OLD], bank[TRY], False)
        kick(calls, mem, t, bank[OLD], bank[TRY], True)
        status = collocate(calls, mem, whole, t, h, bank[TRY], bank[TRY])
        if status != DONE and iteration > 0:
            return PROJECTION_FAILED  # without a kick the step could be made
        if status != DONE or rows == 0:
            break
        for i in range(size):
            out[i] = bank[TRY, i]
        for _inner in range(30):  # y₁ = ŷ₁ + G(y₁)ᵀ μ, explicit up to the small μ
            for i in range(size):
                bank[SHIFTED, i] = bank[TRY, i]
            kick(calls, mem, t + h, out, bank[SHIFTED], False)
            kick(calls, mem, t + h, out, bank[SHIFTED], True)
            change = 0.0
            for i in range(size):
                change = max(change, abs(bank[SHIFTED, i] - out[i]))
                out[i] = bank[SHIFTED, i]
            if change == 0.0:
                break
        phi, phi_scale = multiplier_update(calls, mem, whole, t + h, out, False)
        psi, psi_scale = multiplier_update(calls, mem, whole, t + h, out, True)
        worst = max(phi / max(phi_scale, 1e-300), psi / max(psi_scale, 1e-300))
        small = max(phi / max(phi_scale, 1.0), psi / max(psi_scale, 1.0))  # at rest there is no scale of speeds
        if worst <= 2e-16 or (small < 1e-11 and worst >= 0.5 * best):
            real[RESIDUAL] = max(real[RESIDUAL], phi)
            real[RATE_RESIDUAL] = max(real[RATE_RESIDUAL], psi)
            return PROJECTION_FAILED if leaps(calls, mem, h, out) else DONE
        best = min(best, worst)
    if rows == 0:
        for i in range(size):
            out[i] = bank[TRY, i]
        return status
    return status if status != DONE else PROJECTION_FAILED


@kernel
def gauss_step(calls, mem, real, whole):
    """One step of fixed length; the last one ends at T_END."""
    bank = mem.bank
    steps = whole[STEPS] + 1
    last = real[T] + 1.001 * real[H] >= real[T_END]
    real[T_NEW] = real[T_END] if last else real[T_START] + steps * real[H]
    status = symmetric_step(calls, mem, real, whole, real[T_NEW] - real[T], bank[NEW])
    if status == DONE:
        whole[STEPS] += 1
        status = evaluate(calls, mem, whole, real[T_NEW], bank[NEW], False, bank[K + 12])
    return status
