"""The result of a stepper: arrays at the samples, events, counts, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from dalembert.engine.interface import EVENT_KINDS
from dalembert.results.events import MadeOnRead

if TYPE_CHECKING:
    from dalembert.results.motion import Motion


class RawEvent(NamedTuple):
    """An event. `which` is the index of the contact, friction, kink or model event.

    `energy` is the gain in the whole impact, or by a jump at a kink (NaN without a jump). `side` is the direction of a
    crossing, the first component of a slip, or the new side of a kink (0 if the motion slides along it). `before` and
    `after` are states (q, v, z, s).
    """

    time: float
    kind: str
    which: int
    impulse: float
    energy: float
    side: float
    before: np.ndarray
    after: np.ndarray


class EventTable(MadeOnRead[RawEvent]):
    """Events by time, kept as the engine's columns: the fields of its struct `Event`."""

    def __init__(self, columns: np.ndarray, before: np.ndarray, after: np.ndarray):
        order = np.argsort(columns["time"], kind="stable")
        self.columns, self.before, self.after = (part[order] for part in (columns, before, after))

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def kinds(self) -> np.ndarray:
        """The kinds in words, as in EVENT_KINDS."""
        return np.array(EVENT_KINDS)[self.columns["kind"]]

    @property
    def which(self) -> np.ndarray:
        return self.columns["index"]

    @property
    def times(self) -> np.ndarray:
        return self.columns["time"]

    def of_kind(self, kind: str) -> EventTable:
        """The events of one kind, in words."""
        own = self.kinds == kind
        return EventTable(self.columns[own], self.before[own], self.after[own])

    def one(self, place: int) -> RawEvent:
        event = self.columns[place]
        kind, which = EVENT_KINDS[event["kind"]], int(event["index"])
        reals = {name: float(event[name]) for name in ("time", "impulse", "energy", "side")}
        return RawEvent(kind=kind, which=which, **reals, before=self.before[place], after=self.after[place])


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
    """A motion as computed. `status` is finished, stopped, interrupted or failed; `message` tells the reason.

    A mode has a status for every contact, then for every friction (`laws`).
    """

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
    events: EventTable
    dense: Dense | None = field(repr=False)
    modes: np.ndarray  # at the samples, with contacts and frictions
    end_mode: np.ndarray
    accelerations: np.ndarray  # at the samples, with kinks, contacts and frictions; the same for the multipliers
    multipliers: np.ndarray
    slides: bool  # whether the motion slides along a kink at its end


Some = TypeVar("Some", bound="Raw | Motion")


def uninterrupted(motion: Some) -> Some:
    """Return the motion. If Ctrl-C cut it short, raise the interrupt again, to end the work that depends on it."""
    if motion.status == "interrupted":
        raise KeyboardInterrupt
    return motion
