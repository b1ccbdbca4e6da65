"""A motion at its samples, and the named arrays that are made from it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.api.calls import Sampling, Stepping
from dalembert.api.instant import measured, units
from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.motions.accelerations import residuals
from dalembert.motions.kinked import event_names
from dalembert.motions.raw import Dense, EventTable, Raw
from dalembert.prepared import Start
from dalembert.programs.system import CompiledSystem
from dalembert.results.events import Events
from dalembert.results.motion import Diagnostics, Jumps, Motion
from dalembert.results.release import Release

if TYPE_CHECKING:
    from dalembert.view.animation import Animation

LOG = logging.getLogger(__name__)
# Of impulse, energy and direction, those that an event of a kind does not have.
UNTOLD = {"impact": (2,), "kink": (0,), "crossing": (0, 1), "slip": (0, 1)}


@dataclass(frozen=True, slots=True)
class SampledMotion:
    """A motion at its samples, in the form that smooth motions and motions with contacts share."""

    times: np.ndarray
    states: np.ndarray  # X, a row for each time
    accelerations: np.ndarray
    multipliers: Mapping[str, np.ndarray]
    reactions: Mapping[str, np.ndarray]  # samples × coordinates
    modes: Mapping[str, np.ndarray] = field(default_factory=dict)
    released: Release | None = None


def places(asked: Sampling, times: np.ndarray, status: str, end: float) -> tuple[np.ndarray, bool]:
    """The places of the requested times among the computed ones, and whether the end must be added."""
    known = {time: i for i, time in enumerate(times.tolist())}
    order = np.array([known[time] for time in asked.times.tolist() if time in known], int)
    return order, not (asked.exact or status == "finished" or end in known)


def spent(start: Start, all_of_it: float, stepping: float | None) -> dict[str, float]:
    """Seconds by kind of work. Preparations for the engine before its steps count as compiling."""
    steps = all_of_it if stepping is None else stepping
    made = start.seconds.get("compile", 0.0) + all_of_it - steps
    return {**start.seconds, "compile": made, "integrate": steps}


def motion_of(
    start: Start,
    found: SampledMotion,
    raw: Raw,
    seconds: dict[str, float],
    notes: tuple[str, ...],
    chosen: Stepping,
) -> Motion:
    """The named arrays of a motion that was computed."""
    LOG.info(
        "%s: %s at t = %.10g after %d steps in %.3f s",
        start.record.title or "model", raw.status, raw.end, raw.steps, seconds["integrate"],
    )  # fmt: skip
    system, X, jumps = start.system, found.states, _jumps(start, raw.events)
    equations, n = system.equations, system.n
    names = equations.coordinates
    asked = replace(
        start.record.simulation, tolerance=chosen.tolerance, stepper=chosen.stepper, step=chosen.step
    )  # a page continues with these
    outputs = system.outputs(X)
    kinetic, potential = outputs[:, 0], outputs[:, 1]
    total = kinetic + potential
    first = system.outputs(start.x)[:2].sum()
    said = (f"{raw.message[0].upper()}{raw.message[1:]}.",) if raw.message else ()
    return Motion(
        method=equations.method,
        status=raw.status,
        times=found.times,
        coordinates=named(names, X[:, 1 : 1 + n]),
        speeds=named(names, X[:, 1 + n : 1 + 2 * n]),
        accelerations=named(names, found.accelerations),
        multipliers=found.multipliers,
        definitions=named(equations.outputs, outputs[:, 2 : 2 + len(equations.outputs)]),
        energy={"kinetic": kinetic, "potential": potential, "total": total},
        events=_events(start, raw.events),
        diagnostics=Diagnostics(
            steps=int(raw.steps),
            evaluations=int(raw.evaluations),
            constraint_residual=max(float(raw.residual), float(raw.rate_residual)),
            energy_drift=float(np.abs(total - first - _jumped(jumps, found.times)).max(initial=0.0)),
            seconds=seconds,
            stepper=", then ".join(raw.steppers),
        ),
        corrections=start.corrections,
        notes=(*notes, *said),
        title=tr(start.record.title),
        **units(start.record),
        reactions={
            name: {q: rows[:, j] for j, q in enumerate(names) if np.any(rows[:, j] != 0)}
            for name, rows in found.reactions.items()
        },
        residuals=residuals(system, X),
        modes=found.modes,
        jumps=jumps,
        dense=None if raw.dense is None else partial(_between, raw.dense, n),
        released=found.released,
        description="" if start.hybrid is None else start.record.simulation.description,
        reach=(start.time, float(raw.end)),
        outputs=measured(equations, X, found.accelerations, found.multipliers),
        states=_columns_of(equations, X, equations.states),
        inputs=_columns_of(equations, X, [s for s in equations.varying if s not in equations.states]),
        viewer=partial(_viewed, replace(start.record, simulation=asked)),
    )


def _columns_of(equations: Equations, X: np.ndarray, symbols: Iterable[Any]) -> dict[str, np.ndarray]:
    """The columns of X that belong to the symbols, by name."""
    places = {symbol: i for i, symbol in enumerate(equations.inputs)}
    return {str(symbol): X[:, places[symbol]] for symbol in symbols}


def _events(start: Start, found: EventTable) -> Events:
    """The events by the names of the model."""
    n, kinds, names = start.system.n, found.kinds, event_names(start.system, start.hybrid)
    labels: list[tuple[str, str]] = []
    label = np.zeros(len(found), int)
    told = np.column_stack([found.columns["impulse"], found.columns["energy"], np.sign(found.columns["side"])])
    for kind in sorted(set(kinds.tolist())):
        here = kinds == kind
        label[here] = len(labels) + found.which[here]
        labels += [(name, kind) for name in names[kind]]
        for column in UNTOLD.get(kind, (0, 1, 2)):
            told[here, column] = np.nan
    before, after = (side[:, n : 2 * n] for side in (found.before, found.after))
    coordinates = start.system.equations.coordinates
    return Events(coordinates, labels, label, found.times, before, after, told, found.before[:, :n])


def _jumps(start: Start, events: EventTable) -> Jumps | None:
    """Values before and after every event of contacts, frictions and jumps at kinks, in the columns that both sides
    determine.

    Contacts that collide together have one jump.
    """
    sides = np.column_stack([events.times, events.before, events.after])
    again = np.zeros(len(events), bool)
    again[1:] = (sides[1:] == sides[:-1]).all(axis=1)
    kept = (events.kinds != "crossing") & ~again
    if start.hybrid is None:
        kept &= ~np.isnan(events.columns["energy"])
    if not kept.any():
        return None
    times = events.times[kept]
    return Jumps(times, *(columns_at(start.system, times, side[kept]) for side in (events.before, events.after)))


def _between(dense: Dense, n: int, times: np.ndarray, after: bool) -> tuple[np.ndarray, np.ndarray]:
    y = dense(times, after)
    return y[:, :n], y[:, n : 2 * n]


def _jumped(jumps: Jumps | None, times: np.ndarray) -> np.ndarray:
    """The change of the energy by jumps, up to every sample: a loss at an impact is not drift."""
    if jumps is None:
        return np.zeros(len(times))
    name = "energy.total"
    changes = np.concatenate([[0.0], np.cumsum(jumps.after[name] - jumps.before[name])])
    return changes[np.searchsorted(jumps.times, times, "right")]


def _viewed(record: ModelRecord, motion: Motion, **options: Any) -> Animation:
    from dalembert.view.animation import animation

    return animation(record, motion, **options)


def columns_at(system: CompiledSystem, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Coordinates, speeds, definitions and energies at states, in columns of their names."""
    names, n = system.equations.coordinates, system.n
    q, v = y[:, :n], y[:, n : 2 * n]
    outputs = system.outputs(system.state(t, q, v, y[:, 2 * n :]))
    energies = {"kinetic": outputs[:, 0], "potential": outputs[:, 1], "total": outputs[:, 0] + outputs[:, 1]}
    found = named(names, q) | named([f"{name}'" for name in names], v)
    found |= named(system.equations.outputs, outputs[:, 2 : 2 + len(system.equations.outputs)])
    return found | {f"energy.{name}": values for name, values in energies.items()}


def named(names: Iterable[str], columns: np.ndarray) -> dict[str, np.ndarray]:
    return {name: columns[:, i] for i, name in enumerate(names)}
