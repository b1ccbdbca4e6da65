"""The result of a stepper: arrays at the samples, events, counts, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dalembert.programs.system import CompiledSystem
from dalembert.results.events import MadeOnRead

if TYPE_CHECKING:
    from dalembert.results.motion import Motion


@dataclass(frozen=True, slots=True)
class Crossing:
    """An event of the motion: its guard, its time, the direction of its zero crossing, and the state there."""

    time: float
    name: str
    direction: int
    stop: bool
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Crossings(MadeOnRead[Crossing]):
    """The events of a smooth motion, kept as the columns of the compiled loop."""

    system: CompiledSystem
    times: np.ndarray
    which: np.ndarray  # index among the model's events
    direction: np.ndarray
    states: np.ndarray  # (q, v, z)

    def __len__(self) -> int:
        return len(self.times)

    def one(self, place: int) -> Crossing:
        n, y = self.system.n, self.states[place]
        name, (_, stop) = list(self.system.equations.events.items())[self.which[place]]
        return Crossing(
            float(self.times[place]), name, int(self.direction[place]), stop, y[:n], y[n : 2 * n], y[2 * n :]
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KinkTurns:
    """The events at kinks: the kink, and its new side (0 if the motion slides along it).

    `energy` is the gain by a jump of the speeds there, or NaN if there was no jump.
    """

    names: tuple[str, ...]
    which: np.ndarray
    times: np.ndarray
    side: np.ndarray
    energy: np.ndarray
    before: np.ndarray  # states (q, v, z)
    after: np.ndarray

    @property
    def jumps(self) -> np.ndarray:
        """Which of them changed the speeds."""
        return ~np.isnan(self.energy)


@dataclass(frozen=True, slots=True)
class Dense:
    """The interpolants of all steps, as a function of time (not projected between the ends of steps). Each is valid
    from its start to the start of the next.
    """

    starts: np.ndarray
    ends: np.ndarray  # ends of the steps as computed, before an event cut them
    coefficients: np.ndarray  # steps, 8, size

    def __call__(self, t: float | np.ndarray, after: bool = True) -> np.ndarray:
        """At an event, the state after it, or the one before."""
        t = np.asarray(t, dtype=float)
        step = np.searchsorted(self.starts, t.ravel(), "right" if after else "left") - 1
        step = np.clip(step, 0, len(self.starts) - 1)
        s = (t.ravel() - self.starts[step]) / (self.ends[step] - self.starts[step])
        return interpolated(self.coefficients[step], s).reshape(*t.shape, self.coefficients.shape[-1])


def interpolated(c: np.ndarray, s: np.ndarray) -> np.ndarray:
    """DOP853's interpolant of seventh degree at the fractions s of steps with the coefficients c."""
    s = s[:, None]
    y = np.zeros_like(c[:, 0])
    for r in range(6, -1, -1):
        y = (y + c[:, r]) * (s if r % 2 == 0 else 1 - s)
    return c[:, 7] + y


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A motion as computed. `status` is finished, stopped, interrupted or failed; `message` tells the reason."""

    status: str
    message: str
    times: np.ndarray
    states: np.ndarray  # y = (q, v, z, s) at the samples
    end: float  # the time reached, and the state there
    end_state: np.ndarray
    steps: int
    evaluations: int
    residual: float  # largest |φ|, and below largest |ψ|
    rate_residual: float
    steppers: tuple[str, ...]
    seconds: float  # time of the steps alone, without preparations for the engine
    dense: Dense | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothMotion(Raw):
    """A motion without contacts and frictions."""

    events: Crossings
    turns: KinkTurns | None  # for a model with kinks
    forces: np.ndarray | None  # a and ν at the samples, for a model with kinks
    slides: bool  # whether the motion slides along a kink at its end


Some = TypeVar("Some", bound="Raw | Motion")


def uninterrupted(motion: Some) -> Some:
    """Return the motion. If Ctrl-C cut it short, raise the interrupt again, to end the work that depends on it."""
    if motion.status == "interrupted":
        raise KeyboardInterrupt
    return motion
