"""Values of many expressions with fifty digits: the nodes of their common graph, each computed once.

Numbers stay exact. Sums and products are `Decimal`'s; mpmath gives elementary functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from math import prod
from typing import Any

from dalembert.analysis.exact.series import CONSTANTS, elementary, exact
from dalembert.errors import MathematicsError

Numbers = Sequence[Any]
Rule = Callable[..., Any]  # from the values of a node's arguments to its own


class Graph:
    """Expressions of `inputs` as nodes of one graph, each after its arguments."""

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]):
        import symengine

        self._place = {symbol: place for place, symbol in enumerate(inputs)}
        self._steps: list[tuple[Rule, tuple[int, ...]]] = []
        self.rounded = False  # whether an expression contains decimals: SymEngine multiplies them in double precision
        self._outputs = [self._walked(symengine.sympify(output)) for output in outputs]

    def _walked(self, root: Any) -> int:
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [] if node in self._place else [a for a in node.args if a not in self._place]
            if missing:
                stack += missing
                continue
            stack.pop()
            if node not in self._place:
                self._steps.append((_rule(node), tuple(self._place[a] for a in node.args)))
                self._place[node] = len(self._place)
                self.rounded = self.rounded or type(node).__name__ == "RealDouble"
        return self._place[root]

    def values(self, inputs: Numbers) -> list[Any]:
        """The outputs, in the digits of the present context. MathematicsError if one has no value."""
        found = list(inputs)
        try:
            for rule, places in self._steps:
                found.append(rule(*[found[place] for place in places]))
        except ArithmeticError as fault:
            raise MathematicsError("an expression has no value at this state") from fault
        return [found[place] for place in self._outputs]


def _sum(*terms: Decimal) -> Decimal:
    return sum(terms, Decimal(0))


def _product(*factors: Decimal) -> Decimal:
    return prod(factors, start=Decimal(1))


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return base ** int(exponent) if exponent == int(exponent) else base**exponent


def _root(base: Decimal, _: Decimal) -> Decimal:
    return base.sqrt()


def _case(*arguments: Any) -> Any:
    for value, condition in zip(arguments[::2], arguments[1::2], strict=True):
        if condition:
            return value
    return Decimal("nan")


_RULES: dict[str, Rule] = {
    "Add": _sum,
    "Mul": _product,
    "Pow": _power,
    "Piecewise": _case,
    "BooleanTrue": lambda: True,
    "BooleanFalse": lambda: False,
    "And": lambda *parts: all(parts),
    "Or": lambda *parts: any(parts),
    "Not": lambda part: not part,
    "Max": max,
    "Min": min,
    "Abs": abs,
    "StrictLessThan": lambda a, b: a < b,
    "LessThan": lambda a, b: a <= b,
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: a != b,
}


def _rule(node: Any) -> Rule:
    kind = type(node).__name__
    if kind == "Pow" and str(node.args[1]) == "1/2":
        return _root
    if kind in _RULES:
        return _RULES[kind]
    if node.args:
        return partial(elementary, kind)
    value = CONSTANTS[kind] if kind in CONSTANTS else exact(node)
    return lambda: value
