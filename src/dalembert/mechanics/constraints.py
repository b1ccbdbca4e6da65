"""Constraints as rows: the stated equation, and its conditions on speeds and accelerations.

holonomic φ(q, t):      ψ = φ_q q̇ + φ_t,  A = φ_q
otherwise f(q, q̇, t):   ψ = f,             A = ∂f/∂q̇
A q̈ = b,  b = −(ψ_q q̇ + ψ_t)
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dalembert.equations import ConstraintRow
from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.mechanics.algebra import Scalar, Symbols, minus
from dalembert.mechanics.bodies import Bodies
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.regions import fault, may_hold_in_parts
from dalembert.mechanics.rolling import rolling_rows
from dalembert.model.closures import joint_of
from dalembert.model.record import Equation, ModelRecord

Row = tuple[Scalar, ...]
AROUND, NEARBY = 0.7, 0.01  # how far from the start the states are that decide whether a row holds identically


@dataclass(frozen=True, slots=True)
class ConstraintRows:
    rows: tuple[ConstraintRow, ...]
    A: tuple[Row, ...]
    b: Row
    psi: Row
    phi: Row
    phi_q: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)


def stated(model: ModelRecord, lowering: Lowering, bodies: Bodies) -> list[tuple[str, str, Scalar]]:
    """Every row of [constraints] and [rolling] as its table, its name and its residual."""
    found: list[tuple[str, str, Scalar]] = []
    for name, equation in model.constraints.items():
        found += [("constraints", row, residual) for row, residual in equation_rows(name, equation, lowering)]
    for name, rolling in model.rolling.items():
        found += [("rolling", f"{name}.{row}", r) for row, r in rolling_rows(name, rolling, lowering, bodies)]
    return found


def equation_rows(name: str, equation: Equation, lowering: Lowering) -> list[tuple[str, Scalar]]:
    """The rows of one equation and their residuals: three of a vector equation."""
    left, right = lowering.value(equation.left), lowering.value(equation.right)
    if isinstance(left, tuple) or isinstance(right, tuple):
        residual = minus(_triple(left), _triple(right))
        return [(f"{name}.{axis}", r) for axis, r in zip("xyz", residual, strict=True)]
    return [(name, left - right)]


def _triple(value: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return a side as a vector. The number 0 may stand for the null vector: `head - fork_head = 0`."""
    return value if isinstance(value, tuple) else (value, value, value)


def constraints(
    model: ModelRecord,
    lowering: Lowering,
    bodies: Bodies,
    start: Mapping[Scalar, float],
) -> tuple[ConstraintRows, tuple[str, ...]]:
    """Return the rows without those that hold identically, and notes about the rows that were dropped."""
    motion = lowering.motion
    kept, notes = [], []
    for table, name, residual in stated(model, lowering, bodies):
        owner = name.rsplit(".", 1)[0] if table == "rolling" else name
        # A wheel whose hub is placed at its radius leaves R sin θ − R |sin θ|. This row is dropped for θ in (0, π).
        if table == "constraints" and may_hold_in_parts(residual):
            wrong = fault(residual, motion, start)
            if wrong is not None:
                raise ModelError([Fault(table, owner, None, f"{name} {wrong}")])
        level = constant_level(residual, motion, start)
        if level is None and table == "rolling":  # a disk that lies almost flat is placed at its radius nearby only
            level = constant_level(residual, motion, start, NEARBY)
        if level is None:
            kept.append((name, residual))
        elif level == 0.0:
            notes.append(tr("the row {name} holds identically and is dropped", name=name))
        else:
            message = tr(
                "the two sides of {name} differ by {level:g} in every state, so it can never hold",
                name=name,
                level=level,
            )
            joint = joint_of(model, name)
            if joint is not None:
                table, owner = f"joints.{joint}", ""
                message = tr("the loop cannot close: {message}", message=message)
            raise ModelError([Fault(table, owner, None, message)])
    return differentiated(kept, motion), tuple(notes)


def differentiated(named: Iterable[tuple[str, Scalar]], motion: Symbols) -> ConstraintRows:
    rows, A, b, psi, phi, phi_q = [], [], [], [], [], []
    for name, stated in named:
        residual = motion.with_roots(name, stated)
        if motion.has_speeds(residual):
            gradient = motion.gradient(residual, motion.v)
            kind = "nonlinear" if any(motion.has_speeds(g) for g in gradient) else "linear"
            rate = residual
        else:
            gradient = motion.gradient(residual, motion.q)
            kind, rate = "holonomic", motion.derivative(residual)
            phi.append(residual)
            phi_q.append(gradient)
        rows.append(ConstraintRow(name, kind, residual))
        A.append(gradient)
        psi.append(rate)
        b.append(-motion.derivative(rate))
    return ConstraintRows(tuple(rows), tuple(A), tuple(b), tuple(psi), tuple(phi), tuple(phi_q))


def constant_level(
    residual: Scalar, motion: Symbols, start: Mapping[Scalar, float], around: float = AROUND
) -> float | None:
    """The value of a residual that is the same in every state, or None if it varies.

    Random states near the start decide: a wheel whose hub is placed at its radius leaves a residual that is zero
    without looking so. A NaN counts as varying, and differences of the size of rounding count as none.
    """
    residual = motion.whole(residual)
    symbols = sorted(residual.free_symbols, key=str)
    moving = {motion.t, *motion.q, *motion.v}
    if not moving.intersection(symbols):
        return _without_rounding(float(residual.subs({s: start[s] for s in symbols})))
    chance = random.Random(20)
    values: list[float] = []
    for _ in range(5):
        state = {s: start[s] + chance.uniform(-around, around) if s in moving else start[s] for s in symbols}
        found = residual.subs(state)  # a function of the symbols would take ten times as long to make
        values.append(float(found) if found.is_real else math.nan)
        if _spread(values) > 0.0:  # it cannot become smaller
            return None
    return None if math.isnan(_spread(values)) else _without_rounding(values[0])


def _spread(values: list[float]) -> float:
    """How far values differ, beyond the size of rounding. It may be NaN."""
    spread = max(values) - min(values)
    return spread if not spread <= 1e-12 * (1.0 + max(abs(v) for v in values)) else 0.0


def _without_rounding(level: float) -> float:
    return 0.0 if abs(level) < 1e-12 else level
