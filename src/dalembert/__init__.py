"""Equations of motion of constrained mechanical systems: derived, solved, simulated.

Public names are loaded when they are first used, so `import dalembert` is fast. Editors and type checkers read them in
`__init__.pyi`, and a test checks that this file agrees with `_HOMES`.

The package logs under the name `dalembert`: `logging.getLogger("dalembert").setLevel("INFO")` reports what was derived,
compiled and followed, and how long it took.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

__version__ = "0.2.0"

_HOMES = {  # module: its public names
    "dalembert.api.again": ("again",),
    "dalembert.api.examine": ("Constraint", "Examination"),
    "dalembert.api.model": ("Model", "from_sympy", "gallery", "load"),
    "dalembert.api.prepare": ("PreparedModel",),
    "dalembert.api.sensitivity": ("Differentiated",),
    "dalembert.errors": ("DalembertError", "Fault", "MathematicsError", "ModelError"),
    "dalembert.expressions.functions": (
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt"),
        *("abs", "sign", "min", "max", "minimum", "maximum", "dot", "cross", "norm", "omega", "vector", "pi", "t"),
        *("clip", "floor", "mod", "choose", "derivative", "gradient", "table"),
    ),
    "dalembert.expressions.nodes": ("Expression",),
    "dalembert.report.derivation": ("Derivation",),
    "dalembert.report.sympy_objects": ("SympyEquations",),
    "dalembert.results.analysis": ("Analysis",),
    "dalembert.results.audit": ("Audit", "Parting"),
    "dalembert.results.comparison": ("Answer", "Comparison"),
    "dalembert.results.connection": ("Connection",),
    "dalembert.results.conserved": ("Check", "Conserved", "ConservedQuantity"),
    "dalembert.results.constraints": ("Constraints",),
    "dalembert.results.control": ("Control", "Regulator", "Transfer"),
    "dalembert.results.events": ("Event",),
    "dalembert.results.free": ("Effort", "Free"),
    "dalembert.results.linearization": ("Linearization", "Mode"),
    "dalembert.results.locus": ("Locus", "Member", "Turn"),
    "dalembert.results.models": ("Models",),
    "dalembert.results.motion": ("Diagnostics", "Motion"),
    "dalembert.results.origin": ("Origin",),
    "dalembert.results.plots.overlay": ("plot",),
    "dalembert.results.sensitivity": ("EventDerivative", "Sensitivities"),
    "dalembert.results.stability": ("Stability",),
    "dalembert.results.state": ("State",),
    "dalembert.view.animation": ("Animation",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = ["__version__", *_HOME]

logging.getLogger("dalembert").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
