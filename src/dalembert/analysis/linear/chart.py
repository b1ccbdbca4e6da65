"""Chooses independent coordinates and speeds at a state, and gives the directions that the constraints allow.

    φ_q δq + φ_e δe = 0,   ψ_q δq + A δv + ψ_e δe = 0:   δX = (δq, δv, δe) = E (δq_i, δu, δe)
u are some of the speeds w(X, t), e extra states: multipliers that are integrated, first-order states.
About a motion, unlike at rest, eigenvalues depend on the choice of u. The equations should keep their form along the
motion. So the user's quasi-velocities come first. Speeds that are constant at this instant come before the others, and
speeds of coordinates that occur in the equations before those of coordinates that do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.derivatives.gradients import Array, Gradients, Kept, Local, Place
from dalembert.analysis.derivatives.symbolic import symbols
from dalembert.analysis.linear.nearest import nearest
from dalembert.errors import MathematicsError
from dalembert.motions.routes import remainder, scaled, solved

CLEARLY = 1e-2  # a row is taken if at least this part of it is independent of the rows before
AT_ALL = 1e-9
BESIDE = 1e-3  # distance of the states at which ranks are compared


@dataclass(frozen=True, slots=True)
class Chart:
    """Indices of the independent coordinates in q, and of the independent speeds among the candidates."""

    coordinates: list[int]
    speeds: list[int]


def charts(gradients: Gradients, local: Local, steady: bool = True) -> list[Chart]:
    """The charts to try at a state, the most promising first.

    If the state is not `steady`, and a steady one near it is sought, the present rates are no criterion.
    """
    n, kept = gradients.system.n, local.kept
    # Coordinates are ranked by the part of their unit row outside the rows of φ_q, the least restricted ones first.
    coordinates = sorted(_completing(local.phi_q[kept.holonomic], np.eye(n), [list(range(n))]))
    dependent = [i for i in range(n) if i not in coordinates]
    found: list[Chart] = []
    for constant_last in (True, False):
        preference = _preference(gradients, local, dependent, constant_last, steady)
        chart = Chart(coordinates, sorted(_completing(local.A[kept.rows], local.speed_v, preference)))
        if chart not in found:
            found.append(chart)
    return found


def _preference(
    gradients: Gradients, local: Local, dependent: list[int], constant_last: bool, steady: bool
) -> list[list[int]]:
    """Classes of speeds. The first class should become independent first.

    Coordinates that do not occur in the equations may have constant factors in the constraints. Their speeds come last
    (x' and y' of a body that rolls on a plane), or first (the wheels of a cart whose axle is stated along itself).
    """
    eq, extra = gradients.system.equations, len(gradients.quasi)
    size = max(1.0, float(np.abs(local.rate).max(initial=0.0)))

    def rank(j: int) -> tuple[bool, bool, bool, bool]:
        absent = eq.q[j] not in gradients.occurring
        constant = not symbols(*(row[j] for row in eq.A))
        changes = steady and bool(abs(local.rate[extra + j]) > 1e-9 * size)
        return j in dependent, changes, absent, absent and constant is constant_last

    classes: dict[tuple[bool, ...], list[int]] = {}
    for j in range(len(eq.q)):
        classes.setdefault(rank(j), []).append(extra + j)
    return [list(range(extra)), *(classes[key] for key in sorted(classes))]


def _completing(fixed: Array, candidates: Array, classes: list[list[int]]) -> list[int]:
    """Complete the fixed rows to a basis: class by class, in each class the candidate that adds most comes first."""
    n = candidates.shape[1]
    basis = list(np.linalg.qr(scaled(fixed).T)[0].T) if len(fixed) else []
    found: list[int] = []
    for least in (CLEARLY, AT_ALL):
        for names in classes:
            left = [i for i in names if i not in found]
            while left and len(basis) < n:
                rests = [remainder(candidates[i] / (np.linalg.norm(candidates[i]) or 1.0), basis) for i in left]
                sizes = [np.linalg.norm(rest) for rest in rests]
                best = int(np.argmax(sizes))
                if not sizes[best] > least:
                    break
                basis.append(rests[best] / sizes[best])
                found.append(left.pop(best))
    return found


def tangent(local: Local, chart: Chart, extra: int) -> Array:
    """E, with a row for each of q, v, z."""
    n, kept = len(local.a), local.kept
    p, s = len(chart.coordinates), len(chart.speeds)
    size = p + s + extra
    goal = np.vstack([np.zeros((len(kept.holonomic), p)), np.eye(p)])
    E = np.zeros((2 * n + extra, size))
    places = np.vstack([local.phi_q[kept.holonomic], np.eye(n)[chart.coordinates]])
    E[:n, :p] = solved(places, goal)
    if local.phi_e.any():
        E[:n, p + s :] = solved(places, np.vstack([-local.phi_e[kept.holonomic], np.zeros((p, extra))]))
    forced = np.vstack([local.psi_q[kept.rows], local.speed_q[chart.speeds]]) @ E[:n]
    forced[:, p + s :] += np.vstack([local.psi_e[kept.rows], local.speed_e[chart.speeds]])
    goal = np.zeros((n, size))
    goal[len(kept.rows) :, p : p + s] = np.eye(s)
    E[n : 2 * n] = solved(np.vstack([local.A[kept.rows], local.speed_v[chart.speeds]]), goal - forced)
    E[2 * n :, p + s :] = np.eye(extra)
    return E


def moved(gradients: Gradients, chart: Chart, place: Place, by: Array, later: float = 0.0) -> Place | None:
    """The state with other independent coordinates or time, and the same u and z. None if there is none."""
    system, n, t, q = gradients.system, gradients.system.n, place.t + later, place.q.copy()
    q[chart.coordinates] += by
    dependent = [j for j in range(n) if j not in chart.coordinates]
    m, mh, c = system.m, system.mh, len(gradients.speeds)
    u = gradients.speed_values(system.state(place.t, place.q, place.v, place.z))[:c][chart.speeds]

    def position(part: Array) -> tuple[Array, Array]:
        q[dependent] = part
        out = system.position(system.state(t, q, place.v, place.z))
        return out[:mh], out[mh:].reshape(mh, n)[:, dependent]

    def speed(v: Array) -> tuple[Array, Array]:
        x = system.state(t, q, v, place.z)
        rows, own = system.velocity(x), gradients.speed_values(x)
        jacobian = np.vstack([rows[m:].reshape(m, n), own[c:].reshape(c, n)[chart.speeds]])
        return np.concatenate([rows[:m], own[:c][chart.speeds] - u]), jacobian

    if mh:
        q[dependent], left = nearest(position, q[dependent], refined=False)
        if left is not None:
            return None
    v, left = nearest(speed, place.v, refined=False)
    return Place(t, q, v, place.z) if left is None else None


def require_manifold(gradients: Gradients, chart: Chart, kept: Kept, place: Place) -> None:
    """Refuse a state at which constraints depend on each other if they are independent at states near it."""
    system = gradients.system
    if len(kept.rows) == system.m and len(kept.holonomic) == system.mh:
        return
    step = BESIDE / (1.0 + np.arange(len(chart.coordinates)))
    beside = moved(gradients, chart, place, step)
    if beside is None or gradients.kept(beside).ranks != kept.ranks:
        raise MathematicsError(
            "the constraints depend on each other in this state but not in states near it, so the motions near "
            "it form no smooth family; linearize at another state"
        )
