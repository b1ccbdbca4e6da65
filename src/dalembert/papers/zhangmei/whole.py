"""(3.1)–(3.3): the whole-course description."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.papers.sheet import Sheet, difference
from dalembert.papers.worked import worked
from dalembert.papers.zhangmei.models import METHOD, PAPER, changed, course, w_value
from dalembert.papers.zhangmei.segmented import law_of


def whole(sheet: Sheet) -> None:
    V = dict(course().step("course choice"))
    worst = 0.0
    for i in range(1, 6):
        p = w_value(f"p{i}")
        flag = float(V[f"V_{{p_{{{i}}}}}"])
        worst = max(worst, difference(changed(PAPER, p), -2 * flag * p))
    sheet.law(
        "3.1",
        "variables of the whole course",
        "q₁ = |q₁*|, π_i = π_i*(sgn q₁*)^V",
        worst,
        "the jump of each π of the ball against −2Vπ: π* is continuous",
    )
    left = [a - b for a, b in course().step("course equations")]
    plain = [a - b for a, b in worked(PAPER, METHOD).step("written")]
    sheet.law(
        "3.2",
        "equations of the whole course",
        "the same as (2.7) in T**, π*, P**",
        mirrored(left, plain, V),
        "against (2.7) mirrored by s^V, for s = 1 and s = −1",
        "its bracket closes as in (2.7)",
        law_of(False),
    )
    sheet.law(
        "3.3",
        "the same with reactions",
        "the same as (2.8) in T**, π*, P**",
        mirrored(left, plain, V),
        "against (2.8) mirrored by s^V, for s = 1 and s = −1",
        "its bracket closes as in (2.7)",
        law_of(False),
    )


def mirrored(left: list[Any], plain: list[Any], V: dict[str, Any]) -> float:
    worst = 0.0
    for s in (1, -1):
        put = {se.Symbol("s"): s}
        back: dict[Any, Any] = {se.Symbol("lambda[wall]"): 0}
        for i in range(1, 6):
            sign = s if V[f"V_{{p_{{{i}}}}}"] == 1 else 1
            back |= {se.Symbol(f"p{i}"): sign * se.Symbol(f"p{i}*"), se.Symbol(f"p{i}'"): sign * se.Symbol(f"p{i}*'")}
        for i, (a, b) in enumerate(zip(left, plain, strict=True), 1):
            sign = s if V[f"V_{{p_{{{i}}}}}"] == 1 else 1
            worst = max(worst, difference(se.sympify(a).subs(put), sign * se.sympify(b).subs(back)))
    return worst
