"""`sensitivities`: a motion and its derivatives by parameters and initial values, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.derivatives import jacobian
from dalembert.analysis.sensitivity import Happening, Varied, varied
from dalembert.api.calls import Sampling, Stepping, sampling, stepping
from dalembert.api.motion import followed
from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.model.units import counted
from dalembert.motions.raw import uninterrupted
from dalembert.prepared import Prepared, Start, prepared, require_plain_events
from dalembert.programs.functions import compiled
from dalembert.results.sensitivity import EventDerivative, Sensitivities

TOLERANCE = 1e-11  # of the motion and of its derivatives, if the call gives no other
Columns = dict[str, np.ndarray]


def sensitivities(
    record: ModelRecord,
    to: Iterable[str],
    of: Iterable[str] | None = None,
    method: str | None = None,
    *,
    until: float | None = None,
    samples: int | None = None,
    at: Iterable[float] | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    strict: bool = False,
) -> Sensitivities:
    """Derivatives of the quantities `of` by `to`: parameters, initial coordinates, speeds ("x'"), multipliers."""
    return differentiate(record, to, of, method)(
        None, until=until, samples=samples, at=at, tolerance=tolerance, stepper=stepper, step=step, strict=strict
    )


@dataclass(frozen=True, repr=False)
class Differentiated:
    """A model, derived and compiled once with its derivatives. Call it with settings: `run({"l": 1.2}, at=times)`."""

    record: ModelRecord
    to: tuple[str, ...]
    of: tuple[str, ...] | None
    method: str | None

    def __repr__(self) -> str:
        of = "everything" if self.of is None else ", ".join(self.of)
        return f"<Differentiated {self.record.title!r}: {of} by {', '.join(self.to)}>"

    @cached_property
    def _prepared(self) -> Prepared:
        made = prepared(self.record, self.method, [name for name in self.to if name in self.record.parameters])
        if made.equations.z:
            require_plain_events(made.equations, tr("derivatives of vakonomic motions"))
        return made

    def __call__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        until: float | None = None,
        samples: int | None = None,
        at: Iterable[float] | None = None,
        tolerance: float | None = None,
        stepper: str | None = None,
        step: float | None = None,
        strict: bool = False,
    ) -> Sensitivities:
        """Follow the motion with these settings, and differentiate it. Only names in `to` may be set."""
        chosen = stepping(self.record, TOLERANCE if tolerance is None else tolerance, stepper, step)
        asked = sampling(self.record, until, samples, at)  # a bad call is refused before anything is derived
        return sensitivities_from(self._prepared.at(settings, strict), self.to, self.of, asked, chosen)


def differentiate(
    record: ModelRecord, to: Iterable[str], of: Iterable[str] | None = None, method: str | None = None
) -> Differentiated:
    """The model with derivatives by `to`, ready to be run at many values of them."""
    by = tuple(dict.fromkeys(to))
    if not by:
        raise ModelError("there is nothing to differentiate by; name parameters, coordinates or speeds.")
    return Differentiated(record, by, None if of is None else tuple(of), method)


def sensitivities_from(
    start: Start, by: tuple[str, ...], of: Iterable[str] | None, asked: Sampling, chosen: Stepping
) -> Sensitivities:
    """The same from a compiled start. Its parameters among `by` must be open."""
    motion = uninterrupted(followed(start, asked, chosen))
    if not len(motion.times):
        raise ModelError("The motion ended before the first of the times asked for; ask for earlier ones.")
    found = varied(start, by, chosen.span(asked.start, asked.end, np.unique(motion.times)))
    columns = _columns(start, found)
    names = _chosen(start, columns, of)
    order = np.minimum(np.searchsorted(found.times, motion.times), len(found.times) - 1)
    factors = {name: one.factor for name, one in counted(start.record).items()}
    steps = np.array([factors.get(name, 1.0) for name in by])  # the size of each unit in SI
    answer = Sensitivities(
        of=names,
        to=by,
        times=motion.times,
        values={name: columns[name][order] * (steps / factors.get(name, 1.0)) for name in names},
        events=tuple(_event(start, by, one, factors, steps) for one in found.events),
        motion=motion,
        notes=_notes(found),
    )
    return replace(answer, motion=replace(motion, sensitivities=answer))


def _columns(start: Start, found: Varied) -> Columns:
    """Derivatives of every column of a motion."""
    system, eq = start.system, start.system.equations
    n, names = system.n, eq.coordinates
    columns: Columns = {name: found.S[:, i] for i, name in enumerate(names)}
    columns |= {f"{name}'": found.S[:, n + i] for i, name in enumerate(names)}
    columns |= {f"{name}''": found.accelerations[:, i] for i, name in enumerate(names)}
    outputs = [eq.kinetic, eq.potential, *eq.outputs.values()]
    code = system.once(
        "outputs by x",
        lambda: compiled(eq.inputs, [e for row in jacobian(outputs, eq.inputs) for e in row], backend="numpy"),
    )
    by = code(found.X).reshape(len(found.X), len(outputs), -1) @ found.dx()
    columns |= {name: by[:, 2 + i] for i, name in enumerate(eq.outputs)}
    first = 2 * n + system.k
    columns |= {str(symbol): found.S[:, first + i] for i, symbol in enumerate(eq.followed)}
    columns |= {str(symbol): np.zeros_like(found.S[:, 0]) for symbol in eq.signals}
    columns |= _measured(start, found)
    columns |= {f"multiplier.{name}": rows for name, rows in _multipliers(start, found).items()}
    energy = {"kinetic": by[:, 0], "potential": by[:, 1], "total": by[:, 0] + by[:, 1]}
    return columns | {f"energy.{name}": rows for name, rows in energy.items()}


def _measured(start: Start, found: Varied) -> Columns:
    """Derivatives of the outputs, which hold accelerations and multipliers."""
    system, eq = start.system, start.system.equations
    answers, rows = _answers(start)
    shared = set() if found.determined else {*answers[system.n :]}  # multipliers that redundant rows share
    named = {name: e for name, e in eq.measured.items() if not shared & e.free_symbols}
    if not named:
        return {}
    inputs, outputs = [*eq.inputs, *answers], list(named.values())
    code = system.once(
        "measured by x",
        lambda: compiled(inputs, [e for row in jacobian(outputs, inputs) for e in row], backend="numpy"),
    )
    n, places = system.n, [system.n + row for row in rows]
    solved = np.hstack([found.X, found.solved[:, :n], found.solved[:, places]])
    by = code(solved).reshape(len(found.X), len(outputs), -1)
    changes = np.concatenate([found.dx(), found.accelerations, found.multipliers[:, rows]], axis=1)
    return {name: np.einsum("sx,sxj->sj", by[:, i], changes) for i, name in enumerate(named)}


def _answers(start: Start) -> tuple[list[Any], list[int]]:
    """The symbols of accelerations and multipliers in outputs, and the rows of these multipliers."""
    import symengine as se

    eq, hybrid = start.system.equations, start.hybrid
    if hybrid is None:
        return list(eq.answers), list(range(len(eq.answers) - len(eq.q)))
    touching = [se.Symbol(f"lambda.{name}") for name in hybrid.forces]
    return [*eq.answers, *touching], [*range(len(eq.constraints)), *hybrid.forces.values()]


def _multipliers(start: Start, found: Varied) -> Columns:
    if not found.determined:
        return {}
    system, hybrid = start.system, start.hybrid
    if hybrid is not None:
        rows = {name: i for i, name in enumerate(system.multiplier_names)} | hybrid.forces
        return {name: found.multipliers[:, row] for name, row in rows.items()}
    extra = found.S[:, 2 * system.n : 2 * system.n + system.k]
    reported = np.concatenate([extra, found.multipliers[:, system.k :]], axis=1)
    return {name: reported[:, i] for i, name in enumerate(system.multiplier_names)}


def _chosen(start: Start, columns: Columns, of: Iterable[str] | None) -> tuple[str, ...]:
    eq = start.system.equations
    if of is None:
        return (*eq.coordinates, *(f"{name}'" for name in eq.coordinates), *eq.outputs)
    wanted = []
    for name in of:
        full = name if name in columns else f"multiplier.{name}"
        if full not in columns:
            raise ModelError(
                "this motion has no {name} to differentiate{name2}.", name=name, name2=nearest(name, list(columns))
            )
        wanted.append(full)
    return tuple(dict.fromkeys(wanted))


def _event(
    start: Start, by: Sequence[str], one: Happening, factors: Mapping[str, float], steps: np.ndarray
) -> EventDerivative:
    names = start.system.equations.coordinates
    quantities = [*names, *(f"{name}'" for name in names)]

    def named(rows: np.ndarray) -> dict[str, dict[str, float]]:
        return {
            q: dict(zip(by, (row * steps / factors.get(q, 1.0)).tolist(), strict=True))
            for q, row in zip(quantities, rows, strict=False)
        }

    shifts = dict(zip(by, (one.time_by * steps).tolist(), strict=True))
    return EventDerivative(one.time, one.name, one.kind, shifts, named(one.before_by), named(one.after_by))


def _notes(found: Varied) -> tuple[str, ...]:
    if found.determined:
        return ()
    return (
        tr("Constraints are redundant, so multipliers are not determined one by one and have no derivatives here."),
    )
