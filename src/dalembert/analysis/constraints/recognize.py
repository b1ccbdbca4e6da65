"""Recognizes numbers as fractions, or as products of powers of parameters, from values for several parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import symengine as se

Scalar = Any
CLOSE = 1e-7
DENOMINATOR = 60


def recognized(samples: Sequence[tuple[Mapping[Scalar, float], np.ndarray]]) -> list[Scalar]:
    """Recognize coefficients, scaled so that most are simple."""
    size = len(samples[0][1])
    best: tuple[int, list[Scalar]] | None = None
    for pivot in range(size):
        found = []
        for k in range(size):
            values = [float(vector[k] / vector[pivot]) for _, vector in samples]
            found.append(_one([p for p, _ in samples], values))
        cost = sum(_cost(c) for c in found)
        if best is None or cost < best[0]:
            best = (cost, found)
    assert best is not None
    return best[1]


def _one(parameters: Sequence[Mapping[Scalar, float]], values: Sequence[float]) -> Scalar:
    """One coefficient: a fraction times powers of at most three parameters, or the number itself."""
    constant = all(abs(v - values[0]) <= CLOSE * abs(values[0]) for v in values)
    if constant:
        fraction = _fraction(values[0])
        return fraction if fraction is not None else se.RealDouble(values[0])
    names = list(parameters[0])
    for count in (1, 2, 3):
        for chosen in _subsets(names, count):
            for powers in product((1, -1, 2, -2), repeat=count):
                sizes = [prod(p[s] ** e for s, e in zip(chosen, powers, strict=True)) for p in parameters]
                ratios = [v / s for v, s in zip(values, sizes, strict=True)]
                if all(abs(r - ratios[0]) <= CLOSE * abs(ratios[0]) for r in ratios):
                    fraction = _fraction(ratios[0])
                    if fraction is not None:
                        return fraction * se.Mul(*(s**e for s, e in zip(chosen, powers, strict=True)))
    return se.RealDouble(values[0])


def _subsets(names: Sequence[Scalar], count: int) -> Iterator[tuple[Scalar, ...]]:
    if count == 0:
        yield ()
        return
    for i, name in enumerate(names):
        for rest in _subsets(names[i + 1 :], count - 1):
            yield (name, *rest)


def _fraction(value: float) -> Scalar | None:
    fraction = Fraction(value).limit_denominator(DENOMINATOR)
    if fraction == 0 or abs(float(fraction) - value) > CLOSE * abs(value):
        return None
    return se.Rational(fraction.numerator, fraction.denominator)


def _cost(c: Scalar) -> int:
    """The cost of a form: integers are cheapest, then fractions and parameters, then decimals. A minus adds a bit."""
    if isinstance(c, se.RealDouble):
        return 1000
    text = str(c)
    return 10 * len(text) + (0 if c.is_Integer else 5) + text.startswith("-")
