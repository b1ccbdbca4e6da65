"""The interface between a sweep and its engines: the question to an engine, and its answer.

The records of a motion are defined here once, and mean the same in every engine:

- `final`: the quantity at the end of the motion (the requested end, or the instant of an event that stops it);
- `at`: the quantity at given times, NaN after the end of the motion; at an impact, the value after it;
- `max`, `min`: its greatest and least value from start to end, also between the steps and on both sides of every jump;
- `crossing`: the first time after the start at which it passes `value`, rising (direction 1), falling (−1) or either
  way (0); NaN if it never does. If `event` names one of the equations' events, its guard is the quantity minus the
  value;
- `events`: how many there were, of one kind or name or of all, less those in `Ensemble.added`;
- `drift`: the greatest |E − E(start) − what impacts changed| where the engine knows the state to its tolerance (ends
  of steps, or samples).

A motion that fails has NaN in every column. A motion's numbers are the same to the last bit, no matter which other
motions are computed, in which order, and on how many threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from dalembert.equations import Scalar
from dalembert.model.units import counted
from dalembert.motions.span import TimeSpan

if TYPE_CHECKING:
    from dalembert.prepared import Prepared

Kind = Literal["final", "at", "max", "min", "crossing", "events", "drift"]

# The end of a motion. UNDONE: the engine was stopped before this motion.
UNDONE, FINISHED, STOPPED, FAILED, REFUSED = -1, 0, 1, 2, 3
WORDS = {FINISHED: "finished", STOPPED: "stopped", FAILED: "failed", REFUSED: "refused"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at every instant: a SymEngine expression of x = (t, q, v, z, p), possibly with accelerations and forces.

    Symbols that are not in `Equations.inputs` are "theta''", the acceleration of theta, and "multiplier.NAME", λ as a
    motion reports it. `forces` is true if there are any, because the equations must then be solved to know the
    quantity.
    """

    name: str
    expression: Scalar
    forces: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One record of every motion."""

    kind: Kind
    name: str  # of the variable in the result
    quantity: Quantity | None = None  # none for events and drift
    times: tuple[float, ...] = ()  # of `at`, in any order, from start to end
    value: float = 0.0  # of `crossing`
    direction: int = 0
    event: str = ""  # of `crossing`: the event of the equations that finds it; "" if it must be searched for
    event_kind: str = ""  # of `events`: impact, crossing, …; "" for any
    event_name: str = ""

    @property
    def columns(self) -> int:
        """The number of columns that it fills."""
        return len(self.times) if self.kind == "at" else 1


@dataclass(frozen=True)
class Ensemble:
    """Many motions of one model, derived and compiled once, with one row for each motion.

    Initial coordinates and speeds are as stated. They need not satisfy the constraints: the engine's first step makes
    them consistent, as in `motions.initial`.
    """

    prepared: Prepared
    records: tuple[Record, ...]
    span: TimeSpan  # its samples are all times at which a state is needed
    starts: np.ndarray  # motions × (q, v, z, p), in the order of `Equations.inputs`; v is 0 if the model states none
    given: np.ndarray  # n: which speeds are stated
    strict: bool = False
    added: frozenset[str] = frozenset()  # events that were added for a record and do not belong to the model

    @property
    def size(self) -> int:
        """The number of motions."""
        return len(self.starts)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of the records, each once."""
        return tuple(dict.fromkeys(record.quantity for record in self.records if record.quantity is not None))

    @property
    def columns(self) -> int:
        """The number of values kept for each motion."""
        return sum(record.columns for record in self.records)

    def part(self, which: np.ndarray | slice) -> Ensemble:
        """The ensemble of some of the motions."""
        return replace(self, starts=self.starts[which])

    def settings(self, motion: int) -> dict[str, float]:
        """The values of one motion by the names that `Prepared.at` knows."""
        eq, record, system = self.prepared.equations, self.prepared.record, self.prepared.system
        made = {*record.inputs, *(name for law in record.sampled.values() for name in law.values)}  # not to be set
        places = np.cumsum([system.n, system.n, system.k])
        q, v, z, p = (part.tolist() for part in np.split(self.starts[motion], places))
        found = {name: value for name, value in zip(map(str, eq.parameters), p, strict=True) if name not in made}
        found |= dict(zip(eq.coordinates, q, strict=True))
        speeds = zip(eq.coordinates, v, self.given, strict=True)
        found |= {f"{name}'": speed for name, speed, given in speeds if given}
        for name, own in counted(record).items():
            if name in found and not own.plain:
                found[name] = (found[name] - own.offset) / own.factor
        return found | {f"multipliers.{row}": value for row, value in zip(system.multiplier_names, z, strict=False)}


@dataclass(frozen=True)
class Outcome:
    """The results of the motions of an ensemble, in its order."""

    values: np.ndarray  # motions × columns, float64
    status: np.ndarray  # motions, int8
    # The reason of a failure or refusal; for other motions, a note if they were not computed as requested
    sentences: dict[int, str] = field(default_factory=dict)

    @classmethod
    def blank(cls, motions: int, columns: int) -> Outcome:
        """An outcome in which no motion is computed yet."""
        return cls(np.full((motions, columns), np.nan), np.full(motions, UNDONE, np.int8))

    def part(self, first: int, last: int) -> Outcome:
        """The outcome of motions first … last − 1."""
        sentences = {i - first: sentence for i, sentence in self.sentences.items() if first <= i < last}
        return Outcome(self.values[first:last], self.status[first:last], sentences)

    def put(self, rows: np.ndarray | slice, part: Outcome) -> None:
        """Put the outcome of some of the motions into their rows, and into the first columns."""
        self.values[rows, : part.values.shape[1]], self.status[rows] = part.values, part.status
        if part.sentences:
            places = np.arange(len(self.status))[rows].tolist()
            self.sentences.update({places[i]: sentence for i, sentence in part.sentences.items()})


class Engine(Protocol):
    """Computes ensembles. To add an engine:

    1. Write a class in a file of its own here, with the three functions below. It hands motions that it
       cannot follow itself (a motion that becomes stiff, …) to another engine, the reference, which its constructor
       takes.
    2. Add its name to `ENGINES` in `order.py`, and a line to `api.sweep.engine`, which chooses the engine.
    3. Add its column to `tests/sweep/test_motions.py`, which compares it with the reference engine.
    """

    def refusal(self, ensemble: Ensemble) -> str | None:
        """The reason why it cannot compute these motions, as a sentence with a remedy, or None if it can."""

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """The number of parallel workers, and the number of motions that each follows in the time of one."""

    def run(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        """Compute all motions, or those that are done when `stop()` becomes true. It is called between motions."""
