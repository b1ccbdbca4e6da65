"""A whole-course motion in progress: its auxiliary state, its records, and its projection onto the constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dalembert.language import tr
from dalembert.motions.contact import HybridEvent
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.whole_course.auxiliary import AuxiliarySystem
from dalembert.motions.whole_course.modes import Fails, Modes

Path = Callable[[float], np.ndarray]  # the auxiliary state at a time
STEADY, SHORT = 6, 1e-6  # Zeno: number of steady ratios, and the remaining time relative to the first flight


@dataclass
class Flights:
    """The record of a contact's flights, whose times may accumulate."""

    last: float
    flight: float = 0.0
    first: float = 0.0
    ratio: float = 2.0
    steady: int = 0

    def accumulate(self, t: float) -> float:
        """The time at which flights that shrink by a steady ratio end, or infinity if they do not."""
        flight, end = t - self.last, np.inf
        if self.steady > 0 and flight < self.flight:
            ratio = flight / self.flight
            self.steady = self.steady + 1 if abs(ratio - self.ratio) < 0.1 * (1.0 - ratio) else 1
            self.ratio = ratio
            rest = flight * ratio / (1.0 - ratio)
            if self.steady >= STEADY and rest < SHORT * self.first:
                end = t + rest
        else:
            self.steady, self.ratio, self.first = 1, 2.0, flight
        self.last, self.flight = t, flight
        return end


@dataclass
class Course:
    hybrid: HybridSystem
    modes: Modes
    auxiliary: AuxiliarySystem
    samples: np.ndarray
    t: float
    y: np.ndarray  # (q, q̇) while there is no auxiliary state: before the start, and in sustained contact
    flights: Flights
    record: bool
    Y: np.ndarray | None = None  # (q*, π*)
    powers: dict[int, int] = field(default_factory=dict)  # guards that are zero at the beginning of a step
    sampled: list[np.ndarray] = field(default_factory=list)
    marks: list[np.ndarray] = field(default_factory=list)
    events: list[HybridEvent] = field(default_factory=list)
    pieces: list[np.ndarray] = field(default_factory=list)
    steps: int = 0
    residual: float = 0.0
    rate_residual: float = 0.0
    stopped: str = ""

    @property
    def closed(self) -> bool:
        """Whether contact is sustained."""
        return self.Y is None and self.modes.touches()

    def state(self, t: float, Y: np.ndarray | None) -> np.ndarray:
        """(q, q̇)."""
        return self.y if Y is None else np.concatenate(self.auxiliary.decoded(t, Y))

    def now(self) -> np.ndarray:
        return self.state(self.t, self.Y)

    def x(self, t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([[t], y, self.hybrid.system.parameters])

    def go_on_from(self, y: np.ndarray) -> None:
        """Set the auxiliary state at (q, q̇), with the present s and σ."""
        n = self.auxiliary.n
        self.auxiliary.choose(self.t, y[:n])
        self.Y = self.auxiliary.encoded(self.t, y[:n], y[n:])

    def note(self, kind: str, index: int, before: np.ndarray, after: np.ndarray, **more: float) -> None:
        known = {"impulse": 0.0, "energy": 0.0, "side": 0.0, "time": self.t, **more}
        self.events.append(HybridEvent(kind=kind, which=index, before=before.copy(), after=after.copy(), **known))


def take_samples(course: Course, state: Path, until: float, inclusive: bool) -> None:
    while len(course.sampled) < len(course.samples):
        t = float(course.samples[len(course.sampled)])
        if t > until or (t == until and not inclusive):
            return
        course.sampled.append(state(t))
        course.marks.append(course.modes.statuses())


def on_constraints(course: Course, t: float, Y: np.ndarray) -> np.ndarray:
    """(q, q̇) at an auxiliary state, projected onto the constraints and onto sticking slips."""
    return projected(course, t, course.state(t, Y), course.modes.active())


def projected(course: Course, t: float, y: np.ndarray, rows: list[int]) -> np.ndarray:
    """Make the smallest changes for φ = 0, and for ψ = 0 in the active rows."""
    system, n, y = course.hybrid.system, course.auxiliary.n, y.copy()
    holonomic = list(range(course.hybrid.laws.holonomic))
    for offset, function, count, chosen in (
        (0, system.position, system.mh, holonomic),
        (n, system.velocity, system.m, rows),
    ):
        before, left = np.inf, 0.0
        for _ in range(12 if chosen else 0):
            out = function(course.x(t, y))
            r, J = out[:count][chosen], out[count:].reshape(count, n)[chosen]
            left = float(np.abs(r).max())
            if not (left > 1e-16 and left < 0.5 * before):
                break
            before = left
            y[offset : offset + n] -= np.linalg.lstsq(J, r, rcond=1e-8)[0]
        if not left <= 1e-9 * max(1.0, float(np.abs(y).max())):
            raise Fails(
                tr(
                    "at t = {t:.9g} the constraints can no longer be satisfied; end the motion before, or use "
                    'description = "segmented"',
                    t=t,
                )
            )
        if offset:
            course.rate_residual = max(course.rate_residual, left)
        else:
            course.residual = max(course.residual, left)
    return y


def piece(course: Course, at: Path, t0: float, t1: float) -> np.ndarray:
    """A step of (q, q̇) as a polynomial of seventh degree in the form of `raw.interpolated`."""
    s = 0.5 - 0.5 * np.cos(np.pi * np.arange(8) / 7)
    basis = np.ones((8, 8))
    for r in range(7):
        basis[:, r] = np.prod([s if i % 2 == 0 else 1 - s for i in range(r + 1)], axis=0)
    values = np.array([course.state(t, at(t)) for t in t0 + s * (t1 - t0)])
    return np.concatenate([[t0, t1], np.linalg.solve(basis, values).ravel()])
