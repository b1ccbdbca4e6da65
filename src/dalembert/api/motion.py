"""`simulate`: integrates from the initial state, then evaluates everything else at the samples."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import __version__
from dalembert.api.instant import measured, redundancy_notes, reported_multipliers, units
from dalembert.api.released import question, release, rows_of, with_loads
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms.base import selected
from dalembert.language import tr
from dalembert.model.forms import met
from dalembert.model.record import MOST_SAMPLES, Model
from dalembert.model.signals import covered
from dalembert.model.values import initial_values
from dalembert.model.write import write_text
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.raw import Crossings, Dense, Raw, Turns
from dalembert.motions.reactions import generalized_reactions
from dalembert.prepared import Start, prepare
from dalembert.programs.functions import OFTEN
from dalembert.programs.system import CompiledSystem
from dalembert.results.events import Events
from dalembert.results.motion import Diagnostics, Jumps, Motion
from dalembert.results.origin import Origin
from dalembert.results.release import Release

if TYPE_CHECKING:
    from dalembert.motions.contact import HybridMotion
    from dalembert.view.animation import Animation

LOG = logging.getLogger(__name__)
DURATION = 10.0  # seconds, if neither the call nor the model states a duration
SAMPLES = 501
LEAST_RANK, NO_RANK = 1e-9, 1e-12  # relative to the largest singular value: rank above, rounding below


@dataclass(frozen=True, slots=True)
class Span:
    """The sample times, in the order of the call, and the start and end of the motion."""

    start: float
    end: float
    times: np.ndarray
    exact: bool = False  # the caller gave these times, so no other is added
    notes: tuple[str, ...] = ()

    @property
    def ordered(self) -> np.ndarray:
        """Every sample time once, in order (`np.unique` would load `numpy.ma` first)."""
        times = np.sort(self.times)
        return times[np.concatenate([[True], np.diff(times) > 0])]


@dataclass(frozen=True, slots=True)
class Stepping:
    """Options of the stepper."""

    tolerance: float
    stepper: str
    step: float | None
    dense: bool
    progress: Callable[[float], None] | None


def stepping(
    record: Model,
    tolerance: float | None = None,
    stepper: str | None = None,
    step: float | None = None,
    dense: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Stepping:
    """The options of a call, completed by the model's own settings."""
    _be_numbers(tolerance=tolerance, step=step)
    settings = record.simulation
    tolerance = settings.tolerance if tolerance is None else tolerance
    if not 0 < tolerance <= 1e-2:
        raise ModelError(
            tr("the tolerance is {tolerance:g}; it must be greater than 0 and at most 0.01.", tolerance=tolerance)
        )
    return Stepping(tolerance, stepper or settings.stepper, settings.step if step is None else step, dense, progress)


def _be_numbers(**options: Any) -> None:
    for name, value in options.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            raise ModelError(tr("{name}: {met} was met, and a number is expected", name=name, met=met(value)))


def span(
    record: Model, until: float | None = None, samples: int | None = None, at: Iterable[float] | None = None
) -> Span:
    """The sample times of a call. `until` is a time, not a duration; with `at` the samples are exactly those times."""
    _be_numbers(until=until, samples=samples)
    start, settings = float(record.simulation.start), record.simulation
    if samples is not None and at is not None:
        raise ModelError(tr("give a number of samples or the times themselves, not both."))
    if until is not None and not (np.isfinite(until) and until > start):
        wanted = tr("a later time") if np.isfinite(until) else tr("a finite time")
        raise ModelError(
            tr(
                "the motion starts at t = {start:.10g} and cannot end at {until:.10g}; give {wanted}.",
                start=start,
                until=until,
                wanted=wanted,
            )
        )
    if at is not None:
        try:
            times = np.array(list(at), float)
        except (TypeError, ValueError):
            times = np.array([np.nan])
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all():
            raise ModelError(tr("the times asked for must be finite numbers, at least one."))
        if times.min() < start:
            raise ModelError(
                tr(
                    "the motion starts at t = {start:.10g}, and {times:.10g} is before that.",
                    start=start,
                    times=times.min(),
                )
            )
        end = float(times.max()) if until is None else float(until)
        if times.max() > end:
            raise ModelError(
                tr("the motion ends at t = {end:.10g}, and {times:.10g} is after that.", end=end, times=times.max())
            )
        covered(record, start, end)
        return Span(start, end, times, exact=True)
    notes: tuple[str, ...] = ()
    if until is None:
        if settings.duration is None:
            notes = (tr("The model states no duration; {duration:g} s were taken.", duration=DURATION),)
        until = start + (DURATION if settings.duration is None else float(settings.duration))
    count = settings.samples or SAMPLES if samples is None else samples
    if not 2 <= count <= MOST_SAMPLES:
        raise ModelError(
            tr(
                "{count} samples were asked for; a number from 2 to {most_samples} million is expected.",
                count=count,
                most_samples=MOST_SAMPLES // 10**6,
            )
        )
    covered(record, start, float(until))
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
    reactions: Iterable[str] | None = None,
) -> Motion:
    """Follow the motion from the initial state. A failure on the way raises MathematicsError."""
    asked = span(record, until, samples, at)  # a bad call is refused before anything is derived
    chosen = stepping(record, tolerance, stepper, step, dense, progress)
    wanted = None if reactions is None else list(reactions)
    start = prepare(with_loads(record, wanted or ()), method, strict, often=False)
    return _simulated(start, asked, chosen, wanted)


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
    return _simulated(start, span(start.record, until, samples, at), chosen, wanted)


def _simulated(start: Start, asked: Span, chosen: Stepping, reactions: Sequence[str] | None = None) -> Motion:
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
        return replace(_followed(start, asked, chosen), made=made)
    made = partial(_origin, start.record, system.equations.method, settings | {"reactions": list(wanted)})
    motion = _followed(start, asked, chosen, wanted)
    multipliers = {name: motion.multipliers[name] for name in wanted}
    return replace(motion, multipliers=multipliers, reactions={n: motion.reactions[n] for n in wanted}, made=made)


def forces_of(start: Start) -> tuple[str, ...]:
    """The names of all reactions: of constraints, contacts and frictions."""
    return (*start.system.multiplier_names, *(() if start.hybrid is None else start.hybrid.forces))


def _origin(record: Model, method: str, settings: dict[str, Any]) -> Origin:
    """Everything needed to make a motion again."""
    versions = {"dalembert": __version__, "python": platform.python_version(), "numpy": np.__version__}
    return Origin(write_text(record), initial_values(record).parameters, method, settings, versions)


def _followed(start: Start, asked: Span, chosen: Stepping, wanted: Sequence[str] | None = None) -> Motion:
    if start.hybrid is not None:
        from dalembert.api.unilateral import simulate_touching

        return simulate_touching(start, start.hybrid, asked, chosen, wanted)
    from dalembert.motions.one import integrate

    first = solve_accelerations(start.system, start.x)  # a bad initial state is refused before the first step
    began = perf_counter()
    raw = integrate(
        start.system,
        start.y,
        asked.ordered,
        start=asked.start,
        end=asked.end,
        tolerance=chosen.tolerance,
        stepper=chosen.stepper,
        step=chosen.step,
        progress=chosen.progress,
        record_dense=chosen.dense,
    )
    seconds = spent(start, perf_counter() - began, raw.seconds)
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    notes = (*asked.notes, *start.notes, *redundancy_notes(first.redundant))
    found = _smooth(start, asked, raw, wanted)
    return motion_of(start, found, raw, ", then ".join(raw.steppers), seconds, notes, chosen)


@dataclass(frozen=True, slots=True)
class Sampled:
    """A motion at its samples, in the form that smooth motions and motions with contacts share."""

    times: np.ndarray
    states: np.ndarray  # X, a row for each time
    accelerations: np.ndarray
    multipliers: Mapping[str, np.ndarray]
    reactions: Mapping[str, np.ndarray]  # samples × coordinates
    events: Events
    modes: Mapping[str, np.ndarray] = field(default_factory=dict)
    jumps: Jumps | None = None
    dense: Callable[[np.ndarray, bool], tuple[np.ndarray, np.ndarray]] | None = None
    released: Release | None = None


def _smooth(start: Start, asked: Span, raw: Raw, wanted: Sequence[str] | None) -> Sampled:
    system = start.system
    n = system.n
    order, ends = places(asked, raw.t, raw.status, raw.end)
    t, y = raw.t[order], np.hstack([raw.q, raw.v, raw.z])[order]
    if ends:
        t, y = np.append(t, raw.end), np.vstack([y, raw.end_state])
    z = y[:, 2 * n :]
    X = system.state(t, y[:, :n], y[:, n : 2 * n], z)
    a, nu, freed = _forces(system, X, None if raw.forces is None else raw.forces[order], wanted)
    forces = generalized_reactions(system, X, a, nu)
    return Sampled(
        times=t,
        states=X,
        accelerations=a,
        multipliers=named(system.multiplier_names, reported_multipliers(system, nu, z[:, : system.k])),
        reactions={name: forces[:, i] for i, name in enumerate(system.multiplier_names)},
        events=_events(raw.events, raw.turns, system.equations.coordinates),
        jumps=_jumps(system, raw.turns),
        dense=None if raw.dense is None else partial(_between, raw.dense, n),
        released=freed,
    )


def _forces(
    system: CompiledSystem, X: np.ndarray, known: np.ndarray | None, wanted: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray, Release | None]:
    """q̈ and ν at every row of X, where the first rows may be `known`. Of reactions only those wanted are solved for,
    unless they take all rows.
    """
    n, places = system.n, {name: i for i, name in enumerate(system.multiplier_names)}
    names = () if wanted is None else question(system.equations, system.multiplier_names, wanted)
    if known is None and wanted is not None:
        a, nu = np.zeros((len(X), n)), np.zeros((len(X), system.reactions))
        freed, left = release(rows_of(system, X), a, nu, places, names, known=False)
        a[left], nu[left] = accelerations(system, X[left])
        return a, nu, freed
    a, nu = accelerations(system, X if known is None else X[len(known) :])
    if known is not None:
        a, nu = np.vstack([known[:, :n], a]), np.vstack([known[:, n:], nu])
    return a, nu, release(rows_of(system, X), a, nu, places, names)[0] if wanted is not None else None


def spent(start: Start, all_of_it: float, stepping: float | None) -> dict[str, float]:
    """Seconds by kind of work. Preparations for the engine before its steps count as compiling."""
    steps = all_of_it if stepping is None else stepping
    made = start.seconds.get("compile", 0.0) + all_of_it - steps
    return {**start.seconds, "compile": made, "integrate": steps}


def motion_of(
    start: Start,
    found: Sampled,
    raw: Raw | HybridMotion,
    stepper: str,
    seconds: dict[str, float],
    notes: tuple[str, ...],
    chosen: Stepping,
) -> Motion:
    """The named arrays of a motion that was computed."""
    LOG.info(
        "%s: %s at t = %.10g after %d steps in %.3f s",
        start.record.title or "model", raw.status, raw.end, raw.steps, seconds["integrate"],
    )  # fmt: skip
    system, X = start.system, found.states
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
        events=found.events,
        diagnostics=Diagnostics(
            steps=int(raw.steps),
            evaluations=int(raw.evaluations),
            constraint_residual=max(float(raw.residual), float(raw.rate_residual)),
            energy_drift=float(np.abs(total - first - _jumped(found)).max(initial=0.0)),
            seconds=seconds,
            stepper=stepper,
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
        jumps=found.jumps,
        dense=found.dense,
        released=found.released,
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


def _jumped(found: Sampled) -> np.ndarray:
    """The change of the energy by jumps, up to every sample: a loss at an impact is not drift."""
    if found.jumps is None:
        return np.zeros(len(found.times))
    name = "energy.total"
    changes = np.concatenate([[0.0], np.cumsum(found.jumps.after[name] - found.jumps.before[name])])
    return changes[np.searchsorted(found.jumps.times, found.times, "right")]


def _viewed(record: Model, motion: Motion, **options: Any) -> Animation:
    from dalembert.view.animation import animation

    return animation(record, motion, **options)


def residuals(system: CompiledSystem, X: np.ndarray) -> dict[str, np.ndarray]:
    """The residual of every constraint as the model states it: φ of holonomic rows, f of the others."""
    rows = system.equations.constraints
    phi = iter(system.position(X)[:, : system.mh].T) if system.mh else iter(())
    psi = system.velocity(X)[:, : system.m].T if system.m else ()
    return {row.name: next(phi) if row.kind == "holonomic" else f for row, f in zip(rows, psi, strict=True)}


def accelerations(system: CompiledSystem, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν at every row of X: one batched solve of [D −R; A 0], then single solves for the rows it leaves open."""
    n, m, size = system.n, system.m, system.reactions
    D, d, A, b, R = system.unpacked(system.dynamics(X))
    a, nu = np.zeros((len(X), n)), np.zeros((len(X), size))
    left = np.ones(len(X), bool)
    if m == size:
        K = np.zeros((len(X), n + m, n + m))
        K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = D, -R, A
        scale = np.abs(K).max(axis=2, initial=0.0)
        usable = np.isfinite(K).all(axis=(1, 2)) & (scale > 0).all(axis=1)
        K, right = K[usable] / scale[usable, :, None], np.hstack([d, b])[usable] / scale[usable]
        good, found = _batched(K, right, n)
        usable[usable] = good
        a[usable], nu[usable], left = found[:, :n], found[:, n:], ~usable
    for i in np.flatnonzero(left):
        solution = solve_accelerations(system, X[i])
        a[i], nu[i] = solution.a, solution.multipliers
    return a, nu


def _batched(K: np.ndarray, right: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Solve as many of the systems as possible at once. Return which were solved, and their solutions.

    A regular K has one solution. Redundant rows make K singular. If its rank and consistency are then beyond doubt, and
    no null vector has a part in q̈, q̈ is still unique, and the solution of least norm has the smallest multipliers.
    """
    if not K.shape[1]:
        return np.ones(len(K), bool), right
    s = np.linalg.svd(K, compute_uv=False)
    good = s[:, -1] > LEAST_RANK * s[:, 0]
    found = np.zeros_like(right)
    found[good] = np.linalg.solve(K[good], right[good][:, :, None])[:, :, 0]
    rest = np.flatnonzero(~good & (s[:, -1] < NO_RANK * s[:, 0]))
    U, s, Vt = np.linalg.svd(K[rest])
    small = s < NO_RANK * s[:, :1]
    clear = (small | (s > LEAST_RANK * s[:, :1])).all(axis=1)
    clear &= np.abs(np.where(small[:, :, None], Vt[:, :, :n], 0.0)).max(axis=(1, 2), initial=0.0) < NO_RANK
    parts = np.einsum("kij,ki->kj", U, right[rest]) / np.where(small, np.inf, s)
    found[rest] = np.einsum("kji,kj->ki", Vt, parts)
    off = np.abs(np.einsum("kij,kj->ki", K[rest], found[rest]) - right[rest]).max(axis=1)
    good[rest] = clear & (off <= NO_RANK * (1.0 + np.abs(right[rest]).max(axis=1)))
    return good, found[good]


def places(asked: Span, times: np.ndarray, status: str, end: float) -> tuple[np.ndarray, bool]:
    """The places of the requested times among the computed ones, and whether the end must be added."""
    known = {time: i for i, time in enumerate(times.tolist())}
    order = np.array([known[time] for time in asked.times.tolist() if time in known], int)
    return order, not (asked.exact or status == "finished" or end in known)


def _between(dense: Dense, n: int, times: np.ndarray, after: bool) -> tuple[np.ndarray, np.ndarray]:
    y = dense(times)  # nothing jumps: before and after are equal
    return y[:, :n], y[:, n : 2 * n]


def _events(found: Crossings, turns: Turns | None, names: tuple[str, ...]) -> Events:
    n, labels = len(names), [(name, "crossing") for name in found.system.equations.events]
    speeds, nothing = found.states[:, n : 2 * n], np.full(len(found), np.nan)
    told = np.column_stack([nothing, nothing, found.direction])
    if turns is None or not len(turns.times):
        return Events(names, labels, found.which, found.times, speeds, speeds, told, found.states[:, :n])
    more = np.column_stack([np.full(len(turns.times), np.nan), turns.energy, turns.side])
    times = np.concatenate([found.times, turns.times])
    order = np.argsort(times, kind="stable")
    return Events(
        names,
        [*labels, *((name, "kink") for name in turns.names)],
        np.concatenate([found.which, len(labels) + turns.which])[order],
        times[order],
        np.vstack([speeds, turns.before[:, n : 2 * n]])[order],
        np.vstack([speeds, turns.after[:, n : 2 * n]])[order],
        np.vstack([told, more])[order],
        np.vstack([found.states[:, :n], turns.before[:, :n]])[order],
    )


def _jumps(system: CompiledSystem, turns: Turns | None) -> Jumps | None:
    """Values before and after every kink that changed the speeds, as for impacts."""
    if turns is None or not turns.jumps.any():
        return None
    times, first = np.unique(turns.times[turns.jumps], return_index=True)
    sides = (side[turns.jumps][first] for side in (turns.before, turns.after))
    return Jumps(times, *(columns_at(system, times, side) for side in sides))


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
