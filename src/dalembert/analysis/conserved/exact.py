"""The same flow with forty digits. A rate that vanishes here to thirty digits is not a rounding error.

A state in double precision is moved onto the constraints by Newton steps of least norm. The accelerations are solved
for with as many digits. Rates follow from symbolic gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.conserved.flow import Array, Flow
from dalembert.analysis.conserved.quantities import gradients
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.motions.accelerations import redundant_rows

DIGITS = 40
ZERO = 1e-25  # relative to the terms that cancel
ROUNDED = 1e-12  # the same if decimals of the model were multiplied in double precision

Numbers = list[Any]


class ExactFlow:
    """A flow and quantities along it, evaluated in DIGITS digits."""

    def __init__(self, flow: Flow, quantities: Sequence[Any]):
        self.flow = flow
        self.quantities = tuple(quantities)

    @cached_property
    def _mp(self) -> Any:
        from mpmath import mp

        context = mp.clone()
        context.dps = DIGITS
        return context

    @cached_property
    def _parts(self) -> dict[str, Graph]:
        eq = self.flow.equations
        R = eq.R if eq.R is not None else tuple(zip(*eq.A, strict=True))
        flat = [e for row in gradients(eq, self.quantities) for e in row]
        parts = {
            "position": [*eq.phi, *_flat(eq.phi_q)],
            "velocity": [*eq.psi, *_flat(eq.A)],
            "dynamics": [*_flat(eq.D), *eq.d, *_flat(eq.A), *eq.b, *_flat(R), *_flat(self.flow.pushes)],
            "quantities": [*self.quantities, *flat],
            "varying": list(self.flow.varying.known.values()),
        }
        return {name: Graph(eq.inputs, entries) for name, entries in parts.items()}

    def terms(self, x: Array, seed: int = 0) -> tuple[Numbers, Numbers, Numbers] | None:
        """For every quantity at the state near x: its value, its rate, and the size of the terms of the rate."""
        state = self._state(x)
        rates = None if state is None else self._rates(state, seed)
        if state is None or rates is None:
            return None
        values = self._values("quantities", state)
        count, width = len(self.quantities), len(rates)
        rate, size = [], []
        fixed = width - len(self.flow.varying)
        largest = max(map(abs, rates[:fixed]))
        for i in range(count):
            row = values[count + i * width : count + (i + 1) * width]
            products = [g * r for g, r in zip(row, rates, strict=True)]
            rate.append(self._mp.fsum(products))
            size.append(largest * self._mp.fsum(map(abs, row[:fixed])) + self._mp.fsum(map(abs, products[fixed:])))
        return values[:count], rate, size

    def _state(self, x: Array) -> Numbers | None:
        """x moved onto the constraints."""
        system, mp = self.flow.system, self._mp
        n, m, mh = system.n, system.m, system.mh
        state = [mp.mpf(float(e)) for e in x]
        for name, count, first in (("position", mh, 1), ("velocity", m, 1 + n)):
            if not count:
                continue
            for _ in range(5):
                out = self._values(name, state)
                J = [out[count + i * n : count + (i + 1) * n] for i in range(count)]
                kept = _kept(J)
                step = self._least_norm([J[i] for i in kept], [out[i] for i in kept])
                if step is None:
                    return None
                for j in range(n):
                    state[first + j] -= step[j]
                if max(map(abs, step)) < mp.mpf(10) ** (-DIGITS + 6):
                    break
            else:
                return None
        return state

    def _least_norm(self, J: list[Numbers], residual: Numbers) -> Numbers | None:
        mp = self._mp
        if not J:
            return None
        factors = solved([[mp.fdot(one, other) for other in J] for one in J], residual, mp)
        return None if factors is None else [mp.fdot(column, factors) for column in zip(*J, strict=True)]

    def _rates(self, state: Numbers, seed: int) -> Numbers | None:
        """The rates of t, q, v, z, w, or None if the equations do not determine them."""
        system, mp = self.flow.system, self._mp
        n, m, r, k = system.n, system.m, system.reactions, system.k
        out = iter(self._values("dynamics", state))
        D = [[next(out) for _ in range(n)] for _ in range(n)]
        d = [next(out) for _ in range(n)]
        A = [[next(out) for _ in range(n)] for _ in range(m)]
        b = [next(out) for _ in range(m)]
        R = [[next(out) for _ in range(r)] for _ in range(n)]
        chance = np.random.default_rng(seed)
        for _ in self.flow.pushes:
            force = mp.mpf(float(chance.normal()))
            d = [e + force * next(out) for e in d]
        rows, columns = _kept(A), _kept([list(c) for c in zip(*R, strict=True)] if r else [])
        if len(rows) != len(columns) or any(i not in columns for i in range(k)):
            return None
        K = [[*D[i], *(-R[i][column] for column in columns)] for i in range(n)]
        K += [[*A[row], *[mp.mpf(0)] * len(columns)] for row in rows]
        found = solved(K, [*d, *(b[row] for row in rows)], mp)
        if found is None:
            return None
        extra = [found[n + columns.index(i)] for i in range(k)]
        varied = [mp.mpf(float(rate)) for rate in self.flow.varying.any_rates(chance)]
        for place, rate in zip(self.flow.varying.known, self._values("varying", state), strict=True):
            varied[place] = rate
        return [mp.mpf(1), *state[1 + n : 1 + 2 * n], *found[:n], *extra, *varied]

    def _values(self, name: str, state: Numbers) -> Numbers:
        return self._parts[name].values(state, self._mp)

    @cached_property
    def rounded(self) -> bool:
        """Whether the equations contain decimals. SymEngine multiplies them with sixteen digits only."""
        return any(type(node).__name__ == "RealDouble" for part in self._parts.values() for node in part.nodes)

    def combination(
        self, columns: Sequence[Callable[[Numbers, Numbers, Numbers], tuple[Any, Any]]], states: Array
    ) -> tuple[Numbers, int] | None:
        """c with c₀ = 1 for which Σ c_k Ḃ_k vanishes at all states, and to how many digits. None if there is none.

        A column maps values, rates and sizes of the quantities to its own rate and size.
        """
        mp = self._mp
        rows, sizes = [], []
        for i, x in enumerate(states):
            terms = self.terms(x, i)
            if terms is None:
                continue
            pairs = [column(*terms) for column in columns]
            scale = max((abs(size) for _, size in pairs), default=mp.mpf(1)) or mp.mpf(1)
            rows.append([rate / scale for rate, _ in pairs])
            sizes.append([size / scale for _, size in pairs])
            if len(rows) == len(columns) + 2:
                break
        if len(rows) < len(columns) + 1:
            raise MathematicsError(tr("too few states could be refined to forty digits"))
        c = [mp.mpf(1)]
        if len(columns) > 1:
            try:
                found = mp.qr_solve(mp.matrix([row[1:] for row in rows]), mp.matrix([-row[0] for row in rows]))[0]
            except (ZeroDivisionError, ValueError):
                return None
            c += list(found)
        worst = mp.mpf(0)
        for row, size in zip(rows, sizes, strict=True):
            left = abs(mp.fsum(a * b for a, b in zip(c, row, strict=True)))
            worst = max(worst, left / (mp.fsum(abs(a) * b for a, b in zip(c, size, strict=True)) or 1))
        digits = self.digits(worst)
        return None if digits is None else (c, digits)

    def digits(self, rate: Any) -> int | None:
        """The number of digits to which a rate is zero relative to its terms. None if it is not zero."""
        if rate <= ZERO:
            return DIGITS
        return 16 if self.rounded and rate <= ROUNDED else None


def solved(K: list[Numbers], right: Numbers, mp: Any) -> Numbers | None:
    """z with K z = right in all digits, or None if K is singular.

    The residual is computed in all digits and solved for in double precision: z ← z + K⁻¹ (right − K z). Every round
    adds the digits by which double precision exceeds the condition of K.
    """
    rough = np.array([[float(entry) for entry in row] for row in K])
    inverse = np.linalg.pinv(rough)
    z, left, before, small = [mp.mpf(0)] * len(right), right, mp.inf, 1000 * mp.eps * max(map(abs, right))
    while small < (size := max(map(abs, left))) < before / 1000:
        step, before = inverse @ [float(e / size) for e in left], size
        z = [e + size * mp.mpf(float(c)) for e, c in zip(z, step, strict=True)]
        left = [r - mp.fdot(row, z) for row, r in zip(K, right, strict=True)]
    if size <= small:
        return z
    try:
        return list(mp.lu_solve(mp.matrix(K), mp.matrix(right)))
    except ZeroDivisionError:
        return None


def _flat(matrix: Any) -> list[Any]:
    return [e for row in matrix for e in row]


def _kept(rows: list[Numbers]) -> list[int]:
    if not rows:
        return []
    left_out = set(redundant_rows(np.array([[float(e) for e in row] for row in rows])))
    return [i for i in range(len(rows)) if i not in left_out]


class Graph:
    """Expressions as nodes of one common graph, each after its arguments. Numbers stay exact."""

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]):
        import symengine

        self.inputs = {symbol: place for place, symbol in enumerate(inputs)}
        self.place: dict[Any, int] = {}
        self.nodes: list[Any] = []
        self.outputs = [self._walked(symengine.sympify(output)) for output in outputs]

    def _walked(self, root: Any) -> int:
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [] if node in self.place else [a for a in node.args if a not in self.place]
            if missing:
                stack += missing
                continue
            stack.pop()
            if node not in self.place:
                self.place[node] = len(self.nodes)
                self.nodes.append(node)
        return self.place[root]

    def values(self, state: Numbers, mp: Any) -> Numbers:
        """The outputs in multiple precision."""
        found: Numbers = []
        for node in self.nodes:
            if node in self.inputs:
                found.append(state[self.inputs[node]])
            else:
                found.append(_value(node, [found[self.place[a]] for a in node.args], mp))
        return [found[place] for place in self.outputs]


_NAMES = {"Abs": "fabs"}
_ORDER = {
    "StrictLessThan": lambda a, b: a < b,
    "LessThan": lambda a, b: a <= b,
    "Equality": lambda a, b: a == b,
    "Unequality": lambda a, b: a != b,
}


def _value(node: Any, arguments: Numbers, mp: Any) -> Any:
    kind = type(node).__name__
    match kind:
        case "BooleanTrue" | "BooleanFalse":
            return kind == "BooleanTrue"
        case "Add":
            return mp.fsum(arguments)
        case "Mul":
            return mp.fprod(arguments)
        case "Pow":
            base, exponent = arguments
            return mp.power(base, int(exponent) if exponent == int(exponent) else exponent)
        case "Piecewise":
            for value, condition in zip(arguments[::2], arguments[1::2], strict=True):
                if condition:
                    return value
            return mp.nan
        case "And":
            return all(arguments)
        case "Or":
            return any(arguments)
        case "Not":
            return not arguments[0]
        case "Max":
            return max(arguments)
        case "Min":
            return min(arguments)
    if kind in _ORDER:
        return _ORDER[kind](*arguments)
    if not arguments:
        return _number(node, mp)
    return getattr(mp, _NAMES.get(kind, kind))(*arguments)


def _number(node: Any, mp: Any) -> Any:
    if str(node) in {"pi", "E"}:
        return mp.pi if str(node) == "pi" else mp.e
    if hasattr(node, "q") and hasattr(node, "p"):
        return mp.mpf(int(node.p)) / int(node.q)
    return mp.mpf(float(node))
