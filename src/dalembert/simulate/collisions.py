"""One impact on the way: its speeds, its energy, its events."""

from __future__ import annotations

from dalembert.motions.laws import ZHANG_MEI
from dalembert.simulate.complementarity import NO_SOLUTION, TOO_MANY
from dalembert.simulate.core import FROM_DYNAMICS, T, apart, kernel
from dalembert.simulate.events import ENERGY_GAIN, IMPACT, NO_CASE, TOO_MANY_CASES, record_event
from dalembert.simulate.impacts import governed_by, impact
from dalembert.simulate.linear import DONE
from dalembert.simulate.table import CHANGE, EVENT, INVOLVED, LAWS, NORMAL_IMPULSE, RATES
from dalembert.simulate.turning import kinetic_change, pass_through, turns

TINY = 1e-11  # of the largest speed: what counts as none


@kernel
def tiny_speed(calls, y):
    largest = 1e-3
    for i in range(calls.shape.n):
        largest = max(largest, abs(y[calls.shape.n + i]))
    return TINY * largest


@kernel
def first_involved(calls, mem):
    for i in range(calls.laws.contacts):
        if mem.tab.wholes[INVOLVED, i]:
            return i
    return -1


@kernel
def collide(calls, mem, real, whole, events, y, inelastic):
    """The impact of the INVOLVED contacts at y, as surveyed: its speeds changed, events recorded unless `inelastic`."""
    apart()
    laws, n, tab = calls.laws, calls.shape.n, mem.tab
    reals = tab.reals
    for i in range(laws.contacts if inelastic else 0):
        reals[LAWS, laws.rows - laws.bilateral + 3 * laws.frictions + i] = 0.0
    status, row, cases, energy = impact(tab, mem.outs[FROM_DYNAMICS], laws, n, calls.shape.symmetric, mem.w)
    if status != DONE:
        return status, row
    if cases in (NO_SOLUTION, TOO_MANY):
        return (NO_CASE if cases == NO_SOLUTION else TOO_MANY_CASES), 0
    for i in range(calls.size):
        reals[EVENT, i] = y[i]
    for i in range(n):
        y[n + i] += reals[CHANGE, i]
    turning = turns(calls, mem, real[T], y)
    if turning:
        status, row, cases = pass_through(calls, mem, real, y)
        if status != DONE or cases == NO_SOLUTION:
            return (status if status != DONE else NO_CASE), row
        energy = kinetic_change(calls, mem, y)
    level, strongest = 0.0, 0.0
    for i in range(laws.contacts):
        level = max(level, abs(reals[NORMAL_IMPULSE, i] * reals[RATES, laws.bilateral + i]))
        strongest = max(strongest, reals[NORMAL_IMPULSE, i])
    rounding = strongest * tiny_speed(calls, y)
    if energy > 1e-9 * level + rounding and not turning and not governed_by(tab, laws, ZHANG_MEI):
        return ENERGY_GAIN, first_involved(calls, mem)
    for i in range(0 if inelastic else laws.contacts):
        if reals[NORMAL_IMPULSE, i] > TINY * strongest:
            record_event(events, whole, IMPACT, i, real[T], reals[NORMAL_IMPULSE, i], energy, 0.0, reals[EVENT], y)
    return DONE, 0
