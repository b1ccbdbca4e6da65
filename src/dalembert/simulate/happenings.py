"""What happens at an event: impacts, cascades that come to an end, slips that stop, and the mode that follows."""

from __future__ import annotations

import numpy as np

from dalembert.motions.laws import SLIP_DIM, SLIP_START
from dalembert.simulate.cascades import end_cascades, gap_scale, largest_speed
from dalembert.simulate.collisions import collide, first_involved, tiny_speed
from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OFF, OPEN, SEVERAL, SLIP, STICK
from dalembert.simulate.contacts import (
    CREEPS,
    ONE_WAY,
    STOPPED,
    coefficient,
    responses,
    settle,
    sizes,
    slip_of,
    slip_size,
    static_coefficient,
)
from dalembert.simulate.core import (
    EVENTS,
    FROM_DYNAMICS,
    OLD,
    TOLERANCE,
    H,
    T,
    accelerate,
    apart,
    kernel,
    load,
)  # fmt: skip
from dalembert.simulate.events import (
    CONTACT_MADE,
    HELD_BROKEN,
    IMPACT,
    LIFTOFF,
    NO_CASE,
    SLIPS,
    STICKS,
    TOO_MANY_CASES,
    TWO_CASES,
    record_event,
)  # fmt: skip
from dalembert.simulate.linear import DONE, IN_NU, IN_SLOPE, Shape
from dalembert.simulate.modes import dynamics_at, gap_of, laws_at, survey
from dalembert.simulate.sliding import pressing
from dalembert.simulate.table import (
    CANDIDATE,
    CHANGE,
    CONTACT,
    CONTACTS,
    COUNTS,
    DECAYS,
    EPSILON,
    FRICTION,
    FROM_REST,
    INVOLVED,
    LAST_FLIGHT,
    LAST_TIME,
    LEAVES,
    MAY,
    MODE_DIR0,
    MODE_SIGN,
    NEW_SIDE,
    OLD_CONTACT,
    OLD_FRICTION,
    POWER,
    RATES,
    RESPONSE,
    RESTING,
    ROWS,
    SIZE,
    SLOPES,
)  # fmt: skip

CREEP = 1e-6  # part of a step with which a slip creeps out of its cone


@kernel
def stop_planar_slip(calls, mem, real, whole, y, j):
    """From |c| = ε to rest: the little time δ and impulse P with c + ċδ + W(P + μNδ ĉ) = 0 and |P| = μNδ."""
    laws, tab, n, F = calls.laws, mem.tab, calls.shape.n, mem.outs[FROM_DYNAMICS]
    start = sizes(n, calls.shape.symmetric)
    load(calls, mem, real[T], y)
    dynamics_at(calls, mem)
    laws_at(calls, mem)
    status, _ = accelerate(calls, mem, False, True)
    if status != DONE:
        return status
    length = slip_size(tab, laws, j)
    if length == 0.0:
        return DONE
    row, pull = laws.layout[SLIP_START, j], coefficient(tab, laws, j) * pressing(tab, laws, j, mem.w.vectors[IN_NU])
    c0, c1 = slip_of(tab, laws, j, 0), slip_of(tab, laws, j, 1)
    at_A, at_b = start + n, start + n + laws.rows * n
    rate0, rate1 = -F[at_b + row], -F[at_b + row + 1]
    for i in range(n):
        tab.reals[CHANGE, i] = mem.w.vectors[IN_SLOPE, i]
        rate0 += F[at_A + row * n + i] * tab.reals[CHANGE, i]
        rate1 += F[at_A + (row + 1) * n + i] * tab.reals[CHANGE, i]
    for i in range(start + n + laws.rows * (n + 1)):
        tab.F[i] = F[i]
    tab.wholes[COUNTS, SIZE], tab.wholes[COUNTS, CONTACTS] = 2, 0
    tab.wholes[ROWS, 0], tab.wholes[ROWS, 1] = row, row + 1
    rows = calls.shape.active
    status, _ = responses(tab, Shape(n, laws.rows, laws.rows, calls.shape.symmetric, False, rows, rows), laws, mem.w)
    if status != DONE:
        return status
    W = tab.squares[RESPONSE]
    # without this friction's pull the slip would change at this rate
    rate0 += pull * (W[0, 0] * c0 + W[0, 1] * c1) / length
    rate1 += pull * (W[1, 0] * c0 + W[1, 1] * c1) / length
    det, trace = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0], W[0, 0] + W[1, 1]
    if not trace > 0.0:
        return DONE
    p0, p1, r0, r1 = -c0 / trace, -c1 / trace, -rate0 / trace, -rate1 / trace
    if det > ONE_WAY * trace * trace:  # else all slips there can be are along c, and W c = (tr W) c
        p0, p1 = (W[0, 1] * c1 - W[1, 1] * c0) / det, (W[1, 0] * c0 - W[0, 0] * c1) / det
        r0, r1 = (W[0, 1] * rate1 - W[1, 1] * rate0) / det, (W[1, 0] * rate0 - W[0, 0] * rate1) / det
    square, cross, rest = r0 * r0 + r1 * r1 - pull * pull, p0 * r0 + p1 * r1, p0 * p0 + p1 * p1
    root = cross * cross - square * rest
    if root < 0.0 or square >= 0.0:
        return DONE  # it cannot stop: the case analysis that follows says what happens
    delta = (-cross - np.sqrt(root)) / square
    for i in range(n):
        change = delta * tab.reals[CHANGE, i]
        change += tab.responses[SLOPES, 1, i] * (p0 + r0 * delta + pull * delta * c0 / length)
        change += tab.responses[SLOPES, 2, i] * (p1 + r1 * delta + pull * delta * c1 / length)
        y[i] += delta * (y[n + i] + 0.5 * change)
        y[n + i] += change
    real[T] += delta
    return DONE


@kernel
def go_on(calls, mem, real, whole, events, y):
    """The mode after what happened, with its events."""
    laws, tab = calls.laws, mem.tab
    wholes = tab.wholes
    survey(calls, mem, real[T], y)
    tiny = tiny_speed(calls, y)
    for i in range(laws.contacts):
        wholes[OLD_CONTACT, i] = wholes[CONTACT, i]
        touches = wholes[CONTACT, i] == CLOSED or wholes[INVOLVED, i]
        stays = touches and not wholes[LEAVES, i] and tab.reals[RATES, laws.bilateral + i] <= tiny
        wholes[CANDIDATE, i] = 1 if stays else 0
    for j in range(laws.frictions):
        wholes[OLD_FRICTION, j] = wholes[FRICTION, j]
        wholes[RESTING, j] = 1 if wholes[RESTING, j] or slip_size(tab, laws, j) <= tiny else 0
    status, row, cases = settle(tab, mem.outs[FROM_DYNAMICS], laws, calls.shape.n, calls.shape.symmetric, mem.w)
    if status != DONE:
        return status, row
    if cases != 1:
        return (NO_CASE if cases == NO_SOLUTION else TWO_CASES if cases == SEVERAL else TOO_MANY_CASES), 0
    note_changes(calls, mem, real, whole, events, y)
    return DONE, 0


@kernel
def creeps(calls, mem, j):
    """Whether a planar slip leaves its cone with no acceleration, as it does where kinetic friction is the static one.

    ċ = s κ d then, s the time since: near c = 0 the direction c/|c| is as stiff as 1/s², so that it is not integrated
    but held until the slip is as large as the error allowed for, which is then its own error at most.
    """
    laws, tab = calls.laws, mem.tab
    left = laws.layout[SLIP_DIM, j] == 2 and tab.wholes[MAY, j] == 0
    return left and not static_coefficient(tab, laws, j) > (1.0 + 1e-9) * coefficient(tab, laws, j)


@kernel
def creep_on(calls, mem, real, h):
    """After a step of h: slips from rest go on as slips, those that creep where they stand out from their error.

    Returns whether one has got a direction of its own, so that its friction turns.
    """
    laws, wholes, turned, creeping = calls.laws, mem.tab.wholes, False, False
    for j in range(laws.frictions):
        creeping = creeping or wholes[FROM_REST, j] == CREEPS
    if creeping:
        load(calls, mem, real[T], mem.bank[OLD])
        laws_at(calls, mem)
    error = real[TOLERANCE] * max(10.0 * largest_speed(calls, mem), 1.0)
    for j in range(laws.frictions):
        enough = max(error, 10.0 * mem.tab.reals[EPSILON, j])
        if wholes[FROM_REST, j] == CREEPS and slip_size(mem.tab, laws, j) < enough:
            real[H] = min(real[H], 1.5 * h)
            continue
        turned = turned or wholes[FROM_REST, j] == CREEPS
        wholes[FROM_REST, j] = 0
    return turned


@kernel
def note_changes(calls, mem, real, whole, events, y):
    """Events for what the new mode changes, and what the guards of the next step begin with at zero."""
    laws, wholes, reals = calls.laws, mem.tab.wholes, mem.tab.reals
    for i in range(laws.contacts):
        now, old, hit = wholes[CONTACT, i], wholes[OLD_CONTACT, i], wholes[INVOLVED, i]
        wholes[POWER, calls.guard_count + i] = 0
        if now == OPEN and (old == CLOSED or hit):
            wholes[POWER, calls.guard_count + i] = 3 if wholes[CANDIDATE, i] or wholes[LEAVES, i] else 1
        if now != old:
            record_event(events, whole, CONTACT_MADE if now == CLOSED else LIFTOFF, i, real[T], 0.0, 0.0, 0.0, y, y)
    for j in range(laws.frictions):
        now, old, g = wholes[FRICTION, j], wholes[OLD_FRICTION, j], calls.guard_count + laws.contacts + j
        wholes[POWER, g], wholes[FROM_REST, j] = 0, 0
        starts = now == SLIP and wholes[RESTING, j]
        if now == SLIP:
            reals[EPSILON, j] = STOPPED * tiny_speed(calls, y)
        if starts:
            wholes[POWER, g], wholes[FROM_REST, j] = 1 if old == SLIP else 2, 1
            if creeps(calls, mem, j):
                wholes[FROM_REST, j], real[H] = CREEPS, CREEP * real[H]
        if now != OFF and (now != old or starts):
            kind = STICKS if now == STICK else SLIPS
            record_event(events, whole, kind, j, real[T], 0.0, 0.0, reals[MODE_DIR0, j], y, y)


@kernel
def clear_marks(calls, mem):
    for i in range(calls.laws.contacts):
        mem.tab.wholes[INVOLVED, i], mem.tab.wholes[LEAVES, i] = 0, 0
    for j in range(calls.laws.frictions):
        mem.tab.wholes[RESTING, j], mem.tab.wholes[MAY, j], mem.tab.wholes[NEW_SIDE, j] = 0, 1, 0


@kernel
def read_hits(calls, mem, real, whole, y, count, first):
    """What the roots at one instant mean, into the marks; a failure's status."""
    laws, wholes = calls.laws, mem.tab.wholes
    clear_marks(calls, mem)
    for r in range(first, count):
        if mem.hits[r, 0] - mem.hits[first, 0] > 1e-14:
            break
        g = int(mem.hits[r, 1]) - calls.guard_count
        j = g - laws.contacts
        if g < 0:
            continue
        if j < 0:
            wholes[INVOLVED if wholes[CONTACT, g] == OPEN else LEAVES, g] = 1
        elif j < laws.frictions:
            wholes[RESTING, j] = 1
            if wholes[FRICTION, j] == STICK:
                wholes[MAY, j] = 0
            elif laws.layout[SLIP_DIM, j] == 2:
                status = stop_planar_slip(calls, mem, real, whole, y, j)
                if status != DONE:
                    return status
        elif j < 2 * laws.frictions:
            wholes[NEW_SIDE, j - laws.frictions] = 1 if mem.tab.reals[MODE_SIGN, j - laws.frictions] < 0.0 else -1
        else:
            return HELD_BROKEN
    return DONE


@kernel
def join_touching(calls, mem, y):
    """Contacts that touch as others collide take part, closed or not."""
    laws, wholes = calls.laws, mem.tab.wholes
    for i in range(laws.contacts):
        scale = gap_scale(calls, mem, y, i)
        near = abs(gap_of(calls, mem, i)) <= 1e-13 * scale and mem.tab.reals[RATES, laws.bilateral + i] <= 0.0
        if wholes[CONTACT, i] == CLOSED or near:
            wholes[INVOLVED, i] = 1


@kernel
def happen(calls, mem, real, whole, events, y):
    """Impacts with what follows from them, then the mode."""
    apart()
    if first_involved(calls, mem) >= 0:
        survey(calls, mem, real[T], y)
        join_touching(calls, mem, y)
        begun = whole[EVENTS]
        status, row = collide(calls, mem, real, whole, events, y, False)
        if status == DONE:
            status, row = end_cascades(calls, mem, real, whole, events, y, begun)
        if status != DONE:
            return status, row
    return go_on(calls, mem, real, whole, events, y)


@kernel
def first_mode(calls, mem, real, whole, events):
    """The mode at the start: contacts at rest press or not, gaps of zero that close collide at once."""
    apart()
    laws, wholes, reals = calls.laws, mem.tab.wholes, mem.tab.reals
    y = mem.bank[OLD]
    clear_marks(calls, mem)
    survey(calls, mem, real[T], y)
    tiny = tiny_speed(calls, y)
    for i in range(laws.contacts):
        reals[LAST_TIME, i], reals[LAST_FLIGHT, i], wholes[DECAYS, i] = real[T], 0.0, 0
        wholes[CONTACT, i] = OPEN
        rate = reals[RATES, laws.bilateral + i]
        if abs(gap_of(calls, mem, i)) <= 1e-12:
            if rate < -tiny:
                wholes[INVOLVED, i] = 1
            elif rate <= tiny:
                wholes[CONTACT, i] = CLOSED
    for j in range(laws.frictions):
        wholes[FRICTION, j] = OFF
        reals[MODE_SIGN, j] = 1.0
    status, row = happen(calls, mem, real, whole, events, y)
    for i in range(laws.contacts):
        if (
            wholes[CONTACT, i] == OPEN
            and abs(gap_of(calls, mem, i)) <= 1e-12
            and wholes[POWER, calls.guard_count + i] == 0
        ):
            wholes[POWER, calls.guard_count + i] = 1
    whole[EVENTS] = without_quiet_ones(events, whole[EVENTS])
    return status, row


@kernel
def without_quiet_ones(events, count):
    """At the start only impacts and what they cause are events: a mode that is merely found is none."""
    for e in range(count):
        if events[0][e, 0] == IMPACT:
            return count
    return 0
