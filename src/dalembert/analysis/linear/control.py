"""Inputs and outputs of the linearized equations.

    δẋ = A δx + B δu,   δy = C δx + D δu
    B = (0; ∂u̇/∂u; ∂ė/∂u),   C = (g_X + g_a a_X + g_ν ν_X) E,   D = g_u + g_a a_u + g_ν ν_u

for outputs y = g(X, u, a, ν), which may contain accelerations and multipliers. An input in a constraint would need its
own derivative, so it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian, symbols
from dalembert.analysis.linear.chart import tangent
from dalembert.analysis.linear.linearize import Linearized
from dalembert.analysis.linear.spectrum import ROUNDING
from dalembert.errors import ModelError
from dalembert.programs.functions import compiled


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The matrices, and the values of the outputs at the state."""

    A: Array
    B: Array
    C: Array
    D: Array
    outputs: Array


def space(found: Linearized, matrix: Array, outputs: Mapping[str, Any]) -> StateSpace:
    """The matrices and output values. `matrix` is that of the linearization; outputs are in x, q'' and lambda.ROW."""
    gradients, chart, local = found.gradients, found.chart, found.linear.local
    system, u = gradients.system, gradients.inputs
    rates = np.vstack([local.rate_u[chart.speeds], local.extra_u])
    B = np.vstack([np.zeros((len(chart.coordinates), len(u))), rates])
    a, nu = answers(system.equations.coordinates, "''"), answers(system.multiplier_names, "lambda.")
    rows, by = list(outputs.values()), (*gradients.X, *u, *a, *nu)
    derivatives = jacobian(rows, by)
    code = compiled(
        (*system.equations.inputs, *a, *nu), [*rows, *(e for row in derivatives for e in row)], backend="numpy"
    )
    place = found.place
    x = np.concatenate([system.state(place.t, place.q, place.v, place.z), local.a, local.nu])
    values = code(x)
    g = values[len(rows) :].reshape(len(rows), len(by))
    g_X, g_u, g_a, g_nu = np.split(g, np.cumsum([gradients.size, len(u), len(a)]), axis=1)
    E = tangent(local, chart, gradients.extra)
    C = (g_X + g_a @ local.a_X + g_nu @ local.nu_X) @ E
    size = (np.abs(g_X) + np.abs(g_a) @ np.abs(local.a_X) + np.abs(g_nu) @ np.abs(local.nu_X)) @ np.abs(E)
    D = g_u + g_a @ local.a_u + g_nu @ local.nu_u
    for name, row in zip(outputs, np.hstack([C, D]), strict=True):
        if not np.isfinite(row).all():
            raise ModelError(
                "the output {name} has no derivative at this state, as norm(v) where v is zero; choose other "
                "outputs with --outputs, or another state",
                name=name,
            )
    return StateSpace(
        matrix, B + 0.0, np.where(np.abs(C) <= ROUNDING * size, 0.0, C) + 0.0, D + 0.0, values[: len(rows)]
    )


def answers(names: Sequence[str], mark: str) -> tuple[Any, ...]:
    """Symbols of accelerations (q'') or multipliers (lambda.ROW)."""
    import symengine as se

    return tuple(se.Symbol(f"{name}''" if mark == "''" else f"{mark}{name}") for name in names)


def require_forces(found: Linearized, inputs: Mapping[Any, str]) -> None:
    """Refuse inputs that occur in constraints."""
    eq = found.gradients.system.equations
    for row, residual in zip(eq.constraints, eq.psi, strict=True):
        for symbol, name in inputs.items():
            if symbol in symbols(residual) or symbol in symbols(row.residual):
                raise ModelError(
                    "the input {name} stands in the constraint {name2}, which needs its derivative too; "
                    "state it as a first-order state whose rate is the input, or choose other inputs with "
                    "--inputs",
                    name=name,
                    name2=row.name,
                )


def require_determinate(found: Linearized, outputs: Mapping[str, Any]) -> None:
    """Refuse outputs of multipliers that redundant constraints share, or that are integrated."""
    system, kept = found.gradients.system, found.linear.local.kept
    if len(kept.columns) == len(system.multiplier_names) and not system.k:
        return
    forces = set(answers(system.multiplier_names, "lambda."))
    for name, expression in outputs.items():
        if forces & symbols(expression):
            raise ModelError(
                "the output {name} holds multipliers, which redundant constraints share or the method "
                "integrates; choose other outputs with --outputs",
                name=name,
            )
