"""The states from which a motion satisfies conditions for ever, as varieties. They are found by splitting into factors.

The result is the largest set within f = 0 that the flow L maps into itself. If a product vanishes along an analytic
motion, one of its factors vanishes for ever. So every motion in the set lies in one of the branches:

    branch G:  a Gröbner basis;  1 ∈ G: empty;  g = Π f_i: one branch for each f_i;  a sum of squares: all of them
               L g ∉ (G) for some g ∈ G: add it;  else (G) is closed under L, and V(G) is invariant: a component

Every step enlarges an ideal of polynomials, so this ends (Noether). `L` is multiplied by the determinant of the system
for the accelerations, which is not zero where the motion is defined. This runs in a child process with SymPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement

from dalembert.analysis.algebra.factors import Factors
from dalembert.analysis.algebra.rings import InRings, Ring, smaller
from dalembert.analysis.algebra.units import InUnits, in_units
from dalembert.analysis.algebra.work import Work
from dalembert.errors import MathematicsError

MOST = 400  # largest number of branches
MOST_WORK = 1_000_000  # operations on terms, with constants as numbers and as letters: about a second each
AHEAD, WIDE = 3, 12  # conditions of the chain that are formed in advance, and their largest number of terms
SHORT = 4  # largest number of terms of a polynomial that is factored before a basis is computed


@dataclass(frozen=True)
class Invariant:
    """The generators of every component, besides the relations. `always`: the constraints alone are invariant."""

    components: tuple[tuple[Any, ...], ...]
    always: bool
    first: tuple[Any, ...]  # numerators of Φ₁ on the constraints, made simple
    symbolic: bool


def decomposed(problem: InRings) -> Iterator[Invariant]:
    """Yield the components with constants as numbers, which decides, then with constants as letters, for reading.

    The second answer is dropped if it is a different set. Letters stand for numbers without special relations. In units
    in which all constants are 1, both answers are one.
    """
    scaled = in_units(problem)
    if scaled is not None and not any(number for _, number in scaled.problem.constants):
        alone = _restored(_answered(scaled.problem, False), scaled)
        if alone is not None:
            yield alone
            return
    decided = _answered(problem, False)
    yield decided
    if any(number for _, number in problem.constants):
        readable = _answered(problem, True) if scaled is None else _restored(_answered(scaled.problem, True), scaled)
        if readable is not None and _alike(readable, decided):
            yield readable


def _answered(problem: InRings, symbolic: bool) -> Invariant:
    work = Work(MOST_WORK)
    return Decomposition(Ring(smaller(problem, symbolic, work), symbolic, work)).answer()


def _alike(one: Invariant, other: Invariant) -> bool:
    return one.always == other.always and len(one.components) == len(other.components)


def _restored(found: Invariant, scaled: InUnits) -> Invariant | None:
    """The same sets with all constants as letters, or None if roots of constants would be needed."""
    components = [scaled.restored(generators) for generators in found.components]
    first = scaled.restored(found.first)
    if first is None or None in components:
        return None
    return Invariant(tuple(c for c in components if c is not None), found.always, first, True)


class Decomposition:
    """The search for components."""

    def __init__(self, ring: Ring):
        self.whole, self.base, self.relations = ring, ring.base, ring.relations
        self.factors = Factors(ring)

    def answer(self) -> Invariant:
        """All components that are not contained in another."""
        first = self.whole.basis([*self.relations, *self.whole.conditions])
        left = [
            self.factors.stripped(p)
            for p in self.whole.turned([self.whole.reduced(f, first) for f in self.whole.asked])
        ]
        shown = tuple(self._shown(left))
        if not left and self._closed(first):
            return Invariant((tuple(self._written(first)),), True, (), bool(self.whole.kept))
        found: list[list[PolyElement]] = []
        stack: list[list[PolyElement]] = [[*first, *left, *self._further(left, first)]]
        tried: set[frozenset[PolyElement]] = set()
        while stack:
            branch = stack.pop()
            early = self._early(branch)
            if early is not None:
                stack += early
                continue
            G = self.whole.basis(branch)
            key = frozenset(G)
            if key in tried:
                continue
            if len(tried) > MOST:
                raise MathematicsError("more than {most} branches", most=MOST)
            tried.add(key)
            if any(g.is_ground for g in G):
                continue
            split = self._split(G)
            if split is not None:
                stack += [[*G, *more] for more in split]
                continue
            new = self.whole.turned([p for p in (self.whole.along(g, G) for g in G) if p])
            if new:
                stack.append([*G, *new])
            else:
                found.append(G)
        return Invariant(
            tuple(tuple(self._written(G)) for G in self._largest(found)), False, shown, bool(self.whole.kept)
        )

    def _further(self, left: Sequence[PolyElement], first: Sequence[PolyElement]) -> list[PolyElement]:
        """Φ₂, Φ₃, …, while they are short. With more conditions at once, a basis is found sooner."""
        found: list[PolyElement] = []
        for _ in range(AHEAD):
            left = [p for p in (self.whole.along(p, first) for p in left) if p and len(p) <= WIDE]
            left = [self.factors.stripped(p) for p in self.whole.turned(left)]
            found += left
        return found

    def _closed(self, G: Sequence[PolyElement]) -> bool:
        return not any(self.whole.along(g, G) for g in G)

    def _split(self, G: Sequence[PolyElement]) -> list[list[PolyElement]] | None:
        """Split G by a factor or by a sum of squares into branches. None if it does not split."""
        for g in sorted(G, key=len):
            if g in self.base:
                continue
            parts = self.factors.definite(g)
            if parts is not None:
                return [] if not parts else [parts]
            factors = self.factors(g)
            if any(not self.whole.reduced(f, G) for f in factors):  # a factor vanishes anyway
                continue
            if (len(factors) != 1 or factors[0] != g.monic()) and not self._implied(g, G):
                return [[f] for f in factors]
        return None

    def _early(self, branch: Sequence[PolyElement]) -> list[list[PolyElement]] | None:
        """Split by a short product before any basis is computed, because the branches are much simpler."""
        known = {p.monic() for p in branch if p}
        for g in sorted(branch, key=len):
            if not 0 < len(g) <= SHORT or g in self.base:
                continue
            factors = self.factors(g)
            if len(factors) > 1 and not known & set(factors) and not self._implied(g, branch):
                rest = [p for p in branch if p != g]
                return [[*rest, f] for f in factors]
        return None

    def _implied(self, g: PolyElement, G: Sequence[PolyElement]) -> bool:
        """Reduce by generators that are letters and by the relations. cos² = 1 with sin = 0 must not split into ±1."""
        letters = [h for h in G if h != g and len(h) == 1]
        if not self.relations or not letters:
            return False
        return not self.whole.reduced(g, self.whole.basis([*self.relations, *letters]))

    def _largest(self, found: Sequence[list[PolyElement]]) -> list[list[PolyElement]]:
        """Components that are not contained in another."""
        kept: list[list[PolyElement]] = []
        for i, G in enumerate(found):
            inside = any(
                i != j
                and all(not self.whole.reduced(h, G) for h in H)
                and (j < i or any(self.whole.reduced(g, H) for g in G))
                for j, H in enumerate(found)
            )
            if not inside:
                kept.append(G)
        return kept

    def _written(self, G: Sequence[PolyElement]) -> list[Any]:
        """Generators besides the relations, the simplest first. Those that follow from others are dropped."""
        chosen: list[PolyElement] = []
        basis = list(self.base)
        for g in sorted(G, key=lambda p: (len(p), max(map(sum, p.monoms())), str(p))):
            if not self.whole.reduced(g, basis):
                continue
            chosen.append(g)
            basis = self.whole.basis([*self.relations, *chosen])
        return self._shown(chosen)

    def _shown(self, polynomials: Iterable[PolyElement]) -> list[Any]:
        shown = []
        for p in polynomials:
            e = sp.numer(sp.together(p.as_expr())) if self.whole.kept else p.clear_denoms()[1].as_expr()
            shown.append(sp.factor_terms(e, sign=True))
        return shown
