"""A motion at the instants at which it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dalembert.results.motion import Motion
from dalembert.view.stage import Stage
from dalembert.view.wrench import Levers


@dataclass(frozen=True)
class Frames:
    """States x at the drawn instants, and the drawn places and acting forces there. Sampled values are interpolated."""

    stage: Stage
    motion: Motion
    times: np.ndarray
    x: np.ndarray
    size: float
    drawn: dict[str, np.ndarray]
    acting: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def centres(self) -> dict[str, np.ndarray]:
        """The centres of the bodies."""
        return {name: self.drawn[f"body {name}"][:, :3] for name in self.stage.record.bodies}

    @cached_property
    def bodies(self) -> Levers:
        """The partial velocities and centres of the bodies, from which `wrench` finds forces on them."""
        return Levers(self.stage.partial(self.x), self.centres, self.size)

    @cached_property
    def at_samples(self) -> dict[str, np.ndarray]:
        """The drawn places at the samples themselves, without interpolation."""
        motion, names = self.motion, self.stage.names
        parts = [
            motion.times[:, None],
            *(rows[q][:, None] for rows in (motion.coordinates, motion.speeds) for q in names),
        ]
        parameters = self.x[0, 1 + 2 * len(names) :]
        rest = np.broadcast_to(parameters, (len(motion.times), len(parameters)))
        return self.stage.drawn(np.hstack([*parts, rest]))

    def on_line(self, place: np.ndarray, along: np.ndarray, force: np.ndarray) -> np.ndarray | None:
        """The named point that always lies on the line of action of a force, or None.

        Of several it is the hindmost, as the force points: a support pushes from below, a string pulls from its end.
        """
        length = np.linalg.norm(along, axis=1, keepdims=True)
        unit = np.divide(along, length, out=np.zeros_like(along), where=length > 0)
        best, hindmost = None, np.inf
        for name in self.stage.record.points:
            away = self.drawn[f"point {name}"] - place
            off = np.linalg.norm(away - np.sum(away * unit, axis=1, keepdims=True) * unit, axis=1).max(initial=0.0)
            ahead = float(np.sum(away * force))
            if off <= 1e-6 * self.size and ahead < hindmost:
                best, hindmost = self.drawn[f"point {name}"], ahead
        return best

    def named(self, place: np.ndarray) -> dict[str, str]:
        """The name of the point that always coincides with a place, if there is one."""
        for name in self.stage.record.points:
            if np.abs(self.drawn[f"point {name}"] - place).max(initial=0.0) <= 1e-6 * self.size:
                return {"point": name}
        return {}

    def sampled(self, values: np.ndarray) -> np.ndarray:
        """Values at the samples, interpolated at the instants."""
        order = np.argsort(self.motion.times, kind="stable")
        return np.interp(self.times, self.motion.times[order], np.asarray(values, float)[order])

    def modes(self, name: str) -> np.ndarray:
        """The mode of a contact or friction at every instant, in words."""
        order = np.argsort(self.motion.times, kind="stable")
        times, words = self.motion.times[order], self.motion.modes[name][order]
        at = np.clip(np.searchsorted(times, self.times, "right") - 1, 0, len(times) - 1)
        owner = name.removesuffix(".slip").rpartition(".")[2]
        events = np.sort([e.time for e in self.motion.events if e.name == owner and e.kind != "impact"])
        since = np.searchsorted(events, times[at], "right") < np.searchsorted(events, self.times, "right")
        return np.asarray(words[np.minimum(at + since, len(times) - 1)])
