"""Mistakes that have a name, known by what they lead to.

Constraints inserted before differentiating: with T*(q, v_free, t) the kinetic energy in which nonholonomic constraints
have eliminated speeds, the equations d/dt ∂T*/∂v − ∂T*/∂q = Q* lack the terms of Hamel's coefficients. Whoever has
the accelerations of these has made that mistake.

A lost ∂T/∂q: what an equation lacks is that derivative of the kinetic energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.audit.claims import Claims
from dalembert.analysis.audit.decide import HOLDS, residual
from dalembert.analysis.audit.terms import choices, eliminated, lagrange_rows
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
    for dependent in choices(found, used):
        if _follows(found, dependent):
            return tr(INSERTED)
    return ""


def _follows(found: Claims, dependent: Sequence[int]) -> bool:
    """Whether the equations hold with the accelerations of this mistake, and these are not the model's."""
    eq, n = found.equations, len(found.equations.q)
    free = [j for j in range(n) if j not in dependent]
    B, places = eliminated(found, dependent, free)
    v = {s: e for s, e in places.items() if s in eq.v}
    T = se.sympify(eq.kinetic).subs(v)
    rates = [v.get(s, s) for s in eq.v]
    mass = [[T.diff(eq.v[i]).diff(eq.v[j]) for j in free] for i in free]
    rest = []
    Q = _forces(found, v)
    for i, j in enumerate(free):
        momentum = T.diff(eq.v[j])
        carried = sum((momentum.diff(q) * rate for q, rate in zip(eq.q, rates, strict=True)), momentum.diff(eq.t))
        force = Q[j] + sum((B[k][i] * Q[d] for k, d in enumerate(dependent)), se.Integer(0))
        rest.append(force + T.diff(eq.q[j]) - carried)
    size = len(free)
    inputs = found.ready.equations.inputs
    code = program(inputs, [*(e for row in mass for e in row), *rest])
    others = program([*inputs, *(found.a[j] for j in free)], [places[found.a[d]] for d in dependent])
    apart = False
    for start, a in found.samples:
        out = values_of(code, start.x)
        if not np.isfinite(out).all():
            return False
        own = np.linalg.lstsq(out[: size * size].reshape(size, size), out[size * size :], rcond=None)[0]
        made = np.zeros(n)
        made[free] = own
        made[list(dependent)] = values_of(others, np.concatenate([start.x, own]))
        apart = apart or bool(np.abs(made - a).max() > 1e-6 * (1.0 + np.abs(a).max()))
        if not (residual(found, start, made) <= HOLDS).all():
            return False
    return apart


def _forces(found: Claims, v: dict[Any, Any]) -> list[Any]:
    """Q = d + what d/dt ∂T/∂v − ∂T/∂q has without accelerations, on the constraints."""
    eq, found_forces = found.equations, []
    T = se.sympify(eq.kinetic)
    for j, q in enumerate(eq.q):
        momentum = T.diff(eq.v[j])
        carried = sum((momentum.diff(k) * rate for k, rate in zip(eq.q, eq.v, strict=True)), momentum.diff(eq.t))
        found_forces.append((se.sympify(eq.d[j]) + carried - T.diff(q)).subs(v))
    return found_forces


def _lost(found: Claims, wrong: Sequence[int]) -> str:
    """An equation that is the model's but for ± ∂T/∂q."""
    eq = found.equations
    rows = lagrange_rows(found)
    gradients = [se.sympify(eq.kinetic).diff(q) for q in eq.q]
    random = np.random.default_rng(7)
    for i in wrong:
        for j, gradient in enumerate(gradients):
            if gradient == 0:
                continue
            for sign in (1, -1):
                gap = se.sympify(found.E[i]) - sign * (rows[j].expression + gradient)
                code = program(found.inputs, [gap, gradient])
                x = np.array([found.x(start, a) for start, a in found.samples])
                n = len(found.a) + len(found.free)
                x[:, -n:] = random.uniform(-1.0, 1.0, (len(x), n))
                values = values_of(code, x)
                if np.abs(values[:, 0]).max() <= 1e-9 * np.abs(values[:, 1]).max():
                    return tr(LOST, number=i + 1, q=eq.coordinates[j])
    return ""
