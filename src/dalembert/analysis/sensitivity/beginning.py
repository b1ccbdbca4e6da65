"""The derivative of the initial state: of stated values, of parameters that depend on others, and of the correction.

Coordinates are corrected by the smallest change onto φ = 0. For speeds, the change of the given ones is smallest first,
then the norm of the rest. The conditions for these minima are differentiated:
    q − q₀ + φ_qᵀμ = 0, φ = 0;      v_g − v₀ + ψ_gᵀκ = 0, ψ_fᵀκ = 0, v_f + ψ_fᵀη = 0, ψ = 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian, total, unknown
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.parse import nearest
from dalembert.mechanics.algebra import Symbols
from dalembert.mechanics.lowering import Lowering
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.prepared import Start
from dalembert.programs.functions import Function, compiled
from dalembert.programs.system import CompiledSystem

STATIONARY = 1e-7


@dataclass(frozen=True, slots=True)
class StatedValues:
    """The stated values of q, v and z, and derivatives of them and of the parameters p; a column for each θ."""

    names: tuple[str, ...]
    p: Array
    q: Array
    v: Array
    z: Array
    followed: int  # of p, the first: states and what controllers hold; the others are constant
    coordinates: Array  # the stated values themselves
    speeds: Array
    given: Array  # names × coordinates: which speeds count as given for each θ

    @property
    def constant(self) -> Array:
        """δ of the parameters that a motion does not carry along."""
        return self.p[self.followed :]


def known_names(record: ModelRecord, system: CompiledSystem) -> list[str]:
    """All names by which one can differentiate."""
    multipliers = [f"multipliers.{name}" for name in system.multiplier_names[: system.k]]
    fixed = {*record.inputs, *(name for law in record.sampled.values() for name in law.values)}
    parameters = [name for name in record.parameters if name not in fixed]
    return [*parameters, *record.coordinates, *(f"{name}'" for name in record.coordinates), *multipliers]


def stated(start: Start, names: Sequence[str]) -> StatedValues:
    """Derivatives of the stated values, with the chain rule through parameters that depend on others."""
    record, eq = start.record, start.system.equations
    known = known_names(record, start.system)
    for name in names:
        if name not in known:
            raise ModelError(
                "there is no parameter, coordinate, speed or multiplier {name} to differentiate by{name2}.",
                name=name,
                name2=nearest(name, known),
            )
    import symengine as se

    lowering = Lowering(record, Symbols(tuple(record.coordinates)))
    values = initial_values(record)
    motion = lowering.motion
    at: dict[Any, float] = {motion.t: start.time}
    rates: dict[Any, Array] = {}  # of symbols, one number for each θ

    def rate(name: str, expression: Any) -> Array:
        found = np.array([float(name == other) for other in names])
        for symbol in expression.free_symbols & rates.keys():
            found = found + float(expression.diff(symbol).subs(at)) * rates[symbol]
        return found

    for name, parameter in record.parameters.items():
        rates_here = rate(name, lowering.scalar(parameter.value))
        at[se.Symbol(name)], rates[se.Symbol(name)] = values.parameters[name], rates_here
    q = np.array([rate(name, lowering.scalar(c.initial)) for name, c in record.coordinates.items()])
    speeds = [None if c.speed is None else lowering.scalar(c.speed) for c in record.coordinates.values()]
    v = np.array(
        [
            rate(f"{name}'", se.S.Zero if speed is None else speed)
            for name, speed in zip(record.coordinates, speeds, strict=True)
        ]
    )
    v0 = np.array([values.speeds[name] or 0.0 for name in record.coordinates])
    q0 = np.array([values.coordinates[name] for name in record.coordinates])
    given = np.array([[s is not None or f"{c}'" == name for c, s in zip(record.coordinates, speeds, strict=True)]
                      for name in names])  # fmt: skip
    for j in range(len(q0)):
        at[motion.q[j]], at[motion.v[j]] = q0[j], v0[j]
        rates[motion.q[j]], rates[motion.v[j]] = q[j], v[j]
    z = []
    for name in start.system.multiplier_names[: start.system.k]:
        expression = lowering.scalar(record.multipliers[name]) if name in record.multipliers else se.S.Zero
        z.append(rate(f"multipliers.{name}", expression))
    p = [rates[symbol] for symbol in eq.parameters]
    shape = (-1, len(names))
    # a speed that the model leaves out counts as given at its solved value if it is differentiated by
    v0 = np.where([s is None for s in speeds], start.v, v0)
    return StatedValues(
        tuple(names),
        np.array(p).reshape(shape),
        q,
        v,
        np.array(z).reshape(shape),
        start.system.s,
        q0,
        v0,
        given.reshape(len(names), -1),
    )


def initial_derivative(start: Start, kept: CompiledSystem, values: StatedValues) -> Array:
    """δ(q, v, z, s) at the start. `kept` is the system with the rows that are active from the start."""
    q, v, eq = _positions(start, values), values.v, kept.equations
    if kept.m:
        found = kept.once("speeds", lambda: _derivatives(kept, eq.psi, eq.v, eq.q))
        by = replace(found, system=kept)
        columns = [_speeds(start, by, values, q[:, j], j) for j in range(len(values.names))]
        v = np.array(columns).T.reshape(len(start.q), len(values.names))
    return np.vstack([q, v, values.z, values.p[: values.followed]])


def _positions(start: Start, values: StatedValues) -> Array:
    system, eq = start.system, start.system.equations
    n, mh = system.n, system.mh
    if not mh:
        return values.q
    phi_q = system.position(start.x)[mh:].reshape(mh, n)
    change = values.coordinates - start.q
    numbers, *_ = np.linalg.lstsq(phi_q.T, change, rcond=1e-10)
    _require_stationary(phi_q.T @ numbers - change, start.q, "coordinates")
    derivatives = system.once("positions", lambda: _derivatives(system, eq.phi, eq.q, ()))
    _, phi_p, H_q, _, H_p = derivatives(start.x, numbers)
    K = np.block([[np.eye(n) + H_q, phi_q.T], [phi_q, np.zeros((mh, mh))]])
    right = np.vstack([values.q - H_p @ values.p, -phi_p @ values.p])
    return np.linalg.lstsq(K, right, rcond=1e-11)[0][:n]


@dataclass(frozen=True, slots=True)
class StartDerivatives:
    """Matrices of derivatives, as one function of x and multipliers."""

    system: CompiledSystem
    code: Function
    shapes: tuple[tuple[int, int], ...]

    def __call__(self, x: Array, numbers: Array) -> list[Array]:
        out = self.code(np.concatenate([x, numbers]))
        ends = np.cumsum([rows * columns for rows, columns in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(out, ends[:-1]), self.shapes, strict=True)]


def _derivatives(system: CompiledSystem, residuals: Sequence[Any], by: Sequence[Any], further: Any) -> StartDerivatives:
    """Derivatives of residuals f by `further` and p, and of the gradient of f·μ by `by`, by `by`, `further` and p."""
    eq, symbols = system.equations, unknown("multiplier", len(residuals))
    p = list(eq.parameters)
    gradient = jacobian([total(residuals, symbols)], by)[0]
    parts = [jacobian(residuals, s) for s in (further, p)] + [jacobian(gradient, s) for s in (by, further, p)]
    code = compiled([*eq.inputs, *symbols], [e for part in parts for row in part for e in row], backend="numpy")
    return StartDerivatives(system, code, tuple((len(part), len(part[0])) for part in parts))


def _speeds(start: Start, hessian: StartDerivatives, values: StatedValues, q: Array, column: int) -> Array:
    system = hessian.system
    n, m = system.n, system.m
    x = system.state(start.time, start.q, start.v, start.z)
    J = system.velocity(x)[m:].reshape(m, n)
    given = values.given[column]
    stated_v = np.where(given, values.speeds, 0.0)
    v = start.v
    kappa = np.linalg.lstsq(J.T, np.where(given, stated_v - v, 0.0), rcond=1e-10)[0]
    eta = np.linalg.lstsq(J[:, ~given].T, -v[~given], rcond=1e-10)[0] if (~given).any() else np.zeros(m)
    rest = J.T @ kappa - np.where(given, stated_v - v, 0.0)
    free = J[:, ~given].T @ eta + v[~given]
    if max(np.abs(rest).max(), np.abs(free).max(initial=0.0)) > STATIONARY * max(1.0, np.abs(v).max()):
        given = np.ones(n, dtype=bool)  # all speeds were changed together
        kappa = np.linalg.lstsq(J.T, stated_v - v, rcond=1e-10)[0]
        _require_stationary(J.T @ kappa - (stated_v - v), v, "speeds")
        eta = np.zeros(m)
    psi_q, psi_p, V, Q, P = hessian(x, kappa)
    _, _, V2, Q2, P2 = hessian(x, eta)
    dp = values.p[:, column]
    pushed, pushed2 = Q @ q + P @ dp, Q2 @ q + P2 @ dp
    f, g = ~given, given
    zero = np.zeros((n, m))
    K = np.vstack(
        [
            np.hstack([np.eye(n) + V, J.T, zero])[g],
            np.hstack([V, J.T, zero])[f],
            np.hstack([np.eye(n) + V2, zero, J.T])[f],
            np.hstack([J, np.zeros((m, 2 * m))]),
        ]
    )
    right = np.concatenate([(values.v[:, column] - pushed)[g], -pushed[f], -pushed2[f], -psi_q @ q - psi_p @ dp])
    return np.linalg.lstsq(K, right, rcond=1e-11)[0][:n]


def _require_stationary(rest: Array, state: Array, what: str) -> None:
    if np.abs(rest).max(initial=0.0) > STATIONARY * max(1.0, np.abs(state).max(initial=0.0)):
        raise MathematicsError(
            "the initial {what} were corrected by a search whose result has no derivative; state "
            "{what} that satisfy the constraints",
            what=what,
        )
