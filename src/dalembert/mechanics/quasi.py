"""n quasi-velocities instead of the speeds: the model's own, speeds that complete them, and the constraints' residuals.

    π_s = π_s(q, q̇, t),   the last ones the constraints: π_{n−g+β} = f_β (φ̇_β for a holonomic φ_β)     (ZhangMei (2.2))
    J = ∂π/∂q̇,   k = J⁻¹ = ∂q̇/∂π at the actual q̇,   π̇ = J q̈ + δ,   δ = (∂π/∂q) q̇ + ∂π/∂t
They are chosen with numbers at the start. If the choice becomes singular later, the solution at that state chooses
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import symengine as se

from dalembert.equations import QuasiVelocities
from dalembert.language import tr
from dalembert.mechanics.algebra import ONE, ZERO, Scalar, Symbols, dot, total
from dalembert.mechanics.elimination import (
    LONGEST_SHOWN,
    Matrix,
    independent_rows,
    inverse,
    length,
    letter,
    numbers,
    sample_state,
)
from dalembert.mechanics.system import System


def quasi_velocities(system: System) -> tuple[QuasiVelocities, tuple[str, ...]]:
    """Return the quasi-velocities, and notes on those of the model that follow from others."""
    motion, constraints = system.motion, system.constraints
    own = system.quasi_velocities
    held = [(row.name, psi, A) for row, psi, A in zip(constraints.rows, constraints.psi, constraints.A, strict=True)]
    chosen = [(name, value, motion.gradient(value, motion.v)) for name, value in own.items()]
    speeds = [
        (f"{name}'", v, tuple(ONE if i == j else ZERO for i in range(system.size)))
        for j, (name, v) in enumerate(zip(motion.names, motion.v, strict=True))
    ]
    state = sample_state(system)
    fixed = [*held, *chosen]
    kept = independent_rows(numbers(tuple(row for _, _, row in fixed), state))
    candidates = [fixed[i] for i in kept]
    speeds = _completing(numbers(tuple(row for _, _, row in candidates), state), speeds)
    first = [fixed[i] for i in kept if i >= len(held)]
    last = [fixed[i] for i in kept if i < len(held)]
    every = [*first, *speeds, *last]
    dropped = [name for name, _, _ in chosen if name not in {e[0] for e in first}]
    notes = tuple(
        tr("the quasi-velocity {name} follows from the others and the constraints, and is left out", name=name)
        for name in dropped
    )
    return QuasiVelocities(
        names=tuple(name for name, _, _ in every),
        values=tuple(value for _, value, _ in every),
        jacobian=tuple(row for _, _, row in every),
        drift=tuple(motion.derivative(value) for _, value, _ in every),
        held=len(last),
    ), notes


def _completing(rows: list[list[float]], speeds: list[Any]) -> list[Any]:
    """The speeds that complete the rows best: each one is the farthest from the span of the rows found so far."""
    basis: list[list[float]] = []
    for row in rows:
        _extend(basis, row)
    places: list[int] = []
    for _ in range(len(speeds) - len(basis)):
        # The distance of unit vector j from the span is the root of 1 − Σ e_j². Of equal distances the first is taken.
        far = [round(1.0 - sum(e[j] ** 2 for e in basis), 9) for j in range(len(speeds))]
        place = max(range(len(speeds)), key=lambda j: (far[j], -j))
        places.append(place)
        _extend(basis, [1.0 if j == place else 0.0 for j in range(len(speeds))])
    return [speeds[j] for j in sorted(places)]


def _extend(basis: list[list[float]], row: list[float]) -> None:
    for _ in range(2):
        for e in basis:
            along = sum(a * b for a, b in zip(e, row, strict=True))
            row = [r - along * a for r, a in zip(row, e, strict=True)]
    length = sum(r * r for r in row) ** 0.5
    basis.append([r / length for r in row])


@dataclass(frozen=True, slots=True)
class Inverted:
    """The quasi-velocities inverted, for reading: symbols for π and π̇, q̇(q, π, t) and k = ∂q̇/∂π."""

    pi: tuple[Scalar, ...]
    rates: tuple[Scalar, ...]
    speeds: dict[Scalar, Scalar]  # q̇ by π; empty if a π is nonlinear
    accelerations: dict[Scalar, Scalar]  # q̈ by π̇; empty if a π is nonlinear
    k: Matrix
    jacobian: Matrix  # ∂π/∂q̇
    letters: dict[Scalar, Scalar] = field(default_factory=dict)  # the meaning of k_rs and δ_s, if lettered

    def put_in(self, e: Scalar) -> Scalar:
        """e in the variables π, π̇. Where letters stand for k, the speeds are kept: they are known by π."""
        e = e.subs(self.accelerations)
        return e if self.letters else e.subs(self.speeds)


def symbols(quasi: QuasiVelocities) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    """The symbols of π and π̇. A held one has the name of a constraint, so brackets avoid a clash."""
    free = len(quasi.names) - quasi.held
    names = [name if i < free else f"pi[{name}]" for i, name in enumerate(quasi.names)]
    return tuple(se.Symbol(name) for name in names), tuple(se.Symbol(f"{name}'") for name in names)


def inverted(system: System, quasi: QuasiVelocities, simplified: Callable[[Any], Any]) -> Inverted | None:
    """The quasi-velocities solved for q̇, or None if the inverse would be too long to read."""
    motion = system.motion
    k = inverse(quasi.jacobian, sample_state(system), simplified)
    if k is None or length(k) > LONGEST_SHOWN:
        return None
    k = simplified(k)
    pi, rates = symbols(quasi)
    speeds: dict[Scalar, Scalar] = {}
    accelerations: dict[Scalar, Scalar] = {}
    if not any(motion.has_speeds(e) for row in quasi.jacobian for e in row):
        rest = [value.subs(dict.fromkeys(motion.v, ZERO)) for value in quasi.values]
        shifted = [p - r for p, r in zip(pi, rest, strict=True)]
        speeds = {v: simplified(dot(row, shifted)) for v, row in zip(motion.v, k, strict=True)}
        for a, row, v in zip(motion.a, k, motion.v, strict=True):
            accelerations[a] = dot(row, rates) + _along(motion, speeds[v], speeds)
    return Inverted(pi, rates, speeds, accelerations, k, quasi.jacobian)


def lettered(quasi: QuasiVelocities, turned: Inverted, motion: Symbols) -> Inverted:
    """The same with letters for long entries of k and δ, so that expressions which contain them stay short.

    q̇_r = Σ_s k_rs π_s + …,   q̈_r = Σ_s k_rs (π̇_s − δ_s),   δ_s = Σ_r (∂π_s/∂q_r) q̇_r + ∂π_s/∂t
    """
    letters: dict[Scalar, Scalar] = {}
    names = [name.rstrip("'") for name in quasi.names]
    k = tuple(
        tuple(letter(letters, f"k[{r}, {s}]", e) for s, e in zip(names, row, strict=True))
        for r, row in zip(motion.names, turned.k, strict=True)
    )
    delta = [letter(letters, f"delta[{s}]", e) for s, e in zip(names, quasi.drift, strict=True)]
    rest = [value.subs(dict.fromkeys(motion.v, ZERO)) for value in quasi.values]
    shifted = [p - r for p, r in zip(turned.pi, rest, strict=True)]
    changed = [rate - d for rate, d in zip(turned.rates, delta, strict=True)]
    return replace(
        turned,
        speeds={v: dot(row, shifted) for v, row in zip(motion.v, k, strict=True)},
        accelerations={a: dot(row, changed) for a, row in zip(motion.a, k, strict=True)},
        k=k,
        letters=letters,
    )


def _along(motion: Symbols, e: Scalar, speeds: dict[Scalar, Scalar]) -> Scalar:
    """de/dt of e(q, π, t) with π constant: q̇ is replaced by its expression in π."""
    slopes = motion.gradient(e, motion.q)
    return total([*(s * speeds[v] for s, v in zip(slopes, motion.v, strict=True)), motion.slope(e, motion.t)])


def left_sides_in_quasi_velocities(
    motion: Symbols, turned: Inverted, T: Scalar, rates: Mapping[Scalar, Scalar]
) -> list[Scalar]:
    """d/dt ∂T*/∂ω_s − ∂T*/∂π_s − Σ_r ∂T/∂q̇_r (d/dt ∂q̇_r/∂ω_s − ∂q̇_r/∂π_s) of T*(q, ω, t)            (Qiao (3.8))"""
    slopes = [T.diff(p) for p in turned.pi]
    momenta = [dot(slopes, column) for column in zip(*turned.jacobian, strict=True)]  # ∂T/∂q̇ = Σ ∂T*/∂ω ∂ω/∂q̇
    lefts = []
    for s, slope in enumerate(slopes):
        column = [row[s] for row in turned.k]
        rate = [slope.diff(p) * dp for p, dp in (*zip(turned.pi, turned.rates, strict=True), *rates.items())]
        swing = []
        for p, v in zip(momenta, motion.v, strict=True):
            speed = turned.speeds[v]
            bracket = _along(motion, speed.diff(turned.pi[s]), turned.speeds) - dot(
                motion.gradient(speed, motion.q), column
            )
            swing.append(-p * bracket)
        lefts.append(
            total([*rate, _along(motion, slope, turned.speeds), -dot(motion.gradient(T, motion.q), column), *swing])
        )
    return lefts


def hamel_coefficients(quasi: QuasiVelocities, k: Matrix, motion: Symbols) -> Matrix:
    """γ_sρ = Σ_r (d/dt ∂π_s/∂q̇_r − ∂π_s/∂q_r) ∂q̇_r/∂π_ρ, row s; contains q̈ if π is nonlinear.     (ZhangMei (2.7))"""
    rows = []
    for value, gradient in zip(quasi.values, quasi.jacobian, strict=True):
        along = motion.gradient(value, motion.q)
        bracket = [
            total(
                [
                    motion.derivative(g),
                    *(c * a for c, a in zip(motion.gradient(g, motion.v), motion.a, strict=True)),
                    -s,
                ]
            )
            for g, s in zip(gradient, along, strict=True)
        ]
        rows.append(tuple(dot(bracket, column) for column in zip(*k, strict=True)))
    return tuple(rows)
