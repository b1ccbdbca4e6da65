"""Zeno: flights of a contact that decay geometrically, and where they end.

Δt_{k+1}/Δt_k → r < 1:   t∞ = t + Δt r/(1 − r)
"""

from __future__ import annotations

import numpy as np

from dalembert.simulate.collisions import collide
from dalembert.simulate.complementarity import CLOSED, OPEN
from dalembert.simulate.core import EVENTS, FROM_POSITION, LARGEST, RANK_PSI, T, corrected, kernel
from dalembert.simulate.events import CHATTER, record_event
from dalembert.simulate.linear import DONE
from dalembert.simulate.modes import gap_of, in_mode, survey
from dalembert.simulate.table import (
    CONTACT,
    DECAYS,
    EVENT,
    FIRST_FLIGHT,
    INVOLVED,
    LAST_FLIGHT,
    LAST_TIME,
    OLD_CONTACT,
    RATES,
    RATIO,
)  # fmt: skip

STEADY, SHORT = 6, 1e-6  # so many steady ratios, and what is left against the first flight
LOWEST, SLOW = 1e-13, 1e-6  # of the gap's terms and of the largest speed: the next flight would be rounding
NEAR = 1e-11  # of the gap's terms: what touches as others end their cascades


@kernel
def gap_scale(calls, mem, y, i):
    """The size of the terms of a gap, of which it is the rounded difference."""
    n, scale = calls.shape.n, 1e-2
    for c in range(n):
        scale += abs(mem.outs[FROM_POSITION, calls.mh + (calls.laws.holonomic + i) * n + c] * y[c])
    return scale


@kernel
def largest_speed(calls, mem):
    """Of the motion so far."""
    largest = 0.0
    for c in range(calls.shape.n):
        largest = max(largest, mem.bank[LARGEST, calls.shape.n + c])
    return largest


@kernel
def accumulates(calls, mem, t, y, i):
    """Keep the books of a contact's flights; the time at which they accumulate, or infinity."""
    wholes, reals = mem.tab.wholes, mem.tab.reals
    flight = t - reals[LAST_TIME, i]
    rate = abs(reals[RATES, calls.laws.bilateral + i])
    low = 0.25 * flight * rate < LOWEST * gap_scale(calls, mem, y, i) and rate < SLOW * largest_speed(calls, mem)
    end = t if low else np.inf
    if wholes[DECAYS, i] > 0 and flight < reals[LAST_FLIGHT, i]:
        ratio = flight / reals[LAST_FLIGHT, i]
        steady = abs(ratio - reals[RATIO, i]) < 0.1 * (1.0 - ratio)
        wholes[DECAYS, i] = wholes[DECAYS, i] + 1 if steady else 1
        reals[RATIO, i] = ratio
        rest = flight * ratio / (1.0 - ratio)
        if wholes[DECAYS, i] >= STEADY and (low or rest < SHORT * reals[FIRST_FLIGHT, i]):
            end = t + rest
    else:
        wholes[DECAYS, i], reals[RATIO, i], reals[FIRST_FLIGHT, i] = 1, 2.0, flight
    reals[LAST_TIME, i], reals[LAST_FLIGHT, i] = t, flight
    return end


@kernel
def settles_too(calls, mem, y, i):
    """Whether an open contact is so near and so slow that it ends with another's cascade, as in a corner."""
    near = abs(gap_of(calls, mem, i)) <= NEAR * gap_scale(calls, mem, y, i)
    return near and abs(mem.tab.reals[RATES, calls.laws.bilateral + i]) < 10.0 * SLOW * largest_speed(calls, mem)


@kernel
def rest_together(calls, mem, real, whole, y):
    """What still parts at the end of a cascade is part of it, as a rocking block's other corner: all close together."""
    wholes, many = mem.tab.wholes, 0
    for i in range(calls.laws.contacts):
        wholes[OLD_CONTACT, i] = wholes[CONTACT, i]
        if wholes[INVOLVED, i]:
            wholes[CONTACT, i] = CLOSED
            many += 1
    if many > 1:
        whole[RANK_PSI] = -1
        corrected(in_mode(calls, mem), mem, whole, real[T], y, True)
    for i in range(calls.laws.contacts):
        wholes[CONTACT, i] = wholes[OLD_CONTACT, i]


@kernel
def end_cascades(calls, mem, real, whole, events, y, begun):
    """Zeno: a contact whose flights shrink to nothing is closed by an impact without rebound."""
    marks, wholes = events[0], mem.tab.wholes
    ending, which = np.inf, -1
    for e in range(begun, whole[EVENTS]):
        if wholes[CONTACT, marks[e, 1]] == CLOSED:
            continue  # it was struck where it lay, not after a flight
        end = accumulates(calls, mem, real[T], y, marks[e, 1])
        if end < ending:
            ending, which = end, marks[e, 1]
    if which < 0:
        return DONE, 0
    for i in range(calls.laws.contacts):
        if wholes[CONTACT, i] == OPEN and i != which:
            wholes[INVOLVED, i] = 1 if settles_too(calls, mem, y, i) else 0
    for i in range(calls.shape.n):  # once more from the state before, without rebound
        y[calls.shape.n + i] = mem.tab.reals[EVENT, calls.shape.n + i]
    survey(calls, mem, real[T], y)
    status, row = collide(calls, mem, real, whole, events, y, True)
    if status != DONE:
        return status, row
    rest_together(calls, mem, real, whole, y)
    for i in range(calls.laws.contacts):
        if wholes[INVOLVED, i]:
            wholes[DECAYS, i] = 0
    record_event(events, whole, CHATTER, which, ending, 0.0, 0.0, 0.0, mem.tab.reals[EVENT], y)
    return DONE, 0
