"""The polynomial ring of a mechanical system: letters, relations between them, and the flow of a motion in it.

A letter that a condition gives explicitly (x' = R cos θ φ') is substituted and leaves the ring. The rates of the others
are polynomials over one common denominator Δ, which must not be zero where the motion is defined. Each of its factors
is checked. A factor that vanishes where the equations for the accelerations are regular is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from sympy.polys.fields import FracField
from sympy.polys.groebnertools import groebner
from sympy.polys.matrices import DomainMatrix
from sympy.polys.orderings import MonomialOrder, grevlex
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.errors import MathematicsError
from dalembert.language import tr


@dataclass(frozen=True)
class InRings:
    """The problem in letters, as SymPy's expressions."""

    letters: tuple[Any, ...]  # moving, speeds included
    constants: tuple[tuple[Any, Any], ...]  # letter, its value: parameters and expressions of them
    speeds: tuple[Any, ...]
    accelerations: tuple[Any, ...]  # letters for q̈, in `rates`
    rates: tuple[tuple[Any, Any], ...]  # letter: its rate
    matrix: tuple[tuple[Any, ...], ...]  # n independent rows of [M; A] …
    right: tuple[Any, ...]
    spare: tuple[tuple[Any, ...], ...]  # … and the other rows, which must hold too
    spare_right: tuple[Any, ...]
    relations: tuple[Any, ...]
    conditions: tuple[Any, ...]  # φ and ψ
    positive: tuple[Any, ...]
    pairs: tuple[tuple[Any, Any], ...]  # letters that are sine and cosine of the same


@dataclass(frozen=True)
class Blocks(MonomialOrder):
    """Monomials by their first letters, then by the rest, each by grevlex."""

    size: int
    is_global = True

    def __call__(self, monomial: tuple[int, ...]) -> Any:
        return grevlex(monomial[: self.size]), grevlex(monomial[self.size :])


def _given(problem: InRings) -> dict[Any, Any]:
    """Letters that a condition gives explicitly, and that condition: x' = R cos θ φ'."""
    given: dict[Any, Any] = {}
    letters = set(problem.letters)
    for e in map(sp.sympify, problem.conditions):
        if any(e.has(s) for s in given):
            continue
        outright = [s for s in problem.letters if e.has(s) and not sp.diff(e, s).free_symbols & letters]
        for s in outright[:1]:
            given[s] = e
    return given


class Ring:
    """The ring of a problem and the flow in it. With `symbolic`, constants are letters of the coefficients."""

    def __init__(self, problem: InRings, symbolic: bool, flow: bool = True):
        given = _given(problem)
        problem = replace(problem, letters=(*given, *(s for s in problem.letters if s not in given)))
        self.problem, order = problem, Blocks(len(given)) if given else grevlex
        kept = [letter for letter, number in problem.constants if symbolic and number != 0]
        self.numbers = {letter: sp.Rational(str(number)) for letter, number in problem.constants}
        self.put = {letter: number for letter, number in self.numbers.items() if letter not in kept}
        self.domain: Any = sp.QQ.frac_field(*kept) if kept else sp.QQ
        self.kept = kept
        self.ring = PolyRing(problem.letters, self.domain, order)
        self.letters = problem.letters
        self.fractions = FracField(problem.letters, self.domain, order)
        self.relations = [self._polynomial(e) for e in problem.relations]
        self.base = groebner(self.relations, self.ring) if self.relations else []
        self.rates: dict[Any, PolyElement] = {}
        self.nonzero: list[PolyElement] = []
        self.spare: list[Any] = []
        if flow:
            self._flow()
            self._descend(given)

    def _flow(self) -> None:
        """Accelerations N/Δ with one Δ, and the rates of all letters times Δ."""
        problem = self.problem
        F = self.fractions.to_domain()
        matrix = [[F.convert(self.fraction(e)) for e in row] for row in problem.matrix]
        right = [[F.convert(self.fraction(e))] for e in problem.right]
        n = len(matrix)
        K, r = DomainMatrix(matrix, (n, n), F), DomainMatrix(right, (n, 1), F)
        solved = [self._cancelled(row[0]) for row in K.lu_solve(r).to_list()]
        self.accelerations = dict(zip(problem.accelerations, solved, strict=True))
        rate = dict.fromkeys(problem.letters, self.fractions.zero)
        rate |= {letter: self._cancelled(self._with_accelerations(e)) for letter, e in problem.rates}
        rate |= dict(zip(problem.speeds, solved, strict=True))
        common = self.ring.one
        for value in rate.values():
            common = common.lcm(value.denom.set_ring(self.ring))
        self._refuse_false_zeros(common, matrix)
        self.nonzero = [common, *(self._polynomial(e) for e in problem.positive)]
        self.rates = {
            letter: (value.numer.set_ring(self.ring) * common.exquo(value.denom.set_ring(self.ring)))
            for letter, value in rate.items()
        }
        self.spare = [
            sum((self.fraction(c) * a for c, a in zip(row, solved, strict=True)), self.fractions.zero)
            - self.fraction(b)
            for row, b in zip(problem.spare, problem.spare_right, strict=True)
        ]

    def _cancelled(self, f: Any) -> Any:
        """Numerator and denominator reduced by the relations, without common factors."""
        above, below = (self.reduced(p.set_ring(self.ring), self.base) for p in (f.numer, f.denom))
        if not below:
            raise MathematicsError(tr("a pivot of the equations vanishes by the relations between sines and cosines"))
        return self.fractions.new(above, below)

    def _refuse_false_zeros(self, common: PolyElement, matrix: Sequence[Sequence[Any]]) -> None:
        """Raise an error if a factor of the denominator has a real zero at which the equations are regular."""
        positive = [self._polynomial(e) for e in self.problem.positive]
        for f, _ in common.factor_list()[1] if not self.kept else ():
            if f in positive:
                continue
            at = self._real_zero([f, *self.relations])
            if at is None:
                continue
            below = np.array([[_value(e.denom, at) for e in row] for row in matrix])
            K = np.array([[_value(e.numer, at) for e in row] for row in matrix])
            if np.abs(below).min() > 1e-7 and np.linalg.cond(K / below) < 1e7:
                raise MathematicsError(tr("the denominator of the accelerations vanishes where it should not"))

    @staticmethod
    def _real_zero(polynomials: Sequence[PolyElement]) -> np.ndarray | None:
        chance = np.random.default_rng(3)
        slopes = [[p.diff(x) for x in p.ring.gens] for p in polynomials]
        for _ in range(12):
            y = chance.uniform(-1.5, 1.5, len(polynomials[0].ring.gens))
            for _ in range(40):
                r = np.array([_value(p, y) for p in polynomials])
                if np.abs(r).max() < 1e-11:
                    return y
                J = np.array([[_value(d, y) for d in row] for row in slopes])
                y = y - np.linalg.lstsq(J, r, rcond=None)[0]
        return None

    def _with_accelerations(self, e: Any) -> Any:
        """A rate that is linear in the accelerations."""
        e = sp.sympify(e)
        still = dict.fromkeys(self.accelerations, 0)
        value = self.fraction(e.subs(still))
        for letter, a in self.accelerations.items():
            slope = sp.diff(e, letter)
            if slope != 0:
                value += self.fraction(slope) * a
        return value

    def _descend(self, given: Mapping[Any, Any]) -> None:
        """Move to the ring without the letters that conditions give explicitly. They are substituted everywhere."""
        outright = [self._polynomial(e) for e in given.values()]
        others = [self._polynomial(e) for e in self.problem.conditions if e not in given.values()]
        asked = [*(f.numer.set_ring(self.ring) for f in self.spare), *map(self.along, outright)]
        k, letters = len(given), self.problem.letters[len(given) :]
        ring = PolyRing(letters, self.domain, grevlex)

        def down(p: PolyElement) -> PolyElement:
            rest = p.rem(outright) if outright else p
            return ring.from_dict({monomial[k:]: c for monomial, c in rest.terms()})

        self.relations = [down(p) for p in self.relations]
        self.rates = {letter: down(self.rates[letter]) for letter in letters}
        self.nonzero = [down(p) for p in self.nonzero]
        self.conditions = [p for p in map(down, others) if p]
        self.letters, self.ring = letters, ring
        self.base = groebner(self.relations, ring) if self.relations else []
        self.rates = {letter: self.reduced(p, self.base) for letter, p in self.rates.items()}
        generator = dict(zip(letters, ring.gens, strict=True))
        self.pairs = [(generator[s], generator[c]) for s, c in self.problem.pairs]
        self.asked = [*map(down, asked), *map(self.along, self.conditions)]

    def _polynomial(self, e: Any) -> PolyElement:
        return self.fraction(e).numer.set_ring(self.ring)

    def fraction(self, e: Any) -> Any:
        e = sp.sympify(e).subs(self.put)
        floats = {f: sp.Rational(str(f)) for f in e.atoms(sp.Float)}
        return self.fractions.from_expr(e.xreplace(floats))

    def along(self, g: PolyElement) -> PolyElement:
        """Δ L g."""
        total = self.ring.zero
        for letter, generator in zip(self.letters, self.ring.gens, strict=True):
            slope = g.diff(generator)
            if slope:
                total += slope * self.rates[letter]
        return total

    def reduced(self, p: PolyElement, G: Sequence[PolyElement]) -> PolyElement:
        return p.rem(list(G)) if G else p

    def basis(self, polynomials: Iterable[PolyElement]) -> list[PolyElement]:
        kept = [p for p in polynomials if p]
        return groebner(kept, self.ring) if kept else []

    def turned(self, polynomials: Sequence[PolyElement]) -> list[PolyElement]:
        """The same ideal with shorter generators: pairs p, q become c p + s q, s p − c q while that shortens them.

        The determinant is −(s² + c²) = −1. It transforms conditions in inertial axes into conditions in moving axes.
        """
        found = [p for p in (self.reduced(p, self.base) for p in polynomials) if p]
        shorter = True
        while shorter:
            shorter = False
            for i, p in enumerate(found):
                for j in range(i + 1, len(found)):
                    for s, c in (*self.pairs, *((c, s) for s, c in self.pairs)):
                        q = found[j]
                        turned = [self.reduced(e, self.base) for e in (c * p + s * q, s * p - c * q)]
                        if sum(map(len, turned)) < len(p) + len(q):
                            found[i], found[j] = turned
                            p, shorter = turned[0], True
            found = [p for p in found if p]
        return found


def _value(p: PolyElement, at: np.ndarray) -> float:
    return sum(float(c) * prod(x**e for x, e in zip(at.tolist(), m, strict=True) if e) for m, c in p.terms())


def smaller(problem: InRings, symbolic: bool) -> InRings:
    """The same problem with entries reduced by the relations, and without letters that no longer occur."""
    whole = Ring(problem, symbolic, flow=False)

    def reduced(e: Any) -> Any:
        f = whole.fraction(e)
        above, below = (whole.reduced(p.set_ring(whole.ring), whole.base) for p in (f.numer, f.denom))
        return above.as_expr() / below.as_expr()

    matrix, spare = (tuple(tuple(map(reduced, row)) for row in rows) for rows in (problem.matrix, problem.spare))
    right, spare_right, conditions = (
        tuple(map(reduced, row)) for row in (problem.right, problem.spare_right, problem.conditions)
    )
    held = {*problem.speeds}.union(
        *(e.free_symbols for row in (*matrix, *spare) for e in row),
        *(e.free_symbols for e in (*right, *spare_right, *conditions)),
    )
    rates = dict(problem.rates)
    while True:
        more = set().union(*(rates[s].free_symbols for s in held if s in rates))
        more |= set().union(*(e.free_symbols for e in problem.relations if e.free_symbols & held))
        if more <= held:
            break
        held |= more
    return replace(
        problem,
        letters=tuple(s for s in problem.letters if s in held),
        rates=tuple((s, e) for s, e in problem.rates if s in held),
        matrix=matrix,
        right=right,
        spare=spare,
        spare_right=spare_right,
        relations=tuple(e for e in problem.relations if e.free_symbols & held),
        conditions=conditions,
        positive=tuple(e for e in problem.positive if e.free_symbols & held),
        pairs=tuple(pair for pair in problem.pairs if pair[0] in held),
    )
