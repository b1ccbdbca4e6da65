"""Models for the papers' lines: their derivations by name, and a state with its accelerations in numbers."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import symengine as se

from dalembert import collection
from dalembert.api.instant import solve
from dalembert.equations import Equations
from dalembert.formalisms import derive
from dalembert.language import english
from dalembert.mechanics.elimination import Reduction, reduction
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.model.record import ModelRecord
from dalembert.papers.sheet import number

Scalar = Any
GENERAL = """
title = "Two particles, a constraint and positions that depend on time"
[parameters]
m1 = 1.3
m2 = 0.7
[coordinates]
x = { initial = 0.4, speed = 0.3 }
y = 0.2
z = { initial = 0.1, speed = 0.5 }
[bodies.one]
mass = "m1"
position = ["x + t*z", "y*cos(z)", "t*sin(x)"]
[bodies.two]
mass = "m2"
position = ["x*y", "z", "t^2*y"]
[forces.pull]
body = "one"
force = ["-x", "t", "y'"]
[constraints]
link = "y' = (t + z)*x' + x*z' + sin(t)"
[simulation]
start = 0.3
"""


class Worked:
    """One model by one method."""

    def __init__(self, record: ModelRecord, method: str, **options: Any):
        self.record, self.method = record, method
        self.equations: Equations = derive(record, method, **options)
        self.system = System(record, readable=True)

    @cached_property
    def results(self) -> dict[str, Any]:
        """Left sides and values of every step. Of equal left sides, the first counts."""
        found: dict[str, Any] = {}
        for step in self.equations.steps:
            for left, value in step.results:
                if isinstance(left, str):
                    found.setdefault(left, value)
        return found

    def step(self, name: str) -> list[tuple[Any, Any]]:
        """The results of the step with that title or key."""
        return next(list(s.results) for s in self.equations.steps if name in (english(s.title), s.key))

    def __getitem__(self, left: str) -> Any:
        return self.results[left]

    @cached_property
    def reduced(self) -> Reduction:
        found = reduction(self.system, lambda e: e)
        assert found is not None
        return found

    @cached_property
    def state(self) -> dict[Scalar, float]:
        """Coordinates, speeds, accelerations and multipliers at the start, solved by Lagrange's multipliers."""
        at = solve(self.record, "chetaev")
        known = {**self.system.parameters, self.system.motion.t: at.time}
        for name in self.system.motion.names:
            known[se.Symbol(name)] = at.coordinates[name]
            known[se.Symbol(f"{name}'")] = at.speeds[name]
            known[se.Symbol(f"{name}''")] = at.accelerations[name]
        return known | {se.Symbol(f"lambda[{name}]"): value for name, value in at.multipliers.items()}

    def value(self, e: Scalar) -> float:
        return number(se.sympify(e).subs(self.state))

    def largest(self, expressions: Any) -> float:
        """The largest value at the state of expressions that should vanish there."""
        return max((abs(self.value(e)) for e in expressions), default=0.0)


@cache
def worked(name: str, method: str, **settings: Any) -> Worked:
    record = read(collection.path(name))
    return Worked(with_settings(record, settings) if settings else record, method)


@cache
def general(method: str = "partial-acceleration") -> Worked:
    return Worked(read_text(GENERAL), method)


def of_text(text: str, method: str) -> Worked:
    return Worked(read_text(text), method)
