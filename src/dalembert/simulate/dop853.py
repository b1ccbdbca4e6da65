"""One step of DOP853 with step control, stiffness test and dense output.

Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.10. Departures: the end of an accepted
step is projected before its slope is taken; a stage without a value shrinks the step instead of ending the motion;
an error counts against the largest value that its component has had.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.core import (
    DENSE,
    GUESS,
    H_MAX,
    LARGEST,
    NEW,
    NOT_STIFF,
    OLD,
    REJECTED,
    STAGE,
    STEPS,
    STIFF,
    STIFF_STEPS,
    T_END,
    T_NEW,
    T_START,
    TOLERANCE,
    H,
    K,
    T,
    apart,
    evaluate,
    kernel,
    project,
)  # fmt: skip
from dalembert.simulate.linear import DONE
from dalembert.simulate.tableau import E3, E5, STAGES, A, B, C, D

UNDERFLOW, PROJECTION_FAILED, IS_STIFF, BLOW_UP = 5, 6, 7, 8
FLOOR = 1e-3  # components smaller than this are held to an absolute error
TOO_LARGE = 1e100
LEAP = 1e3  # errors by which a projection may move the end of a step
FIVE, THREE = GUESS, GUESS + 1  # errors of orders five and three, in rows of the bank that only Gauss's method uses
UNPROJECTED = THREE  # the end of the step, when its error is known
SAFETY = 0.8  # Hairer has 0.9; on chains of pendulums that costs some ten percent in rejected steps


@kernel
def first_step(calls, mem, real, whole):
    """Hairer's guess of the first step, from the sizes of y, ẏ and a difference of slopes."""
    bank = mem.bank
    size, span = calls.size, real[T_END] - real[T]
    y_size, f_size = 0.0, 0.0
    for i in range(size):
        scale = real[TOLERANCE] * max(bank[LARGEST, i], FLOOR)
        y_size += (bank[OLD, i] / scale) ** 2
        f_size += (bank[K, i] / scale) ** 2
    h = 1e-6 if f_size <= 1e-10 or y_size <= 1e-10 else 0.01 * np.sqrt(y_size / f_size)
    h = min(h, span, real[H_MAX])
    for i in range(size):
        bank[STAGE, i] = bank[OLD, i] + h * bank[K, i]
    if evaluate(calls, mem, whole, real[T] + h, bank[STAGE], True, bank[K + 1]) != DONE:
        return 0.01 * h
    change = 0.0
    for i in range(size):
        change += ((bank[K + 1, i] - bank[K, i]) / (real[TOLERANCE] * max(bank[LARGEST, i], FLOOR))) ** 2
    steepest = max(np.sqrt(change) / h, np.sqrt(f_size)) / np.sqrt(float(size))
    h1 = max(1e-6, h * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** 0.125
    return min(100 * h, h1, span, real[H_MAX])


@kernel
def stages(calls, mem, whole, t, h, first, last):
    """Slopes K[first … last-1] of a step from the old state."""
    apart()
    bank = mem.bank
    for s in range(first, last):
        for i in range(calls.size):
            bank[STAGE, i] = 0.0
        for j in range(s):
            weight = A[s, j]
            for i in range(calls.size if weight != 0.0 else 0):
                bank[STAGE, i] += weight * bank[K + j, i]
        for i in range(calls.size):
            bank[STAGE, i] = bank[OLD, i] + h * bank[STAGE, i]
        status = evaluate(calls, mem, whole, t + C[s] * h, bank[STAGE], True, bank[K + s])
        if status != DONE:
            return status
    return DONE


@kernel
def error_of(calls, mem, h, tolerance):
    """The end of the step as the new state, and its error in units of the tolerance."""
    bank = mem.bank
    fifth, third = 0.0, 0.0
    for i in range(calls.size):
        bank[NEW, i], bank[FIVE, i], bank[THREE, i] = 0.0, 0.0, 0.0
    for s in range(STAGES):
        b, five, three = B[s], E5[s], E3[s]
        for i in range(calls.size if five != 0.0 else 0):  # stages two to five serve the others alone
            k = bank[K + s, i]
            bank[NEW, i] += b * k
            bank[FIVE, i] += five * k
            bank[THREE, i] += three * k
    for i in range(calls.size):
        bank[NEW, i] = bank[OLD, i] + h * bank[NEW, i]
        scale = tolerance * max(bank[LARGEST, i], abs(bank[NEW, i]), FLOOR)
        fifth += (bank[FIVE, i] / scale) ** 2
        third += (bank[THREE, i] / scale) ** 2
    below = fifth + 0.01 * third
    return 0.0 if below <= 0.0 else abs(h) * fifth / np.sqrt(below * calls.size)


@kernel
def stiff(calls, mem, real, whole, h):
    """Hairer's test, with f at the end against the last stage: |h λ| beyond the border of stability again and again."""
    bank = mem.bank
    above, below = 0.0, 0.0
    for i in range(calls.size):
        above += (bank[K + STAGES, i] - bank[K + STAGES - 1, i]) ** 2
        below += (bank[NEW, i] - bank[STAGE, i]) ** 2
    if below > 0.0 and h * np.sqrt(above / below) > 6.1:
        whole[NOT_STIFF] = 0
        whole[STIFF] += 1
    else:
        whole[NOT_STIFF] += 1
        if whole[NOT_STIFF] == 6:
            whole[STIFF] = 0
    return whole[STIFF] >= 15 and (real[T_END] - real[T]) / h > real[STIFF_STEPS]


@kernel
def leaps(calls, mem, tolerance):
    """Whether the projection moved the end of a step by far more than the step's error: onto another branch."""
    bank = mem.bank
    for i in range(calls.size):
        scale = tolerance * max(bank[LARGEST, i], abs(bank[UNPROJECTED, i]), FLOOR)
        if not abs(bank[NEW, i] - bank[UNPROJECTED, i]) <= LEAP * scale:
            return True
    return False


@kernel
def uniform(calls, mem):
    """Whether all slopes of the step have the same accelerations: then it is a parabola, as in free flight."""
    n = calls.shape.n
    for s in range(1, STAGES + 1):
        for i in range(n, calls.size):
            if mem.bank[K + s, i] != mem.bank[K, i]:
                return False
    return True


@kernel
def prepare_dense(calls, mem, whole, t, h):
    """The three further slopes and the coefficients of the interpolant; the last is where the step began."""
    bank = mem.bank
    curved = not uniform(calls, mem)
    status = stages(calls, mem, whole, t, h, STAGES + 1, 16 if curved else 0)
    if status != DONE:
        return status
    for i in range(calls.size):
        change = bank[NEW, i] - bank[OLD, i]
        bank[DENSE, i] = change
        bank[DENSE + 1, i] = h * bank[K, i] - change
        bank[DENSE + 2, i] = 2 * change - h * (bank[K + STAGES, i] + bank[K, i])
        bank[DENSE + 7, i] = bank[OLD, i]
    for r in range(4):
        row = DENSE + 3 + r
        for i in range(calls.size):
            bank[row, i] = 0.0
        for s in range(16 if curved else 0):
            weight = D[r, s]
            for i in range(calls.size if weight != 0.0 else 0):
                bank[row, i] += weight * bank[K + s, i]
        for i in range(calls.size):
            bank[row, i] *= h
    return DONE


@kernel
def dense_at(mem, s, size, out):
    """The interpolant at the fraction s of the step."""
    c, rest = mem.bank[DENSE : DENSE + 8], 1.0 - s
    for i in range(size):
        entry = ((c[6, i] * s + c[5, i]) * rest + c[4, i]) * s
        out[i] = c[7, i] + ((((entry + c[3, i]) * rest + c[2, i]) * s + c[1, i]) * rest + c[0, i]) * s


@kernel
def dop853_step(calls, mem, real, whole, dense_before):
    """One accepted step, its slope in K[12]; with dense output where it ends after `dense_before`."""
    apart()
    bank = mem.bank
    if real[H] <= 0.0:
        real[H] = first_step(calls, mem, real, whole)
    t, rejected, reason = real[T], False, UNDERFLOW
    smallest = max(16 * np.finfo(np.float64).eps * abs(t), 1e-15 * (real[T_END] - real[T_START]))
    while True:
        h = min(real[H], real[H_MAX])
        last = t + 1.01 * h >= real[T_END]
        if last:
            h = real[T_END] - t
        if h < smallest and not last:
            return reason
        status = stages(calls, mem, whole, t, h, 1, STAGES)
        error = np.inf
        if status == DONE:
            error = error_of(calls, mem, h, real[TOLERANCE])
        if error < 1.0:
            real[T_NEW] = real[T_END] if last else t + h
            big = 0.0
            for i in range(calls.size):
                big = max(big, abs(bank[NEW, i]))
            if big > TOO_LARGE:
                return BLOW_UP
            for i in range(calls.size):
                bank[STAGE, i] -= bank[NEW, i]  # the stiffness test compares the last stage with the unprojected end
                bank[UNPROJECTED, i] = bank[NEW, i]
            if not project(calls, mem, real, whole, real[T_NEW], bank[NEW]) or leaps(calls, mem, real[TOLERANCE]):
                status = PROJECTION_FAILED
            for i in range(calls.size):
                bank[STAGE, i] += bank[NEW, i]
            if status == DONE:
                status = evaluate(calls, mem, whole, real[T_NEW], bank[NEW], False, bank[K + STAGES])
            is_stiff = status == DONE and stiff(calls, mem, real, whole, h)
            if status == DONE and dense_before < real[T_NEW]:
                status = prepare_dense(calls, mem, whole, t, h)
            if status == DONE:
                growth = min(6.0, SAFETY * max(error, 1e-10) ** -0.125)
                if rejected:
                    growth = min(growth, 1.0)
                if not last or growth < 1.0:
                    real[H] = h * growth
                whole[STEPS] += 1
                return IS_STIFF if is_stiff else DONE
        rejected = True
        whole[REJECTED] += 1
        if status != DONE:
            reason = status
            real[H] = 0.25 * h
        elif np.isfinite(error):
            reason = UNDERFLOW
            real[H] = h * max(1.0 / 3.0, 0.9 * error**-0.125)
        else:
            reason = UNDERFLOW
            real[H] = 0.1 * h
