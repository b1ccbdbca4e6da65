"""A record with its branches locked: smooth equations for every piece of a motion, and the guards that end a piece.

    l < r, l ≤ r     0 < σ, 0 ≤ σ      σ = sign g, g = r − l      likewise abs, sign, max, min and if
    floor u          n                 falls at u − n = 0, rises at n + 1 − u = 0
σ and n are parameters that a motion changes at the zeros of g. Between the zeros every function is smooth on both
sides, so a step may look beyond a kink. Kinks inside g are locked too. An expression and its negative share one σ.

At a kink a motion needs the rows of a constraint g = 0, at the level of speeds and of accelerations:
    g(q, t):  ψ = ġ,  A = ∂g/∂q         g(q, v, t):  ψ = g,  A = ∂g/∂v        A a = b while g stays zero
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import NoneType

import symengine as se

from dalembert.equations import Equations, Matrix, Row, Scalar

SIDE, FALLS, RISES = range(3)  # the effect of a guard's zero: σ takes its sign; n becomes n − 1; n becomes n + 1


@dataclass(frozen=True, slots=True)
class Kink:
    """A guard, the branch that changes at its zero, and its row.

    `degree` is 1 if the guard contains speeds, 2 if it contains coordinates but no speeds, and 0 otherwise.
    """

    name: str  # the expression as readable text
    guard: Scalar
    branch: int
    kind: int
    degree: int
    psi: Scalar
    A: Row
    b: Scalar


@dataclass(frozen=True, slots=True)
class Locked:
    """A record whose last parameters are branches, and the kinks that change them. Inner kinks come first."""

    equations: Equations
    further: Row
    kinks: tuple[Kink, ...]
    branches: int


def locked(equations: Equations, further: Iterable[Scalar] = ()) -> Locked:
    """Lock everything that a motion evaluates, and the `further` expressions: branches replace conditions."""
    book = _Book(equations)
    eq = replace(
        equations,
        D=book.matrix(equations.D),
        d=book.row(equations.d),
        A=book.matrix(equations.A),
        b=book.row(equations.b),
        R=None if equations.R is None else book.matrix(equations.R),
        phi=book.row(equations.phi),
        phi_q=book.matrix(equations.phi_q),
        psi=book.row(equations.psi),
        states={symbol: book.smooth(se.sympify(rate)) for symbol, rate in equations.states.items()},
        bodies=NoneType,
    )
    more = book.row(further)
    values = dict(equations.parameters) | dict.fromkeys(book.symbols, 1.0)
    return Locked(replace(eq, parameters=values), more, tuple(book.kinks), len(book.symbols))


class _Book:
    """The branches found so far."""

    def __init__(self, equations: Equations):
        self.eq = equations
        self.moving = {equations.t, *equations.q, *equations.v, *equations.z, *equations.varying}
        self.symbols: list[Scalar] = []
        self.kinks: list[Kink] = []
        self._sides: dict[Scalar, Scalar] = {}  # σ of every guard, with its sign
        self._done: dict[Scalar, Scalar] = {}

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> Matrix:
        return tuple(self.row(row) for row in rows)

    def row(self, expressions: Iterable[Scalar]) -> Row:
        return tuple(self.smooth(se.sympify(e)) for e in expressions)

    def smooth(self, expression: Scalar) -> Scalar:
        """The expression with branches instead of everything that switches."""
        found: dict[Scalar, Scalar] = {}
        stack = [expression]
        seen: set[Scalar] = set()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            instead = self._instead(node)
            if instead is None:
                stack.extend(node.args)
            else:
                found[node] = instead
        return expression.xreplace(found) if found else expression

    def _instead(self, node: Scalar) -> Scalar | None:
        """The replacement of a node that switches, or None if it does not."""
        kind = type(node).__name__
        if kind not in ("StrictLessThan", "LessThan", "Equality", "Unequality", "floor", "Abs", "sign", "Max", "Min"):
            return None
        if not self.moving & node.free_symbols:
            return None
        if node not in self._done:
            self._done[node] = self._branched(kind, node.args)
        return self._done[node]

    def _branched(self, kind: str, arguments: Sequence[Scalar]) -> Scalar:
        if kind == "floor":
            return self._level(arguments[0])
        if kind in ("Abs", "sign"):
            side = self._side(arguments[0])
            return side * self.smooth(arguments[0]) if kind == "Abs" else side
        if kind in ("Max", "Min"):
            best, *others = arguments
            for other in others:
                ahead = best - other if kind == "Max" else other - best
                best = se.Piecewise((best, self._side(ahead) >= 0), (other, True))
            return self.smooth(best)
        left, right = arguments
        side = self._side(right - left)
        if kind == "Equality":
            return se.Eq(side, 0)
        return se.Ne(side, 0) if kind == "Unequality" else side > 0 if kind == "StrictLessThan" else side >= 0

    def _side(self, guard: Scalar) -> Scalar:
        for known, sign in ((guard, 1), (-guard, -1), ((-guard).expand(), -1)):
            if known in self._sides:
                return sign * self._sides[known]
        if guard.is_Mul and guard.args[0].is_Number and guard.args[0] < 0:
            return -self._side(-guard)  # so that it reads without a minus
        inner = self.smooth(guard)
        symbol = self._new_branch()
        self._sides[guard] = symbol
        self._add(guard, inner, SIDE)
        return symbol

    def _level(self, argument: Scalar) -> Scalar:
        inner = self.smooth(argument)
        symbol = self._new_branch()
        self._add(argument, inner - symbol, FALLS)
        self._add(argument, symbol + 1 - inner, RISES)
        return symbol

    def _new_branch(self) -> Scalar:
        self.symbols.append(se.Symbol(f"branch {len(self.symbols)}"))
        return self.symbols[-1]

    def _add(self, stated: Scalar, guard: Scalar, kind: int) -> None:
        eq, symbols = self.eq, guard.free_symbols
        speeds, places = symbols & set(eq.v), symbols & set(eq.q)
        alone = not symbols & {*eq.z, *eq.varying}
        degree = 0 if not alone else 1 if speeds else 2 if places else 0
        psi = guard if speeds else self._rate(guard)
        A = tuple(_slope(guard, s) for s in (eq.v if speeds else eq.q))
        name = f"floor({readable(stated)})" if kind != SIDE else readable(stated)
        self.kinks.append(Kink(name, guard, len(self.symbols) - 1, kind, degree, psi, A, -self._rate(psi)))

    def _rate(self, expression: Scalar) -> Scalar:
        """∂/∂t + Σ v ∂/∂q."""
        eq = self.eq
        along = (v * _slope(expression, q) for q, v in zip(eq.q, eq.v, strict=True))
        return _slope(expression, eq.t) + sum(along)


def _slope(expression: Scalar, symbol: Scalar) -> Scalar:
    """The partial derivative. A Piecewise with equal branches is replaced by the branch."""
    found = expression.diff(symbol)
    while same := {p: p.args[0] for p in found.atoms(se.Piecewise) if len(set(p.args[::2])) == 1}:
        found = found.xreplace(same)
    return found


def readable(expression: Scalar) -> str:
    """The text of an expression, with abs, sign, max, min and if as a model writes them."""
    shown = expression
    while pieces := [p for p in shown.atoms(se.Piecewise) if not any(a.atoms(se.Piecewise) for a in p.args)]:
        shown = shown.xreplace({p: se.Symbol(_written(p.args)) for p in pieces})
    return str(shown).replace("**", "^")


def _written(arguments: Sequence[Scalar]) -> str:
    value, condition, *rest = arguments
    if rest[1:] == [True] and type(condition).__name__ == "LessThan":
        left, right = condition.args
        if rest[0] == -value and right - left == value:
            return f"abs({value})"
        if {value, rest[0]} == {left, right}:
            return f"{'max' if value == right else 'min'}({value}, {rest[0]})"
    if len(arguments) == 6 and arguments[::2] == (1, -1, 0):
        return f"sign({condition.args[1] - condition.args[0]})"
    return f"if({condition}, {value}, {_written(rest) if len(rest) > 2 else rest[0]})"
