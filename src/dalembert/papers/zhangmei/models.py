"""The ball of the gallery under its three names: its derivations, motions, numbers and impacts."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any

import symengine as se

from dalembert import collection
from dalembert.api.describe import described
from dalembert.api.motion import simulate
from dalembert.mechanics.algebra import total
from dalembert.model.change import with_settings
from dalembert.model.read import read
from dalembert.papers.worked import Worked, worked

METHOD = "boltzmann-hamel"
BALL, PAPER, EULER = "zhang-mei-ball", "zhang-mei-ball-paper", "zhang-mei-ball-euler"


@cache
def course() -> Worked:
    return Worked(described(read(collection.path(PAPER)), "whole-course"), METHOD)


@cache
def motion(name: str, until: float, f: float = 0.15) -> Any:
    record = with_settings(read(collection.path(name)), {"f": f})
    return simulate(record, until=until, samples=201, tolerance=1e-12)


def numbers(name: str) -> tuple[float, ...]:
    """a², f, cos α, cos β, cos γ of a model of the gallery."""
    known = {str(symbol): value for symbol, value in worked(name, METHOD).system.parameters.items()}
    return tuple(known[key] for key in ("a2", "f", "cos_alpha", "cos_beta", "cos_gamma"))


def left_for_slip(name: str) -> float:
    """S of (4.18)."""
    a2, f, _, cos_beta, cos_gamma = numbers(name)
    return sqrt((f * cos_gamma) ** 2 - (a2 / (1 + a2) * cos_beta) ** 2)


def w_value(name: str) -> Any:
    return worked(PAPER, METHOD).system.quasi_velocities[name]


def renamed(e: Any) -> Any:
    """An expression with R_x and R_y for the forces of the incline. The wall acts only in the impact."""
    forces = {se.Symbol("friction[incline, 1]"): se.Symbol("Rx"), se.Symbol("friction[incline, 2]"): se.Symbol("Ry")}
    starred = {se.Symbol(f"p{i}*{prime}"): se.Symbol(f"p{i}s{prime}") for i in range(1, 6) for prime in ("", "'")}
    return se.sympify(e).subs(forces | starred | {se.Symbol("lambda[wall]"): 0})


STARS = {f"p{i}s": f"pi{i}*" for i in range(1, 6)}  # letters of the whole course


def jump(name: str) -> dict[str, Any]:
    return dict(worked(name, METHOD).step("jump"))


def changed(name: str, e: Any) -> Any:
    """The change of a linear quantity of the speeds in an impact."""
    w = worked(name, METHOD)
    found = jump(name)
    motion_ = w.system.motion
    changes = {label: value for label, value in found.items() if "^{+}-" in label}
    by_speed = {}
    from dalembert.formalisms.display import label as latex

    for n in motion_.names:
        by_speed[n] = changes.get(f"{latex(n, 1)}^{{+}}-{latex(n, 1)}^{{-}}", se.Integer(0))
    return total(e.diff(v) * by_speed[n] for n, v in zip(motion_.names, motion_.v, strict=True))
