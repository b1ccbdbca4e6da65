# ruff: noqa: E501
"""(4.25)–(4.31): the ball by the whole-course description."""

from __future__ import annotations

from dalembert import collection
from dalembert.api.motion import simulate
from dalembert.model.change import with_settings
from dalembert.model.read import read
from dalembert.papers.sheet import Sheet
from dalembert.papers.zhangmei.models import PAPER, course, left_for_slip, numbers, renamed


def ball_whole(sheet: Sheet) -> None:
    w = course()
    chosen = dict(w.step("course choice"))
    sheet.same("4.25", "V", "1; 0; 1; 0; 0", [chosen[f"V_{{p_{{{i}}}}}"] for i in range(1, 6)])
    variables = [renamed(value) for _, value in w.step("course variables")][1:]
    sheet.same("4.26", "quasi-velocities of the whole course", "p1*s; p2; p3*s; p4; p5", variables)
    d = "(1 + 2*a2)"
    T = f"T** = (1 + a2)*p1**2/2 + a2*p4**2/2 - a2*p1*p4*s + 1/(2*{d})*(p2**2 + a2*(p3**2 + p5**2) + a2**2*(p3**2 - 2*p3*s*p5 + p5**2))"
    sheet.same("4.27", "kinetic energy", T, renamed(w["T^{**}"]))
    P = [renamed(value) for _, value in w.step("course forces")]
    sheet.same("4.28", "forces", f"-cos_alpha*s; -cos_beta/{d}; -a2*cos_beta/{d}*s; Rx; -a2*cos_beta/{d} + Ry", P)
    lines = [renamed(side) for pair in w.step("course equations") for side in pair]
    text = (
        "p1_d - a2/(1 + a2)*p4_d*s; -cos_alpha/(1 + a2)*s; p2_d; -cos_beta; p3_d - a2/(1 + a2)*p5_d*s; -cos_beta/(1 + a2)*s; "
        "p4_d - p1_d*s; Rx/{}; p5_d - a2/(1 + a2)*p3_d*s; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry"
    )
    sheet.same("4.29", "equations of motion", text.format("sqrt(a2)"), lines, text.format("a2"), pairs=True)
    rates = [renamed(e) for _, e in w.step("course held")][:4]
    sheet.same(
        "4.30",
        "equations with π₅ = 0",
        "p1_d = (Rx - cos_alpha)*s; p2_d = -cos_beta; p3_d = -cos_beta/(1 + a2)*s; p4_d = -cos_alpha + (1 + a2)/a2*Rx",
        rates,
    )
    unfolded(sheet)


def unfolded(sheet: Sheet) -> None:
    """(4.31) against the ball that starts at the wall. Its motion is unfolded: s changes its sign at every impact."""
    (a2, _, ca, cb, _), v0 = numbers(PAPER), 0.3
    S = left_for_slip(PAPER)
    tau = 2 * v0 / (ca - S)
    record = with_settings(read(collection.path(PAPER)), {"x": 0, "x'": v0})
    run = simulate(record, until=1.9 * tau, samples=101, tolerance=1e-12)
    A2, A3 = float(run.definitions["pi3"][0]), float(run.definitions["pi4"][0])
    right, printed = 0.0, 0.0
    for i, t in enumerate(run.times):
        s = 1.0 if t < tau else -1.0
        unwound = t if t < tau else t - 2 * tau
        q1 = s * run.coordinates["x"][i] + (ca - S) / 2 * unwound * (abs(unwound) - tau)
        pi3 = s * run.definitions["pi3"][i]
        pi4 = run.definitions["pi4"][i] - (A3 - (ca - (1 + a2) / a2 * S) * t)
        right = max(right, abs(q1), abs(pi3 - (A2 - cb / (1 + a2) * abs(unwound))), abs(pi4))
        printed = max(printed, abs(pi3 - (A2 - cb / (1 + a2) * t * s)))
    sheet.law(
        "4.31",
        "the whole course integrated",
        "π₃* = −t cos β/(1 + a²) sgn q₁* + A₂, …",
        right,
        "over two flights of the ball, unfolded",
        "π₃* = A₂ − cos β/(1 + a²) tri(t), tri the 2τ-periodic triangle",
        printed,
    )
