"""Differentiates the events of one instant: the shift of its time, the impulse, and S after it.

When a planar slip ends, S does not satisfy the sticking rows exactly. The residual is removed by impulses along those
rows, in the metric of the masses. That is what friction does in the last moment of the slip.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.sensitivity.answer import Happening, guard_shift
from dalembert.analysis.sensitivity.course import Piece, Traced
from dalembert.analysis.sensitivity.flow import LocalSolution
from dalembert.analysis.sensitivity.impact import decided, impact_map
from dalembert.analysis.sensitivity.mode_flow import FIXED, STARTING, ModeFlow, cone
from dalembert.analysis.sensitivity.slip_ends import at_rest, last_direction, reached
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.motions.unilateral import still
from dalembert.programs.modes import CLOSED, OPEN, SLIP, STICK

KEPT = 1e-7  # allowed difference from the engine's speeds after an impact
NEAR = 1e-6  # a guard this near to zero, as a part of the piece's time, is the one that was reached
AGREE = 1e-6


def passed(
    course: Traced, group: list[Any], piece: Piece, mode: Array, after: Piece, S: Array, found: list[Happening]
) -> tuple[list[Happening], Array]:
    """Pass all events of one instant. Return the shift of its time and S after it."""
    time, y, end = group[0].time, group[0].before, group[-1].after
    impact = any(event.kind == "impact" for event in group)
    chatter = [event for event in group if event.kind == "chatter"]
    local, fixed, flow = _just_before(course, piece, mode, time, y)
    shift = _shift(course, group, mode, local, fixed, flow, S, piece)
    total = S + local.rate[0][:, None] * shift
    beyond = total
    if impact:
        change = _blow(course, time, y, mode, group, bool(chatter), end, course.dx_later(time, total, shift))
        beyond = total.copy()
        beyond[len(change) : 2 * len(change)] += change  # coordinates and first-order states are continuous
    there = _just_after(course, after, time, end)
    S = beyond - there.rate[0][:, None] * shift
    if _has_planar(course, after.mode):
        S = _stuck(course, time, end, after.mode, S)
        beyond = S + there.rate[0][:, None] * shift
    names = course.hybrid.unilateral
    happened = []
    for event in group:
        what = names.frictions if event.kind in ("stick", "slip") else names.contacts
        moved = shift
        if event.kind == "chatter":
            moved = _accumulated(event, what[event.which].name, time, shift, found)
        follows = impact and event.kind not in ("impact", "chatter")
        happened.append(
            Happening(event.time, what[event.which].name, event.kind, moved, beyond if follows else total, beyond)
        )
    return happened, S


def _just_before(
    course: Traced, piece: Piece, mode: Array, time: float, y: Array
) -> tuple[LocalSolution, Array, ModeFlow]:
    flow = course.flow(mode)
    known = dict(piece.along)
    if flow.planar and piece.last > piece.first and at_rest(course, flow, time, False):
        flow = course.flow(mode, FIXED)
        known |= {j: last_direction(course, piece, j) for j in flow.planar}
    fixed, guess = _inside(course, flow, piece, time, y, known)
    return flow.flow.at(course.x(time, y)[None], fixed, guess), fixed, flow


def _just_after(course: Traced, piece: Piece, time: float, y: Array) -> LocalSolution:
    flow = course.flow(piece.mode)
    X = course.x(time, y)[None]
    laws = course.hybrid.laws
    slips, tiny = course.hybrid.function(X[0]), 1e4 * float(still(course.hybrid.speeds(X[0])))
    places = [laws.of_friction[j].slip_start - laws.bilateral for j in flow.planar]
    if any(np.hypot(slips[at], slips[at + 1]) <= tiny for at in places):
        flow = course.flow(piece.mode, STARTING)
    return flow.flow.at(X, *_inside(course, flow, piece, time, y, piece.along))


def _inside(
    course: Traced, flow: ModeFlow, piece: Piece, time: float, y: Array, known: dict[int, Array]
) -> tuple[Array, Array]:
    """The inputs at an end of a piece, taken from inside it, because a slip that is zero has no direction."""
    if flow.slipping and piece.last > piece.first:
        time = (time + (piece.first + piece.last) / 2) / 2
        y = course.raw.dense(np.array([time]))[0]
    return flow.inputs(course.x(time, y)[None], known)


def _shift(
    course: Traced,
    group: list[Any],
    mode: Array,
    local: LocalSolution,
    fixed: Array,
    flow: ModeFlow,
    S: Array,
    piece: Piece,
) -> Array:
    """δτ from the guard that was reached. If several were reached, they must agree."""
    if course.is_given(group[0].time):
        return _unmoved(group, S)
    guards = _guards(course, group, mode, flow, piece, local, fixed)
    found = [(name, *guard_shift(local, guard, S, course.values.constant, name, fixed)) for name, guard in guards]
    # other changes at this instant may follow from the guard that was reached
    near = NEAR * (piece.last - piece.first)
    shifts = [shift for _, shift, away in found if away <= near or len(found) == 1 or group[0].kind == "impact"]
    if not shifts:
        raise MathematicsError(
            "at t = {time:.9g} the time of a change of contacts has no derivative; end the motion before",
            time=group[0].time,
        )
    for other in shifts[1:]:
        if np.abs(other - shifts[0]).max() > AGREE * max(1.0, np.abs(shifts[0]).max()):
            names = tr(" and ").join(dict.fromkeys(name for name, _ in guards))
            raise MathematicsError(
                "at t = {time:.9g} {names} happen at one instant, and a change of the varied quantities would "
                "separate them, so the motion has no derivative there; end it before, or vary another quantity",
                time=group[0].time,
                names=names,
            )
    return shifts[0]


def _unmoved(group: list[Any], S: Array) -> Array:
    """δτ of changes that a controller or a jump of data caused. A gap that closes just then would part from it."""
    if any(event.kind == "impact" for event in group):
        raise MathematicsError(
            "at t = {time:.9g} an impact happens at the instant of a controller or a jump of data, and a change of "
            "the varied quantities would separate them: the motion has no derivative there",
            time=group[0].time,
        )
    return np.zeros(S.shape[1])


def _guards(
    course: Traced, group: list[Any], mode: Array, flow: ModeFlow, piece: Piece, local: LocalSolution, fixed: Array
) -> list[tuple[str, Any]]:
    """The guards that may have been reached in the mode before: the gaps of an impact, else all of them."""
    eq, laws, u = course.hybrid.system.equations, course.hybrid.laws, course.hybrid.unilateral
    found: list[tuple[str, Any]] = []
    impacts = [event for event in group if event.kind == "impact"]
    for event in impacts or group:
        i = event.which
        if event.kind in ("impact", "contact") and mode[i] == OPEN:
            found.append((u.contacts[i].name, eq.phi[laws.holonomic + i]))
        elif event.kind == "liftoff" and mode[i] == CLOSED:
            found.append((u.contacts[i].name, flow.multiplier(laws.bilateral + i)))
        elif event.kind in ("stick", "slip") and mode[laws.contacts + i] == SLIP:
            first = laws.of_friction[i].slip_start
            slip = eq.psi[first]
            if laws.of_friction[i].slip_count == 2:
                weights = reached(course, piece, flow, i, local, fixed).tolist()
                slip = tuple(zip(weights, eq.psi[first : first + 2], strict=True))
            found.append((u.frictions[i].name, slip))
        elif event.kind == "slip" and mode[laws.contacts + i] == STICK:
            found.append((u.frictions[i].name, cone(flow, i)))
    return list(dict.fromkeys(found))


def _blow(
    course: Traced, time: float, y: Array, mode: Array, group: list[Any], inelastic: bool, end: Array, dx: Array
) -> Array:
    """The derivative of the change of speeds in an impact."""
    hybrid, laws, n = course.hybrid, course.hybrid.laws, course.hybrid.system.n
    x = course.x(time, y)
    rates = hybrid.system.velocity(x)[laws.bilateral : laws.bilateral + laws.contacts]
    hit = {event.which for event in group if event.kind == "impact"}
    touching = {i for i, gap in enumerate(hybrid.gaps(x)) if abs(gap) <= 1e-12 and rates[i] <= 0}
    involved = sorted(hit | touching | {i for i in range(laws.contacts) if mode[i] == CLOSED})
    found = decided(hybrid, x, mode, involved, inelastic)
    change, by = impact_map(hybrid, found, inelastic).derivative(x, dx)
    missed = np.abs(y[n : 2 * n] + change - end[n : 2 * n]).max()
    if missed > KEPT * max(1.0, np.abs(end[n : 2 * n]).max()):
        raise MathematicsError(
            "at t = {time:.9g} an impact cannot be differentiated (off by {missed:.2g}); end the motion before",
            time=time,
            missed=missed,
        )
    return by


def _has_planar(course: Traced, mode: Array) -> bool:
    laws = course.hybrid.laws
    statuses = zip(laws.of_friction, mode[laws.contacts :].tolist(), strict=True)
    return any(own.slip_count == 2 and status == STICK for own, status in statuses)


def _stuck(course: Traced, time: float, y: Array, mode: Array, S: Array) -> Array:
    """Remove the residual of S in the active rates, by impulses along those rows."""
    system, n = course.hybrid.system, course.hybrid.system.n
    missed, active = course.missed(time, y, mode, S)
    D, _, A, _, _ = system.unpacked(system.dynamics(course.x(time, y)))
    A = A[active]
    K = np.block([[D, -A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.vstack([np.zeros((n, S.shape[1])), -missed[: len(active)]])
    S = S.copy()
    S[n : 2 * n] += np.linalg.lstsq(K, right, rcond=1e-11)[0][:n]
    return S


def _accumulated(event: Any, name: str, time: float, shift: Array, found: list[Happening]) -> Array:
    """The time at which impacts accumulate: t + f²/(g − f) after flights g and f."""
    earlier = [one for one in found if one.kind == "impact" and one.name == name]
    if event.time <= time or len(earlier) < 2:
        return shift
    one, two = earlier[-1], earlier[-2]
    f, g = time - one.time, one.time - two.time
    df, dg = shift - one.time_by, one.time_by - two.time_by
    return shift + (2 * f * df * (g - f) - f**2 * (dg - df)) / (g - f) ** 2
