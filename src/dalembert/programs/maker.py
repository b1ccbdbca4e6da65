"""Arithmetic that writes a program: equal operations are merged, and known numbers are folded.

    a + 0 = a,  1 a = a,  0 a = 0,  a + (−b) = a − b,  (−a) b = −(a b),  −(a − b) = b − a

0 a is 0 for any a, so the zeros of a model cost nothing. No other law is used: sums and products are rounded in the
order in which they are requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import reduce
from math import inf, isfinite, sqrt
from typing import Any

from dalembert.programs.program import Operation, Program

Place = int
COMMUTE = frozenset(("add", "mul", "min", "max", "eq", "ne", "and", "or"))
RULES = {name: name for name in "add sub mul div neg sqrt abs select".split()} | {"not": "opposite"}
MOST = 64  # powers up to this become products


class Maker:
    def __init__(self, inputs: Sequence[str] = ()):
        self.inputs = tuple(inputs)
        self.operations: list[Operation] = []
        self.sources: dict[Place, Any] = {}
        self._places: dict[Any, Place] = {}

    def program(self, outputs: Iterable[Place], names: Sequence[str] = ()) -> Program:
        return Program(self.inputs, tuple(self.operations), tuple(outputs), tuple(names), dict(self.sources)).pruned()

    def branch(self) -> Maker:
        """A maker that goes on from here. What it adds is not added to this one."""
        other = copy(self)
        other.operations, other.sources, other._places = [*self.operations], {**self.sources}, {**self._places}
        return other

    # places

    def _new(self, kind: str, *arguments: int) -> Place:
        if kind in COMMUTE and arguments[0] > arguments[1]:
            arguments = arguments[::-1]
        key = (kind, arguments)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.operations)
            self.operations.append(Operation(kind, arguments))
        return place

    def number(self, value: float) -> Place:
        value = float(value) + 0.0  # turns −0 into 0
        place = self._places.get(value)
        if place is None:
            place = len(self.operations)
            if value == value:
                self._places[value] = place
            self.operations.append(Operation("number", (), value))
        return place

    def input(self, index: int) -> Place:
        return self._new("input", index)

    def truth(self, value: bool) -> Place:
        return self._new("true" if value else "false")

    def known(self, a: Place) -> float | None:
        """The value of a number, or None if it is another operation."""
        op = self.operations[a]
        return op.value if op.kind == "number" else None

    def is_zero(self, a: Place) -> bool:
        op = self.operations[a]
        return op.kind == "number" and op.value == 0.0

    # arithmetic

    def add(self, a: Place, b: Place) -> Place:
        x, y = self.operations[a], self.operations[b]
        if x.kind == "number" and y.kind == "number":
            return self.number(x.value + y.value)
        if x.kind == "number" and x.value == 0.0:
            return b
        if y.kind == "number" and y.value == 0.0:
            return a
        if y.kind == "neg":
            return self.sub(a, y.arguments[0])
        if x.kind == "neg":
            return self.sub(b, x.arguments[0])
        return self._new("add", a, b)

    def sub(self, a: Place, b: Place) -> Place:
        x, y = self.operations[a], self.operations[b]
        if x.kind == "number" and y.kind == "number":
            return self.number(x.value - y.value)
        if a == b and x.kind == "input":
            return self.number(0.0)
        if y.kind == "number":
            return self.add(a, self.number(-y.value))
        if x.kind == "number" and x.value == 0.0:
            return self.neg(b)
        if y.kind == "neg":
            return self.add(a, y.arguments[0])
        return self._new("sub", a, b)

    def neg(self, a: Place) -> Place:
        x = self.operations[a]
        if x.kind == "number":
            return self.number(-x.value)
        if x.kind == "neg":
            return x.arguments[0]
        if x.kind == "sub":
            return self._new("sub", x.arguments[1], x.arguments[0])
        return self._new("neg", a)

    def mul(self, a: Place, b: Place) -> Place:
        x, y = self.operations[a], self.operations[b]
        if x.kind == "number" and y.kind == "number":
            return self.number(x.value * y.value)
        if y.kind == "number":
            a, b, x, y = b, a, y, x
        if x.kind == "number":
            if x.value == 0.0:
                return a
            if x.value == 1.0:
                return b
            if x.value == -1.0:
                return self.neg(b)
            if y.kind == "neg":
                return self.mul(self.number(-x.value), y.arguments[0])
        if x.kind == "neg" and y.kind == "neg":
            return self.mul(x.arguments[0], y.arguments[0])
        if x.kind == "neg":
            return self.neg(self.mul(x.arguments[0], b))
        if y.kind == "neg":
            return self.neg(self.mul(a, y.arguments[0]))
        return self._new("mul", a, b)

    def div(self, a: Place, b: Place) -> Place:
        x, y = self.operations[a], self.operations[b]
        if x.kind == "number" and x.value == 0.0:
            return a
        if y.kind == "number" and y.value != 0.0 and isfinite(1.0 / y.value):
            return self.number(x.value / y.value) if x.kind == "number" else self.mul(self.number(1.0 / y.value), a)
        if x.kind == "neg":
            return self.neg(self.div(x.arguments[0], b))
        return self._new("div", a, b)

    def sqrt(self, a: Place) -> Place:
        value = self.known(a)
        return self._new("sqrt", a) if value is None or value < 0.0 else self.number(sqrt(value))

    def abs(self, a: Place) -> Place:
        x = self.operations[a]
        if x.kind == "number":
            return self.number(abs(x.value))
        if x.kind == "abs":
            return a
        return self._new("abs", x.arguments[0] if x.kind == "neg" else a)

    def function(self, kind: str, *arguments: Place) -> Place:
        """An operation of a kind without a simplifying rule."""
        return self._new(kind, *arguments)

    def power(self, base: Place, exponent: Place) -> Place:
        """Integer powers become squares and products, half-integer powers a root. Other powers call the C library."""
        n, value = self.known(exponent), self.known(base)
        if n is not None and value is not None and value > 0.0:
            return self.number(value**n)
        if n is None or not (2 * n).is_integer() or abs(n) > MOST or value is not None:
            return self._new("pow", base, exponent)
        found = self.whole_power(base, int(abs(n)))
        if n != int(n):
            found = self.mul(found, self.sqrt(base))
        return found if n > 0 else self.div(self.number(1.0), found)

    def whole_power(self, base: Place, n: int) -> Place:
        found, square = self.number(1.0), base
        while n:
            if n & 1:
                found = self.mul(found, square)
            n >>= 1
            if n:
                square = self.mul(square, square)
        return found

    # conditions

    def compare(self, kind: str, a: Place, b: Place) -> Place:
        x, y = self.known(a), self.known(b)
        if x is not None and y is not None:
            return self.truth({"lt": x < y, "le": x <= y, "eq": x == y, "ne": x != y}[kind])
        return self._new(kind, a, b)

    def both(self, a: Place, b: Place) -> Place:
        return self.logic("and", a, b)

    def logic(self, kind: str, a: Place, b: Place) -> Place:
        for one, other in ((a, b), (b, a)):
            known = self.operations[one].kind
            if known in ("true", "false"):
                return other if (known == "true") == (kind == "and") else one
        return a if a == b else self._new(kind, a, b)

    def opposite(self, a: Place) -> Place:
        kind = self.operations[a].kind
        return self.truth(kind == "false") if kind in ("true", "false") else self._new("not", a)

    def select(self, condition: Place, a: Place, b: Place) -> Place:
        kind = self.operations[condition].kind
        if kind in ("true", "false"):
            return a if kind == "true" else b
        return a if a == b else self._new("select", condition, a, b)

    # several

    def sum(self, places: Iterable[Place]) -> Place:
        return reduce(self.add, places, self.number(0.0))

    def dot(self, a: Sequence[Place], b: Sequence[Place]) -> Place:
        return self.sum([self.mul(x, y) for x, y in zip(a, b, strict=True)])

    def finite(self, a: Place) -> Place:
        """Whether |a| < ∞."""
        return self.compare("lt", self.abs(a), self.number(inf))

    def copied(self, program: Program, inputs: Sequence[Place]) -> list[Place]:
        """The places of a program's outputs if its inputs have the places `inputs`."""
        found = self.every(program.operations, inputs)
        return [found[o] for o in program.outputs]

    def every(self, operations: Sequence[Operation], inputs: Sequence[Place]) -> list[Place]:
        """The places of all operations of a program."""
        found: list[Place] = []
        for kind, arguments, value in operations:
            if kind == "number":
                found.append(self.number(value))
            elif kind == "input":
                found.append(inputs[arguments[0]])
            else:
                found.append(self.made(kind, [found[a] for a in arguments]))
        return found

    def made(self, kind: str, arguments: Sequence[Place]) -> Place:
        """An operation by its kind, simplified by the rules above."""
        if kind in RULES:
            return getattr(self, RULES[kind])(*arguments)
        if kind in ("lt", "le", "eq", "ne"):
            return self.compare(kind, *arguments)
        if kind in ("and", "or"):
            return self.logic(kind, *arguments)
        return self._new(kind, *arguments)
