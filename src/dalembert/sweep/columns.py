"""Turns the records of an ensemble into columns that compiled threads fill."""

from __future__ import annotations

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import EVENT_KINDS as KINDS
from dalembert.motions.kinked import event_names
from dalembert.motions.many import Wanted
from dalembert.programs.functions import Function, compiled
from dalembert.sweep.ensemble import Ensemble, Record
from dalembert.sweep.quantities import inputs

WATCHED = {"max": engine.GREATEST, "min": engine.LEAST, "crossing": engine.PASSES}


def samples_of(ensemble: Ensemble) -> np.ndarray:
    """All times at which a state is needed, ascending."""
    return np.unique([time for record in ensemble.records for time in record.times])


def wanted_of(ensemble: Ensemble) -> Wanted:
    """The columns that threads fill for an ensemble's records."""
    quantities = ensemble.quantities
    samples = samples_of(ensemble)
    inside: list[int] = []  # quantities at states, evaluated by threads
    watched: list[int] = []
    columns: list[tuple[int, int, int]] = []
    what: list[tuple[int, int, int]] = []
    level: list[float] = []
    counted: list[np.ndarray] = []
    for record in ensemble.records:
        if record.kind in ("final", "at"):
            places = [-1] if record.kind == "final" else np.searchsorted(samples, record.times).tolist()
            kind, value = engine.AT_END if record.kind == "final" else engine.AT_SAMPLE, _place(inside, record.quantity)
            columns += [(kind, value, sample) for sample in places]
        elif record.kind == "crossing" and record.event:
            guard = list(ensemble.prepared.equations.events).index(record.event)
            columns.append((engine.FIRST_TIME, guard, record.direction))
        elif record.kind in WATCHED:
            columns.append((engine.WATCHED, len(what), 0))
            what.append((WATCHED[record.kind], _place(watched, record.quantity), record.direction))
            level.append(record.value if record.kind == "crossing" else 0.0)
        elif record.kind == "events":
            columns.append((engine.COUNTED, len(counted), 0))
            counted.append(_counted(ensemble, record))
        else:
            columns.append((engine.DRIFT, 0, 0))
    return Wanted(
        function=_compiled(ensemble, inside),
        forces=any(quantities[i].forces for i in inside),
        energy=ensemble.prepared.system.compiled("energies", lambda eq: [eq.kinetic, eq.potential]),
        drift=any(record.kind == "drift" for record in ensemble.records),
        columns=np.array(columns, dtype=np.int64).reshape(len(columns), 3),
        counted=np.array(counted, dtype=np.int64).reshape(len(counted), len(KINDS), _most(ensemble)),
        watched=_compiled(ensemble, watched),
        watched_forces=any(quantities[i].forces for i in watched),
        what=np.array(what, dtype=np.int64).reshape(len(what), 3),
        level=np.array(level, dtype=float),
        inputs=len(inputs(ensemble.prepared)),
        rows=_rows(ensemble),
    )


def _rows(ensemble: Ensemble) -> np.ndarray:
    """The rows of the reported multipliers among those of the engine."""
    names, hybrid = ensemble.prepared.system.multiplier_names, ensemble.prepared.hybrid
    others = () if hybrid is None else (row for name, row in hybrid.forces.items() if name not in names)
    return np.array([*range(len(names)), *others], dtype=np.int32)


def _place(chosen: list[int], quantity: int) -> int:
    if quantity not in chosen:
        chosen.append(quantity)
    return chosen.index(quantity)


def _compiled(ensemble: Ensemble, chosen: list[int]) -> Function | None:
    return compiled(inputs(ensemble.prepared), [ensemble.quantities[i].expression for i in chosen]) if chosen else None


def events_of(ensemble: Ensemble) -> dict[str, tuple[str, ...]]:
    """The names of the events of every kind."""
    return event_names(ensemble.prepared.system, ensemble.prepared.hybrid)


def _most(ensemble: Ensemble) -> int:
    """The largest number of events, contacts, frictions or kinks."""
    return max(1, *map(len, events_of(ensemble).values()))


def _counted(ensemble: Ensemble, record: Record) -> np.ndarray:
    """A table of the kinds and indices of events that a record counts."""
    names = events_of(ensemble)
    table = np.zeros((len(KINDS), _most(ensemble)), dtype=np.int64)
    for row, kind in enumerate(KINDS):
        for index, name in enumerate(names[kind]):
            added = kind == "crossing" and name in ensemble.added
            counts = record.event_kind in ("", kind) and record.event_name in ("", name)
            table[row, index] = counts and not added
    return table
