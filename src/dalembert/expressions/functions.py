"""The functions of the model language for models that are built in Python: `da.cos(theta)` is a tree, not a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.expressions.nodes import Call, Expression, Pi, Time, Vector, expression


def _function(name: str) -> Callable[..., Expression]:
    def function(*arguments: Any) -> Expression:
        return Call(name, tuple(expression(argument) for argument in arguments))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of the model language."
    return function


sin = _function("sin")
cos = _function("cos")
tan = _function("tan")
asin = _function("asin")
acos = _function("acos")
atan = _function("atan")
atan2 = _function("atan2")
sinh = _function("sinh")
cosh = _function("cosh")
tanh = _function("tanh")
exp = _function("exp")
log = _function("log")
sqrt = _function("sqrt")
absolute = _function("abs")
sign = _function("sign")
minimum = _function("min")
maximum = _function("max")
clip = _function("clip")
floor = _function("floor")
mod = _function("mod")
choose = _function("if")
derivative = _function("d")
gradient = _function("gradient")
table = _function("table")
abs, min, max = absolute, minimum, maximum  # as in a model file; the long names do not hide Python's own
dot = _function("dot")
cross = _function("cross")
norm = _function("norm")
omega = _function("omega")
pi = Pi()
t = Time()


def vector(x: Any, y: Any, z: Any) -> Vector:
    """Three components along the inertial axes."""
    return Vector(expression(x), expression(y), expression(z))
