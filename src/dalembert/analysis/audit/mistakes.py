"""Mistakes with a name, recognized by their consequences.

Constraints inserted before differentiating: with T*(q, v_free, t) the kinetic energy in which nonholonomic constraints
have eliminated speeds, the equations d/dt ∂T*/∂v − ∂T*/∂q = Q* lack the terms of Hamel's coefficients. Equations
with these accelerations contain the mistake.

A lost ∂T/∂q: an equation lacks this derivative of the kinetic energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.audit.claims import Claims
from dalembert.analysis.audit.decide import HOLDS, residual
from dalembert.analysis.audit.terms import choices, lagrange_rows
from dalembert.equations import Equations
from dalembert.language import mark, tr
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program

INSERTED = mark(
    "This is what comes out when the constraints are inserted into the kinetic energy before it is differentiated. "
    "Differentiate first, with all speeds, and eliminate speeds afterwards; or keep multipliers."
)
LOST = mark("What equation {number} lacks is the term ∂T/∂{q}: the kinetic energy depends on {q}.")


def mistake(found: Claims, wrong: Sequence[int]) -> str:
    return _inserted(found) or _lost(found, wrong)


def _inserted(found: Claims) -> str:
    eq = found.equations
    nonholonomic = any(row.kind != "holonomic" for row in eq.constraints)
    if not nonholonomic or any(row.kind == "nonlinear" for row in eq.constraints) or eq.masses:
        return ""
    used = {s for e in found.E for s in e.free_symbols}
    derivatives = _derivatives(found)
    for dependent in choices(found, used):
        if _follows(found, dependent, derivatives):
            return tr(INSERTED)
    return ""


@dataclass(frozen=True)
class Derivatives:
    """At one state: ∂T/∂v, ∂T/∂q, dA/dt, and the gradient of A v + ψ₀ by q at fixed v."""

    p: np.ndarray
    T_q: np.ndarray
    A_dot: np.ndarray
    psi_q: np.ndarray


def _derivatives(found: Claims) -> list[Derivatives]:
    """For every sample, from one program."""
    eq, n, m = found.equations, len(found.equations.q), len(found.equations.b)
    T = se.sympify(eq.kinetic)
    A_dot = [_rate(eq, se.sympify(entry)) for row in eq.A for entry in row]
    psi_q = [se.sympify(psi).diff(q) for psi in eq.psi for q in eq.q]
    code = program(found.ready.equations.inputs, [*map(T.diff, eq.v), *map(T.diff, eq.q), *A_dot, *psi_q])
    parts = np.cumsum([n, n, m * n])
    told = [np.split(values_of(code, start.x), parts) for start, _ in found.samples]
    return [Derivatives(p, T_q, A.reshape(m, n), psi.reshape(m, n)) for p, T_q, A, psi in told]


def _rate(eq: Equations, e: Any) -> Any:
    return sum((e.diff(q) * v for q, v in zip(eq.q, eq.v, strict=True)), e.diff(eq.t))


def _follows(found: Claims, dependent: Sequence[int], derivatives: Sequence[Derivatives]) -> bool:
    """Whether the equations hold with the accelerations of this mistake, which differ from the model's.

    With v_d = B v_f + c on the constraints A v + ψ₀ = 0, and N = (1, B):
        Nᵀ (D a − d) + Bᵀ ∂T/∂q_d + Ḃᵀ p_d − (∂v_d/∂q_f)ᵀ p_d = 0,      A a = b
    """
    d, n = list(dependent), len(found.a)
    f = [j for j in range(n) if j not in dependent]
    apart = False
    for (start, a), own in zip(found.samples, derivatives, strict=True):
        D, right, A, b = start.system.unpacked(start.system.dynamics(start.x))[:4]
        solve = np.linalg.inv(A[:, d])
        N, base = np.zeros((n, len(f))), np.zeros(n)
        N[f], N[d] = np.eye(len(f)), -solve @ A[:, f]
        B_dot = -solve @ (own.A_dot[:, d] @ N[d] + own.A_dot[:, f])
        base[d] = solve @ b
        lacks = N[d].T @ own.T_q[d] + (B_dot + solve @ own.psi_q[:, f]).T @ own.p[d]
        free = np.linalg.lstsq(N.T @ D @ N, N.T @ (right - D @ base) - lacks, rcond=None)[0]
        made = N @ free + base
        if not np.isfinite(made).all():
            return False
        apart = apart or bool(np.abs(made - a).max() > 1e-6 * (1.0 + np.abs(a).max()))
        if not (residual(found, start, made) <= HOLDS).all():
            return False
    return apart


def _lost(found: Claims, wrong: Sequence[int]) -> str:
    """An equation that differs from the model's by ± ∂T/∂q."""
    eq, count = found.equations, len(found.equations.q)
    rows = [row.expression for row in lagrange_rows(found)]
    gradients = [se.sympify(eq.kinetic).diff(q) for q in eq.q]
    code = program(found.inputs, [*rows, *gradients, *(found.E[i] for i in wrong)])
    x = np.array([found.x(start, a) for start, a in found.samples])
    n = len(found.a) + len(found.free)
    x[:, -n:] = np.random.default_rng(7).uniform(-1.0, 1.0, (len(x), n))
    values = values_of(code, x).T
    for i, stated in zip(wrong, values[2 * count :], strict=True):
        for q, row, gradient in zip(eq.coordinates, values[:count], values[count : 2 * count], strict=True):
            gaps = [np.abs(stated - sign * (row + gradient)).max() for sign in (1, -1)]
            if gradient.any() and min(gaps) <= 1e-9 * np.abs(gradient).max():
                return tr(LOST, number=i + 1, q=q)
    return ""
