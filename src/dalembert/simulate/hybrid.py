"""The loop over steps and events of a motion with contacts and frictions, in machine code.

A motion goes on in a mode until a guard of that mode reaches zero from above:
    open contact g ↓ 0;  closed contact λ ↓ 0;  sticking (μ_s N)² − |R|² ↓ 0;  slipping c·d ↓ 0, planar |c|² − ε² ↓ 0
All roots of every guard inside a step are isolated; the earliest ends the step. What begins an event at zero (the gap
after its impact, the slip as it starts) is divided out of the next step's guard, so it cannot trigger again.
Zeno: flight times of a contact that decay geometrically by r end at t + Δt r/(1 − r); the contact closes.
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.advance import CONTINUE, FINISHED, MASS_NEGATIVE, NEED_BUFFERS, STOPPED_BY_EVENT, commit
from dalembert.simulate.core import (
    EVENTS,
    FRESH,
    H_LIMIT,
    LARGEST,
    NEW,
    OLD,
    RANK_PHI,
    RANK_PSI,
    RECORDED,
    ROW,
    SAMPLE,
    T_END,
    T_NEW,
    TRY,
    H,
    K,
    T,
    apart,
    evaluate,
    kernel,
    project,
)  # fmt: skip
from dalembert.simulate.dop853 import IS_STIFF, PROJECTION_FAILED, dense_at, dop853_step
from dalembert.simulate.events import CROSSING, record_event
from dalembert.simulate.guards import FAILS, ends, guard_count, needs_forces, search
from dalembert.simulate.happenings import creep_on, first_mode, happen, read_hits
from dalembert.simulate.linear import DONE
from dalembert.simulate.modes import in_mode
from dalembert.simulate.roots import NODES
from dalembert.simulate.table import CONTACT, COUNTS, FRICTION, KNOWN, POWER

STUCK = 26
SAME_INSTANT = 200  # events at one instant after which a motion is stuck
FAR = 0.1  # an event before this part of a step shows that the step was far too long
SHORTEST = 1e-6  # of the longest step: the next one is no shorter


@kernel
def mark_mode(calls, mem, out):
    for i in range(calls.laws.contacts):
        out[i] = mem.tab.wholes[CONTACT, i]
    for j in range(calls.laws.frictions):
        out[calls.laws.contacts + j] = mem.tab.wholes[FRICTION, j]


@kernel
def state_at(calls, mem, real, whole, s, out):
    """The state at the fraction s of the step just made, on the constraints of its mode."""
    apart()
    if s >= 1.0:
        for i in range(calls.size):
            out[i] = mem.bank[NEW, i]
        return True
    dense_at(mem, s, calls.size, out)
    return project(calls, mem, real, whole, real[T] + s * (real[T_NEW] - real[T]), out)


@kernel
def take_samples(calls, mem, real, whole, samples, sampled, modes, until, inclusive):
    """Samples of the step just made, up to `until`."""
    h = real[T_NEW] - real[T]
    while whole[SAMPLE] < samples.shape[0]:
        at, place = samples[whole[SAMPLE]], whole[SAMPLE]
        if at > until or (at == until and not inclusive):
            return True
        s = 1.0 if at >= real[T_NEW] else (at - real[T]) / h
        if not state_at(calls, mem, real, whole, s, sampled[place]):
            return False
        mark_mode(calls, mem, modes[place])
        whole[SAMPLE] += 1
    return True


@kernel
def resume(calls, mem, real, whole, samples, sampled, modes):
    """The state in its new mode: projected, its slope taken, samples at this very instant written."""
    apart()
    bank = mem.bank
    whole[RANK_PHI], whole[RANK_PSI] = -1, -1
    if not project(calls, mem, real, whole, real[T], bank[OLD]):
        return PROJECTION_FAILED
    for i in range(calls.size):
        bank[LARGEST, i] = max(bank[LARGEST, i], abs(bank[OLD, i]))
    while whole[SAMPLE] < samples.shape[0] and samples[whole[SAMPLE]] <= real[T]:
        for i in range(calls.size):
            sampled[whole[SAMPLE], i] = bank[OLD, i]
        mark_mode(calls, mem, modes[whole[SAMPLE]])
        whole[SAMPLE] += 1
    return evaluate(calls, mem, whole, real[T], bank[OLD], False, bank[K])


@kernel
def record_crossings(calls, mem, real, whole, events, count):
    """The model's own events up to the first root that ends the step; its place, or `count`."""
    for r in range(count):
        s, g = mem.hits[r, 0], int(mem.hits[r, 1])
        if g < calls.guard_count and calls.guard_kinds[g] != FAILS:
            state = mem.bank[TRY]
            state_at(calls, mem, real, whole, s, state)
            record_event(
                events,
                whole,
                CROSSING,
                g,
                real[T] + s * (real[T_NEW] - real[T]),
                0.0,
                0.0,
                mem.hits[r, 2],
                state,
                state,
            )
        if ends(calls, g, mem.hits[r, 2]):
            return r
    return count


@kernel
def break_off(calls, mem, real, whole, events, samples, sampled, modes, recorded, count, first):
    """End the step at its first decisive root and do what it asks for."""
    s, g = mem.hits[first, 0], int(mem.hits[first, 1])
    t = real[T] + s * (real[T_NEW] - real[T])
    if not take_samples(calls, mem, real, whole, samples, sampled, modes, t, g < calls.guard_count):
        return PROJECTION_FAILED, 0
    if not state_at(calls, mem, real, whole, s, mem.bank[TRY]):
        return PROJECTION_FAILED, 0
    for i in range(calls.size):
        mem.bank[NEW, i] = mem.bank[TRY, i]
    if s < FAR:  # what happens far before the end of a step is seen through the rounding of all of it
        real[H] = min(real[H], max(4.0 * (t - real[T]), SHORTEST * real[H_LIMIT]))
    commit(calls, mem, real, whole, recorded.shape[0] > 0, recorded)
    real[T] = t
    if g < calls.guard_count:
        return (MASS_NEGATIVE if calls.guard_kinds[g] == FAILS else STOPPED_BY_EVENT), g
    status = read_hits(calls, mem, real, whole, mem.bank[OLD], count, first)
    if status != DONE:
        return status, g - calls.guard_count
    return happen(calls, mem, real, whole, events, mem.bank[OLD])


@kernel
def pass_on(calls, mem, real, whole, recorded):
    """The step stands: what began it at zero is behind."""
    for g in range(guard_count(calls)):
        mem.tab.wholes[POWER, g] = 0
    h = real[T_NEW] - real[T]
    commit(calls, mem, real, whole, recorded.shape[0] > 0, recorded)
    if creep_on(calls, mem, real, h):
        mem.tab.wholes[COUNTS, KNOWN] = 0
        return evaluate(calls, mem, whole, real[T], mem.bank[OLD], False, mem.bank[K])
    return DONE


@kernel
def hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
    if whole[FRESH] == 1:
        status, row = first_mode(base, mem, real, whole, events)
        whole[ROW] = row
        if status == DONE:
            status = resume(in_mode(base, mem), mem, real, whole, samples, sampled, modes)
        if status != DONE:
            return status
        whole[FRESH] = 0
    calls, forces = in_mode(base, mem), needs_forces(base.laws, mem.tab)
    at_once, last = 0, -np.inf
    room = 4 * (base.laws.contacts + base.laws.frictions) + NODES * max(calls.guard_count, 1) + 4
    for _ in range(most):
        if real[T] >= real[T_END]:
            return FINISHED
        full = recorded.shape[0] > 0 and whole[RECORDED] >= recorded.shape[0]
        if events[0].shape[0] - whole[EVENTS] < room or full:
            return NEED_BUFFERS
        status = dop853_step(calls, mem, real, whole, -np.inf)
        if status != DONE and status != IS_STIFF:
            return status
        count, status = search(calls, mem, real, whole, forces)
        if status != DONE:
            return status
        if count < 0:
            continue
        first = record_crossings(calls, mem, real, whole, events, count)
        if first == count:
            if not take_samples(calls, mem, real, whole, samples, sampled, modes, real[T_NEW], True):
                return PROJECTION_FAILED
            status = pass_on(calls, mem, real, whole, recorded)
            if status != DONE:
                return status
            continue
        status, row = break_off(calls, mem, real, whole, events, samples, sampled, modes, recorded, count, first)
        if status == DONE:
            calls, forces = in_mode(base, mem), needs_forces(base.laws, mem.tab)
            status = resume(calls, mem, real, whole, samples, sampled, modes)
        else:
            whole[ROW] = row
        at_once = at_once + 1 if real[T] == last else 0
        last = real[T]
        if status != DONE or at_once > SAME_INSTANT:
            return status if status != DONE else STUCK
    return FINISHED if real[T] >= real[T_END] else CONTINUE
