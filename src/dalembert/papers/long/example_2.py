"""(36)–(48): two heavy wheels on one axle."""

from __future__ import annotations

from typing import Any

from dalembert.language import tr
from dalembert.mechanics.algebra import dot
from dalembert.papers.long.example_1 import pairs
from dalembert.papers.long.particles import worst
from dalembert.papers.sheet import PAIRS, Entries, Sheet
from dalembert.papers.worked import Worked


def example_2(sheet: Sheet, w: Worked) -> None:
    body = w.system.bodies["first"]
    assert body.turning is not None
    J = body.turning.inertia
    sheet.same(
        "36", "moments of inertia", "J_n = m*rho**2; J_tau = m*rho**2/2; J_b = m*rho**2/2", [J[i][i] for i in range(3)]
    )
    T, T_ = w["T^*_{\\text{first}}"], w["T^*_{\\text{second}}"]
    L1, L2 = w["L^*_{q_{1}}"], w["L^*_{q_{2}}"]
    a, b = w["F^*_{\\text{first}}"], w["F^*_{\\text{second}}"]
    parts = {
        i: [w[f"{x}_{{\\text{{{n}}},q_{{{i}}}}}"] for n in ("first", "second") for x in ("a", "\\alpha")]
        for i in (1, 2)
    }

    def sum_(i: int, last: Any) -> Any:
        p = parts[i]
        return dot(a, p[0]) + dot(b, p[2]) + dot(T, p[1]) + dot(last, p[3])

    over = tr("at random places")
    sheet.law(
        "37",
        "first generalized inertia force as a sum",
        "L*_1 = −m a_P·a_P1 − … + T*_D·α_D1 + T*_D·α_D′1",
        worst([L1], [sum_(1, T_)]),
        over,
        "the last couple is T*_D′",
        worst([L1], [sum_(1, T)]),
    )
    sheet.law(
        "38",
        "second generalized inertia force as a sum",
        "L*_2 = −m a_P·a_P2 − … + T*_D·α_D2 + T*_D′·α_D′2",
        worst([L2], [sum_(2, T_)]),
        over,
    )
    for number, name, moment in (("39", "first", T), ("40", "second", T_)):
        omega, alpha = w[f"\\omega_{{\\text{{{name}}}}}"], w[f"\\alpha_{{\\text{{{name}}}}}"]
        m_rho = J[0][0]
        printed = [
            -m_rho / 2 * 2 * alpha[0],
            -m_rho / 2 * (omega[2] * omega[0] + alpha[1]),
            m_rho / 2 * (omega[0] * omega[1] - alpha[2]),
        ]
        sheet.law(
            number,
            tr("inertia couple of the {name} wheel", name=name),
            "T* = −½mρ²[2α_n n + (ω_b ω_n + α_τ)τ − (ω_n ω_τ − α_b) b]",
            worst(moment, printed),
            over,
        )
    omega, alpha = w["\\omega_{\\text{first}}"], w["\\alpha_{\\text{first}}"]
    first = "omega_n = q1_d; omega_tau = 0; omega_b = q2_d; alpha_n = q1_dd; alpha_b = q2_dd; alpha_tau = q1_d*q2_d"
    sheet.same("41", "ω and α of D", first, [*omega, alpha[0], alpha[2], alpha[1]])
    omega, beta = w["\\omega_{\\text{second}}"], w["\\alpha_{\\text{second}}"]
    line = "omega_n = q3_d; omega_tau = 0; omega_b = q2_d; alpha_n = q3_dd; alpha_b = q2_dd; alpha_tau = q3_d*{}"
    by_20 = {"q3_d": "q1_d + 2*q2_d", "q3_dd": "q1_dd + 2*q2_dd"}
    sheet.same(
        "42",
        "ω and α of D′",
        line.format("q1_d"),
        [*omega, beta[0], beta[2], beta[1]],
        line.format("q2_d"),
        entries=Entries(where=(by_20,)),
    )
    sheet.same("43", "angular acceleration of D along n, τ, b", "n = q1_dd; tau = q1_d*q2_d; b = q2_dd", alpha)
    fourth = "n = q1_dd + 2*q2_dd; tau = (q1_d + 2*q2_d)*q2_d; b = q2_dd"
    sheet.same("44", "angular acceleration of D′", fourth, beta)
    sheet.same("45", "partial angular accelerations of D", "n1 = 1; b1 = 0; n2 = 0; b2 = 1", pairs(w, "first"))
    sheet.same("46", "partial angular accelerations of D′", "n1 = 1; b1 = 0; n2 = 2; b2 = 1", pairs(w, "second"))
    sheet.same(
        "47",
        "first generalized inertia force",
        "L*_1 = -2*m*(R**2 + rho**2)*(q1_d + q2_d)",
        L1,
        "-2*m*(R**2 + rho**2)*(q1_dd + q2_dd)",
    )
    sheet.same(
        "48", "second generalized inertia force", "L*_2 = -2*m*(R**2 + rho**2)*(q1_dd + 2*q2_dd) - m*rho**2*q2_dd", L2
    )
    one, two = w.step("written")
    right = "g*R/(R**2 + rho**2)*sin(theta)*sin(q2)"
    sheet.same(
        "after 48",
        "equations of motion",
        f"q1_dd + q2_dd; {right}; q1_dd + (4*R**2 + 5*rho**2)/(2*(R**2 + rho**2))*q2_dd; {right}",
        [*one, *two],
        entries=PAIRS,
    )
