"""Shorter forms of small expressions for reading: expanded, sines and cosines combined, common factors taken out.

An expression whose expansion is too long, or longer than its collected form, is tidied term by term.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import merged_cases, roots_apart
from dalembert.mechanics.pairs import gather
from dalembert.mechanics.terms import Terms, is_power_of_sum

MOST_TERMS = 250
SHORT_TERM = 10  # terms of its expansion; such terms of a long sum are combined
COLLECTED = 20  # characters; a sum collected by its rates is kept unless the expanded one is shorter by so many
LONGEST_BASE = 2000  # operations; longer sums under a root are not changed


def readable(expression: Any) -> Any:
    """The expression, or a shorter one that is equal to it."""
    expression = se.sympify(expression)
    cases = any(type(part) is se.Piecewise for part in _unusual(expression))
    return _readable(merged_cases(expression) if cases else expression)


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
    whole, roots = roots_apart(expression) if _has_unusual(expression) else (expression, {})
    terms = Terms(whole, expand=True)
    gather(terms, roots)
    tidy = _tidied(expression)
    longest = len(str(tidy)) - (COLLECTED if _is_collected(expression) else 0)
    if not roots and terms.least_length() > longest:  # as most are
        return tidy
    candidate = terms.factored().xreplace(roots)
    return candidate if len(str(candidate)) <= longest else tidy


def _unusual(expression: Any) -> set[Any]:
    """The case distinctions in an expression, and its powers and roots of sums."""
    found, seen, stack = set(), set(), [expression]
    while stack:
        part = stack.pop()
        if _has_unusual(part) and part not in seen:
            seen.add(part)
            stack.extend(part.args)
            if _is_unusual(part):
                found.add(part)
    return found


def _is_unusual(part: Any) -> bool:
    return type(part) is se.Piecewise or (type(part) is se.Pow and is_power_of_sum(part))


@lru_cache(maxsize=65536)
def _has_unusual(expression: Any) -> bool:
    """Most expressions have none, and the same parts occur in many expressions."""
    return _is_unusual(expression) or any(map(_has_unusual, expression.args))


def _tidied(expression: Any) -> Any:
    """A sum with readable terms, a product with readable factors, and what all terms of a sum share taken out:
    2 (a + b) x' + (2 a + 2 b) y' = 2 (a + b) (x' + y').
    """
    kind = type(expression).__name__
    if kind == "Mul":
        factors = [_readable(part) if type(part).__name__ == "Add" else part for part in expression.args]
        return se.Mul(*(Terms(part).factored() if len(part.args) > 1 else part for part in factors))
    if kind != "Add":
        return expression
    tidy = Terms(se.Add(*map(_tidied, expression.args))).factored()
    return tidy if len(str(tidy)) <= len(str(expression)) else expression


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
    for power in _unusual(expression):
        base, exponent = power.args[:2]
        if type(power) is se.Pow and se.count_ops(base) <= LONGEST_BASE:
            shorter, sign = _readable(base), 1
            if exponent.is_Integer and all(n < 0 for n in Terms(base).numbers.values()):  # 1/(-a - b) is -1/(a + b)
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
