"""`simulate`: integrates from the initial state, then evaluates everything else at the samples."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from dalembert import __version__
from dalembert.api.calls import Sampling, Stepping, sampling, stepping
from dalembert.api.instant import reported_multipliers
from dalembert.api.redundancy import redundancy_notes
from dalembert.api.released import question, release, rows_of, with_loads
from dalembert.api.sampled import SampledMotion, motion_of, named, places, spent
from dalembert.errors import MathematicsError
from dalembert.formalisms.base import selected
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.motions.accelerations import Solution, accelerations, solve_accelerations
from dalembert.motions.kinked import kinked
from dalembert.motions.raw import Raw, uninterrupted
from dalembert.motions.reactions import generalized_reactions
from dalembert.prepared import Start, prepare
from dalembert.programs.functions import OFTEN
from dalembert.programs.system import CompiledSystem
from dalembert.results.motion import Motion
from dalembert.results.origin import Origin
from dalembert.results.release import Release

LOG = logging.getLogger(__name__)


def simulate(
    record: ModelRecord,
    method: str | None = None,
    *,
    until: float | None = None,
    samples: int | None = None,
    at: Iterable[float] | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    strict: bool = False,
    dense: bool = False,
    progress: Callable[[float], None] | None = None,
    reactions: Iterable[str] | None = None,
) -> Motion:
    """Follow the motion from the initial state. A failure on the way raises MathematicsError."""
    asked = sampling(record, until, samples, at)  # a bad call is refused before anything is derived
    chosen = stepping(record, tolerance, stepper, step, dense, progress)
    wanted = None if reactions is None else list(reactions)
    start = prepare(with_loads(record, wanted or ()), method, strict, often=False)
    return followed(start, asked, chosen, wanted)


def simulate_from(
    start: Start,
    *,
    until: float | None = None,
    samples: int | None = None,
    at: Iterable[float] | None = None,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    dense: bool = False,
    progress: Callable[[float], None] | None = None,
    reactions: Iterable[str] | None = None,
) -> Motion:
    """The motion from a compiled system at its initial state: nothing is derived."""
    chosen = stepping(start.record, tolerance, stepper, step, dense, progress)
    wanted = None if reactions is None else list(reactions)
    return followed(start, sampling(start.record, until, samples, at), chosen, wanted)


def followed(start: Start, asked: Sampling, chosen: Stepping, reactions: Sequence[str] | None = None) -> Motion:
    """The motion, with the reactions of these constraints only, or of all."""
    system = start.system
    wanted = None if reactions is None else selected(forces_of(start), reactions)
    times: dict[str, Any] = {"at": asked.times.tolist()} if asked.exact else {"samples": len(asked.times)}
    settings = {
        "until": asked.end, **times, "tolerance": chosen.tolerance, "stepper": chosen.stepper, "step": chosen.step,
        "dense": chosen.dense, "open": [str(symbol) for symbol in system.equations.parameters],
        "often": system.level == OFTEN,
    }  # fmt: skip
    if wanted is None:
        made = partial(_origin, start.record, system.equations.method, settings)
        return replace(_moved(start, asked, chosen), made=made)
    made = partial(_origin, start.record, system.equations.method, settings | {"reactions": list(wanted)})
    motion = _moved(start, asked, chosen, wanted)
    multipliers = {name: motion.multipliers[name] for name in wanted}
    return replace(motion, multipliers=multipliers, reactions={n: motion.reactions[n] for n in wanted}, made=made)


def forces_of(start: Start) -> tuple[str, ...]:
    """The names of all reactions: of constraints, contacts and frictions."""
    return (*start.system.multiplier_names, *(() if start.hybrid is None else start.hybrid.forces))


def _origin(record: ModelRecord, method: str, settings: dict[str, Any]) -> Origin:
    """Everything needed to make a motion again."""
    versions = {"dalembert": __version__, "python": platform.python_version(), "numpy": np.__version__}
    from dalembert.model.write import write_text  # a motion that is not written need not load it

    return Origin(write_text(record), initial_values(record).parameters, method, settings, versions)


def _moved(start: Start, asked: Sampling, chosen: Stepping, wanted: Sequence[str] | None = None) -> Motion:
    if start.hybrid is not None:
        from dalembert.api.unilateral import simulate_touching

        return simulate_touching(start, start.hybrid, asked, chosen, wanted)
    began = perf_counter()
    raw, first = _integrated(start, asked, chosen)
    seconds = spent(start, perf_counter() - began, raw.seconds)
    notes = (*asked.notes, *start.notes, *redundancy_notes(first.redundant))
    found = _smooth(start, asked, raw, wanted)
    return motion_of(start, found, raw, seconds, notes, chosen)


def _integrated(start: Start, asked: Sampling, chosen: Stepping) -> tuple[Raw, Solution]:
    """The states of a smooth motion, and the accelerations at its start."""
    from dalembert.motions.one import integrate

    first = solve_accelerations(start.system, start.x)  # a bad initial state is refused before the first step
    raw = integrate(start.system, start.y, chosen.span(asked.start, asked.end, asked.ordered))
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    return raw, first


def path(record: ModelRecord, method: str, until: float | None, samples: int, tolerance: float) -> Raw:
    """The states of a smooth motion, for questions that do not ask for its forces and energies."""
    asked, chosen = sampling(record, until, samples, None), stepping(record, tolerance, None, None, False, None)
    return uninterrupted(_integrated(prepare(record, method, often=False), asked, chosen)[0])


def _smooth(start: Start, asked: Sampling, raw: Raw, wanted: Sequence[str] | None) -> SampledMotion:
    system = start.system
    n = system.n
    order, ends = places(asked, raw.times, raw.status, raw.end)
    t, y = raw.times[order], raw.states[order]
    if ends:
        t, y = np.append(t, raw.end), np.vstack([y, raw.end_state])
    z = y[:, 2 * n :]
    X = system.along(t, y)
    F = system.dynamics(X)
    known = None if kinked(system) is None else (raw.accelerations[order], raw.multipliers[order])
    a, nu, freed = _forces(system, X, F, known, wanted)
    forces = generalized_reactions(system, X, a, nu, F)
    return SampledMotion(
        times=t,
        states=X,
        accelerations=a,
        multipliers=named(system.multiplier_names, reported_multipliers(system, nu, z[:, : system.k])),
        reactions={name: forces[:, i] for i, name in enumerate(system.multiplier_names)},
        released=freed,
    )


def _forces(
    system: CompiledSystem,
    X: np.ndarray,
    F: np.ndarray,
    known: tuple[np.ndarray, np.ndarray] | None,
    wanted: Sequence[str] | None,
) -> tuple[np.ndarray, np.ndarray, Release | None]:
    """q̈ and ν at every row of X, with values F of the dynamics, where the first rows may be `known`. Of reactions only
    those wanted are solved for, unless they take all rows.
    """
    n, places = system.n, {name: i for i, name in enumerate(system.multiplier_names)}
    names = () if wanted is None else question(system.equations, system.multiplier_names, wanted)
    if known is None and wanted is not None:
        a, nu = np.zeros((len(X), n)), np.zeros((len(X), system.reactions))
        freed, left = release(rows_of(system, X), a, nu, places, names, known=False)
        a[left], nu[left] = accelerations(system, X[left], F[left])
        return a, nu, freed
    done = 0 if known is None else len(known[0])
    a, nu = accelerations(system, X[done:], F[done:])
    if known is not None:
        a, nu = np.vstack([known[0], a]), np.vstack([known[1], nu])
    return a, nu, release(rows_of(system, X), a, nu, places, names)[0] if wanted is not None else None
