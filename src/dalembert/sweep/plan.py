"""The plan of a sweep in one process: the model, its starts and its records, derived and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions import nodes
from dalembert.motions.span import TimeSpan
from dalembert.prepared import Prepared, prepared, require_closed
from dalembert.sweep.ensemble import FAILED, FINISHED, REFUSED, STOPPED, UNDONE, Engine, Ensemble, Outcome, Record
from dalembert.sweep.order import Order
from dalembert.sweep.quantities import recorded
from dalembert.sweep.records import INSPECTED, Wish, extended, wishes
from dalembert.sweep.starts import SweepStarts, starts
from dalembert.sweep.variables import Variable, variables


class Inspect(Protocol):
    """Examines the equations near a start, as `api.inspect.Inspector` does."""

    def columns(self) -> Sequence[tuple[Wish, int]]:
        """The wishes, and the number of columns of each."""

    def values(self, settings: Mapping[str, float]) -> np.ndarray:
        """The values of all wishes at one start."""


Inspectors = Callable[[Prepared, Order, Mapping[str, str], Sequence[Wish]], Inspect]  # with names of definitions


@dataclass(frozen=True)
class SweepPlan:
    """Computes any range of the sweep in one process."""

    order: Order
    prepared: Prepared
    starts: SweepStarts
    records: tuple[Record, ...]
    added: frozenset[str]
    engine: Engine
    inspect: Inspect | None = None  # for records of the equations near the start

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        near = () if self.inspect is None else self.inspect.columns()
        return variables(self.prepared.record, self.order.space, self.records, near)

    @property
    def columns(self) -> int:
        return sum(variable.columns for variable in self.variables)

    def at_once(self) -> tuple[int, int]:
        """The number of parallel workers, and the number of motions that each follows at once."""
        if not self.records or self.inspect is not None:
            return 1, 1  # the equations near a start are examined one by one
        return self.engine.at_once(self.ensemble(0, 1)[0])

    def ensemble(self, first: int, last: int) -> tuple[Ensemble, np.ndarray]:
        """Motions first … last − 1 of the sweep, and which of them seem impossible."""
        return self.ensemble_of(self.order.space.values(first, last))

    @cached_property
    def span(self) -> TimeSpan:
        """The time of all motions, with every sample that a record needs."""
        order = self.order
        samples = np.unique([time for record in self.records for time in record.times])
        return TimeSpan(order.start, order.end, tuple(samples.tolist()), order.tolerance, order.stepper, order.step)

    def ensemble_of(self, columns: Mapping[str, np.ndarray]) -> tuple[Ensemble, np.ndarray]:
        """The motions that start from these values of the varied quantities, and which of them seem impossible."""
        stated, doubtful = self.starts.of(columns)
        given, strict = self.starts.given, self.order.strict
        return Ensemble(self.prepared, self.records, self.span, stated, given, strict, self.added), doubtful

    def computed(self, first: int, last: int, stop: Callable[[], bool]) -> Outcome:
        """The outcome of motions first … last − 1 of the sweep."""
        return self.computed_from(self.order.space.values(first, last), stop)

    def computed_from(self, columns: Mapping[str, np.ndarray], stop: Callable[[], bool]) -> Outcome:
        """The outcome of the motions that start from these values. A motion that fails gets a sentence and affects no
        other.
        """
        whole, doubtful = self.ensemble_of(columns)
        outcome = Outcome.blank(whole.size, self.columns)

        def varied(motion: int) -> dict[str, float]:
            return {name: float(column[motion]) for name, column in columns.items()}

        for i in np.flatnonzero(doubtful).tolist():
            sentence = self.starts.refusal(varied(i))
            if sentence is not None:
                outcome.status[i], outcome.sentences[i] = REFUSED, sentence
        left = np.flatnonzero(outcome.status == UNDONE)
        if self.inspect is not None and not self.records:
            outcome.status[left] = FINISHED
        elif len(left):
            outcome.put(left, self.engine.run(whole if len(left) == whole.size else whole.part(left), stop))
        if self.inspect is not None:
            self._inspect(self.inspect, varied, outcome, stop)
        return outcome

    def _inspect(
        self, inspect: Inspect, varied: Callable[[int], dict[str, float]], outcome: Outcome, stop: Callable[[], bool]
    ) -> None:
        """Add the records of the equations near the starts."""
        first = sum(record.columns for record in self.records)
        for i in np.flatnonzero((outcome.status == FINISHED) | (outcome.status == STOPPED)).tolist():
            if stop():
                outcome.status[i], outcome.values[i] = UNDONE, np.nan
                continue
            try:
                outcome.values[i, first:] = inspect.values(varied(i))
            except (ModelError, MathematicsError) as error:
                outcome.status[i] = REFUSED if isinstance(error, ModelError) else FAILED
                outcome.values[i], outcome.sentences[i] = np.nan, str(error)


def _require_effect(once: Prepared, names: Iterable[str]) -> None:
    """Refuse to vary a quantity that data or a controller determines, or the instants of controllers."""
    record = once.record
    held = {name: owner for owner, one in record.sampled.items() for name in one.values}
    for name in names:
        if name in record.inputs:
            raise ModelError(
                "{name} cannot vary: it comes from data; multiply it by a parameter, and vary that", name=name
            )
        if name in held:
            raise ModelError("{name} cannot vary: the controller {held} computes it", name=name, held=held[name])
    for owner, one in record.sampled.items():
        for key, value in (("every", one.every), ("offset", one.offset)):
            varied = sorted(nodes.names([value]) & once.open) if value is not None else []
            if varied:
                raise ModelError(
                    "{varied} cannot vary: {key} of the controller {owner} depends on it, and a sweep has "
                    "the same instants in every motion; use simulate for one value after the other",
                    varied=varied[0],
                    key=key,
                    owner=owner,
                )


def plan(order: Order, engine: Engine, inspector: Inspectors) -> SweepPlan:
    """Derive and compile. Objections to the model or the records are raised here, before anything is computed."""
    wanted = wishes(order.model, order.record, order.start, order.end)
    more = extended(order.model, wanted)
    inspected = [wish for wish in wanted if wish.kind in INSPECTED]
    varied = {*order.space.names, *(name for wish in inspected for name in (wish.quantity, wish.by))}
    once = prepared(more.record, order.method, open=sorted(varied & order.model.parameters.keys()))
    require_closed(more.record, once)
    records = recorded(once, more, [wish for wish in wanted if wish not in inspected])
    _require_effect(once, order.space.names)
    inspect = inspector(once, order, more.definitions, inspected) if inspected else None
    made = starts(once, order.space.names)
    found = SweepPlan(order, once, made, records, frozenset(more.events.values()), engine, inspect)
    refusal = engine.refusal(found.ensemble(0, 1)[0]) if records else None
    if refusal is not None:
        raise ModelError(refusal)
    return found
