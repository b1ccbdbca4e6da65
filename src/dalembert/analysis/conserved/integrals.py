"""The search, level by level, for integrals that are new and functionally independent. Each is proved and simplified.

Independence: the gradients of integrals, restricted to the directions that the constraints leave to (q, v, z, w), have
full rank. So powers, products and sums of known integrals are not reported again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from math import lcm
from typing import Any

import numpy as np

from dalembert.analysis.conserved.basis import Candidates, parameter_waves
from dalembert.analysis.conserved.coefficients import fraction, recognized
from dalembert.analysis.conserved.exact import ExactFlow, ExactQuantities
from dalembert.analysis.conserved.flow import Array, Flow, Home, States
from dalembert.analysis.conserved.quantities import FlowQuantities, Product, QuantityValues, products, written
from dalembert.analysis.conserved.search import Null, beside, coordinates, independent, null_space
from dalembert.analysis.conserved.varying import moving
from dalembert.analysis.question import Limit
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.programs.functions import compiled

VALUES = 300  # sets of parameter values, to find how coefficients depend on them
FEW = 12
SEEDS = (11, 12, 13)
CONFIRMED = 1e-9  # relative to the terms of a rate, at states of another seed
LONGEST = 24  # largest number of terms of an integral that is written
SQUARES = 99  # the level of integrals ℓ² D(q)


@dataclass(frozen=True, slots=True)
class FirstIntegral:
    """Σ c_k B_k. `general`: it holds for all values of the parameters, not only for the model's."""

    expression: Any  # in t, q, v, z, w, and in the parameters if `general`
    terms: tuple[tuple[Any, str], ...]  # coefficient, and its candidate in words if all its factors have words
    level: int
    general: bool
    digits: int  # digits to which its rate vanishes relative to its terms: forty, or double precision
    energy: bool = False  # it contains an energy
    support: tuple[Product, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundIntegrals:
    integrals: tuple[FirstIntegral, ...]
    searched: int  # candidates
    notes: tuple[str, ...] = ()


def enough(candidates: int) -> int:
    """The number of states that decides on so many candidates."""
    return int(1.2 * candidates) + 40


@dataclass
class Search:
    """One search along one flow."""

    flow: Flow
    home: Home
    basis: Candidates
    limit: Limit
    seed: int = SEEDS[0]
    found: list[FirstIntegral] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def run(self) -> FoundIntegrals:
        """Search, and return what is new compared with `found`."""
        eq, candidates, before = self.flow.equations, self.basis.candidates, len(self.found)
        chance = np.random.default_rng(self.seed)
        states = self.flow.states(self.home, enough(len(candidates)), chance)
        self.quantities = FlowQuantities(eq, self.basis.expressions)
        basic = self.quantities.at(states)
        values = products(basic, candidates)
        columns = independent(values)
        self.exact = ExactFlow(self.flow)
        self.fresh = [self.flow.states(self.home, 40, np.random.default_rng(seed)) for seed in SEEDS[1:]]
        probes = states.some(slice(0, 4))
        self.tangent = tangents(self.flow, probes)
        self.probed = self.quantities.both(probes.x)
        self.gradients = [self._inside(FlowQuantities(eq, [i.expression]).gradient(probes.x)[:, 0]) for i in self.found]
        last = 0
        for level, members in enumerate(self.basis.levels):
            last += len(members)
            if self.limit.over:
                self.notes.append(
                    tr(
                        "The time was over after {last} of {count} candidates.",
                        last=last - len(members),
                        count=len(candidates),
                    )
                )
                break
            chosen = [k for k in columns if k < last]
            if chosen:
                self._level(level, states, values, null_space(values, chosen))
        few = slice(0, enough(len(self.basis.weights)))  # the squares are fewer than the candidates
        self._squares(states.some(few), basic.some(few))
        return FoundIntegrals(tuple(self.found[before:]), len(candidates), tuple(self.notes))

    def _level(self, level: int, states: States, values: QuantityValues, null: Null) -> None:
        if not null.clear:
            self.notes.append(
                tr(
                    "Level {level} of the search is undecided: the rates {below:.1e} and {above:.1e}, relative to "
                    "their terms, are too close to each other.",
                    level=level + 1,
                    below=null.below,
                    above=null.above,
                )
            )
            return
        if not len(null.vectors):
            return
        self._new(level, self.basis.candidates, values, null, states)

    def _new(
        self, level: int, candidates: Sequence[Product], values: QuantityValues, null: Null, states: States
    ) -> None:
        rows = beside(null.vectors, coordinates(values, null, self._known(states)))
        for row in sorted(rows, key=np.count_nonzero):
            places = np.flatnonzero(row)
            factors = [candidates[null.columns[j]] for j in places]
            start = row[places] / null.scale[places]
            gradient = self._gradient(factors, start)
            if not self._is_new(gradient):
                continue
            integral = self._proved(level, factors, start)
            if integral is not None:
                self.found.append(integral)
                self.gradients.append(gradient)

    def _squares(self, states: States, basic: QuantityValues) -> None:
        """Integrals ℓ² D(q) for linear ℓ that are not conserved. Routh's integral of a rolling sphere is ℓ √D."""
        for line in self.basis.linear:
            if self.limit.over:
                self.notes.append(tr("The time was over before integrals ℓ² D(q) were sought for all ℓ."))
                return
            factors = [(*places, line, line) for places in self.basis.weights]
            values = products(basic, factors)
            columns = independent(values)
            if not columns:
                continue
            null = null_space(values, columns)
            if len(null.vectors) and null.clear:
                self._new(SQUARES, factors, values, null, states)

    def _known(self, states: States) -> Array:
        """Values of the known integrals, of their products and of their squares."""
        if not self.found:
            return np.zeros((len(states), 0))
        value = FlowQuantities(self.flow.equations, [i.expression for i in self.found]).values(states.x)
        pairs = [value[:, i] * value[:, j] for i in range(value.shape[1]) for j in range(i, value.shape[1])]
        return np.column_stack([value, *pairs])

    def _gradient(self, factors: Sequence[Product], coefficients: Array) -> Array:
        """The gradient of a combination at the probes, along the directions that the constraints allow."""
        value, gradient = self.probed
        total = np.zeros(gradient[:, 0].shape)
        for places, c in zip(factors, coefficients, strict=True):
            for k, i in enumerate(places):
                rest = [j for at, j in enumerate(places) if at != k]
                total += c * value[:, rest].prod(axis=1)[:, None] * gradient[:, i]
        return self._inside(total)

    def _inside(self, gradient: Array) -> Array:
        rows = np.array([T.T @ g[1:] for g, T in zip(gradient, self.tangent, strict=True)])
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)

    def _is_new(self, gradient: Array) -> bool:
        stacked = np.stack([*self.gradients, gradient], axis=1)
        if stacked.shape[1] > stacked.shape[2]:
            return False
        smallest = np.linalg.svd(stacked, compute_uv=False)[:, -1]
        return bool(smallest.max() > 1e-6)

    def _proved(self, level: int, factors: Sequence[Product], start: Array) -> FirstIntegral | None:
        """The combination with refined coefficients. None if the proof fails."""
        if len(factors) > LONGEST:
            self.notes.append(
                tr("An integral with {count} terms was found and is too long to be written.", count=len(factors))
            )
            return None
        for states in self.fresh:
            found = self._products(states, factors)
            if np.any(np.abs(found.rate @ start) > CONFIRMED * (found.size @ np.abs(start))):
                return None
        try:
            exact = self._combined(factors)
        except MathematicsError:  # no state could be refined: rely on double precision
            exact = list(start / start[0]), 16
        if exact is None:
            return None
        numbers, digits = [float(c) for c in exact[0]], exact[1]
        symbolic = self._in_parameters(factors, numbers)
        energy = any(i in self.basis.energies for places in factors for i in places)
        terms = self.basis.expressions
        if symbolic is not None:
            expression = written(terms, factors, symbolic)
            if self._holds(expression):
                return FirstIntegral(
                    expression, self._words(factors, symbolic), level, True, digits, energy, tuple(factors)
                )
        rounded = [simple(c) for c in numbers]
        expression = written(terms, factors, rounded)
        return FirstIntegral(expression, self._words(factors, rounded), level, False, digits, energy, tuple(factors))

    def _combined(self, factors: Sequence[Product]) -> tuple[list[Decimal], int] | None:
        """The combination of these products that is conserved to forty digits."""
        used, places = self._used(factors)
        columns = [partial(_product, product) for product in places]
        return ExactQuantities(self.exact, used).combination(columns, self.fresh[0].x)

    def _products(self, states: States, factors: Sequence[Product]) -> QuantityValues:
        """Some candidates at states that were not searched with."""
        used, places = self._used(factors)
        return products(FlowQuantities(self.flow.equations, used).at(states), places)

    def _used(self, factors: Sequence[Product]) -> tuple[list[Any], list[Product]]:
        """The quantities that occur in some candidates, and the candidates with places among these."""
        used = sorted({i for places in factors for i in places})
        return [self.basis.expressions[i] for i in used], [tuple(used.index(i) for i in places) for places in factors]

    def _words(self, factors: Sequence[Product], coefficients: Sequence[Any]) -> tuple[tuple[Any, str], ...]:
        words = []
        for places, c in zip(factors, coefficients, strict=True):
            named = [self.basis.quantities[i] for i in places]
            about = [q.about for q in named if q.about]
            plain = [q.expression for q in named if not q.about]
            if len(about) != 1:
                return ()
            factor = c
            for e in plain:
                factor = factor * e
            words.append((factor, about[0]))
        return tuple(words)

    def _in_parameters(self, factors: Sequence[Product], numbers: Sequence[float]) -> list[Any] | None:
        """The coefficients as expressions of the parameters, or None if they are not recognized."""
        import symengine as se

        eq = self.flow.equations
        symbols = [s for s, value in eq.parameters.items() if value != 0]
        if not symbols:
            found = [fraction(c) for c in numbers]
            return None if None in found else [se.Rational(f.numerator, f.denominator) for f in found if f is not None]
        sampled = self._sampled(factors, FEW)
        if sampled is None:
            return None
        if np.ptp(sampled[0], axis=0).max() > CONFIRMED * np.abs(sampled[0]).max():
            sampled = self._sampled(factors, VALUES)
        if sampled is None:
            return None
        values, parameters = sampled
        letters, columns = self._letters(parameters, values)
        quotients = [recognized(column, columns, letters) for column in values.T]
        if any(e is None for e in quotients):
            return None
        common = se.S.One
        for e in quotients:
            common = _multiple(common, se.sympify(e).as_numer_denom()[1])
        return [se.expand(common * e) if e.is_Number else _cancelled(common, e) for e in map(se.sympify, quotients)]

    def _sampled(self, factors: Sequence[Product], more: int) -> tuple[Array, Array] | None:
        """Coefficients (the first is 1) at the model's parameters, with one of them changed, and at random values."""
        chance = np.random.default_rng(self.seed + 5)
        p, count = self.home.p, len(self.home.p)
        single = np.tile(p, (count, 1)) * (1 + 0.37 * np.eye(count))
        values = np.vstack([p, single, p * chance.uniform(0.5, 2.0, (more, count))])
        each = len(factors) + 2
        try:
            states, kept = self.flow.grouped(self.home, values, each, chance)
        except MathematicsError:
            return None
        found = self._products(states, factors)
        weight = np.maximum(found.size.max(axis=1, keepdims=True), 1e-300)
        rate = (found.rate / weight).reshape(len(kept), each, len(factors))
        if len(factors) == 1:
            c = np.ones((len(kept), 1))
        else:
            rest = np.linalg.pinv(rate[:, :, 1:], rcond=1e-12) @ -rate[:, :, :1]
            c = np.hstack([np.ones((len(kept), 1)), rest[:, :, 0]])
        left = np.abs(np.einsum("gsk,gk->gs", rate, c)).max(axis=1)
        if np.any(left > CONFIRMED * (1 + np.abs(c).max(axis=1))) or not np.array_equal(kept[0], p):
            return None
        return c, kept

    def _letters(self, parameters: Array, values: Array) -> tuple[list[Any], Array]:
        """The parameters on which the coefficients depend, and their sines and cosines that occur in the model."""
        eq, p = self.flow.equations, self.home.p
        symbols = list(eq.parameters)
        relevant = []
        for i, symbol in enumerate(symbols):
            lone = (parameters[:, i] != p[i]) & (np.delete(parameters, i, axis=1) == np.delete(p, i)).all(axis=1)
            changed = np.abs(values[lone] - values[0]) > 1e-8 * (1 + np.abs(values[0]))
            if p[i] != 0 and (changed.any() or not lone.any()):
                relevant.append(symbol)
        letters = [*relevant, *parameter_waves(eq, relevant)]
        return letters, compiled(symbols, letters, backend="numpy")(parameters)

    def _holds(self, expression: Any) -> bool:
        """Whether it is conserved at random values of the parameters too."""
        chance = np.random.default_rng(self.seed + 9)
        values = self.home.p * chance.uniform(0.6, 1.7, (4, len(self.home.p)))
        try:
            states, _ = self.flow.grouped(self.home, values, 2, chance)
        except MathematicsError:
            return False
        found = FlowQuantities(self.flow.equations, [expression]).at(states)
        if np.any(np.abs(found.rate) > CONFIRMED * found.size):
            return False
        exact = ExactQuantities(self.exact, [expression])
        terms = [exact.terms(x, i) for i, x in enumerate(states.x[::2])]
        return all(t is None or exact.digits(abs(t[1][0]) / (t[2][0] or 1)) is not None for t in terms)


def _product(places: Product, values: Any, rates: Any, sizes: Any) -> tuple[Any, Any]:
    """The rate of a product, and the size of its terms."""
    value, rate, size = 1, 0, 0
    for i in places:
        rate = rate * values[i] + value * rates[i]
        size = size * abs(values[i]) + abs(value) * sizes[i]
        value = value * values[i]
    return rate, size


def simple(value: float) -> Any:
    """A number as a small fraction if it equals one, else unchanged."""
    import symengine as se

    found = fraction(value)
    return se.RealDouble(value) if found is None else se.Rational(found.numerator, found.denominator)


def _multiple(a: Any, b: Any) -> Any:
    """A common multiple: the product without the factors that both have."""
    import symengine as se

    if b == 1 or a == b:
        return a
    if a == 1:
        return b
    return se.Integer(lcm(int(a), int(b))) if a.is_Integer and b.is_Integer else a * b


def _cancelled(common: Any, e: Any) -> Any:
    import symengine as se

    above, below = e.as_numer_denom()
    return above * (common / below) if below != 1 else se.sympify(above) * common


def tangents(flow: Flow, states: States) -> list[Array]:
    """At every state, a basis of the directions (δq, δv, δz, δw) that the constraints allow."""
    eq = flow.equations
    rows = [*eq.phi, *eq.psi]
    if not rows:
        return [np.eye(len(moving(eq)) - 1)] * len(states)
    gradient = FlowQuantities(eq, rows).gradient(states.x)[:, :, 1:]
    found = []
    for J in gradient:
        size = np.linalg.norm(J, axis=1, keepdims=True)
        _, s, Vt = np.linalg.svd(J / np.where(size > 0, size, 1.0))
        found.append(Vt[int((s > 1e-9).sum()) :].T)
    return found
