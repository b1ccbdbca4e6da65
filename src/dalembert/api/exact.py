"""Accelerations, multipliers and reactions at the initial state as exact numbers: −18/55 g/l instead of −3.21.

    [D −R; A 0] [q̈; ν] = [d; b]       at the model's stated state, solved over the rationals, π and roots
Parameters that are given as numbers stay letters. Those given as expressions (θ = π/6, b = 2R) are substituted. Every
value is compared with the one that `solve` computes in floating point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.api.instant import solve
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import derive
from dalembert.formalisms.base import selected
from dalembert.language import tr
from dalembert.mechanics.elimination import choose, independent_rows, numbers
from dalembert.mechanics.exact_start import inexact, require_short, stated_start, with_all_speeds
from dalembert.mechanics.system import System
from dalembert.report.dialects import Language, Terminal

if TYPE_CHECKING:
    from dalembert.equations import Equations
    from dalembert.model.record import ModelRecord
    from dalembert.results.state import State

Scalar = Any
CLOSE = 1e-9
SHORT = 120  # operations of a value that is simplified
LARGEST = 30  # largest number of unknowns


@dataclass(frozen=True, slots=True)
class Exact:
    """Exact values, with the floating-point ones."""

    state: State
    accelerations: Mapping[str, Scalar]
    multipliers: Mapping[str, Scalar]
    reactions: Mapping[str, Mapping[str, Scalar]]

    def to_dict(self) -> dict[str, Any]:
        """The answer of `solve --exact --json`: that of `solve`, and `exact` with texts of the model language."""
        write = Language()
        exact = {
            "accelerations": {name: write(e) for name, e in self.accelerations.items()},
            "multipliers": {name: write(e) for name, e in self.multipliers.items()},
            "reactions": {n: {q: write(e) for q, e in row.items()} for n, row in self.reactions.items()},
        }
        return {**self.state.to_dict(), "exact": exact}

    def __str__(self) -> str:
        write = Terminal()
        lines = [
            self.state.title,
            tr("method {method}, t = {time:g}, exact", method=self.state.method, time=self.state.time),
            "",
        ]
        width = max(map(len, (*self.accelerations, *self.multipliers)), default=0) + 2
        lines += [f"  {(name + '″').ljust(width)} = {write(e)}" for name, e in self.accelerations.items()]
        if self.multipliers:
            lines += ["", tr("  multipliers")]
            lines += [f"  {name.ljust(width)} = {write(e)}" for name, e in self.multipliers.items()]
            lines += [f"  {self.state.released}"] if self.state.released is not None else []
        return "\n".join(lines)


def solve_exactly(record: ModelRecord, method: str | None = None, reactions: Iterable[str] | None = None) -> Exact:
    """Exact accelerations, multipliers and reactions at the initial state."""
    if record.contacts or record.frictions:
        raise ModelError("exact values are known for models without contacts and frictions only; leave out --exact")
    asked = None if reactions is None else list(reactions)
    state = solve(record, method, asked)
    eq = derive(record, method)
    if eq.z:
        raise ModelError(
            "the method {method} integrates its multipliers; exact values are known for the others", method=eq.method
        )
    system = System(record, readable=True)
    stated = stated_start(system)
    _check_exact(eq, stated)
    at = with_all_speeds(system, stated)
    names = eq.multipliers or tuple(row.name for row in eq.constraints)
    R = eq.R if eq.R is not None else tuple(tuple(row[j] for row in eq.A) for j in range(len(eq.q)))
    chosen, freed = selected(names, asked), None
    if eq.R is None and state.released is not None and state.released.size:
        freed = [names.index(name) for name in state.released.constraints]
    a, nu = _solved(eq, R, at, numbers(eq.A, system_state(eq, state)), freed)
    multipliers = {name: e for name, e in zip(names, nu, strict=True) if name in chosen}
    forces = {
        name: {q: se.sympify(R[j][i]).subs(at) * nu[i] for j, q in enumerate(eq.coordinates)}
        for i, name in enumerate(names)
        if name in chosen
    }
    exact = Exact(state, dict(zip(eq.coordinates, a, strict=True)), multipliers, forces)
    _compare(exact, eq.parameters)
    return exact


def _check_exact(eq: Equations, at: dict[Scalar, Scalar]) -> None:
    """Refuse a state at which a function of a number remains: sin(0.4) is not an exact number, sin(π/6) is."""
    for e in (*eq.d, *eq.b, *(e for row in (*eq.D, *eq.A, *(eq.R or ())) for e in row)):
        for f in inexact(se.sympify(e).subs(at)):
            raise ModelError(
                "{value} has no exact value; exact values need angles such as pi/6 and other numbers such as 1/2 "
                "(--set NAME=VALUE)",
                value=Terminal()(f),
            )


def system_state(eq: Equations, state: State) -> dict[Scalar, float]:
    """The initial state in numbers, by the symbols of the equations."""
    found = {**eq.parameters, eq.t: state.time}
    found |= {q: state.coordinates[n] for n, q in zip(eq.coordinates, eq.q, strict=True)}
    return found | {v: state.speeds[n] for n, v in zip(eq.coordinates, eq.v, strict=True)}


def _solved(
    eq: Equations, R: Any, at: dict[Scalar, Scalar], A: list[list[float]], freed: list[int] | None
) -> tuple[list[Scalar], list[Scalar]]:
    """Solve D q̈ = d + R ν, A q̈ = b. If many ν fit, take the smallest.

    If only some constraints are `freed`, the others are absorbed first, as in `motions.released`. Their ν are zero
    here. A in numbers decides about ranks.
    """
    import sympy

    positive = {sympy.Symbol(str(p)): sympy.Symbol(str(p), positive=True) for p, v in eq.parameters.items() if v > 0}
    back = {t: s for s, t in positive.items()}

    def matrix(rows: Any, columns: int) -> Any:
        entries = [sympy.sympify(se.sympify(e).subs(at)).subs(positive) for row in rows for e in row]
        return sympy.Matrix(len(rows), columns, entries).applyfunc(_plain)

    n, count = len(eq.q), len(R[0]) if R else 0
    if count != len(A):
        raise MathematicsError("the reactions do not match the constraints at this state; there are no exact values")
    M, reach, rows = matrix(eq.D, n), matrix(R, count), matrix(eq.A, n)
    right, bound = matrix([[e] for e in eq.d], 1), matrix([[e] for e in eq.b], 1)
    require_short(sum(sympy.count_ops(e) for e in (*M, *reach, *rows, *right, *bound)))
    N, e, kept = sympy.eye(n), sympy.zeros(n, 1), independent_rows(A)
    if freed is not None:
        N, e = _absorbed(rows, bound, A, freed)
        M, right, reach = N.T * M * N, N.T * (right - M * e), N.T * reach[:, freed]
        rows, bound, kept = rows[freed, :] * N, bound[freed, :] - rows[freed, :] * e, list(range(len(freed)))
    else:
        rows, bound = rows[kept, :], bound[kept, :]
    if M.rows + len(kept) > LARGEST:
        raise MathematicsError(
            "there are {n} unknowns; exact values are worked out for {largest} at most",
            n=M.rows + len(kept),
            largest=LARGEST,
        )
    H = reach[:, kept]
    K = sympy.Matrix(sympy.BlockMatrix([[M, -H], [rows, sympy.zeros(len(kept), len(kept))]])) if kept else M
    found = _eliminated(K, sympy.Matrix.vstack(right, bound) if kept else right)
    a, nu = N * found[: M.rows, :] + e, found[M.rows :, :]
    if freed is not None:
        nu = sympy.Matrix([nu[freed.index(i)] if i in freed else 0 for i in range(count)])
    elif len(kept) < count:  # R = H X, and the smallest ν with X ν = those of H is Xᵀ(X Xᵀ)⁻¹ of them
        X = _eliminated(H.T * H, H.T * reach)
        nu = X.T * _eliminated(X * X.T, nu)
    return tuple([se.sympify(_tidy(e).subs(back)) for e in part] for part in (a, nu))  # type: ignore


def _absorbed(rows: Any, bound: Any, A: list[list[float]], freed: list[int]) -> tuple[Any, Any]:
    """N and e of the constraints that are not freed: q̈ = N u + e, with u the independent accelerations."""
    import sympy

    n, others = rows.cols, [i for i in range(rows.rows) if i not in freed]
    choice = choose([A[i] for i in others], range(n))
    kept = [others[i] for i in choice.rows]
    N, e = sympy.zeros(n, len(choice.independent)), sympy.zeros(n, 1)
    for place, j in enumerate(choice.independent):
        N[j, place] = 1
    if kept:
        A2 = rows[kept, list(choice.dependent)]
        below = _eliminated(A2, sympy.Matrix.hstack(-rows[kept, list(choice.independent)], bound[kept, :]))
        for place, j in enumerate(choice.dependent):
            N[j, :], e[j] = below[place, :-1], below[place, -1]
    return N, e


def _eliminated(K: Any, right: Any) -> Any:
    """K⁻¹ right over the field of fractions of everything that occurs. Refused as singular if a pivot vanishes."""
    import sympy
    from sympy.polys.matrices import DomainMatrix
    from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

    whole = DomainMatrix.from_Matrix(sympy.Matrix.hstack(K, right)).to_field()
    left, rest = whole[:, : K.cols], whole[:, K.cols :]
    try:
        return left.lu_solve(rest).to_Matrix()
    except DMNonInvertibleMatrixError:
        raise MathematicsError("the system is singular at this state; there are no exact values") from None


def _plain(e: Any) -> Any:
    """Expand sines and cosines of sums, so that equal terms look equal."""
    import sympy

    return sympy.expand_trig(sympy.powdenest(e)) if e.args else e


def _tidy(e: Any) -> Any:
    """Simplify a short expression. A long one stays as the elimination gives it."""
    import sympy

    from dalembert.mechanics.factors import factored  # loads SymPy

    e = sympy.radsimp(e) if sympy.count_ops(e) <= SHORT else e
    return factored(sympy.simplify(e)) if sympy.count_ops(e) <= SHORT else e


def _compare(exact: Exact, parameters: Mapping[Scalar, float]) -> None:
    pairs = [(e, exact.state.accelerations[n], n) for n, e in exact.accelerations.items()]
    pairs += [(e, exact.state.multipliers[n], n) for n, e in exact.multipliers.items()]
    scale = max((abs(v) for _, v, _ in pairs), default=0.0)
    for e, number, name in pairs:
        if abs(float(se.sympify(e).subs(dict(parameters))) - number) > CLOSE * (1.0 + scale):
            raise MathematicsError(
                "the exact value of {name} does not agree with the computed one; please report it", name=name
            )
