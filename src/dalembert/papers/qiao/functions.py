"""(2.1)–(2.9): the constraints, the functions W that are free to choose, and the velocities by W."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.language import tr
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.bodies import combined
from dalembert.papers.qiao.particles import OVER, free, turned_of, worst
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import Worked


def functions(sheet: Sheet, n: Worked, w: Worked) -> None:
    chosen, _ = turned_of(n)
    f = n.system.constraints.rows[0].residual
    sheet.law(
        "2.1",
        "nonlinear constraints",
        "f_s(q, q̇, t) = 0",
        abs(n.value(f)),
        tr("the constraint at the state, {over}", over=tr(OVER)),
    )
    gradients = [n.system.motion.gradient(value, n.system.motion.v) for value in chosen.values[:2]]
    linear = max(
        difference(v, dot(row, n.system.motion.v)) for v, row in zip(chosen.values[:2], gradients, strict=True)
    )
    sheet.law(
        "2.2", "functions W, free to choose", "W_s = Σ a_sr q̇_r + b_s", linear, "the model's own w1, w2, with b = 0"
    )
    sheet.law("2.3", "the last W are the constraints", "W_s = f_s = 0", difference(chosen.values[-1], f), OVER)
    motion = n.system.motion
    row = motion.gradient(f, motion.v)
    at_rest = [e.subs(dict.fromkeys(motion.v, 0)) for e in row]
    # Chetaev: A k = 0 with A at the actual speeds. Read literally, with the linear part at q̇ = 0, it is not zero.
    k = free(n)
    J0 = [*[list(r) for r in gradients], at_rest]
    literal = inverse_columns(J0)
    sheet.law(
        "2.4",
        "the constraints solved for their linear part",
        "W_s = Σ ∂f_s/∂q̇_r q̇_r + h_s",
        max(abs(n.value(dot(row, c))) for c in k),
        "the power of the reactions on the columns of k",
        "∂f/∂q̇ at the actual speeds",
        max(abs(n.value(dot(row, c))) for c in literal),
    )
    sheet.law(
        "2.5",
        "the speeds by W",
        "q̇_r = Σ k_rs W_s + l_r, k from the linear part",
        max(abs(n.value(dot(row, c))) for c in k),
        "the power of the reactions on the columns of k",
        "k = ∂q̇/∂W at the actual speeds",
        max(abs(n.value(dot(row, c))) for c in literal),
    )
    body = w.system.bodies["one"]
    motion = w.system.motion
    r, v = body.centre.position, body.centre.velocity(motion)
    by_speeds = [motion.gradient(c, motion.v) for c in v]
    right = [dot(row, motion.v) + c.diff(motion.t) for row, c in zip(by_speeds, r, strict=True)]
    wrong = [dot(row, motion.v) + c.diff(motion.t) for row, c in zip(by_speeds, v, strict=True)]
    sheet.law(
        "2.6", "velocity", "V = Σ ∂V/∂q̇_r q̇_r + ∂V/∂t", worst(v, right), OVER, "the last term is ∂r/∂t", worst(v, wrong)
    )
    chosen, turned = turned_of(w)
    put = [turned.put_in(c).subs({turned.pi[-1]: 0}) for c in v]
    U = partial_velocities(w)
    rest = [e.subs(dict.fromkeys(turned.pi, 0)) for e in put]
    seven = [total([*(U[s][i] * turned.pi[s] for s in range(2)), rest[i]]) for i in range(3)]
    sheet.law("2.7", "velocity by W", "V = Σ U_s W_s + U", worst(put, seven), OVER)
    eight = [tuple(put[i].diff(turned.pi[s]) for i in range(3)) for s in range(2)]
    sheet.law(
        "2.8",
        "partial velocities",
        "U_is = Σ ∂V_i/∂q̇_r k_rs",
        max(worst(a, b) for a, b in zip(U, eight, strict=True)),
        OVER,
    )
    l_r = [turned.speeds[x].subs(dict.fromkeys(turned.pi, 0)) for x in motion.v]
    nine = [dot(row, l_r) + c.diff(motion.t) for row, c in zip(by_speeds, r, strict=True)]
    false = [dot(row, l_r) + turned.put_in(c.diff(motion.t)) for row, c in zip(by_speeds, v, strict=True)]
    sheet.law(
        "2.9",
        "the rest of the velocity",
        "U_i = Σ ∂V_i/∂q̇_r l_r + ∂V_i/∂t",
        worst(rest, nine),
        OVER,
        "the last term is ∂r/∂t",
        worst(rest, false),
    )


def inverse_columns(J: list[list[Any]]) -> list[Any]:
    import sympy

    inverse = sympy.Matrix(J).inv()
    return [[se.sympify(inverse[i, s]) for i in range(len(J))] for s in range(2)]


def partial_velocities(w: Worked, body: str = "one") -> list[Any]:
    return [combined(w.system.bodies[body].centre.columns, tuple(c)) for c in free(w)]
