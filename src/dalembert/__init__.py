"""Equations of motion of constrained mechanical systems: derived, solved, simulated.

Public names are loaded when they are first used, so that `import dalembert` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    **dict.fromkeys(("Model", "load", "from_sympy"), "dalembert.api.model"),
    **dict.fromkeys(("ModelError", "MathematicsError"), "dalembert.errors"),
    **dict.fromkeys(
        (
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt"),
            *("abs", "sign", "min", "max", "minimum", "maximum", "dot", "cross", "norm", "omega", "vector", "pi", "t"),
            *("clip", "floor", "mod", "choose", "derivative", "gradient"),
        ),
        "dalembert.expressions.functions",
    ),
}
__all__ = ["__version__", "gallery", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "gallery":  # a module that can be called
        return import_module("dalembert.gallery")
    if name not in _HOMES:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
