"""(3.1)–(3.11): the equations in quasi-velocities."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.api.instant import solve
from dalembert.language import tr
from dalembert.mechanics.algebra import dot, total
from dalembert.mechanics.inertia import lagrange
from dalembert.mechanics.quasi import left_sides_in_quasi_velocities, quasi_velocities
from dalembert.papers.qiao.forces import Rows, projections
from dalembert.papers.qiao.particles import FIXED, NONLINEAR, OVER, at, rests, turned_of, worst
from dalembert.papers.sheet import CLOSE, Sheet, difference
from dalembert.papers.worked import Worked, of_text, worked


def quasi(sheet: Sheet, n: Worked, w: Worked) -> None:
    system, motion = w.system, w.system.motion
    chosen, turned = turned_of(w)
    two = max(difference(v, dot(row, motion.v)) for v, row in zip(chosen.values[:2], chosen.jacobian[:2], strict=True))
    sheet.law("3.1", "quasi-velocities", "ω_s = Σ a_sr q̇_r + b_s", two, OVER)
    sheet.law(
        "3.2",
        "the last ones are the constraints",
        "ω_s = Σ ∂f_s/∂q̇_r q̇_r + h_s = 0",
        abs(n.value(turned_of(n)[0].values[-1])),
        "at the state, constraint nonlinear",
    )
    sheet.law(
        "3.3",
        "speeds",
        "q̇_r = Σ k_rs ω_s + l_r",
        worst(motion.v, [dot(row, [v - b for v, b in zip(chosen.values, rests(w), strict=True)]) for row in turned.k]),
        OVER,
    )
    body = system.bodies["one"]
    v, r = body.centre.velocity(motion), body.centre.position
    right = [
        total([*(c * s for c, s in zip(motion.gradient(e, motion.v), motion.v, strict=True)), p.diff(motion.t)])
        for e, p in zip(v, r, strict=True)
    ]
    wrong = [
        total([*(c * s for c, s in zip(motion.gradient(e, motion.v), motion.v, strict=True)), e.diff(motion.t)])
        for e in v
    ]
    sheet.law("3.4", "velocity", "V = … + ∂V/∂t", worst(v, right), OVER, "the last term is ∂r/∂t", worst(v, wrong))
    rows = Rows(n)
    projections(sheet, rows, ("3.5", "3.6", "3.7"))
    plain = of_text(FIXED.replace("2 - c*t", "2"), "qiao-quasi")
    _, flat = turned_of(plain)
    T = flat.put_in(plain.system.kinetic)
    lefts = left_sides_in_quasi_velocities(plain.system.motion, flat, T, {})
    lag, _ = lagrange(plain.system)
    expected = [
        flat.put_in(
            dot([dot(row, plain.system.motion.a) + h for row, h in zip(lag.matrix, lag.vector, strict=True)], c)
        )
        for c in zip(*flat.k, strict=True)
    ]
    sheet.law(
        "3.8",
        "Lagrange's left side in quasi-velocities",
        "Σ (d/dt ∂T/∂q̇_r − ∂T/∂q_r) k_rs = d/dt ∂T*/∂ω_s − ∂T*/∂π_s − Σ ∂T/∂q̇_r(…)",
        worst(lefts, expected),
        "at random places",
    )
    right9 = [e - c for e, c in zip(rows.left, rows.corrections, strict=True)]
    wrong9 = [e + c for e, c in zip(rows.left, rows.corrections, strict=True)]
    sheet.law(
        "3.9",
        "generalized inertia force by T*",
        "… − {…} k_rs",
        at(n, rows.projected(rows.inertia), rows.projected(right9)),
        OVER,
        "… + {…} k_rs",
        at(n, rows.projected(rows.inertia), rows.projected(wrong9)),
    )
    for number, method in (("3.10", "qiao-quasi"), ("3.11", "qiao-quasi-frozen")):
        q = worked("qiao-sleigh", method)
        known = states(q)
        found = max(abs(float(e.subs(known))) for left, e in q.step("Equations of motion") if left == "0")
        title = tr("equations in quasi-velocities") if number == "3.10" else tr("the same with frozen derivatives")
        sheet.law(
            number,
            title,
            "d/dt ∂T*/∂ω_s − ∂T*/∂π_s = K_s + φ_s + Σ ∂T/∂q̇_r (…)"
            if number == "3.10"
            else "D/Dt ∂T*/∂ω_s − … = K_s + K_s^R + …",
            max(found, n.largest(rows.projected(rows.balance))),
            "the burning sleigh at the state of Lagrange's multipliers",
        )
    compared(sheet)


def compared(sheet: Sheet) -> None:
    """Whether (3.10) has a motion that (2.15) has not: the accelerations of both are compared."""
    by = [solve(of_text(NONLINEAR, method).record, method) for method in ("qiao-lagrange", "qiao-quasi")]
    apart = max(abs(by[0].accelerations[q] - by[1].accelerations[q]) for q in by[0].accelerations)
    sheet.statement(
        "after 3.10",
        "(3.10) beside (2.15)",
        "(3.10) is more general than (2.15)",
        apart <= CLOSE,
        tr("accelerations of two particles of mass m(q, q̇, t) by both differ by {apart:.1e}", apart=apart),
        "they are equivalent",
    )


def states(q: Worked) -> dict[Any, float]:
    """The sleigh's state in the letters of its derivation."""
    chosen, _ = quasi_velocities(q.system)
    known = dict(q.state)
    fuel = q.system.bodies["fuel"]
    known |= {se.Symbol("m[fuel]"): q.value(fuel.mass), se.Symbol("m[fuel]'"): q.value(fuel.mass_drift)}
    for i, (name, value, row, drift) in enumerate(
        zip(chosen.names, chosen.values, chosen.jacobian, chosen.drift, strict=True)
    ):
        symbol = name if i < len(chosen.names) - chosen.held else f"pi[{name}]"
        known[se.Symbol(symbol)] = q.value(value)
        known[se.Symbol(f"{symbol}'")] = q.value(dot(row, q.system.motion.a) + drift)
    return known
