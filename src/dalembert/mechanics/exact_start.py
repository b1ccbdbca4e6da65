"""The initial state in exact numbers: sin(π/6) is one half, and 0.4 is two fifths."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.errors import MathematicsError
from dalembert.expressions.nodes import Negative, Number
from dalembert.language import tr
from dalembert.mechanics.algebra import Scalar, exact
from dalembert.mechanics.system import System

FUNCTIONS = (se.sin, se.cos, se.tan, se.asin, se.acos, se.atan, se.sinh, se.cosh, se.tanh, se.log)


def exact_start(system: System) -> dict[Scalar, Scalar]:
    """Exact values at the start of time, coordinates, speeds, and parameters that are expressions.

    The system is a readable one: its parameters are letters.
    """
    record = system.model
    known: dict[Scalar, Scalar] = {}
    for name, parameter in record.parameters.items():
        if not isinstance(parameter.value, Number | Negative):
            known[se.Symbol(name)] = system.lowering.scalar(parameter.value).subs(known)
    at = {system.motion.t: se.sympify(exact(float(record.simulation.start))), **known}
    missing = []
    for name, coordinate in record.coordinates.items():
        at[se.Symbol(name)] = system.lowering.scalar(coordinate.initial).subs(known)
        if coordinate.speed is None:
            missing.append(se.Symbol(f"{name}'"))
        else:
            at[se.Symbol(f"{name}'")] = system.lowering.scalar(coordinate.speed).subs(known)
    return at | _missing_speeds(system, at, missing)


def _missing_speeds(system: System, at: dict[Scalar, Scalar], missing: list[Scalar]) -> dict[Scalar, Scalar]:
    """The speeds that the model does not give, from constraints that are linear in them: the smallest that satisfy
    them.
    """
    import sympy

    zero = dict.fromkeys(missing, se.Integer(0))
    rests = [sympy.simplify(sympy.sympify(psi.subs(at).subs(zero))) for psi in system.constraints.psi]
    if all(rest == 0 for rest in rests):
        return zero
    slopes = sympy.Matrix([[sympy.sympify(psi.diff(v).subs(at)) for v in missing] for psi in system.constraints.psi])
    if slopes.free_symbols & set(map(sympy.sympify, missing)):
        raise MathematicsError(
            tr("a constraint is nonlinear in a speed that is left out; give that speed for exact values")
        )
    found = slopes.pinv() * -sympy.Matrix(rests)
    return {v: se.sympify(sympy.simplify(found[i])) for i, v in enumerate(missing)}


def inexact(e: Scalar) -> list[Any]:
    """Functions of numbers in an expression, such as sin(2/5), which have no exact value."""
    return [f for f in sorted(e.atoms(*FUNCTIONS), key=str) if not f.free_symbols]
