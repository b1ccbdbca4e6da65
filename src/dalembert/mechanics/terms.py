"""The terms of a sum, and the sum with its common factors taken out.

A monomial is one whole number: Σ pᵢ 2^(32 i), where pᵢ is the power of factor i. The product of two monomials is then
the sum of their numbers, and one look into a dictionary tells whether a sum has a term.

Tangents count as quotients of sines and cosines until the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import gcd
from struct import unpack
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import ONE, ZERO

BITS = 32  # of a power in a monomial
LARGEST_POWER = 2**12  # x to a larger power is a factor of its own

Monomial = int
Numbers = dict[Monomial, Any]


class Terms:
    """The numbers of a sum by monomial, in the order of the names, so that it is the same on every machine."""

    def __init__(self, expression: Any, expand: bool = False):
        self.factors: list[Any] = []
        self._units: dict[Any, Monomial] = {}  # of factor i: 2^(32 i)
        self._middle = 0  # Σ 2^31 2^(32 i)
        self._parts: dict[Any, Monomial] = {}  # of products
        self._sums: dict[Any, Numbers] = {}  # that are multiplied out
        own = expand and _is_polynomial(expression)
        found = self._read(expression.expand() if expand and not own else expression, own)
        places = sorted(range(len(self.factors)), key=lambda i: name_of(self.factors[i]))

        def by_name(monomial: Monomial) -> list[tuple[int, int]]:
            powers = self.powers(monomial)
            return [(rank, powers[i]) for rank, i in enumerate(places) if powers[i]]

        order = sorted(found, key=by_name) if len(found) > 1 else found
        self.numbers: Numbers = {monomial: found[monomial] for monomial in order if found[monomial] != ZERO}

    def _read(self, expression: Any, expand: bool) -> Numbers:
        """The numbers by monomial. Sums in products are multiplied out if `expand`, and are factors if not."""
        found: Numbers = {}
        for term in expression.args if type(expression) is se.Add else (expression,):
            number, monomial, sums = ONE, 0, []
            for part in term.args if type(term) is se.Mul else (term,):
                if part in self._parts:
                    monomial += self._parts[part]
                elif part.is_Number:
                    number *= part
                elif expand and is_power_of_sum(part):
                    base, power = part.args if type(part) is se.Pow else (part, 1)
                    if base not in self._sums:
                        self._sums[base] = self._read(base, expand)
                    sums += [self._sums[base]] * int(power)
                else:
                    self._parts[part] = self.monomial(_powers(part))
                    monomial += self._parts[part]
            product = {monomial: number}
            for numbers in sums:
                product = _product(product, numbers)
            for monomial, number in product.items():
                found[monomial] = found[monomial] + number if monomial in found else number
        return found

    def unit(self, factor: Any) -> Monomial:
        """The monomial of a factor."""
        if factor not in self._units:
            place = len(self.factors)
            self.factors.append(factor)
            self._units[factor] = 1 << BITS * place
            self._middle += 1 << BITS * place + BITS - 1
        return self._units[factor]

    def place(self, factor: Any) -> int:
        return self.unit(factor).bit_length() // BITS

    def monomial(self, powers: Mapping[Any, int]) -> Monomial:
        return sum(power * self.unit(factor) for factor, power in powers.items())

    def powers(self, monomial: Monomial) -> tuple[int, ...]:
        """The powers of the factors. A negative power borrows from the next one, unless 2^31 is added to each."""
        count = len(self.factors)
        apart = (monomial + self._middle) ^ self._middle
        return unpack(f"<{count}i", apart.to_bytes(BITS // 8 * count, "little"))

    def least_length(self) -> int:
        """A lower bound for the characters of `factored`.

        Every term but the first brings " + ", and every factor but a term's first brings "*". Factors that all terms
        share count nothing. Only symbols, sines and cosines do surely not merge with others.
        """
        columns = [*zip(self.factors, zip(*map(self.powers, self.numbers), strict=True), strict=bool(self.numbers))]
        if any(type(f) is not se.Symbol and (type(f) not in (se.sin, se.cos) or min(c) < 0) for f, c in columns):
            return 0
        count = len(self.numbers)
        return 2 * count - 3 + sum((count - c.count(0)) * (len(str(f)) + 1) for f, c in columns if min(c) <= 0)

    def factored(self) -> Any:
        """The sum, with the factors that all of its terms share taken out."""
        if not self.numbers:
            return ZERO
        rows = [self.powers(monomial) for monomial in self._with_tangents()]
        shared = []
        for factor, column in zip(self.factors, zip(*rows, strict=True), strict=True):
            least, most = min(column), max(column)
            shared.append(least if least > 0 else most if most < 0 and type(factor) is se.Add else 0)
        number = _common(list(self.numbers.values()))
        rests = []
        for row, n in zip(rows, self.numbers.values(), strict=True):
            rests += _spread(self._joined([p - common for p, common in zip(row, shared, strict=True)]) * (n / number))
        return number * self._joined(shared) * se.Add(*rests)

    def _with_tangents(self) -> list[Monomial]:
        """The monomials with sin a/cos a as tan a."""
        found = list(self.numbers)
        for sine in [factor for factor in self.factors if type(factor) is se.sin and partner(factor) in self._units]:
            i, j = self.place(sine), self.place(partner(sine))
            rows = [self.powers(monomial) for monomial in found]
            if any(row[j] < 0 < row[i] for row in rows):
                tangent = self.unit(se.tan(sine.args[0])) - self.unit(sine) + self.unit(partner(sine))
                found = [m + max(min(row[i], -row[j]), 0) * tangent for m, row in zip(found, rows, strict=True)]
        return found

    def _joined(self, powers: Sequence[int]) -> Any:
        factors = zip(self.factors, powers, strict=True)
        return se.Mul(*[factor if power == 1 else factor**power for factor, power in factors if power])


def _product(one: Numbers, two: Numbers) -> Numbers:
    found: Numbers = {}
    for m, a in one.items():
        for n, b in two.items():
            found[m + n] = found[m + n] + a * b if m + n in found else a * b
    return found


def is_power_of_sum(part: Any) -> bool:
    """Whether a part is a sum, or a power or root of one."""
    return type(part) is se.Add or (type(part) is se.Pow and type(part.args[0]) is se.Add)


@lru_cache(maxsize=65536)
def _is_polynomial(expression: Any) -> bool:
    """Whether an expression has only sums, products and powers of symbols, sines and cosines, and exact numbers."""
    kind = type(expression)
    if kind is se.Add or kind is se.Mul:
        return all(map(_is_polynomial, expression.args))
    if kind is se.Pow:
        base, exponent = expression.args
        return exponent.is_Integer and _is_polynomial(base) and (exponent.is_positive or type(base) is not se.Add)
    if kind is se.sin or kind is se.cos:
        return bool(expression.expand() == expression)
    return kind is se.Symbol or bool(expression.is_Rational)


def _powers(part: Any) -> dict[Any, int]:
    """The factors of a part of a product, and their powers."""
    whole = type(part) is se.Pow and part.args[1].is_Integer and abs(part.args[1]) < LARGEST_POWER
    base, power = (part.args[0], int(part.args[1])) if whole else (part, 1)
    if type(base) is se.tan:
        return {se.sin(base.args[0]): power, se.cos(base.args[0]): -power}
    return {base: power}


@lru_cache(maxsize=65536)
def name_of(base: Any) -> str:
    """A text of a factor that does not depend on the internal order of its parts."""
    if not base.args:
        return str(base)
    return f"{type(base).__name__}({', '.join(sorted(map(name_of, base.args)))})"


@lru_cache(maxsize=4096)
def partner(wave: Any) -> Any:
    """The cosine of the same angle as a sine, or the sine as a cosine."""
    return (se.cos if type(wave) is se.sin else se.sin)(wave.args[0])


def _common(numbers: list[Any]) -> Any:
    """The common factor of the numbers: their size if equal, or the gcd of integers, negative if all are negative."""
    if len(numbers) == 1:
        return ONE
    sign = -1 if all(n < 0 for n in numbers) else 1
    if all(abs(n) == abs(numbers[0]) for n in numbers):
        return sign * abs(numbers[0])
    return se.Integer(sign * (gcd(*map(int, numbers)) if all(n.is_Integer for n in numbers) else 1))


def _spread(term: Any) -> list[Any]:
    """The terms of a sum that only a number multiplies."""
    number, rest = term.args if type(term) is se.Mul and len(term.args) == 2 else (ONE, term)
    whole = number.is_Number and type(rest) is se.Add
    return [number * part for part in rest.args] if whole else [term]
