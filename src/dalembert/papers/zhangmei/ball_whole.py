# ruff: noqa: E501
"""(4.25)–(4.31): the ball by the whole-course description."""

from __future__ import annotations

import symengine as se

from dalembert import collection
from dalembert.api.motion import simulate
from dalembert.model.change import with_settings
from dalembert.model.read import read
from dalembert.papers.sheet import PAIRS, Entries, Sheet
from dalembert.papers.zhangmei.models import PAPER, STARS, course, left_for_slip, numbers, renamed


def ball_whole(sheet: Sheet) -> None:
    w = course()
    sheet.letters = {**sheet.letters, **STARS}
    chosen = dict(w.step("course choice"))
    V = [chosen[f"V_{{p_{{{i}}}}}"] for i in range(1, 6)]
    sheet.same("4.25", "V", "V_1 = 1; V_2 = 0; V_3 = 1; V_4 = 0; V_5 = 0", V)
    variables = [renamed(value) for _, value in w.step("course variables")][1:]
    sheet.same(
        "4.26",
        "quasi-velocities of the whole course, s = sgn q₁*",
        "p1 = p1s*s; p2 = p2s; p3 = p3s*s; p4 = p4s; p5 = p5s",
        variables,
    )
    d = "(1 + 2*a2)"
    T = (
        f"T** = (1 + a2)*p1s**2/2 + a2*p4s**2/2 - a2*p1s*p4s*s "
        f"+ 1/(2*{d})*(p2s**2 + a2*(p3s**2 + p5s**2) + a2**2*(p3s*s - p5s)**2)"
    )
    sheet.same("4.27", "kinetic energy", T, renamed(w["T^{**}"]), entries=Entries(where=({"s": "1"}, {"s": "-1"})))
    P = [renamed(value) for _, value in w.step("course forces")]
    sheet.same(
        "4.28",
        "forces",
        f"P**_1 = -cos_alpha*s; P**_2 = -cos_beta/{d}; P**_3 = -a2*cos_beta/{d}*s; R_4 = Rx; P**_5 = -a2*cos_beta/{d} + Ry",
        P,
    )
    lines = [renamed(side) for pair in w.step("course equations") for side in pair]
    text = (
        "p1s_d - a2/(1 + a2)*p4s_d*s; -cos_alpha/(1 + a2)*s; p2s_d; -cos_beta; p3s_d - a2/(1 + a2)*p5s_d*s; "
        "-cos_beta/(1 + a2)*s; p4s_d - p1s_d*s; Rx/{}; p5s_d - a2/(1 + a2)*p3s_d*s; "
        "-cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry"
    )
    sheet.same("4.29", "equations of motion", text.format("sqrt(a2)"), lines, text.format("a2"), entries=PAIRS)
    rates = [renamed(e) for _, e in w.step("course held")][:4]
    fifth = [side.subs({se.Symbol("p5s'"): 0}) for side in lines[8:]]
    sheet.same(
        "4.30",
        "equations with π₅ = 0",
        "p1s_d; (Rx - cos_alpha)*s; p2s_d; -cos_beta; p3s_d; -cos_beta/(1 + a2)*s; p4s_d; -cos_alpha + (1 + a2)/a2*Rx; "
        "-a2/(1 + a2)*p3s_d*s; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry",
        [side for i, rate in enumerate(rates, 1) for side in (se.Symbol(f"p{i}s'"), rate)] + fifth,
        entries=PAIRS,
    )
    unfolded(sheet)


def unfolded(sheet: Sheet) -> None:
    """(4.31) against the ball that starts at the wall. Its motion is unfolded: s changes its sign at every impact."""
    (a2, _, ca, cb, _), v0 = numbers(PAPER), 0.3
    S = left_for_slip(PAPER)
    tau = 2 * v0 / (ca - S)
    record = with_settings(read(collection.path(PAPER)), {"x": 0, "x'": v0})
    run = simulate(record, until=1.9 * tau, samples=101, tolerance=1e-12)
    pi2 = run.speeds["y"] + a2 * (run.speeds["rz"] - run.speeds["rx"])
    A1, A2, A3 = (float(row[0]) for row in (pi2, run.definitions["pi3"], run.definitions["pi4"]))
    right, printed = 0.0, 0.0
    for i, t in enumerate(run.times):
        s = 1.0 if t < tau else -1.0
        unwound = t if t < tau else t - 2 * tau
        q1 = s * run.coordinates["x"][i] + (ca - S) / 2 * unwound * (abs(unwound) - tau)
        pi3 = s * run.definitions["pi3"][i]
        pi4 = run.definitions["pi4"][i] - (A3 - (ca - (1 + a2) / a2 * S) * t)
        plain = max(abs(q1), abs(pi2[i] - (A1 - cb * t)))
        right = max(right, plain, abs(pi3 - (A2 - cb / (1 + a2) * abs(unwound))), abs(pi4))
        printed = max(printed, abs(pi3 - (A2 - cb / (1 + a2) * t * s)), abs(pi4 + ca * t))
    sheet.law(
        "4.31",
        "the whole course integrated",
        "q₁* = −½(cos α − S) t(|t| − τ), π₂* = A₁ − t cos β, π₃* = −t cos β/(1 + a²) sgn q₁* + A₂, "
        "π₄* = A₃ − [2 cos α − (1 + a²)S/a²] t",
        right,
        "over two flights of the ball, unfolded",
        "π₃* = A₂ − cos β/(1 + a²) tri(t), tri the 2τ-periodic triangle; π₄* = A₃ − [cos α − (1 + a²)S/a²] t",
        printed,
    )
