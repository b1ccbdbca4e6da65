"""Roots of squares, written without the root if the sign of the base is known.

    √(1 − sin²x) = |cos x| = cos x        where cos x > 0, as at the start

A derivation for people is written for the region in which the motion begins, and it names that region. The equations
that compute a motion keep their roots, since the motion may leave the region.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import symengine as se

from dalembert.mechanics.algebra import ONE, Scalar

NO_SIGN = 1e-9  # a factor smaller than this at the start has no sign there
MOST_OPERATIONS = 200  # squares with more operations are left as they are


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a perfect square, and the factors that must be positive or negative for it to hold."""

    value: Scalar
    positive: tuple[Scalar, ...]
    negative: tuple[Scalar, ...]


def perfect_root(square: Scalar, start: Mapping[Scalar, float]) -> Root | None:
    """√square without a root, or None if it is no perfect square or a factor vanishes at the start."""
    if not square.free_symbols or se.count_ops(square) > MOST_OPERATIONS:
        return None
    for form in _forms(square):
        found = _root_of_monomial(form, start)
        if found is not None:
            return found
    return None


def without_roots(e: Scalar, start: Mapping[Scalar, float]) -> Scalar:
    """The expression with the roots of squares resolved, the innermost first, by the signs of their bases."""
    while True:
        changes = {}
        for power in sorted(e.atoms(se.Pow), key=se.count_ops):
            base, exponent = power.args
            if exponent.is_Rational and not exponent.is_Integer and (2 * exponent).is_Integer:
                found = perfect_root(base, start)
                if found is not None:
                    changes[power] = found.value ** int(2 * exponent)
                    break
        if not changes:
            return e
        e = se.sympify(e).xreplace(changes)


def _forms(square: Scalar) -> list[Scalar]:
    """The square unchanged, expanded, and with the squares of sines or of cosines replaced."""
    expanded = se.expand(square)
    forms = [square, expanded]
    angles = sorted({f.args[0] for f in expanded.atoms(se.sin, se.cos)}, key=str)
    for gone, kept in ((se.sin, se.cos), (se.cos, se.sin)):
        reduced = expanded
        for angle in angles:
            powers = {2 * k: (1 - kept(angle) ** 2) ** k for k in range(1, 4)}
            reduced = se.expand(reduced.subs({gone(angle) ** p: e for p, e in powers.items()}))
        forms.append(reduced)
    return forms


def _root_of_monomial(e: Scalar, start: Mapping[Scalar, float]) -> Root | None:
    value = ONE
    positive: list[Scalar] = []
    negative: list[Scalar] = []
    for factor in e.args if isinstance(e, se.Mul) else (e,):
        if factor.is_Number:
            if not factor.is_Rational or factor < 0:
                return None
            value *= se.sqrt(factor)
            continue
        if not isinstance(factor, se.Pow) or not factor.args[1].is_Integer or int(factor.args[1]) % 2:
            return None
        base, half = factor.args[0], int(factor.args[1]) // 2
        value *= base**half
        if half % 2:
            at_start = _at(base, start)
            if at_start is None or abs(at_start) < NO_SIGN:
                return None
            (positive if at_start > 0 else negative).append(base)
    return Root(-value if len(negative) % 2 else value, tuple(positive), tuple(negative))


def _at(e: Scalar, start: Mapping[Scalar, float]) -> float | None:
    if not set(e.free_symbols) <= set(start):
        return None
    return float(e.subs({s: start[s] for s in e.free_symbols}))
