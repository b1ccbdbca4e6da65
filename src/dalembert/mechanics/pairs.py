"""Terms of a sum that are combined in pairs, one pair after the other, until there is none.

    r sin²a + r cos²a = r                   r − r sin²a = r cos²a, and with sine and cosine exchanged
    r cos a cos b ± r sin a sin b = r cos(a ∓ b)
    r sin a cos b ± r cos a sin b = r sin(a ± b)
    r ρ² − r x = r y                        if ρ = √(x + y) is a root of the expression

Each rule turns two terms into one, so the procedure ends. Two terms with products of sines and cosines can be partners
only if they are equal with cosines for all sines. Such terms are a family, and partners are sought in the family alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import ONE, ZERO
from dalembert.mechanics.terms import BITS, Monomial, Terms, name_of, partner

Rule = tuple[tuple[Any, ...], int, int]  # its rank among others, and the places of the factors that a term loses
Made = tuple[Monomial, Monomial, Any]  # the partner of a term, and the term that the two make
TURNED, SQUARED, ADDED = range(3)  # ranks of rules


def gather(terms: Terms, roots: Mapping[Any, Any]) -> None:
    """Combine the first pair of terms again and again. `roots` are those of the expression, by their letters."""
    _Pairs(terms, roots).gather()


class _Pairs:
    def __init__(self, terms: Terms, roots: Mapping[Any, Any]):
        self._terms, self._numbers = terms, terms.numbers
        self._turns: dict[int, Monomial] = {}  # by the place of a sine: cosine/sine, and inversely
        self._sines: list[tuple[int, Monomial, Monomial]] = []  # place, cosine/sine, cosine
        self._rules: dict[Monomial, Rule | None] = {}
        self._sums: dict[tuple[int, int, bool], tuple[Monomial, Any]] = {}
        self._squares = [
            (terms.place(letter), [(self._here(square, m), number) for m, number in square.numbers.items()])
            for letter, root in roots.items()
            if len((square := Terms(root.args[0])).numbers) == 2
        ]
        for factor in tuple(terms.factors):
            self._add_wave(factor)
        self._families: dict[Monomial, set[Monomial]] = defaultdict(set)
        self._family = {one: self._family_of(one) for one in self._numbers}
        for one, family in self._family.items():
            self._families[family].add(one)
        self._places = {one: place for place, one in enumerate(self._numbers)}

    def _here(self, square: Terms, monomial: Monomial) -> Monomial:
        """The monomial of another sum as one of this sum."""
        return self._terms.monomial(dict(zip(square.factors, square.powers(monomial), strict=True)))

    def _add_wave(self, factor: Any) -> None:
        """Note by what a sine and the cosine of the same angle are exchanged."""
        if type(factor) not in (se.sin, se.cos) or self._terms.place(factor) in self._turns:
            return
        for one, other in ((factor, partner(factor)), (partner(factor), factor)):
            place, cosine = self._terms.place(one), self._terms.unit(other)
            self._turns[place] = cosine - self._terms.unit(one)
            if type(one) is se.sin:
                self._sines.append((place, self._turns[place], cosine))

    def _family_of(self, monomial: Monomial) -> Monomial:
        powers = self._terms.powers(monomial)
        return monomial + sum([powers[i] * turn for i, turn, _ in self._sines if powers[i]])

    def gather(self) -> None:
        """A term without a partner is tried again when a term appears that could be its partner."""
        queue = [(place, one) for one, place in self._places.items()]
        count = len(queue)
        while queue:
            place, one = heappop(queue)
            if self._places.get(one) != place:
                continue
            found = self._in_roots(one) or self._in_family(one)
            if found is None:
                continue
            two, made, number = found
            total = self._numbers.get(made, ZERO) + number
            for gone in {one, two, made} & self._numbers.keys():
                self._families[self._family[gone]].remove(gone)
                del self._places[gone], self._numbers[gone]
            if total == ZERO:
                continue
            for other in self._seekers(made):
                if self._places[other] < place:
                    heappush(queue, (self._places[other], other))
            self._families[self._family[made]].add(made)
            self._numbers[made], self._places[made] = total, count
            heappush(queue, (count, made))
            count += 1

    def _seekers(self, made: Monomial) -> list[Monomial]:
        """The terms of which a new term could be the partner."""
        family = self._family[made] = self._family_of(made)
        if self._squares:
            return [*self._places]
        found = [one for one in self._families.get(family, ()) if self._rule(made - one)]
        return found + [one for _, _, cosine in self._sines for one in self._families.get(family + 2 * cosine, ())]

    def _in_roots(self, one: Monomial) -> Made | None:
        """r ρ² − r x = r y with ρ² = x + y."""
        for i, parts in self._squares:
            if self._terms.powers(one)[i]:
                rest = one - (2 << BITS * i)
                for (x, m), (y, n) in (parts, parts[::-1]):
                    if self._numbers.get(rest + x, ZERO) == -m * self._numbers[one]:
                        return rest + x, rest + y, n * self._numbers[one]
        return None

    def _in_family(self, one: Monomial) -> Made | None:
        """The first partner of a term, by the names of the sines and cosines, and the term that the two make."""
        powers, family = self._terms.powers(one), self._families[self._family[one]]
        squared = max(powers, default=0) > 1
        if len(family) == 1 and not squared:
            return None
        number = self._numbers[one]
        fitting: list[tuple[tuple[Any, ...], Monomial, int, int]] = []
        for two in family:
            change = two - one
            rule = self._rules[change] if change in self._rules else self._rule(change)
            if rule is None:
                continue
            rank, i, j = rule
            other = self._numbers[two]
            turned = i == j and powers[i] > 1 and other == number
            if turned or (i != j and powers[i] > 0 < powers[j] and abs(other) == abs(number)):
                fitting.append((rank, two, i, j))
        for i, power in enumerate(powers) if squared else ():
            rest = one - (2 << BITS * i)
            if power > 1 and i in self._turns and self._numbers.get(rest, ZERO) == -number:
                fitting.append(((name_of(self._terms.factors[i]), SQUARED), rest, i, i))
        if not fitting:
            return None
        rank, two, i, j = min(fitting)
        if rank[1] == TURNED:  # r sin² + r cos² = r
            return two, one - (2 << BITS * i), number
        if rank[1] == SQUARED:  # r − r sin² = r cos²
            return two, one + 2 * self._turns[i], -number
        change, sign = self._sum(i, j, self._numbers[two] == number)
        return two, one + change, sign * number

    def _rule(self, change: Monomial) -> Rule | None:
        """How a term becomes another one of its family: by a square, or by a sine or cosine and a cosine."""
        if change not in self._rules:
            factors = self._terms.factors
            lost = sorted((name_of(factors[i]), i, p) for i, p in enumerate(self._terms.powers(change)) if p < 0)
            rule: Rule | None = None
            if [p for _, _, p in lost] == [-2]:
                rule = (lost[0][0], TURNED), lost[0][1], lost[0][1]
            elif [p for _, _, p in lost] == [-1, -1] and type(factors[lost[0][1]]) is se.cos:
                # cos sorts before sin. Two sines: the pair is found from the term with the cosines.
                first, second = lost if type(factors[lost[1][1]]) is se.cos else lost[::-1]
                rule = (first[0], ADDED, second[0]), first[1], second[1]
            self._rules[change] = rule
        return self._rules[change]

    def _sum(self, i: int, j: int, same: bool) -> tuple[Monomial, Any]:
        """The sine or cosine of two angles over the product that it replaces, and its sign."""
        if (i, j, same) not in self._sums:
            wave, other = self._terms.factors[i], self._terms.factors[j]
            a, b = wave.args[0], other.args[0]
            if type(wave) is se.cos:
                made = se.cos(_ordered(a, b) if same else se.expand(a + b))
            else:
                made = se.sin(se.expand(a + b if same else a - b))
            sign = ONE
            if type(made) is se.Mul:  # SymEngine takes the sign out: sin(−x) = −sin x
                sign, made = made.args
            self._add_wave(made)
            self._sums[i, j, same] = self._terms.monomial({made: 1, wave: -1, other: -1}), sign
        return self._sums[i, j, same]


def _ordered(a: Any, b: Any) -> Any:
    """a − b or b − a, whichever is in alphabetical order. For even functions."""
    return se.expand(a - b if name_of(a) <= name_of(b) else b - a)
