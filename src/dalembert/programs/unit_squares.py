"""The identity r sin²x + r cos²x = r.

Turning bodies leave such sums on the diagonal of every mass matrix. Joined, its first pivots become numbers.
"""

from __future__ import annotations

from typing import Any

import symengine


def joined(terms: tuple[Any, ...]) -> Any | None:
    """The sum of the terms with all such pairs joined, or None if there is no such pair."""
    given = {term: pairs for term in terms if (pairs := squares(term))}
    left, found = dict.fromkeys(terms), False
    waiting: dict[tuple[Any, Any], Any] = {}  # (square, its other factors): the term
    fresh = list(given)
    while fresh:
        term = fresh.pop()
        for square, other, rest in given.get(term) or squares(term) if term in left else ():
            known = waiting.get((other, rest))
            if known not in left:
                waiting[square, rest] = term
                continue
            del left[term], left[known]
            found = True
            if rest in left:  # the same term occurs twice
                del left[rest]
                rest = 2 * rest
            left[rest] = None
            fresh.append(rest)
            break
    return symengine.Add(*left) if found else None


def squares(term: Any) -> list[tuple[Any, Any, Any]]:
    """Every square of a sine or cosine among the factors of a term, the complementary square, and the other factors."""
    kind = type(term)
    factors = (term,) if kind is symengine.Pow else term.args if kind is symengine.Mul else ()
    found = []
    for factor in factors:
        if type(factor) is symengine.Pow:
            base, exponent = factor.args
            other = {"sin": symengine.cos, "cos": symengine.sin}.get(type(base).__name__)
            if other is not None and exponent == 2:
                found.append((factor, other(base.args[0]) ** 2, term / factor))
    return found
