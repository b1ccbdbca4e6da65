"""The polynomial ring of a mechanical system: letters, relations between them, and the flow of a motion in it.

A letter that a condition gives explicitly (x' = R cos θ φ') is substituted and leaves the ring. The rates of the others
are polynomials over one common denominator Δ, which must not be zero where the motion is defined. Each of its factors
is checked. A factor that vanishes where the equations for the accelerations are regular is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import attrgetter
from typing import Any

import numpy as np
import symengine as se
import sympy as sp
from sympy.polys.fields import FracField
from sympy.polys.orderings import MonomialOrder, grevlex, lex
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.analysis.algebra.groebner import Bases, Quotient
from dalembert.analysis.algebra.work import Work
from dalembert.errors import MathematicsError
from dalembert.mechanics.factors import irreducible

DIVISOR = 20  # work of a common divisor, for each term
FRACTION = 200  # work of an operation on fractions


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
    letters = [(s, se.sympify(s)) for s in problem.letters]
    moving = {letter for _, letter in letters}
    for condition in problem.conditions:
        e = se.sympify(condition)  # SymPy's derivatives take long
        held = e.free_symbols
        if any(se.sympify(s) in held for s in given):
            continue
        for s, letter in letters:
            if letter in held and not e.diff(letter).free_symbols & moving:
                given[s] = condition
                break
    return given


class Ring:
    """The ring of a problem and the flow in it. With `symbolic`, constants are letters of the coefficients."""

    def __init__(self, problem: InRings, symbolic: bool, work: Work, flow: bool = True):
        given = _given(problem)
        problem = replace(problem, letters=(*given, *(s for s in problem.letters if s not in given)))
        self.problem, order = problem, Blocks(len(given)) if given else grevlex
        kept = [letter for letter, number in problem.constants if symbolic and number != 0]
        self.numbers = {letter: sp.Rational(str(number)) for letter, number in problem.constants}
        self.put = {letter: number for letter, number in self.numbers.items() if letter not in kept}
        self.domain: Any = sp.QQ.frac_field(*kept) if kept else sp.QQ
        self.kept = kept
        self.ring = PolyRing(problem.letters, self.domain, order)
        self.bases = Bases(self.ring, (len(given), len(problem.letters) - len(given)), work)
        self.letters = problem.letters
        self.fractions = FracField((*problem.letters, *kept), sp.QQ, lex)
        self.base: list[PolyElement] = []
        self._seen: dict[Any, tuple[Quotient, int] | None] = {}
        self.relations = [self._polynomial(e) for e in problem.relations]
        self.base = self.basis(self.relations)
        self._seen.clear()
        self.rates: dict[Any, PolyElement] = {}
        self.nonzero: list[PolyElement] = []
        self.spare: list[Any] = []
        if flow:
            self._flow()
            self._descend(given)

    def _flow(self) -> None:
        """Accelerations N/Δ with one Δ, and the rates of all letters times Δ."""
        problem = self.problem
        matrix = [[self.fraction(e) for e in row] for row in problem.matrix]
        solved = self._solved(matrix, [self.fraction(e) for e in problem.right])
        self.accelerations = dict(zip(problem.accelerations, solved, strict=True))
        rate = dict.fromkeys(problem.letters, self.fractions.zero)
        rate |= {letter: self.cancelled(self._with_accelerations(e)) for letter, e in problem.rates}
        rate |= dict(zip(problem.speeds, solved, strict=True))
        common = self.fractions.ring.one
        for value in rate.values():
            common = common.lcm(value.denom)
        self._refuse_false_zeros(common, matrix)
        self.nonzero = [self.lifted(common), *(self._polynomial(e) for e in problem.positive)]
        self.rates = {letter: self.lifted(value.numer * common.exquo(value.denom)) for letter, value in rate.items()}
        self.spare = [
            sum((self.fraction(c) * a for c, a in zip(row, solved, strict=True)), self.fractions.zero)
            - self.fraction(b)
            for row, b in zip(problem.spare, problem.spare_right, strict=True)
        ]

    def _solved(self, matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
        """The solution of a linear system, with short pivots. Every entry is reduced by the relations."""
        n = len(matrix)
        rows = [[*map(self.cancelled, (*row, r))] for row, r in zip(matrix, right, strict=True)]
        order: list[tuple[int, int]] = []  # pivots: row, column
        for _ in range(n):
            left = [i for i in range(n) if i not in {p for p, _ in order}]
            columns = [j for j in range(n) if j not in {k for _, k in order}]
            free = [(i, j) for i in left for j in columns if rows[i][j]]
            if not free:
                raise MathematicsError("a pivot of the equations vanishes by the relations between sines and cosines")
            # those of a mass matrix are positive on its diagonal, in any order
            p, k = min(free, key=lambda place: (place[0] != place[1], _terms(rows[place[0]][place[1]]), place))
            order.append((p, k))
            pivot = rows[p]
            for i in left:
                if rows[i][k] and i != p:
                    entry = rows[i][k]
                    factor = self._of(entry.numer * pivot[k].denom, entry.denom * pivot[k].numer)
                    rows[i] = [
                        self._minus(a, factor, b) if b and j != k else a
                        for j, (a, b) in enumerate(zip(rows[i], pivot, strict=True))
                    ]
                    rows[i][k] = self.fractions.zero
        found = [self.fractions.zero] * n
        for p, k in reversed(order):
            left, pivot = rows[p][n], rows[p][k]
            for j in range(n):
                if j != k and rows[p][j] and found[j]:
                    left = self._minus(left, rows[p][j], found[j])
            found[k] = self._of(left.numer * pivot.denom, left.denom * pivot.numer)
        return found

    def _minus(self, a: Any, b: Any, c: Any) -> Any:
        """a − b c."""
        numer, denom = b.numer * c.numer, b.denom * c.denom
        if a.denom == denom:
            return self._of(a.numer - numer, denom)
        return self._of(a.numer * denom - numer * a.denom, a.denom * denom)

    def cancelled(self, f: Any) -> Any:
        """Numerator and denominator reduced by the relations, without common factors."""
        return self._of(f.numer, f.denom)

    def _of(self, numer: PolyElement, denom: PolyElement) -> Any:
        above, below = (self.reduced(self.lifted(p), self.base) for p in (numer, denom))
        if not below:
            raise vanishing_pivot()
        if not above:
            return self.fractions.zero
        one, other = self._flat(above), self._flat(below)
        numer, denom = one.numer * other.denom, one.denom * other.numer
        if not denom.is_ground:
            self.bases.work.spend(DIVISOR * (len(numer) + len(denom)) * min(len(numer), len(denom)))
        return self.fractions.new(numer, denom)

    def lifted(self, p: PolyElement) -> PolyElement:
        """A polynomial in letters and constants as one in letters."""
        if not self.kept:
            return p.set_ring(self.ring)
        n, constants = len(self.letters), self.domain.field.ring
        parts: dict[Any, Any] = {}
        for monomial, c in p.items():
            parts.setdefault(monomial[:n], {})[monomial[n:]] = c
        return self.ring.from_dict({m: self.domain.field(constants.from_dict(part)) for m, part in parts.items()})

    def _flat(self, p: PolyElement) -> Any:
        """A polynomial in letters as a fraction of letters and constants."""
        if not self.kept:
            return self.fractions(p.set_ring(self.fractions.ring))
        whole, ring, none = self.bases.quotient(p), self.fractions.ring, (0,) * len(self.problem.letters)
        numer = {(*m, *k): sp.QQ(c) for m, part in self.bases.monomials(whole) for k, c in part.items()}
        denom = {(*none, *k): sp.QQ(c) for k, c in whole.divisor.items()}
        return self.fractions.new(ring.from_dict(numer), ring.from_dict(denom))

    def _refuse_false_zeros(self, common: PolyElement, matrix: Sequence[Sequence[Any]]) -> None:
        """Raise an error if a factor of the denominator has a real zero at which the equations are regular."""
        positive = [self._polynomial(e) for e in self.problem.positive]
        for f, _ in irreducible(common) if not self.kept else ():
            if self.lifted(f) in positive:
                continue
            at = self._real_zero([f, *self.relations])
            if at is None:
                continue
            below, K = (
                np.array([[_value(part(e))(at) for e in row] for row in matrix])
                for part in (attrgetter("denom"), attrgetter("numer"))
            )
            if np.abs(below).min() > 1e-7 and np.linalg.cond(K / below) < 1e7:
                raise MathematicsError("the denominator of the accelerations vanishes where it should not")

    @staticmethod
    def _real_zero(polynomials: Sequence[PolyElement]) -> np.ndarray | None:
        chance = np.random.default_rng(3)
        values = [_value(p) for p in polynomials]
        slopes = [[_value(p.diff(x)) for x in p.ring.gens] for p in polynomials]
        for _ in range(12):
            y = chance.uniform(-1.5, 1.5, len(polynomials[0].ring.gens))
            for _ in range(40):
                r = np.array([value(y) for value in values])
                if np.abs(r).max() < 1e-11:
                    return y
                J = np.array([[slope(y) for slope in row] for row in slopes])
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
        asked = [*(self.lifted(f.numer) for f in self.spare), *map(self.along, outright)]
        k, letters = len(given), self.problem.letters[len(given) :]
        ring = PolyRing(letters, self.domain, grevlex)

        def down(p: PolyElement) -> PolyElement:
            rest = self.bases.remainder(p, outright)
            return ring.from_dict({monomial[k:]: c for monomial, c in rest.terms()})

        bases = Bases(ring, (len(letters),), self.bases.work)
        self.relations = [down(p) for p in self.relations]
        self.rates = {letter: down(self.rates[letter]) for letter in letters}
        self.nonzero = [down(p) for p in self.nonzero]
        self.conditions = [p for p in map(down, others) if p]
        asked = [down(p) for p in asked]
        self.letters, self.ring, self.bases = letters, ring, bases
        self.base = self.basis(self.relations)
        self.rates = {letter: self.reduced(p, self.base) for letter, p in self.rates.items()}
        generator = dict(zip(letters, ring.gens, strict=True))
        self.pairs = [(generator[s], generator[c]) for s, c in self.problem.pairs if {s, c} <= {*letters}]
        self.asked = [*asked, *map(self.along, self.conditions)]

    def _polynomial(self, e: Any) -> PolyElement:
        return self.lifted(self.fraction(e).numer)

    def fraction(self, e: Any) -> Any:
        e = sp.sympify(e)
        read = self._read(e)
        if read is not None:
            numer, monomial = read
            one = self._flat(self.bases.element(numer))
            return one / self._flat(self.bases.element(Quotient({monomial: self.bases.one}, self.bases.one)))
        self.bases.work.spend(FRACTION * int(se.count_ops(se.sympify(e))))
        e = e.subs(self.put)
        floats = {f: sp.Rational(str(f)) for f in e.atoms(sp.Float)}
        return self.fractions.from_expr(e.xreplace(floats))

    def _read(self, e: Any) -> tuple[Quotient, int] | None:
        """A polynomial over a monomial, with every product reduced by the relations. None if it is another fraction."""
        if e in self._seen:
            return self._seen[e]
        found = None
        if e.is_Symbol or e.is_Number:
            number = sp.Rational(str(e)) if e.is_Float else self.put.get(e, e)
            found = self.bases.quotient(self.ring.from_expr(number)), 0
        elif e.is_Add or e.is_Mul:
            read = [self._read(part) for part in e.args]
            parts = [part for part in read if part is not None]
            if len(parts) == len(read):
                found = self._sum(parts) if e.is_Add else reduce(self._product, parts)
        elif e.is_Pow and e.exp.is_Integer:
            base = self._read(e.base)
            if base is not None and e.exp < 0:
                base = self._inverse(*base)
            if base is not None:
                found = reduce(self._product, (base,) * abs(int(e.exp)))
        self._seen[e] = found
        return found

    def _sum(self, parts: Iterable[Any]) -> tuple[Quotient, int]:
        parts = [*parts]
        common = reduce(self.bases.lcm, (monomial for _, monomial in parts))
        one = self.bases.one
        return self.bases.total((Quotient({common - m: one}, one), numer) for numer, m in parts), common

    def _product(self, a: tuple[Quotient, int], b: tuple[Quotient, int]) -> tuple[Quotient, int]:
        return self.bases.left(self.bases.total([(a[0], b[0])]), self.base), a[1] + b[1]

    def _inverse(self, numer: Quotient, monomial: int) -> tuple[Quotient, int] | None:
        if len(numer) != 1:
            return None
        ((m, c),) = numer.terms.items()
        return Quotient({monomial: numer.divisor}, c), m

    def along(self, g: PolyElement, G: Sequence[PolyElement] = ()) -> PolyElement:
        """What a basis leaves of Δ L g."""
        rates = [self.rates[letter] for letter in self.letters]
        return self.bases.element(self.bases.left(self.bases.along(g, rates), G))

    def reduced(self, p: PolyElement, G: Sequence[PolyElement]) -> PolyElement:
        return self.bases.remainder(p, G)

    def basis(self, polynomials: Iterable[PolyElement]) -> list[PolyElement]:
        return self.bases.basis(polynomials)

    def turned(self, polynomials: Sequence[PolyElement]) -> list[PolyElement]:
        """The same ideal with shorter generators: pairs p, q become c p + s q, s p − c q while that shortens them.

        The determinant is −(s² + c²) = −1. It transforms conditions in inertial axes into conditions in moving axes.
        """
        bases = self.bases
        found = [p for p in (bases.left(bases.quotient(p), self.base) for p in polynomials) if p]
        both = (*self.pairs, *((c, s) for s, c in self.pairs))
        angles = [(bases.quotient(s), bases.quotient(c), bases.quotient(-c)) for s, c in both]
        shorter = True
        while shorter:
            shorter = False
            for i, p in enumerate(found):
                for j in range(i + 1, len(found)):
                    for s, c, minus in angles:
                        q = found[j]
                        turned = [
                            bases.left(bases.total(sums), self.base)
                            for sums in (((c, p), (s, q)), ((s, p), (minus, q)))
                        ]
                        if sum(map(len, turned)) < len(p) + len(q):
                            found[i], found[j] = turned
                            p, shorter = turned[0], True
            found = [p for p in found if p]
        return [bases.element(p) for p in found]


def vanishing_pivot() -> MathematicsError:
    return MathematicsError("a pivot of the equations vanishes by the relations between sines and cosines")


def _terms(f: Any) -> int:
    return len(f.numer) + len(f.denom)


def _value(p: PolyElement) -> Callable[[np.ndarray], float]:
    if not p:
        return lambda at: 0.0
    exponents, coefficients = np.array(list(p.keys())), np.array([float(c) for c in p.values()])
    used = np.flatnonzero(exponents.any(axis=0))
    exponents = exponents[:, used]
    return lambda at: float(coefficients @ np.prod(at[used] ** exponents, axis=1))


def smaller(problem: InRings, symbolic: bool, work: Work) -> InRings:
    """The same problem with entries reduced by the relations, and without letters that no longer occur."""
    whole = Ring(problem, symbolic, work, flow=False)

    def reduced(e: Any) -> Any:
        f = whole.cancelled(whole.fraction(e))
        return f.numer.as_expr() / f.denom.as_expr()

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
