"""The right-hand side of a motion with its exact derivatives, at many states at once and in any mode of its contacts.

    r(x; w) = 0,  w = (a, ν, S):      D a − d − Rν + Σ pull Tᵀĉ = 0,   A a − b = 0,   S² + |h|² − (μN)² = 0
    r_w δw = −r_x δx                  x = (t, q, v, z, p)
The mode decides the rows of A and the frictions that pull. The pull is μN, or S if a slip shares its cone with held
rows (ZhangMei (4.15)–(4.18)). r is differentiated in symbols, compiled, and solved numerically. No differences are
taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian, total, unknown
from dalembert.errors import MathematicsError
from dalembert.programs.functions import FEW_TIMES, Function, compiled
from dalembert.programs.system import CompiledSystem

REGULAR = 1e12  # condition number above which unknowns count as undetermined
NEWTON = 12


@dataclass(frozen=True, slots=True)
class Implicit:
    """r in symbols: the unknowns w, their indices in ν, the residuals, and further inputs that are held fixed."""

    unknowns: tuple[Any, ...]
    multipliers: tuple[int, ...]  # rows of A (columns of R) of the ν among the unknowns
    residuals: tuple[Any, ...]
    constraints: int  # number of residuals that are rows of A; they are the last before the cones
    fixed: tuple[Any, ...] = ()
    linear: bool = True  # in w


@dataclass(frozen=True)
class CompiledFlow:
    """A compiled problem. `system` has the values of the parameters."""

    system: CompiledSystem
    problem: Implicit
    code: Function  # r, r_w, r_x
    guards: dict[Any, Function] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The size of the state y = (q, v, z, s)."""
        return 2 * self.system.n + self.system.k + self.system.s

    def at(self, X: Array, fixed: Array | None = None, guess: Array | None = None) -> LocalSolution:
        """w and ∂w/∂x at every row of X. `fixed` are the further inputs; Newton's method starts at `guess`."""
        rows, count, width = len(self.problem.residuals), len(self.problem.unknowns), X.shape[1]
        held = np.zeros((len(X), 0)) if fixed is None else fixed
        w = np.zeros((len(X), count)) if guess is None else guess.copy()
        for attempt in range(NEWTON):
            out = self.code(np.hstack([X, w, held]))
            if not np.isfinite(out).all():
                bad = int(np.flatnonzero(~np.isfinite(out).all(axis=1))[0])
                raise MathematicsError(
                    "at t = {x:.9g} the equations of motion have no derivative; end the motion before", x=X[bad, 0]
                )
            r, K = out[:, :rows], out[:, rows : rows + rows * count].reshape(-1, rows, count)
            inverse, determined = self._solver(K)
            step = inverse(r[:, :, None])[:, :, 0]
            w = w - step
            if attempt and (self.problem.linear or np.abs(step).max() <= 1e-13 * max(np.abs(w).max(), 1e-3)):
                break
        r_x = out[:, rows + rows * count :].reshape(-1, rows, width)
        return LocalSolution(self, X, w, -inverse(r_x), determined)

    def _solver(self, K: Array) -> tuple[Callable[[Array], Array], bool]:
        """A batched solve of K, and whether it determines every unknown.

        K w = c with redundant rows or columns has the solution w = V₁ Σ₁⁻¹ U₁ᵀ c (K = U Σ Vᵀ, rank r). It is smooth
        wherever r is constant; a choice of independent rows is not, since rows that are independent at one state of
        a motion need not be so at the next. r is the largest rank on the way: a state of lower rank gives numbers
        without bounds.
        """
        heights = _sizes(K, 2)
        widths = _sizes(K / heights, 1)
        scaled = K / heights / widths
        values = np.linalg.svd(scaled, compute_uv=False)
        rank = int((values * REGULAR > values[:, :1]).sum(axis=1).max(initial=0))
        determined = rank == K.shape[2]
        if determined and rank == K.shape[1] and bool(np.all(values[:, -1:] * REGULAR > values[:, :1])):
            return lambda right: np.linalg.solve(scaled, right / heights) / np.swapaxes(widths, 1, 2), True
        U, values, V = np.linalg.svd(scaled, full_matrices=False)
        with np.errstate(divide="ignore", over="ignore"):
            scales = (1.0 / values[:, :rank])[:, :, None]

        def solve(right: Array) -> Array:
            inner = scales * (np.swapaxes(U[:, :, :rank], 1, 2) @ (right / heights))
            return np.swapaxes(V[:, :rank], 1, 2) @ inner / np.swapaxes(widths, 1, 2)

        return solve, determined

    @property
    def answers(self) -> dict[Any, Any]:
        """The symbols q'' and lambda.ROW of events, in terms of w."""
        return dict(zip(self.system.equations.answers, self.problem.unknowns, strict=False))

    def guard(self, expression: Any) -> Function:
        """h, h_x and h_w of an expression in x and w."""
        if expression not in self.guards:
            eq, problem = self.system.equations, self.problem
            by = jacobian([expression], [*eq.inputs, *problem.unknowns])[0]
            inputs = [*eq.inputs, *problem.unknowns, *problem.fixed]
            self.guards[expression] = compiled(inputs, [expression, *by], backend="numpy")
        return self.guards[expression]


@dataclass(frozen=True, slots=True)
class LocalSolution:
    """w and ∂w/∂x at many states."""

    flow: CompiledFlow
    X: Array
    w: Array
    w_x: Array
    determined: bool  # whether every multiplier is determined

    @property
    def rate(self) -> Array:
        """ẏ."""
        n, k, s = self.flow.system.n, self.flow.system.k, self.flow.system.s
        first = self.w.shape[1] - s
        return np.hstack([self.X[:, 1 + n : 1 + 2 * n], self.w[:, :n], self.w[:, n : n + k], self.w[:, first:]])

    @property
    def rate_x(self) -> Array:
        """∂ẏ/∂x."""
        n, k, size = self.flow.system.n, self.flow.system.k, self.flow.size
        found = np.zeros((len(self.X), size, self.X.shape[1]))
        found[:, range(n), range(1 + n, 1 + 2 * n)] = 1.0
        found[:, n : 2 * n] = self.w_x[:, :n]
        found[:, 2 * n : 2 * n + k] = self.w_x[:, n : n + k]
        found[:, 2 * n + k :] = self.w_x[:, self.w.shape[1] - self.flow.system.s :]
        return found

    def along(self) -> Array:
        """ẋ: 1, ẏ, 0; data have their slope."""
        count, size = len(self.X), self.flow.size
        rest = np.zeros((count, self.X.shape[1] - 1 - size))
        for place, data in self.flow.system.signals:
            rest[:, place - 1 - size] = data.slope(self.X[:, 0])
        return np.hstack([np.ones((count, 1)), self.rate, rest])


def _sizes(K: Array, axis: int) -> Array:
    """Norms of the rows (axis 2) or columns (axis 1) of every matrix, 1 for zero. Unlike a maximum they are smooth."""
    found = np.linalg.norm(K, axis=axis, keepdims=True)
    return np.where(found > 0, found, 1.0)


def compiled_flow(system: CompiledSystem, problem: Implicit) -> CompiledFlow:
    """The problem as machine code."""
    eq = system.equations
    r_w, r_x = jacobian(problem.residuals, problem.unknowns), jacobian(problem.residuals, eq.inputs)
    outputs = [*problem.residuals, *(e for row in r_w for e in row), *(e for row in r_x for e in row)]
    return CompiledFlow(
        system, problem, compiled([*eq.inputs, *problem.unknowns, *problem.fixed], outputs, level=FEW_TIMES)
    )


def state_rates(system: CompiledSystem) -> tuple[tuple[Any, ...], list[Any]]:
    """The unknowns ṡ, which are the last of w, and their residuals ṡ − f(x). What a controller holds stays as it is."""
    eq, rates = system.equations, unknown("rate", system.s)
    return rates, [rate - eq.states.get(symbol, 0) for rate, symbol in zip(rates, eq.followed, strict=True)]


def smooth_problem(system: CompiledSystem) -> Implicit:
    """D a = d + R ν, A a = b, and ṡ = f(x)."""
    eq = system.equations
    a, nu = unknown("acceleration", system.n), unknown("multiplier", system.reactions)
    rates, states = state_rates(system)
    R: Sequence[Sequence[Any]] = tuple(zip(*eq.A, strict=True)) if eq.R is None else eq.R
    R = R or ((),) * system.n
    rows = [total(D, a) - d - total(column, nu) for D, d, column in zip(eq.D, eq.d, R, strict=True)]
    rows += [total(A, a) - b for A, b in zip(eq.A, eq.b, strict=True)]
    return Implicit((*a, *nu, *rates), tuple(range(system.reactions)), (*states, *rows), system.m)
