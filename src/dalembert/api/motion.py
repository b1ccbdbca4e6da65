"""The answer of `simulate`: integrate from the initial state, then everything else at the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from dalembert.api.instant import Start, prepare, redundancy_notes, refuse_unilateral, reported_multipliers, units
from dalembert.compile.system import CompiledSystem
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.record import Model
from dalembert.results.motion import Diagnostics, Event, Motion
from dalembert.simulate.accelerations import solve_accelerations
from dalembert.simulate.raw import Crossing, Dense, Raw
from dalembert.simulate.reactions import generalized_reactions

DURATION = 10.0  # of a model that states none
SAMPLES = 501


@dataclass(frozen=True, slots=True)
class Span:
    """The times asked for, in the order asked for, and where the motion starts and ends."""

    start: float
    end: float
    times: np.ndarray
    exact: bool = False  # these times and no others
    notes: tuple[str, ...] = ()


def span(
    record: Model, until: float | None = None, samples: int | None = None, at: Iterable[float] | None = None
) -> Span:
    """`until` is a time, not a duration; with `at` the times are exactly those."""
    start, settings = float(record.simulation.start), record.simulation
    if samples is not None and at is not None:
        raise ModelError("give a number of samples or the times themselves, not both.")
    if until is not None and not (np.isfinite(until) and until > start):
        raise ModelError(f"the motion starts at t = {start:.10g} and cannot end at {until:.10g}; give a later time.")
    if at is not None:
        times = np.array(list(at), float)
        if not len(times) or not np.isfinite(times).all():
            raise ModelError("the times asked for must be finite numbers, at least one.")
        if times.min() < start:
            raise ModelError(f"the motion starts at t = {start:.10g}, and {times.min():.10g} is before that.")
        end = float(times.max()) if until is None else float(until)
        if times.max() > end:
            raise ModelError(f"the motion ends at t = {end:.10g}, and {times.max():.10g} is after that.")
        return Span(start, end, times, exact=True)
    notes: tuple[str, ...] = ()
    if until is None:
        if settings.duration is None:
            notes = (f"The model states no duration; {DURATION:g} s were taken.",)
        until = start + (DURATION if settings.duration is None else float(settings.duration))
    count = samples or settings.samples or SAMPLES
    if count < 2:
        raise ModelError(f"{count} samples were asked for; at least 2 are needed, the first and the last.")
    return Span(start, float(until), np.linspace(start, float(until), count), notes=notes)


def simulate(
    record: Model,
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
) -> Motion:
    """The motion from the initial state; a failure on the way raises MathematicsError."""
    refuse_unilateral(record)
    asked = span(record, until, samples, at)
    settings = record.simulation
    tolerance = settings.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(f"the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01.")
    from dalembert.simulate.drive import integrate  # numba takes a quarter of a second, which `solve` need not wait for

    start = prepare(record, method, strict)
    first = solve_accelerations(start.system, start.x)  # a fault of the initial state is said before any step
    began = perf_counter()
    raw = integrate(
        start.system,
        np.concatenate([start.q, start.v, start.z]),
        np.unique(asked.times),
        start=asked.start,
        end=asked.end,
        tolerance=tolerance,
        stepper=stepper or settings.stepper,
        step=settings.step if step is None else step,
        progress=progress,
        record_dense=dense,
    )
    seconds = {**start.seconds, "integrate": perf_counter() - began}
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    said = (f"{raw.message[0].upper()}{raw.message[1:]}.",) if raw.message else ()
    return _motion(start, asked, raw, seconds, (*asked.notes, *start.notes, *redundancy_notes(first), *said))


def _motion(start: Start, asked: Span, raw: Raw, seconds: dict[str, float], notes: tuple[str, ...]) -> Motion:
    system, record = start.system, start.record
    equations = system.equations
    names, n = equations.coordinates, system.n
    t, y = _sampled(asked, raw)
    q, v, z = y[:, :n], y[:, n : 2 * n], y[:, 2 * n :]
    X = system.state(t, q, v, z)
    a, nu = accelerations(system, X)
    multipliers = reported_multipliers(system, nu, z)
    outputs = system.outputs(X)
    kinetic, potential = outputs[:, 0], outputs[:, 1]
    total = kinetic + potential
    first = system.outputs(start.x)[:2].sum()
    return Motion(
        method=equations.method,
        status=raw.status,
        times=t,
        coordinates=_named(names, q),
        speeds=_named(names, v),
        accelerations=_named(names, a),
        multipliers=_named(system.multiplier_names, multipliers),
        definitions=_named(equations.outputs, outputs[:, 2 : 2 + len(equations.outputs)]),
        energy={"kinetic": kinetic, "potential": potential, "total": total},
        events=tuple(_event(event, names) for event in raw.events),
        diagnostics=Diagnostics(
            steps=int(raw.steps),
            evaluations=int(raw.evaluations),
            constraint_residual=max(float(raw.residual), float(raw.rate_residual)),
            energy_drift=float(np.abs(total - first).max(initial=0.0)),
            seconds=seconds,
            stepper=", then ".join(raw.steppers),
        ),
        corrections=start.corrections,
        notes=notes,
        title=record.title,
        units=units(record),
        reactions=_reactions(system, X, a, nu),
        dense=None if raw.dense is None else partial(_between, raw.dense, n),
    )


def _reactions(
    system: CompiledSystem, X: np.ndarray, a: np.ndarray, nu: np.ndarray
) -> dict[str, dict[str, np.ndarray]]:
    """The generalized reaction of every constraint, on the coordinates on which it acts."""
    names = system.equations.coordinates
    forces = generalized_reactions(system, X, a, nu)
    acts = np.any(forces != 0, axis=0)
    return {
        name: {q: forces[:, i, j] for j, q in enumerate(names) if acts[i, j]}
        for i, name in enumerate(system.multiplier_names)
    }


def accelerations(system: CompiledSystem, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν at every row of X, by one batched solve of [D −R; A 0] where that is regular, else row by row."""
    n, m, size = system.n, system.m, system.reactions
    D, d, A, b, R = system.unpacked(system.dynamics(X))
    a, nu = np.zeros((len(X), n)), np.zeros((len(X), size))
    left = np.ones(len(X), bool)
    if m == size:
        K = np.zeros((len(X), n + m, n + m))
        K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = D, -R, A
        scale = np.abs(K).max(axis=2, initial=0.0)
        regular = np.isfinite(K).all(axis=(1, 2)) & (scale > 0).all(axis=1)
        K, right = K[regular] / scale[regular, :, None], np.hstack([d, b])[regular] / scale[regular]
        regular[regular] = good = np.linalg.cond(K) < 1e9
        found = np.linalg.solve(K[good], right[good][:, :, None])[:, :, 0]
        a[regular], nu[regular], left = found[:, :n], found[:, n:], ~regular
    for i in np.flatnonzero(left):
        solution = solve_accelerations(system, X[i])
        a[i], nu[i] = solution.a, solution.multipliers
    return a, nu


def _sampled(asked: Span, raw: Raw) -> tuple[np.ndarray, np.ndarray]:
    """The states at the times asked for, in their order, as far as the motion came; then where it came to an end."""
    places = {time: i for i, time in enumerate(raw.t.tolist())}
    order = np.array([places[time] for time in asked.times.tolist() if time in places], int)
    t, y = raw.t[order], np.hstack([raw.q, raw.v, raw.z])[order]
    if asked.exact or raw.status == "finished" or raw.end in places:
        return t, y
    return np.append(t, raw.end), np.vstack([y, raw.end_state])


def _between(dense: Dense, n: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = dense(times)
    return y[:, :n], y[:, n : 2 * n]


def _event(crossing: Crossing, names: tuple[str, ...]) -> Event:
    speeds = dict(zip(names, crossing.v.tolist(), strict=True))
    return Event(float(crossing.time), crossing.name, "crossing", speeds, speeds)


def _named(names: Iterable[str], columns: np.ndarray) -> dict[str, np.ndarray]:
    return {name: columns[:, i] for i, name in enumerate(names)}
