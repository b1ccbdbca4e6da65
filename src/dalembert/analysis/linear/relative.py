"""Steady motions near a state: equilibria, and motions that repeat themselves except for ignorable coordinates.

    φ(q) = 0,  ψ(q, v) = 0,  rates of all that is not ignorable = 0,  held quantities − their values = 0
is solved for X = (q, v, e) by Newton's method with exact Jacobians and steps of least norm. With fewer equations than
unknowns there is a family, and the member nearest to the start is found. Dependent equations do no harm; steady rolling
has some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array, Gradients, Place
from dalembert.analysis.derivatives.symbolic import jacobian
from dalembert.analysis.linear.linearize import Linearized, linearizations
from dalembert.analysis.linear.nearest import Alone, Residual, is_small, nearest
from dalembert.analysis.linear.steady import Steadiness, ignorable, linearized
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.motions.initial import consistent
from dalembert.programs.functions import Function, compiled

LISTED = 3
ROUNDS = 3
NOTHING = 1e-8
PLAIN = 80  # Newton steps: near a double root, as of rates that are quadratic at rest, each only halves the distance
IDLE = 20  # whole steps without a smaller residual lead nowhere
FAR = 4.0  # more than half a turn: a step of Newton's method may have leapt over nearer answers
SHORT = 0.5  # of a step that does not leap
BESIDE = (0.0, 0.05, -0.05, 0.5, -0.5)  # shift of a second start: a pendulum held level has no gradient


@dataclass(frozen=True, slots=True)
class Held:
    """Quantities that keep their values. `function` gives them and their derivatives by X.

    `places` has the index in X of a held coordinate or speed, which is then not an unknown; None for an expression.
    """

    names: tuple[str, ...]
    function: Function | None
    places: tuple[int | None, ...]

    @property
    def fixed(self) -> list[int]:
        return [place for place in self.places if place is not None]

    @property
    def stated(self) -> list[int]:
        """The indices of the held quantities that need an equation."""
        return [i for i, place in enumerate(self.places) if place is None]

    def at(self, x: Array, size: int) -> tuple[Array, Array]:
        if self.function is None:
            return np.zeros(0), np.zeros((0, size))
        out, count = self.function(x), len(self.names)
        return out[:count], out[count:].reshape(count, size)


def held(gradients: Gradients, quantities: dict[str, Any]) -> Held:
    """Expressions of (t, q, v, z) to be held, with their derivatives."""
    eq = gradients.system.equations
    rows, X = list(quantities.values()), gradients.X
    by = jacobian(rows, X)
    code = compiled(eq.inputs, [*rows, *(e for row in by for e in row)], backend="numpy") if rows else None
    return Held(tuple(quantities), code, tuple(X.index(row) if row in X else None for row in rows))


def steady_motion(
    gradients: Gradients, start: Place, kept: Held, values: Array | None = None
) -> tuple[Linearized, Steadiness]:
    """Find the steady motion nearest to `start` and linearize it. Held `values` default to those of the start."""
    system = gradients.system
    x = system.state(start.t, start.q, start.v, start.z)
    goal = kept.at(x, gradients.size)[0] if values is None else values
    complaint = ""
    # a neighbour's state may break the constraints; ranks and ignorable coordinates are decided on the constraints
    q, v, _ = consistent(system, start.q, start.v, np.ones(system.n, dtype=bool), False, start.t, start.z)
    start = Place(start.t, q, v, start.z)
    for found in linearizations(gradients, start, steady=False):
        for _ in range(ROUNDS):
            place, left = _nearest(found, kept, goal)
            if place is None:
                complaint = complaint or left
                break
            lost = _lost(gradients, start, place)
            if lost:
                complaint = complaint or tr(
                    "at what was found {lost} restrains nothing, because its gradient is zero there", lost=lost
                )
                break
            answer = linearized(gradients, place)
            if answer[1].holds:
                return answer
            complaint = complaint or _moving(answer[1])
            # the coordinates that were independent at the start may not be so there
            found = next(linearizations(gradients, place, steady=False))
    with_held = tr(" with {names} held", names=", ".join(kept.names)) if kept.names else ""
    raise MathematicsError(
        "no steady motion was found near this state{with_held}: {complaint}; start nearer to "
        "one, hold less, or give [quasi_velocities] that turn along with the motion",
        with_held=with_held,
        complaint=complaint,
    )


def _lost(gradients: Gradients, start: Place, place: Place) -> str:
    """The constraint whose gradient vanished on the way. One that is quadratic in the speeds has none at rest."""
    system = gradients.system

    def sizes(at: Place) -> Array:
        A = system.velocity(system.state(at.t, at.q, at.v, at.z))[system.m :].reshape(system.m, system.n)
        return np.abs(A).max(axis=1, initial=0.0)

    gone = np.flatnonzero(sizes(place) < NOTHING * sizes(start))
    return system.equations.constraints[gone[0]].name if len(gone) else ""


def _nearest(found: Linearized, kept: Held, goal: Array) -> tuple[Place | None, str]:
    """The state with zero rates of all but the ignorable coordinates, or None and the residual."""
    gradients, chart, start = found.gradients, found.chart, found.place
    n, size = gradients.system.n, gradients.size
    ignored = ignorable(found)
    fixed = {*(chart.coordinates[i] for i in ignored), *kept.fixed}
    free = [i for i in range(size) if i not in fixed]
    standing = [i for i in range(len(found.states)) if i not in ignored]
    names = [*(f"d({found.states[i]})/dt" for i in standing), *(kept.names[i] for i in kept.stated)]
    X = np.concatenate([start.q, start.v, start.z])
    X[kept.fixed] = [value for value, place in zip(goal, kept.places, strict=True) if place is not None]

    def place_of(part: Array) -> Place:
        full = X.copy()
        full[free] = part
        return Place(start.t, full[:n], full[n : 2 * n], full[2 * n :])

    def holding(place: Place) -> tuple[Array, Array]:
        value, by = kept.at(gradients.system.state(place.t, place.q, place.v, place.z), size)
        return (value - goal)[kept.stated], by[kept.stated]

    known: dict[bytes, tuple[Array, Array]] = {}

    def residual(part: Array) -> tuple[Array, Array]:
        """The ways of `_solved` begin alike, so residuals are kept."""
        key = part.tobytes()
        if key not in known:
            known[key] = computed(part)
        return known[key]

    def computed(part: Array) -> tuple[Array, Array]:
        place = place_of(part)
        try:
            r, J = _equations(found, place, standing)
        except MathematicsError:  # no accelerations there: the step was too long and is halved
            return np.full(1, np.nan), np.full((1, len(free)), np.nan)
        value, by = holding(place)
        return np.concatenate([r, value]), np.vstack([J, by])[:, free]

    def alone(part: Array) -> Array:
        place = place_of(part)
        try:
            return np.concatenate([_residual(found, place, standing, *gradients.rates(place)), holding(place)[0]])
        except MathematicsError:
            return np.full(1, np.nan)

    aside = np.where(np.arange(len(free)) < sum(i < n for i in free), 1.0 / (1.0 + np.arange(len(free))), 0.0)
    lefts: list[Array] = []
    answers: list[Array] = []
    for scale in BESIDE:
        part, left = _solved(residual, alone, X[free] + scale * aside)
        if left is None:
            answers.append(part)
            if _distance(part, X[free]) <= FAR:
                break
        else:
            lefts.append(left)
    if answers:
        return place_of(_rounded(alone, min(answers, key=lambda part: _distance(part, X[free])))), ""
    left = lefts[0]
    rows = np.abs(left[-len(names) :]) if len(left) >= len(names) else np.zeros(0)
    worst = np.argsort(-rows)[:LISTED]
    said = ", ".join(f"{names[i]} = {left[len(left) - len(names) + i]:.3g}" for i in worst if rows[i] > 0)
    return None, tr("what is left is {said}", said=said) if said else tr("the constraints cannot be kept on the way")


def _distance(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max(initial=0.0))


def _rounded(alone: Alone, part: Array) -> Array:
    """Set tiny values to zero if the equations still hold: rest is 0, not 1e-11."""
    clean = np.where(np.abs(part) <= NOTHING * max(1.0, np.abs(part).max(initial=0.0)), 0.0, part)
    before, after = alone(part), alone(clean)
    return clean if np.abs(after).max(initial=0.0) <= max(np.abs(before).max(initial=0.0), 1e-14) else part


def _solved(residual: Residual, alone: Alone, start: Array) -> tuple[Array, Array | None]:
    """Newton's method with whole steps; with short steps if those end far away, with damped ones if they do not end."""
    x, solves = _newton(residual, start, np.inf)
    if solves and _distance(x, start) > FAR:
        other, solves_too = _newton(residual, start, SHORT)
        return (other if solves_too and _distance(other, start) < _distance(x, start) else x), None
    if solves:
        return x, None
    x, left = nearest(residual, start, alone)
    for _ in range(3 if left is None else 0):  # an error that is small for a constraint may still be visible in a rate
        r, J = residual(x)
        x = x - np.linalg.lstsq(J, r, rcond=1e-10)[0]
    return x, left


def _newton(residual: Residual, start: Array, longest: float) -> tuple[Array, bool]:
    """Newton's method with steps up to `longest` in every unknown: the best state, and whether it solves the equations.

    A residual is measured by the steepest gradients on the way. At a double root the gradient goes to zero together
    with the unknowns: it would call no residual small, and it is lost in rounding before the unknowns are zero. The
    best state on the way is then the answer.
    """
    x, best, least, steepest, idle = start, start, np.inf, np.zeros(()), 0
    for _ in range(PLAIN):
        r, J = residual(x)
        most = float(np.abs(r).max(initial=0.0))
        leaps = not np.isfinite(longest) and most > 1e3 * max(least, 1e-9)
        if not (np.isfinite(most) and np.all(np.isfinite(J))) or leaps:
            break
        steepest = np.maximum(steepest, np.abs(J))
        idle = 0 if most < least else idle + 1
        if most < least:
            best, least = x, most
        if idle > IDLE and not np.isfinite(longest):
            break
        change = start + np.linalg.lstsq(J, J @ (x - start) - r, rcond=1e-10)[0] - x
        step = np.abs(change).max(initial=0.0)
        x = x + change * min(1.0, longest / max(step, 1e-300))
        if step <= 1e-13 * max(1.0, np.abs(x).max(initial=0.0)):
            best = x
            break
    return best, bool(steepest.ndim) and is_small(residual(best)[0], steepest, best)


def _residual(found: Linearized, place: Place, standing: list[int], rate: Array, extra: Array) -> Array:
    """Constraints, then the rates of the states named by their places."""
    system, chart = found.gradients.system, found.chart
    x = system.state(place.t, place.q, place.v, place.z)
    rates = np.concatenate([place.v[chart.coordinates], rate[chart.speeds], extra])
    position = system.position(x)[: system.mh] if system.mh else np.zeros(0)
    velocity = system.velocity(x)[: system.m] if system.m else np.zeros(0)
    return np.concatenate([position, velocity, rates[standing]])


def _equations(found: Linearized, place: Place, standing: list[int]) -> tuple[Array, Array]:
    """The residual, with derivatives by X."""
    gradients, chart = found.gradients, found.chart
    n, k, mh = gradients.system.n, gradients.extra, gradients.system.mh
    p, s = len(chart.coordinates), len(chart.speeds)
    local = gradients.at(place)
    by = np.zeros((p + s + k, 2 * n + k))
    by[range(p), [n + j for j in chart.coordinates]] = 1.0
    by[p : p + s], by[p + s :] = local.rate_X[chart.speeds], local.extra_X
    constraints = np.vstack(
        [
            np.hstack([local.phi_q, np.zeros((mh, n)), local.phi_e]),
            np.hstack([local.psi_q, local.A, local.psi_e]),
        ]
    )
    return _residual(found, place, standing, local.rate, local.extra), np.vstack([constraints, by[standing]])


def _moving(about: Steadiness) -> str:
    rates = ", ".join(f"d({name})/dt = {about.rates[name]:.3g}" for name in about.moving[:LISTED])
    return tr("what was found still moves: {rates}", rates=rates) if rates else tr("what was found depends on time")
