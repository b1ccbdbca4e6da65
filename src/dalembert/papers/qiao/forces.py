# ruff: noqa: E501
"""(2.10)–(2.14) and (A): forces, thrust and inertia, projected on the partial velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalembert.language import mark, tr
from dalembert.mechanics import variable_mass
from dalembert.mechanics.algebra import HALF, NULL, dot, total
from dalembert.papers.qiao.functions import partial_velocities
from dalembert.papers.qiao.particles import OVER, along, at, free
from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import Worked


def forces(sheet: Sheet, w: Worked) -> None:
    rows = Rows(w)
    projections(sheet, rows, ("2.10", "2.11", "2.12"))
    corrected = [e - c for e, c in zip(rows.left, rows.corrections, strict=True)]
    sheet.law(
        "2.13",
        "inertia by derivatives of T and of the masses",
        "Σ m a·∂V/∂q̇_r = d/dt ∂T/∂q̇_r − ∂T/∂q_r − Σ ṁ V·∂V/∂q̇_r − …",
        at(w, rows.inertia, corrected),
        OVER,
    )
    sheet.law(
        "2.14",
        "generalized inertia force by T",
        "K_s* = −Σ_i {d/dt ∂T/∂q̇_r − …} k_rs",
        at(w, rows.projected(corrected), rows.projected(rows.inertia)),
        OVER,
        tr("the sum over r belongs to the coordinates, over i to the particles"),
        rows.slipped(corrected, inside=False),
    )
    kane = [f + p - m for f, p, m in zip(rows.forces, rows.thrust, rows.inertia, strict=True)]
    sheet.law(
        "A",
        "Kane's equations of variable mass",
        "K_s + K_s* + K_s^R = 0",
        w.largest(rows.projected(kane)),
        "at the state that Lagrange's multipliers give",
    )


def rate(body: Any, motion: Any) -> Any:
    """ṁ with the terms of accelerations."""
    return body.mass_drift + dot(body.mass_slopes, motion.a)


class Rows:
    """Qiao's sums over the particles, one entry for every coordinate r, and their projections on the free W."""

    def __init__(self, w: Worked):
        self.w, self.system, self.motion, self.k = w, w.system, w.system.motion, free(w)
        self.forces = list(w.system.forces)
        self.thrust = list(variable_mass.written(variable_mass.thrust(w.system), self.motion))
        self.inertia = self._over(lambda b, e: b.mass * dot(b.centre.acceleration(self.motion), e))
        energy, _ = variable_mass.ordinary_energy(w.system)
        self.left = list(variable_mass.written(energy, self.motion))  # d/dt ∂T/∂q̇_r − ∂T/∂q_r
        self.corrections = [self._correction(r) for r in range(w.system.size)]
        self.phi = [a + b for a, b in zip(self.corrections, self.thrust, strict=True)]
        self.balance = [e - Q - p for e, Q, p in zip(self.left, self.forces, self.phi, strict=True)]

    def _over(self, term: Callable[[Any, Any], Any]) -> list[Any]:
        bodies = self.system.bodies.values()
        return [total(term(b, b.centre.columns[r] or NULL) for b in bodies) for r in range(self.system.size)]

    def _correction(self, r: int) -> Any:
        """ṁ V·∂V/∂q̇_r + d/dt(∂m/∂q̇_r ½V²) − ∂m/∂q_r ½V², summed over the particles."""
        terms = []
        for body in self.system.bodies.values():
            v = body.centre.velocity(self.motion)
            half = HALF * dot(v, v)
            terms.append(rate(body, self.motion) * dot(v, body.centre.columns[r] or NULL))
            terms.append(along(self.motion, body.mass_slopes[r] * half))
            terms.append(-body.mass.diff(self.motion.q[r]) * half)
        return total(terms)

    def projected(self, rows: list[Any]) -> list[Any]:
        return [dot(rows, column) for column in self.k]

    def by_particles(self, term: Callable[[Any, Any], Any]) -> list[Any]:
        """Σ_i term_i·U_is for every free W."""
        U = {name: partial_velocities(self.w, name) for name in self.system.bodies}
        return [total(term(b, U[name][s]) for name, b in self.system.bodies.items()) for s in range(len(self.k))]

    def slipped(self, rows: list[Any], inside: bool = True) -> float:
        """The error of the printed sum, which sums r inside, or i instead of r, and leaves the r of k_rs free.

        Every value of that r is tried, and the nearest result counts.
        """
        values, k = [self.w.value(e) for e in rows], [[self.w.value(e) for e in column] for column in self.k]
        right = [sum(p * e for p, e in zip(values, column, strict=True)) for column in k]
        sums = [sum(values)] * len(values) if inside else [len(self.system.bodies) * p for p in values]
        read = [[p * column[r] for column in k] for r, p in enumerate(sums)]
        return min(max(abs(a - b) for a, b in zip(one, right, strict=True)) for one in read)


def projections(sheet: Sheet, rows: Rows, numbers: Sequence[str]) -> None:
    """Active forces, thrust and inertia on the partial velocities, under the numbers of either section."""
    motion, loads = rows.motion, rows.system.loads
    index = tr("the sum over r belongs to the coordinates, over i to the particles")
    table = (
        (mark("generalized force"), "K_s = Σ_i F_i·U_is = Σ_i (Σ_r F_i·∂V_i/∂q̇_r) k_rs", rows.forces, 1,
         lambda b, U: total(dot(load.force, U) for load in loads if load.body is b)),
        (mark("generalized thrust"), "K_s^R = Σ_i R_i·U_is = Σ_i (Σ_r R_i·∂V_i/∂q̇_r) k_rs", rows.thrust, 1,
         lambda b, U: rate(b, motion) * dot(b.ejection, U)),
        (mark("generalized inertia force"), "K_s* = −Σ_i m_i a_i·U_is = −Σ_i (Σ_r m_i a_i·∂V_i/∂q̇_r) k_rs", rows.inertia, -1,
         lambda b, U: b.mass * dot(b.centre.acceleration(motion), U)),
    )  # fmt: skip
    for number, (title, printed, parts, sign, term) in zip(numbers, table, strict=True):
        shown = [sign * e for e in rows.by_particles(term)]
        right = [sign * e for e in rows.projected(parts)]
        sheet.law(number, tr(title), printed, at(rows.w, right, shown), OVER, index, rows.slipped(parts))
