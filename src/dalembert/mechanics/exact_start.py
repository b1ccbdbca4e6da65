"""The initial state in exact numbers: sin(π/6) is one half, and 0.4 is two fifths."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.errors import MathematicsError
from dalembert.expressions.nodes import Negative, Number
from dalembert.language import tr
from dalembert.mechanics.algebra import Scalar, exact
from dalembert.mechanics.system import System

LONGEST = 600  # operations of equations that are solved exactly
FUNCTIONS = (se.sin, se.cos, se.tan, se.asin, se.acos, se.atan, se.sinh, se.cosh, se.tanh, se.log)


def exact_start(system: System) -> dict[Scalar, Scalar]:
    """Exact values at the start of time, coordinates, speeds, and parameters that are expressions.

    The system is a readable one: its parameters are letters.
    """
    return with_all_speeds(system, stated_start(system))


def stated_start(system: System) -> dict[Scalar, Scalar]:
    """Those that the model gives: some speeds may be missing."""
    record = system.model
    known: dict[Scalar, Scalar] = {}
    for name, parameter in record.parameters.items():
        if not isinstance(parameter.value, Number | Negative):
            known[se.Symbol(name)] = system.lowering.scalar(parameter.value).subs(known)
    at = {system.motion.t: se.sympify(exact(float(record.simulation.start))), **known}
    for name, coordinate in record.coordinates.items():
        at[se.Symbol(name)] = system.lowering.scalar(coordinate.initial).subs(known)
        if coordinate.speed is not None:
            at[se.Symbol(f"{name}'")] = system.lowering.scalar(coordinate.speed).subs(known)
    return at


def with_all_speeds(system: System, at: dict[Scalar, Scalar]) -> dict[Scalar, Scalar]:
    """The same with the speeds that the model does not give, from constraints that are linear in them: the smallest
    that satisfy them.
    """
    import sympy

    missing = [v for v in system.motion.v if v not in at]
    zero = dict.fromkeys(missing, se.Integer(0))
    rests = [sympy.simplify(sympy.sympify(psi.subs(at).subs(zero))) for psi in system.constraints.psi]
    if all(rest == 0 for rest in rests):
        return at | zero
    slopes = sympy.Matrix([[sympy.sympify(psi.diff(v).subs(at)) for v in missing] for psi in system.constraints.psi])
    require_short(sympy.count_ops(slopes))
    if slopes.free_symbols & set(map(sympy.sympify, missing)):
        raise MathematicsError(
            tr("a constraint is nonlinear in a speed that is left out; give that speed for exact values")
        )
    found = slopes.pinv() * -sympy.Matrix(rests)
    return at | {v: se.sympify(sympy.simplify(found[i])) for i, v in enumerate(missing)}


def require_short(operations: int) -> None:
    """Refuse equations that would take too long."""
    if operations > LONGEST:
        raise MathematicsError(tr("the equations are too long at this state for exact values; leave out --exact"))


def inexact(e: Scalar) -> list[Any]:
    """Functions of numbers in an expression, such as sin(2/5), which have no exact value."""
    return [f for f in sorted(e.atoms(*FUNCTIONS), key=str) if not f.free_symbols]
