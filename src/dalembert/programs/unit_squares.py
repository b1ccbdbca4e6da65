"""The oldest identity: r sin²x + r cos²x = r.

Bodies that turn leave such sums on the diagonal of every mass matrix. Without them its first pivots are numbers.
"""

from __future__ import annotations

from typing import Any

OTHER = {"sin": "cos", "cos": "sin"}


def joined(terms: tuple[Any, ...]) -> Any | None:
    """The sum of the terms with such pairs made one, as often as there are any; None where there is none."""
    import symengine

    left, found = dict.fromkeys(terms), False
    waiting: dict[tuple[Any, Any], tuple[str, Any]] = {}  # r and x: sin or cos, and the term
    fresh = list(terms)
    while fresh:
        term = fresh.pop()
        for kind, angle, rest in _squares(term) if term in left else ():
            known = waiting.get((rest, angle))
            if known is None or known[0] != OTHER[kind] or known[1] not in left:
                waiting[rest, angle] = kind, term
                continue
            del left[term], left[known[1]]
            found = True
            if rest in left:  # the same term twice
                del left[rest]
                rest = 2 * rest
            left[rest] = None
            fresh.append(rest)
            break
    return symengine.Add(*left) if found else None


def _squares(term: Any) -> list[tuple[str, Any, Any]]:
    """Every square of a sine or cosine among the factors of a term: which, of what angle, and the other factors."""
    kind = type(term).__name__
    factors = (term,) if kind == "Pow" else term.args if kind == "Mul" else ()
    found = []
    for factor in factors:
        if type(factor).__name__ == "Pow":
            base, exponent = factor.args
            name = type(base).__name__
            if name in OTHER and exponent == 2:
                found.append((name, base.args[0], term / factor))
    return found
