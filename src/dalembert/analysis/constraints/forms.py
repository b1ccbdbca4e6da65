"""Constraints as one-forms on the space of coordinates, or of time and coordinates.

    holonomic φ(q, t) = 0:               dφ = φ_q dq + φ_t dt
    linear    a(q, t) q̇ + c(q, t) = 0:   ω = a dq + c dt

If time occurs in no row and every c vanishes, dt is left out. Otherwise t is a further coordinate. Forms are evaluated
on φ = 0, at points with fifty digits.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from dalembert.analysis.exact.series import BITS, NIL, Expansion, exact, value
from dalembert.errors import MathematicsError
from dalembert.mechanics.algebra import ZERO
from dalembert.mechanics.system import System

Scalar = Any
SPREAD = 0.7  # distance of random points from the start
REACHED = Decimal("1e-38")
Point = dict[Scalar, Decimal]


@dataclass(frozen=True, slots=True)
class Pfaffian:
    """The rows that are linear in the differentials, and the names of the others."""

    names: tuple[str, ...]  # of the rows, holonomic ones first
    holonomic: int
    rows: tuple[tuple[Scalar, ...], ...]
    variables: tuple[Scalar, ...]  # t comes first if `extended`
    labels: tuple[str, ...]
    extended: bool
    phi: tuple[Scalar, ...]
    nonlinear: tuple[str, ...]
    start: Point  # every symbol's value at the initial state: t, q, v and the parameters

    @property
    def last(self) -> tuple[int, ...]:
        """The column of dt."""
        return (0,) if self.extended else ()

    @property
    def moving(self) -> tuple[Scalar, ...]:
        """The variables that the rows depend on: derivatives by the others vanish."""
        held = set().union(*(e.free_symbols for row in self.rows for e in row)) if self.rows else set()
        return tuple(s for s in self.variables if s in held)

    def only(self, chosen: Sequence[int]) -> tuple[tuple[Scalar, ...], ...]:
        return tuple(self.rows[i] for i in chosen)


def forms(system: System) -> Pfaffian:
    """The constraints of a model as forms."""
    constraints, motion = system.constraints, system.motion
    still = dict.fromkeys(motion.v, ZERO)
    order = [i for i, row in enumerate(constraints.rows) if row.kind == "holonomic"]
    order += [i for i, row in enumerate(constraints.rows) if row.kind == "linear"]
    rates = [constraints.psi[i].subs(still) for i in order]
    rows = [constraints.A[i] for i in order]
    times = any(rate != 0 for rate in rates) or any(motion.t in e.free_symbols for row in rows for e in row)
    names = [constraints.rows[i].name for i in order]
    return Pfaffian(
        names=tuple(names),
        holonomic=sum(row.kind == "holonomic" for row in constraints.rows),
        rows=tuple((rate, *row) if times else tuple(row) for rate, row in zip(rates, rows, strict=True)),
        variables=(motion.t, *motion.q) if times else tuple(motion.q),
        labels=("t", *motion.names) if times else motion.names,
        extended=times,
        phi=constraints.phi,
        nonlinear=tuple(row.name for row in constraints.rows if row.kind == "nonlinear"),
        start={symbol: exact(number) for symbol, number in system.start.items()},
    )


def onto(phi: Sequence[Scalar], q: Sequence[Scalar], point: Point) -> tuple[Point, list[float]]:
    """Move a point onto φ = 0 by Newton's method with steps of least norm, to fifty digits. Also return the residual.

    Steps are computed in doubles. Near the end, each gains some fifteen digits.
    """
    if not phi:
        return point, []
    damping = 0.0
    local = Expansion(q, point, 1)
    left = [value(local(f)) for f in phi]
    for _ in range(60):
        if max(map(abs, left)) < REACHED:
            break
        J = np.array([[float(local(f)[1].get(1 << (BITS * j), NIL)) for j in range(len(q))] for f in phi])
        r = np.array([float(c) for c in left])
        step = _step(J, r, damping)
        trial = {**point, **{s: point[s] + exact(float(d)) for s, d in zip(q, step, strict=True)}}
        try:
            ahead = Expansion(q, trial, 1)
            there = [value(ahead(f)) for f in phi]
        except MathematicsError:
            damping = max(10 * damping, 1e-3)
            continue
        if sum(c * c for c in there) < sum(c * c for c in left):
            point, local, left, damping = trial, ahead, there, damping / 10 if damping > 1e-6 else 0.0
        elif damping > 1e8 or np.abs(step).max(initial=0.0) < 1e-30:
            break
        else:
            damping = max(10 * damping, 1e-3)
    return point, [float(c) for c in left]


def _step(J: np.ndarray, r: np.ndarray, damping: float) -> np.ndarray:
    if not damping:
        return -np.linalg.lstsq(J, r, rcond=1e-10)[0]
    return -np.linalg.solve(J.T @ J + damping * np.eye(J.shape[1]), J.T @ r)


def points(found: Pfaffian, q: Sequence[Scalar], at: Point, count: int, seed: int = 3) -> list[Point]:
    """Random points on φ = 0 near `at`, later in time if time occurs. There may be fewer than asked for."""
    chance = random.Random(seed)
    made: list[Point] = []
    spread = SPREAD
    for _ in range(8 * count):
        near = dict(at)
        for s in q:
            near[s] = at[s] + exact(round(chance.uniform(-spread, spread), 12))
        if found.extended:
            near[found.variables[0]] = at[found.variables[0]] + exact(round(chance.uniform(0.05, 1.0), 12))
        try:
            place, left = onto(found.phi, q, near)
            values = [value(Expansion((), place, 0)(e)) for row in found.rows for e in row]
        except MathematicsError:
            spread *= 0.8
            continue
        if max(map(abs, left), default=0.0) < 1e-30 and all(c.is_finite() for c in values):
            made.append(place)
        if len(made) == count:
            break
    return made


def numbers(rows: Sequence[Sequence[Scalar]], place: Point) -> list[list[Decimal]]:
    """The rows at a point."""
    local = Expansion((), place, 0)
    return [[value(local(e)) for e in row] for row in rows]
