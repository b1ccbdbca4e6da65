"""The loop over steps: events, samples and records of each, until something has to be said to Python.

One compiled entry serves every model and both steppers; it returns a status and is called again to go on.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate import dop853, gauss, roots
from dalembert.simulate.core import (
    DENSE,
    EVENTS,
    EXCLUDED,
    FRESH,
    FROM_GUARDS,
    GREATEST,
    LARGEST,
    NEW,
    OLD,
    RECORDED,
    SAMPLE,
    SEEN,
    STIFF,
    T_END,
    T_NEW,
    K,
    T,
    apart,
    call,
    evaluate,
    kernel,
    load,
    project,
    share,
    shortened,
)  # fmt: skip
from dalembert.simulate.dop853 import IS_STIFF, dense_at, dop853_step
from dalembert.simulate.gauss import gauss_step, symmetric_step
from dalembert.simulate.linear import DONE
from dalembert.simulate.parts import entry, stamp
from dalembert.simulate.roots import NODES, PLACES, apart_by, isolate, next_place, resolved

share(roots.SHARED)

FINISHED, CONTINUE, NEED_BUFFERS, STOPPED_BY_EVENT, MASS_NEGATIVE = 10, 11, 12, 13, 14
# The stepper by type, so that numba leaves the other one out: None is DOP853.
DOP853, GAUSS = None, 1
RECORDED_ONLY, STOPS, FAILS = 0, 1, 2


@kernel
def state_at(method, calls, mem, real, whole, s, out):
    """The state at the fraction s of the step just made, on the constraints."""
    apart()
    bank = mem.bank
    t = real[T] + s * (real[T_NEW] - real[T])
    if s >= 1.0:
        for i in range(calls.size):
            out[i] = bank[NEW, i]
        return True
    if method is not None:
        if s <= 0.0:
            for i in range(calls.size):
                out[i] = bank[OLD, i]
            return True
        return symmetric_step(calls, mem, real, whole, t - real[T], out) == DONE
    dense_at(mem, s, calls.size, out)
    return project(calls, mem, real, whole, t, out)


@kernel
def guard_at(method, calls, mem, real, whole, s, index):
    """One guard at the fraction s of the step."""
    apart()
    bank, out = mem.bank, mem.outs[FROM_GUARDS]
    state_at(method, calls, mem, real, whole, s, bank[SEEN])
    load(calls, mem, real[T] + s * (real[T_NEW] - real[T]), bank[SEEN])
    call(calls.guards, out.ctypes.data, mem.x.ctypes.data, calls.guards_data)
    return out[index]


@kernel
def see_guards(method, calls, mem, real, whole):
    """Every guard at every node of the step, for `isolate`."""
    bank, out = mem.bank, mem.outs[FROM_GUARDS]
    h = real[T_NEW] - real[T]
    for node in range(NODES):
        if method is not None:
            state_at(method, calls, mem, real, whole, PLACES[node], bank[SEEN])
        elif node == NODES - 1:
            for i in range(calls.size):
                bank[SEEN, i] = bank[NEW, i]
        else:
            dense_at(mem, PLACES[node], calls.size, bank[SEEN])
        load(calls, mem, real[T] + PLACES[node] * h, bank[SEEN])
        call(calls.guards, out.ctypes.data, mem.x.ctypes.data, calls.guards_data)
        for g in range(calls.guard_count):
            mem.guards[g, node] = out[g]


@kernel
def refine(method, calls, mem, real, whole, g, a, b, at_a, at_b):
    """The root between the fractions a and b, to rounding of time."""
    apart()
    t, h = real[T], real[T_NEW] - real[T]
    x1, f1, x2, f2, x3, f3 = b, at_b, a, at_a, a, at_a
    for _ in range(200):
        if f1 == 0.0 or f2 == 0.0:
            return x1 if f1 == 0.0 else x2
        least = apart_by(t, h, x1, x2)
        s = next_place(x1, f1, x2, f2, x3, f3, least)
        if abs(x2 - x1) <= 2.1 * least or s in (x1, x2):
            break
        value = guard_at(method, calls, mem, real, whole, s, g)
        if (value >= 0.0) == (f1 >= 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = s, value
    return max(x1, x2)


@kernel
def one_root(method, calls, mem, real, whole, g, a, b):
    """The root that the interpolant has between a and b, on the motion itself; negative where there is none."""
    at_a = guard_at(method, calls, mem, real, whole, a, g)
    at_b = guard_at(method, calls, mem, real, whole, b, g)
    if a == 0.0 and mem.guards[g, EXCLUDED] != 0.0:
        at_a = -at_b  # the root at the beginning was divided out: what counts is the side on which it is left
        a = min(1e-3 * b, 1e-9)
    if (at_a >= 0.0) == (at_b >= 0.0):  # the interpolant and the guard disagree: a guard that is not smooth
        for node in range(NODES - 1):
            if PLACES[node] <= a and b <= PLACES[node + 1]:
                a, b = PLACES[node], PLACES[node + 1]
                at_a, at_b = mem.guards[g, node], mem.guards[g, node + 1]
        if (at_a >= 0.0) == (at_b >= 0.0):
            return -1.0
    return refine(method, calls, mem, real, whole, g, a, b, at_a, at_b)


@kernel
def followed(calls, mem):
    """Whether the polynomials through the nodes are the guards."""
    for g in range(calls.guard_count):
        if not resolved(mem.guards[g]):
            return False
    return True


@kernel
def find_events(method, calls, mem, real, whole):
    """All crossings of all guards in the step, into crossings as (fraction, guard, direction) in order; how many."""
    count = 0
    crossings, brackets = mem.crossings[: calls.guard_count * NODES], mem.crossings[calls.guard_count * NODES :]
    for g in range(calls.guard_count):
        low, high = np.inf, -np.inf
        for node in range(NODES):
            low, high = min(low, mem.guards[g, node]), max(high, mem.guards[g, node])
        mem.guards[g, GREATEST] = max(mem.guards[g, GREATEST], abs(low), abs(high))
        if whole[FRESH] and mem.guards[g, 0] == 0.0:
            mem.guards[g, EXCLUDED] = 1.0
        if not max(abs(low), abs(high)) > 1e-13 * mem.guards[g, GREATEST]:
            continue  # zero throughout: rounding has signs, but no crossings
        found = isolate(mem.guards[g], mem.guards[g, EXCLUDED] != 0.0, mem.stack, brackets)
        for r in range(found):
            s = one_root(method, calls, mem, real, whole, g, brackets[r, 0], brackets[r, 1])
            if s < 0.0 or count >= crossings.shape[0]:
                continue
            place = count
            while place > 0 and crossings[place - 1, 0] > s:
                for c in range(3):
                    crossings[place, c] = crossings[place - 1, c]
                place -= 1
            after = guard_at(method, calls, mem, real, whole, brackets[r, 1], g)
            crossings[place, 0], crossings[place, 1] = s, float(g)
            crossings[place, 2] = 1.0 if after >= 0.0 else -1.0
            count += 1
        mem.guards[g, EXCLUDED] = 0.0
    return count


@kernel
def take_samples(method, calls, mem, real, whole, samples, sampled, until):
    """The requested times up to `until`, each on the constraints."""
    h = real[T_NEW] - real[T]
    while whole[SAMPLE] < samples.shape[0] and samples[whole[SAMPLE]] <= until:
        at = samples[whole[SAMPLE]]
        s = 1.0 if at >= real[T_NEW] else (at - real[T]) / h
        if not state_at(method, calls, mem, real, whole, s, sampled[whole[SAMPLE]]):
            return False
        whole[SAMPLE] += 1
    return True


@kernel
def keep_events(method, calls, mem, real, whole, count, events):
    """Events into the buffers up to the first that ends the motion; the fraction of that one and its kind, else 2."""
    crossings = mem.crossings
    event_times, event_marks, event_states = events
    for r in range(count):
        s, g = crossings[r, 0], int(crossings[r, 1])
        kind = calls.guard_kinds[g]
        if kind == FAILS and crossings[r, 2] > 0.0:
            continue
        e = whole[EVENTS]
        event_times[e] = real[T] + s * (real[T_NEW] - real[T])
        event_marks[e, 0], event_marks[e, 1] = g, int(crossings[r, 2])
        state_at(method, calls, mem, real, whole, s, event_states[e])
        whole[EVENTS] += 1
        if kind != RECORDED_ONLY:
            return s, kind
    return 2.0, 0


@kernel
def commit(calls, mem, real, whole, record, recorded):
    """The end of the step becomes the beginning of the next."""
    bank = mem.bank
    if record:
        r = whole[RECORDED]
        recorded[r, 0], recorded[r, 1] = real[T], real[T_NEW]
        for c in range(8):
            for i in range(calls.size):
                recorded[r, 2 + c * calls.size + i] = bank[DENSE + c, i]
        whole[RECORDED] += 1
    for i in range(calls.size):
        bank[OLD, i] = bank[NEW, i]
        bank[K, i] = bank[K + 12, i]
        bank[LARGEST, i] = max(bank[LARGEST, i], abs(bank[NEW, i]))
    real[T] = real[T_NEW]
    whole[FRESH] = 0


@kernel
def begin(calls, mem, real, whole, samples, sampled):
    """The state at the start: projected, its slope taken, samples at that instant written."""
    bank = mem.bank
    if not project(calls, mem, real, whole, real[T], bank[OLD]):
        return dop853.PROJECTION_FAILED
    for i in range(calls.size):
        bank[LARGEST, i] = max(bank[LARGEST, i], abs(bank[OLD, i]))
    while whole[SAMPLE] < samples.shape[0] and samples[whole[SAMPLE]] <= real[T]:
        for i in range(calls.size):
            sampled[whole[SAMPLE], i] = bank[OLD, i]
        whole[SAMPLE] += 1
    return evaluate(calls, mem, whole, real[T], bank[OLD], False, bank[K])


@kernel
def loop(method, calls, mem, real, whole, samples, sampled, events, recorded, most):
    bank = mem.bank
    record = recorded.shape[0] > 0
    if whole[FRESH] == 1:
        status = begin(calls, mem, real, whole, samples, sampled)
        if status != DONE:
            return status
        whole[FRESH] = 2
    for _ in range(most):
        if real[T] >= real[T_END]:
            return FINISHED
        if record and whole[RECORDED] >= recorded.shape[0]:
            return NEED_BUFFERS
        if events is not None and events[0].shape[0] - whole[EVENTS] < calls.guard_count * NODES:
            return NEED_BUFFERS
        if method is not None:
            status = gauss_step(calls, mem, real, whole)
        else:
            always = calls.guard_count > 0 or record
            sample = samples[whole[SAMPLE]] if whole[SAMPLE] < samples.shape[0] else np.inf
            status = dop853_step(calls, mem, real, whole, -np.inf if always else sample)
        if status != DONE and status != IS_STIFF:
            return status
        end, kind = 2.0, 0
        if events is not None:
            see_guards(method, calls, mem, real, whole)
            if method is None and shortened(real, whole, followed(calls, mem)):
                continue
            count = find_events(method, calls, mem, real, whole)
            end, kind = keep_events(method, calls, mem, real, whole, count, events)
        until = real[T_NEW] if end > 1.0 else real[T] + end * (real[T_NEW] - real[T])
        if not take_samples(method, calls, mem, real, whole, samples, sampled, until):
            return dop853.PROJECTION_FAILED
        if events is not None and end <= 1.0:
            for i in range(calls.size):
                bank[NEW, i] = events[2][whole[EVENTS] - 1, i]
            commit(calls, mem, real, whole, record, recorded)
            real[T] = until
            return STOPPED_BY_EVENT if kind == STOPS else MASS_NEGATIVE
        commit(calls, mem, real, whole, record, recorded)
        if status == IS_STIFF:
            whole[STIFF] = 0
            return IS_STIFF
    return FINISHED if real[T] >= real[T_END] else CONTINUE


def _entry(mark):  # type: ignore[no-untyped-def]
    @entry
    def advance(method, calls, mem, real, whole, samples, sampled, events, recorded, most):
        if mark < 0:
            return CONTINUE
        return loop(method, calls, mem, real, whole, samples, sampled, events, recorded, most)

    return advance


advance = _entry(stamp(dop853, gauss, roots))
