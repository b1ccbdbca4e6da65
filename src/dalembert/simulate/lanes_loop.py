"""Several smooth motions at once, one in each lane of vectors, every lane with steps of its own.

All lanes try a step together; each accepts or rejects its own, and takes a new motion when it ends. Only what goes well
is done here: a motion that meets anything else (a singular matrix, a lost constraint, a step that becomes too small,
stiffness) is left as it was for the steppers that know what to do.
"""

from __future__ import annotations

import numpy as np

from dalembert.compile.wide import LANES
from dalembert.simulate.core import STIFF_STEPS, T_END, T_START, TOLERANCE, apart, kernel
from dalembert.simulate.dop853 import FLOOR, LEAP, SAFETY, TOO_LARGE
from dalembert.simulate.ensemble import WAITING
from dalembert.simulate.lanes import (
    BROKEN,
    END,
    ERROR,
    FRESH,
    HERE,
    IN_K,
    LARGEST,
    LAST,
    LENGTH,
    LONGEST,
    LOST,
    MOTION,
    NEXT,
    NOT_STIFF,
    REJECTED,
    SAMPLED,
    STATE,
    STEP,
    STIFF,
    SUM,
    TAKEN,
    TIME,
    TRIAL,
    WHOLES,
    eighth_root,
    errors,
    first_lengths,
    interpolate,
    project,
    slopes,
    stages,
    take_samples,
)  # fmt: skip
from dalembert.simulate.lanes_look import go_on, look_closer, open_books
from dalembert.simulate.tableau import STAGES
from dalembert.simulate.through import claim


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
def begin(watching, code, board, real, whole, plan, shelves, calls, mem, motions, samples):
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
        open_books(watching, board, code, plan, shelves, calls, mem, real, whole, motions, lane)
    first_lengths(code, board, real)
    for lane in range(LANES):
        if board.wholes[LOST, lane] and board.wholes[FRESH, lane]:
            board.reals[LENGTH, lane] = 0.01 * board.reals[HERE, lane]


@kernel
def choose_lengths(board, real):
    """How long each lane's step is to be; lanes whose step became too small are given up."""
    for lane in range(LANES):
        t, h = board.reals[TIME, lane], min(board.reals[LENGTH, lane], board.reals[LONGEST, lane])
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
def end_steps(code, board, tolerance):
    """The ends of steps that are taken: projected, their slopes known."""
    bank, wanted = board.bank, board.wholes[FRESH]
    for k in range(bank.shape[1]):
        bank[TRIAL, k] -= bank[END, k]
        bank[SUM, k] = bank[END, k]
    for lane in range(LANES):
        wanted[lane], board.wholes[LOST, lane] = board.wholes[TAKEN, lane], 0
    project(code, board, END, 1.0, TAKEN)
    for k in range(2 * code.n * LANES if code.rows > 0 else 0):  # as `dop853.leaps`
        scale = tolerance * max(bank[LARGEST, k], abs(bank[SUM, k]), FLOOR)
        if not abs(bank[END, k] - bank[SUM, k]) <= LEAP * scale:
            board.wholes[TAKEN, k % LANES] = 0
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
def try_steps(watching, code, board, plan, shelves, calls, mem, real, whole, samples, events, motions):
    """One step tried in every lane."""
    apart()
    choose_lengths(board, real)
    stages(code, board, 1, STAGES)
    errors(code, board, real[TOLERANCE])
    if judge(code, board, real) > 0:
        end_steps(code, board, real[TOLERANCE])
    for lane in range(LANES):
        last = board.wholes[LAST, lane] > 0
        board.reals[NEXT, lane] = real[T_END] if last else board.reals[TIME, lane] + board.reals[HERE, lane]
        if board.wholes[TAKEN, lane] and stiff(code, board, real, lane):
            board.wholes[TAKEN, lane], board.wholes[MOTION, lane] = 0, -1
        if board.wholes[MOTION, lane] >= 0:
            adapt(board, lane, board.wholes[TAKEN, lane] > 0)
    if watching is not None or events is not None:
        interpolate(code, board, samples, True)
        for lane in range(LANES):
            if board.wholes[TAKEN, lane]:
                look_closer(watching, board, code, plan, shelves, calls, mem, real, whole, events, motions, lane)
        take_samples(code, board, samples, True)
    else:
        take_samples(code, board, samples, False)
    for lane in range(LANES):
        if board.wholes[TAKEN, lane]:
            commit(code, board, samples, lane)
            go_on(board, code, plan, shelves, calls, mem, real, whole, samples, motions, lane)


@kernel
def lanes_loop(watching, code, board, plan, shelves, calls, mem, real, whole, samples, events, motions):
    for lane in range(LANES):
        board.wholes[MOTION, lane] = -1
    while motions.stop[0] == 0:
        busy, fresh = refill(board, code, motions, real)
        if busy == 0:
            return
        if fresh > 0:
            begin(watching, code, board, real, whole, plan, shelves, calls, mem, motions, samples)
        try_steps(watching, code, board, plan, shelves, calls, mem, real, whole, samples, events, motions)
