"""Variable mass by ordinary derivatives (Qiao (2.13)–(2.15)): m(q, q̇, t) is differentiated with T, and T is corrected.

    Σ m a·∂v/∂q̇_r = d/dt ∂T/∂q̇_r − ∂T/∂q_r − Σ [ṁ v·∂v/∂q̇_r + d/dt(∂m/∂q̇_r ½v²) − ∂m/∂q_r ½v²]         (2.13)
    φ_r = Σ [(R + ṁ v)·∂v/∂q̇_r + d/dt(∂m/∂q̇_r ½v²) − ∂m/∂q_r ½v²],   R = ṁ u                           (2.15)
ṁ = μ + (∂m/∂q̇) q̈ contains accelerations; leaving them out is wrong. A rigid body's inertia is never differentiated.
"""

from __future__ import annotations

from dataclasses import replace

import symengine as se

from dalembert.mechanics.algebra import HALF, NULL, ZERO, Scalar, Symbols, dot, plus, total
from dalembert.mechanics.bodies import BodyMotion
from dalembert.mechanics.inertia import Inertia, add_energy, frozen_kinetic
from dalembert.mechanics.system import System

LONGEST_EXPANDED = 2000  # operations


def rotational(body: BodyMotion, motion: Symbols) -> tuple[Scalar, dict[Scalar, Scalar]]:
    """½ω·Jω with J frozen."""
    return frozen_kinetic(replace(body, mass=ZERO), motion)


def ordinary_energy(system: System) -> tuple[Inertia, bool]:
    """d/dt ∂T/∂q̇ − ∂T/∂q as M q̈ + h, with the masses differentiated."""
    inertia = Inertia(system.size)
    motion = system.motion
    rates = mass_rates(system)
    for body in system.bodies.values():
        v = body.centre.velocity(motion)
        T = HALF * body.mass * dot(v, v)
        add_energy(inertia, T, motion)
        add_energy(inertia, *_turning(body, motion))
        if body.mass in rates:
            for r, p in enumerate(motion.gradient(T, motion.v)):
                inertia.add_force(r, p.diff(body.mass) * rates[body.mass])
    add_energy(inertia, system.given_kinetic, motion)
    return inertia, any(body.thrusts and any(s != 0 for s in body.mass_slopes) for body in system.bodies.values())


def named_masses(system: System, differentiated: bool = False) -> tuple[System, dict[Scalar, Scalar]]:
    """The system with symbols for varying masses and their rates, for reading, and the meaning of the symbols.

    A method that differentiates T with its masses keeps m(q, q̇, t) in the equations; only the names are returned. If ṁ
    contains accelerations, its name is returned too, and the equations keep μ and ∂m/∂q̇.
    """
    bodies: dict[str, BodyMotion] = {}
    named: dict[Scalar, Scalar] = {}
    letters: dict[Scalar, Scalar] = {}
    motion = system.motion
    moving = {*motion.q, *motion.v}
    for name, body in system.bodies.items():
        bodies[name] = body
        if not body.varies:
            continue
        mass, rate = se.Symbol(f"m[{name}]"), se.Symbol(f"m[{name}]'")
        named |= {mass: body.mass, rate: total([body.mass_drift, dot(body.mass_slopes, motion.a)])}
        if differentiated and moving & body.mass.free_symbols:
            continue
        letters[mass] = body.mass
        bodies[name] = replace(body, mass=mass)
        if all(slope == 0 for slope in body.mass_slopes):
            letters[rate] = body.mass_drift
            bodies[name] = replace(bodies[name], mass_drift=rate)
    if not letters:
        return system, named
    shown = system.with_bodies(bodies)
    shown.start = system.start | {symbol: float(e.subs(system.start)) for symbol, e in letters.items()}
    return shown, named


def mass_rates(system: System) -> dict[Scalar, Scalar]:
    """ṁ of the masses that are symbols of their own (see `named_masses`)."""
    moving = {system.motion.t, *system.motion.q, *system.motion.v, *system.motion.rates}
    letters = [body for body in system.bodies.values() if body.varies and body.mass.is_Symbol]
    return {body.mass: body.mass_drift for body in letters if body.mass not in moving}


def _turning(body: BodyMotion, motion: Symbols) -> tuple[Scalar, Symbols, dict[Scalar, Scalar]]:
    T, back = rotational(body, motion)
    return T, motion, back


def corrections(system: System) -> Inertia:
    """φ_r as M q̈ + h: the right side of (2.15) without the active forces."""
    phi = Inertia(system.size)
    motion = system.motion
    for body in system.bodies.values():
        if not body.varies:
            continue
        v = body.centre.velocity(motion)
        half_square = HALF * dot(v, v)
        carried = plus(v, body.ejection)  # R + ṁv = ṁ(u + v)
        for r in range(system.size):
            push = dot(body.centre.columns[r] or NULL, carried)
            gathered = body.mass_slopes[r] * half_square
            phi.add_force(r, push * body.mass_drift + motion.derivative(gathered))
            phi.add_force(r, -motion.slope(body.mass, motion.q[r]) * half_square)
            for s, slope in enumerate(body.mass_slopes):
                phi.add(r, s, push * slope + motion.slope(gathered, motion.v[s]))
    return phi


def thrust(system: System) -> Inertia:
    """K^R_r = Σ ṁ u·∂v/∂q̇_r as M q̈ + h                                                    (2.11)"""
    pushed = Inertia(system.size)
    for body in system.bodies.values():
        if not body.thrusts:
            continue
        for r, column in enumerate(body.centre.columns):
            push = dot(column or NULL, body.ejection)
            pushed.add_force(r, push * body.mass_drift)
            for s, slope in enumerate(body.mass_slopes):
                pushed.add(r, s, push * slope)
    return pushed


def ordinary(system: System) -> tuple[Inertia, bool]:
    """M and h of (2.15) with φ on the left, and whether M lost its symmetry."""
    inertia, skewed = ordinary_energy(system)
    phi = corrections(system)
    (M, h), (phi_M, phi_h) = (inertia.matrix, inertia.vector), (phi.matrix, phi.vector)
    result = Inertia(system.size)
    for r in range(system.size):
        result.add_force(r, h[r] - phi_h[r])
        for s in range(system.size):
            result.add(r, s, _cancelled(M[r][s], phi_M[r][s]))
    return result, skewed


def _cancelled(left: Scalar, right: Scalar) -> Scalar:
    """left − right, expanded: terms that cancel must vanish exactly, without rounding, since a mass may be lost
    entirely.
    """
    if right == 0 or se.count_ops(left) + se.count_ops(right) > LONGEST_EXPANDED:
        return left - right
    return se.expand(left - right)


def written(inertia: Inertia, motion: Symbols) -> tuple[Scalar, ...]:
    """M q̈ + h, row by row."""
    return tuple(total([dot(row, motion.a), h]) for row, h in zip(inertia.matrix, inertia.vector, strict=True))


def frozen_energy(system: System) -> tuple[Scalar, dict[Scalar, Scalar]]:
    """T with symbols for the varying parts of masses and inertias, and their values (2.24)–(2.27)."""
    terms = [system.given_kinetic]
    back: dict[Scalar, Scalar] = {}
    for body in system.bodies.values():
        T, restore = frozen_kinetic(body, system.motion)
        terms.append(T)
        back |= restore
    return total(terms), back
