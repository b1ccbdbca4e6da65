"""Writes expressions as rational functions of letters. Sines, cosines, roots and exponentials get letters of their own.

    s = sin θ, c = cos θ:   s² + c² = 1, ds/dt = c θ̇, dc/dt = −s θ̇           θ: a coordinate or another argument
    r = √e:   r² = e, dr/dt = ė/(2r), r > 0;      w = exp e:  dw/dt = w ė, w > 0

Sines and cosines of sums and integer multiples are expanded. An expression without moving quantities is a constant
letter. With the rates of letters and q̇ = v, the letters form a differential ring, in which ideals are computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any

import symengine as se

from dalembert.errors import MathematicsError
from dalembert.formalisms.display import powers_of
from dalembert.mechanics.algebra import ONE, ZERO, Symbols, total

Scalar = Any
LARGEST = 12  # largest multiple of an angle that is expanded


@dataclass
class Alphabet:
    """The letters so far. `rates` are d/dt without the q̈ part, in letters and speeds."""

    motion: Symbols
    start: Mapping[Scalar, float]  # values of all symbols, to choose the sign of a root that is not a new letter
    back: dict[Scalar, Scalar] = field(default_factory=dict)  # letter: what it stands for
    rates: dict[Scalar, Scalar] = field(default_factory=dict)
    relations: list[Scalar] = field(default_factory=list)
    positive: list[Scalar] = field(default_factory=list)
    constants: list[Scalar] = field(default_factory=list)
    _known: dict[Scalar, Scalar] = field(default_factory=dict)
    pairs: list[tuple[Scalar, Scalar]] = field(default_factory=list)
    _units: dict[Scalar, Scalar] = field(default_factory=dict)  # coordinate: the angle whose multiples occur

    def __post_init__(self) -> None:
        self.moving = {self.motion.t, *self.motion.q, *self.motion.v}

    def look_at(self, expressions: Sequence[Scalar]) -> None:
        """Find the fractions of each coordinate inside sines: θ/2 and θ need the letters of θ/2."""
        denominators: dict[Scalar, int] = {}
        stack, seen = list(expressions), set()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if type(node).__name__ in {"sin", "cos", "tan"}:
                for number, term in _terms(node.args[0]):
                    below = int(number.q) if isinstance(number, se.Rational) else 1
                    before = denominators.get(term, 1)
                    denominators[term] = before * below // gcd(before, below)
            stack.extend(node.args)
        self._units = {term: term / below for term, below in denominators.items()}

    def __call__(self, expression: Scalar) -> Scalar:
        """The expression in letters."""
        e = se.sympify(expression)
        if e not in self._known:
            self._known[e] = self._lowered(e)
        return self._known[e]

    def _lowered(self, e: Scalar) -> Scalar:
        kind = type(e).__name__
        if not e.args or e.is_Number:
            return e
        if kind not in {"Add", "Mul", "Pow"} and not self.moving & e.free_symbols:
            return self._constant(e)
        if kind == "Add":
            return total(self(part) for part in e.args)
        if kind == "Mul":
            return se.Mul(*(self(part) for part in e.args))
        if kind == "Pow":
            return self._power(e)
        if kind in {"sin", "cos", "tan"}:
            s, c = self._of_sum(e.args[0])
            return s if kind == "sin" else c if kind == "cos" else s / c
        if kind == "log":
            return self._letter(e, self._rate(e.args[0]) / self(e.args[0]))
        raise MathematicsError("{kind} cannot be written in polynomials", kind=kind)

    def _power(self, e: Scalar) -> Scalar:
        base, exponent = e.args
        if exponent.is_Integer:
            return self(base) ** exponent
        if not self.moving & e.free_symbols:
            return self._constant(e)
        if isinstance(exponent, se.Rational) and int(exponent.q) == 2:
            return self._root(base) ** int(exponent.p)
        if type(base).__name__ == "Exp1":
            return self._exponential(exponent)
        raise MathematicsError("a power that is not a root cannot be written in polynomials")

    def _root(self, base: Scalar) -> Scalar:
        root = se.sqrt(base)
        if root in self._known:
            return self._known[root]
        inside = self.normal(self(base))
        plain = _square(inside)
        if plain is not None:  # √(1 − sin²) is |cos|: take the sign at the start
            value = float(plain.subs(self.back).subs(self.start))
            self._known[root] = -plain if value < 0 else plain
            return self._known[root]
        letter = self._name(root)
        self.relations.append(letter**2 - inside)
        self.positive.append(letter)
        self.rates[letter] = self._rate(base) / (2 * letter)
        return letter

    def normal(self, e: Scalar) -> Scalar:
        """The normal form: expanded, with sin² replaced by 1 − cos²."""
        e = se.expand(e)
        for s, c in self.pairs:
            powers = {p for p in powers_of(e, s) if p >= 2}
            if powers:
                e = se.expand(e.subs({s**p: s ** (p % 2) * (1 - c**2) ** (p // 2) for p in powers}))
        return e

    def _exponential(self, exponent: Scalar) -> Scalar:
        whole = se.exp(exponent)
        if whole in self._known:
            return self._known[whole]
        letter = self._name(whole)
        self.positive.append(letter)
        self.rates[letter] = letter * self._rate(exponent)
        return letter

    def _letter(self, e: Scalar, rate: Scalar) -> Scalar:
        letter = self._name(e)
        self.rates[letter] = rate
        return letter

    def _constant(self, e: Scalar) -> Scalar:
        if e not in self._known:
            self.constants.append(self._name(e))
        return self._known[e]

    def _name(self, e: Scalar) -> Scalar:
        letter = se.Symbol(f"letter{len(self.back)}")
        self.back[letter] = e
        self._known[e] = letter
        return letter

    def _rate(self, e: Scalar) -> Scalar:
        """d/dt of a function of coordinates, speeds and time. Accelerations are letters."""
        terms = [self.motion.derivative(e)]
        terms += [e.diff(v) * a for v, a in zip(self.motion.v, self.motion.a, strict=True) if v in e.free_symbols]
        return self(total(terms))

    def _of_sum(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of a sum by those of its terms."""
        s, c = ZERO, ONE
        for number, term in _terms(angle):
            s1, c1 = self._multiple(number, term)
            s, c = se.expand(s * c1 + c * s1), se.expand(c * c1 - s * s1)
        return s, c

    def _multiple(self, number: Scalar, term: Scalar) -> tuple[Scalar, Scalar]:
        unit = self._units.get(term, term)
        ratio = number * term / unit if term != 0 else number
        if not isinstance(ratio, se.Integer) or abs(int(ratio)) > LARGEST:
            return self._pair(number * term)
        s1, c1 = self._pair(unit)
        s, c = ZERO, ONE
        for _ in range(abs(int(ratio))):
            s, c = se.expand(s * c1 + c * s1), se.expand(c * c1 - s * s1)
        return (s, c) if int(ratio) > 0 else (-s, c)

    def _pair(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        sine, cosine = se.sin(angle), se.cos(angle)
        if not self.moving & angle.free_symbols:
            return self._plain(sine), self._plain(cosine)
        if sine not in self._known:
            s, c = self._name(sine), self._name(cosine)
            self.relations.append(s**2 + c**2 - 1)
            self.pairs.append((s, c))
            rate = self._rate(angle)
            self.rates[s], self.rates[c] = c * rate, -s * rate
        return self._known[sine], self._known[cosine]

    def _plain(self, e: Scalar) -> Scalar:
        return self._constant(e) if e.free_symbols else e


def _square(e: Scalar) -> Scalar | None:
    """The root of e, if it is a number times a product of letters."""
    root = ONE
    for part in e.args if isinstance(e, se.Mul) else (e,):
        if isinstance(part, se.Pow) and part.args[1].is_Integer and int(part.args[1]) % 2 == 0:
            root = root * part.args[0] ** (int(part.args[1]) // 2)
        elif part.is_Number and part > 0:
            root = root * se.sqrt(part)
        else:
            return None
    return root if root.free_symbols else None


def _terms(angle: Scalar) -> list[tuple[Scalar, Scalar]]:
    """The angle as a sum of numbers times terms."""
    found = []
    expanded = se.expand(angle)
    for term in expanded.args if isinstance(expanded, se.Add) else (expanded,):
        number = ONE
        if isinstance(term, se.Mul) and term.args[0].is_Number and isinstance(term.args[0], se.Rational | se.Integer):
            number = term.args[0]
            term = term / number
        elif term.is_Number:
            number, term = ONE, term
        found.append((number, term))
    return found
