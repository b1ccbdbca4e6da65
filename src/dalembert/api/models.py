"""Models of constraint as a part of `analyze`: Chetaev's and the vakonomic motion from the same state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dalembert.analysis.constraints import Fit, difference, fitting
from dalembert.analysis.question import Question
from dalembert.api.motion import path, simulate
from dalembert.constraint_models.samples import initial, samples
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import chetaev_method
from dalembert.language import tr
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.model.record import ModelRecord
from dalembert.motions.raw import uninterrupted
from dalembert.prepared import prepare
from dalembert.results.models import ModelParting, Models

SAMPLES = 401
SHOWN = 5  # times at which distances are reported
TOLERANCE = 1e-11


def models(question: Question) -> Models:
    """Decide whether the two models coincide, for which λ₀, and how far their motions diverge."""
    record = question.record
    system = System(record, numeric=True)
    if all(row.kind == "holonomic" for row in system.constraints.rows):
        there = tr("All constraints are holonomic") if system.constraints.rows else tr("There are no constraints")
        return _nothing(tr("{there}: Chetaev's and the vakonomic model are the same.", there=there))
    if record.contacts or record.frictions:
        return _nothing(tr("The vakonomic model knows no contacts and frictions, so there is nothing to compare."))
    method = chetaev_method(record)
    start = prepare(record, method, often=False)
    about = difference(system, start.system)
    always = about.vanishes(samples(start.system, initial(record)))
    motion = uninterrupted(simulate(record, method, until=question.until, samples=SAMPLES, tolerance=TOLERANCE))
    X = start.system.state(motion.times, _columns(motion.coordinates), _columns(motion.speeds))
    rows = [row.name for row in system.constraints.rows]
    mu = np.column_stack([motion.multipliers[name] for name in rows])
    found = fitting(about, motion.times, X, _columns(motion.accelerations), mu)
    names = [rows[i] for i in about.bent]
    fit = None if found.multipliers is None else dict(zip(names, found.multipliers.tolist(), strict=True))
    places = np.linspace(0, len(motion.times) - 1, SHOWN + 1).astype(int)[1:]
    partings, notes = [], []
    for multipliers in _candidates(record, names, fit):
        try:
            changed = with_settings(record, {f"multipliers.{name}": value for name, value in multipliers.items()})
            other = path(changed, "vakonomic", question.until, SAMPLES, TOLERANCE)
        except (MathematicsError, ModelError) as error:
            notes.append(
                tr(
                    "The vakonomic motion with λ₀ = {multipliers} could not be computed: {error}.",
                    multipliers=_shown(multipliers),
                    error=error,
                )
            )
            continue
        shared = [int(p) for p in places if p < len(other.times)]
        here = _columns(motion.coordinates)[shared]
        apart = np.abs(other.states[shared, : here.shape[1]] - here).max(axis=1)
        partings.append(
            ModelParting(multipliers, tuple(apart.tolist()) + (float("nan"),) * (len(places) - len(shared)))
        )
    return Models(
        always=always,
        fitting=fit,
        directions=() if always else _directions(names, found),
        times=tuple(motion.times[places].tolist()),
        partings=tuple(partings),
        notes=tuple(notes),
    )


def _nothing(reason: str) -> Models:
    return Models(True, None, (), (), (), reason)


def _candidates(record: ModelRecord, names: list[str], fit: Mapping[str, float] | None) -> list[dict[str, float]]:
    """The candidates: λ₀ = 0, the model's own, and the fitting one."""
    found = [dict.fromkeys(names, 0.0)]
    if record.multipliers:
        from dalembert.model.values import at_start

        start = at_start(record)
        found.append({n: start.number(record.multipliers[n]) if n in record.multipliers else 0.0 for n in names})
    if fit is not None:
        found.append(dict(fit))
    return [one for i, one in enumerate(found) if one not in found[:i]]


def _directions(names: list[str], found: Fit) -> tuple[Mapping[str, float], ...]:
    made = []
    for row in found.directions:
        row = row / row[np.abs(row).argmax()]
        made.append(dict(zip(names, np.where(np.abs(row) < 1e-9, 0.0, row).tolist(), strict=True)))
    return tuple(made)


def _columns(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.column_stack([*arrays.values()])


def _shown(multipliers: Mapping[str, float]) -> str:
    return ", ".join(f"{name}: {value:.6g}" for name, value in multipliers.items())
