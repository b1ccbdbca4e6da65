"""Recognizes coefficients as small fractions, and as polynomials or quotients of the model's parameters.

    c(p) = N(p)/D(p):   Σ n_i μ_i(p) − c Σ d_i μ_i(p) = 0 over monomials μ of low degree, at many random p
If the null space of that system is one line with a clear gap, it is the quotient.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array

DENOMINATOR = 60
CLOSE = 1e-9
FACTORS = 280  # largest number of unknowns of a fit


def fraction(value: float, close: float = CLOSE) -> Fraction | None:
    """The small fraction that equals a number, or None."""
    found = Fraction(value).limit_denominator(DENOMINATOR)
    return found if abs(float(found) - value) <= close * max(1e-3, abs(value)) else None


def recognized(values: Array, parameters: Array, symbols: Sequence[Any]) -> Any | None:
    """The expression in `symbols` with these `values` at the rows of `parameters`. None if none was found."""
    import symengine as se

    if np.ptp(values) <= CLOSE * np.abs(values).max(initial=0.0):
        number = fraction(float(np.median(values)))
        return None if number is None else se.Rational(number.numerator, number.denominator)
    for degree in (1, 2, 3, 4):
        for below in (0, degree):
            top, bottom = _monomials(len(symbols), degree), _monomials(len(symbols), below)
            if len(top) + len(bottom) > min(FACTORS, len(values) - 10):
                continue
            found = _quotient(values, parameters, top, bottom)
            if found is not None:
                above, under = (_sum(part, powers, symbols) for part, powers in zip(found, (top, bottom), strict=True))
                return above / under
    return None


def _monomials(count: int, degree: int) -> list[tuple[int, ...]]:
    """Products of at most `degree` parameters, each as the indices of its factors."""
    return [places for d in range(degree + 1) for places in combinations_with_replacement(range(count), d)]


def _quotient(
    values: Array, parameters: Array, top: list[tuple[int, ...]], bottom: list[tuple[int, ...]]
) -> tuple[list[Fraction], list[Fraction]] | None:
    columns = [parameters[:, list(places)].prod(axis=1) for places in top]
    columns += [-values * parameters[:, list(places)].prod(axis=1) for places in bottom]
    matrix = np.array(columns).T
    scale = np.linalg.norm(matrix, axis=0)
    s, Vt = np.linalg.svd(matrix / scale)[1:]
    if not (s[-1] <= 1e-11 * s[0] and s[-2] >= 1e-8 * s[0]):
        return None
    vector = Vt[-1] / scale
    vector[np.abs(Vt[-1]) < 1e-7 * np.abs(Vt[-1]).max()] = 0.0
    below = vector[len(top) :]
    vector = vector / below[np.flatnonzero(below)[0]]
    fractions = [fraction(float(e), 1e-6) for e in vector]
    if any(e is None for e in fractions):
        return None
    known = [e for e in fractions if e is not None]
    return known[: len(top)], known[len(top) :]


def _sum(numbers: Sequence[Fraction], powers: list[tuple[int, ...]], symbols: Sequence[Any]) -> Any:
    import symengine as se

    terms = [
        se.Mul(se.Rational(c.numerator, c.denominator), *(symbols[i] for i in places))
        for c, places in zip(numbers, powers, strict=True)
        if c
    ]
    return se.Add(*terms) if terms else se.S.Zero
