"""(30)–(35): partial angular accelerations of rigid bodies."""

from __future__ import annotations

from dalembert.formalisms.partial_acceleration import PartialAcceleration
from dalembert.language import tr
from dalembert.mechanics.algebra import apply, cross, dot, plus, total
from dalembert.papers.long.particles import flat, worst
from dalembert.papers.sheet import Sheet
from dalembert.papers.worked import Worked


def rigid(sheet: Sheet, w: Worked) -> None:
    system, motion, reduced = w.system, w.system.motion, w.reduced
    over = tr("for the wheels of example 2, at random places")
    method = PartialAcceleration()
    body = system.bodies["second"]
    assert body.turning is not None
    _, alpha = method.accelerations(body, system)
    assert alpha is not None
    full = [reduced.put_in(c) for c in alpha.full]
    parts = [[c.diff(motion.a[j]) for j in reduced.choice.independent] for c in full]
    rest = w["k_{\\text{second}}"]
    thirty = [dot(p, [motion.a[j] for j in reduced.choice.independent]) + k for p, k in zip(parts, rest, strict=True)]
    sheet.law("30", "angular acceleration", "α = Σ α_r q̈_r + k", worst(full, thirty), over)
    shown = [w[f"\\alpha_{{\\text{{second}},q_{{{i}}}}}"] for i in (1, 2)]
    sheet.law(
        "31",
        "partial angular accelerations",
        "α_r = ∂α/∂q̈_r",
        worst(flat(parts), [shown[i][c] for c in range(3) for i in range(2)]),
        over,
    )
    L = [w["L_{q_{1}}"], w["L_{q_{2}}"]]
    powers = []
    for i in (1, 2):
        sums = []
        for name in ("first", "second"):
            sums.append(dot(w[f"F_{{\\text{{{name}}}}}"], w[f"a_{{\\text{{{name}}},q_{{{i}}}}}"]))
        powers.append(total(sums))
    sheet.law("32", "generalized active force of a body", "L_r = F·a_r + T·α_r", worst(L, powers), over)
    stars = []
    for i in (1, 2):
        sums = []
        for name in ("first", "second"):
            sums.append(dot(w[f"F^*_{{\\text{{{name}}}}}"], w[f"a_{{\\text{{{name}}},q_{{{i}}}}}"]))
            sums.append(dot(w[f"T^*_{{\\text{{{name}}}}}"], w[f"\\alpha_{{\\text{{{name}}},q_{{{i}}}}}"]))
        stars.append(total(sums))
    sheet.law(
        "33",
        "generalized inertia force of a body",
        "L_r* = F*·a_r + T*·α_r",
        worst([w["L^*_{q_{1}}"], w["L^*_{q_{2}}"]], stars),
        over,
    )
    F = [-body.mass * c for c in w["a_{\\text{second}}"]]
    sheet.law("34", "inertia force", "F* = −m a_C", worst(w["F^*_{\\text{second}}"], F), over)
    J, omega = body.turning.inertia, tuple(w["\\omega_{\\text{second}}"])
    alpha_ = tuple(w["\\alpha_{\\text{second}}"])
    moment = plus(apply(J, alpha_), cross(omega, apply(J, omega)))
    printed = (
        -(J[0][0] * alpha_[0] + (J[2][2] - J[1][1]) * omega[2] * omega[1]),
        -(J[1][1] * alpha_[1] + (J[2][2] - J[0][0]) * omega[2] * omega[0]),
        -(J[2][2] * alpha_[2] + (J[1][1] - J[0][0]) * omega[1] * omega[0]),
    )
    shown_ = w["T^*_{\\text{second}}"]
    sheet.law(
        "35",
        "inertia couple",
        "T*_τ = −[J_τ α_τ + (J_b − J_n) ω_b ω_n]",
        worst(shown_, [-c for c in moment]),
        over,
        "T*_τ = −[J_τ α_τ + (J_n − J_b) ω_b ω_n]",
        worst(shown_, printed),
    )
