"""Prints SymEngine expressions in any dialect: one walk for all, and the text of each node by the dialect.

The walk is a loop over a stack, not a recursion, so that the depth of an expression is not limited. Factors and terms
are put in the usual order: numbers, parameters, functions, sums, then speeds, accelerations and multipliers. For
reading, masses come before other parameters, and a sum that would begin with a minus begins with its highest
derivative instead, if that is positive.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import ONE, ZERO
from dalembert.mechanics.readable import as_decimal

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # precedence of a printed expression
OTHERWISE = "otherwise"  # the condition of a last case
SPEED = 5  # rank of a speed; that of an acceleration is higher

RELATIONS = {"LessThan": "<=", "StrictLessThan": "<", "Equality": "=", "Unequality": "!="}
FUNCTIONS = {"Abs": "abs", "Max": "max", "Min": "min"}
FORCES = ("lambda[", "friction[", "R[")  # names of reactions
MASS = re.compile(r"[mM](?![A-Za-z])")  # m·g·l, not g·l·m


@dataclass(frozen=True, slots=True)
class Printed:
    text: str
    level: int
    rank: int = 0  # place among factors and terms
    name: str = ""  # of a term without its number; orders terms of one rank

    @property
    def negative(self) -> bool:
        return self.text.startswith("-")


class Printer(ABC):
    """A dialect: the printed form of names, numbers, products, powers and functions."""

    minus = " - "
    plus = " + "
    for_reading = False  # masses first, and a positive highest derivative before a minus

    @abstractmethod
    def symbol(self, name: str) -> str: ...

    @abstractmethod
    def number(self, value: Any) -> str: ...

    @abstractmethod
    def quotient(self, above: str, below: Printed) -> Printed: ...

    @abstractmethod
    def times(self, factors: Sequence[Printed]) -> str: ...

    @abstractmethod
    def power(self, base: Printed, exponent: Printed, kind: str) -> Printed: ...

    @abstractmethod
    def root(self, base: Printed) -> Printed: ...

    @abstractmethod
    def function(self, name: str, arguments: Sequence[Printed]) -> Printed: ...

    @abstractmethod
    def cases(self, pairs: Sequence[tuple[str, str]]) -> Printed: ...

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def relation(self, sign: str) -> str:
        return f" {sign} "

    def inside(self, part: Printed, level: int) -> str:
        """The text of a part, in parentheses if its precedence is lower than `level`."""
        return part.text if part.level >= level else self.bracketed(part.text)

    def above(self, part: Printed) -> str:
        """The only factor of a numerator."""
        return self.inside(part, PRODUCT)

    def chain(self, parts: Sequence[Any]) -> str:
        """Expressions with relations between them: 0 <= λ ⟂ g >= 0."""
        return "".join(self.relation(part) if isinstance(part, str) else self(part) for part in parts)

    def __call__(self, expression: Any) -> str:
        return self.written(se.sympify(expression)).text

    def written(self, root: Any, done: dict[Any, Printed] | None = None) -> Printed:
        """An expression. `done` are parts of it, or of other expressions, that have been written."""
        done = {} if done is None else done
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            missing = [part for part in node.args if part not in done]
            if missing:
                stack.extend(missing)
                continue
            done[node] = self._node(node, done)
            stack.pop()
        return done[root]

    def _node(self, node: Any, done: dict[Any, Printed]) -> Printed:
        kind = type(node).__name__
        if node.is_Symbol:
            return Printed(self.symbol(node.name), ATOM, _symbol_rank(node.name))
        if node.is_Number:
            return self._number(node)
        if kind == "Add":
            return self._sum([done[part] for part in node.args])
        if kind == "Mul":
            return self._product(node, done)
        if kind == "Pow":
            return self._power(node, done)
        if kind == "Piecewise":
            values, conditions = node.args[::2], node.args[1::2]
            corner = corner_of(values, conditions)
            if corner is not None:
                return self.function(corner[0], [self.written(e) for e in corner[1]])
            return self.cases([(done[v].text, done[c].text) for v, c in zip(values, conditions, strict=True)])
        if kind in RELATIONS:
            left, right = (done[part].text for part in node.args)
            return Printed(left + self.relation(RELATIONS[kind]) + right, SUM)
        if kind == "FunctionSymbol":
            return self.function(node.get_name(), [done[part] for part in node.args])
        if node.args:
            return self.function(FUNCTIONS.get(kind, kind), [done[part] for part in node.args])
        if kind == "BooleanTrue":
            return Printed(OTHERWISE, ATOM)
        return Printed(self.symbol({"Exp1": "e"}.get(kind, kind.lower())), ATOM)

    def _number(self, node: Any) -> Printed:
        if isinstance(node, se.Rational) and node.q != 1:
            decimal = as_decimal(node)
            if decimal is not None:
                return Printed(self.number(decimal), SUM if node < 0 else ATOM)
            above, below = self.number(node.p), Printed(self.number(node.q), ATOM)
            made = self.quotient(above, below)
            return Printed(made.text, SUM if made.negative else made.level)
        text = self.number(node)
        return Printed(text, SUM if text.startswith("-") else ATOM)

    def _sum(self, terms: list[Printed]) -> Printed:
        terms = sorted(terms, key=lambda term: (term.rank, term.name or term.text.lstrip("-"), term.text))
        if terms[0].negative and self.for_reading:
            highest = sorted(terms, key=lambda term: -term.rank)  # stable
            terms = highest if highest[0].rank >= SPEED and not highest[0].negative else terms
        first = next((i for i, term in enumerate(terms) if not term.negative), 0)
        terms.insert(0, terms.pop(first))
        text = terms[0].text
        for term in terms[1:]:
            text += self.minus + term.text[1:] if term.negative else self.plus + term.text
        return Printed(text, SUM, 4)

    def _product(self, node: Any, done: dict[Any, Printed]) -> Printed:
        above: list[Printed] = []
        below: list[Printed] = []
        number = ONE
        for part in node.args:
            if part.is_Number:
                number *= part
            elif type(part) is se.Pow and part.args[1].is_Number and part.args[1] < ZERO:
                below.append(self._raised(part.args[0], -part.args[1], done))
            else:
                above.append(done[part])
        sign = "-" if number < ZERO else ""
        number = -number if sign else number
        whole, over = (number.p, number.q) if isinstance(number, se.Rational) else (number, 1)
        if over != 1 and (decimal := as_decimal(number)) is not None:
            whole, over = decimal, 1
        if over != 1:
            below.append(Printed(self.number(over), ATOM, -1))
        if whole != ONE or not above:
            above.append(Printed(self.number(whole), ATOM, -1))
        above.sort(key=self._place)
        rank = max((part.rank for part in above), default=0)
        text = self.times(above)
        name = self.times([part for part in above if part.rank >= 0]) if above[0].rank < 0 else text
        if not below:
            return Printed(sign + text, SUM if sign else (PRODUCT if len(above) > 1 else above[0].level), rank, name)
        below.sort(key=self._place)
        under = below[0] if len(below) == 1 else Printed(self.times(below), PRODUCT)
        made = self.quotient(text if len(above) > 1 else self.above(above[0]), under)
        return Printed(sign + made.text, SUM if sign else made.level, rank, name)

    def _place(self, factor: Printed) -> tuple[int, bool, str]:
        return factor.rank, not (self.for_reading and MASS.match(factor.text)), factor.text

    def _power(self, node: Any, done: dict[Any, Printed]) -> Printed:
        base, exponent = node.args
        if type(base).__name__ == "Exp1":
            return self.function("exp", [done[exponent]])
        if exponent.is_Number and exponent < 0:
            return self.quotient(self.number(1), self._raised(base, -exponent, done))
        return self._raised(base, exponent, done)

    def _raised(self, base: Any, exponent: Any, done: dict[Any, Printed]) -> Printed:
        if exponent == 1:
            return done[base]
        if exponent == se.Rational(1, 2):
            return self.root(done[base])
        written = done[exponent] if exponent in done else self._number(exponent)
        made = self.power(done[base], written, type(base).__name__)
        return Printed(made.text, made.level, done[base].rank)


def corner_of(values: Sequence[Any], conditions: Sequence[Any]) -> tuple[str, tuple[Any, ...]] | None:
    """The function abs, sign, min or max that a case distinction represents, with its arguments, or None."""
    if len(values) == 3 and tuple(values) == (1, -1, 0):
        u = conditions[0].args[1] - conditions[0].args[0]
        return ("sign", (u,)) if conditions[0] == (u > 0) and conditions[1] == (u < 0) else None
    if len(values) != 2 or conditions[1] != True:  # noqa: E712
        return None
    u, w = values
    if conditions[0] == (u >= 0) and w == -u:
        return "abs", (u,)
    if conditions[0] == (u >= w):
        return "max", (u, w)
    return ("min", (u, w)) if conditions[0] == (u <= w) else None


def _symbol_rank(name: str) -> int:
    if name.startswith(FORCES):
        return 7
    return SPEED + 1 if name.endswith("''") else SPEED if name.endswith("'") else 1
