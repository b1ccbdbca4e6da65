# ruff: noqa: E501
"""(4.1)–(4.5): Chaplygin and Carathéodory's sleigh that burns a point mass."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.mechanics.algebra import dot
from dalembert.papers.sheet import PAIRS, Sheet, difference
from dalembert.papers.worked import Worked


def sleigh(sheet: Sheet, w: Worked) -> None:
    def named(e: Any) -> Any:
        return se.sympify(e).subs({se.Symbol("m[fuel]"): se.Symbol("m"), se.Symbol("m[fuel]'"): se.Symbol("m'")})

    accelerations = dict(w.step("Dependent accelerations"))
    sheet.same(
        "4.1",
        "constraint of the accelerations",
        "y_dd = x_dd*tan(theta) + x_d*theta_d/cos(theta)**2",
        list(accelerations.values()),
    )
    L = {name: named(w[f"L_{{{name}}}"]) for name in ("x", "y")} | {"theta": named(w["L_{\\theta}"])}
    K = {name: named(w[f"K^R_{{{name}}}"]) for name in ("x", "y")} | {"theta": named(w["K^R_{\\theta}"])}
    put = dict(w.reduced.accelerations) | dict(w.reduced.written)
    shown = [named(e) for _, e in w.step("Equations of motion")]
    first = (L["x"] + L["y"] * se.tan(se.Symbol("theta")) - K["x"] - K["y"] * se.tan(se.Symbol("theta"))).subs(put)
    sheet.law(
        "4.2",
        "first equation",
        "D/Dt ∂T/∂ẋ − ∂T/∂x + (D/Dt ∂T/∂ẏ − ∂T/∂y) C₃₁ = K̃₁ + K₁^R",
        difference(first, shown[0]),
        "C₃₁ = tg θ, at random places",
    )
    second = (L["theta"] - K["theta"]).subs(put)
    sheet.law(
        "4.3",
        "second equation",
        "D/Dt ∂T/∂θ̇ − ∂T/∂θ + (…) C₃₂ = K̃₂ + K₂^R",
        difference(second, shown[1]),
        "C₃₂ = 0, at random places",
    )
    four = "(M + m)*(x_dd + x_d*theta_d*tan(theta))/cos(theta)**2 - theta_d**2/cos(theta)*(M*a + m*b) - m_d*u*cos(alpha)/cos(theta); 0"
    sheet.same("4.4", "equation of x", four, [shown[0], 0], entries=PAIRS)
    five = "(J + M*a**2 + m*b**2)*theta_dd + x_d*theta_d/cos(theta)*(M*a + m*b) - m_d*u*b*sin(alpha); 0"
    sheet.same("4.5", "equation of θ", five, [shown[1], 0], entries=PAIRS)
    momentum = w.system.motion.gradient(w.system.kinetic, w.system.motion.v)[2]
    whole = named_mass(along_frozen(w, momentum).subs(put), w)
    sheet.same(
        "before 4.5",
        "D/Dt ∂T/∂θ̇ written out",
        written("a**2", "cos(theta)", "-"),
        whole,
        written("a", "sin(theta)", "+"),
    )


def written(length: str, turn: str, sign: str) -> str:
    """D/Dt ∂T/∂θ̇ before (4.5), with the three parts in which print and right form differ."""
    sc, square = "sin(theta)*cos(theta)", "theta_d**2"
    body = (
        f"-x_dd*a*sin(theta) + a**2*theta_dd*sin(theta)**2 + a**2*{square}*{sc} + x_dd*a*sin(theta) "
        f"+ a*x_d*theta_d/cos(theta) + a**2*theta_dd*cos(theta)**2 - a**2*{square}*{sc} "
        f"- x_d*theta_d*{length}*sin(theta)*tan(theta) - a**2*{square}*{sc} + a**2*{square}*{sc} "
        f"- x_d*a*theta_d*cos(theta)"
    )
    point = (
        f"-x_dd*b*{turn} + b**2*theta_dd*sin(theta)**2 {sign} b**2*{square}*{sc} - b*x_d*theta_d*cos(theta) "
        f"+ b*x_dd*sin(theta) + b**2*{square}*{sc} + b**2*theta_dd*cos(theta)**2 - b**2*{square}*{sc} "
        f"- b*x_d*theta_d*sin(theta)*tan(theta) - b**2*{square}*{sc} + b*x_d*theta_d/cos(theta)"
    )
    return f"M*({body}) + J*theta_dd + m*({point})"


def named_mass(e: Any, w: Worked) -> Any:
    return (
        se.sympify(e)
        .subs({w.system.bodies["fuel"].mass: se.Symbol("m")})
        .subs({se.Symbol("m0"): se.Symbol("m"), se.Symbol("k"): 0})
    )


def along_frozen(w: Worked, momentum: Any) -> Any:
    motion = w.system.motion
    return dot(motion.gradient(momentum, motion.v), motion.a) + dot(motion.gradient(momentum, motion.q), motion.v)
