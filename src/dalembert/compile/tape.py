"""Expressions as a tape: the operations of a SymEngine graph in order, each once, evaluated with NumPy.

The tape is the check of the machine code and stands in for it where there is no LLVM; it also keeps every
intermediate value, which is what finds the operation that left its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any, NamedTuple

import numpy as np

from dalembert.errors import MathematicsError

Values = list[Any]

UNARY: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "log": np.log,
    "exp": np.exp,
    "Abs": np.abs,
    "sign": np.sign,
    "Not": np.logical_not,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}
BINARY: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "StrictLessThan": np.less,
    "LessThan": np.less_equal,
    "Equality": np.equal,
    "Unequality": np.not_equal,
}
MANY: dict[str, Callable[..., Any]] = {
    "Add": add,  # of two numbers ten times as fast as NumPy's
    "Mul": mul,
    "Max": np.maximum,
    "Min": np.minimum,
    "And": np.logical_and,
    "Or": np.logical_or,
}
NUMBERS = frozenset({"Integer", "Rational", "RealDouble", "RealMPFR", "Constant", "Infinity", "NegativeInfinity"})


class Operation(NamedTuple):
    """`kind` is the class name of the node; `arguments` are places on the tape, of an input its index."""

    kind: str
    arguments: tuple[int, ...]
    value: Any  # of a constant
    expression: Any


@dataclass(frozen=True, slots=True)
class Tape:
    operations: tuple[Operation, ...]
    outputs: tuple[int, ...]
    inputs: int

    def values(self, x: np.ndarray) -> Values:
        """The value of every operation; `x` has the inputs along its first axis."""
        found: Values = []
        with np.errstate(all="ignore"):
            for operation in self.operations:
                found.append(_value(operation, found, x))
        return found


def tape(inputs: Sequence[Any], outputs: Iterable[Any]) -> Tape:
    """The graph of `outputs` in post-order; equal sub-expressions are one operation."""
    import symengine

    operations: list[Operation] = []
    place: dict[Any, int] = {}
    for index, symbol in enumerate(inputs):
        place[symbol] = len(operations)
        operations.append(Operation("input", (index,), None, symbol))
    roots = [symengine.sympify(e) for e in outputs]
    for root in roots:
        stack: list[tuple[Any, Any]] = [(root, None)]
        while stack:
            node, arguments = stack.pop()
            if node in place:
                continue
            if arguments is None:
                arguments = node.args
                missing = [a for a in arguments if a not in place]
                if missing:
                    stack.append((node, arguments))
                    stack.extend((a, None) for a in reversed(missing))
                    continue
            place[node] = len(operations)
            operations.append(_operation(node, tuple(place[a] for a in arguments)))
    return Tape(tuple(operations), tuple(place[r] for r in roots), len(inputs))


def _operation(node: Any, arguments: tuple[int, ...]) -> Operation:
    kind = type(node).__name__
    if kind in {"BooleanTrue", "BooleanFalse"}:
        return Operation("number", (), kind == "BooleanTrue", node)
    if kind in UNARY or kind in BINARY or kind in MANY or kind in {"Pow", "Piecewise"}:
        return Operation(kind, arguments, None, node)
    if kind in NUMBERS or (not arguments and node.is_number):
        return Operation("number", (), _number(node), node)
    if not arguments:
        raise MathematicsError(f"{written(node)} stands in an expression but is no quantity of the model")
    raise MathematicsError(f"{written(node)} has no value: it is a function or derivative that cannot be evaluated")


def _number(node: Any) -> float:
    try:
        value = float(node)
    except (TypeError, RuntimeError, ValueError):
        value = float("nan")
    if value != value:
        what = {"zoo": "a division by zero", "nan": "an undefined form such as 0/0"}.get(str(node), "not a real number")
        raise MathematicsError(f"a constant part of an expression is {what} ({written(node)}); every part must be real")
    return value


def _value(operation: Operation, found: Values, x: np.ndarray) -> Any:
    kind = operation.kind
    if kind == "input":
        return x[operation.arguments[0]]
    if kind == "number":
        return operation.value
    arguments = [found[i] for i in operation.arguments]
    if kind in MANY:
        return reduce(MANY[kind], arguments)
    if kind in UNARY:
        return UNARY[kind](arguments[0])
    if kind in BINARY:
        return BINARY[kind](*arguments)
    if kind == "Pow":
        return power(*arguments)
    return _piecewise(arguments)


def power(base: Any, exponent: Any) -> Any:
    """base^exponent, with the exponents that have a faster and exact operation of their own."""
    if isinstance(exponent, float):
        if exponent == -1.0:
            return np.divide(1.0, base)
        if exponent == 2.0:
            return base * base
        if exponent == 0.5:
            return np.sqrt(base)
        if exponent == -0.5:
            return np.divide(1.0, np.sqrt(base))
    return np.power(base, exponent, dtype=float)


def _piecewise(arguments: list[Any]) -> Any:
    result: Any = np.nan
    for value, condition in reversed(list(zip(arguments[::2], arguments[1::2], strict=True))):
        result = np.where(condition, value, result)
    return result


def written(expression: Any, longest: int = 120) -> str:
    """An expression in the notation of model files, cut where it is long."""
    text = str(expression).replace("**", "^")
    return text if len(text) <= longest else text[: longest - 1] + "…"
