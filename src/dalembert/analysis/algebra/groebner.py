"""Gröbner bases and remainders over a field, in whole coefficients and with monomials that are single integers.

    monomial x^e:  fields of one integer: for every block of letters e_1 + … + e_n, …, e_1 + e_2, e_1; then all e_i

The product of two monomials is a sum of integers, and the order of integers is that of the monomials: by degree, then
reverse lexicographic, block by block. A field has a free bit, so that one subtraction tells whether a monomial divides
another. Coefficients are integers, or polynomials in constants: what a division would need is multiplied instead.

Buchberger's algorithm with the criteria of Gebauer and Möller (J. Symbolic Comput. 6, 1988), pairs by sugar (Giovini
et al., ISSAC 1991). A reduced basis does not depend on the way that leads to it. `Work` counts the operations and
bounds them: an ideal that is too much is so on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.analysis.algebra.work import Work

BITS = 16  # of a field; the highest is free
Terms = dict[int, Any]


@dataclass(frozen=True, slots=True)
class Quotient:
    """A polynomial with whole coefficients, divided by a coefficient."""

    terms: Terms
    divisor: Any

    def __len__(self) -> int:
        return len(self.terms)


@dataclass(frozen=True, slots=True)
class Divisor:
    """A polynomial by its leading term and the others."""

    lead: int
    exponents: int  # of the leading monomial
    coefficient: Any
    tail: tuple[tuple[int, Any], ...]
    cost: int  # of a multiple of the tail
    sugar: int = 0

    @property
    def terms(self) -> Terms:
        return {self.lead: self.coefficient, **dict(self.tail)}


class Integers:
    """Coefficients of polynomials over the rationals."""

    weight = 1  # of an operation
    one = 1
    gcd = staticmethod(gcd)

    @staticmethod
    def cost(c: Any) -> int:
        return 1 + (c.bit_length() >> 7)

    @staticmethod
    def whole(coefficients: Sequence[Any]) -> tuple[list[Any], Any]:
        """The coefficients times a common denominator, and that."""
        factors, common = Integers.common([int(c.denominator) for c in coefficients])
        return [int(c.numerator) * factor for c, factor in zip(coefficients, factors, strict=True)], common

    @staticmethod
    def common(divisors: Sequence[Any]) -> tuple[list[Any], Any]:
        """The factors that make all divisors equal, and what they are then."""
        common = lcm(*divisors)
        return [common // d for d in divisors], common

    @staticmethod
    def quotient(a: Any, b: Any) -> Any:
        return a // b

    @staticmethod
    def fraction(a: Any, b: Any) -> Any:
        return sp.QQ(a, b)


class Polynomials:
    """Coefficients of polynomials over a field of fractions: polynomials in its letters, with whole coefficients."""

    weight = 5

    def __init__(self, field: Any):
        self.field = field.field
        self.ring = self.field.ring.clone(domain=sp.ZZ)
        self.one = self.ring.one

    @staticmethod
    def gcd(a: Any, b: Any) -> Any:
        return a.gcd(b)

    @staticmethod
    def cost(c: Any) -> int:
        return len(c)

    def whole(self, coefficients: Sequence[Any]) -> tuple[list[Any], Any]:
        parts = [self._pair(c) for c in coefficients]
        factors, common = self.common([below for _, below in parts])
        return [above * factor for (above, _), factor in zip(parts, factors, strict=True)], common

    def common(self, divisors: Sequence[Any]) -> tuple[list[Any], Any]:
        common = reduce(lambda a, b: a.lcm(b), divisors, self.ring.one)
        return [common.exquo(d) for d in divisors], common

    def _pair(self, c: Any) -> tuple[Any, Any]:
        (k, above), (m, below) = c.numer.clear_denoms(), c.denom.clear_denoms()
        return above.set_ring(self.ring) * int(m), below.set_ring(self.ring) * int(k)

    @staticmethod
    def quotient(a: Any, b: Any) -> Any:
        return a.exquo(b)

    def fraction(self, a: Any, b: Any) -> Any:
        ring = self.field.ring
        return self.field.new(a.set_ring(ring), b.set_ring(ring))


class Bases:
    """Bases and remainders in a ring ordered by grevlex in each of some blocks of letters."""

    def __init__(self, ring: PolyRing, blocks: Iterable[int], work: Work):
        self.ring, self.work = ring, work
        self.numbers: Any = Integers() if ring.domain.is_QQ else Polynomials(ring.domain)
        n, first = len(ring.gens), 0
        self._units, place = [1 << BITS * i for i in range(n)], 2 * n
        self._degrees: list[int] = []  # places of the degrees in the blocks
        for size in filter(None, blocks):
            self._degrees.append(BITS * (place - 1))
            for k in range(size):  # the degree in all letters of the block but the last k
                place -= 1
                for i in range(first, first + size - k):
                    self._units[i] += 1 << BITS * place
            first += size
        self._low = (1 << BITS * n) - 1
        self._free = sum(1 << BITS * i + BITS - 1 for i in range(n))
        self.one = self.numbers.one
        self._known: dict[PolyElement, Divisor] = {}
        self._exact: dict[PolyElement, Quotient] = {}

    def basis(self, polynomials: Iterable[PolyElement]) -> list[PolyElement]:
        """The reduced basis of an ideal, monic, the largest leading monomials first."""
        given = [self._packed(p) for p in polynomials if p]
        return [self.element(Quotient(d.terms, d.coefficient)) for d in self._reduced(self._grown(given))]

    def remainder(self, p: PolyElement, basis: Sequence[PolyElement]) -> PolyElement:
        """What is left of a polynomial when a basis is taken from it."""
        return self.element(self.left(self.quotient(p), basis)) if p and basis else p

    def left(self, p: Quotient, basis: Sequence[PolyElement]) -> Quotient:
        if not basis:
            return p
        rest, multiplier = self._rest(dict(p.terms), [self._packed(g) for g in basis])
        return Quotient(rest, p.divisor * multiplier)

    def along(self, p: PolyElement, rates: Sequence[PolyElement]) -> Quotient:
        """Σ ∂p/∂x ẋ, with a rate for each letter x."""
        whole, field = self.quotient(p), (1 << BITS) - 1
        slopes = [
            {m - unit: c * (m >> BITS * i & field) for m, c in whole.terms.items() if m >> BITS * i & field}
            for i, unit in enumerate(self._units)
        ]
        pairs = zip(slopes, rates, strict=True)
        return self.total((Quotient(slope, whole.divisor), self.quotient(rate)) for slope, rate in pairs)

    def total(self, products: Iterable[tuple[Quotient, Quotient]]) -> Quotient:
        """Σ a b."""
        pairs = [(a, b) for a, b in products if a.terms and b.terms]
        (factors, common) = self.numbers.common([a.divisor * b.divisor for a, b in pairs])
        terms: Terms = {}
        for (a, b), factor in zip(pairs, factors, strict=True):
            self.work.spend(self.numbers.weight * len(a.terms) * len(b.terms))
            for m, c in a.terms.items():
                c = c * factor
                for k, d in b.terms.items():
                    terms[m + k] = terms.get(m + k, 0) + c * d
        return Quotient({m: c for m, c in terms.items() if c}, common)

    # monomials

    def _divides(self, exponents: int, m: int) -> bool:
        return ((m & self._low | self._free) - exponents) & self._free == self._free

    def lcm(self, a: int, b: int) -> int:
        """The least common multiple of two monomials."""
        return self._lcm(a & self._low, b & self._low)

    def _lcm(self, a: int, b: int) -> int:
        larger = (a | self._free) - b & self._free
        mask = larger - (larger >> BITS - 1)
        exponents, field = a & mask | b & ~mask, (1 << BITS) - 1
        return sum((exponents >> BITS * i & field) * unit for i, unit in enumerate(self._units))

    def _degree(self, m: int) -> int:
        return sum(m >> place & (1 << BITS) - 1 for place in self._degrees)

    # polynomials of SymPy and terms

    def _monomial(self, exponents: Iterable[int]) -> int:
        return sum(e * unit for e, unit in zip(exponents, self._units, strict=True) if e)

    def quotient(self, p: PolyElement) -> Quotient:
        known = self._exact.get(p)
        if known is None:
            coefficients, common = self.numbers.whole(list(p.values()))
            known = Quotient(dict(zip(map(self._monomial, p), coefficients, strict=True)), common)
            self._exact[p] = known
        return known

    def element(self, p: Quotient) -> PolyElement:
        fraction = self.numbers.fraction
        return self.ring.from_dict({m: fraction(c, p.divisor) for m, c in self.monomials(p)})

    def monomials(self, p: Quotient) -> Iterable[tuple[tuple[int, ...], Any]]:
        """Exponents and whole coefficients."""
        places, field = [BITS * i for i in range(len(self._units))], (1 << BITS) - 1
        return ((tuple(m >> place & field for place in places), c) for m, c in p.terms.items())

    def _packed(self, p: PolyElement) -> Divisor:
        known = self._known.get(p)
        if known is None:
            terms = dict(self.quotient(p).terms)
            known = self._known[p] = self._divisor(terms, max(map(self._degree, terms)))
        return known

    def _divisor(self, terms: Terms, sugar: int) -> Divisor:
        """Without a common factor of the coefficients."""
        common = reduce(self.numbers.gcd, terms.values())
        if common != 1:
            terms = {m: self.numbers.quotient(c, common) for m, c in terms.items()}
        lead = max(terms)
        coefficient = terms.pop(lead)
        tail = tuple(terms.items())
        cost = self.numbers.cost(coefficient) + sum(self.numbers.cost(c) for _, c in tail)
        return Divisor(lead, lead & self._low, coefficient, tail, cost, sugar)

    # reduction

    def _rest(self, p: Terms, divisors: Sequence[Divisor], whole: bool = True) -> tuple[Terms, Any]:
        """A multiple of p without the multiples of divisors, and the multiplier. `whole`: not only the leading term."""
        free, low, number = self._free, self._low, self.numbers
        rest: Terms = {}
        multiplier: Any = 1
        heap = [-m for m in p]
        heapify(heap)
        while heap:
            m = -heappop(heap)
            c = p.pop(m, None)
            if c is None:
                continue
            place = m & low | free
            for d in divisors:
                if (place - d.exponents) & free == free:
                    break
            else:
                rest[m] = c
                if not whole:
                    rest.update(p)
                    return rest, multiplier
                continue
            shift = m - d.lead
            common = number.gcd(c, d.coefficient)
            times, factor = number.quotient(d.coefficient, common), number.quotient(c, common)
            self.work.spend(number.weight * d.cost * number.cost(factor))
            if times != 1:
                self.work.spend(number.weight * (len(p) + len(rest)))
                multiplier = multiplier * times
                for t in p:
                    p[t] *= times
                for t in rest:
                    rest[t] *= times
            for t, a in d.tail:
                t += shift
                old = p.get(t)
                if old is None:
                    p[t] = -factor * a
                    heappush(heap, -t)
                else:
                    new = old - factor * a
                    if new:
                        p[t] = new
                    else:
                        del p[t]
        return rest, multiplier

    def _reduced(self, basis: Sequence[Divisor]) -> list[Divisor]:
        """Each without multiples of the others. The basis has no leading monomial that another divides."""
        found = []
        for d in sorted(basis, key=lambda d: d.lead, reverse=True):
            rest, multiplier = self._rest(dict(d.tail), basis)
            found.append(self._divisor({d.lead: d.coefficient * multiplier, **rest}, d.sugar))
        return found

    # Buchberger

    def _grown(self, given: Sequence[Divisor]) -> list[Divisor]:
        """A basis of the ideal, minimal but not reduced."""
        kept: list[Divisor] = []
        pairs: list[tuple[int, int, Divisor, Divisor]] = []  # sugar, least common multiple, two polynomials
        for d in sorted(given, key=lambda d: d.lead):
            rest, _ = self._rest(d.terms, kept)
            if rest:
                kept, pairs = self._with(self._divisor(rest, d.sugar), kept, pairs)
        while pairs:
            chosen = min(range(len(pairs)), key=lambda i: pairs[i][:2])
            sugar, multiple, f, g = pairs.pop(chosen)
            rest, _ = self._rest(self._s(multiple, f, g), kept)
            if rest:
                fresh = self._divisor(rest, sugar)
                if not fresh.lead:
                    return [fresh]
                kept, pairs = self._with(fresh, kept, pairs)
        return kept

    def _s(self, multiple: int, f: Divisor, g: Divisor) -> Terms:
        """The S-polynomial."""
        number = self.numbers
        common = number.gcd(f.coefficient, g.coefficient)
        a, b = number.quotient(g.coefficient, common), number.quotient(f.coefficient, common)
        self.work.spend(number.weight * (f.cost * number.cost(a) + g.cost * number.cost(b)))
        shift, other = multiple - f.lead, multiple - g.lead
        terms = {t + shift: a * c for t, c in f.tail}
        for t, c in g.tail:
            t += other
            new = terms.get(t, 0) - b * c
            if new:
                terms[t] = new
            else:
                del terms[t]
        return terms

    def _with(
        self, h: Divisor, kept: list[Divisor], pairs: list[tuple[int, int, Divisor, Divisor]]
    ) -> tuple[list[Divisor], list[tuple[int, int, Divisor, Divisor]]]:
        """Basis and pairs with one polynomial more, without the pairs that Gebauer's and Möller's criteria drop."""
        self.work.spend(len(kept) + len(pairs))
        multiples = {id(g): self._lcm(g.exponents, h.exponents) for g in kept}
        first: list[tuple[int, bool, Divisor]] = []  # for each multiple one pair, a product if there is one
        for g in sorted(kept, key=lambda g: (multiples[id(g)], multiples[id(g)] != g.lead + h.lead)):
            multiple = multiples[id(g)]
            if not any(self._divides(m & self._low, multiple) for m, _, _ in first):
                first.append((multiple, multiple == g.lead + h.lead, g))
        fresh = [(self._sugar(m, g, h), m, g, h) for m, product, g in first if not product]

        def chained(multiple: int, *ends: Divisor) -> bool:
            return self._divides(h.exponents, multiple) and all(
                (multiples.get(id(g)) or self._lcm(g.exponents, h.exponents)) != multiple for g in ends
            )

        old = [pair for pair in pairs if not chained(*pair[1:])]
        return [*(g for g in kept if not self._divides(h.exponents, g.lead)), h], [*old, *fresh]

    def _sugar(self, multiple: int, f: Divisor, g: Divisor) -> int:
        return self._degree(multiple) + max(d.sugar - self._degree(d.lead) for d in (f, g))
