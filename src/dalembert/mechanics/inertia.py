"""Inertia in generalized coordinates: M q̈ + h, from bodies or from an energy, and the thrust of variable mass.

From bodies (partial velocities c, w):   M_rs = Σ m c_r·c_s + w_r·J w_s,   h_r = Σ m c_r·β + w_r·(Jκ + ω×Jω)
From an energy T(q, q̇, t):              M = T_q̇q̇,                         h = T_q̇q q̇ + T_q̇t − T_q
Thrust ṁu with ṁ = μ + m_q̇ q̈:           M −= Σ (c_r·u) ∂m/∂q̇_s,            h −= Σ (c_r·u) μ              (Qiao; errata)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import symengine as se

from dalembert.mechanics.algebra import HALF, ZERO, Matrix3, Scalar, Symbols, Triple, apply, dot, is_zero, plus, total
from dalembert.mechanics.bodies import BodyMotion
from dalembert.mechanics.system import System


@dataclass(slots=True)
class Inertia:
    """M and h, collected term by term and summed once at the end."""

    size: int
    _matrix: dict[tuple[int, int], list[Scalar]] = field(default_factory=dict)
    _vector: dict[int, list[Scalar]] = field(default_factory=dict)

    def add(self, r: int, s: int, term: Scalar) -> None:
        if not is_zero(term):
            self._matrix.setdefault((r, s), []).append(term)

    def add_force(self, r: int, term: Scalar) -> None:
        if not is_zero(term):
            self._vector.setdefault(r, []).append(term)

    def add_symmetric(self, r: int, s: int, term: Scalar) -> None:
        self.add(r, s, term)
        if r != s:
            self.add(s, r, term)

    @property
    def matrix(self) -> tuple[tuple[Scalar, ...], ...]:
        sums: dict[tuple[int, int], Scalar] = {}
        for (r, s), terms in self._matrix.items():
            mirror = self._matrix.get((s, r))
            sums[r, s] = sums[s, r] if (s, r) in sums and mirror == terms else total(terms)
        return tuple(tuple(sums.get((r, s), ZERO) for s in range(self.size)) for r in range(self.size))

    @property
    def vector(self) -> tuple[Scalar, ...]:
        return tuple(total(self._vector.get(r, [])) for r in range(self.size))


def add_bodies(inertia: Inertia, bodies: Iterable[BodyMotion]) -> None:
    for body in bodies:
        c = [(j, column) for j, column in enumerate(body.centre.columns) if column is not None]
        for place, (r, c_r) in enumerate(c):
            inertia.add_force(r, body.mass * dot(c_r, body.centre.bias))
            for s, c_s in c[place:]:
                inertia.add_symmetric(r, s, body.mass * dot(c_r, c_s))
        if body.turning is None:
            continue
        J = body.turning.inertia
        moment = plus(apply(J, body.turning.bias), body.turning.gyroscopic())
        w = [(j, column) for j, column in enumerate(body.turning.columns) if column is not None]
        for place, (r, w_r) in enumerate(w):
            inertia.add_force(r, dot(w_r, moment))
            J_w = apply(J, w_r)
            for s, w_s in w[place:]:
                inertia.add_symmetric(r, s, dot(J_w, w_s))


def add_energy(inertia: Inertia, T: Scalar, motion: Symbols, back: dict[Scalar, Scalar] | None = None) -> None:
    """Add Lagrange's left side of an energy. `back` restores expressions that were frozen before."""
    free = T.free_symbols
    involved = [j for j, (q, v) in enumerate(zip(motion.q, motion.v, strict=True)) if q in free or v in free]

    def restored(e: Scalar) -> Scalar:
        return e.subs(back) if back else e

    momenta = {r: motion.slope(T, motion.v[r]) for r in involved if motion.v[r] in free}
    for r in involved:
        p = momenta.get(r, ZERO)
        inertia.add_force(r, restored(motion.derivative(p) - motion.slope(T, motion.q[r])))
        for s in involved:
            if s >= r and p != 0:
                inertia.add_symmetric(r, s, restored(motion.slope(p, motion.v[s])))


def add_frozen(inertia: Inertia, body: BodyMotion, motion: Symbols) -> None:
    """Add Lagrange's left side of a body's kinetic energy with constant mass and inertia, by the product rule.

    d/dt(Wu·∂u/∂q̇_r) − Wu·∂u/∂q_r with u = v, W = m and u = ω, W = J. A part that was differentiated once stays the
    same expression wherever it occurs. The derivatives of T itself would write it again for every pair of coordinates,
    and SymEngine's time to find that they are equal doubles with every turn of a chain.
    """
    m = body.mass
    _add_square(inertia, body.centre.velocity(motion), ((m, ZERO, ZERO), (ZERO, m, ZERO), (ZERO, ZERO, m)), motion)
    if body.turning is not None:
        _add_square(inertia, body.turning.omega, body.turning.inertia, motion)


def _add_square(inertia: Inertia, u: Triple, W: Matrix3, motion: Symbols) -> None:
    """Add the left side of ½u·Wu with W constant."""
    free = set().union(*(part.free_symbols for part in u))
    rates = apply(W, tuple(motion.derivative(part) for part in u))  # type: ignore[arg-type]
    momentum = apply(W, u)
    involved = [r for r, (q, v) in enumerate(zip(motion.q, motion.v, strict=True)) if q in free or v in free]
    columns = {r: tuple(motion.slope(part, motion.v[r]) for part in u) for r in involved if motion.v[r] in free}
    for r in involved:
        moved = dot(momentum, tuple(motion.slope(part, motion.q[r]) for part in u))
        if r not in columns:
            inertia.add_force(r, -moved)
            continue
        turned = dot(momentum, tuple(motion.derivative(part) for part in columns[r]))
        inertia.add_force(r, dot(rates, columns[r]) + turned - moved)
        weighted = apply(W, columns[r])  # type: ignore[arg-type]
        for s in involved:
            if s >= r and s in columns:
                inertia.add_symmetric(r, s, dot(weighted, columns[s]))


def frozen_kinetic(body: BodyMotion, motion: Symbols) -> tuple[Scalar, dict[Scalar, Scalar]]:
    """A body's kinetic energy, with symbols for a varying mass and inertia: Qiao's D/Dt (2.24)–(2.27)."""
    back: dict[Scalar, Scalar] = {}
    moving = {motion.t, *motion.q, *motion.v}

    def frozen(value: Scalar, label: str) -> Scalar:
        if not moving & value.free_symbols:
            return value
        symbol = se.Symbol(f"{label}[{body.name}]")
        back[symbol] = value
        return symbol

    v = body.centre.velocity(motion)
    T = HALF * frozen(body.mass, "m") * dot(v, v)
    if body.turning is not None:
        J = tuple(
            tuple(frozen(entry, f"J{r}{s}") for s, entry in enumerate(row))
            for r, row in enumerate(body.turning.inertia)
        )
        omega = body.turning.omega
        T += HALF * dot(omega, apply(J, omega))  # type: ignore[arg-type]
    return T, back


def add_thrust(inertia: Inertia, bodies: Iterable[BodyMotion]) -> bool:
    """Add the thrust. Return whether M lost its symmetry, which happens if ṁ depends on q̈."""
    skewed = False
    for body in bodies:
        if not body.thrusts:
            continue
        for r, column in enumerate(body.centre.columns):
            if column is None:
                continue
            push = dot(column, body.ejection)
            inertia.add_force(r, -push * body.mass_drift)
            for s, slope in enumerate(body.mass_slopes):
                if slope != 0 and push != 0:
                    inertia.add(r, s, -push * slope)
                    skewed = True
    return skewed


def newton_euler(system: System) -> tuple[Inertia, bool]:
    """M and h of the bodies by partial velocities and of given energies by Lagrange, with thrust."""
    inertia = Inertia(system.size)
    add_bodies(inertia, system.bodies.values())
    add_energy(inertia, system.given_kinetic, system.motion)
    return inertia, add_thrust(inertia, system.bodies.values())


def lagrange(system: System) -> tuple[Inertia, bool]:
    """M and h by differentiating the kinetic energy, with thrust."""
    inertia = Inertia(system.size)
    for body in system.bodies.values():
        add_frozen(inertia, body, system.motion)
    add_energy(inertia, system.given_kinetic, system.motion)
    return inertia, add_thrust(inertia, system.bodies.values())
