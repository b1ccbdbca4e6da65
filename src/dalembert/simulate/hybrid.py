"""The loop over steps and events of a motion with contacts and frictions, in machine code.

A motion goes on in a mode until a guard of that mode reaches zero from above:
    open contact g ↓ 0;  closed contact λ ↓ 0;  sticking (μ_s N)² − |R|² ↓ 0;  slipping c·d ↓ 0, planar |c|² − ε² ↓ 0
All roots of every guard inside a step are isolated; the earliest ends the step. What begins an event at zero (the gap
after its impact, the slip as it starts) is divided out of the next step's guard, so it cannot trigger again.
Zeno: flight times of a contact that decay geometrically by r end at t + Δt r/(1 − r); the contact closes.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba.extending import overload, register_jitable

from dalembert.simulate import complementarity, contacts, core, sliding
from dalembert.simulate.advance import FINISHED, CONTINUE, MASS_NEGATIVE, NEED_BUFFERS, STOPPED_BY_EVENT
from dalembert.simulate.complementarity import CLOSED, NO_SOLUTION, OFF, OPEN, SEVERAL, SLIP, STICK, TOO_MANY
from dalembert.simulate.contacts import (
    coefficient, governed_by, impact, responses, settle, sizes, slip_of, slip_size, static_coefficient,
)  # fmt: skip
from dalembert.simulate.core import (
    DENSE, EVENTS, FRESH, FROM_DYNAMICS, FROM_GUARDS, FROM_POSITION, FROM_VELOCITY, K, LARGEST, NEW, OLD, RECORDED, SAMPLE, T,
    T_END, T_NEW, TRY, accelerate, apart, call, evaluate, kernel, load, project,
)  # fmt: skip
from dalembert.simulate.core import SEEN as SEEN_STATE
from dalembert.simulate.dop853 import IS_STIFF, PROJECTION_FAILED, dense_at, dop853_step
from dalembert.simulate.laws import (
    BY_CONSTRAINT, HELD_COUNT, HELD_START, IS_ROUGH, LAW, PRESS_AT, PRESS_KIND, SLIP_DIM, SLIP_START, ZHANG_MEI,
)  # fmt: skip
from dalembert.simulate.linear import DONE, IN_NU, IN_SLOPE, Shape
from dalembert.simulate.roots import NODES, PLACES, isolate
from dalembert.simulate.sliding import accelerations_in_mode, pressing
from dalembert.simulate.table import (
    ACTIVE, CANDIDATE, CHANGE, CONTACT, COUNTS, DECAYS, EPSILON, EVENT, FIRST_FLIGHT, FRICTION, FROM_REST, INVOLVED,
    LAST_FLIGHT, LAST_TIME, LAWS, LEAVES, MAY, MODE_DIR0, MODE_SIGN, NORMAL_IMPULSE, OLD_CONTACT, OLD_FRICTION, PHI_ACTIVE, POWER,
    RATES, RATIO, RESPONSE, RESTING, ROWS, SEEN, SIZE, SLOPES, CONTACTS,
)  # fmt: skip

for _module in (complementarity, contacts, sliding):
    for _function in _module.SHARED:
        register_jitable(error_model="numpy")(_function)

CONTRADICTS, ENERGY_GAIN, NO_CASE, TWO_CASES, TOO_MANY_CASES, HELD_BROKEN, STUCK = 20, 21, 22, 23, 24, 25, 26
IMPACT, LIFTOFF, CONTACT_MADE, STICKS, SLIPS, CHATTER, CROSSING = range(7)
SAME_INSTANT = 200  # events at one instant after which a motion is stuck
TINY = 1e-11
UNRESOLVED = 1e-5
DEEPEST = 12

HybridCalls = namedtuple("HybridCalls", (*core.Calls._fields, "laws_function", "laws_data", "laws"))
HybridMemory = namedtuple("HybridMemory", (*core.Memory._fields, "tab", "values", "hits", "spans"))


@overload(accelerate)
def _accelerate(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
    if getattr(calls, "instance_class", None) is not HybridCalls:
        return None

    def in_mode(calls, mem, fixed, wanted):  # type: ignore[no-untyped-def]
        if calls.shape.general:
            laws_at(calls, mem)
        return accelerations_in_mode(
            mem.tab, mem.outs[FROM_DYNAMICS], calls.laws, calls.shape, fixed, mem.w, mem.w.vectors[IN_SLOPE],
            mem.w.vectors[IN_NU], wanted,
        )  # fmt: skip

    return in_mode


@kernel
def laws_at(calls, mem):
    """Slips, coefficients, pressing forces and restitutions at the state that is loaded."""
    out = mem.tab.reals[LAWS]
    call(calls.laws_function, out.ctypes.data, mem.x.ctypes.data, calls.laws_data)


@kernel
def dynamics_at(calls, mem):
    out = mem.outs[FROM_DYNAMICS]
    call(calls.dynamics, out.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)


@kernel
def gaps_at(calls, mem):
    out = mem.outs[FROM_POSITION]
    call(calls.position, out.ctypes.data, mem.x.ctypes.data, calls.position_data)


@kernel
def in_mode(base, mem):
    """The calls of the mode as it is now: which rows are on."""
    apart()
    laws, layout, wholes = base.laws, base.laws.layout, mem.tab.wholes
    active, flat = wholes[ACTIVE], wholes[PHI_ACTIVE]
    count, level = 0, 0
    general = False
    for i in range(laws.bilateral):
        active[count] = i
        count += 1
    for i in range(laws.holonomic):
        flat[level] = i
        level += 1
    for i in range(laws.contacts):
        if wholes[CONTACT, i] == CLOSED:
            active[count], flat[level] = laws.bilateral + i, laws.holonomic + i
            count += 1
            level += 1
    for j in range(laws.frictions):
        if wholes[FRICTION, j] == OFF:
            continue
        general |= wholes[FRICTION, j] == SLIP
        for c in range(layout[SLIP_DIM, j] if wholes[FRICTION, j] == STICK else 0):
            active[count] = layout[SLIP_START, j] + c
            count += 1
        for c in range(layout[HELD_COUNT, j]):
            active[count] = layout[HELD_START, j] + c
            count += 1
    old = base.shape
    shape = Shape(old.n, old.m, old.reactions, old.symmetric, general, active[:count], active[:count])
    return HybridCalls(
        base.dynamics, base.dynamics_data, base.position, base.position_data, base.velocity, base.velocity_data,
        base.guards, base.guards_data, base.dynamics_size, base.size, base.k, base.mh, base.guard_count, shape,
        flat[:level], base.guard_kinds, base.laws_function, base.laws_data, laws,
    )  # fmt: skip


@kernel
def needs_forces(laws, tab):
    """Whether a guard of this mode looks at reactions."""
    for i in range(laws.contacts):
        if wholes[CONTACT, i] == CLOSED:
            return True
    for j in range(laws.frictions):
        if wholes[FRICTION, j] == STICK and not laws.layout[IS_ROUGH, j]:
            return True
        if wholes[FRICTION, j] == SLIP and (laws.layout[PRESS_KIND, j] == BY_CONSTRAINT or laws.layout[HELD_COUNT, j] > 0):
            return True
    return False


@kernel
def see(calls, mem, whole, t, y, forces):
    """Every guard at a state into mem.seen: the model's own, contacts, frictions, sides of pressing, held cones."""
    laws, mode, G = calls.laws, calls.mode, mem.seen
    load(calls, mem, t, y)
    if calls.guard_count > 0:
        call(calls.guards, mem.G.ctypes.data, mem.x.ctypes.data, calls.guards_data)
        for g in range(calls.guard_count):
            G[g] = mem.G[g]
    if laws.contacts > 0:
        call(calls.position, mem.P.ctypes.data, mem.x.ctypes.data, calls.position_data)
    if laws.frictions > 0:
        call(calls.laws_function, mem.L.ctypes.data, mem.x.ctypes.data, calls.laws_data)
    if forces:
        call(calls.dynamics, mem.F.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)
        status, row = accelerate(calls, mem, True, True)
        if status != DONE:
            return status
    at = calls.guard_count
    for i in range(laws.contacts):
        G[at + i] = gaps[laws.holonomic + i] if wholes[CONTACT, i] == OPEN else nu[laws.bilateral + i]
    at += laws.contacts
    for j in range(laws.frictions):
        side, cone = at + laws.frictions + j, at + 2 * laws.frictions + j
        G[at + j], G[side], G[cone] = 1.0, 1.0, 1.0
        if wholes[FRICTION, j] == STICK and not laws.layout[IS_ROUGH, j]:
            N = pressing(mem.L, laws, mode, j, mem.nu)
            G[at + j] = static_coefficient(mem.L, laws, j) ** 2 * N * abs(N)
            for c in range(laws.layout[SLIP_DIM, j]):
                G[at + j] -= nu[laws.layout[SLIP_START, j] + c] ** 2
            for c in range(laws.layout[HELD_COUNT, j]):
                G[at + j] -= nu[laws.layout[HELD_START, j] + c] ** 2
        elif wholes[FRICTION, j] == SLIP:
            slip = laws.layout[SLIP_START, j] - laws.bilateral
            if laws.layout[SLIP_DIM, j] == 1:
                G[at + j] = mem.L[slip] * reals[MODE_DIR0, j]
            else:
                G[at + j] = mem.L[slip] ** 2 + mem.L[slip + 1] ** 2
                if not wholes[FROM_REST, j]:
                    G[at + j] -= reals[EPSILON, j] ** 2
            if laws.layout[PRESS_KIND, j] == BY_CONSTRAINT:
                G[side] = nu[laws.layout[PRESS_AT, j]] * reals[MODE_SIGN, j]
            if laws.layout[HELD_COUNT, j] > 0:
                N = pressing(mem.L, laws, mode, j, mem.nu)
                G[cone] = (coefficient(mem.L, laws, j) * N) ** 2
                for c in range(laws.layout[HELD_COUNT, j]):
                    G[cone] -= nu[laws.layout[HELD_START, j] + c] ** 2
    return DONE


@kernel
def guard_count(calls):
    return calls.guard_count + calls.laws.contacts + 3 * calls.laws.frictions


@kernel
def look(calls, mem, real, whole, s, forces):
    """Guards at the fraction s of the step just made."""
    if s >= 1.0:
        for i in range(calls.size):
            bank[SEEN_STATE, i] = bank[NEW, i]
    else:
        dense_at(mem, s, calls.size, bank[SEEN_STATE])
    return see(calls, mem, whole, real[T] + s * (real[T_NEW] - real[T]), bank[SEEN_STATE], forces)


@kernel
def resolved(values):
    """Whether the polynomial through the nodes is the guard: its last coefficients are small, or no root is near."""
    low, high, nearest = np.inf, -np.inf, np.inf
    for k in range(NODES):
        low, high = min(low, values[k]), max(high, values[k])
        nearest = min(nearest, abs(values[k]))
    p = NODES - 1
    tail = 0.0
    for order in (p - 1, p):
        entry = 0.0
        for k in range(NODES):
            end = 0.5 if k == 0 or k == p else 1.0
            entry += end * values[k] * np.cos(np.pi * order * k / p)
        tail += abs(entry) * 2.0 / p
    return tail <= UNRESOLVED * (high - low) or nearest > 10.0 * tail


@kernel
def refined(calls, mem, real, whole, forces, g, a, b, at_a, at_b):
    """The root of guard g between the fractions a and b, to rounding of time (Illinois watched by bisection)."""
    t, h = real[T], real[T_NEW] - real[T]
    side = 0
    for iteration in range(200):
        if at_b == 0.0 or b - a <= 2.3e-16 * max(abs(t) / h, 1e-3):
            return b
        s = (a * at_b - b * at_a) / (at_b - at_a)
        if iteration % 3 == 2 or not (s > a and s < b):
            s = a + 0.5 * (b - a)
        if s <= a or s >= b or look(calls, mem, real, whole, s, forces) != DONE:
            return b
        value = reals[SEEN, g]
        if (value >= 0.0) == (at_b >= 0.0):
            b, at_b = s, value
            if side == 1:
                at_a *= 0.5
            side = 1
        else:
            a, at_a = s, value
            if side == -1:
                at_b *= 0.5
            side = -1
    return b


@kernel
def roots_between(calls, mem, real, whole, forces, g, left, right, count):
    """Roots of one guard in one interval into mem.hits, sorted; only falling ones, but for the model's own guards."""
    values, p = mem.values[g], wholes[POWER, g] if left == 0.0 else 0
    for k in range(1, NODES):
        for _ in range(p - 1):
            values[k] /= PLACES[k]
    found = isolate(values, p > 0, mem.stack, mem.spans, mem.brackets)
    for r in range(found):
        a, b = left + mem.brackets[r, 0] * (right - left), left + mem.brackets[r, 1] * (right - left)
        if look(calls, mem, real, whole, b, forces) != DONE:
            continue
        at_b = reals[SEEN, g]
        at_a = -at_b
        if not (a == 0.0 and p > 0):
            if look(calls, mem, real, whole, a, forces) != DONE:
                continue
            at_a = reals[SEEN, g]
            if (at_a >= 0.0) == (at_b >= 0.0):
                continue
        if g >= calls.guard_count and at_b >= 0.0:
            continue
        s = refined(calls, mem, real, whole, forces, g, a, b, at_a, at_b)
        if count >= mem.hits.shape[0]:
            break
        place = count
        while place > 0 and mem.hits[place - 1, 0] > s:
            for c in range(3):
                mem.hits[place, c] = mem.hits[place - 1, c]
            place -= 1
        mem.hits[place, 0], mem.hits[place, 1], mem.hits[place, 2] = s, float(g), 1.0 if at_b >= 0.0 else -1.0
        count += 1
    return count


@kernel
def ends(calls, g, side):
    """Whether a root of guard g ends the step: those of the mode do, the model's own where they stop or fail."""
    if g >= calls.guard_count:
        return True
    return calls.guard_kinds[g] == 1 or (calls.guard_kinds[g] == 2 and side < 0.0)


@kernel
def search(calls, mem, real, whole, forces):
    """Roots in the step up to the first interval with one that ends it; (how many, status)."""
    count, top = 0, 1
    guards = guard_count(calls)
    mem.spans[0, 0], mem.spans[0, 1] = 0.0, 1.0
    while top > 0:
        top -= 1
        left, right = mem.spans[top, 0], mem.spans[top, 1]
        for k in range(NODES):
            status = look(calls, mem, real, whole, left + PLACES[k] * (right - left), forces)
            if status != DONE:
                return count, status
            for g in range(guards):
                mem.values[g, k] = reals[SEEN, g]
        smooth = True
        for g in range(guards):
            smooth = smooth and resolved(mem.values[g])
        if not smooth and right - left > 1.0 / 2**DEEPEST and top + 2 < mem.spans.shape[0]:
            middle = 0.5 * (left + right)
            mem.spans[top, 0], mem.spans[top, 1] = middle, right
            mem.spans[top + 1, 0], mem.spans[top + 1, 1] = left, middle
            top += 2
            continue
        for g in range(guards):
            count = roots_between(calls, mem, real, whole, forces, g, left, right, count)
        for r in range(count):
            if ends(calls, int(mem.hits[r, 1]), mem.hits[r, 2]):
                return count, DONE
    return count, DONE


@kernel
def record_event(events, whole, kind, index, t, impulse, energy, side, before, after):
    marks, reals, befores, afters = events
    e = whole[EVENTS]
    marks[e, 0], marks[e, 1] = kind, index
    reals[e, 0], reals[e, 1], reals[e, 2], reals[e, 3] = t, impulse, energy, side
    for i in range(before.shape[0]):
        befores[e, i], afters[e, i] = before[i], after[i]
    whole[EVENTS] += 1


@kernel
def state_functions(calls, mem, t, y):
    """Dynamics, laws, gaps and the rates of all rows at a state."""
    load(calls, mem, t, y)
    call(calls.dynamics, mem.F.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)
    call(calls.laws_function, mem.L.ctypes.data, mem.x.ctypes.data, calls.laws_data)
    call(calls.position, mem.P.ctypes.data, mem.x.ctypes.data, calls.position_data)
    call(calls.velocity, mem.V.ctypes.data, mem.x.ctypes.data, calls.velocity_data)
    for i in range(calls.laws.rows):
        reals[RATES, i] = mem.V[i]


@kernel
def speed_scale(calls, y):
    largest = 0.0
    for i in range(calls.shape.n):
        largest = max(largest, abs(y[calls.shape.n + i]))
    return largest


@kernel
def collide(calls, mem, real, whole, events, y, inelastic):
    """The impact of mem.involved at the state y: its speeds changed, events recorded; (status, index)."""
    laws, n = calls.laws, calls.shape.n
    t = real[T]
    state_functions(calls, mem, t, y)
    if inelastic:
        at = laws.rows - laws.bilateral + 3 * laws.frictions
        for i in range(laws.contacts):
            mem.L[at + i] = 0.0
    status, row, cases, energy = impact(
        mem.F, mem.L, mem.psi, laws, calls.mode, mem.involved, n, calls.shape.symmetric, mem.w, mem.scr, mem.dv, mem.impulse
    )
    if status != DONE:
        return status, row
    if cases == NO_SOLUTION or cases == TOO_MANY:
        return (NO_CASE if cases == NO_SOLUTION else TOO_MANY_CASES), 0
    level = 0.0
    for i in range(laws.contacts):
        if wholes[INVOLVED, i]:
            level = max(level, abs(reals[NORMAL_IMPULSE, i] * reals[RATES, laws.bilateral + i]))
    paper, first = False, 0
    for i in range(laws.contacts - 1, -1, -1):
        if wholes[INVOLVED, i]:
            paper |= laws.layout[LAW, i] == ZHANG_MEI
            first = i
    if energy > 1e-9 * level and not paper:
        return ENERGY_GAIN, first
    for i in range(calls.size):
        reals[EVENT, i] = y[i]
    for i in range(n):
        y[n + i] += reals[CHANGE, i]
    if inelastic:
        return DONE, 0
    for i in range(laws.contacts):
        if wholes[INVOLVED, i] and reals[NORMAL_IMPULSE, i] > TINY * max(reals[NORMAL_IMPULSE, first], 1e-300):
            record_event(events, whole, IMPACT, i, t, reals[NORMAL_IMPULSE, i], energy, 0.0, mem.tab.reals[EVENT], y)
    return DONE, 0


@kernel
def accumulates(calls, mem, real, i):
    """Keep the books of a contact's flights; the time at which they accumulate, or infinity."""
    t = real[T]
    flight = t - reals[LAST_TIME, i]
    end = np.inf
    if wholes[DECAYS, i] > 0 and flight < reals[LAST_FLIGHT, i]:
        ratio = flight / reals[LAST_FLIGHT, i]
        steady = abs(ratio - reals[RATIO, i]) < 0.1 * (1.0 - ratio)
        wholes[DECAYS, i] = wholes[DECAYS, i] + 1 if steady else 1
        reals[RATIO, i] = ratio
        rest = flight * ratio / (1.0 - ratio)
        if wholes[DECAYS, i] >= 6 and rest < 1e-6 * reals[FIRST_FLIGHT, i]:
            end = t + rest
    else:
        wholes[DECAYS, i] = 1
        reals[RATIO, i] = 2.0
        reals[FIRST_FLIGHT, i] = flight
    reals[LAST_TIME, i], reals[LAST_FLIGHT, i] = t, flight
    return end


@kernel
def stop_planar_slip(calls, mem, real, whole, y, j):
    """From |c| = ε to rest: the little time δ and impulse P with c + ċδ + W(P + μNδ ĉ) = 0 and |P| = μNδ."""
    laws, mode, scr, n = calls.laws, calls.mode, mem.scr, calls.shape.n
    start = contacts.sizes(mem.F, n, calls.shape.symmetric)
    load(calls, mem, real[T], y)
    call(calls.dynamics, mem.F.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)
    status, row = accelerate(calls, mem, False, True)
    if status != DONE:
        return status
    call(calls.laws_function, mem.L.ctypes.data, mem.x.ctypes.data, calls.laws_data)
    slip = laws.layout[SLIP_START, j]
    c0, c1 = mem.L[slip - laws.bilateral], mem.L[slip - laws.bilateral + 1]
    length = np.hypot(c0, c1)
    if length == 0.0:
        return DONE
    pull = coefficient(mem.L, laws, j) * pressing(mem.L, laws, mode, j, mem.nu)
    at_A, at_b = start + n, start + n + laws.rows * n
    rate0, rate1 = -mem.F[at_b + slip], -mem.F[at_b + slip + 1]
    for i in range(n):
        rate0 += mem.F[at_A + slip * n + i] * mem.a[i]
        rate1 += mem.F[at_A + (slip + 1) * n + i] * mem.a[i]
        reals[CHANGE, i] = mem.a[i]
    for i in range(start + n + laws.rows * (n + 1)):
        scr.F[i] = mem.F[i]
    scr.rows[0], scr.rows[1] = slip, slip + 1
    shape = Shape(
        n, laws.rows, laws.rows, calls.shape.symmetric, False, calls.shape.active, calls.shape.active
    )
    status, row = contacts.responses(scr, shape, laws, n, 2, start, mem.w)
    if status != DONE:
        return status
    W = scr.W
    determinant = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
    # without this friction's pull the slip would change at this rate
    rate0 += pull * (W[0, 0] * c0 + W[0, 1] * c1) / length
    rate1 += pull * (W[1, 0] * c0 + W[1, 1] * c1) / length
    p0, p1 = -(W[1, 1] * c0 - W[0, 1] * c1) / determinant, -(W[0, 0] * c1 - W[1, 0] * c0) / determinant
    r0, r1 = -(W[1, 1] * rate0 - W[0, 1] * rate1) / determinant, -(W[0, 0] * rate1 - W[1, 0] * rate0) / determinant
    square, cross, rest = r0 * r0 + r1 * r1 - pull * pull, p0 * r0 + p1 * r1, p0 * p0 + p1 * p1
    root = cross * cross - square * rest
    if root < 0.0 or square >= 0.0:
        return DONE  # it cannot stop: the case analysis that follows says what happens
    delta = (-cross - np.sqrt(root)) / square
    for i in range(n):
        change = delta * reals[CHANGE, i]
        for k in range(2):
            force = (p0 + r0 * delta if k == 0 else p1 + r1 * delta) + pull * delta * (c0 if k == 0 else c1) / length
            change += scr.U[1 + k, i] * force
        y[i] += delta * (y[n + i] + 0.5 * change)
        y[n + i] += change
    real[T] += delta
    return DONE


@kernel
def go_on(calls, mem, real, whole, events, y):
    """The mode after what happened, with its events; (status, index)."""
    laws, mode, n = calls.laws, calls.mode, calls.shape.n
    state_functions(calls, mem, real[T], y)
    tiny = TINY * max(speed_scale(calls, y), 1e-3)
    for i in range(laws.contacts):
        wholes[OLD_CONTACT, i] = wholes[CONTACT, i]
        touches = wholes[CONTACT, i] == CLOSED or wholes[INVOLVED, i]
        wholes[CANDIDATE, i] = 1 if touches and not wholes[LEAVES, i] and reals[RATES, laws.bilateral + i] <= tiny else 0
    for j in range(laws.frictions):
        wholes[OLD_FRICTION, j] = wholes[FRICTION, j]
        slip = laws.layout[SLIP_START, j] - laws.bilateral
        size = abs(mem.L[slip]) if laws.layout[SLIP_DIM, j] == 1 else np.hypot(mem.L[slip], mem.L[slip + 1])
        wholes[RESTING, j] = 1 if wholes[RESTING, j] or size <= tiny else 0
    status, row, cases = settle(
        mem.F, mem.L, laws, mode, mem.candidate, mem.resting, mem.may_stick, n, calls.shape.symmetric, mem.w, mem.scr
    )
    if status != DONE:
        return status, row
    if cases != 1:
        return (NO_CASE if cases == NO_SOLUTION else TWO_CASES if cases == SEVERAL else TOO_MANY_CASES), 0
    note_changes(calls, mem, real, whole, events, y)
    return DONE, 0


@kernel
def note_changes(calls, mem, real, whole, events, y):
    """Events for what the new mode changes, and what the guards of the next step begin with at zero."""
    laws, mode, at = calls.laws, calls.mode, calls.guard_count
    t = real[T]
    for i in range(laws.contacts):
        g = at + i
        wholes[POWER, g] = 0
        if wholes[CONTACT, i] == OPEN and (wholes[OLD_CONTACT, i] == CLOSED or wholes[INVOLVED, i]):
            wholes[POWER, g] = 3 if wholes[CANDIDATE, i] or wholes[LEAVES, i] else 1
        if wholes[CONTACT, i] != wholes[OLD_CONTACT, i] and not (wholes[CONTACT, i] == OPEN and wholes[INVOLVED, i]):
            record_event(events, whole, CONTACT if wholes[CONTACT, i] == CLOSED else LIFTOFF, i, t, 0.0, 0.0, 0.0, y, y)
    for j in range(laws.frictions):
        g = at + laws.contacts + j
        wholes[POWER, g] = 0
        wholes[FROM_REST, j] = 0
        if wholes[FRICTION, j] == SLIP:
            reals[EPSILON, j] = 1e-9 * max(speed_scale(calls, y), 1e-6)
            if wholes[RESTING, j]:
                wholes[POWER, g] = 1 if wholes[OLD_FRICTION, j] == SLIP else 2
                wholes[FROM_REST, j] = 1
        changed = wholes[FRICTION, j] != wholes[OLD_FRICTION, j] or (wholes[FRICTION, j] == SLIP and wholes[RESTING, j])
        if changed and wholes[FRICTION, j] != OFF:
            kind = STICKS if wholes[FRICTION, j] == STICK else SLIPS
            record_event(events, whole, kind, j, t, 0.0, 0.0, reals[MODE_DIR0, j], y, y)


@kernel
def clear_marks(calls, mem):
    for i in range(calls.laws.contacts):
        wholes[INVOLVED, i], wholes[LEAVES, i] = 0, 0
    for j in range(calls.laws.frictions):
        wholes[RESTING, j], wholes[MAY, j] = 0, 1


@kernel
def read_hits(calls, mem, real, whole, y, count, first):
    """What the roots at one instant mean, into the marks; a failure's status."""
    laws, mode, at = calls.laws, calls.mode, calls.guard_count
    clear_marks(calls, mem)
    s0 = mem.hits[first, 0]
    for r in range(first, count):
        if mem.hits[r, 0] - s0 > 1e-14:
            break
        g = int(mem.hits[r, 1]) - at
        if g < 0:
            continue
        if g < laws.contacts:
            if wholes[CONTACT, g] == OPEN:
                wholes[INVOLVED, g] = 1
            else:
                wholes[LEAVES, g] = 1
            continue
        g -= laws.contacts
        if g < laws.frictions:
            if wholes[FRICTION, g] == STICK:
                wholes[MAY, g] = 0
                wholes[RESTING, g] = 1
            else:
                wholes[RESTING, g] = 1
                if laws.layout[SLIP_DIM, g] == 2:
                    status = stop_planar_slip(calls, mem, real, whole, y, g)
                    if status != DONE:
                        return status
            continue
        g -= laws.frictions
        if g < laws.frictions:
            reals[MODE_SIGN, g] = -reals[MODE_SIGN, g]
        else:
            return HELD_BROKEN
    return DONE


@kernel
def join_touching(calls, mem, y):
    """Contacts that touch as others collide take part, closed or not."""
    laws, mode = calls.laws, calls.mode
    for i in range(laws.contacts):
        if wholes[INVOLVED, i]:
            continue
        scale = 0.0
        for c in range(calls.shape.n):
            scale += abs(gaps[mem.P.shape[0] // (calls.shape.n + 1) + (laws.holonomic + i) * calls.shape.n + c] * y[c])
        near = abs(gaps[laws.holonomic + i]) <= 1e-13 * max(scale, 1e-2)
        if wholes[CONTACT, i] == CLOSED or (near and reals[RATES, laws.bilateral + i] <= 0.0):
            wholes[INVOLVED, i] = 1


@kernel
def happen(calls, mem, real, whole, events, y):
    """Impacts with what follows from them, then the mode; (status, index)."""
    laws = calls.laws
    some = False
    for i in range(laws.contacts):
        some |= wholes[INVOLVED, i] == 1
    if some:
        state_functions(calls, mem, real[T], y)
        join_touching(calls, mem, y)
        begun = whole[EVENTS]
        status, row = collide(calls, mem, real, whole, events, y, False)
        if status != DONE:
            return status, row
        status, row = end_cascades(calls, mem, real, whole, events, y, begun)
        if status != DONE:
            return status, row
    return go_on(calls, mem, real, whole, events, y)


@kernel
def end_cascades(calls, mem, real, whole, events, y, begun):
    """Zeno: contacts whose flights shrink to nothing are closed by an impact without rebound."""
    marks, reals, befores, afters = events
    ending = np.inf
    which = -1
    for e in range(begun, whole[EVENTS]):
        end = accumulates(calls, mem, real, marks[e, 1])
        if end < ending:
            ending, which = end, marks[e, 1]
    if which < 0:
        return DONE, 0
    for i in range(calls.laws.contacts):
        if calls.wholes[CONTACT, i] == OPEN and i != which:
            wholes[INVOLVED, i] = 0
    status, row = collide(calls, mem, real, whole, events, y, True)
    if status != DONE:
        return status, row
    wholes[DECAYS, which] = 0
    record_event(events, whole, CHATTER, which, ending, 0.0, 0.0, 0.0, mem.tab.reals[EVENT], y)
    return DONE, 0


@kernel
def take_until(calls, mem, real, whole, samples, sampled, modes, until, inclusive):
    """Samples of the step just made, up to `until`."""
    laws, mode = calls.laws, calls.mode
    h = real[T_NEW] - real[T]
    while whole[SAMPLE] < samples.shape[0]:
        at = samples[whole[SAMPLE]]
        if at > until or (at == until and not inclusive):
            return True
        row = sampled[whole[SAMPLE]]
        if at >= real[T_NEW]:
            for i in range(calls.size):
                row[i] = bank[NEW, i]
        else:
            dense_at(mem, (at - real[T]) / h, calls.size, row)
            if not project(calls, mem, real, whole, at, row):
                return False
        mark_mode(laws, mode, modes[whole[SAMPLE]])
        whole[SAMPLE] += 1
    return True


@kernel
def mark_mode(laws, mode, out):
    for i in range(laws.contacts):
        out[i] = wholes[CONTACT, i]
    for j in range(laws.frictions):
        out[laws.contacts + j] = wholes[FRICTION, j]


@kernel
def resume(calls, mem, real, whole, samples, sampled, modes):
    """The state in its new mode: projected, its slope taken, samples at this very instant written."""
    whole[core.RANK_PHI], whole[core.RANK_PSI] = -1, -1
    if not project(calls, mem, real, whole, real[T], bank[OLD]):
        return PROJECTION_FAILED
    for i in range(calls.size):
        bank[LARGEST, i] = max(bank[LARGEST, i], abs(bank[OLD, i]))
    while whole[SAMPLE] < samples.shape[0] and samples[whole[SAMPLE]] <= real[T]:
        for i in range(calls.size):
            sampled[whole[SAMPLE], i] = bank[OLD, i]
        mark_mode(calls.laws, calls.mode, modes[whole[SAMPLE]])
        whole[SAMPLE] += 1
    return evaluate(calls, mem, whole, real[T], bank[OLD], False, bank[K])


@kernel
def commit_step(calls, mem, real, whole, recorded):
    if recorded.shape[0] > 0:
        r = whole[RECORDED]
        recorded[r, 0], recorded[r, 1] = real[T], real[T_NEW]
        for c in range(8):
            for i in range(calls.size):
                recorded[r, 2 + c * calls.size + i] = bank[DENSE + c, i]
        whole[RECORDED] += 1
    for j in range(calls.laws.frictions):
        wholes[FROM_REST, j] = 0


@kernel
def event_in_step(calls, mem, real, whole, events, samples, sampled, modes, recorded, count):
    """Deal with the roots of a step: record the model's own, stop at the first that ends it; (status, index, ended)."""
    first = count
    for r in range(count):
        if ends(calls, int(mem.hits[r, 1]), mem.hits[r, 2]):
            first = r
            break
    h = real[T_NEW] - real[T]
    for r in range(min(first + 1, count)):
        g = int(mem.hits[r, 1])
        if g >= calls.guard_count or (calls.guard_kinds[g] == 2 and mem.hits[r, 2] > 0.0):
            continue
        dense_at(mem, mem.hits[r, 0], calls.size, mem.tab.reals[EVENT])
        project(calls, mem, real, whole, real[T] + mem.hits[r, 0] * h, mem.tab.reals[EVENT])
        if calls.guard_kinds[g] != 2:
            record_event(events, whole, CROSSING, g, real[T] + mem.hits[r, 0] * h, 0.0, 0.0, mem.hits[r, 2], mem.tab.reals[EVENT], mem.tab.reals[EVENT])
    if first == count:
        return DONE, 0, False
    s, g = mem.hits[first, 0], int(mem.hits[first, 1])
    t = real[T] + s * h
    if not take_until(calls, mem, real, whole, samples, sampled, modes, t, g < calls.guard_count):
        return PROJECTION_FAILED, 0, True
    if s < 1.0:
        dense_at(mem, s, calls.size, bank[TRY])
        if not project(calls, mem, real, whole, t, bank[TRY]):
            return PROJECTION_FAILED, 0, True
    else:
        for i in range(calls.size):
            bank[TRY, i] = bank[NEW, i]
    commit_step(calls, mem, real, whole, recorded)
    for i in range(calls.size):
        bank[OLD, i] = bank[TRY, i]
    real[T] = t
    if g < calls.guard_count:
        return (STOPPED_BY_EVENT if calls.guard_kinds[g] == 1 else MASS_NEGATIVE), g, True
    status = read_hits(calls, mem, real, whole, bank[OLD], count, first)
    if status != DONE:
        return status, g - calls.guard_count, True
    status, row = happen(calls, mem, real, whole, events, bank[OLD])
    return status, row, True


@kernel
def first_mode(calls, mem, real, whole, events):
    """The mode at the start: closed contacts press, gaps of zero that close collide at once."""
    laws, mode = calls.laws, calls.mode
    clear_marks(calls, mem)
    state_functions(calls, mem, real[T], bank[OLD])
    tiny = TINY * max(speed_scale(calls, bank[OLD]), 1e-3)
    for i in range(laws.contacts):
        reals[LAST_TIME, i], reals[LAST_FLIGHT, i], wholes[DECAYS, i] = real[T], 0.0, 0
        wholes[CONTACT, i] = OPEN
        if abs(gaps[laws.holonomic + i]) <= 1e-12:
            if reals[RATES, laws.bilateral + i] < -tiny:
                wholes[INVOLVED, i] = 1
            elif reals[RATES, laws.bilateral + i] <= tiny:
                wholes[CONTACT, i] = CLOSED
            else:
                wholes[POWER, calls.guard_count + i] = 1
    for j in range(laws.frictions):
        slip = laws.layout[SLIP_START, j] - laws.bilateral
        wholes[FRICTION, j] = OFF
        for c in range(laws.layout[SLIP_DIM, j]):
            mode.direction[j, c] = mem.L[slip + c]
    return happen(calls, mem, real, whole, events, bank[OLD])


@kernel
def hybrid_loop(base, mem, real, whole, samples, sampled, modes, events, recorded, most):
    laws = base.laws
    if whole[FRESH] == 1:
        status, row = first_mode(base, mem, real, whole, events)
        whole[core.ROW] = row
        if status != DONE:
            return status
        whole[EVENTS] = drop_quiet(events, whole[EVENTS])
        calls = in_mode(base, mem)
        status = resume(calls, mem, real, whole, samples, sampled, modes)
        if status != DONE:
            return status
        whole[FRESH] = 0
    calls = in_mode(base, mem)
    forces = needs_forces(laws, mem.tab)
    at_once, last = 0, -np.inf
    room = 4 * (laws.contacts + laws.frictions) + NODES * max(calls.guard_count, 1) + 4
    for _ in range(most):
        if real[T] >= real[T_END]:
            return FINISHED
        if events[0].shape[0] - whole[EVENTS] < room or (recorded.shape[0] > 0 and whole[RECORDED] >= recorded.shape[0]):
            return NEED_BUFFERS
        status = dop853_step(calls, mem, real, whole, -np.inf)
        if status != DONE and status != IS_STIFF:
            return status
        count, seen = search(calls, mem, real, whole, forces)
        if seen != DONE:
            return seen
        if count > 0:
            status, row, ended = event_in_step(
                calls, mem, real, whole, events, samples, sampled, modes, recorded, count
            )
            if status != DONE:
                whole[core.ROW] = row
                return status
            if ended:
                at_once = at_once + 1 if real[T] == last else 0
                last = real[T]
                if at_once > SAME_INSTANT:
                    return STUCK
                calls = in_mode(base, mem)
                forces = needs_forces(laws, mem.tab)
                status = resume(calls, mem, real, whole, samples, sampled, modes)
                if status != DONE:
                    return status
                continue
        if not take_until(calls, mem, real, whole, samples, sampled, modes, real[T_NEW], True):
            return PROJECTION_FAILED
        commit_step(calls, mem, real, whole, recorded)
        for g in range(guard_count(calls)):
            wholes[POWER, g] = 0
        for i in range(calls.size):
            bank[OLD, i] = bank[NEW, i]
            bank[K, i] = bank[K + 12, i]
            bank[LARGEST, i] = max(bank[LARGEST, i], abs(bank[NEW, i]))
        real[T] = real[T_NEW]
    return FINISHED if real[T] >= real[T_END] else CONTINUE


@kernel
def drop_quiet(events, count):
    """At the start only impacts and what they cause are events: a mode that is merely found is none."""
    marks, reals, befores, afters = events
    for e in range(count):
        if marks[e, 0] == IMPACT:
            return count
    return 0
