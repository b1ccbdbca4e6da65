"""Guards of a mode: what must stay positive, and every place in a step where one of them does not.

    open contact g;  closed contact λ;  sticking (μ_s N)² − |R|² − |h|²;  slipping c·d, planar |c|² − ε²;
    the side on which a constraint presses a slip;  the share of the cone that held rows leave
A guard is seen at Chebyshev points of the step; where the polynomial through them does not follow it the step is made
again, shorter. All roots of the polynomial are isolated and then located on the motion to rounding of time.
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.laws import (
    BY_CONSTRAINT,
    HELD_COUNT,
    HELD_START,
    IS_ROUGH,
    PRESS_AT,
    PRESS_KIND,
    SLIP_DIM,
    SLIP_START,
)
from dalembert.simulate.complementarity import CLOSED, OPEN, SLIP, STICK
from dalembert.simulate.contacts import CREEPS, STOPPED, coefficient, slip_of, static_coefficient
from dalembert.simulate.core import FROM_GUARDS, NEW, T_NEW, T, accelerate, apart, call, kernel, load, shortened
from dalembert.simulate.core import SEEN as SEEN_STATE
from dalembert.simulate.dop853 import dense_at
from dalembert.simulate.linear import DONE, IN_NU
from dalembert.simulate.modes import dynamics_at, gap_of, gaps_at, laws_at
from dalembert.simulate.roots import NODES, PLACES, apart_by, filled, isolate, next_place, resolved
from dalembert.simulate.sliding import pressing
from dalembert.simulate.table import CONTACT, EPSILON, FRICTION, FROM_REST, MODE_DIR0, MODE_SIGN, POWER, SEEN

PASSED = 1e-12  # a gap below this has been passed, whatever its roots look like
GROWN = 10.0  # times that what is left over a step stands out from what it began with: rounding alone does not grow so
FAILS = 2  # a guard of the model that must not fall: a mass


@kernel
def needs_forces(laws, tab):
    """Whether a guard of this mode looks at reactions."""
    for i in range(laws.contacts):
        if tab.wholes[CONTACT, i] == CLOSED:
            return True
    for j in range(laws.frictions):
        if tab.wholes[FRICTION, j] == STICK and not laws.layout[IS_ROUGH, j]:
            return True
        slips = tab.wholes[FRICTION, j] == SLIP
        if slips and (laws.layout[PRESS_KIND, j] == BY_CONSTRAINT or laws.layout[HELD_COUNT, j] > 0):
            return True
    return False


@kernel
def guard_count(calls):
    """The model's own, then one for each contact and three for each friction."""
    return calls.guard_count + calls.laws.contacts + 3 * calls.laws.frictions


@kernel
def reaction_square(mem, first, count):
    square = 0.0
    for c in range(count):
        square += mem.w.vectors[IN_NU, first + c] ** 2
    return square


@kernel
def see_friction(calls, mem, j):
    """The guards of a friction: of its own mode, of the side on which it is pressed, of what it holds."""
    laws, layout, tab = calls.laws, calls.laws.layout, mem.tab
    nu = mem.w.vectors[IN_NU]
    own, side, cone = 1.0, 1.0, 1.0
    status = tab.wholes[FRICTION, j]
    held = reaction_square(mem, layout[HELD_START, j], layout[HELD_COUNT, j])
    if status == STICK and not layout[IS_ROUGH, j]:
        N = pressing(tab, laws, j, nu)
        own = static_coefficient(tab, laws, j) ** 2 * N * abs(N) - held
        own -= reaction_square(mem, layout[SLIP_START, j], layout[SLIP_DIM, j])
    elif status == SLIP:
        if layout[SLIP_DIM, j] == 1:
            own = slip_of(tab, laws, j, 0) * tab.reals[MODE_DIR0, j]
        elif tab.wholes[FROM_REST, j] == CREEPS:
            own = slip_of(tab, laws, j, 0) * tab.reals[MODE_DIR0, j]
            own += slip_of(tab, laws, j, 1) * tab.reals[MODE_DIR0 + 1, j]
        else:
            own = slip_of(tab, laws, j, 0) ** 2 + slip_of(tab, laws, j, 1) ** 2
            if not tab.wholes[FROM_REST, j]:
                own -= tab.reals[EPSILON, j] ** 2
        if layout[PRESS_KIND, j] == BY_CONSTRAINT:
            side = nu[layout[PRESS_AT, j]] * tab.reals[MODE_SIGN, j]
        if layout[HELD_COUNT, j] > 0:
            cone = (coefficient(tab, laws, j) * pressing(tab, laws, j, nu)) ** 2 - held
    at = calls.guard_count + laws.contacts + j
    tab.reals[SEEN, at] = own
    tab.reals[SEEN, at + laws.frictions] = side
    tab.reals[SEEN, at + 2 * laws.frictions] = cone


@kernel
def see(calls, mem, whole, t, y, forces):
    """Every guard at a state."""
    apart()
    laws, tab = calls.laws, mem.tab
    load(calls, mem, t, y)
    if calls.guard_count > 0:
        out = mem.outs[FROM_GUARDS]
        call(calls.guards, out.ctypes.data, mem.x.ctypes.data, calls.guards_data)
        for g in range(calls.guard_count):
            tab.reals[SEEN, g] = out[g]
    if laws.contacts > 0:
        gaps_at(calls, mem)
    if laws.frictions > 0 and not (forces and calls.shape.general):  # accelerations ask for them, too
        laws_at(calls, mem)
    if forces:
        dynamics_at(calls, mem)
        status, _ = accelerate(calls, mem, True, True)
        if status != DONE:
            return status
    for i in range(laws.contacts):
        is_open = tab.wholes[CONTACT, i] == OPEN
        tab.reals[SEEN, calls.guard_count + i] = (
            gap_of(calls, mem, i) if is_open else mem.w.vectors[IN_NU, laws.bilateral + i]
        )
    for j in range(laws.frictions):
        see_friction(calls, mem, j)
    return DONE


@kernel
def look(calls, mem, real, whole, s, forces):
    """Guards at the fraction s of the step just made."""
    apart()
    bank = mem.bank
    if s >= 1.0:
        for i in range(calls.size):
            bank[SEEN_STATE, i] = bank[NEW, i]
    else:
        dense_at(mem, s, calls.size, bank[SEEN_STATE])
    return see(calls, mem, whole, real[T] + s * (real[T_NEW] - real[T]), bank[SEEN_STATE], forces)


@kernel
def refined(calls, mem, real, whole, forces, g, a, b, at_a, at_b):
    """The root of guard g between the fractions a and b, to rounding of time."""
    apart()
    t, h = real[T], real[T_NEW] - real[T]
    x1, f1, x2, f2, x3, f3 = b, at_b, a, at_a, a, at_a
    for _ in range(200):
        if f1 == 0.0:
            return x1
        least = apart_by(t, h, x1, x2)
        s = next_place(x1, f1, x2, f2, x3, f3, least)
        if abs(x2 - x1) <= 2.1 * least or s in (x1, x2):
            break
        if look(calls, mem, real, whole, s, forces) != DONE:
            break
        value = mem.tab.reals[SEEN, g]
        if (value >= 0.0) == (f1 >= 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = s, value
    return max(x1, x2)


@kernel
def add_hit(mem, count, s, g, side):
    """Into the sorted list of roots."""
    place = count
    while place > 0 and mem.hits[place - 1, 0] > s:
        for c in range(3):
            mem.hits[place, c] = mem.hits[place - 1, c]
        place -= 1
    mem.hits[place, 0], mem.hits[place, 1], mem.hits[place, 2] = s, float(g), side


@kernel
def is_gap(calls, mem, g):
    i = g - calls.guard_count
    return 0 <= i < calls.laws.contacts and mem.tab.wholes[CONTACT, i] == OPEN


@kernel
def first_passed(values):
    """The first node at which a gap is below zero beyond rounding; a gap that begins there has no root to show it."""
    for k in range(1, NODES):
        if values[k] < -PASSED:
            return k
    return NODES


@kernel
def of_friction(calls, g):
    """Whether a guard is that of a friction's own mode."""
    j = g - calls.guard_count - calls.laws.contacts
    return 0 <= j < calls.laws.frictions


@kernel
def quiet(calls, mem, g):
    """Whether a slip is none in all of the step but for rounding: it creeps, or a stick elsewhere holds it too."""
    j = g - calls.guard_count - calls.laws.contacts
    if not of_friction(calls, g) or mem.tab.wholes[FRICTION, j] != SLIP:
        return False
    if calls.laws.layout[SLIP_DIM, j] != 1 and mem.tab.wholes[FROM_REST, j] != CREEPS:
        return False
    for k in range(NODES):
        if not STOPPED * abs(mem.values[g, k]) <= mem.tab.reals[EPSILON, j]:  # no speed at all
            return False
    return True


@kernel
def faint(calls, mem, g):
    """Whether a gap stays so small in all of the step that a shorter one would show its rounding, and no more of it."""
    if not is_gap(calls, mem, g):
        return False
    for k in range(NODES):
        if not abs(mem.values[g, k]) <= PASSED:
            return False
    return True


@kernel
def outside(values):
    """Whether what was left but for rounding as the step began is left for good: it has no root to show it.

    The event is put at the first node: at the very beginning no time would pass, and its cause could come again.
    """
    for k in range(NODES):
        if not values[k] < 0.0:
            return False
    return values[NODES - 1] < GROWN * values[0]


@kernel
def sign_change(values, first, a, b):
    """The node between a and b before which the sign changes; none is 0."""
    for k in range(first + 1, NODES):
        if PLACES[k - 1] >= a and PLACES[k] <= b and (values[k - 1] >= 0.0) != (values[k] >= 0.0):
            return k
    return 0


@kernel
def of_reactions(calls, mem, g):
    """Whether a guard is one of reactions: a closed contact's, or a friction's but for a slip that stops."""
    i = g - calls.guard_count
    if i < calls.laws.contacts:
        return i >= 0 and mem.tab.wholes[CONTACT, i] == CLOSED
    j = i - calls.laws.contacts
    return j >= calls.laws.frictions or mem.tab.wholes[FRICTION, j] != SLIP


@kernel
def roots_in_step(calls, mem, real, whole, forces, g, count):
    """Roots of one guard; only falling ones, but for the model's own guards."""
    apart()
    values, seen = mem.values[g], mem.tab.reals[SEEN]
    begins = mem.tab.wholes[POWER, g] > 0
    divided = mem.tab.wholes[POWER, g] - 1 if begins else 0
    for k in range(1, NODES if divided > 0 else 0):
        values[k] /= PLACES[k] ** divided
    brackets = mem.hits[mem.hits.shape[0] - NODES :]
    forces = forces and of_reactions(calls, mem, g)
    found, earliest = isolate(values, begins, mem.stack, brackets), np.inf
    for r in range(found):
        a, b = brackets[r, 0], brackets[r, 1]
        k = sign_change(values, 1 if begins else 0, a, b)
        if k > 0:  # both ends were seen
            a, b = PLACES[k - 1], PLACES[k]
            at_a, at_b = values[k - 1] * a**divided, values[k] * b**divided
        else:
            if look(calls, mem, real, whole, b, forces) != DONE:
                continue
            at_b = seen[g]
            at_a = -at_b
            if not (a == 0.0 and begins):
                if look(calls, mem, real, whole, a, forces) != DONE:
                    continue
                at_a = seen[g]
        if (at_a >= 0.0) == (at_b >= 0.0) or (g >= calls.guard_count and at_b >= 0.0):
            continue
        if count < mem.hits.shape[0] - NODES:
            s = refined(calls, mem, real, whole, forces, g, a, b, at_a, at_b)
            add_hit(mem, count, s, g, 1.0 if at_b >= 0.0 else -1.0)
            earliest = min(earliest, s)
            count += 1
    if of_friction(calls, g) and found == 0 and not begins and outside(values):
        add_hit(mem, count, PLACES[1], g, -1.0)
        count += 1
    if is_gap(calls, mem, g):
        k = first_passed(values)
        place = PLACES[min(k, NODES - 1)]
        if k < NODES and earliest > place:
            s = refined(calls, mem, real, whole, forces, g, 0.0, place, 1.0, values[k])
            add_hit(mem, count, s, g, -1.0)
            count += 1
    return count


@kernel
def ends(calls, g, side):
    """Whether a root of guard g ends the step: those of the mode do, the model's own where they stop or fail."""
    if g >= calls.guard_count:
        return True
    return calls.guard_kinds[g] == 1 or (calls.guard_kinds[g] == FAILS and side < 0.0)


@kernel
def look_at_nodes(calls, mem, real, whole, forces, first):
    """Guards at every second node."""
    apart()
    for k in range(first, NODES, 2):
        status = look(calls, mem, real, whole, PLACES[k], forces)
        if status != DONE:
            return status
        for g in range(guard_count(calls)):
            mem.values[g, k] = mem.tab.reals[SEEN, g]
    return DONE


@kernel
def search(calls, mem, real, whole, forces):
    """Roots of all guards in the step: how many, and the status; −1 where the step must be made again, shorter."""
    guards = guard_count(calls)
    status = look_at_nodes(calls, mem, real, whole, forces, 0)
    polynomial = status == DONE
    for g in range(guards):
        polynomial = polynomial and filled(mem.values[g])
    if status == DONE and not polynomial:
        status = look_at_nodes(calls, mem, real, whole, forces, 1)
    if status != DONE:
        return 0, status
    followed = True
    for g in range(guards if not polynomial else 0):
        followed = followed and (resolved(mem.values[g]) or quiet(calls, mem, g) or faint(calls, mem, g))
    if shortened(real, whole, followed):
        return -1, DONE
    count = 0
    for g in range(guards):
        if not quiet(calls, mem, g):
            count = roots_in_step(calls, mem, real, whole, forces, g, count)
    return count, DONE
