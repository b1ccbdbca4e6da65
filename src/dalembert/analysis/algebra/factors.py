"""Factors of polynomials that can be zero, and sums of squares, in the ring of a mechanical system."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.polys.orderings import grevlex
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.analysis.algebra.rings import Ring
from dalembert.mechanics.factors import irreducible, monomial_content

LONGEST = 16  # largest number of terms of a polynomial that is factored
EACH = 200  # work of factoring, for each term


class Factors:
    """Factorization over the rationals. Constants are letters too."""

    def __init__(self, ring: Ring):
        self.whole, self.ring, self.kept = ring, ring.ring, ring.kept
        self.flat = PolyRing((*ring.letters, *ring.kept), sp.QQ, grevlex)
        self._known: dict[PolyElement, list[PolyElement]] = {}

    def __call__(self, g: PolyElement) -> list[PolyElement]:
        """Distinct factors that can be zero. Of a long polynomial only single letters: factoring takes too long."""
        if g not in self._known:
            self._known[g] = self._found(g)
        return self._known[g]

    def _found(self, g: PolyElement) -> list[PolyElement]:
        found = []
        for f in self._parts(g):
            here = self.whole.reduced(self._lifted(f), self.whole.base)
            if not here or here.is_ground or self._never(here):
                continue
            found.append(here.monic())
        return list(dict.fromkeys(found))

    def _parts(self, g: PolyElement) -> list[PolyElement]:
        flat = self._flattened(g)
        if len(flat) <= LONGEST:
            self.whole.bases.work.spend(EACH * len(flat))
            found = [[f for f, _ in irreducible(p)] for p in (flat, *self._in_sines(flat))]
            return max(found, key=len)
        letters, rest = monomial_content(flat)
        return [*(s for s, _ in letters), rest]

    def _in_sines(self, flat: PolyElement) -> list[PolyElement]:
        """The same with cos² replaced by 1 − sin² for one angle: cos² − 1 hides the factor sin."""
        places = {s: i for i, s in enumerate(self.flat.symbols)}
        found = []
        for sine, cosine in self.whole.problem.pairs:
            place = places[cosine]
            if all(monomial[place] < 2 for monomial in flat.monoms()):
                continue
            s, c = self.flat.gens[places[sine]], self.flat.gens[place]
            turned = self.flat.zero
            for monomial, coefficient in flat.terms():
                power = monomial[place]
                rest = (*monomial[:place], 0, *monomial[place + 1 :])
                turned += self.flat.from_dict({rest: coefficient}) * c ** (power % 2) * (1 - s**2) ** (power // 2)
            found.append(turned)
        return found

    def _never(self, f: PolyElement) -> bool:
        """Whether a factor can never be zero, because it divides something that cannot."""
        return any(not p.is_ground and not self.whole.reduced(p, [f]) for p in self.whole.nonzero)

    def stripped(self, p: PolyElement) -> PolyElement:
        product = self.ring.one
        for f in self(p):
            product *= f
        return product

    def definite(self, g: PolyElement) -> list[PolyElement] | None:
        """The letters that must vanish with a sum of even monomials of one sign. [] if the sum cannot vanish."""
        if len(g) < 2:
            return None
        signs = set()
        for monomial, coefficient in g.terms():
            if any(e % 2 for e in monomial):
                return None
            signs.add(self._number(coefficient) > 0)
        if len(signs) != 1:
            return None
        parts = []
        for monomial in g.monoms():
            root = tuple(e // 2 for e in monomial)
            if not any(root):
                return []
            parts.append(self.ring.from_dict({root: self.whole.domain.one}))
        return parts

    def _number(self, coefficient: Any) -> float:
        if not self.kept:
            return float(coefficient)
        return float(self.whole.domain.to_sympy(coefficient).subs(self.whole.numbers))

    def _flattened(self, g: PolyElement) -> PolyElement:
        """The polynomial over the rationals, with constants as letters and without denominators."""
        if not self.kept:
            return g.set_ring(self.flat)
        bases = self.whole.bases
        terms = {(*m, *k): sp.QQ(c) for m, part in bases.monomials(bases.quotient(g)) for k, c in part.items()}
        return self.flat.from_dict(terms)

    def _lifted(self, f: PolyElement) -> PolyElement:
        return self.whole.lifted(f)
