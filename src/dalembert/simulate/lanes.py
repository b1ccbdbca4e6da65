"""Arithmetic of several smooth motions at once, one in each lane of vectors: stages, errors, first steps, projections
and interpolants as in `dop853`. No lane looks at another, so a motion has the same bits in any company.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.compile.wide import LANES
from dalembert.simulate.core import H_MAX, T_END, TOLERANCE, apart, call, kernel
from dalembert.simulate.dop853 import FLOOR
from dalembert.simulate.tableau import E3, E5, STAGES, A, B, C, D

# rows of the bank, each LANES numbers for every entry of y: slopes, the interpolant, states, steps, scratch
IN_K, DENSE, STATE, END, TRIAL, LARGEST, STEP, SUM = 0, 16, 24, 25, 26, 27, 28, 29
ROWS = 30
# rows of real numbers, by lane
TIME, NEXT, LENGTH, HERE, ERROR, WORST, BEFORE, LONGEST = range(8)
REALS = 8
# rows of whole numbers, by lane; a motion of -1 is none
MOTION, SAMPLED, STIFF, NOT_STIFF, REJECTED, LAST, TAKEN, LOST, FRESH, BROKEN, SHORTENED, ENDED = range(12)
WHOLES = 12


class Code(NamedTuple):
    """The model's wide functions, by address, and sizes."""

    slope: int
    position: int
    velocity: int
    n: int
    holonomic: int
    rows: int


class Board(NamedTuple):
    """Room for the motions at hand."""

    x: np.ndarray  # inputs, LANES
    out: np.ndarray
    bank: np.ndarray  # ROWS, size × LANES
    reals: np.ndarray
    wholes: np.ndarray
    sampled: np.ndarray  # LANES, samples, size


def board_of(code: Code, inputs: int, samples: int) -> Board:
    size = 2 * code.n
    return Board(
        np.zeros((inputs, LANES)), np.zeros((code.n + 3, LANES)), np.zeros((ROWS, size * LANES)),
        np.zeros((REALS, LANES)), np.zeros((WHOLES, LANES), dtype=np.int64), np.zeros((LANES, samples, size)),
    )  # fmt: skip


@kernel
def put(code, board, row, part):
    """The state in a row of the bank into x; times are those of the lanes, `part` of their steps later."""
    source = board.bank[row]
    for lane in range(LANES):
        board.x[0, lane] = board.reals[TIME, lane] + part * board.reals[HERE, lane]
    for i in range(2 * code.n):
        for lane in range(LANES):
            board.x[1 + i, lane] = source[i * LANES + lane]


@kernel
def slopes(code, board, row, part, to):
    """ẏ of the state in a row into another; lanes where there is none are marked."""
    apart()
    n, out, into = code.n, board.out, board.bank[to]
    put(code, board, row, part)
    call(code.slope, out.ctypes.data, board.x.ctypes.data, 0)
    source = board.bank[row]
    for k in range(n * LANES):
        into[k] = source[n * LANES + k]
    for i in range(n):
        for lane in range(LANES):
            into[(n + i) * LANES + lane] = out[i, lane]
    for lane in range(LANES):
        if not out[n, lane] > 0.0:
            board.wholes[LOST, lane] = 1


@kernel
def corrected(code, board, row, level, marked):
    """Newton's method with smallest changes for q (or v) in the lanes that are marked; those that fail are unmarked."""
    apart()
    rows, n = (code.rows if level else code.holonomic), code.n
    if rows == 0:
        return
    out, state, offset = board.out, board.bank[row], level * n * LANES
    going = 0
    for lane in range(LANES):
        board.reals[BEFORE, lane] = np.inf
    for iteration in range(13):
        for i in range(2 * n):
            for lane in range(LANES):
                board.x[1 + i, lane] = state[i * LANES + lane]
        call(code.velocity if level else code.position, out.ctypes.data, board.x.ctypes.data, 0)
        going = 0
        for lane in range(LANES):
            worst, scale = out[n, lane], out[n + 1, lane]
            goes = worst > 2e-16 * scale and worst < 0.5 * board.reals[BEFORE, lane] and iteration < 12
            goes = goes and board.reals[BEFORE, lane] > 0.0 and board.wholes[marked, lane] > 0
            if goes and out[n + 2, lane] > 0.0:
                board.reals[BEFORE, lane] = worst
                going += 1
                for j in range(n):
                    state[offset + j * LANES + lane] += out[j, lane]
            elif board.reals[BEFORE, lane] > 0.0:
                board.reals[BEFORE, lane] = -1.0  # this lane is done
                if not worst <= 1e-10 * max(scale, 1.0):
                    board.wholes[marked, lane] = 0
        if going == 0:
            return


@kernel
def project(code, board, row, part, marked):
    for lane in range(LANES):
        board.x[0, lane] = board.reals[TIME, lane] + part * board.reals[HERE, lane]
    corrected(code, board, row, 0, marked)
    corrected(code, board, row, 1, marked)


@kernel
def combined(bank, weights, count):
    """Σ weights[j] K[j] into the row SUM."""
    total = bank[SUM]
    width = total.shape[0]
    for k in range(width):
        total[k] = 0.0
    for j in range(count):
        weight = weights[j]
        if weight != 0.0:
            source = bank[IN_K + j]
            for k in range(width):
                total[k] += weight * source[k]


@kernel
def stages(code, board, first, last):
    """Slopes K[first … last-1] of the lanes' steps."""
    apart()
    bank = board.bank
    width = bank.shape[1]
    trial, old, step, total = bank[TRIAL], bank[STATE], bank[STEP], bank[SUM]
    for s in range(first, last):
        combined(bank, A[s], s)
        for k in range(width):
            trial[k] = old[k] + step[k] * total[k]
        slopes(code, board, TRIAL, C[s], IN_K + s)


@kernel
def errors(code, board, tolerance):
    """The ends of the steps, and their errors in units of the tolerance."""
    apart()
    bank, size = board.bank, 2 * code.n
    end, old, step, total = bank[END], bank[STATE], bank[STEP], bank[SUM]
    width = bank.shape[1]
    combined(bank, B, STAGES)
    for k in range(width):
        end[k] = old[k] + step[k] * total[k]
    fifth, third = board.reals[ERROR], board.reals[WORST]
    for lane in range(LANES):
        fifth[lane], third[lane] = 0.0, 0.0
    for order in range(2):
        combined(bank, E5 if order == 0 else E3, STAGES)
        sums = fifth if order == 0 else third
        for i in range(size):
            for lane in range(LANES):
                k = i * LANES + lane
                part = total[k] / (tolerance * max(bank[LARGEST, k], abs(end[k]), FLOOR))
                sums[lane] += part * part
    for lane in range(LANES):
        below = fifth[lane] + 0.01 * third[lane]
        fifth[lane] = 0.0 if below <= 0.0 else board.reals[HERE, lane] * fifth[lane] / np.sqrt(below * size)


@kernel
def eighth_root(value):
    return np.sqrt(np.sqrt(np.sqrt(value)))


@kernel
def first_lengths(code, board, real):
    """Hairer's guess of the first step, for fresh lanes: K[0] is known."""
    apart()
    bank, size = board.bank, 2 * code.n
    for lane in range(LANES):
        if board.wholes[FRESH, lane] == 0:
            continue
        span, y_size, f_size = real[T_END] - board.reals[TIME, lane], 0.0, 0.0
        for i in range(size):
            k = i * LANES + lane
            scale = real[TOLERANCE] * max(bank[LARGEST, k], FLOOR)
            y_size += (bank[STATE, k] / scale) ** 2
            f_size += (bank[IN_K, k] / scale) ** 2
        h = 1e-6 if f_size <= 1e-10 or y_size <= 1e-10 else 0.01 * np.sqrt(y_size / f_size)
        h = min(h, span, real[H_MAX])
        board.reals[HERE, lane], board.reals[WORST, lane] = h, f_size
    for i in range(size):
        for lane in range(LANES):
            k = i * LANES + lane
            h = board.reals[HERE, lane] if board.wholes[FRESH, lane] else 0.0
            bank[TRIAL, k] = bank[STATE, k] + h * bank[IN_K, k]
    slopes(code, board, TRIAL, 1.0, SUM)
    for lane in range(LANES):
        if board.wholes[FRESH, lane] == 0:
            continue
        h, f_size, change = board.reals[HERE, lane], board.reals[WORST, lane], 0.0
        for i in range(size):
            k = i * LANES + lane
            scale = real[TOLERANCE] * max(bank[LARGEST, k], FLOOR)
            change += ((bank[SUM, k] - bank[IN_K, k]) / scale) ** 2
        steepest = max(np.sqrt(change) / h, np.sqrt(f_size)) / np.sqrt(float(size))
        h1 = max(1e-6, h * 1e-3) if steepest <= 1e-15 else eighth_root(0.01 / steepest)
        board.reals[LENGTH, lane] = min(100 * h, h1, real[T_END] - board.reals[TIME, lane], real[H_MAX])


@kernel
def awaited(board, samples, lane):
    """Whether a sample lies inside the lane's step."""
    place = board.wholes[SAMPLED, lane]
    return place < samples.shape[0] and samples[place] < board.reals[NEXT, lane]


@kernel
def interpolate(code, board, samples, always):
    """The coefficients of all lanes' interpolants; a lane that needs its own and has none is given up."""
    bank = board.bank
    for lane in range(LANES):
        board.wholes[LOST, lane] = 0
    stages(code, board, STAGES + 1, 16)
    for lane in range(LANES):
        if board.wholes[LOST, lane] and board.wholes[TAKEN, lane] and (always or awaited(board, samples, lane)):
            board.wholes[TAKEN, lane], board.wholes[MOTION, lane] = 0, -1
    for k in range(bank.shape[1]):
        h, change = bank[STEP, k], bank[END, k] - bank[STATE, k]
        bank[DENSE, k] = change
        bank[DENSE + 1, k] = h * bank[IN_K, k] - change
        bank[DENSE + 2, k] = 2 * change - h * (bank[IN_K + STAGES, k] + bank[IN_K, k])
        bank[DENSE + 7, k] = bank[STATE, k]
    for r in range(4):
        combined(bank, D[r], 16)
        for k in range(bank.shape[1]):
            bank[DENSE + 3 + r, k] = bank[STEP, k] * bank[SUM, k]


@kernel
def take_samples(code, board, samples, interpolated):
    """Samples inside the steps taken, each on the constraints; a lane that cannot is given up."""
    apart()
    bank, size, needed = board.bank, 2 * code.n, False
    for lane in range(LANES):
        needed |= board.wholes[TAKEN, lane] > 0 and awaited(board, samples, lane)
    if needed and not interpolated:
        interpolate(code, board, samples, False)
    while needed:
        needed = False
        for lane in range(LANES):
            inside = board.wholes[TAKEN, lane] > 0 and awaited(board, samples, lane)
            board.wholes[FRESH, lane] = 1 if inside else 0
            at = samples[board.wholes[SAMPLED, lane]] if inside else board.reals[TIME, lane]
            s = (at - board.reals[TIME, lane]) / board.reals[HERE, lane]
            for i in range(size):
                k, entry = i * LANES + lane, 0.0
                for r in range(6, -1, -1):
                    entry = (entry + bank[DENSE + r, k]) * (s if r % 2 == 0 else 1.0 - s)
                bank[TRIAL, k] = bank[DENSE + 7, k] + entry
            board.x[0, lane] = at
        corrected(code, board, TRIAL, 0, FRESH)
        corrected(code, board, TRIAL, 1, FRESH)
        for lane in range(LANES):
            if board.wholes[TAKEN, lane] > 0 and awaited(board, samples, lane):
                place = board.wholes[SAMPLED, lane]
                if board.wholes[FRESH, lane] == 0:
                    board.wholes[TAKEN, lane], board.wholes[MOTION, lane] = 0, -1
                    continue
                for i in range(size):
                    board.sampled[lane, place, i] = bank[TRIAL, i * LANES + lane]
                board.wholes[SAMPLED, lane] += 1
                needed = True
    for lane in range(LANES):
        board.wholes[FRESH, lane] = 0
