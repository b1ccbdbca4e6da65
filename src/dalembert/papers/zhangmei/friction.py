"""(4.14)–(4.18): Coulomb's law closes the equations of the ball."""

from __future__ import annotations

from math import sqrt

import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.language import tr
from dalembert.model.read import read, read_text
from dalembert.papers.sheet import PAIRS, Sheet
from dalembert.papers.worked import Worked
from dalembert.papers.zhangmei.models import BALL, PAPER, course, numbers, renamed


def friction(sheet: Sheet, w: Worked) -> None:
    state = solve(read(collection.path(PAPER)))
    held = state.multipliers["incline.held"]
    both = collection.text(BALL).replace('slip = ["pi4"]', 'slip = ["pi4", "pi5"]').replace('held = ["pi5"]\n', "")
    free = solve(read_text(both.replace('speed = "-43/90"', 'speed = "-40/90"')))
    c = (free.speeds["x"] - free.speeds["ry"], free.speeds["y"] + free.speeds["rx"])
    R = (free.multipliers["incline.1"], free.multipliers["incline.2"])
    _, f, _, _, cos_gamma = numbers(BALL)
    size = f * cos_gamma / sqrt(c[0] ** 2 + c[1] ** 2)
    isotropic = max(abs(R[i] + size * c[i]) for i in range(2))
    for number, title, printed in (
        ("4.14", tr("slip down the slope, held across it"), "π₄ = C₁ ≠ 0, π₅ = 0"),
        ("4.15", tr("Coulomb's law"), "√(R_x² + R_y²) = f cos γ"),
    ):
        sheet.law(
            number,
            title,
            printed,
            isotropic,
            "isotropic slip of the ball: R + f cos γ c/|c|",
            "R = −f cos γ c/|c|; (4.14) and (4.15) hold together only for cos β = 0",
            abs(held),
        )
    solved = dict(course().step("course held"))
    rates = [renamed(e).subs({se.Symbol("s"): 1}) for e in list(solved.values())[:4]]
    fifth = [renamed(side).subs({se.Symbol("p5'"): 0}) for side in w.step("written")[4]]
    sheet.same(
        "4.16",
        "equations with π₅ = 0",
        "p1_d; Rx - cos_alpha; p2_d; -cos_beta; p3_d; -cos_beta/(1 + a2); p4_d; -cos_alpha + (1 + a2)/a2*Rx; "
        "-a2/(1 + a2)*p3_d; -cos_beta/(1 + a2) + (1 + 2*a2)/(a2*(1 + a2))*Ry",
        [side for i, rate in enumerate(rates, 1) for side in (se.Symbol(f"p{i}'"), rate)] + fifth,
        entries=PAIRS,
    )
    Ry = next(renamed(e) for left, e in solved.items() if str(left) == "friction[incline, 2]")
    sheet.same("4.17", "reaction across the slope", "R_y = a2/(1 + a2)*cos_beta", Ry)
    force = renamed(w.system.touching.frictions[0].sliding[0]).subs({se.Symbol("Ry"): Ry})
    force = force.subs({se.sign(se.Symbol("x'") - se.Symbol("ry'")): se.Symbol("sgn")})
    sheet.same(
        "4.18", "friction down the slope", "R_x = -sqrt(f**2*cos_gamma**2 - (a2/(1 + a2))**2*cos_beta**2)*sgn", force
    )
