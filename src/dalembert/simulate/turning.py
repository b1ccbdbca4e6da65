"""Impacts in which rows turn with the speeds: constraints, slips or reversed quantities that are not linear in them.

C(v) turns while v goes from v⁻ to v⁺, so one linear problem does not do (errata to ZhangMei (2.10)). With the rates
that are reversed and the laws held as before it, dv/ds is what the linear problem at v would change, s from 0 to 1.
"""

from __future__ import annotations

from dalembert.simulate.complementarity import NO_SOLUTION, SOLVED
from dalembert.simulate.contacts import sizes
from dalembert.simulate.core import FROM_DYNAMICS, FROM_VELOCITY, K, T, apart, call, kernel, load
from dalembert.simulate.impacts import impact
from dalembert.simulate.linear import DONE
from dalembert.simulate.modes import survey
from dalembert.simulate.table import CHANGE, EVENT, FREE, LAWS, NORMAL_IMPULSE, RATES, SEEN

PATH = 256  # steps through an impact


@kernel
def turns(calls, mem, t, y):
    """Whether the rates after an impact, at y, are not what its linear problem says."""
    apart()
    laws, n, tab = calls.laws, calls.shape.n, mem.tab
    at_A = sizes(n, calls.shape.symmetric) + n
    load(calls, mem, t, y)
    out = mem.outs[FROM_VELOCITY]
    call(calls.velocity, out.ctypes.data, mem.x.ctypes.data, calls.velocity_data)
    for r in range(laws.rows):
        rate, scale = tab.reals[RATES, r], 1e-3 + abs(tab.reals[RATES, r])
        for c in range(n):
            change = tab.F[at_A + r * n + c] * tab.reals[CHANGE, c]
            rate += change
            scale += abs(change)
        if abs(out[r] - rate) > 1e-10 * scale:
            return True
    return False


@kernel
def pass_through(calls, mem, real, y):
    """The speeds after it into y, by Runge and Kutta's fourth order; statuses. Impulses are averaged over the way."""
    apart()
    laws, n, reals, bank = calls.laws, calls.shape.n, mem.tab.reals, mem.bank
    rates, kept, speeds, length = reals[SEEN], reals[FREE], bank[K + 5], 1.0 / PATH
    for r in range(reals.shape[1]):
        rates[r], kept[r] = (reals[RATES, r] if r >= laws.bilateral else 0.0), reals[LAWS, r]
    for i in range(n):
        speeds[i] = reals[EVENT, n + i]
    for i in range(laws.contacts):
        mem.hits[i, 2] = 0.0
    for step in range(4 * PATH):
        stage = step % 4
        along = 0.0 if stage == 0 else (length if stage == 3 else 0.5 * length)
        weight = length * (1.0 if stage == 0 or stage == 3 else 2.0) / 6.0
        for i in range(n):
            y[n + i] = speeds[i] + along * bank[K + stage, i]
        survey(calls, mem, real[T], y)
        for r in range(reals.shape[1]):
            reals[RATES, r], reals[LAWS, r] = rates[r], kept[r]
        status, row, cases, _ = impact(mem.tab, mem.outs[FROM_DYNAMICS], laws, n, calls.shape.symmetric, mem.w)
        if status != DONE or cases == NO_SOLUTION:
            return status, row, NO_SOLUTION
        for i in range(laws.contacts):
            mem.hits[i, 2] += weight * reals[NORMAL_IMPULSE, i]
        for i in range(n):
            bank[K + 1 + stage, i] = reals[CHANGE, i]
        if stage == 3:
            for i in range(n):
                middle = bank[K + 2, i] + bank[K + 3, i]
                speeds[i] += length * (bank[K + 1, i] + 2.0 * middle + bank[K + 4, i]) / 6.0
    for i in range(n):
        y[n + i] = speeds[i]
    for i in range(laws.contacts):
        reals[NORMAL_IMPULSE, i] = mem.hits[i, 2]
    return DONE, 0, SOLVED


@kernel
def kinetic_change(calls, mem, y):
    """½ Δvᵀ D (v⁺ + v⁻)."""
    n, F, before = calls.shape.n, mem.outs[FROM_DYNAMICS], mem.tab.reals[EVENT]
    gained, place = 0.0, 0
    for i in range(n):
        for j in range(i if calls.shape.symmetric else 0, n):
            entry = F[place] if i == j or not calls.shape.symmetric else 2.0 * F[place]
            gained += 0.5 * entry * (y[n + i] * y[n + j] - before[n + i] * before[n + j])
            place += 1
    return gained
