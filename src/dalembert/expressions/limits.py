"""Limits of an expression: it may not be too deep, and its constants must be finite numbers.

One pass goes from the leaves to the root. It keeps its own stacks, so that deep nesting cannot exhaust Python's stack.
It computes in floats only, so that no huge integer is ever formed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import (
    FUNCTIONS,
    SCALAR_FUNCTIONS,
    Call,
    Expression,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Product,
    Reciprocal,
    Results,
    Sum,
    fold,
)
from dalembert.expressions.numeric import applied, power
from dalembert.language import tr

LONGEST = 100_000  # characters
LONGEST_SHARED = 1_000_000  # of a text whose equal parts are one
LEVELS = 200  # nested brackets, functions, signs, powers and primes
DEPTH = 2 * LEVELS  # depth of the tree, in which sums and products are nodes too
LARGEST_EXPONENT = 1000

NOWHERE: Mapping[int, int] = MappingProxyType({})  # the column of a node, by its id


def fault(message: str, column: int | None) -> ModelError:
    return ModelError([Fault("", "", column, message)])


Size = tuple[int, int, float | None]  # levels, depth, and the value of a purely numeric node
NAMED: Size = (0, 0, None)
FLAT = frozenset((Sum, Product, Reciprocal))  # kinds that do not count as a level


def examine(root: Expression, columns: Mapping[int, int] = NOWHERE, known: Results[Size] | None = None) -> Expression:
    """Return `root` if it is within the limits. Otherwise raise a ModelError with the column."""
    try:
        fold(root, _size, known)
    except _Exceeded as exceeded:
        raise fault(exceeded.message, columns.get(id(exceeded.node))) from None
    return root


def constant(root: Expression) -> float | None:
    """The value of a purely numeric expression, None for any other."""
    sizes = Results[Size]()
    return sizes[id(examine(root, known=sizes))][2]


class _Exceeded(Exception):
    """A node beyond a limit."""

    def __init__(self, node: Expression, message: str) -> None:
        self.node = node
        self.message = message


def _size(node: Expression, children: tuple[Size, ...]) -> Size:
    kind = type(node)
    if kind is Name:
        return NAMED
    depth = levels = 0
    values: list[float] | None = []
    for place, (own, below, value) in enumerate(children):
        if kind is Sum and type(node.children[place]) is Negative:  # the minus of a - b is no level
            own -= 1
        levels = own if own > levels else levels
        depth = below + 1 if below >= depth else depth
        if value is None:
            values = None
        elif values is not None:
            values.append(value)
    if children and kind not in FLAT:
        levels += 1
    if levels > LEVELS or depth > DEPTH:
        met, most = (levels, LEVELS) if levels > LEVELS else (depth, DEPTH)
        raise _Exceeded(
            node,
            tr(
                "the expression is nested {met} levels deep, {most} are allowed; name parts of it apart",
                met=met,
                most=most,
            ),
        )
    if kind is Power:
        _judge_exponent(node, children[1][2])
    elif kind is Call:
        _judge_call(node)  # type: ignore[arg-type]
    return levels, depth, None if values is None else _constant(node, values)


def _constant(node: Expression, arguments: list[float]) -> float | None:
    """The value of a node whose arguments are all numbers, None if it is not a number."""
    try:
        value = _value(node, arguments)
    except (OverflowError, ValueError, ZeroDivisionError):
        value = math.nan
    if value is None or math.isfinite(value):
        return value
    raise _Exceeded(
        node, tr("{node} is not a finite number; write a constant that a double can hold", node=_described(node))
    )


def _judge_exponent(node: Expression, exponent: float | None) -> None:
    if exponent is not None and abs(exponent) > LARGEST_EXPONENT:
        raise _Exceeded(
            node,
            tr(
                "the exponent {exponent:g} is too large; at most {largest_exponent} in size is expected",
                exponent=exponent,
                largest_exponent=LARGEST_EXPONENT,
            ),
        )


def _judge_call(node: Call) -> None:
    least, greatest = FUNCTIONS[node.function]
    count = len(node.arguments)
    if count < least or (greatest is not None and count > greatest):
        expected = f"{least}" if least == greatest else tr("at least {least}", least=least)
        raise _Exceeded(
            node,
            tr(
                "{function} takes {expected} argument{value}, and {count} were met",
                function=node.function,
                expected=expected,
                value="s" * (least > 1),
                count=count,
            ),
        )


def _value(node: Expression, arguments: list[float]) -> float | None:
    match node:
        case Number(value):
            return float(value)
        case Pi():
            return math.pi
        case Negative():
            return -arguments[0]
        case Reciprocal():
            return 1 / arguments[0]
        case Sum():
            return math.fsum(arguments)
        case Product():
            return math.prod(arguments)
        case Power():
            return power(*arguments)
        case Call(function) if function in SCALAR_FUNCTIONS:
            return applied(function, arguments)
    return None


def _described(node: Expression) -> str:
    from dalembert.expressions.text import text

    described = text(node)
    return described if len(described) <= 40 else described[:18] + " … " + described[-18:]
