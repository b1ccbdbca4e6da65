"""(18)–(29): two wheels without mass on one axle, a particle in each hub."""

from __future__ import annotations

from typing import Any

from dalembert.language import tr
from dalembert.papers.sheet import PAIRS, Entries, Sheet
from dalembert.papers.worked import Worked


def example_1(sheet: Sheet, w: Worked) -> None:
    a, b = w["a_{\\text{first}}"], w["a_{\\text{second}}"]
    sheet.same(
        "18",
        "acceleration of P along n and τ",
        "a_n = R*q1_d*q2_d; a_tau = -R*q1_d",
        [a[0], a[1]],
        "R*q1_d*q2_d; -R*q1_dd",
    )
    speeds, rates = dict(w.step("Dependent speeds")), dict(w.step("Dependent accelerations"))
    q3, q3_rate = speeds["\\dot{q}_{3}"], rates["\\ddot{q}_{3}"]
    sheet.same(
        "19",
        "acceleration of P′ by q₃",
        "a_n = R*q2_d*q3_d; a_tau = -R*q3_d",
        [b[0], b[1]],
        "a_n = R*q2_d*q3_d; a_tau = -R*q3_dd",
        entries=Entries(where=({"q3_d": plain(q3), "q3_dd": plain(q3_rate)},)),
    )
    sheet.same("20", "q₃, with P′ = P − 2R n", "q3_d = q1_d + 2*q2_d", q3)
    row = [q3.diff(v) for v in w.system.motion.v]
    curl = max(abs(float(e.diff(q))) if e.diff(q).is_Number else 1.0 for e in row for q in w.system.motion.q)
    sheet.statement(
        "after 20",
        "kind of (20)",
        "(20) is a nonholonomic constraint",
        curl == 0.0,
        tr("its coefficients do not depend on the coordinates (largest derivative {curl:.1g})", curl=curl),
        "it integrates to q₃ = q₁ + 2q₂ + c; those that cannot be integrated are the two of the contact points",
    )
    sheet.same(
        "21",
        "acceleration of P′",
        "a_n = R*(q1_d*q2_d + 2*q2_d**2); a_tau = -R*(q1_d + 2*q2_d)",
        [b[0], b[1]],
        "R*(q1_d + 2*q2_d)*q2_d; -R*(q1_dd + 2*q2_dd)",
    )
    P1, P2 = w["a_{\\text{first},q_{1}}"], w["a_{\\text{first},q_{2}}"]
    sheet.same("22", "partial accelerations of P along τ", "a_P1 = -R; a_P2 = 0", [P1[1], P2[1]])
    P1, P2 = w["a_{\\text{second},q_{1}}"], w["a_{\\text{second},q_{2}}"]
    sheet.same("23", "partial accelerations of P′ along τ", "a_P′1 = -R; a_P′2 = -2*R", [P1[1], P2[1]])
    F = w["F_{\\text{first}}"]
    sheet.same(
        "24",
        "weight along n, τ, b",
        "F_n = m*g*sin(theta)*cos(q2); F_tau = -m*g*sin(theta)*sin(q2); F_b = -m*g*cos(theta)",
        F,
    )
    L = [w["L_{q_{1}}"], w["L_{q_{2}}"]]
    sheet.same(
        "25", "generalized active forces", "L_1 = 2*g*R*m*sin(theta)*sin(q2); L_2 = 2*g*R*m*sin(theta)*sin(q2)", L
    )
    sheet.same("26", "first generalized inertia force", "L*_1 = -2*m*R**2*(q1_dd + q2_dd)", w["L^*_{q_{1}}"])
    sheet.same("27", "second generalized inertia force", "L*_2 = -2*m*R**2*(q1_dd + 2*q2_dd)", w["L^*_{q_{2}}"])
    first, second = w.step("written")
    sheet.same(
        "28",
        "first equation of motion",
        "q1_dd + q2_dd; g/R*sin(theta)*sin(q2)",
        list(first),
        entries=PAIRS,
    )
    sheet.same(
        "29", "second equation of motion", "q1_dd + 2*q2_dd; g/R*sin(theta)*sin(q2)", list(second), entries=PAIRS
    )


def pairs(w: Worked, name: str) -> list[Any]:
    found = [w[f"\\alpha_{{\\text{{{name}}},q_{{{i}}}}}"] for i in (1, 2)]
    return [part[i] for part in found for i in (0, 2)]


def plain(e: Any) -> str:
    """An expression in our own text, with q̈ as q_dd."""
    return str(e).replace("''", "_dd").replace("'", "_d")
