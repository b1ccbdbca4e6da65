"""Units in which constants of a problem are 1. Buckingham: equations that are homogeneous keep their form in any units.

    every monomial of an equation has the same weight w,   w(ẋ) = w(x) − w(t)       w: one row for each unit
    constants c with independent columns of w are 1 in some units;  any other constant becomes a pure number

Polynomials with fewer letters are much shorter. In a result, each monomial gets back the powers of the constants that
make its weight that of the others: r′ψ′ + 4 s in units with R = g = 1 is R r′ψ′ + 4 g s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from dalembert.analysis.algebra.rings import InRings

Exponents = tuple[int, ...]


@dataclass(frozen=True)
class InUnits:
    """A problem in which the constants `units` are 1, and the weights of its symbols, a column for each."""

    problem: InRings
    units: tuple[Any, ...]
    symbols: tuple[Any, ...]
    weights: Any  # sp.Matrix

    def column(self, symbol: Any) -> Any:
        return self.weights[:, self.symbols.index(symbol)]

    def powers(self, weight: Any) -> Any | None:
        """The powers of the units that have this weight together, or None if there are none."""
        columns = sp.Matrix.hstack(*map(self.column, self.units))
        found = (columns.T * columns).inv() * columns.T * weight
        return found if columns * found == weight else None

    def restored(self, expressions: Iterable[Any]) -> tuple[Any, ...] | None:
        """Polynomials with the units as letters again, or None if one would need their roots."""
        found = [self._restored(e) for e in expressions]
        return None if None in found else tuple(found)

    def _restored(self, e: Any) -> Any | None:
        letters = [s for s in self.symbols if s not in self.units and e.has(s)]
        if not letters:
            return e
        terms = sp.Poly(e, *letters).terms()
        weights = [sum((k * self.column(s) for k, s in zip(m, letters, strict=True)), self._none) for m, _ in terms]
        powers = []
        for weight in weights:
            found = self.powers(weights[0] - weight)
            if found is None or not all(entry.is_Integer for entry in found):
                return None
            powers.append(found)
        least = [min(p[i] for p in powers) for i in range(len(self.units))]
        whole = sp.S.Zero
        for (m, c), p in zip(terms, powers, strict=True):
            units = prod((s ** (p[i] - least[i]) for i, s in enumerate(self.units)), start=sp.S.One)
            whole += c * units * prod((s**k for s, k in zip(letters, m, strict=True)), start=sp.S.One)
        return sp.factor_terms(whole, sign=True)

    @property
    def _none(self) -> Any:
        return sp.zeros(self.weights.rows, 1)


def in_units(problem: InRings) -> InUnits | None:
    """The problem in units with as many constants 1 as possible, or None if there are no such units."""
    zero = {letter: 0 for letter, number in problem.constants if number == 0}
    values = {letter: float(number) for letter, number in problem.constants if number != 0}
    symbols = (*problem.letters, *problem.accelerations, *values, sp.Dummy("time"))
    rows = set(_homogeneous(problem, symbols, zero))
    matrix = DomainMatrix([list(map(sp.QQ, row)) for row in rows], (len(rows), len(symbols)), sp.QQ)
    weights = matrix.nullspace().to_Matrix() if rows else sp.eye(len(symbols))
    units: list[Any] = []
    for letter, value in values.items():
        columns = [weights[:, symbols.index(s)] for s in (*units, letter)]
        if value > 0 and sp.Matrix.hstack(*columns).rank() == len(columns):
            units.append(letter)
    if not units:
        return None
    found = InUnits(problem, tuple(units), symbols, weights)
    constants = [(letter, sp.S.Zero) for letter in zero]
    for letter, value in values.items():
        powers = found.powers(found.column(letter))
        if letter not in units and powers is not None:
            constants.append((letter, value / prod(values[s] ** float(p) for s, p in zip(units, powers, strict=True))))
    return replace(found, problem=_with_ones(problem, units, tuple(constants)))


def _with_ones(problem: InRings, units: Sequence[Any], constants: tuple[tuple[Any, Any], ...]) -> InRings:
    one = dict.fromkeys(units, 1)

    def put(e: Any) -> Any:
        return sp.sympify(e).subs(one)

    def row(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(map(put, entries))

    return replace(
        problem,
        constants=constants,
        rates=tuple((letter, put(e)) for letter, e in problem.rates),
        matrix=tuple(map(row, problem.matrix)),
        right=row(problem.right),
        spare=tuple(map(row, problem.spare)),
        spare_right=row(problem.spare_right),
        relations=row(problem.relations),
        conditions=row(problem.conditions),
        positive=row(problem.positive),
    )


def _homogeneous(problem: InRings, symbols: Sequence[Any], zero: dict[Any, Any]) -> Iterator[Exponents]:
    """Rows r with r·w = 0: every difference of two terms that must have the same weight."""
    none = tuple(0 for _ in symbols)
    unit = {s: _unit(symbols, s) for s in symbols}
    time = unit[symbols[-1]]
    rows: list[Exponents] = []

    def weight(e: Any) -> Exponents:
        """The weight of an expression. Terms of a sum give rows."""
        if e.is_Add:
            first, *rest = map(weight, e.args)
            rows.extend(_minus(other, first) for other in rest)
            return first
        if e.is_Mul:
            return reduce(_plus, map(weight, e.args))
        if e.is_Pow:
            return tuple(int(e.exp) * k for k in weight(e.base))
        return unit.get(e, none)

    def same(weights: Iterable[Exponents]) -> None:
        first, *rest = [*weights] or [none]
        rows.extend(_minus(other, first) for other in rest)

    def of(*expressions: Any) -> list[Any]:
        return [e for e in (sp.sympify(e).subs(zero) for e in expressions) if e != 0]

    for e in of(*problem.relations, *problem.conditions, *problem.positive):
        weight(e)
    for letter, rate in problem.rates:
        same([_minus(unit[letter], time), *map(weight, of(rate))])
    accelerations = [unit[a] for a in problem.accelerations]
    for a, speed in zip(accelerations, problem.speeds, strict=True):
        rows.append(_minus(a, _minus(unit[speed], time)))
    for entries, right in zip((*problem.matrix, *problem.spare), (*problem.right, *problem.spare_right), strict=True):
        pairs = zip(entries, accelerations, strict=True)
        same([*(_plus(weight(m), a) for e, a in pairs for m in of(e)), *map(weight, of(right))])
    yield from rows


def _unit(symbols: Sequence[Any], symbol: Any) -> Exponents:
    return tuple(int(s == symbol) for s in symbols)


def _plus(a: Exponents, b: Exponents) -> Exponents:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: Exponents, b: Exponents) -> Exponents:
    return tuple(x - y for x, y in zip(a, b, strict=True))
