"""The plain engine: one motion after the other, by the functions that compute a single motion.

The other engines are compared with it, and hand it the motions that they cannot follow. Extremes and searched crossings
are first located on a fine grid of times, then on ever finer grids around the best place. The values come from the
stepper's interpolant if it has one; otherwise the motion is computed again at those times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.prepared import Start
from dalembert.programs.functions import Function, compiled
from dalembert.results.motion import Motion
from dalembert.sweep.ensemble import FAILED, FINISHED, REFUSED, STOPPED, Ensemble, Outcome, Record
from dalembert.sweep.quantities import inputs, multipliers

SAMPLES = 501  # at which the energy's drift is measured
SCAN = 1000  # times of the first search for an extreme; more if the motion has more steps
A_STEP = 8  # of these times per step
MOST_SCAN = 200_000
PEAKS = 8  # the highest peaks that are refined
ZOOM, ROUNDS = 33, 10  # times on a finer grid, and number of refinements


class Halt(Exception):
    """Raised inside a motion to abandon it."""


@dataclass
class Reference:
    """`simulate` is `api.motion.simulate_from`, which computes a motion from a compiled start."""

    simulate: Callable[..., Motion]
    _code: dict[Any, Function] = field(default_factory=dict, repr=False)

    def refusal(self, ensemble: Ensemble) -> str | None:
        return None

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        return 1, 1

    def run(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        outcome = Outcome.blank(ensemble.size, ensemble.columns)

        def watch(_: float) -> None:
            if stop():
                raise Halt

        for i in range(ensemble.size):
            if stop():
                break
            try:
                outcome.status[i], outcome.values[i] = self._one(ensemble, i, watch)
            except Halt:
                outcome.values[i] = np.nan
                break
            except (ModelError, MathematicsError) as error:
                outcome.status[i] = REFUSED if isinstance(error, ModelError) else FAILED
                outcome.sentences[i] = str(error)
        return outcome

    def _one(self, ensemble: Ensemble, i: int, watch: Callable[[float], None]) -> tuple[int, np.ndarray]:
        start = ensemble.prepared.at(ensemble.settings(i), ensemble.strict)
        course = _Course(self, ensemble, start, watch)
        row = np.concatenate([course.value(record) for record in ensemble.records] or [np.zeros(0)])
        return (STOPPED if course.motion.status == "stopped" else FINISHED), row

    def function(self, ensemble: Ensemble) -> Function:
        """The quantities, compiled once for all ensembles that share them."""
        key = (id(ensemble.prepared), ensemble.quantities)
        if key not in self._code:
            expressions = [quantity.expression for quantity in ensemble.quantities]
            self._code[key] = compiled(inputs(ensemble.prepared), expressions)
        return self._code[key]


class _Course:
    """One motion and the values of its records."""

    def __init__(self, engine: Reference, ensemble: Ensemble, start: Start, watch: Callable[[float], None]) -> None:
        self.engine, self.ensemble, self.start, self.watch = engine, ensemble, start, watch
        kinds = {record.kind for record in ensemble.records}
        span = ensemble.span
        times = list(span.samples)
        if "drift" in kinds:
            times += np.linspace(span.start, span.end, SAMPLES).tolist()
        searching = bool(kinds & {"max", "min"}) or any(r.kind == "crossing" and not r.event for r in ensemble.records)
        self.motion = self._simulated(np.unique([*times, span.end]), dense=searching)
        self.reached = span.end
        if self.motion.status == "stopped":
            assert self.motion.reach is not None
            self.reached = self.motion.reach[1]

    def _simulated(self, at: np.ndarray | None, dense: bool = False) -> Motion:
        span = self.ensemble.span
        how: dict[str, Any] = {"samples": 2} if at is None else {"at": at}
        return self.engine.simulate(
            self.start, until=span.end, tolerance=span.tolerance, stepper=span.stepper, step=span.step, dense=dense,
            progress=self.watch, **how,
        )  # fmt: skip

    @cached_property
    def samples(self) -> np.ndarray:
        """All quantities at the samples that were reached."""
        return self._rows(self.motion)

    @cached_property
    def last(self) -> np.ndarray:
        """All quantities at the end."""
        return (self._rows(self._simulated(None)) if self.motion.status == "stopped" else self.samples)[-1]

    def _rows(self, motion: Motion) -> np.ndarray:
        """All quantities at the samples of a motion."""
        names = self.start.system.equations.coordinates
        forces = [motion.accelerations[name] for name in names]
        forces += [motion.multipliers[name] for name in multipliers(self.ensemble.prepared)]
        q, v = ([arrays[name] for name in names] for arrays in (motion.coordinates, motion.speeds))
        z = [motion.multipliers[name] for name in self.start.system.multiplier_names[: self.start.system.k]]
        carried = {**motion.states, **motion.inputs}
        z += [carried[str(symbol)] for symbol in self.start.system.equations.followed]
        return self._evaluated(motion.times, np.array(q).T, np.array(v).T, np.array(z).T, np.array(forces).T)

    def _evaluated(self, t: Any, q: Any, v: Any, z: Any, forces: Any) -> np.ndarray:
        x = self.start.system.state(np.asarray(t, float), q, v, z)
        return self.engine.function(self.ensemble)(np.hstack([x, np.asarray(forces).reshape(len(x), -1)]))

    def value(self, record: Record) -> np.ndarray:
        """The numbers of one record."""
        j = -1 if record.quantity is None else self.ensemble.quantities.index(record.quantity)
        match record.kind:
            case "final":
                return self.last[j : j + 1]
            case "at":
                known = dict(zip(self.motion.times.tolist(), self.samples[:, j].tolist(), strict=True))
                return np.array([known.get(t, np.nan) for t in record.times])
            case "max":
                return np.array([self._greatest(j, 1.0)])
            case "min":
                return np.array([-self._greatest(j, -1.0)])
            case "crossing":
                return np.array([self._crossing(record, j)])
            case "events":
                return np.array([float(self._count(record))])
            case "drift":
                return np.array([self.motion.diagnostics.energy_drift])
        raise ValueError(f"{record.kind!r} is no kind of record")

    def _count(self, record: Record) -> int:
        return sum(
            event.name not in self.ensemble.added
            and record.event_kind in ("", event.kind)
            and record.event_name in ("", event.name)
            for event in self.motion.events
        )

    def _grid(self) -> np.ndarray:
        count = min(max(SCAN, A_STEP * self.motion.diagnostics.steps), MOST_SCAN)
        return np.linspace(self.ensemble.span.start, self.reached, count + 1)

    def _seen(self, j: int, times: np.ndarray, after: bool = True) -> np.ndarray:
        """Quantity j at ascending times."""
        system = self.start.system
        if self.motion.dense is None or self.ensemble.quantities[j].forces or system.k or system.s:
            return self._rows(self._simulated(times))[:, j]
        q, v = self.motion.dense(times, after)
        none = np.zeros((len(times), len(inputs(self.ensemble.prepared)) - len(self.start.x)))
        return self._evaluated(times, q, v, (), none)[:, j]

    def _scan(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Ascending times and quantity j there, including both sides of every jump."""
        times = self._grid()
        jumps = np.unique([e.time for e in self.motion.events if e.kind != "crossing" and e.time <= self.reached])
        times = np.unique(np.concatenate([times, jumps]))
        values = self._seen(j, times)
        times = times[: len(values)]
        if len(jumps) and self.motion.dense is not None and not self.ensemble.quantities[j].forces:
            before = self._seen(j, jumps, after=False)
            order = np.argsort(np.concatenate([times, jumps]), kind="stable")
            values = np.concatenate([values, before])[order]
            times = np.concatenate([times, jumps])[order]
        return times, values

    def _greatest(self, j: int, sign: float) -> float:
        """The greatest value after refining the highest peaks of the grid, since the highest one need not be the
        greatest.
        """
        times, values = self._scan(j)
        values = np.where(np.isnan(values), -np.inf, sign * values)
        higher = np.concatenate([[-np.inf], values[:-1]]), np.concatenate([values[1:], [-np.inf]])
        peaks = np.flatnonzero((values >= higher[0]) & (values >= higher[1]))
        peaks = peaks[np.argsort(-values[peaks], kind="stable")][:PEAKS].tolist()
        found = float(sign * self.last[j])
        for peak in peaks:
            low, high = times[max(peak - 1, 0)], times[min(peak + 1, len(times) - 1)]
            found = max(found, float(values[peak]), self._refined(j, sign, float(low), float(high)))
        return found

    def _refined(self, j: int, sign: float, low: float, high: float) -> float:
        found = -np.inf
        for _ in range(ROUNDS):
            if not low < high:
                break
            times = np.unique(np.linspace(low, high, ZOOM))
            values = sign * self._seen(j, times)
            best = int(np.nanargmax(values))
            if not values[best] > found:
                break
            found = float(values[best])
            low, high = times[max(best - 1, 0)], times[min(best + 1, len(times) - 1)]
        return found

    def _crossing(self, record: Record, j: int) -> float:
        if record.event:
            for event in self.motion.events:
                right_way = not record.direction or event.direction == record.direction
                if event.name == record.event and right_way and event.time > self.ensemble.span.start:
                    return float(event.time)
            return np.nan
        times, values = self._scan(j)
        values = values - record.value
        for _ in range(ROUNDS):
            place = _passed(values, record.direction)
            if place is None:
                return np.nan
            low, high = times[place], times[place + 1]
            times = np.unique(np.linspace(low, high, ZOOM))
            if len(times) < 3:
                break
            values = self._seen(j, times) - record.value
        return float(high)


def _passed(values: np.ndarray, direction: int) -> int | None:
    """The first place after which the sign changes in the given direction. A zero belongs to the side after it."""
    before, after = values[:-1], values[1:]
    rising, falling = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
    found = np.flatnonzero(rising if direction > 0 else falling if direction < 0 else rising | falling)
    return int(found[0]) if len(found) else None
