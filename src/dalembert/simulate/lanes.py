"""Several smooth motions at once, one in each lane of vectors: DOP853 as in `dop853`, every lane with steps of its own.

All lanes try a step together; each accepts or rejects its own, and takes a new motion when it ends. No lane looks at
another, so a motion has the same bits in any company. Only what goes well is done here: a motion that meets anything
else (a singular matrix, a lost constraint, a step that becomes too small, stiffness) is left as it was for the steppers
that know what to do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.compile.wide import LANES
from dalembert.simulate.advance import FINISHED
from dalembert.simulate.core import H_MAX, OLD, SAMPLE, STIFF_STEPS, T_END, T_START, TOLERANCE, T, apart, call, kernel
from dalembert.simulate.dop853 import FLOOR, SAFETY, TOO_LARGE
from dalembert.simulate.ensemble import WAITING, close, energy_at
from dalembert.simulate.tableau import E3, E5, STAGES, A, B, C, D
from dalembert.simulate.through import claim

# rows of the bank, each LANES numbers for every entry of y: slopes, the interpolant, states, steps, scratch
IN_K, DENSE, STATE, END, TRIAL, LARGEST, STEP, SUM = 0, 16, 24, 25, 26, 27, 28, 29
ROWS = 30
# rows of real numbers, by lane
TIME, NEXT, LENGTH, HERE, ERROR, WORST, BEFORE, START_ENERGY, DRIFT = range(9)
REALS = 9
# rows of whole numbers, by lane; a motion of -1 is none
MOTION, SAMPLED, STIFF, NOT_STIFF, REJECTED, LAST, TAKEN, LOST, FRESH, BROKEN = range(10)
WHOLES = 10


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
def load_motion(code, board, motions, lane, motion, start):
    inputs, count = board.x.shape[0], motions.parameters.shape[1]
    for p in range(count):
        board.x[inputs - count + p, lane] = motions.parameters[motion, p]
    for i in range(2 * code.n):
        board.bank[STATE, i * LANES + lane] = motions.states[motion, i]
    board.reals[TIME, lane], board.reals[HERE, lane] = start, 0.0
    for row in range(WHOLES):
        board.wholes[row, lane] = 0
    board.wholes[MOTION, lane], board.wholes[FRESH, lane] = motion, 1


@kernel
def refill(board, code, motions, real):
    """New motions for the lanes that have none; how many lanes have one, and how many are fresh."""
    busy, fresh = 0, 0
    for lane in range(LANES):
        board.wholes[FRESH, lane] = 0
        while board.wholes[MOTION, lane] < 0 and motions.claimed[0] < motions.status.shape[0]:
            motion = claim(motions.claimed.ctypes.data)
            if motion < motions.status.shape[0] and motions.status[motion] == WAITING:
                load_motion(code, board, motions, lane, motion, real[T_START])
                fresh += 1
        if board.wholes[MOTION, lane] >= 0:
            busy += 1
    return busy, fresh


@kernel
def begin(code, board, real, plan, books, calls, mem, motions, samples):
    """Fresh lanes: on the constraints, slope and first step known, samples at the start taken."""
    apart()
    bank, size = board.bank, 2 * code.n
    for lane in range(LANES):
        board.wholes[TAKEN, lane] = board.wholes[FRESH, lane]
        board.wholes[LOST, lane] = 0
    project(code, board, STATE, 0.0, TAKEN)
    slopes(code, board, STATE, 0.0, SUM)
    for lane in range(LANES):
        if board.wholes[FRESH, lane] and (board.wholes[TAKEN, lane] == 0 or board.wholes[LOST, lane]):
            board.wholes[MOTION, lane], board.wholes[FRESH, lane] = -1, 0
        if board.wholes[FRESH, lane] == 0:
            continue
        for i in range(size):
            k = i * LANES + lane
            bank[IN_K, k], bank[LARGEST, k] = bank[SUM, k], abs(bank[STATE, k])
        while board.wholes[SAMPLED, lane] < samples.shape[0] and samples[board.wholes[SAMPLED, lane]] <= real[T_START]:
            for i in range(size):
                board.sampled[lane, board.wholes[SAMPLED, lane], i] = bank[STATE, i * LANES + lane]
            board.wholes[SAMPLED, lane] += 1
        if plan.drift:
            board.reals[START_ENERGY, lane] = energy(board, code, plan, books, calls, mem, motions, lane, STATE)
            board.reals[DRIFT, lane] = 0.0
    first_lengths(code, board, real)
    for lane in range(LANES):
        if board.wholes[LOST, lane] and board.wholes[FRESH, lane]:
            board.reals[LENGTH, lane] = 0.01 * board.reals[HERE, lane]


@kernel
def alone(board, code, calls, mem, motions, lane, row):
    """A lane's state and parameters into the memory of a single motion."""
    motion, inputs, count = board.wholes[MOTION, lane], mem.x.shape[0], motions.parameters.shape[1]
    for p in range(count):
        mem.x[inputs - count + p] = motions.parameters[motion, p]
    for i in range(2 * code.n):
        mem.bank[OLD, i] = board.bank[row, i * LANES + lane]


@kernel
def energy(board, code, plan, books, calls, mem, motions, lane, row):
    alone(board, code, calls, mem, motions, lane, row)
    return energy_at(plan, books, calls, mem, board.reals[TIME, lane], mem.bank[OLD])


@kernel
def choose_lengths(board, real):
    """How long each lane's step is to be; lanes whose step became too small are given up."""
    for lane in range(LANES):
        t, h = board.reals[TIME, lane], min(board.reals[LENGTH, lane], real[H_MAX])
        last = t + 1.01 * h >= real[T_END]
        h = real[T_END] - t if last else h
        smallest = max(16 * np.finfo(np.float64).eps * abs(t), 1e-15 * (real[T_END] - real[T_START]))
        if h < smallest and not last:
            board.wholes[MOTION, lane] = -1
        board.reals[HERE, lane], board.wholes[LAST, lane], board.wholes[LOST, lane] = h, 1 if last else 0, 0
    for i in range(board.bank.shape[1] // LANES):
        for lane in range(LANES):
            board.bank[STEP, i * LANES + lane] = board.reals[HERE, lane]


@kernel
def judge(code, board, real):
    """Which lanes take their step, by its error, and which broke it; how many take it."""
    taken = 0
    for lane in range(LANES):
        good = board.reals[ERROR, lane] < 1.0 and board.wholes[LOST, lane] == 0 and board.wholes[MOTION, lane] >= 0
        for i in range(2 * code.n if good else 0):
            if abs(board.bank[END, i * LANES + lane]) > TOO_LARGE:
                board.wholes[MOTION, lane], good = -1, False
        board.wholes[BROKEN, lane] = board.wholes[LOST, lane]
        board.wholes[TAKEN, lane] = 1 if good else 0
        taken += board.wholes[TAKEN, lane]
    return taken


@kernel
def stiff(code, board, real, lane):
    """Hairer's test, as in `dop853`; TRIAL is the last stage less the end as it was before its projection."""
    bank, above, below = board.bank, 0.0, 0.0
    for i in range(2 * code.n):
        k = i * LANES + lane
        above += (bank[IN_K + STAGES, k] - bank[IN_K + STAGES - 1, k]) ** 2
        below += bank[TRIAL, k] ** 2
    h = board.reals[HERE, lane]
    if below > 0.0 and h * np.sqrt(above / below) > 6.1:
        board.wholes[NOT_STIFF, lane] = 0
        board.wholes[STIFF, lane] += 1
    else:
        board.wholes[NOT_STIFF, lane] += 1
        if board.wholes[NOT_STIFF, lane] == 6:
            board.wholes[STIFF, lane] = 0
    return board.wholes[STIFF, lane] >= 15 and (real[T_END] - board.reals[TIME, lane]) / h > real[STIFF_STEPS]


@kernel
def end_steps(code, board):
    """The ends of steps that are taken: projected, their slopes known."""
    bank, wanted = board.bank, board.wholes[FRESH]
    for k in range(bank.shape[1]):
        bank[TRIAL, k] -= bank[END, k]
    for lane in range(LANES):
        wanted[lane], board.wholes[LOST, lane] = board.wholes[TAKEN, lane], 0
    project(code, board, END, 1.0, TAKEN)
    slopes(code, board, END, 1.0, IN_K + STAGES)
    for lane in range(LANES):
        if wanted[lane] and (board.wholes[TAKEN, lane] == 0 or board.wholes[LOST, lane]):
            board.wholes[TAKEN, lane], board.wholes[BROKEN, lane] = 0, 1
        wanted[lane] = 0


@kernel
def adapt(board, lane, taken):
    """The lane's next step."""
    error, h = board.reals[ERROR, lane], board.reals[HERE, lane]
    if taken:
        growth = min(6.0, SAFETY / eighth_root(max(error, 1e-10)))
        if board.wholes[REJECTED, lane]:
            growth = min(growth, 1.0)
        if board.wholes[LAST, lane] == 0 or growth < 1.0:
            board.reals[LENGTH, lane] = h * growth
    elif board.wholes[BROKEN, lane]:
        board.reals[LENGTH, lane] = 0.25 * h
    elif np.isfinite(error) and error >= 1.0:
        board.reals[LENGTH, lane] = h * max(1.0 / 3.0, 0.9 / eighth_root(error))
    else:
        board.reals[LENGTH, lane] = 0.1 * h
    board.wholes[REJECTED, lane] = 0 if taken else 1


@kernel
def awaited(board, samples, lane):
    """Whether a sample lies inside the lane's step."""
    place = board.wholes[SAMPLED, lane]
    return place < samples.shape[0] and samples[place] < board.reals[NEXT, lane]


@kernel
def interpolate(code, board, samples):
    """The coefficients of all lanes' interpolants; a lane that needs its own and has none is given up."""
    bank = board.bank
    for lane in range(LANES):
        board.wholes[LOST, lane] = 0
    stages(code, board, STAGES + 1, 16)
    for lane in range(LANES):
        if board.wholes[LOST, lane] and board.wholes[TAKEN, lane] and awaited(board, samples, lane):
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
def take_samples(code, board, samples):
    """Samples inside the steps taken, each on the constraints; a lane that cannot is given up."""
    apart()
    bank, size, needed = board.bank, 2 * code.n, False
    for lane in range(LANES):
        needed |= board.wholes[TAKEN, lane] > 0 and awaited(board, samples, lane)
    if needed:
        interpolate(code, board, samples)
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


@kernel
def commit(code, board, samples, lane):
    """The end of a lane's step becomes the beginning of the next."""
    bank = board.bank
    while board.wholes[SAMPLED, lane] < samples.shape[0]:
        place = board.wholes[SAMPLED, lane]
        if samples[place] > board.reals[NEXT, lane]:
            break
        for i in range(2 * code.n):
            board.sampled[lane, place, i] = bank[END, i * LANES + lane]
        board.wholes[SAMPLED, lane] += 1
    for i in range(2 * code.n):
        k = i * LANES + lane
        bank[STATE, k], bank[IN_K, k] = bank[END, k], bank[IN_K + STAGES, k]
        bank[LARGEST, k] = max(bank[LARGEST, k], abs(bank[END, k]))
    board.reals[TIME, lane] = board.reals[NEXT, lane]


@kernel
def finish(code, board, plan, books, calls, mem, real, whole, samples, motions, lane):
    """A lane's motion is over: its columns, as of a single motion."""
    motion = board.wholes[MOTION, lane]
    alone(board, code, calls, mem, motions, lane, STATE)
    real[T], whole[SAMPLE] = board.reals[TIME, lane], board.wholes[SAMPLED, lane]
    books.energies[3] = board.reals[DRIFT, lane]
    close(1, plan, books, calls, mem, real, whole, samples, board.sampled[lane], motions, motion, FINISHED, -1)
    board.wholes[MOTION, lane] = -1


@kernel
def try_steps(code, board, plan, books, calls, mem, real, whole, samples, motions):
    """One step tried in every lane."""
    apart()
    choose_lengths(board, real)
    stages(code, board, 1, STAGES)
    errors(code, board, real[TOLERANCE])
    if judge(code, board, real) > 0:
        end_steps(code, board)
    for lane in range(LANES):
        last = board.wholes[LAST, lane] > 0
        board.reals[NEXT, lane] = real[T_END] if last else board.reals[TIME, lane] + board.reals[HERE, lane]
        if board.wholes[TAKEN, lane] and stiff(code, board, real, lane):
            board.wholes[TAKEN, lane], board.wholes[MOTION, lane] = 0, -1
        if board.wholes[MOTION, lane] >= 0:
            adapt(board, lane, board.wholes[TAKEN, lane] > 0)
    take_samples(code, board, samples)
    for lane in range(LANES):
        if board.wholes[TAKEN, lane] == 0:
            continue
        commit(code, board, samples, lane)
        if plan.drift:
            now = energy(board, code, plan, books, calls, mem, motions, lane, STATE)
            board.reals[DRIFT, lane] = max(board.reals[DRIFT, lane], abs(now - board.reals[START_ENERGY, lane]))
        if board.reals[TIME, lane] >= real[T_END]:
            finish(code, board, plan, books, calls, mem, real, whole, samples, motions, lane)


@kernel
def lanes_loop(code, board, plan, books, calls, mem, real, whole, samples, motions):
    for lane in range(LANES):
        board.wholes[MOTION, lane] = -1
    while motions.stop[0] == 0:
        busy, fresh = refill(board, code, motions, real)
        if busy == 0:
            return
        if fresh > 0:
            begin(code, board, real, plan, books, calls, mem, motions, samples)
        try_steps(code, board, plan, books, calls, mem, real, whole, samples, motions)
