"""Quantities along a flow: values, gradients, rates, and the sums of the absolute terms of a rate.

    ė = e_t + e_q v + e_v a + e_z ż + e_w ẇ      e is differentiated in symbols, and a is solved for
A candidate is a product of a few quantities. It is differentiated by the product rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array, States
from dalembert.analysis.conserved.varying import Varying, moving
from dalembert.equations import Equations
from dalembert.programs.expressions import program
from dalembert.programs.functions import Function, function

Product = tuple[int, ...]  # indices of the factors among the quantities


@dataclass(frozen=True, slots=True)
class QuantityValues:
    """For every quantity at every state: value, rate, and the size of the terms of both."""

    value: Array
    rate: Array
    level: Array
    size: Array

    def some(self, chosen: slice) -> QuantityValues:
        """The same at some of the states."""
        return QuantityValues(self.value[chosen], self.rate[chosen], self.level[chosen], self.size[chosen])


def gradients(eq: Equations, expressions: Sequence[Any]) -> list[list[Any]]:
    """∂e/∂(t, q, v, z, w)."""
    import symengine as se

    symbols = moving(eq)
    found = []
    for e in map(se.sympify, expressions):
        held = e.free_symbols
        found.append([e.diff(s) if s in held else se.S.Zero for s in symbols])
    return found


class FlowQuantities:
    """Expressions of (t, q, v, z, p), with their gradients where these are asked for."""

    def __init__(self, eq: Equations, expressions: Sequence[Any]):
        self.equations, self.expressions = eq, tuple(expressions)
        n, k = len(eq.q), len(eq.z)
        self.fixed = 1 + 2 * n + k  # the parameters that vary follow
        self.varying = Varying(eq).places
        self.width = self.fixed + len(self.varying)
        self.groups = [slice(0, 1), slice(1, 1 + n), slice(1 + n, 1 + 2 * n), slice(1 + 2 * n, 1 + 2 * n + k)]

    @cached_property
    def _code(self) -> Function:
        entries = [e for row in gradients(self.equations, self.expressions) for e in row]
        return self._evaluated([*self.expressions, *entries])

    @cached_property
    def _values(self) -> Function:
        return self._evaluated(self.expressions)

    def _evaluated(self, expressions: Sequence[Any]) -> Function:
        """For a few calls: turned into a program as they stand, which takes half the time."""
        return function(program(self.equations.inputs, expressions, sources=True), backend="numpy")

    def gradient(self, x: Array) -> Array:
        return self.both(x)[1]

    def values(self, x: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._values(x)

    def levels(self, x: Array) -> tuple[Array, Array]:
        """Values, and the size of their terms."""
        value, gradient = self.both(x)
        return value, self._level(value, gradient, x)

    def _level(self, value: Array, gradient: Array, x: Array) -> Array:
        # a speed that the constraints keep at zero is a rounding error, so the largest of a kind counts for all
        level = np.abs(value)
        for g in self.groups:
            level = level + np.abs(gradient[:, :, g]).sum(axis=2) * np.abs(x[:, g]).max(axis=1, initial=0.0)[:, None]
        return level + np.abs(gradient[:, :, self.fixed :] * x[:, None, self.varying]).sum(axis=2)

    def both(self, x: Array) -> tuple[Array, Array]:
        """Values and gradients."""
        with np.errstate(all="ignore"):
            out = self._code(x)
        count = len(self.expressions)
        return out[:, :count], out[:, count:].reshape(len(x), count, self.width)

    def at(self, states: States) -> QuantityValues:
        value, gradient = self.both(states.x)
        terms = gradient * states.rates[:, None, :]
        level = self._level(value, gradient, states.x)
        # an acceleration that vanishes is a rounding error of larger ones, so the largest counts as the size of all
        largest = np.abs(states.rates)
        largest[:, : self.fixed] = largest[:, : self.fixed].max(axis=1, keepdims=True)
        return QuantityValues(value, terms.sum(axis=2), level, np.abs(gradient * largest[:, None, :]).sum(axis=2))


def products(basic: QuantityValues, factors: Sequence[Product]) -> QuantityValues:
    """The candidates' values and rates from those of their factors."""
    shape = (len(factors), len(basic.value))  # a row is a candidate, so that its numbers lie side by side
    value, rate, level, size = np.ones(shape), np.zeros(shape), np.ones(shape), np.zeros(shape)
    values, rates, levels, sizes = (
        np.ascontiguousarray(e.T) for e in (basic.value, basic.rate, basic.level, basic.size)
    )
    for at in range(max(map(len, factors), default=0)):
        k = [c for c, places in enumerate(factors) if len(places) > at]
        i = [factors[c][at] for c in k]
        rate[k] = rate[k] * values[i] + value[k] * rates[i]
        size[k] = size[k] * np.abs(values[i]) + np.abs(value[k]) * sizes[i]
        value[k] *= values[i]
        level[k] *= levels[i]
    return QuantityValues(*(np.ascontiguousarray(e.T) for e in (value, rate, level, size)))


def written(basic: Sequence[Any], factors: Sequence[Product], coefficients: Sequence[Any]) -> Any:
    """Σ c_k Π e_i, with common factors taken out."""
    import symengine as se

    from dalembert.mechanics.readable import readable

    common = list(factors[0])
    for places in factors[1:]:
        common = [i for i in common if common.count(i) <= places.count(i)]
    if len(factors) == 1:
        return readable(se.Mul(coefficients[0], *(basic[i] for i in common)))
    terms = []
    for places, c in zip(factors, coefficients, strict=True):
        rest = list(places)
        for i in common:
            rest.remove(i)
        terms.append(se.Mul(c, *(basic[i] for i in rest)))
    return se.Mul(readable(se.Add(*terms)), *(readable(basic[i]) for i in common))
