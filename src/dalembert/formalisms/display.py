"""Makes expressions readable within a budget: a derivation shows simplified expressions, a motion never uses them.

First SymEngine alone merges like terms and uses sin² + cos² = 1 in whichever direction is shorter. Then SymPy, which
knows more and takes longer, treats small expressions until a given amount of work is spent. Other expressions stay
unchanged. Work is counted in operations, never in time, so every run gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb
from typing import Any
from unicodedata import lookup, name

import symengine as se

from dalembert.mechanics.algebra import HALF, ONE, ZERO, Scalar, cases_apart, merged_cases, roots_apart, total

LARGEST = 300  # terms of the expansion beyond which an expression is left unchanged
SMALL = 80  # operations up to which SymPy treats an expression
WORK = 3000  # operations that SymPy treats in one derivation: some seconds
TINY = 8  # operations up to which SymPy tries harder
REMEMBERED = 4096  # expressions; other methods and the other language meet many of them again
ROUNDED = 1e-9  # a larger value in floating point is not a rounded zero
BITS = 220  # of the precision at which an expression that may be zero is evaluated
NULL_DIGITS = 50  # to which it must be zero: 16 fewer than that precision, for cancellation


class Display:
    """Simplifies scalars, rows and matrices. `work` is the number of operations that SymPy may treat per derivation."""

    def __init__(self, work: int = WORK):
        self.left = work
        self._known: dict[Scalar, Scalar] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return tuple(self(entry) for entry in value)
        if value not in self._known:
            self._known[value] = self._scalar(se.sympify(value))
        return self._known[value]

    def linear(self, expression: Scalar, symbols: Sequence[Scalar], others: Sequence[Scalar] = ()) -> Scalar:
        """An expression that is linear in `symbols` (accelerations); its rest is sorted by products of `others` or of
        speeds.
        """
        expression, cases = cases_apart(merged_cases(expression))
        present = [s for s in symbols if s in expression.free_symbols]
        rest = expression.subs(dict.fromkeys(present, ZERO)) if present else expression
        gathered = self.quadratic(rest, others) if others else self._by_speeds(rest)
        return total([*(self(expression.diff(s)) * s for s in present), gathered]).xreplace(cases)

    def quadratic(self, e: Scalar, symbols: Sequence[Scalar]) -> Scalar:
        """A polynomial of second degree in `symbols`, coefficient by coefficient. Any other expression is simplified as
        a whole.
        """
        e, cases = cases_apart(merged_cases(e))
        present = [s for s in symbols if s in e.free_symbols]
        zero = dict.fromkeys(present, ZERO)
        parts = [self(e.subs(zero))]
        for i, s in enumerate(present):
            slope = e.diff(s)
            parts.append(self(slope.subs(zero)) * s)
            for r in present[i:]:
                parts.append(self(slope.diff(r).subs(zero)) * (HALF if r == s else ONE) * s * r)
        found = total(parts)
        return (found if agree(found, e) else self(e)).xreplace(cases)

    def _by_speeds(self, e: Scalar) -> Scalar:
        """The expression sorted by products of speeds, if that is shorter."""
        if terms(e) > LARGEST or not any(is_speed(s) for s in e.free_symbols):
            return self(e)
        whole = expanded(e)
        parts: dict[Scalar, list[Scalar]] = {}
        for term in whole.args if isinstance(whole, se.Add) else (whole,):
            factors = term.args if isinstance(term, se.Mul) else (term,)
            speeds = [f for f in factors if is_speed(f.args[0] if isinstance(f, se.Pow) else f)]
            parts.setdefault(se.Mul(*speeds), []).append(term / se.Mul(*speeds))
        gathered = total(self(total(coefficient)) * speeds for speeds, coefficient in parts.items())
        return min((gathered, self(e)), key=size)

    def _scalar(self, e: Scalar) -> Scalar:
        if not e.args:
            return e
        e, cases = cases_apart(merged_cases(e))
        return self._smooth(self._inside(e)).xreplace(cases)

    def _smooth(self, e: Scalar) -> Scalar:
        if vanishes(e):
            return ZERO
        if terms(e) > LARGEST:
            return e
        shortest = min((e, *circular(e), *with_whole_roots(e)), key=effort)
        if size(shortest) <= SMALL and self.left > 0:
            self.left -= size(shortest)
            shortest = min((shortest, by_sympy(shortest), *with_whole_roots(shortest, by_sympy)), key=effort)
        return shortest

    def _inside(self, e: Scalar) -> Scalar:
        """The same with sums under roots and powers simplified first."""
        sums = [p for p in e.atoms(se.Pow) if isinstance(p.args[0], se.Add) and size(p.args[0]) > TINY]
        changes = {p: self(p.args[0]) ** p.args[1] for p in sorted(sums, key=size)}
        return e.xreplace(changes) if changes else e


def expanded(e: Scalar) -> Scalar:
    """e expanded, but not inside of roots."""
    changed, roots = roots_apart(e)
    return se.expand(changed).xreplace(roots) if roots else se.expand(e)


def with_whole_roots(e: Scalar, way: Callable[[Scalar], Scalar] = se.expand) -> tuple[Scalar, ...]:
    """e changed by `way` while every root of a sum counts as one letter: √((x − y)² + z²) is not expanded inside."""
    changed, roots = roots_apart(e)
    return (way(changed).xreplace(roots),) if roots else ()


@lru_cache(maxsize=REMEMBERED)
def by_sympy(e: Scalar) -> Scalar:
    """The shortest form that SymPy finds."""
    import sympy

    from dalembert.mechanics.factors import factored  # loads SymPy

    x = sympy.sympify(e)
    found = [sympy.factor_terms(x), factored(x)]
    if x.has(sympy.sin, sympy.cos) and x.count_ops() < TINY:  # finds ratios of sine and cosine
        found.append(sympy.simplify(x))
    return se.sympify(min(found, key=lambda c: c.count_ops()))


GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split()
)


def label(word: str, dots: int = 0) -> str:
    """A name of the model as LaTeX with dots: theta1 becomes θ₁. Primes of the name become dots too."""
    bare = word.rstrip("'")
    dots += len(word) - len(bare)
    if bare.endswith("]"):  # m[fuel]
        letter, _, owner = bare[:-1].partition("[")
        return f"{label(letter, dots)}_{{{', '.join(map(label, owner.split(', ')))}}}"
    letters = _without_index(bare)
    index = f"_{{{bare[len(letters) :]}}}" if letters != bare and (letters in GREEK or len(letters) == 1) else ""
    if letters in GREEK:
        letter = f"\\{letters}"
    elif len(letters) == 1 and letters.isascii():
        letter = letters
    elif (found := _greek(letters)) in GREEK:
        letter = f"\\{found}"
    else:
        letter = f"\\text{{{bare}}}".replace("_", r"\_")
    accent = ("", r"\dot", r"\ddot")[dots]
    return (f"{accent}{{{letter}}}" if accent else letter) + index


def _without_index(bare: str) -> str:
    """theta for theta1 and thetaR."""
    letters = bare.rstrip("0123456789")
    return letters[:-1] if letters[:-1] in GREEK and letters[-1].isupper() else letters


def spoken(word: str) -> str:
    """A name of the model in a sentence: θ1 for theta1."""
    bare = word.rstrip("'")
    letters = _without_index(bare)
    kind = "SMALL" if letters.islower() else "CAPITAL"
    greek = letters if letters != "lambda" else "lamda"
    letter = lookup(f"GREEK {kind} LETTER {greek.upper()}") if letters in GREEK else letters
    return letter + bare[len(letters) :] + "′" * (len(word) - len(bare))


def _greek(letter: str) -> str:
    """theta for θ, Theta for Θ."""
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name(letter, "") if len(letter) == 1 else "")
    return "" if found is None else found[2].lower() if found[1] == "SMALL" else found[2].capitalize()


def indexed(letter: str, below: str) -> str:
    """letter with a name of the model below."""
    return f"{letter}_{{{label(below)}}}"


def is_speed(e: Scalar) -> bool:
    """Whether e is the symbol of a speed: a name with one prime, not the rate of a mass."""
    name = str(e) if isinstance(e, se.Symbol) else ""
    return name.endswith("'") and not name.endswith("]'")


def agree(one: Scalar, two: Scalar) -> bool:
    """Whether two expressions have the same values, tested at two points."""
    symbols = sorted(one.free_symbols | two.free_symbols, key=str)
    if not symbols:
        return bool(one == two)
    values = se.Lambdify(symbols, [one, two], backend="lambda")
    for start in (0.31, 0.57):
        a, b = (float(v) for v in values([start + 0.0717 * i for i in range(len(symbols))]))
        if not abs(a - b) <= 1e-9 * (1.0 + abs(b)):
            return False
    return True


@lru_cache(maxsize=REMEMBERED)
def vanishes(e: Scalar) -> bool:
    """Whether a sum is zero for all values of its symbols: it is zero to 50 digits at three places.

    Identities of several angles are often too long for rules, and then a zero would be written as a page of terms.
    """
    if size(e) <= TINY or not e.atoms(se.Add) or not (symbols := sorted(e.free_symbols, key=str)):
        return False
    evaluate = se.Lambdify(symbols, [e], backend="lambda")
    for start in (313, 571, 229):
        place = [se.Rational(1 + (start * (i + 2) ** 2) % 997, 700) for i in range(len(symbols))]
        (rounded,) = evaluate([float(x) for x in place])
        if not abs(rounded) <= ROUNDED:  # NaN is not zero
            return False
        exact = e.subs(dict(zip(symbols, place, strict=True))).n(BITS, real=True)
        if abs(float(exact)) > 10.0**-NULL_DIGITS:
            return False
    return True


def size(e: Scalar) -> int:
    return se.count_ops(e)


def effort(e: Scalar) -> int:
    """Its size; a fraction inside a denominator counts more, as 1/(1/a + 2), and a root of a square much more."""
    powers = e.atoms(se.Pow)
    below = [p.args[0] for p in powers if p.args[1].is_Number and p.args[1] < 0]
    nested = [p for base in below for p in base.atoms(se.Pow) if p.args[1].is_Number and p.args[1] < 0]
    roots = [p for p in powers if isinstance(p.args[0], se.Pow) and not p.args[1].is_Integer]
    return size(e) + 4 * len(nested) + 40 * len(roots)


@lru_cache(maxsize=65536)
def terms(e: Scalar) -> int:
    """An upper bound for the number of terms of the expansion, found without expanding, at most LARGEST²."""
    cap = LARGEST**2
    if isinstance(e, se.Add):
        return min(sum(terms(part) for part in e.args), cap)
    if isinstance(e, se.Mul):
        count = 1
        for part in e.args:
            count = min(count * terms(part), cap)
        return count
    if isinstance(e, se.Pow) and e.args[1].is_Integer:
        count, power = terms(e.args[0]), abs(int(e.args[1]))
        return min(comb(count + power - 1, power), cap) if count > 1 else 1
    return max((terms(part) for part in e.args), default=1)


@lru_cache(maxsize=REMEMBERED)
def circular(e: Scalar) -> tuple[Scalar, ...]:
    """e over one denominator, expanded, with squares of sines or of cosines replaced (both ways)."""
    plain = _without_tangents(e)
    if terms(plain) > LARGEST:
        return (se.expand(e),)
    above, below = plain.as_numer_denom()
    if terms(above) > 2 * LARGEST:
        return (se.expand(e),)
    above = se.expand(above)
    angles = {f.args[0] for f in functions(above) | functions(below)}
    if not angles:
        return above / below, se.expand(e)
    results = []
    for gone, kept in ((se.sin, se.cos), (se.cos, se.sin)):
        reduced = above
        for angle in sorted(angles, key=str):
            reduced = _without_squares(reduced, gone(angle), 1 - kept(angle) ** 2)
        results += [se.expand(reduced / below), reduced / below]
    return se.expand(e), *results


def functions(e: Scalar) -> set[Scalar]:
    """The sines, cosines and tangents in e."""
    found: set[Scalar] = set()
    seen: set[Scalar] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, se.sin | se.cos | se.tan):
            found.add(node)
        stack.extend(node.args)
    return found


def _without_tangents(e: Scalar) -> Scalar:
    """tan x as sin x/cos x, and sines and cosines of sums by those of their terms."""
    changes = {}
    for f in functions(e):
        sine, cosine = _of_sum(f.args[0])
        changes[f] = sine / cosine if isinstance(f, se.tan) else sine if isinstance(f, se.sin) else cosine
    return e.subs(changes)


def _of_sum(angle: Scalar) -> tuple[Scalar, Scalar]:
    sine, cosine = ZERO, ONE
    for term in angle.args if isinstance(angle, se.Add) else (angle,):
        s, c = se.sin(term), se.cos(term)
        sine, cosine = sine * c + cosine * s, cosine * c - sine * s
    return sine, cosine


def _without_squares(e: Scalar, factor: Scalar, square: Scalar) -> Scalar:
    powers = {p for p in powers_of(e, factor) if p >= 2}
    if not powers:
        return e
    return se.expand(e.subs({factor**p: factor ** (p % 2) * square ** (p // 2) for p in powers}))


def powers_of(e: Scalar, factor: Scalar) -> set[int]:
    """The integer exponents of a factor in e."""
    found: set[int] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if isinstance(node, se.Pow) and node.args[0] == factor and node.args[1].is_Integer:
            found.add(int(node.args[1]))
        else:
            stack.extend(node.args)
    return found
