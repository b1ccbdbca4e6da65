"""Follows quantities along random motions at two tolerances. A conserved quantity drifts less at the finer one.

A drift is the largest change of a quantity within a motion (between events, if there are any), relative to the size of
its terms at the start. Motions start at random admissible states; the last one has other values of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array, Flow, Home
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.analysis.question import Limit
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.motions.raw import uninterrupted
from dalembert.motions.span import TimeSpan

COARSE, FINE = 1e-6, 1e-11
SAMPLES = 61
MOTIONS, LEAST = 4, 2  # number of motions, and the number that is followed even if the time is over
LONGEST = 4.0  # duration of a motion, in units of its own time scale
TURNS = 100.0  # largest change of the fastest coordinate in that time
STEPS = 5000  # of one motion; then the part that exists is used. Motions without a singularity need far fewer


@dataclass(frozen=True, slots=True)
class Drift:
    """The largest relative drift over all motions, at both tolerances. `motions` is their number."""

    coarse: float
    fine: float
    motions: int

    @property
    def conserved(self) -> bool:
        """Whether the drift is tiny at the finer tolerance, or clearly smaller than at the coarser one."""
        return self.fine <= 1e-7 or (self.fine <= 1e-4 and self.fine <= 1e-2 * self.coarse)


def drifts(
    flow: Flow,
    home: Home,
    expressions: Sequence[Any],
    duration: float,
    limit: Limit,
    general: bool = True,
    seed: int = 21,
) -> list[Drift]:
    """The drift of every expression along motions of a smooth flow."""
    eq, count = flow.equations, len(expressions)
    code = FlowQuantities(eq, expressions)
    chance = np.random.default_rng(seed)
    states = flow.states(home, MOTIONS, chance)
    starts = list(states.x)
    if general and len(home.p):
        values = (home.p * chance.uniform(0.7, 1.4, len(home.p)))[None]
        with suppress(MathematicsError):  # no state for those values: keep the motion with the model's own
            starts[-1] = flow.grouped(home, values, 1, chance)[0].x[0]
    worst = np.zeros((2, count))
    followed = 0
    for number, x in enumerate(starts):
        if number >= LEAST and limit.over:
            break
        both = [_followed(flow, x, duration, tolerance) for tolerance in (COARSE, FINE)]
        reached = min((len(rows) for rows in both), default=0)
        if reached < 5:
            continue
        followed += 1
        for i, rows in enumerate(both):
            worst[i] = np.maximum(worst[i], _changes(code, rows[:reached]))
    return [Drift(float(c), float(f), followed) for c, f in worst.T]


def _changes(code: FlowQuantities, rows: Array) -> Array:
    value, level = code.levels(rows)
    return np.abs(value - value[0]).max(axis=0) / np.maximum(level.max(axis=0), 1e-300)


def _followed(flow: Flow, x: Array, duration: float, tolerance: float) -> Array:
    """States of the motion from x, as far as it gets."""
    from dalembert.motions.one import integrate

    system = flow.system.valued(x[1 + 2 * flow.system.n + flow.system.k :])
    times = np.linspace(x[0], x[0] + duration, SAMPLES)
    y = x[1 : 1 + system.size].copy()  # first-order states are the first parameters of x
    raw = integrate(system, y, TimeSpan(float(x[0]), float(times[-1]), times, tolerance, "dop853", most_steps=STEPS))
    if raw.steps < STEPS:
        uninterrupted(raw)
    return system.along(raw.times, raw.states)


def hybrid_drifts(
    eq: Equations,
    home: Home,
    expressions: Sequence[Any],
    duration: float,
    limit: Limit,
    flow: Flow,
    opened: Sequence[int],
    seed: int = 22,
) -> list[Drift]:
    """The same with impacts, stick and slip: changes within the pieces between events that have the mode of `flow`."""
    from dalembert.motions.unilateral import HybridSystem

    hybrid = HybridSystem(eq).valued(home.p)
    code = FlowQuantities(eq, expressions)
    worst = np.zeros((2, len(expressions)))
    followed = 0
    for number, start in enumerate(_starts(flow, home, np.random.default_rng(seed))):
        if number >= LEAST and limit.over:
            break
        both = [_pieces(hybrid, home, start, duration, tolerance, opened) for tolerance in (COARSE, FINE)]
        if not all(both):
            continue
        followed += 1
        for i, pieces in enumerate(both):
            for rows in pieces:
                worst[i] = np.maximum(worst[i], _changes(code, rows))
    return [Drift(float(c), float(f), followed) for c, f in worst.T]


def _starts(flow: Flow, home: Home, chance: np.random.Generator) -> Iterator[Array]:
    """The model's own start, then others near it in the same mode."""
    from dalembert.motions.initial import consistent

    given = np.ones(len(home.v), bool)
    system = flow.system.valued(home.p)
    size = max(1.0, float(np.abs(home.v).max(initial=0.0)))
    for spread in (0.0, 0.1, 0.2, 0.3):
        v = home.v + spread * size * chance.normal(size=len(home.v))
        try:
            q, v, _ = consistent(system, home.q, v, given, False, home.t)
        except MathematicsError:
            continue
        yield np.concatenate([q, v, system.parameters[: system.s]])


def _pieces(
    hybrid: Any, home: Home, start: Array, duration: float, tolerance: float, opened: Sequence[int]
) -> list[Array]:
    from dalembert.motions.contact import run_hybrid

    times = np.linspace(home.t, home.t + duration, 4 * SAMPLES)
    try:
        motion = run_hybrid(hybrid, start, TimeSpan(home.t, float(times[-1]), times, tolerance, most_steps=STEPS))
    except ModelError:  # a gap that is closed and closing: no motion starts so
        return []
    if motion.steps < STEPS:
        uninterrupted(motion)
    cuts = sorted({event.time for event in motion.events if event.kind != "crossing"})
    owner = np.searchsorted(cuts, motion.times, side="right")
    count = hybrid.laws.contacts
    mode = np.array([i not in opened for i in range(count)])
    inside = ~np.isin(motion.times, cuts) & ((motion.modes[:, :count] != 0) == mode).all(axis=1)
    rows = hybrid.system.along(motion.times, motion.states)
    return [rows[(owner == i) & inside] for i in np.unique(owner) if ((owner == i) & inside).sum() > 1]
