"""`connect`: a vakonomic motion from the initial configuration to a given one.

The motion makes the action ∫ L dt stationary among all curves that respect the constraints. Shooting starts from
several guesses. Of the motions found, the one of least action is returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from dalembert.api.calls import sampling
from dalembert.api.motion import simulate
from dalembert.constraint_models.continuation import SearchEnd
from dalembert.constraint_models.shooting import Boundary, Flow, guesses, shoot
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.nodes import expression
from dalembert.language import tr
from dalembert.model.change import with_settings
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.motions.raw import uninterrupted
from dalembert.motions.span import TimeSpan
from dalembert.prepared import Start, prepare, require_constant
from dalembert.results.connection import Connection

TOLERANCE = 1e-12  # tolerance of the trial motions
GUESSES = {1: 8, 6: 3}  # numbers of segments, tried in turn: multiple shooting follows if single shooting finds nothing
SAME = 1e-6  # actions closer than this belong to one motion, up to symmetry


def connect(
    record: ModelRecord, to: Mapping[str, Any], until: float | None = None, samples: int | None = None
) -> Connection:
    """The motion that ends with the coordinates `to`. Coordinates that are not named are free at the end."""
    target = _target(record, to)
    asked = sampling(record, until, samples)
    start = prepare(record, "vakonomic", whole=False)
    require_constant(start.system.equations, "connect", tr("leave them out, or write them as functions of time"))
    names = start.system.equations.coordinates
    places = tuple(names.index(name) for name in target)
    values = np.array([*target.values()])
    problem = Boundary(start.system, _flow(start), asked.start, asked.end, start.q, places, values)
    found = sorted(((_action(problem, shot), shot) for shot in _hits(problem, start)), key=lambda pair: pair[0])
    action, shot = found[0]
    others: list[float] = []
    for other, _ in found[1:]:
        if all(abs(other - known) > SAME * max(1.0, abs(known)) for known in (action, *others)):
            others.append(other)
    free = tuple(name for name in names if name not in target)
    motion = simulate(_changed(record, start, shot), "vakonomic", until=asked.end, samples=samples)
    if free:
        note = tr("Free at the end: {free}; the momentum ∂(L + λf)/∂q' along them is zero there.", free=", ".join(free))
        motion = replace(motion, notes=(note, *motion.notes))
    n, lam = start.system.n, start.system.multiplier_names[: start.system.k]
    return Connection(
        motion=motion,
        to=target,
        free=free,
        initial_speeds=dict(zip(names, shot.unknowns[:n].tolist(), strict=True)),
        initial_multipliers=dict(zip(lam, shot.unknowns[n : n + len(lam)].tolist(), strict=True)),
        action=action,
        residual=shot.missed,
        others=tuple(others),
    )


def _target(record: ModelRecord, to: Mapping[str, Any]) -> dict[str, float]:
    """The coordinates at the end as numbers. An expression may hold parameters."""
    if not to:
        raise ModelError("no coordinate was given to connect to; name at least one, as in x=1.")
    for name in to:
        if name not in record.coordinates:
            near = get_close_matches(name, record.coordinates, 1)
            hint = (
                tr("did you mean {near}?", near=near[0])
                if near
                else tr("known are {coordinates}.", coordinates=", ".join(record.coordinates))
            )
            raise ModelError("there is no coordinate {name!r} to connect to; {hint}", name=name, hint=hint)
    ends = initial_values(with_settings(record, to)).coordinates
    return {name: ends[name] for name in to}


def _flow(start: Start) -> Flow:
    from dalembert.motions.one import integrate

    system = start.system

    def flow(y: np.ndarray, t0: float, t1: float) -> np.ndarray:
        raw = uninterrupted(integrate(system, y, TimeSpan(t0, t1, [t1], TOLERANCE)))
        if raw.status != "finished":
            raise MathematicsError(
                raw.message or tr("the motion ended at t = {t:.9g}", t=raw.times[-1] if len(raw.times) else t0)
            )
        return raw.states[-1]

    return flow


def _hits(problem: Boundary, start: Start) -> list[SearchEnd]:
    """The shots that hit, from every guess. If none hits, raise an error that says how near the best one came."""
    best: SearchEnd | None = None
    for segments, count in GUESSES.items():
        shots = [shoot(problem, v, z, segments) for v, z in guesses(problem, start.v, start.z, count)]
        hits = [shot for shot in shots if shot.hit]
        if hits:
            return hits
        nearest = min(shots, key=lambda shot: shot.missed)
        best = nearest if best is None or nearest.missed < best.missed else best
    assert best is not None
    raise MathematicsError(_reached(problem, best))


def _reached(problem: Boundary, shot: SearchEnd) -> str:
    names = problem.system.equations.coordinates
    wanted = ", ".join(f"{names[i]} = {value:.9g}" for i, value in zip(problem.places, problem.values, strict=True))
    sentence = tr(
        "no vakonomic motion was found from the initial configuration to {wanted} at t = {end:.9g}",
        wanted=wanted,
        end=problem.end,
    )
    n, k = problem.system.n, problem.system.k
    try:
        y = problem.flow(np.concatenate([problem.q, shot.unknowns[: n + k]]), problem.start, problem.end)
    except MathematicsError as error:
        return tr("{sentence}; the nearest trial failed: {error}", sentence=sentence, error=error)
    ends = ", ".join(f"{names[i]} = {y[i]:.9g}" for i in problem.places)
    return tr(
        "{sentence}; the nearest trial ends at {ends}. Another time, or other speeds and multipliers, may help",
        sentence=sentence,
        ends=ends,
    )


def _changed(record: ModelRecord, start: Start, shot: SearchEnd) -> ModelRecord:
    """The model with the speeds and multipliers found."""
    n, system = start.system.n, start.system
    names = system.equations.coordinates
    q = dict(zip(names, start.q.tolist(), strict=True))
    v = dict(zip(names, shot.unknowns[:n].tolist(), strict=True))
    coordinates = {
        name: replace(coordinate, initial=expression(q[name]), speed=expression(v[name]))
        for name, coordinate in record.coordinates.items()
    }
    z = shot.unknowns[n : n + system.k].tolist()
    multipliers = {name: expression(value) for name, value in zip(system.multiplier_names, z, strict=False)}
    return replace(record, coordinates=coordinates, multipliers=multipliers)


def _action(problem: Boundary, shot: SearchEnd) -> float:
    """∫ (T − V) dt by Gauss's formula of eight points in forty panels."""
    from dalembert.motions.one import integrate

    system, n = problem.system, problem.system.n
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(problem.start, problem.end, 41)
    half = np.diff(edges) / 2
    times = ((edges[:-1] + half)[:, None] + half[:, None] * nodes).ravel()
    y = np.concatenate([problem.q, shot.unknowns[: n + system.k]])
    raw = uninterrupted(integrate(system, y, TimeSpan(problem.start, problem.end, times, TOLERANCE)))
    energies = system.outputs(system.along(raw.times, raw.states))
    return float((half[:, None] * weights).ravel() @ (energies[:, 0] - energies[:, 1]))
