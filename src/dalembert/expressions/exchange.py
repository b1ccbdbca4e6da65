"""Converts expressions to SymPy's and back, node by node. SymPy never parses a text.

A name becomes a symbol. Inside a derivative it becomes a function of t, so that x' is Derivative(x(t), t). Unit vectors
are symbols (`lean.y`). dot, cross, norm, omega and vector are undefined functions, which SymPy leaves as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.names import PATTERN
from dalembert.expressions.nodes import (
    SCALAR_FUNCTIONS,
    VECTOR_FUNCTIONS,
    Axis,
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    Sum,
    Time,
    Vector,
    expression,
    fold,
)

_TO_SYMPY = {"abs": "Abs", "min": "Min", "max": "Max", "mod": "Mod"}
_LOGIC = {"and": "And", "or": "Or", "not": "Not"}
_COMPARED = {"<": "StrictLessThan", "<=": "LessThan", ">": "StrictGreaterThan", ">=": "GreaterThan"}
_FROM_SYMPY = {sympys: ours for ours, sympys in _TO_SYMPY.items()}
_RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
_IDENTIFIER = re.compile(rf"(?!.*__){PATTERN}")
_AXIS = re.compile(rf"((?!.*__){PATTERN})\.([xyz])")
_PART = re.compile(r"(.*)\.(e[0-3]|[uvw])")  # a coordinate of an attitude, top.e0, or of a place on a surface, bowl.u


def to_sympy(node: Expression, moving: Collection[str] = ()) -> Any:
    """The SymPy expression of a tree; the names in `moving` are functions of t everywhere."""
    import sympy

    t = sympy.Symbol("t")

    def combine(node: Expression, parts: tuple[tuple[Any, Any], ...]) -> tuple[Any, Any]:
        """The node in two forms: outside of derivatives, and inside."""
        if isinstance(node, Name):
            function = sympy.Function(node.name)(t)
            return function if node.name in moving else sympy.Symbol(node.name), function
        if isinstance(node, Prime):
            derivative = sympy.Derivative(parts[0][1], t, evaluate=False)
            return derivative, derivative
        still, moved = (
            (_sympy_node(sympy, t, node, side) for side in zip(*parts, strict=True))
            if parts
            else ((_sympy_node(sympy, t, node, ()),) * 2)
        )
        return still, moved

    return fold(node, combine)[0]


def _sympy_node(sympy: Any, t: Any, node: Expression, parts: tuple[Any, ...]) -> Any:
    match node:
        case Number(value):
            return sympy.Integer(value) if isinstance(value, int) else sympy.Float(value)
        case Pi():
            return sympy.pi
        case Time():
            return t
        case Axis(frame, axis):
            return sympy.Symbol(f"{frame}.{axis}")
        case Negative():
            return -parts[0]
        case Reciprocal():
            return 1 / parts[0]
        case Sum():
            return sympy.Add(*parts)
        case Product():
            return sympy.Mul(*parts)
        case Power():
            return sympy.Pow(*parts)
        case Vector():
            return sympy.Function("vector")(*parts)
        case Inequality(operator):
            return getattr(sympy, _COMPARED[operator])(*parts)
        case Logic(operator):
            return getattr(sympy, _LOGIC[operator])(*parts)
        case Call("if"):
            return sympy.Piecewise((parts[1], parts[0]), (parts[2], True))
        case Call("clip"):
            return sympy.Min(sympy.Max(parts[0], parts[1]), parts[2])
        case Call(function) if function in SCALAR_FUNCTIONS:
            return getattr(sympy, _TO_SYMPY.get(function, function))(*parts)
        case Call(function):
            return sympy.Function(function)(*parts)
    raise TypeError(f"{type(node).__name__} is not a node of the model language")


def from_sympy(expr: Any) -> Expression:
    """The tree of a SymPy expression. Functions that the model language lacks are refused with a sentence."""
    import sympy

    if not isinstance(expr, sympy.Basic) and hasattr(expr, "_sympy_"):
        expr = expr._sympy_()
    if getattr(expr, "is_Matrix", False) and len(expr) == 3:
        return Vector(*(from_sympy(entry) for entry in expr))
    if not isinstance(expr, sympy.Basic):
        raise ModelError("{name} was met, which the model language does not have", name=type(expr).__name__)
    if expr.is_number and not expr.args:
        return _number(sympy, expr)
    if isinstance(expr, sympy.Symbol):
        return _symbol(str(expr.name))
    return _compound(sympy, expr)


def _number(sympy: Any, expr: Any) -> Expression:
    if expr is sympy.pi:
        return Pi()
    if expr is sympy.E:
        return Call("exp", (Number(1),))
    if isinstance(expr, sympy.Integer):
        return expression(int(expr))
    if isinstance(expr, sympy.Rational):
        quotient = Product((Number(abs(int(expr.p))), Reciprocal(Number(int(expr.q)))))
        return Negative(quotient) if expr.p < 0 else quotient
    value = float(expr) if expr.is_real else math.nan
    if not math.isfinite(value):
        raise ModelError("{expr} was met in an expression of SymPy's, and finite real numbers are expected", expr=expr)
    return expression(value)


def _symbol(name: str) -> Expression:
    if name == "t":
        return Time()
    if name == "pi":
        return Pi()
    if axis := _AXIS.fullmatch(name):
        return Axis(axis[1], axis[2])
    part = _PART.fullmatch(name)
    if not _IDENTIFIER.fullmatch(part[1] if part else name):
        raise ModelError("the symbol {name!a} was met; names are of letters, digits and _, without '__'", name=name)
    return Name(name)


def _compound(sympy: Any, expr: Any) -> Expression:
    if isinstance(expr, sympy.Add):
        return Sum(tuple(from_sympy(term) for term in expr.as_ordered_terms()))
    if isinstance(expr, sympy.Mul):
        return _product(sympy, expr)
    if isinstance(expr, (sympy.Pow, sympy.exp)):
        return _power(sympy, expr)
    if isinstance(expr, sympy.Derivative):
        return _derivative(expr)
    if isinstance(expr, sympy.core.function.AppliedUndef):
        return _undefined(expr)
    if isinstance(expr, (sympy.Piecewise, sympy.logic.boolalg.Boolean)):
        return _conditional(sympy, expr)
    name = type(expr).__name__
    ours = _RECIPROCALS.get(name) or _FROM_SYMPY.get(name, name)
    if ours not in SCALAR_FUNCTIONS:
        raise ModelError(
            "{name} was met in an expression of SymPy's, which the model language does not have", name=name
        )
    call = Call(ours, tuple(from_sympy(argument) for argument in expr.args))
    return Product((Number(1), Reciprocal(call))) if name in _RECIPROCALS else call


def _conditional(sympy: Any, expr: Any) -> Expression:
    """Piecewise as nested ifs, and the conditions in it."""
    if isinstance(expr, sympy.Piecewise):
        if expr.args[-1][1] != True:  # noqa: E712 - SymPy's own truth
            raise ModelError("{expr} was met; its last piece has to hold otherwise, with the condition True", expr=expr)
        result = from_sympy(expr.args[-1][0])
        for value, condition in reversed(expr.args[:-1]):
            result = Call("if", (from_sympy(condition), from_sympy(value), result))
        return result
    name = type(expr).__name__
    for ours, sympys in _LOGIC.items():
        if name == sympys:
            return Logic(ours, tuple(from_sympy(part) for part in expr.args))
    for operator, sympys in _COMPARED.items():
        if name == sympys:
            return Inequality(operator, *(from_sympy(side) for side in expr.args))
    plain = expr.to_nnf() if isinstance(expr, sympy.logic.boolalg.BooleanFunction) else expr  # ITE, Implies, Xor …
    if plain != expr:
        return from_sympy(plain)
    raise ModelError("{expr} was met, and a condition of <, <=, >, >=, and, or, not is expected", expr=expr)


def _product(sympy: Any, expr: Any) -> Expression:
    coefficient, factors = expr.as_coeff_mul()
    if coefficient.is_negative:
        return Negative(from_sympy(-expr))
    above: list[Expression] = []
    below: list[Expression] = []
    if isinstance(coefficient, sympy.Rational):
        above += [Number(int(coefficient.p))] if coefficient.p != 1 else []
        below += [Number(int(coefficient.q))] if coefficient.q != 1 else []
    else:
        above.append(_number(sympy, coefficient))
    for factor in factors:
        base, exponent = factor.as_base_exp()
        if exponent.is_number and exponent.is_negative:
            below.append(from_sympy(sympy.Pow(base, -exponent)))
        else:
            above.append(from_sympy(factor))
    parts = [*(above or [Number(1)]), *map(Reciprocal, below)]
    return parts[0] if len(parts) == 1 else Product(tuple(parts))


def _power(sympy: Any, expr: Any) -> Expression:
    if isinstance(expr, sympy.exp):
        return Call("exp", (from_sympy(expr.args[0]),))
    base, exponent = expr.args
    if base is sympy.E:
        return Call("exp", (from_sympy(exponent),))
    if exponent.is_number and exponent.is_negative:
        return Product((Number(1), Reciprocal(from_sympy(sympy.Pow(base, -exponent)))))
    if exponent == sympy.Rational(1, 2):
        return Call("sqrt", (from_sympy(base),))
    return Power(from_sympy(base), from_sympy(exponent))


def _derivative(expr: Any) -> Expression:
    variables = expr.variables
    if any(str(variable) != "t" for variable in variables):
        raise ModelError("{expr} was met; only derivatives with respect to t stand in a model", expr=expr)
    if len(variables) > 1:
        raise ModelError(
            "{expr} was met; accelerations are what is solved for, so they cannot stand in a model", expr=expr
        )
    return Prime(from_sympy(expr.expr))


def _undefined(expr: Any) -> Expression:
    name = str(expr.func.__name__)
    if name == "vector" and len(expr.args) == 3:
        return Vector(*(from_sympy(entry) for entry in expr.args))
    if name == "omega" and len(expr.args) == 1:
        return Call(name, (from_sympy(expr.args[0]),))
    if name in VECTOR_FUNCTIONS:
        return Call(name, tuple(from_sympy(argument) for argument in expr.args))
    if len(expr.args) == 1 and str(expr.args[0]) == "t":
        return _symbol(name)
    raise ModelError("{expr} was met; a coordinate is a function of t alone", expr=expr)
