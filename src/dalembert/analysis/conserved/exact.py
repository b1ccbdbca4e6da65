"""The same flow with forty digits. A rate that vanishes here to thirty digits is not a rounding error.

A state in double precision is moved onto the constraints by Newton steps of least norm. The accelerations are solved
for with as many digits. Rates follow from symbolic gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array, Flow
from dalembert.analysis.conserved.quantities import gradients
from dalembert.analysis.exact.graph import Graph
from dalembert.analysis.exact.linear import dot, refined, solved
from dalembert.analysis.exact.series import NIL, ONE, Digits
from dalembert.errors import MathematicsError
from dalembert.motions.accelerations import redundant_rows

DIGITS = 40
ZERO = Decimal("1e-25")  # relative to the terms that cancel
ROUNDED = Decimal("1e-12")  # the same if decimals of the model were multiplied in double precision
STILL = Decimal("1e-44")  # a Newton step that is only rounding

Numbers = list[Decimal]


class ExactFlow:
    """States and their rates in fifty digits."""

    def __init__(self, flow: Flow):
        self.flow = flow
        self._known: dict[tuple[bytes, int], tuple[Numbers, Numbers] | None] = {}

    @cached_property
    def graphs(self) -> dict[str, Graph]:
        eq = self.flow.equations
        R = eq.R if eq.R is not None else tuple(zip(*eq.A, strict=True))
        parts = {
            "position": [*eq.phi, *_flat(eq.phi_q)],
            "velocity": [*eq.psi, *_flat(eq.A)],
            "dynamics": [*_flat(eq.D), *eq.d, *_flat(eq.A), *eq.b, *_flat(R), *_flat(self.flow.pushes)],
            "varying": list(self.flow.varying.known.values()),
        }
        return {name: Graph(eq.inputs, entries) for name, entries in parts.items()}

    def at(self, x: Array, seed: int) -> tuple[Numbers, Numbers] | None:
        """The state near x on the constraints, and its rates under forces of unknown size that `seed` chooses.

        None if the equations determine neither.
        """
        key = x.tobytes(), seed
        if key not in self._known:
            state = self._state(x)
            rates = None if state is None else self._rates(state, seed)
            self._known[key] = None if state is None or rates is None else (state, rates)
        return self._known[key]

    def _state(self, x: Array) -> Numbers | None:
        """x moved onto the constraints."""
        system = self.flow.system
        n, m, mh = system.n, system.m, system.mh
        state = [Decimal(float(e)) for e in x]
        for name, count, first in (("position", mh, 1), ("velocity", m, 1 + n)):
            if not count:
                continue
            for _ in range(5):
                out = self.graphs[name].values(state)
                J = [out[count + i * n : count + (i + 1) * n] for i in range(count)]
                kept = _kept(J)
                step = _least_norm([J[i] for i in kept], [out[i] for i in kept])
                if step is None:
                    return None
                for j in range(n):
                    state[first + j] -= step[j]
                if max(map(abs, step)) < STILL:
                    break
            else:
                return None
        return state

    def _rates(self, state: Numbers, seed: int) -> Numbers | None:
        """The rates of t, q, v, z, w, or None if the equations do not determine them."""
        system = self.flow.system
        n, m, r, k = system.n, system.m, system.reactions, system.k
        out = iter(self.graphs["dynamics"].values(state))
        D = [[next(out) for _ in range(n)] for _ in range(n)]
        d = [next(out) for _ in range(n)]
        A = [[next(out) for _ in range(n)] for _ in range(m)]
        b = [next(out) for _ in range(m)]
        R = [[next(out) for _ in range(r)] for _ in range(n)]
        chance = np.random.default_rng(seed)
        for _ in self.flow.pushes:
            force = Decimal(float(chance.normal()))
            d = [e + force * next(out) for e in d]
        rows, columns = _kept(A), _kept([list(c) for c in zip(*R, strict=True)] if r else [])
        if len(rows) != len(columns) or any(i not in columns for i in range(k)):
            return None
        K = [[*D[i], *(-R[i][column] for column in columns)] for i in range(n)]
        K += [[*A[row], *[NIL] * len(columns)] for row in rows]
        found = solved(K, [*d, *(b[row] for row in rows)])
        if found is None:
            return None
        extra = [found[n + columns.index(i)] for i in range(k)]
        varied = [Decimal(float(rate)) for rate in self.flow.varying.any_rates(chance)]
        for place, rate in zip(self.flow.varying.known, self.graphs["varying"].values(state), strict=True):
            varied[place] = rate
        return [ONE, *state[1 + n : 1 + 2 * n], *found[:n], *extra, *varied]


class ExactQuantities:
    """Quantities along a flow in fifty digits."""

    def __init__(self, flow: ExactFlow, expressions: Sequence[Any]):
        self._flow = flow
        self._count = len(expressions)
        eq = flow.flow.equations
        with Digits():
            self._graph = Graph(eq.inputs, [*expressions, *_flat(gradients(eq, expressions))])

    def terms(self, x: Array, seed: int = 0) -> tuple[Numbers, Numbers, Numbers] | None:
        """For every quantity at the state near x: its value, its rate, and the size of the terms of the rate.

        None if there is none, or if the equations do not determine the rates.
        """
        with Digits():
            try:
                known = self._flow.at(x, seed)
                values = [] if known is None else self._graph.values(known[0])
            except MathematicsError:  # a quantity or an equation has no value there
                return None
            if known is None:
                return None
            rates = known[1]
            count, width = self._count, len(rates)
            rate, size = [], []
            fixed = width - len(self._flow.flow.varying)
            largest = max(map(abs, rates[:fixed]))
            for i in range(count):
                row = values[count + i * width : count + (i + 1) * width]
                rate.append(dot(row, rates))
                changed = sum((abs(g * r) for g, r in zip(row[fixed:], rates[fixed:], strict=True)), NIL)
                size.append(largest * sum(map(abs, row[:fixed]), NIL) + changed)
            return values[:count], rate, size

    def combination(
        self, columns: Sequence[Callable[[Numbers, Numbers, Numbers], tuple[Decimal, Decimal]]], states: Array
    ) -> tuple[Numbers, int] | None:
        """c with c₀ = 1 for which Σ c_k Ḃ_k vanishes at all states, and to how many digits. None if there is none.

        A column maps values, rates and sizes of the quantities to its own rate and size.
        """
        rows, sizes = [], []
        with Digits():
            for i, x in enumerate(states):
                terms = self.terms(x, i)
                if terms is None:
                    continue
                pairs = [column(*terms) for column in columns]
                scale = max((abs(size) for _, size in pairs), default=ONE) or ONE
                rows.append([rate / scale for rate, _ in pairs])
                sizes.append([size / scale for _, size in pairs])
                if len(rows) == len(columns) + 2:
                    break
            if len(rows) < len(columns) + 1:
                raise MathematicsError("too few states could be refined to forty digits")
            c = [ONE]
            if len(columns) > 1:
                c += refined([row[1:] for row in rows], [-row[0] for row in rows])[0]
            left = [abs(dot(c, row)) / (dot(map(abs, c), size) or ONE) for row, size in zip(rows, sizes, strict=True)]
        digits = self.digits(max(left))
        return None if digits is None else (c, digits)

    def digits(self, rate: Decimal) -> int | None:
        """The number of digits to which a rate is zero relative to its terms. None if it is not zero."""
        if rate <= ZERO:
            return DIGITS
        rounded = self._graph.rounded or any(graph.rounded for graph in self._flow.graphs.values())
        return 16 if rounded and rate <= ROUNDED else None


def _least_norm(J: list[Numbers], residual: Numbers) -> Numbers | None:
    if not J:
        return None
    factors = solved([[dot(one, other) for other in J] for one in J], residual)
    return None if factors is None else [dot(column, factors) for column in zip(*J, strict=True)]


def _flat(matrix: Any) -> list[Any]:
    return [e for row in matrix for e in row]


def _kept(rows: list[Numbers]) -> list[int]:
    if not rows:
        return []
    left_out = set(redundant_rows(np.array([[float(e) for e in row] for row in rows])))
    return [i for i in range(len(rows)) if i not in left_out]
