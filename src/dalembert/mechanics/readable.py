"""Shorter forms of small expressions for reading: expanded, sines and cosines combined, common factors taken out.

    r sin²a + r cos²a = r                   r − r sin²a = r cos²a, and with sine and cosine exchanged
    r cos a cos b ± r sin a sin b = r cos(a ∓ b)
    r sin a cos b ± r cos a sin b = r sin(a ± b)
    r ρ² − r x = r y                        if ρ = √(x + y) is a root of the expression

Each rule turns two terms into one, so the procedure ends. Tangents count as quotients of sines and cosines until the
end. An expression whose expansion is too long, or longer than its collected form, is tidied term by term.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb, gcd
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import merged_cases, roots_apart

MOST_TERMS = 250
SHORT_TERM = 10  # terms of its expansion; such terms of a long sum are combined
COLLECTED = 20  # characters; a sum collected by its rates is kept unless the expanded one is shorter by so many
LONGEST_BASE = 2000  # operations; longer sums under a root are not changed

Monomial = frozenset  # of (base, exponent)
Terms = dict[Monomial, Any]
Pair = tuple[Any, ...]  # a rule, and its arguments


def readable(expression: Any) -> Any:
    """The expression, or a shorter one that is equal to it."""
    return _readable(merged_cases(se.sympify(expression)))


def as_decimal(value: Any) -> float | None:
    """A rational number that is usually written as a decimal: 0.0603, not 603/10000. None for 2/5, 1/12 and 1/16."""
    rest = int(value.q)
    fives = 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if value.q < 10 or not fives or rest & (rest - 1):
        return None
    number = float(value)
    return number if Fraction(repr(number)) == Fraction(int(value.p), int(value.q)) else None


@lru_cache(maxsize=16384)
def _readable(expression: Any) -> Any:
    expression = _inside(expression)
    if expanded_size(expression) > MOST_TERMS:
        return _in_pieces(expression)
    whole, roots = roots_apart(expression)
    terms = _terms(whole.expand())
    squares = {letter: _terms(root.args[0]) for letter, root in roots.items()}
    _gather(terms, squares)
    candidate = _factored(terms).xreplace(roots)
    tidy = _tidied(expression)
    longest = len(str(tidy)) - (COLLECTED if _is_collected(expression) else 0)
    return candidate if len(str(candidate)) <= longest else tidy


def _tidied(expression: Any) -> Any:
    """A sum with readable terms, a product with readable factors, and what all terms of a sum share taken out:
    2 (a + b) x' + (2 a + 2 b) y' = 2 (a + b) (x' + y').
    """
    kind = type(expression).__name__
    if kind == "Mul":
        factors = [_readable(part) if type(part).__name__ == "Add" else part for part in expression.args]
        return se.Mul(*(_factored(_terms(part)) for part in factors))
    if kind != "Add":
        return expression
    tidy = _factored(_terms(se.Add(*map(_tidied, expression.args))))
    return tidy if len(str(tidy)) <= len(str(expression)) else expression


def _spread(term: Any) -> list[Any]:
    """The terms of a sum that only a number multiplies."""
    number, rest = term.args if type(term).__name__ == "Mul" and len(term.args) == 2 else (se.Integer(1), term)
    whole = number.is_Number and type(rest).__name__ == "Add"
    return [number * part for part in rest.args] if whole else [term]


def _in_pieces(expression: Any) -> Any:
    """A long expression, factor by factor, and in a sum its short terms together."""
    kind = type(expression).__name__
    if kind == "Mul":
        return se.Mul(*map(_readable, expression.args))
    if kind != "Add":
        return expression
    short = [term for term in expression.args if expanded_size(term) <= SHORT_TERM]
    if len(short) in (0, len(expression.args)) or len(short) * SHORT_TERM > MOST_TERMS:
        return se.Add(*map(_readable, expression.args)) if not short else expression
    rest = [_readable(term) for term in expression.args if expanded_size(term) > SHORT_TERM]
    return _readable(se.Add(*short)) + se.Add(*rest)


def _is_collected(expression: Any) -> bool:
    """Whether a speed, an acceleration or a force λ[…] has a sum as its coefficient: (1 + a) x'' - a y''."""
    if type(expression).__name__ != "Add":
        return False
    return any(
        any(type(part).__name__ == "Add" for part in term.args)
        and any(part.is_Symbol and str(part)[-1] in "']" for part in term.args)
        for term in expression.args
        if type(term).__name__ == "Mul"
    )


def _inside(expression: Any) -> Any:
    """The same with the sums under roots and powers made readable."""
    changes = {}
    for power in expression.atoms(se.Pow):
        base, exponent = power.args
        if type(base).__name__ == "Add" and se.count_ops(base) <= LONGEST_BASE:
            shorter, sign = _readable(base), 1
            if exponent.is_Integer and all(n < 0 for n in _terms(base).values()):  # 1/(-a - b) is -1/(a + b)
                shorter, sign = _readable(-base), -1 if int(exponent) % 2 else 1
            if shorter != base:
                changes[power] = sign * shorter**exponent
    return expression.xreplace(changes) if changes else expression


@lru_cache(maxsize=65536)
def expanded_size(expression: Any) -> int:
    """An upper bound of the number of terms after expansion, without expanding."""
    kind = type(expression).__name__
    if kind == "Add":
        return sum(expanded_size(part) for part in expression.args)
    if kind == "Mul":
        size = 1
        for part in expression.args:
            size = min(size * expanded_size(part), MOST_TERMS + 1)
        return size
    if kind == "Pow" and expression.args[1].is_Integer and expression.args[1] > 0:
        size, power = expanded_size(expression.args[0]), int(expression.args[1])
        return 1 if size == 1 else min(comb(size + power - 1, power), MOST_TERMS + 1)
    return 1


def _terms(expression: Any) -> Terms:
    """Monomials and their numbers, ordered by name, so that the order is the same on every machine."""
    found: Terms = {}
    for term in expression.args if type(expression).__name__ == "Add" else (expression,):
        number = se.Integer(1)
        monomial: Monomial = Monomial()
        for part in term.args if type(term).__name__ == "Mul" else (term,):
            if part.is_Number:
                number *= part
                continue
            whole = type(part).__name__ == "Pow" and part.args[1].is_Integer
            base, power = (part.args[0], int(part.args[1])) if whole else (part, 1)
            if type(base).__name__ == "tan":
                monomial = _times(monomial, {se.sin(base.args[0]): power, se.cos(base.args[0]): -power})
            else:
                monomial = _times(monomial, {base: power})
        total = found.pop(monomial, se.Integer(0)) + number
        if total != 0:
            found[monomial] = total
    return dict(sorted(found.items(), key=lambda item: sorted((_name(base), power) for base, power in item[0])))


@lru_cache(maxsize=65536)
def _name(base: Any) -> str:
    """A text of a factor that does not depend on the internal order of its parts."""
    if not base.args:
        return str(base)
    return f"{type(base).__name__}({', '.join(sorted(map(_name, base.args)))})"


def _trigonometric(monomial: Monomial) -> list[Any]:
    found = [base for base, power in monomial if power >= 1 and type(base).__name__ in {"sin", "cos"}]
    return sorted(found, key=_name)


def _gather(terms: Terms, squares: Mapping[Any, Terms]) -> None:
    """Combine pairs of terms, one after the other, until there is none. Each time the first pair is taken."""
    known: dict[Monomial, list[Pair]] = {}

    def combined() -> bool:
        for one in list(terms):
            if any(_under_root(terms, one, root, parts) for root, parts in squares.items() if len(parts) == 2):
                return True
            if one not in known:
                known[one] = _pairs(one)
            if any(rule(terms, one, *pair) for rule, *pair in known[one]):
                return True
        return False

    while combined():
        pass


def _pairs(one: Monomial) -> list[Pair]:
    """The terms `two` with which a term could be combined, and the rule for it."""
    found: list[Pair] = []
    powers, waves = dict(one), _trigonometric(one)
    for trig in waves:
        if powers[trig] >= 2:
            rest = _times(one, {trig: -2})
            found.append((_circle, _times(rest, {_partner(trig): 2}), rest))
        for other in waves:
            if type(other).__name__ == "sin" or trig.args[0] == other.args[0]:
                continue  # sin a sin b and cos a sin b are found from cos a cos b and sin b cos a
            two = _times(one, {trig: -1, other: -1, _partner(trig): 1, _partner(other): 1})
            found.append((_addition, two, trig, other))
    return found


def _circle(terms: Terms, one: Monomial, two: Monomial, rest: Monomial) -> bool:
    if two in terms and terms[two] == terms[one]:  # r sin² + r cos² = r
        _replace(terms, one, two, rest, terms[one])
        return True
    if rest in terms and terms[rest] == -terms[one]:  # r − r sin² = r cos²
        _replace(terms, one, rest, two, terms[rest])
        return True
    return False


def _under_root(terms: Terms, one: Monomial, root: Any, parts: Terms) -> bool:
    """r ρ² − r x = r y with ρ² = x + y."""
    if root not in dict(one):
        return False
    for (x, m), (y, n) in (parts.items(), tuple(parts.items())[::-1]):
        rest = _times(one, {root: -2})
        two = _times(rest, dict(x))
        if two in terms and terms[two] == -m * terms[one]:
            _replace(terms, one, two, _times(rest, dict(y)), n * terms[one])
            return True
    return False


def _addition(terms: Terms, one: Monomial, two: Monomial, trig: Any, other: Any) -> bool:
    if two not in terms or abs(terms[two]) != abs(terms[one]):
        return False
    a, b = trig.args[0], other.args[0]
    same, number = terms[two] == terms[one], terms[one]
    if type(trig).__name__ == "cos":
        made = se.cos(_ordered(a, b) if same else se.expand(a + b))
    else:
        made = se.sin(se.expand(a + b if same else a - b))
    sign = se.Integer(1)
    if type(made).__name__ == "Mul":  # SymEngine takes the sign out: sin(−x) = −sin x
        sign, made = made.args
    _replace(terms, one, two, _times(_times(one, {trig: -1, other: -1}), {made: 1}), sign * number)
    return True


def _ordered(a: Any, b: Any) -> Any:
    """a − b or b − a, whichever is in alphabetical order. For even functions."""
    return se.expand(a - b if _name(a) <= _name(b) else b - a)


@lru_cache(maxsize=4096)
def _partner(trig: Any) -> Any:
    return (se.cos if type(trig).__name__ == "sin" else se.sin)(trig.args[0])


def _times(monomial: Monomial, more: Mapping[Any, int]) -> Monomial:
    """The product with powers of other factors."""
    factors = dict(monomial)
    for base, power in more.items():
        factors[base] = factors.get(base, 0) + power
    return Monomial([item for item in factors.items() if item[1]])


def _replace(terms: Terms, one: Monomial, two: Monomial, made: Monomial, number: Any) -> None:
    del terms[one], terms[two]
    total = terms.pop(made, se.Integer(0)) + number
    if total != 0:
        terms[made] = total


def _factored(terms: Terms) -> Any:
    """The sum, with the factors that all of its terms share taken out."""
    if not terms:
        return se.Integer(0)
    terms = {_with_tangents(monomial): n for monomial, n in terms.items()}
    shared = dict(next(iter(terms)))
    for monomial in terms:
        powers = dict(monomial)
        shared = {
            base: min(power, powers[base], key=abs) for base, power in shared.items() if power * powers.get(base, 0) > 0
        }
    shared = {base: power for base, power in shared.items() if power > 0 or type(base).__name__ == "Add"}
    number = _common(list(terms.values()))
    rests = []
    for monomial, n in terms.items():
        powers = {base: power - shared.get(base, 0) for base, power in monomial}
        rests += _spread(_joined(powers) * (n / number))
    return number * _joined(shared) * se.Add(*rests)


def _with_tangents(monomial: Monomial) -> Monomial:
    """sin a/cos a is tan a."""
    powers = dict(monomial)
    for sine in _trigonometric(monomial):
        below = -powers.get(_partner(sine), 0)
        if type(sine).__name__ == "sin" and below > 0:
            shared = min(powers[sine], below)
            monomial = _times(monomial, {sine: -shared, _partner(sine): shared, se.tan(sine.args[0]): shared})
    return monomial


def _common(numbers: list[Any]) -> Any:
    """The common factor of the numbers: their size if equal, or the gcd of integers, negative if all are negative."""
    if len(numbers) == 1:
        return se.Integer(1)
    sign = -1 if all(n < 0 for n in numbers) else 1
    if all(abs(n) == abs(numbers[0]) for n in numbers):
        return sign * abs(numbers[0])
    return se.Integer(sign * (gcd(*map(int, numbers)) if all(n.is_Integer for n in numbers) else 1))


def _joined(powers: dict[Any, int]) -> Any:
    return se.Mul(*(base**power for base, power in powers.items())) if powers else se.Integer(1)
