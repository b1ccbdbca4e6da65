"""Sines and cosines as letters of polynomials with exact numbers, so that terms which cancel disappear.

    sin a → S,  cos a → C,  S² = 1 − C²;   √(C²) = |C| → σ C,  σ² = 1;   √P → G
    0.1 + 0.2 → 3/10                       the written decimals, not the nearest doubles

An expanded polynomial in which no S (or no C) has a power above one is unique: it is zero, constant or free of a letter
exactly if it looks so. Quotients of sums and other functions are kept, with letters inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import symengine

from dalembert.expressions.numeric import rational_root

FORMS = ("cosines", "sines")  # the functions whose powers are kept
LONGEST = 400  # terms
Terms = list[tuple[Any, dict[Any, int]]]


class NoForm(Exception):
    """There is no polynomial of acceptable length."""


@dataclass
class Letters:
    """The letters given to functions so far: `angles[S or C]` is (sin or cos, argument), `signs[σ]` is a C or S,
    `roots[G]` is P."""

    names: dict[Any, Any] = field(default_factory=dict)
    angles: dict[Any, tuple[str, Any]] = field(default_factory=dict)
    pairs: dict[Any, Any] = field(default_factory=dict)  # S: C
    signs: dict[Any, Any] = field(default_factory=dict)
    roots: dict[Any, Any] = field(default_factory=dict)
    parsed: dict[int, Any] = field(default_factory=dict)  # for `take`
    _read: dict[Any, Any] = field(default_factory=dict)

    def read(self, e: Any) -> Any:
        """An expression in letters, not expanded."""
        e = symengine.sympify(e)
        if e in self._read:
            return self._read[e]
        kind = type(e).__name__
        if kind == "RealDouble":
            found = _exact(float(e))
        elif not e.args:
            found = e
        elif kind == "Piecewise":
            raise NoForm
        elif kind in {"sin", "cos", "tan"}:
            sine, cosine = self.angle(self.read(e.args[0]))
            found = {"sin": sine, "cos": cosine, "tan": sine / cosine}[kind]
        else:
            found = e.func(*(self.read(a) for a in e.args))
            if kind == "Pow" and found.free_symbols and e.args[1].is_Rational and int(2 * e.args[1]) % 2:
                found = self.rooted(self.read(e.args[0]), e.args[1])
        self._read[e] = found
        return found

    def angle(self, argument: Any) -> tuple[Any, Any]:
        place = len(self.names)
        for kind in ("sin", "cos"):
            if (kind, argument) not in self.names:
                letter = symengine.Symbol(f"{kind} {place}")
                self.names[kind, argument] = letter
                self.angles[letter] = kind, argument
        sine, cosine = self.names["sin", argument], self.names["cos", argument]
        self.pairs[sine] = cosine
        return sine, cosine

    def rooted(self, base: Any, exponent: Any) -> Any:
        """A root of a square without the root: |C| = σ C."""
        for form in FORMS:
            (coefficient, powers), *more = terms_of(self.normal(base, form))
            root = _root(coefficient)
            if more or root is None or any(n % 2 or g not in self.angles for g, n in powers.items()):
                continue
            found = root
            for letter, n in powers.items():
                if ("sign", letter) not in self.names:
                    sign = symengine.Symbol(f"sign {len(self.names)}")
                    self.names["sign", letter] = sign
                    self.signs[sign] = letter
                found *= (self.names["sign", letter] * letter) ** (n // 2)
            return found ** (2 * exponent)
        base = grouped(self.normal(base))
        if ("root", base) not in self.names:
            self.names["root", base] = symengine.Symbol(f"root {len(self.names)}")
            self.roots[self.names["root", base]] = base
        return self.names["root", base] ** (2 * exponent)

    def normal(self, e: Any, form: str = FORMS[0]) -> Any:
        """The expanded form, with powers of cosines (or sines) only."""
        e = symengine.expand(e)
        others = self.pairs if form == FORMS[0] else {cosine: sine for sine, cosine in self.pairs.items()}
        while True:
            high = {}
            for _, powers in terms_of(e):
                for base, n in powers.items():
                    if n > 1 and (base in others or base in self.signs):
                        square = 1 - others[base] ** 2 if base in others else 1
                        high[base**n] = base ** (n % 2) * square ** (n // 2)
                    elif n < 0 and base in self.signs:
                        high[base**n] = base ** (n % 2)
            if not high:
                return e
            e = symengine.expand(e.xreplace(high))

    def plain(self, letter: Any) -> Any:
        """The function that a letter stands for."""
        kind, argument = self.angles.get(letter) or ("sqrt", self.roots[letter])
        inner = {s: self.plain(s) for s in argument.free_symbols if s in self.angles or s in self.roots}
        return getattr(symengine, kind)(argument.xreplace(inner))

    def rate(self, e: Any, rates: dict[Any, Any]) -> Any:
        """d/dt of e, with the given rates of symbols."""
        total = 0
        for letter in e.free_symbols:
            if letter in rates:
                total += e.diff(letter) * rates[letter]
            elif letter in self.angles:
                kind, argument = self.angles[letter]
                sine, cosine = self.names["sin", argument], self.names["cos", argument]
                total += e.diff(letter) * (cosine if kind == "sin" else -sine) * self.rate(argument, rates)
            elif letter in self.roots:
                total += e.diff(letter) * self.rate(self.roots[letter], rates) / (2 * letter)
        return total


class Reader:
    """Reads expressions as normal polynomials. A root of a square takes the sign that it has at x."""

    def __init__(self, inputs: tuple[Any, ...], x: Iterable[float]):
        self.letters = Letters()
        self.at = dict(zip(inputs, x, strict=True))
        self.signs: dict[Any, int] = {}  # assumed signs of letters that stood under a root

    def __call__(self, e: Any, longest: int = LONGEST) -> Any:
        return short(self.letters.normal(self.signed(self.letters.read(e))), longest)

    def turns(self, e: Any) -> bool:
        """Whether an expression has sines or cosines."""
        return not self.letters.angles.keys().isdisjoint(self.letters.read(e).free_symbols)

    def spelled(self, e: Any) -> Any:
        """The expression with functions in place of letters."""
        met = e.free_symbols
        letters = self.letters
        return e.xreplace({s: letters.plain(s) for s in met if s in letters.angles or s in letters.roots})

    def signed(self, found: Any) -> Any:
        numbers = {}
        for sign in self.letters.signs.keys() & found.free_symbols:
            letter = self.letters.signs[sign]
            value = float(self.letters.plain(letter).xreplace(self.at))
            if abs(value) < 1e-6:
                raise NoForm
            numbers[sign] = self.signs[letter] = 1 if value > 0.0 else -1
        return found.xreplace(numbers)


def short(e: Any, longest: int = LONGEST) -> Any:
    if len(terms_of(e)) > longest:
        raise NoForm
    return e


def terms_of(e: Any) -> Terms:
    """The terms of a sum: for each a number and its factors with integer powers (other factors have power one)."""
    found: Terms = []
    for term in e.args if type(e).__name__ == "Add" else (e,):
        coefficient, powers = symengine.Integer(1), {}
        for factor in term.args if type(term).__name__ == "Mul" else (term,):
            if type(factor) is symengine.Symbol:
                powers[factor] = 1
            elif factor.is_number and not factor.free_symbols:
                coefficient *= factor
            elif type(factor).__name__ == "Pow" and factor.args[1].is_Integer:
                powers[factor.args[0]] = int(factor.args[1])
            else:
                powers[factor] = 1
        found.append((coefficient, powers))
    return found


def grouped(e: Any) -> Any:
    """A sum with common factors taken out, the most common first (Horner's rule in several letters)."""
    return _grouped(terms_of(e)) if type(e).__name__ == "Add" else e


def _grouped(terms: Terms) -> Any:
    if len(terms) == 1:
        return _product(*terms[0])
    front: dict[Any, int] = {}
    for base in terms[0][1]:
        low = min(powers.get(base, 0) for _, powers in terms)
        high = max(powers.get(base, 0) for _, powers in terms)
        if low > 0 or high < 0:
            front[base] = low if low > 0 else high
    if front:
        rest = [(c, {b: n - front.get(b, 0) for b, n in powers.items() if n != front.get(b, 0)}) for c, powers in terms]
        return _product(symengine.Integer(1), front) * _grouped(rest)
    counts = Counter((base, n > 0) for _, powers in terms for base, n in powers.items())
    (base, above), times = max(counts.items(), key=lambda item: (item[1], str(item[0][0]))) if counts else ((0, 0), 0)
    if times < 2:
        return sum((_product(*term) for term in terms), symengine.Integer(0))
    held = [term for term in terms if base in term[1] and (term[1][base] > 0) == above]
    rest = [term for term in terms if term not in held]
    first = _grouped(held)
    return first + _grouped(rest) if rest else first


def _product(coefficient: Any, powers: dict[Any, int]) -> Any:
    return prod((base**n for base, n in powers.items()), start=coefficient)


def _exact(value: float) -> Any:
    """The decimal number that was written, before rounding."""
    number = Fraction(repr(value)).limit_denominator(10**7)
    if abs(number - Fraction(value)) > abs(Fraction(value)) / 2**51:
        number = Fraction(repr(value))
    return symengine.Integer(number.numerator) / symengine.Integer(number.denominator)


def _root(number: Any) -> Any:
    """The rational root of a positive rational square."""
    if not number.is_Rational or not number > 0:
        return None
    found = rational_root(Fraction(str(number)))
    return None if found is None else symengine.Integer(found.numerator) / symengine.Integer(found.denominator)
