"""Two particles that lose mass, with a nonlinear or a linear constraint, on which the general laws are tried."""

from __future__ import annotations

from typing import Any

from dalembert.formalisms.display import Display
from dalembert.language import mark
from dalembert.mechanics.algebra import dot
from dalembert.mechanics.quasi import Inverted, inverted, quasi_velocities
from dalembert.papers.sheet import difference
from dalembert.papers.worked import Worked

COMMON = """
[parameters]
c = 0.2
[coordinates]
x = { initial = 0.4, speed = 0.3 }
y = { initial = 0.2, speed = 0.6 }
z = 0.1
[quasi_velocities]
w1 = "x' + y*z'"
w2 = "y' - t*x'"
[forces.pull]
body = "one"
force = ["-x", "t", "y'"]
[simulation]
start = 0.3
"""
LINK = "z' = (t + y)*x' + x*y' + sin(t)"
BURNING = f"""
title = "Two particles that lose mass, their rates depending on everything"
{COMMON}
[bodies.one]
mass = "2 - c*t + 0.1*x*y' + 0.05*z'^2"
position = ["x + t*z", "y*cos(z)", "t*x"]
ejection = ["1 + x", "y", "-2"]
[bodies.two]
mass = "1 + 0.1*sin(y) + 0.2*x'"
position = ["x*y", "z", "t*y"]
ejection = ["0.5", "-x", "z"]
[constraints]
"""
NONLINEAR = f"""{BURNING}link = "z' = 0.3*x'^2 + y*y' + t"\n""".replace(
    "z = 0.1\n", 'z = { initial = 0.1, speed = "0.3*0.09 + 0.12 + 0.3" }\n'
)
LINEAR = f'{BURNING}link = "{LINK}"\n'
FIXED = f"""
title = "A particle whose T holds no coordinates"
{COMMON}
[bodies.one]
mass = "2 - c*t"
position = ["x", "y", "z"]
ejection = ["1 + x", "y", "-2"]
[constraints]
link = "{LINK}"
"""
OVER = mark("for two particles of mass m(q, q̇, t)")


def turned_of(w: Worked) -> tuple[Any, Inverted]:
    chosen, _ = quasi_velocities(w.system)
    turned = inverted(w.system, chosen, Display(0))
    assert turned is not None
    return chosen, turned


def free(w: Worked) -> list[Any]:
    """Columns of k for the free W."""
    chosen, turned = turned_of(w)
    return list(zip(*turned.k, strict=True))[: len(chosen.names) - chosen.held]


def rests(w: Worked) -> list[Any]:
    chosen, _ = turned_of(w)
    return [v.subs(dict.fromkeys(w.system.motion.v, 0)) for v in chosen.values]


def along(motion: Any, e: Any) -> Any:
    return motion.derivative(e) + dot(motion.gradient(e, motion.v), motion.a)


def at(w: Worked, one: Any, two: Any) -> float:
    """The largest difference at the state."""
    return max(abs(w.value(a) - w.value(b)) for a, b in zip(one, two, strict=True))


def worst(one: Any, two: Any) -> float:
    return max(difference(a, b) for a, b in zip(one, two, strict=True))
