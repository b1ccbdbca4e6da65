"""Many motions in machine code, by threads that claim them one by one: no Python for a motion, no memory either.

Each thread has the memory of one motion and clears it before the next, so a motion's bits depend on nothing but itself.
It is stepped through the entry that a single motion goes through (`advance`, `hybrid_advance`), in the same chunks.
What is kept of it is looked up in a plan: columns are values of functions at the end or at samples, extrema and
crossings that were watched, counts and first times of events, the greatest change of energy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulate.advance import CONTINUE, FINISHED, NEED_BUFFERS, STOPPED_BY_EVENT
from dalembert.simulate.core import (
    EVENTS,
    FRESH,
    OLD,
    RANK_PHI,
    RANK_PSI,
    RECORDED,
    ROW,
    SAMPLE,
    STEPS,
    T_END,
    T_START,
    H,
    K,
    T,
    apart,
    call,
    kernel,
    load,
)  # fmt: skip
from dalembert.simulate.events import CROSSING
from dalembert.simulate.hybrid import SAME_INSTANT, STUCK
from dalembert.simulate.table import CONTACT, FRICTION
from dalembert.simulate.through import claim, through
from dalembert.simulate.watch import Seen, Watch, begin_watch, count_in, extended, look_at, watch_step

WAITING, INTERRUPTED = -2, -1  # statuses before and besides those of the steppers
STALLED, PATIENCE = 1e-9, 20_000  # of `hybrid_drive`
KINDS = 7  # of events
# what fills a column: its kind, and up to two places
FINAL, AT, WATCHED, FIRST, COUNTED, DRIFT = range(6)
# what is kept of a motion that failed: time, row, step, guard; then its state, slope, and where an evaluation failed
NOTE_T, NOTE_ROW, NOTE_H, NOTE_GUARD, NOTES = range(5)


class Plan(NamedTuple):
    """What is kept of every motion."""

    advance: int  # address of the entry that steps
    chunk: int  # steps a call
    growth: int  # of the chunk from call to call
    most: int
    function: int  # of the quantities at the end and at samples, of x, accelerations and multipliers
    data: int
    forces: bool
    energy: int  # kinetic and potential
    energy_data: int
    drift: bool
    columns: np.ndarray  # kind and two places for each
    counted: np.ndarray  # for every count: which kinds and indices of events belong to it
    watch: Watch


class Books(NamedTuple):
    """A thread's own notes on the motion at hand."""

    seen: Seen
    out: np.ndarray
    tally: np.ndarray  # events by kind and index
    first: np.ndarray  # time of the first crossing by guard: falling, rising
    energies: np.ndarray  # what the function gave; at the start; the greatest change


class Motions(NamedTuple):
    """What threads share, a row for each motion."""

    parameters: np.ndarray
    states: np.ndarray  # consistent ones at the start; in their place those at the end
    ends: np.ndarray  # times reached
    status: np.ndarray
    values: np.ndarray
    notes: np.ndarray
    kept: np.ndarray  # states at the samples and at the end, where the forces there are to be found in Python
    kept_modes: np.ndarray
    claimed: np.ndarray
    stop: np.ndarray


@kernel
def clear(array):
    """All of an array of one, two or three dimensions."""
    flat = array.reshape(array.size)
    for i in range(flat.shape[0]):
        flat[i] = 0


@kernel
def reset(calls, mem, real, whole, template, motions, books, motion):
    """The thread's memory as if it were new, with one motion's numbers."""
    clear(mem.x)
    clear(mem.bad)
    clear(mem.outs)
    clear(mem.bank)
    clear(mem.guards)
    clear(mem.crossings)
    clear(mem.w.matrices)
    clear(mem.w.vectors)
    clear(mem.w.places)
    mem.w.rank[0], mem.w.rank[1] = -1, -1
    clear(whole)
    whole[FRESH], whole[RANK_PHI], whole[RANK_PSI] = 1, -1, -1
    for i in range(real.shape[0]):
        real[i] = template[i]
    count, inputs = motions.parameters.shape[1], mem.x.shape[0]
    for p in range(count):
        mem.x[inputs - count + p] = motions.parameters[motion, p]
    for i in range(calls.size):
        mem.bank[OLD, i] = motions.states[motion, i]
    clear(books.tally)
    for g in range(books.first.shape[0]):
        books.first[g, 0], books.first[g, 1] = np.nan, np.nan


@kernel
def energy_at(plan, books, calls, mem, t, y):
    load(calls, mem, t, y)
    call(plan.energy, books.energies.ctypes.data, mem.x.ctypes.data, plan.energy_data)
    return books.energies[0] + books.energies[1]


@kernel
def begin_books(surface, plan, books, calls, mem, real):
    if plan.drift:
        books.energies[2] = energy_at(plan, books, calls, mem, real[T], mem.bank[OLD])
        books.energies[3] = 0.0
    if plan.watch.what.shape[0] > 0:
        begin_watch(surface, calls, mem, plan.watch, books.seen, real[T], mem.bank[OLD])


@kernel
def follow(surface, plan, books, calls, mem, real, whole, recorded, first):
    """After a call that may have made a step: watch it, and the state that it left."""
    apart()
    if plan.watch.what.shape[0] > 0 and whole[RECORDED] > 0:
        t, h = recorded[0, 0], recorded[0, 1] - recorded[0, 0]
        end = min((real[T] - t) / h, 1.0)
        watch_step(surface, calls, mem, real, whole, plan.watch, books.seen, t, h, end, first)
        look_at(surface, calls, mem, plan.watch, books.seen, real[T], mem.bank[OLD])
        count_in(plan.watch, books.seen)
    if plan.drift:
        change = abs(energy_at(plan, books, calls, mem, real[T], mem.bank[OLD]) - books.energies[2])
        books.energies[3] = max(books.energies[3], change)
    whole[RECORDED] = 0


@kernel
def note_event(books, kind, index, t, side):
    if index < books.tally.shape[1]:
        books.tally[kind, index] += 1
    if kind == CROSSING and index < books.first.shape[0]:
        direction = 1 if side > 0 else 0
        if not books.first[index, direction] <= t:
            books.first[index, direction] = t


@kernel
def count_of(plan, books, which):
    count = 0
    for kind in range(books.tally.shape[0]):
        for index in range(books.tally.shape[1]):
            count += plan.counted[which, kind, index] * books.tally[kind, index]
    return float(count)


@kernel
def first_of(books, guard, direction):
    """The first crossing; direction 0 is either way."""
    falls, rises = books.first[guard, 0], books.first[guard, 1]
    if direction > 0:
        return rises
    if direction < 0 or np.isnan(rises):
        return falls
    return rises if not falls < rises else falls


@kernel
def fill_states(surface, plan, books, calls, mem, motions, motion, t, y, kind, sample):
    """Columns that are values at one state."""
    known = extended(surface, calls, mem, books.seen.x, plan.forces, False, t, y)
    if known:
        call(plan.function, books.out.ctypes.data, books.seen.x.ctypes.data, plan.data)
    for c in range(plan.columns.shape[0]):
        if plan.columns[c, 0] == kind and (kind == FINAL or plan.columns[c, 2] == sample):
            motions.values[motion, c] = books.out[plan.columns[c, 1]] if known else np.nan


@kernel
def fill(surface, plan, books, calls, mem, real, whole, samples, sampled, motions, motion):
    """The columns of a motion that came to its end."""
    apart()
    finals, ats = False, False
    for c in range(plan.columns.shape[0]):
        kind, place, more = plan.columns[c, 0], plan.columns[c, 1], plan.columns[c, 2]
        if kind == WATCHED:
            best = books.seen.best[place]
            motions.values[motion, c] = best if np.isfinite(best) else np.nan
        elif kind == FIRST:
            motions.values[motion, c] = first_of(books, place, more)
        elif kind == COUNTED:
            motions.values[motion, c] = count_of(plan, books, place)
        elif kind == DRIFT:
            motions.values[motion, c] = books.energies[3]
        finals |= kind == FINAL
        ats |= kind == AT
    end = mem.bank[OLD]
    for sample in range(whole[SAMPLE] if ats else 0):
        fill_states(surface, plan, books, calls, mem, motions, motion, samples[sample], sampled[sample], AT, sample)
    if finals:
        fill_states(surface, plan, books, calls, mem, motions, motion, real[T], end, FINAL, 0)


@kernel
def close(surface, plan, books, calls, mem, real, whole, samples, sampled, motions, motion, status, guard):
    """A motion is over: its columns, or what its sentence needs."""
    apart()
    size = calls.size
    motions.status[motion], motions.ends[motion] = status, real[T]
    if status in (FINISHED, STOPPED_BY_EVENT):
        fill(surface, plan, books, calls, mem, real, whole, samples, sampled, motions, motion)
    elif status != INTERRUPTED:
        notes = motions.notes[motion]
        notes[NOTE_T], notes[NOTE_ROW], notes[NOTE_H], notes[NOTE_GUARD] = real[T], whole[ROW], real[H], guard
        for i in range(size):
            notes[NOTES + i], notes[NOTES + size + i] = mem.bank[OLD, i], mem.bank[K, i]
        failed = False
        for i in range(mem.bad.shape[0]):
            failed |= mem.bad[i] != 0.0
        for i in range(mem.bad.shape[0]):
            notes[NOTES + 2 * size + i] = mem.bad[i] if failed else mem.x[i]
    for i in range(size):
        motions.states[motion, i] = mem.bank[OLD, i]


@kernel
def smooth_motion(surface, plan, books, method, calls, mem, real, whole, samples, sampled, events, recorded, stop):
    """One motion without contacts, to its end; the status, and the guard that fell where a mass did."""
    steps, guard, first = plan.chunk, -1, True
    begin_books(surface, plan, books, calls, mem, real)
    while True:
        status = through(plan.advance, (method, calls, mem, real, whole, samples, sampled, events, recorded, steps))
        if events is not None:
            for e in range(whole[EVENTS]):
                guard = events[1][e, 0]
                note_event(books, CROSSING, guard, events[0][e], events[1][e, 1])
            whole[EVENTS] = 0
        follow(surface, plan, books, calls, mem, real, whole, recorded, first)
        first = first and real[T] == real[T_START]
        if status != CONTINUE and status != NEED_BUFFERS:
            return status, guard
        if stop[0] != 0:
            return INTERRUPTED, guard


@kernel
def smooth_loop(
    surface, plan, books, method, calls, mem, real, whole, template, samples, sampled, events, recorded, motions
):
    while motions.stop[0] == 0:
        motion = claim(motions.claimed.ctypes.data)
        if motion >= motions.status.shape[0]:
            return
        if motions.status[motion] != WAITING:
            continue
        reset(calls, mem, real, whole, template, motions, books, motion)
        status, guard = smooth_motion(
            surface, plan, books, method, calls, mem, real, whole, samples, sampled, events, recorded, motions.stop
        )
        close(surface, plan, books, calls, mem, real, whole, samples, sampled, motions, motion, status, guard)


@kernel
def reset_table(mem):
    """What contacts need beside the steppers' memory, as if it were new."""
    clear(mem.tab.wholes)
    clear(mem.tab.reals)
    clear(mem.tab.squares)
    clear(mem.tab.levers)
    clear(mem.tab.responses)
    clear(mem.tab.tableau)
    clear(mem.tab.tangents)
    clear(mem.tab.F)
    clear(mem.values)
    clear(mem.hits)


@kernel
def hybrid_motion(plan, books, base, mem, real, whole, samples, sampled, modes, events, recorded, stop):
    """One motion with contacts, to its end, with the driver's care for what keeps changing without time going on."""
    steps, first = plan.chunk, True
    reached, made, at_once, last = real[T], 0, 0, -np.inf
    begin_books(None, plan, books, base, mem, real)
    while True:
        status = through(plan.advance, (base, mem, real, whole, samples, sampled, modes, events, recorded, steps))
        steps = min(steps * plan.growth, plan.most)
        for e in range(whole[EVENTS]):
            note_event(books, events[0][e, 0], events[0][e, 1], events[1][e, 0], events[1][e, 3])
        whole[EVENTS] = 0
        if recorded.shape[0] > 0:  # a call is a step
            at_once = at_once + 1 if real[T] == last else 0
            last = real[T]
        follow(None, plan, books, base, mem, real, whole, recorded, first)
        first = first and real[T] == real[T_START]
        if status != CONTINUE and status != NEED_BUFFERS:
            return status
        if stop[0] != 0:
            return INTERRUPTED
        if at_once > SAME_INSTANT:
            return STUCK
        if real[T] - reached > STALLED * (real[T_END] - real[T_START]):
            reached, made = real[T], whole[STEPS]
        elif whole[STEPS] - made > PATIENCE:
            return STUCK


@kernel
def keep_states(calls, mem, real, whole, sampled, modes, motions, motion, contacts, frictions):
    """States and modes at the samples and at the end."""
    reached, last = whole[SAMPLE], motions.kept.shape[1] - 1
    for i in range(calls.size):
        for sample in range(reached):
            motions.kept[motion, sample, i] = sampled[sample, i]
        motions.kept[motion, last, i] = mem.bank[OLD, i]
    for sample in range(reached):
        motions.kept_modes[motion, sample, 0] = 1
        for i in range(contacts + frictions):
            motions.kept_modes[motion, sample, 1 + i] = modes[sample, i]
    motions.kept_modes[motion, last, 0] = 1
    for i in range(contacts):
        motions.kept_modes[motion, last, 1 + i] = mem.tab.wholes[CONTACT, i]
    for j in range(frictions):
        motions.kept_modes[motion, last, 1 + contacts + j] = mem.tab.wholes[FRICTION, j]


@kernel
def hybrid_loop(plan, books, base, mem, real, whole, template, samples, sampled, modes, events, recorded, motions):
    while motions.stop[0] == 0:
        motion = claim(motions.claimed.ctypes.data)
        if motion >= motions.status.shape[0]:
            return
        if motions.status[motion] != WAITING:
            continue
        reset(base, mem, real, whole, template, motions, books, motion)
        reset_table(mem)
        status = hybrid_motion(
            plan, books, base, mem, real, whole, samples, sampled, modes, events, recorded, motions.stop
        )
        close(None, plan, books, base, mem, real, whole, samples, sampled, motions, motion, status, whole[ROW])
        if motions.kept.shape[0] > 0:
            keep_states(
                base, mem, real, whole, sampled, modes, motions, motion, base.laws.contacts, base.laws.frictions
            )
