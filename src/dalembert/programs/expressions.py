"""SymEngine expressions as operations of a program: common parts are computed once, a product has one quotient.

    c a b / (d e)     numbers first, then the factors above, those below, and one division
    1/d               if several products share it: computed once, then multiplied
    a + b − c         products with −1 are subtracted
    sin²x + cos²x     becomes 1 (`unit_squares`)

The graph is walked without recursion. Symbols are looked up by identity, not by text, so an input may have any name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from operator import is_
from typing import Any

import symengine

from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.programs.maker import Maker, Place
from dalembert.programs.pairs import shared_pairs
from dalembert.programs.program import FUNCTIONS, Program
from dalembert.programs.unit_squares import joined

ONE_OPERATION = {name: name for name in FUNCTIONS} | {
    "Abs": "abs", "sign": "sign", "Not": "not", "StrictLessThan": "lt", "LessThan": "le", "Equality": "eq",
    "Unequality": "ne",
}  # fmt: skip
FOLDED = ("Max", "Min", "And", "Or")  # of any number of arguments, as a sum and a product
NUMBERS = frozenset({"Integer", "Rational", "RealDouble", "RealMPFR", "Constant", "Infinity", "NegativeInfinity",
                     "Zero", "One", "NegativeOne", "Half", "Pi", "Exp1"})  # fmt: skip
PLAIN = frozenset({"Add", "Mul", "Pow", "Piecewise", *FOLDED, *ONE_OPERATION})

KEPT = 64  # programs kept: an analysis, a motion and a method ask again for the same expressions


def program(inputs: Sequence[Any], outputs: Sequence[Any], names: Sequence[str] = (), sources: bool = False) -> Program:
    """The program of expressions. With `sources` every operation of the graph is kept unchanged, with its text."""
    found = _program(tuple(inputs), _Same(symengine.sympify(e) for e in outputs), sources)
    return replace(found, names=tuple(names)) if names else found


class _Same(tuple[Any, ...]):
    """Expressions that are the same objects. Equal ones may have their terms in another order, and round otherwise."""

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and len(self) == len(other) and all(map(is_, self, other))


@lru_cache(KEPT)
def _program(inputs: tuple[Any, ...], outputs: _Same, sources: bool) -> Program:
    maker = Maker([str(symbol) for symbol in inputs])
    places = {symbol: maker.input(i) for i, symbol in enumerate(inputs)}
    return maker.program(take(maker, places, outputs, sources=sources))


def take(
    maker: Maker,
    places: Mapping[Any, Place],
    outputs: Sequence[Any],
    defined: Mapping[Any, Any] | None = None,
    sources: bool = False,
    parsed: dict[int, Any] | None = None,  # arguments by identity (see `_Same`), for programs that share expressions
) -> list[Place]:
    """The places of the outputs, given the places of the symbols. Symbols in `defined` stand for expressions."""
    graph = _Graph(places, defined or {}, {} if parsed is None else parsed, sources)
    roots = [graph.walked(symengine.sympify(e)) for e in outputs]
    if sources:
        return _Plain(maker, graph, places).all(roots)
    return _Joined(maker, graph, places).all(roots)


def take_each(maker: Maker, places: Mapping[Any, Place], *parts: Any) -> list[Any]:
    """The places of the expressions of every part, which is an expression or a list of parts."""

    def leaves(part: Any) -> list[Any]:
        return [leaf for one in part for leaf in leaves(one)] if isinstance(part, list | tuple) else [part]

    def shaped(part: Any) -> Any:
        return [shaped(one) for one in part] if isinstance(part, list | tuple) else next(found)

    found = iter(take(maker, places, leaves(parts)))
    return [shaped(part) for part in parts]


def written(expression: Any, longest: int = 120) -> str:
    """An expression in the notation of model files, shortened if it is long."""
    text = str(expression).replace("**", "^")
    return text if len(text) <= longest else text[: longest - 1] + "…"


class _Graph:
    """Nodes in an order in which each follows its arguments: kinds, arguments as indices, values of numbers."""

    def __init__(self, places: Mapping[Any, Place], defined: Mapping[Any, Any], parsed: dict[int, Any], plain: bool):
        self.places, self.defined, self.parsed, self.plain = places, defined, parsed, plain
        self.index: dict[Any, int] = {}
        self.kinds: list[str] = []
        self.arguments: list[tuple[int, ...]] = []
        self.values: list[Any] = []
        self.nodes: list[Any] = []

    def walked(self, root: Any) -> int:
        """The index of an expression. A look-up of an expression is slow, so that there is one for each argument."""
        index = self.index
        found = index.get(root)
        if found is not None:
            return found
        # expressions, the arguments that are left, the indices of the others
        stack: list[tuple[Any, Iterator[Any], list[int]]] = [(root, iter(self._arguments(root)), [])]
        while True:
            node, rest, places = stack[-1]
            for argument in rest:
                found = index.get(argument)
                if found is None:
                    stack.append((argument, iter(self._arguments(argument)), []))
                    break
                places.append(found)
            else:
                shortened = len(places) == 1 and type(node) is symengine.Add
                found = index[node] = places[0] if shortened else self._added(node, tuple(places))
                stack.pop()
                if not stack:
                    return found
                stack[-1][2].append(found)

    def _arguments(self, node: Any) -> tuple[Any, ...]:
        """The arguments of a node. A sum that is equal to a shorter expression has this as its only one."""
        kind = type(node)
        if kind is symengine.Symbol:
            return (symengine.sympify(self.defined[node]),) if node in self.defined else ()
        if kind.__name__ in NUMBERS:
            return ()
        known = self.parsed.get(id(node))
        if known is None:
            shorter = joined(node.args) if kind is symengine.Add and not self.plain else None
            known = self.parsed[id(node)] = node, node.args if shorter is None else (shorter,)
        return known[1]

    def _added(self, node: Any, arguments: tuple[int, ...]) -> int:
        kind, value = type(node).__name__, 0.0
        if kind == "Symbol":
            if arguments:
                return arguments[0]
            if node not in self.places:
                raise MathematicsError(
                    "{node} stands in an expression but is no quantity of the model", node=written(node)
                )
        elif kind in ("BooleanTrue", "BooleanFalse"):
            kind, value = "truth", kind == "BooleanTrue"
        elif kind in NUMBERS or (not arguments and node.is_number):
            kind, value = "number", _number(node)
        elif kind not in PLAIN:
            raise MathematicsError(
                "{node} has no value: it is a function or derivative that cannot be evaluated", node=written(node)
            )
        self.kinds.append(kind)
        self.arguments.append(arguments)
        self.values.append(value)
        self.nodes.append(node)
        return len(self.kinds) - 1


def _number(node: Any) -> float:
    try:
        value = float(node)
    except (TypeError, RuntimeError, ValueError):
        value = float("nan")
    if value != value:
        forms = {"zoo": tr("a division by zero"), "nan": tr("an undefined form such as 0/0")}
        what = forms.get(str(node), tr("not a real number"))
        raise MathematicsError(
            "a constant part of an expression is {what} ({node}); every part must be real",
            what=what,
            node=written(node),
        )
    return value


class _Plain:
    """Translates node by node, without changes. Sums and products run from their first argument to their last."""

    def __init__(self, maker: Maker, graph: _Graph, places: Mapping[Any, Place]):
        self.maker, self.graph, self.places = maker, graph, places
        self.found: dict[int, Place] = {}

    def all(self, roots: Sequence[int]) -> list[Place]:
        for i in range(len(self.graph.kinds)):
            place = self.found[i] = self.place(i)
            self.maker.sources.setdefault(place, self.graph.nodes[i])
        return [self.found[r] for r in roots]

    def place(self, i: int) -> Place:
        m, kind, arguments = self.maker, self.graph.kinds[i], self.graph.arguments[i]
        if kind in ("Add", "Mul"):
            return reduce(m.add if kind == "Add" else m.mul, (self.found[a] for a in arguments))
        return self.other(i, kind, [self.found[a] for a in arguments])

    def other(self, i: int, kind: str, parts: list[Place]) -> Place:
        m = self.maker
        if kind == "number":
            return m.number(self.graph.values[i])
        if kind == "Symbol":
            return self.places[self.graph.nodes[i]]
        if kind == "truth":
            return m.truth(self.graph.values[i])
        if kind == "Pow":
            return m.power(*parts)
        if kind in ONE_OPERATION:
            return m.made(ONE_OPERATION[kind], parts)
        if kind in FOLDED:
            return reduce(lambda a, b: m.made(kind.lower(), [a, b]), parts)
        found = m.number(float("nan"))  # Piecewise
        for value, condition in reversed(list(zip(parts[::2], parts[1::2], strict=True))):
            found = m.select(condition, value, found)
        return found


class _Joined(_Plain):
    """Products get numbers in front and one quotient, sums get differences. Shared pairs are made once."""

    def all(self, roots: Sequence[int]) -> list[Place]:
        graph = self.graph
        nodes = range(len(graph.kinds))
        self.below = [  # powers with a negative number as exponent
            kind == "Pow" and graph.values[arguments[1]] < 0.0
            for kind, arguments in zip(graph.kinds, graph.arguments, strict=True)
        ]
        products = [i for i in nodes if graph.kinds[i] == "Mul"]
        below = Counter(a for i in products for a in graph.arguments[i] if self.below[a])
        self.shared = {a for a, times in below.items() if times > 1}  # reciprocals that several products share
        self.signs = {i: self.sign(graph.arguments[i]) for i in products}
        sizes: dict[float, int] = {}  # numbers up to their signs are treated as factors like others
        factors = {i: self.above(graph.arguments[i], sizes) for i in products}
        for size, node in sizes.items():
            self.found[node] = self.maker.number(size)
        terms = {i: graph.arguments[i] for i in nodes if graph.kinds[i] == "Add"}
        self.factors, self.pairs = shared_pairs(factors, len(nodes))
        self.terms, more = shared_pairs(terms, len(nodes) + len(self.pairs))
        self.first_sum = len(nodes) + len(self.pairs)
        self.pairs |= more
        for i in nodes:
            if not self.below[i] or i in self.shared:
                self.found[i] = self.place(i)
        return [self.at(r) for r in roots]

    def sign(self, arguments: Sequence[int]) -> int:
        return (-1) ** sum(self.graph.kinds[a] == "number" and self.graph.values[a] < 0.0 for a in arguments)

    def above(self, arguments: Sequence[int], sizes: dict[float, int]) -> list[int]:
        """The factors above the fraction bar. Numbers are joined into one size with a negative index."""
        found, number = [], 1.0
        for a in arguments:
            if self.graph.kinds[a] == "number":
                number *= abs(self.graph.values[a])
            elif a in self.shared or not self.below[a]:
                found.append(a)
        if number != 1.0:
            found.append(sizes.setdefault(number, -1 - len(sizes)))
        return found

    def place(self, i: int) -> Place:
        if i >= len(self.graph.kinds):
            a, b = (self.at(part) for part in self.pairs[i])
            return self.maker.mul(a, b) if i < self.first_sum else self.maker.add(a, b)
        kind, arguments = self.graph.kinds[i], self.graph.arguments[i]
        if kind == "Mul":
            return self.product(i, arguments)
        if kind == "Add":
            return self.sum([self.at(a) for a in self.terms[i]])
        return self.other(i, kind, [self.at(a) for a in arguments])

    def at(self, i: int) -> Place:
        """A node's place. Pairs are made when they are first needed, the inner ones first."""
        if i in self.found:
            return self.found[i]
        stack = [i]
        while stack:
            top = stack[-1]
            missing = [part for part in self.pairs.get(top, ()) if part not in self.found]
            stack.extend(missing)
            if not missing:
                stack.pop()
                if top not in self.found:
                    self.found[top] = self.place(top)
        return self.found[i]

    def product(self, i: int, arguments: Sequence[int]) -> Place:
        m, graph = self.maker, self.graph
        below = []
        for a in arguments:
            if self.below[a] and a not in self.shared:
                base, exponent = graph.arguments[a]
                below.append(m.power(self.at(base), m.number(-graph.values[exponent])))
        found = reduce(m.mul, [self.at(a) for a in reversed(self.factors[i])], m.number(1.0))
        if below:
            found = m.div(found, reduce(m.mul, below, m.number(1.0)))
        return found if self.signs[i] > 0 else m.neg(found)

    def sum(self, places: Sequence[Place]) -> Place:
        m = self.maker
        number, plus, minus = 0.0, [], []
        for place in places:
            op = m.operations[place]
            if op.kind == "number":
                number += op.value
            elif op.kind == "neg":
                minus.append(op.arguments[0])
            else:
                plus.append(place)
        if number == 0.0 and not plus:
            return m.neg(m.sum(minus))
        return reduce(m.sub, minus, reduce(m.add, plus, m.number(number)))
