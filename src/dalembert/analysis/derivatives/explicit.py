"""Derivatives at fixed accelerations and multipliers, as functions of (x, a, ν).

    r = (D a − d − R ν, A a − b),  ψ and φ of the constraints,  w of candidates for speeds,  ẇ = w_v a + w_q v + …,  ṡ
A family or a search asks for many states, and gets a program of them, differentiated in symbols. A single state is
swept: the programs of the equations run operation by operation, with derivatives, and nothing has to be written before.
It takes the program all the same at a switch of abs, sign, min or max, since a refusal shows the text of the condition,
and where an operation has no derivative, although the whole has one (x √x at zero).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.derivatives.smooth import at_switch, require_smooth, switches
from dalembert.analysis.derivatives.symbolic import jacobian, total, unknown
from dalembert.programs.expressions import program
from dalembert.programs.functions import FEW_TIMES, Function, function
from dalembert.programs.program import Program
from dalembert.programs.system import CompiledSystem
from dalembert.programs.tangents import swept

Array = np.ndarray
LARGE = 5_000_000  # numbers that a sweep may keep at once


@dataclass(frozen=True, slots=True)
class Explicit:
    """The derivatives at one state, by X = (q, v, e), by the inputs u or by parts of them."""

    r_X: Array  # ∂r/∂(X, u)
    psi_q: Array
    psi_e: Array
    phi_e: Array
    speed: Array  # w
    speed_v: Array
    speed_q: Array
    speed_e: Array
    rate: Array  # ẇ
    rate_X: Array  # ∂ẇ/∂(X, u)
    extra: Array  # ṡ, rates of first-order states
    extra_X: Array  # ∂ṡ/∂(X, u)


@dataclass(frozen=True)
class ExplicitDerivatives:
    """The derivatives of a system at any state."""

    system: CompiledSystem
    speeds: Mapping[str, Any]
    X: tuple[Any, ...]
    inputs: tuple[Any, ...]  # symbols of parameters

    def at(self, x: Array, a: Array, nu: Array, few: bool) -> Explicit | None:
        """The derivatives, or None if they are not finite. A state at which they jump is refused."""
        sweeps = few and len(self._dynamics.operations) * len(self._along) <= LARGE
        return (self._swept(x, a, nu) if sweeps else None) or self._computed(np.concatenate([x, a, nu]))

    def _swept(self, x: Array, a: Array, nu: Array) -> Explicit | None:
        """None if a number is not finite, or at a switch."""
        system, n, c, extra = self.system, self.system.n, len(self.speeds), slice(2 * self.system.n, len(self.X))
        codes = (self._dynamics, system.velocity.program, system.position.program, self._rates)
        inputs = np.concatenate([x, a])  # all but the last program take x alone
        sweeps = [swept(code, inputs[: len(code.inputs)], self._along) for code in codes]
        if any(at_switch(code, values) for code, (values, _) in zip(codes, sweeps, strict=True)):
            return None
        (_, moved), (_, psi), (_, phi), (values, turned) = sweeps
        rates = np.array([values[place] for place in self._rates.outputs], dtype=float)
        if not all(np.all(np.isfinite(part)) for part in (moved, psi, phi, rates, turned)):
            return None
        D, d, A, b, R = system.unpacked(moved.T)
        r_X = np.hstack([D @ a - d - R @ nu, A @ a - b]).T
        psi, phi, w_X = psi[: system.m], phi[: system.mh], turned[:c]
        return Explicit(
            r_X=r_X,
            psi_q=psi[:, :n],
            psi_e=psi[:, extra],
            phi_e=phi[:, extra],
            speed=rates[:c],
            speed_v=w_X[:, n : 2 * n],
            speed_q=w_X[:, :n],
            speed_e=w_X[:, extra],
            rate=rates[c : 2 * c],
            rate_X=turned[c : 2 * c],
            extra=rates[2 * c :],
            extra_X=turned[2 * c :],
        )

    def _computed(self, inputs: Array) -> Explicit | None:
        """By the program in symbols."""
        values = self._code(inputs)
        if not np.all(np.isfinite(values)):
            return None
        if self._switches:
            require_smooth(self.system, self._in_symbols, inputs)
        n, m, e, width = self.system.n, self.system.m, len(self._extra), len(self._along)
        c, states = len(self.speeds), len(self.system.equations.states)
        shapes = [(n + m, width), (m, n), (m, e), (self.system.mh, e), (c,), (c, n), (c, n), (c, e), (c,), (c, width)]
        return Explicit(*_shaped(values, [*shapes, (states,), (states, width)]))

    @property
    def _dynamics(self) -> Program:
        return self.system.dynamics.program

    @property
    def _extra(self) -> tuple[Any, ...]:
        return self.X[2 * self.system.n :]

    @cached_property
    def _along(self) -> list[int]:
        """The places of X and u in x."""
        places = {symbol: place for place, symbol in enumerate(self.system.equations.inputs)}
        return [places[symbol] for symbol in (*self.X, *self.inputs)]

    @property
    def _name(self) -> tuple[Any, ...]:
        return tuple(self.speeds.items()), self.inputs

    @cached_property
    def _code(self) -> Function:
        return function(self._in_symbols, FEW_TIMES)

    @cached_property
    def _switches(self) -> bool:
        return switches(self._in_symbols) or switches(self._dynamics)

    @property
    def _in_symbols(self) -> Program:
        """All of `Explicit` as a program of (x, a, ν), with the texts of its conditions."""
        return self.system.once(("derivatives", *self._name), lambda: program(*self._expressions(), sources=True))

    @cached_property
    def _rates(self) -> Program:
        """w, ẇ and ṡ as a program of (x, a)."""
        a = unknown("acceleration", self.system.n)
        inputs = [*self.system.equations.inputs, *a]
        return self.system.once(("rates", *self._name), lambda: program(inputs, _flat([self._of_speeds(a)])))

    def _expressions(self) -> tuple[list[Any], list[Any]]:
        eq, n = self.system.equations, self.system.n
        a, nu = unknown("acceleration", n), unknown("multiplier", self.system.reactions)
        R = tuple(zip(*eq.A, strict=True)) if eq.R is None else eq.R
        R = R or ((),) * n
        rows = [total(D, a) - d - total(column, nu) for D, d, column in zip(eq.D, eq.d, R, strict=True)]
        rows += [total(A, a) - b for A, b in zip(eq.A, eq.b, strict=True)]
        w, rates, s_rates = self._of_speeds(a)
        X, e = (*self.X, *self.inputs), self._extra
        matrices = (
            jacobian(rows, X), jacobian(eq.psi, eq.q), jacobian(eq.psi, e), jacobian(eq.phi, e), [w], jacobian(w, eq.v),
            jacobian(w, eq.q), jacobian(w, e), [rates], jacobian(rates, X), [s_rates], jacobian(s_rates, X),
        )  # fmt: skip
        return [*eq.inputs, *a, *nu], _flat(matrices)

    def _of_speeds(self, a: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """w, ẇ and ṡ."""
        eq = self.system.equations
        w, s_rates = [se.sympify(e) for e in self.speeds.values()], list(eq.states.values())
        slopes = zip(w, jacobian(w, eq.v), jacobian(w, eq.q), jacobian(w, list(eq.states)), strict=True)
        rates = [
            total(by_v, a) + total(by_q, eq.v) + total(by_s, s_rates) + e.diff(eq.t) for e, by_v, by_q, by_s in slopes
        ]
        return w, rates, s_rates


def _flat(matrices: Sequence[Sequence[Sequence[Any]]]) -> list[Any]:
    return [e for matrix in matrices for row in matrix for e in row]


def _shaped(values: Array, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """One array after the other from their numbers in a row."""
    ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
    return [values[end - prod(shape) : end].reshape(shape) for shape, end in zip(shapes, ends, strict=True)]
