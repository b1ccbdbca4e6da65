"""The seam between a sweep and its engines: the question to an engine, and its answer.

What is kept of a motion is said once, here, and means the same in every engine:

- `final`: the quantity at the end reached (the end asked for, or the instant of an event that stops);
- `at`: the quantity at given times, NaN after the end reached; at an impact, the value after it;
- `max`, `min`: its greatest and least value from start to end, between the steps too, on both sides of every jump;
- `crossing`: the first time after the start at which it passes `value`, rising (direction 1), falling (−1) or either
  way (0); NaN if it never does. Where `event` names one of the equations' events, its guard is the quantity less the
  value;
- `events`: how many there were, of one kind or name or of all, less those in `Ensemble.added`;
- `drift`: the greatest |E − E(start) − what impacts changed| where the engine knows the state to its tolerance (ends
  of steps, or samples).

A motion that fails has NaN in every column. A motion's numbers are the same to the last bit whatever motions are
computed beside it, before it, or on how many threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from dalembert.equations import Scalar
from dalembert.model.units import counted

if TYPE_CHECKING:
    from dalembert.prepared import Prepared

Kind = Literal["final", "at", "max", "min", "crossing", "events", "drift"]

# How a motion ended. UNDONE: the engine was stopped before this motion.
UNDONE, FINISHED, STOPPED, FAILED, REFUSED = -1, 0, 1, 2, 3
WORDS = {FINISHED: "finished", STOPPED: "stopped", FAILED: "failed", REFUSED: "refused"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at every instant: a SymEngine expression of x = (t, q, v, z, p), or also of accelerations and forces.

    Symbols beyond `Equations.inputs` are "theta''", the acceleration of theta, and "multiplier.NAME", λ as a motion
    reports it; `forces` says that there are such, so that the equations must be solved to know the quantity.
    """

    name: str
    expression: Scalar
    forces: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that is kept of every motion."""

    kind: Kind
    name: str  # of the variable in the result
    quantity: int = -1  # its place in `Ensemble.quantities`; −1 for events and drift
    times: tuple[float, ...] = ()  # of `at`, in any order, from start to end
    value: float = 0.0  # of `crossing`
    direction: int = 0
    event: str = ""  # of `crossing`: the event of the equations that finds it; "" where it must be searched for
    event_kind: str = ""  # of `events`: impact, crossing, …; "" for any
    event_name: str = ""

    @property
    def columns(self) -> int:
        """The number of columns that it fills."""
        return len(self.times) if self.kind == "at" else 1


@dataclass(frozen=True)
class Ensemble:
    """Many motions of one model, derived and compiled once; a row for each motion.

    Initial coordinates and speeds are as stated, not yet consistent with the constraints: that is the engine's first
    step, as in `simulate.initial`.
    """

    prepared: Prepared
    quantities: tuple[Quantity, ...]
    records: tuple[Record, ...]
    names: tuple[str, ...]  # of the columns of `parameters`, in the order of `Equations.parameters`
    parameters: np.ndarray  # motions × open parameters
    coordinates: np.ndarray  # motions × n, in the order of the equations
    speeds: np.ndarray  # motions × n; 0 if the model states no speed
    given: np.ndarray  # n: which speeds are stated
    extra: np.ndarray  # motions × k: initial z
    start: float
    end: float
    tolerance: float
    stepper: str = "auto"
    step: float | None = None
    strict: bool = False
    added: frozenset[str] = frozenset()  # events that are there for a record and not the model's

    @property
    def size(self) -> int:
        """The number of motions."""
        return len(self.coordinates)

    @property
    def columns(self) -> int:
        """The number of values kept for each motion."""
        return sum(record.columns for record in self.records)

    def part(self, which: np.ndarray | slice) -> Ensemble:
        """Some of the motions."""
        return replace(
            self,
            parameters=self.parameters[which],
            coordinates=self.coordinates[which],
            speeds=self.speeds[which],
            extra=self.extra[which],
        )

    def settings(self, motion: int) -> dict[str, float]:
        """One motion's numbers by the names that `Prepared.at` knows."""
        names = self.prepared.equations.coordinates
        found = dict(zip(self.names, self.parameters[motion].tolist(), strict=True))
        found |= dict(zip(names, self.coordinates[motion].tolist(), strict=True))
        speeds = self.speeds[motion].tolist()
        found |= {f"{name}'": speeds[i] for i, name in enumerate(names) if self.given[i]}
        for name, own in counted(self.prepared.record).items():
            if name in found and not own.plain:
                found[name] = (found[name] - own.offset) / own.factor
        rows = self.prepared.system.multiplier_names
        return found | {f"multipliers.{rows[i]}": value for i, value in enumerate(self.extra[motion].tolist())}


@dataclass(frozen=True)
class Outcome:
    """The results of the motions of an ensemble, in its order."""

    values: np.ndarray  # motions × columns, float64
    status: np.ndarray  # motions, int8
    # of those that failed or were refused, why; of those that did not, how they were followed if not as asked
    sentences: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def blank(cls, motions: int, columns: int) -> Outcome:
        """Nothing is computed yet."""
        return cls(np.full((motions, columns), np.nan), np.full(motions, UNDONE, np.int8), {})


class Engine(Protocol):
    """Computes ensembles. To add one:

    1. a class in a file of its own here, with `name` and the three functions below; what it cannot follow itself (a
       motion that turns stiff, …) it hands to another engine, an argument of its constructor: the reference;
    2. a line in `api.sweep.engine`, which chooses it;
    3. its column in `tests/sweep/test_motions.py`, which holds it to the reference engine.
    """

    @property
    def name(self) -> str: ...

    def refusal(self, ensemble: Ensemble) -> str | None:
        """Why it cannot compute these motions, as a sentence that says what to do; None if it can."""

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """How many work on such motions side by side, and how many each of them follows in the time that one takes."""

    def run(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        """Compute all motions, or those that are done when `stop()` turns true, which is asked between motions."""
