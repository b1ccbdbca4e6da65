"""Turns the records of an ensemble into columns that compiled threads fill."""

from __future__ import annotations

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import EVENT_KINDS as KINDS
from dalembert.motions.kinked import event_names
from dalembert.motions.many import Wanted
from dalembert.programs.functions import Function, compiled
from dalembert.sweep.ensemble import Ensemble, Quantity, Record
from dalembert.sweep.quantities import inputs

WATCHED = {"max": engine.GREATEST, "min": engine.LEAST, "crossing": engine.PASSES}


def wanted_of(ensemble: Ensemble) -> Wanted:
    """The columns that threads fill for an ensemble's records."""
    inside: list[Quantity] = []  # at the end and at samples
    watched: list[Quantity] = []
    columns: list[tuple[int, int, int]] = []
    watches: list[tuple[float, int, int, int]] = []
    counted: list[np.ndarray] = []
    for record in ensemble.records:
        if record.kind == "final":
            columns.append((engine.AT_END, _place(inside, record), -1))
        elif record.kind == "at":
            value, samples = _place(inside, record), np.searchsorted(ensemble.span.samples, record.times)
            columns += [(engine.AT_SAMPLE, value, sample) for sample in samples.tolist()]
        elif record.kind == "crossing" and record.event:
            guard = list(ensemble.prepared.equations.events).index(record.event)
            columns.append((engine.FIRST_TIME, guard, record.direction))
        elif record.kind in WATCHED:
            columns.append((engine.WATCHED, len(watches), 0))
            level = record.value if record.kind == "crossing" else 0.0
            watches.append((level, WATCHED[record.kind], _place(watched, record), record.direction))
        elif record.kind == "events":
            columns.append((engine.COUNTED, len(counted), 0))
            counted.append(_counted(ensemble, record))
        else:
            columns.append((engine.DRIFT, 0, 0))
    return Wanted(
        function=_compiled(ensemble, inside),
        forces=any(quantity.forces for quantity in inside),
        energy=ensemble.prepared.system.compiled("energies", lambda eq: [eq.kinetic, eq.potential]),
        drift=any(record.kind == "drift" for record in ensemble.records),
        columns=np.array(columns, engine.Column),
        counted=np.array(counted, dtype=np.int32).reshape(len(counted), len(KINDS), _most(ensemble)),
        watched=_compiled(ensemble, watched),
        watched_forces=any(quantity.forces for quantity in watched),
        watches=np.array(watches, engine.Wish),
        inputs=len(inputs(ensemble.prepared)),
        rows=_rows(ensemble),
    )


def _rows(ensemble: Ensemble) -> np.ndarray:
    """The rows of the reported multipliers among those of the engine."""
    names, hybrid = ensemble.prepared.system.multiplier_names, ensemble.prepared.hybrid
    return np.array([*range(len(names)), *(() if hybrid is None else hybrid.forces.values())], dtype=np.int32)


def _place(chosen: list[Quantity], record: Record) -> int:
    assert record.quantity is not None  # of the kinds of records that have a place
    if record.quantity not in chosen:
        chosen.append(record.quantity)
    return chosen.index(record.quantity)


def _compiled(ensemble: Ensemble, chosen: list[Quantity]) -> Function | None:
    return compiled(inputs(ensemble.prepared), [quantity.expression for quantity in chosen]) if chosen else None


def events_of(ensemble: Ensemble) -> dict[str, tuple[str, ...]]:
    """The names of the events of every kind."""
    return event_names(ensemble.prepared.system, ensemble.prepared.hybrid)


def _most(ensemble: Ensemble) -> int:
    """The largest number of events, contacts, frictions or kinks."""
    return max(1, *map(len, events_of(ensemble).values()))


def _counted(ensemble: Ensemble, record: Record) -> np.ndarray:
    """A table of the kinds and indices of events that a record counts."""
    names = events_of(ensemble)
    table = np.zeros((len(KINDS), _most(ensemble)), dtype=np.int32)
    for row, kind in enumerate(KINDS):
        for index, name in enumerate(names[kind]):
            added = kind == "crossing" and name in ensemble.added
            counts = record.event_kind in ("", kind) and record.event_name in ("", name)
            table[row, index] = counts and not added
    return table
