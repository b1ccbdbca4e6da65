"""(4.19)–(4.24): the motion of the ball from impact to impact."""

from __future__ import annotations

from dalembert.language import tr
from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.zhangmei.models import BALL, PAPER, changed, left_for_slip, motion, numbers, w_value


def impacts(sheet: Sheet) -> None:
    """(4.19)–(4.24) with the numbers of the gallery's ball, against integrated motions."""
    a2, _, ca, cb, _ = numbers(PAPER)
    run = motion(PAPER, 4.0)
    Rx, q0, v0 = left_for_slip(PAPER), float(run.coordinates["x"][0]), float(run.speeds["x"][0])
    A2, A3 = (float(run.definitions[name][0]) for name in ("pi3", "pi4"))
    first = next(event for event in run.events if event.kind == "impact")
    worst = 0.0
    for i, t in enumerate(run.times):
        if t > first.time:
            break
        worst = max(worst, abs(run.coordinates["x"][i] - (-(ca - Rx) / 2 * t * t + v0 * t + q0)))
        worst = max(worst, abs(run.definitions["pi3"][i] - (-t * cb / (1 + a2) + A2)))
        worst = max(worst, abs(run.definitions["pi4"][i] - (-(ca - (1 + a2) / a2 * Rx) * t + A3)))
    over = tr("against the motion that is integrated")
    sheet.law("4.19", "motion before the first impact", "q₁ = −½(cos α − R_x)t² + q̇₁₀t + q₁₀, …", worst, over)
    changes = [difference(changed(PAPER, w_value(p)), -2 * w_value(p)) for p in ("p1", "p3")]
    sheet.law(
        "4.20", "first impact", "q₁ = 0, q̇₁⁺ = −q̇₁⁻, π₃⁺ = −π₃⁻", max(changes), "the jump of both by the impact law"
    )
    ts = first.time
    sheet.law(
        "4.21",
        "its time",
        "−½(cos α − R_x)t*² + q̇₁₀t* + q₁₀ = 0",
        abs(-(ca - Rx) / 2 * ts * ts + v0 * ts + q0),
        "at the time of the impact that is found",
    )
    before, after = first.before["x"], first.after["x"]
    sheet.law(
        "4.22",
        "speeds before and after it",
        "q̇₁ = ∓((cos α − R_x)t* − q̇₁₀)",
        max(abs(before + (ca - Rx) * ts - v0), abs(after - (ca - Rx) * ts + v0)),
        over,
    )
    worst, worst3 = 0.0, 0.0
    second = [event.time for event in run.events if event.kind == "impact"][1:2] or [float(run.times[-1])]
    for i, t in enumerate(run.times):
        if ts < t < second[0]:
            q = -(ca - Rx) / 2 * t * t + (2 * (ca - Rx) * ts - v0) * (t - ts) + (ca - Rx) / 2 * ts * ts
            worst = max(worst, abs(run.coordinates["x"][i] - q))
            worst3 = max(
                worst3,
                abs(run.definitions["pi3"][i] - (-t * cb / (1 + a2) + 2 * ts * cb / (1 + a2) - A2)),
            )
    sheet.law("4.23", "motion after it", "q₁ = −½(cos α − R_x)t² + [2(cos α − R_x)t* − q̇₁₀](t − t*) + …", worst, over)
    sheet.law("4.24", "π₃ after it", "π₃ = −t cos β/(1 + a²) + 2t* cos β/(1 + a²) − A₂", worst3, over)
    stops = [event for event in motion(BALL, 9.0, 0.3).events if event.kind == "stick"]
    slides = [event for event in motion(BALL, 20.0).events if event.kind == "stick"]
    sheet.statement(
        "after 4.24",
        "when the motion is periodic",
        "cos α > S and π₄ < 0",
        not slides and bool(stops),
        tr(
            "slip stops {slides} times in 20 s for f = 0.15, where S ≤ a² cos α/(1 + a²), and {stops} times in 9 s for "
            "f = 0.3, where it is not",
            slides=len(slides),
            stops=len(stops),
        ),
        "also S ≤ a² cos α/(1 + a²), else the slip stops",
    )
