"""Symbolic arithmetic that records itself: like terms merge in sums, and every product gets a name, once.

A recursion over bodies computes with symbols instead of numbers. a − a is 0 and 0 · a costs nothing for any a, so the
zeros of a model are found on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import take
from dalembert.programs.maker import Maker
from dalembert.programs.program import Program

Value = Any  # a SymEngine expression, linear in the names
Vector = tuple[Value, Value, Value]
ZERO, ONE, LESS = se.Integer(0), se.Integer(1), se.Integer(-1)  # compared ten times faster than those of Python


class Ledger:
    def __init__(self) -> None:
        self.spread = False  # whether a number multiplies every term of a sum: terms may then cancel, but cost more
        self.definitions: dict[Any, Any] = {}
        self._names: dict[Any, Any] = {}

    def named(self, e: Any) -> Any:
        """The symbol that stands for an expression."""
        if e not in self._names:
            symbol = se.Symbol(f"body {len(self.definitions)}")
            self._names[e] = symbol
            self.definitions[symbol] = e
        return self._names[e]

    def single(self, e: Value) -> tuple[Any, Any]:
        """A value as a number times a symbol."""
        if e.is_Symbol:
            return ONE, e
        if type(e).__name__ == "Mul" and len(e.args) == 2 and e.args[0].is_Number and e.args[1].is_Symbol:
            return e.args[0], e.args[1]
        if e not in self._names and (opposite := se.expand(-e)) in self._names:
            return LESS, self._names[opposite]
        return ONE, self.named(e)

    def tidy(self, e: Value) -> Value:
        """Give a sum a name, so that it is computed once."""
        if e.is_Number:
            return e
        n, symbol = self.single(e)
        return n * symbol

    def held(self, e: Value) -> Value:
        """Give a multiple a name too: a factor of many products is then computed once."""
        e = self.tidy(e)
        return e if e.is_Number or e.is_Symbol or (-e).is_Symbol else self.named(e)

    def of(self, e: Any) -> Value:
        """A value of the model: a number, or a name for the expression in the record."""
        e = se.sympify(e)
        if e.is_Number:
            return e
        return self.named(e) if e.free_symbols else se.RealDouble(float(e))

    def times(self, a: Value, b: Value) -> Value:
        if a == ZERO or b == ZERO:
            return ZERO
        if a.is_Number or b.is_Number:
            number, other = (a, b) if a.is_Number else (b, a)
            if self.spread or number in (ONE, LESS):
                return se.expand(a * b)
            n, other = self.single(other)
            return number * n * other
        (m, a), (n, b) = self.single(a), self.single(b)
        return m * n * self.named(a * b)

    def inverse(self, a: Value) -> Value:
        if a.is_Number:
            return 1 / a
        n, a = self.single(a)
        return self.named(1 / a) / n

    def inverse_root(self, a: Value) -> Value:
        return self.named(1 / se.sqrt(self.named(a)))

    def dot(self, a: Iterable[Value], b: Iterable[Value]) -> Value:
        return sum((self.times(x, y) for x, y in zip(a, b, strict=True)), ZERO)

    def cross(self, a: Vector, b: Vector) -> Vector:
        t = self.times
        return (
            t(a[1], b[2]) - t(a[2], b[1]), t(a[2], b[0]) - t(a[0], b[2]), t(a[0], b[1]) - t(a[1], b[0])
        )  # fmt: skip

    def at(self, values: Sequence[Value], at: Mapping[Any, Any]) -> Any:
        """The numbers of expressions. `at` has the values of symbols without a definition, at one state or at many."""
        m = Maker([str(symbol) for symbol in at])
        places = {symbol: m.input(i) for i, symbol in enumerate(at)}
        found = take(m, places, values, self.definitions, sources=True)
        return values_of(Program(m.inputs, tuple(m.operations), tuple(found)), np.array(list(at.values())).T)
