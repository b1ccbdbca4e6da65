"""Events of motions with contacts: their kinds, how one can fail, and their record."""

from __future__ import annotations

from dalembert.simulate.core import EVENTS, apart, kernel

ENERGY_GAIN, NO_CASE, TWO_CASES, TOO_MANY_CASES, HELD_BROKEN = 21, 22, 23, 24, 25  # statuses
IMPACT, LIFTOFF, CONTACT_MADE, STICKS, SLIPS, CHATTER, CROSSING = range(7)  # kinds, as in `hybrid_drive.KINDS`


@kernel
def record_event(events, whole, kind, index, t, impulse, energy, side, before, after):
    apart()
    marks, reals, befores, afters = events
    e = whole[EVENTS]
    marks[e, 0], marks[e, 1] = kind, index
    reals[e, 0], reals[e, 1], reals[e, 2], reals[e, 3] = t, impulse, energy, side
    for i in range(befores.shape[1]):
        befores[e, i], afters[e, i] = before[i], after[i]
    whole[EVENTS] += 1
