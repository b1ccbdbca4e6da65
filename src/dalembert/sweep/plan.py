"""A sweep as data: what is asked, its fingerprint, what the result looks like, and how a range of it is computed.

`Order` is what travels: to the manifest beside the result, and to the workers of a cluster. `Plan` is what one process
makes of it, once: the model derived and compiled, starts and records compiled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import read_text
from dalembert.model.record import Model
from dalembert.model.write import write_text
from dalembert.prepared import Prepared, prepared
from dalembert.sweep.ensemble import (
    FAILED,
    FINISHED,
    REFUSED,
    STOPPED,
    UNDONE,
    Engine,
    Ensemble,
    Outcome,
    Quantity,
    Record,
)
from dalembert.sweep.quantities import recorded
from dalembert.sweep.records import INSPECTED, Extended, Wish, extended, wishes
from dalembert.sweep.space import Columns, Space
from dalembert.sweep.starts import Starts, starts

DURATION = 10.0  # of a model that states none, as of `simulate`


@dataclass(frozen=True)
class Order:
    """All that the numbers depend on."""

    model: str  # the text of its file
    space: Space | Columns
    record: tuple[str, ...]
    method: str | None
    start: float
    end: float
    tolerance: float
    stepper: str
    step: float | None
    strict: bool
    engine: str
    version: str

    def told(self) -> dict[str, Any]:
        """The same in JSON, arrays by their hash."""
        return {
            "model": self.model,
            "varied": self.space.told(),
            "record": list(self.record),
            "method": self.method,
            "start": self.start,
            "end": self.end,
            "tolerance": self.tolerance,
            "stepper": self.stepper,
            "step": self.step,
            "strict": self.strict,
            "engine": self.engine,
            "version": self.version,
        }

    @cached_property
    def fingerprint(self) -> str:
        return sha256(json.dumps(self.told(), sort_keys=True).encode()).hexdigest()

    @property
    def motions(self) -> Space:
        if not isinstance(self.space, Space):
            raise TypeError("this order knows the names of what varies, and not the values")
        return self.space

    def without_values(self) -> Order:
        """What a worker needs to derive and compile; values come with its tasks."""
        return replace(self, space=Columns(self.space.names))


def order(
    record: Model,
    space: Space,
    kept: tuple[str, ...],
    *,
    version: str,
    engine: str,
    method: str | None = None,
    until: float | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    strict: bool = False,
) -> Order:
    """What is asked, with the model's own settings where nothing is said; faults of the call are refused here."""
    own = record.simulation
    start = float(own.start)
    end = start + (DURATION if own.duration is None else float(own.duration)) if until is None else float(until)
    if not (np.isfinite(end) and end > start):
        raise ModelError(f"the motions start at t = {start:.10g} and cannot end at {end:.10g}; give a later time")
    tolerance = own.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(f"the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01")
    stepper, step = stepper or own.stepper, own.step if step is None else step
    if stepper not in ("auto", "dop853", "gauss", "radau"):
        raise ModelError(f"{stepper!r} is no stepper: expected one of auto, dop853, gauss, radau")
    if step is not None and not 0 < step < np.inf:
        raise ModelError(f"the step is {step!r}; a positive number is expected")
    wishes(record, kept, start, end)
    return Order(
        write_text(record), space, tuple(kept), method or own.method, start, end, tolerance, stepper, step, strict,
        engine, version,
    )  # fmt: skip


class Inspect(Protocol):
    """Looks at the equations near a start: `api.inspect.Inspector`."""

    def columns(self, wish: Wish) -> int:
        """How many numbers a wish is."""

    def values(self, wishes: Sequence[Wish], settings: Mapping[str, float], strict: bool) -> np.ndarray:
        """The numbers of all wishes at one start."""


@dataclass(frozen=True)
class Variable:
    """One array of the result: its columns among all, and its dimensions beyond those that vary."""

    name: str
    first: int
    columns: int
    beyond: tuple[tuple[str, tuple[float, ...]], ...] = ()  # (dimension, its coordinate)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(values) for _, values in self.beyond)


@dataclass(frozen=True)
class Plan:
    """One process's means to compute any range of the sweep."""

    order: Order
    record: Model
    prepared: Prepared
    starts: Starts
    quantities: tuple[Quantity, ...]
    records: tuple[Record, ...]
    added: frozenset[str]
    engine: Engine
    inspected: tuple[Wish, ...] = ()  # records of the equations near the start
    inspect: Inspect | None = None

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return _variables(self)

    @property
    def columns(self) -> int:
        return sum(variable.columns for variable in self.variables)

    def ensemble(self, first: int, last: int) -> tuple[Ensemble, np.ndarray]:
        """Motions first … last − 1 of the sweep, and which of them look impossible."""
        return self.ensemble_of(self.order.motions.values(first, last))

    def ensemble_of(self, columns: Mapping[str, np.ndarray]) -> tuple[Ensemble, np.ndarray]:
        """The motions that start from these values of what varies, and which of them look impossible."""
        order = self.order
        parameters, coordinates, speeds, extra, doubtful = self.starts.of(columns)
        found = Ensemble(
            self.prepared, self.quantities, self.records, self.starts.parameters, parameters, coordinates, speeds,
            self.starts.given, extra, order.start, order.end, order.tolerance, order.stepper, order.step, order.strict,
            self.added,
        )  # fmt: skip
        return found, doubtful

    def computed(self, first: int, last: int, stop: Callable[[], bool]) -> Outcome:
        """What became of the motions first … last − 1 of the sweep."""
        return self.computed_from(self.order.motions.values(first, last), stop)

    def computed_from(self, columns: Mapping[str, np.ndarray], stop: Callable[[], bool]) -> Outcome:
        """What became of those that start from these values; one that fails says so and disturbs no other."""
        whole, doubtful = self.ensemble_of(columns)
        outcome = Outcome.blank(whole.size, self.columns)
        sentences: dict[int, str] = {}

        def varied(motion: int) -> dict[str, float]:
            return {name: float(column[motion]) for name, column in columns.items()}

        for i in np.flatnonzero(doubtful).tolist():
            sentence = self.starts.refusal(varied(i))
            if sentence is not None:
                outcome.status[i], sentences[i] = REFUSED, sentence
        left = np.flatnonzero(outcome.status == UNDONE)
        if self.records or not self.inspected:
            self._moved(whole, left, outcome, sentences, stop)
        else:
            outcome.status[left] = FINISHED
        self._inspected(varied, outcome, sentences, stop)
        return Outcome(outcome.values, outcome.status, sentences)

    def _moved(
        self, whole: Ensemble, left: np.ndarray, outcome: Outcome, sentences: dict[int, str], stop: Callable[[], bool]
    ) -> None:
        if not len(left):
            return
        found = self.engine.run(whole if len(left) == whole.size else whole.part(left), stop)
        outcome.status[left] = found.status
        outcome.values[left, : whole.columns] = found.values
        sentences |= {int(left[i]): text for i, text in found.sentences.items()}

    def _inspected(
        self,
        varied: Callable[[int], dict[str, float]],
        outcome: Outcome,
        sentences: dict[int, str],
        stop: Callable[[], bool],
    ) -> None:
        if self.inspect is None:
            return
        first = sum(record.columns for record in self.records)
        for i in np.flatnonzero((outcome.status == FINISHED) | (outcome.status == STOPPED)).tolist():
            if stop():
                outcome.status[i], outcome.values[i] = UNDONE, np.nan
                continue
            try:
                outcome.values[i, first:] = self.inspect.values(self.inspected, varied(i), self.order.strict)
            except (ModelError, MathematicsError) as error:
                outcome.status[i] = REFUSED if isinstance(error, ModelError) else FAILED
                outcome.values[i], sentences[i] = np.nan, str(error)


def plan(order: Order, engine: Engine, inspector: Callable[[Prepared], Inspect]) -> Plan:
    """Derive and compile; what the model or the records have against it is said here, before anything is computed."""
    base = read_text(order.model)
    wanted = wishes(base, order.record, order.start, order.end)
    more: Extended = extended(base, wanted)
    inspected = tuple(wish for wish in wanted if wish.kind in INSPECTED)
    open_ = {name for name in order.space.names if name in base.parameters}
    open_ |= {wish.quantity for wish in inspected if wish.quantity in base.parameters}
    once = prepared(more.record, order.method, open=sorted(open_))
    quantities, records = recorded(once, more, [wish for wish in wanted if wish not in inspected])
    made = starts(once, order.space.names)
    found = Plan(
        order, more.record, once, made, quantities, records, frozenset(more.events.values()), engine, inspected,
        inspector(once) if inspected else None,
    )  # fmt: skip
    asked = records and isinstance(order.space, Space)
    refusal = engine.refusal(found.ensemble(0, 1)[0]) if asked else None
    if refusal is not None:
        raise ModelError(refusal)
    return found


def _variables(plan: Plan) -> tuple[Variable, ...]:
    taken = set(plan.order.space.names) | set(plan.order.space.dimensions)
    found: list[Variable] = []
    grids: dict[tuple[float, ...], str] = {}
    first = 0
    units = {name: coordinate.unit for name, coordinate in plan.record.coordinates.items()}
    for record in plan.records:
        about: dict[str, Any] = {"record": record.name}
        beyond: tuple[tuple[str, tuple[float, ...]], ...] = ()
        if record.kind == "at":
            name = grids.setdefault(record.times, _time_name(len(grids), taken))
            beyond = ((name, record.times),)
        if record.kind == "crossing":
            about["units"] = "s"
        elif record.quantity >= 0:
            about |= _unit(plan.quantities[record.quantity].name, units)
        found.append(Variable(record.name, first, record.columns, beyond, about))
        first += record.columns
    for wish in plan.inspected:
        assert plan.inspect is not None
        found += _near_start(wish, first, plan.inspect.columns(wish))
        first += plan.inspect.columns(wish)
    for variable in found:
        if variable.name in taken or variable.name in ("status", "message"):
            raise ModelError(f"{variable.name!r} is recorded, and is the name of something else; choose another")
    return tuple(found)


def _near_start(wish: Wish, first: int, columns: int) -> list[Variable]:
    about: dict[str, Any] = {"record": wish.name}
    if wish.kind == "growth":
        more = {"units": "1/s", "long_name": "greatest real part of the eigenvalues"}
        return [Variable(wish.name, first, columns, (), about | more)]
    if wish.kind == "critical":
        return [Variable(wish.name, first, columns, (("crossing", tuple(map(float, range(columns)))),), about)]
    size = columns // 2
    modes = (("mode", tuple(map(float, range(size)))),)
    return [
        Variable(f"{wish.name} {part}", first + i * size, size, modes, about | {"units": "1/s"})
        for i, part in enumerate(("real", "imaginary"))
    ]


def _time_name(number: int, taken: set[str]) -> str:
    name = "t" if not number else f"t{number + 1}"
    while name in taken:
        name += "_"
    return name


def _unit(name: str, units: Mapping[str, str]) -> dict[str, str]:
    bare = name.rstrip("'")
    unit = units.get(bare, "")
    return {"units": unit + ("", "/s", "/s^2")[len(name) - len(bare)]} if unit else {}
