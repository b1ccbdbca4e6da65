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

from dalembert.analysis.derivatives.gradients import Array, jacobian, total
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.motions.accelerations import redundant_rows
from dalembert.programs.functions import FEW_TIMES, Function, compiled
from dalembert.programs.system import CompiledSystem

REGULAR = 1e12  # condition number above which unknowns count as undetermined
NEWTON = 12
BY_FIXED = "by fixed"  # the name under which that function is kept


@dataclass(frozen=True, slots=True)
class Problem:
    """r in symbols: the unknowns w, their indices in ν, the residuals, and further inputs that are held fixed."""

    unknowns: tuple[Any, ...]
    multipliers: tuple[int, ...]  # rows of A (columns of R) behind the ν among the unknowns
    residuals: tuple[Any, ...]
    constraints: int  # the last residuals but the cones: rows of A
    fixed: tuple[Any, ...] = ()
    linear: bool = True  # in w


@dataclass(frozen=True)
class Flow:
    """A compiled problem. `system` has the values of the parameters."""

    system: CompiledSystem
    problem: Problem
    code: Function  # r, r_w, r_x
    guards: dict[Any, Function] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The size of the state y = (q, v, z)."""
        return 2 * self.system.n + self.system.k

    def at(self, X: Array, fixed: Array | None = None, guess: Array | None = None) -> Local:
        """w and ∂w/∂x at every row of X. `fixed` are the further inputs; Newton's method starts at `guess`."""
        rows, count, width = len(self.problem.residuals), len(self.problem.unknowns), X.shape[1]
        held = np.zeros((len(X), 0)) if fixed is None else fixed
        w = np.zeros((len(X), count)) if guess is None else guess.copy()
        for attempt in range(NEWTON):
            out = self.code(np.hstack([X, w, held]))
            if not np.isfinite(out).all():
                bad = int(np.flatnonzero(~np.isfinite(out).all(axis=1))[0])
                raise MathematicsError(tr("at t = {x:.9g} the equations of motion have no derivative", x=X[bad, 0]))
            r, K = out[:, :rows], out[:, rows : rows + rows * count].reshape(-1, rows, count)
            inverse, determined = self._solver(K)
            step = inverse(r[:, :, None])[:, :, 0]
            w = w - step
            if attempt and (self.problem.linear or np.abs(step).max() <= 1e-13 * max(np.abs(w).max(), 1e-3)):
                break
        r_x = out[:, rows + rows * count :].reshape(-1, rows, width)
        return Local(self, X, w, -inverse(r_x), determined)

    def _solver(self, K: Array) -> tuple[Callable[[Array], Array], bool]:
        """A batched solve of K without dependent rows and columns, and whether K was regular."""
        n, m = self.system.n, self.problem.constraints
        first = K[0]
        out_rows = [n + i for i in redundant_rows(first[n : n + m, :n])]
        out_columns = [n + i for i in redundant_rows(first[:n, n : n + len(self.problem.multipliers)].T)]
        rows = [i for i in range(K.shape[1]) if i not in out_rows]
        columns = [i for i in range(K.shape[2]) if i not in out_columns]
        M = K[:, rows][:, :, columns]
        scale = np.abs(M).max(axis=2, initial=0.0)
        scale[scale == 0] = 1.0
        scaled = M / scale[:, :, None]
        square = M.shape[1] == M.shape[2]
        regular = square and bool(np.all(np.linalg.cond(scaled) < REGULAR)) if M.size else True
        inverse = None if regular else np.linalg.pinv(scaled, rcond=1e-12)

        def solve(right: Array) -> Array:
            b = right[:, rows] / scale[:, :, None]
            found = np.zeros((len(right), K.shape[2], right.shape[2]))
            found[:, columns] = np.linalg.solve(scaled, b) if inverse is None else inverse @ b
            return found

        return solve, not out_rows and not out_columns

    def by_fixed(self, local: Local, fixed: Array) -> Array:
        """∂w by the further inputs, at the first state."""
        problem, count = self.problem, len(self.problem.unknowns)
        if BY_FIXED not in self.guards:
            inputs = [*self.system.equations.inputs, *problem.unknowns, *problem.fixed]
            parts = [jacobian(problem.residuals, problem.unknowns), jacobian(problem.residuals, problem.fixed)]
            self.guards[BY_FIXED] = compiled(
                inputs, [e for part in parts for row in part for e in row], backend="numpy"
            )
        out = self.guards[BY_FIXED](np.concatenate([local.X[0], local.w[0], fixed[0]]))
        rows = len(problem.residuals)
        K, right = out[: rows * count].reshape(rows, count), out[rows * count :].reshape(rows, len(problem.fixed))
        return -np.linalg.lstsq(K, right, rcond=1e-12)[0]

    def guard(self, expression: Any) -> Function:
        """h, h_x and h_w of an expression in x and w."""
        if expression not in self.guards:
            eq, problem = self.system.equations, self.problem
            by = jacobian([expression], [*eq.inputs, *problem.unknowns])[0]
            inputs = [*eq.inputs, *problem.unknowns, *problem.fixed]
            self.guards[expression] = compiled(inputs, [expression, *by], backend="numpy")
        return self.guards[expression]


@dataclass(frozen=True, slots=True)
class Local:
    """w and ∂w/∂x at many states."""

    flow: Flow
    X: Array
    w: Array
    w_x: Array
    determined: bool  # whether every multiplier is

    @property
    def rate(self) -> Array:
        """ẏ."""
        n, k = self.flow.system.n, self.flow.system.k
        return np.hstack([self.X[:, 1 + n : 1 + 2 * n], self.w[:, :n], self.w[:, n : n + k]])

    @property
    def rate_x(self) -> Array:
        """∂ẏ/∂x."""
        n, k = self.flow.system.n, self.flow.system.k
        found = np.zeros((len(self.X), 2 * n + k, self.X.shape[1]))
        found[:, range(n), range(1 + n, 1 + 2 * n)] = 1.0
        found[:, n : 2 * n] = self.w_x[:, :n]
        found[:, 2 * n :] = self.w_x[:, n : n + k]
        return found

    def along(self) -> Array:
        """ẋ: 1, ẏ, 0."""
        count, size = len(self.X), self.flow.size
        rest = self.X.shape[1] - 1 - size
        return np.hstack([np.ones((count, 1)), self.rate, np.zeros((count, rest))])


def compiled_flow(system: CompiledSystem, problem: Problem) -> Flow:
    """The problem as machine code."""
    eq = system.equations
    r_w, r_x = jacobian(problem.residuals, problem.unknowns), jacobian(problem.residuals, eq.inputs)
    outputs = [*problem.residuals, *(e for row in r_w for e in row), *(e for row in r_x for e in row)]
    return Flow(system, problem, compiled([*eq.inputs, *problem.unknowns, *problem.fixed], outputs, level=FEW_TIMES))


def unknown(word: str, count: int) -> tuple[Any, ...]:
    """New symbols. Their names contain a space, which no name of a model does."""
    import symengine as se

    return tuple(se.Symbol(f"{word} {i}") for i in range(count))


def smooth_problem(system: CompiledSystem) -> Problem:
    """D a = d + R ν, A a = b."""
    eq = system.equations
    a, nu = unknown("acceleration", system.n), unknown("multiplier", system.reactions)
    R: Sequence[Sequence[Any]] = tuple(zip(*eq.A, strict=True)) if eq.R is None else eq.R
    R = R or ((),) * system.n
    rows = [total(D, a) - d - total(column, nu) for D, d, column in zip(eq.D, eq.d, R, strict=True)]
    rows += [total(A, a) - b for A, b in zip(eq.A, eq.b, strict=True)]
    return Problem((*a, *nu), tuple(range(system.reactions)), tuple(rows), system.m)
