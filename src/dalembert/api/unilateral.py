"""`solve` and `simulate` for models with contacts and frictions, in the mode of each instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter

import numpy as np

from dalembert.api.calls import Sampling, Stepping
from dalembert.api.instant import carried, named_numbers, outputs, units
from dalembert.api.redundancy import redundancy_notes
from dalembert.api.released import question, release
from dalembert.api.sampled import SampledMotion, motion_of, places, spent
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms.base import selected
from dalembert.language import tr
from dalembert.model.tables import ONE_LENGTH
from dalembert.motions import routes
from dalembert.motions.accelerations import redundant_rows
from dalembert.motions.determinate import told
from dalembert.motions.one import one_side
from dalembert.motions.raw import EventTable, Raw
from dalembert.motions.reactions import rows_between
from dalembert.motions.span import TimeSpan, require_stepper
from dalembert.motions.touching import ModeSolver, Settled
from dalembert.motions.unilateral import HybridSystem
from dalembert.prepared import Start, require_constant
from dalembert.results.motion import Motion
from dalembert.results.release import Release
from dalembert.results.state import State


def solve_touching(start: Start, hybrid: HybridSystem, reactions: Iterable[str] | None) -> State:
    """Accelerations, multipliers and reactions in the mode of the initial state. Impacts there are not applied."""
    x, names = start.x, start.system.equations.coordinates
    instant = ModeSolver(hybrid)
    found = instant.settled(x)
    a, nu = instant.forces(x, found.mode)
    many = instant.indeterminate()
    a, nu = _by_own_route(hybrid, x, found.mode, a, nu) if not len(many) else (a, nu)
    mode, a, nu, at_kink = _between_sides(hybrid, x, found, (found.mode, a, nu))
    rows = _rows(start, hybrid)
    asked = None if reactions is None else list(reactions)
    chosen = selected(tuple(rows), asked)
    freed = None if asked is None else _released(hybrid, x[None], mode[None], a[None], nu[None], rows, chosen)
    A = rows_between(hybrid.system, hybrid.kinks, x[None], a[None], nu[None])[0]
    kinetic, potential = start.system.outputs(x)[:2].tolist()
    redundant = _redundant(start, hybrid)
    colliding = [hybrid.unilateral.contacts[i].name for i in found.colliding]
    notes = (*_many_notes(many, rows), *_collision_notes(colliding), *at_kink)
    return State(
        method=start.system.equations.method,
        time=start.time,
        coordinates=named_numbers(names, start.q),
        speeds=named_numbers(names, start.v),
        accelerations=named_numbers(names, a),
        multipliers={name: float(nu[rows[name]]) for name in chosen},
        reactions={name: named_numbers(names, nu[rows[name]] * A[rows[name]]) for name in chosen},
        energy={"kinetic": kinetic, "potential": potential, "total": kinetic + potential},
        degrees_of_freedom=start.system.n - (hybrid.laws.bilateral - len(redundant)),
        corrections=start.corrections,
        notes=(*start.notes, *redundancy_notes(redundant), *notes),
        title=tr(start.record.title),
        **units(start.record),
        modes={name: str(word) for name, word in hybrid.words(mode).items()},
        outputs=outputs(hybrid.equations, x, a, {name: float(nu[row]) for name, row in rows.items()}),
        **carried(start),
        released=freed,
        description=start.record.simulation.description,
    )


def _released(
    hybrid: HybridSystem,
    X: np.ndarray,
    modes: np.ndarray,
    a: np.ndarray,
    nu: np.ndarray,
    rows: Mapping[str, int],
    chosen: Sequence[str],
) -> Release | None:
    """Put the reactions asked for into ν, each with the active rows of its mode. Forces of slips enter as given."""
    names = question(hybrid.equations, tuple(rows), chosen)
    given = nu.copy()
    return release(lambda i: _active(hybrid, X[i], modes[i], given[i]), a, nu, dict(rows), names)[0]


def _active(
    hybrid: HybridSystem, x: np.ndarray, mode: np.ndarray, nu: np.ndarray
) -> tuple[routes.ActiveRows, list[int]]:
    """The active rows in a mode, with the forces of slips among the given forces."""
    active = hybrid.active_rows(mode)
    D, d, A, b, _ = hybrid.system.unpacked(hybrid.system.dynamics(x))
    slips = np.setdiff1d(np.arange(len(nu)), active)
    return routes.ActiveRows(D, d + nu[slips] @ A[slips], A[active], b[active], A[active].T), active


def _between_sides(
    hybrid: HybridSystem, x: np.ndarray, found: Settled, first: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Mode, accelerations and multipliers at x, with notes: at a kink those with which a motion would go on."""
    if hybrid.kinks is None or found.colliding:
        return *first, ()
    from dalembert.motions.contact import run_hybrid

    t, y = float(x[0]), x[1 : 1 + hybrid.system.size]
    moved = run_hybrid(hybrid, y, TimeSpan(t, t, [t]))
    if moved.status == "failed":
        return *first, (one_side(moved.message),)
    if np.allclose(moved.accelerations[0], first[1], rtol=1e-9, atol=0.0):
        return *first, ()  # no kink is here
    return moved.modes[0], moved.accelerations[0], moved.multipliers[0], ()


def _many_notes(null: np.ndarray, rows: Mapping[str, int]) -> tuple[str, ...]:
    """A note if the forces are one of many possible sets, with the sums of them that are determinate."""
    names = [""] * null.shape[1]
    for name, row in rows.items():
        names[row] = name
    return told(null, names)


def _collision_notes(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    one = len(names) == 1
    return (
        tr(
            "The contact{words} {names} close{words2} at this very instant; the impact is not "
            "applied here, and the accelerations are those before it.",
            words="" if one else "s",
            names=", ".join(names),
            words2="s" if one else "",
        ),
    )


def _rows(start: Start, hybrid: HybridSystem) -> dict[str, int]:
    """The rows of A by the reported names of their multipliers."""
    return {name: i for i, name in enumerate(start.system.multiplier_names)} | hybrid.forces


def _redundant(start: Start, hybrid: HybridSystem) -> list[str]:
    A = hybrid.system.unpacked(hybrid.system.dynamics(start.x))[2][: hybrid.laws.bilateral]
    return [start.system.equations.constraints[i].name for i in redundant_rows(A)]


def _by_own_route(
    hybrid: HybridSystem, x: np.ndarray, mode: np.ndarray, a: np.ndarray, nu: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same by the method's own route. The forces of slips enter as given forces."""
    rows, active = _active(hybrid, x, mode, nu)
    (a, held), _ = routes.by_route(hybrid.equations, rows, (a, nu[active]), lambda: hybrid.system.quasi(x))
    nu = nu.copy()
    nu[active] = held
    return a, nu


def simulate_touching(
    start: Start, hybrid: HybridSystem, asked: Sampling, stepping: Stepping, wanted: Sequence[str] | None = None
) -> Motion:
    """Follow the motion through impacts, stick and slip. A failure on the way raises MathematicsError."""
    _check(stepping, asked.end - asked.start)
    whole = start.record.simulation.description == "whole-course"
    if whole:
        instead = tr('leave out description = "whole-course"')
        require_constant(hybrid.equations, tr("the whole-course description"), instead)
    from dalembert.motions.contact import run_hybrid

    began = perf_counter()
    raw = run_hybrid(hybrid, start.y, stepping.span(asked.start, asked.end, asked.ordered), whole)
    seconds = spent(start, perf_counter() - began, raw.seconds)
    if raw.status == "failed":
        raise MathematicsError(raw.message)
    system = hybrid.system
    n = system.n
    order, ends = places(asked, raw.times, raw.status, raw.end)
    t, y, modes = raw.times[order], raw.states[order], raw.modes[order]
    if ends:
        t, y, modes = np.append(t, raw.end), np.vstack([y, raw.end_state]), np.vstack([modes, raw.end_mode])
    X = system.state(t, y[:, :n], y[:, n : 2 * n], y[:, 2 * n :])
    a, nu = _forces(hybrid, raw, order, X, modes)
    rows = _rows(start, hybrid)
    freed = None if wanted is None else _released(hybrid, X, modes, a, nu, rows, wanted)
    A = rows_between(system, hybrid.kinks, X, a, nu)
    found = SampledMotion(
        times=t,
        states=X,
        accelerations=a,
        multipliers={name: nu[:, row] for name, row in rows.items()},
        reactions={name: nu[:, row, None] * A[:, row] for name, row in rows.items()},
        modes=hybrid.words(modes),
        released=freed,
    )
    notes = (*asked.notes, *start.notes, *redundancy_notes(_redundant(start, hybrid)), *_law_notes(hybrid, raw.events))
    return motion_of(start, found, raw, seconds, notes, stepping)


def _forces(
    hybrid: HybridSystem, raw: Raw, order: np.ndarray, X: np.ndarray, modes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers at the samples from the motion, and at the end from the mode there."""
    a, nu = raw.accelerations[order], raw.multipliers[order]
    last_a, last_nu = ModeSolver(hybrid).all_forces(X[len(a) :], modes[len(a) :])
    return np.vstack([a, last_a]), np.vstack([nu, last_nu])


def _check(stepping: Stepping, length: float) -> None:
    require_stepper(stepping.stepper, stepping.step, length)
    if stepping.stepper in ONE_LENGTH:
        raise ModelError(
            "the stepper {stepper} has steps of fixed length and does not follow contacts and "
            "frictions; use auto, dop853 or radau for this model",
            stepper=stepping.stepper,
        )


def _law_notes(hybrid: HybridSystem, events: EventTable) -> tuple[str, ...]:
    """Notes on the energy that the paper's law added. Contacts that collide together report the same energy."""
    paper = np.array([contact.law == "zhang-mei" for contact in hybrid.unilateral.contacts], bool)
    impacts = events.kinds == "impact"
    impacts[impacts] = paper[events.which[impacts]]
    if not impacts.any():
        return ()
    _, first = np.unique(events.times[impacts], return_index=True)
    gains = events.columns["energy"][impacts][first]
    many = tr("1 impact") if len(gains) == 1 else tr("{count} impacts", count=len(gains))
    return (
        tr(
            "The paper's law of impact (zhang-mei) changed the energy by {gains:.10g} in {many}: "
            "it keeps sliding contacts as they are by impulses that Coulomb's law does not allow; "
            'law = "newton" does not.',
            gains=gains.sum(),
            many=many,
        ),
    )
