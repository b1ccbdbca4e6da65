"""One lane's step, looked at by the functions of a single motion: events, watched quantities, energies, columns.

What a motion remembers from step to step (events so far, extremes, the books of guards) is kept by lane. Where nothing
is watched, `watching` is None, as `events` is where there are none: numba then leaves out what looks for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.compile.wide import LANES
from dalembert.simulate.advance import FINISHED, STOPPED_BY_EVENT, STOPS, find_events, followed, keep_events, see_guards
from dalembert.simulate.core import DENSE as BANK_DENSE
from dalembert.simulate.core import (
    EVENTS,
    EXCLUDED,
    FRESH,
    GREATEST,
    H_LIMIT,
    H_MAX,
    NARROWED,
    NEW,
    OLD,
    RANK_PHI,
    RANK_PSI,
    SAMPLE,
    T_END,
    T_NEW,
    T_START,
    H,
    T,
    apart,
    kernel,
    shortened,
)  # fmt: skip
from dalembert.simulate.ensemble import Books, close, energy_at, note_event
from dalembert.simulate.events import CROSSING
from dalembert.simulate.lanes import (
    DENSE,
    END,
    ENDED,
    LENGTH,
    LONGEST,
    MOTION,
    NEXT,
    SAMPLED,
    SHORTENED,
    STATE,
    TAKEN,
    TIME,
)  # fmt: skip
from dalembert.simulate.watch import Seen, begin_watch, count_in, look_at, watch_step


class Shelves(NamedTuple):
    """The books of every lane, and the memory in which one of them is looked at."""

    books: Books
    tally: np.ndarray
    first: np.ndarray
    energies: np.ndarray
    best: np.ndarray
    guards: np.ndarray  # of every guard its greatest size, and whether its root at the start is behind


def shelves_of(books: Books, guards: int) -> Shelves:
    def by_lane(array: np.ndarray) -> np.ndarray:
        return np.zeros((LANES, *array.shape), dtype=array.dtype)

    return Shelves(
        books, by_lane(books.tally), by_lane(books.first), by_lane(books.energies), by_lane(books.seen.best),
        np.zeros((LANES, max(guards, 1), 2)),
    )  # fmt: skip


@kernel
def books_of(shelves, lane):
    """A lane's books, as of a single motion."""
    own = shelves.books
    seen = Seen(own.seen.x, own.seen.out, own.seen.values, shelves.best[lane], own.seen.spans, own.seen.brackets)
    return Books(seen, own.out, shelves.tally[lane], shelves.first[lane], shelves.energies[lane])


@kernel
def alone(board, code, calls, mem, real, whole, motions, lane, row, to):
    """A lane's state and parameters into the memory of a single motion, on independent rows."""
    motion, inputs, count = board.wholes[MOTION, lane], mem.x.shape[0], motions.parameters.shape[1]
    for p in range(count):
        mem.x[inputs - count + p] = motions.parameters[motion, p]
    for i in range(calls.size):
        mem.bank[to, i] = board.bank[row, i * LANES + lane]
    real[T] = board.reals[TIME, lane]
    whole[RANK_PHI], whole[RANK_PSI] = code.holonomic, code.rows
    mem.w.rank[0], mem.w.rank[1] = code.rows, code.rows


@kernel
def open_books(watching, board, code, plan, shelves, calls, mem, real, whole, motions, lane):
    """A motion begins in a lane."""
    alone(board, code, calls, mem, real, whole, motions, lane, STATE, OLD)
    books = books_of(shelves, lane)
    for kind in range(books.tally.shape[0]):
        for index in range(books.tally.shape[1]):
            books.tally[kind, index] = 0
    for g in range(books.first.shape[0]):
        books.first[g, 0], books.first[g, 1] = np.nan, np.nan
    for g in range(shelves.guards.shape[1]):
        shelves.guards[lane, g, 0], shelves.guards[lane, g, 1] = 0.0, 0.0
    board.reals[LONGEST, lane], board.wholes[SHORTENED, lane] = real[H_LIMIT], 0
    if plan.drift:
        books.energies[2] = energy_at(plan, books, calls, mem, real[T], mem.bank[OLD])
        books.energies[3] = 0.0
    if watching is not None:
        begin_watch(1, calls, mem, plan.watch, books.seen, real[T], mem.bank[OLD])


@kernel
def see_events(board, shelves, calls, mem, real, whole, events, lane):
    """Events of a lane's step, which may be shortened or ended by them; False where the motion is to be given up."""
    own, books = shelves.guards[lane], books_of(shelves, lane)
    real[H_MAX], whole[NARROWED] = board.reals[LONGEST, lane], board.wholes[SHORTENED, lane]
    see_guards(None, calls, mem, real, whole)
    again = shortened(real, whole, followed(calls, mem))
    board.reals[LONGEST, lane], board.wholes[SHORTENED, lane] = real[H_MAX], whole[NARROWED]
    real[H_MAX] = real[H_LIMIT]
    if again:
        board.reals[LENGTH, lane], board.wholes[TAKEN, lane] = real[H], 0
        return True
    for g in range(calls.guard_count):
        mem.guards[g, GREATEST], mem.guards[g, EXCLUDED] = own[g, 0], own[g, 1]
    whole[FRESH] = 1 if real[T] == real[T_START] else 0
    whole[EVENTS] = 0
    count = find_events(None, calls, mem, real, whole)
    end, kind = keep_events(None, calls, mem, real, whole, count, events)
    for g in range(calls.guard_count):
        own[g, 0], own[g, 1] = mem.guards[g, GREATEST], mem.guards[g, EXCLUDED]
    for e in range(whole[EVENTS]):
        note_event(books, CROSSING, events[1][e, 0], events[0][e], events[1][e, 1])
    if end <= 1.0:
        for i in range(calls.size):
            board.bank[END, i * LANES + lane] = events[2][whole[EVENTS] - 1, i]
            mem.bank[NEW, i] = events[2][whole[EVENTS] - 1, i]
        board.reals[NEXT, lane] = real[T] + end * (real[T_NEW] - real[T])
        board.wholes[ENDED, lane] = STOPPED_BY_EVENT
        return kind == STOPS
    return True


@kernel
def look_closer(watching, board, code, plan, shelves, calls, mem, real, whole, events, motions, lane):
    """What lies between the ends of a lane's step."""
    apart()
    alone(board, code, calls, mem, real, whole, motions, lane, STATE, OLD)
    alone(board, code, calls, mem, real, whole, motions, lane, END, NEW)
    for row in range(8):
        for i in range(calls.size):
            mem.bank[BANK_DENSE + row, i] = board.bank[DENSE + row, i * LANES + lane]
    real[T_NEW] = board.reals[NEXT, lane]
    if events is not None:
        if not see_events(board, shelves, calls, mem, real, whole, events, lane):
            board.wholes[TAKEN, lane], board.wholes[MOTION, lane] = 0, -1
    if watching is not None:
        if board.wholes[TAKEN, lane] > 0:
            t, h = real[T], real[T_NEW] - real[T]
            end = min((board.reals[NEXT, lane] - t) / h, 1.0)
            seen = books_of(shelves, lane).seen
            watch_step(1, calls, mem, real, whole, plan.watch, seen, t, h, end, t == real[T_START])
            look_at(1, calls, mem, plan.watch, seen, board.reals[NEXT, lane], mem.bank[NEW])
            count_in(plan.watch, seen)


@kernel
def go_on(board, code, plan, shelves, calls, mem, real, whole, samples, motions, lane):
    """After a lane's step: its energy; and if the motion is over, its columns, as of a single motion."""
    books = books_of(shelves, lane)
    alone(board, code, calls, mem, real, whole, motions, lane, STATE, OLD)
    if plan.drift:
        change = abs(energy_at(plan, books, calls, mem, real[T], mem.bank[OLD]) - books.energies[2])
        books.energies[3] = max(books.energies[3], change)
    status = board.wholes[ENDED, lane]
    if status == 0 and real[T] >= real[T_END]:
        status = FINISHED
    if status > 0:
        whole[SAMPLE] = board.wholes[SAMPLED, lane]
        motion = board.wholes[MOTION, lane]
        close(1, plan, books, calls, mem, real, whole, samples, board.sampled[lane], motions, motion, status, -1)
        board.wholes[MOTION, lane] = -1
