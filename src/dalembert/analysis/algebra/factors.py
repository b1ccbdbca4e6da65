"""Factors of polynomials that can be zero, and sums of squares, in the ring of a mechanical system."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.polys.orderings import grevlex
from sympy.polys.rings import PolyElement, PolyRing

from dalembert.analysis.algebra.rings import Ring

LONGEST = 16  # largest number of terms of a polynomial that is factored


class Factors:
    """Factorization over the rationals. Constants are letters too."""

    def __init__(self, ring: Ring):
        self.whole, self.ring, self.kept = ring, ring.ring, ring.kept
        self.flat = PolyRing((*ring.letters, *ring.kept), sp.QQ, grevlex)

    def __call__(self, g: PolyElement) -> list[PolyElement]:
        """Distinct factors that can be zero. Of a long polynomial only single letters: factoring takes too long."""
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
            found = [[f for f, _ in p.factor_list()[1]] for p in (flat, *self._in_sines(flat))]
            return max(found, key=len)
        common = tuple(map(min, zip(*flat.monoms(), strict=True)))
        rest = flat.quo(self.flat.from_dict({common: sp.QQ.one}))
        return [*(s for s, e in zip(self.flat.gens, common, strict=True) if e), rest]

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
        return any(not p.is_ground and not p.rem([f]) for p in self.whole.nonzero)

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
        return self.flat.from_expr(sp.numer(sp.together(g.as_expr())))

    def _lifted(self, f: PolyElement) -> PolyElement:
        return self.ring.from_expr(f.as_expr()) if self.kept else f.set_ring(self.ring)
