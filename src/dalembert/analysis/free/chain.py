"""The chain of free motion at a state, in numbers: constraints along the Taylor series of the motion without forces.

    q(τ) = Σ q_k τ^k,  M q̈ = Q − h;    Φ_k = d^k f/dt^k at τ = 0

The rows of [M; A] that determine q̈ are chosen once, those of M first. If M is singular, some rows of A are among them.
The remaining rows are further conditions: their residuals along the motion must vanish too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dalembert.analysis.exact.ranks import CHANCE, eliminated
from dalembert.analysis.exact.series import NIL, ONE, Expansion, Series, exact, value
from dalembert.equations import Equations, Scalar
from dalembert.errors import MathematicsError

State = Mapping[Scalar, Decimal]


@dataclass(frozen=True, slots=True)
class Unforced:
    """Rows K q̈ = r that determine the free acceleration, and `spare` rows that must hold too."""

    equations: Equations
    rows: tuple[tuple[Scalar, ...], ...]
    right: tuple[Scalar, ...]
    spare: tuple[tuple[Scalar, ...], ...]
    spare_right: tuple[Scalar, ...]
    singular: bool  # M alone does not determine the acceleration


def unforced(eq: Equations, at: State) -> Unforced:
    """Choose the rows at an admissible state, which should be generic."""
    rows, right = (*eq.D, *eq.A), (*eq.d, *eq.b)
    local = Expansion((), at, 0)
    numbers = []
    for row in rows:
        entries = [value(local(e)) for e in row]
        size = max(map(abs, entries)) or ONE
        numbers.append([c / size for c in entries])
    kept = eliminated(numbers, CHANCE).kept
    n = len(eq.q)
    if len(kept) < n:
        raise MathematicsError(
            "the equations of motion are singular: masses and constraints together do not determine the accelerations"
        )
    others = [i for i in range(n) if i not in kept]  # spare rows of A repeat dψ/dt = 0
    return Unforced(
        eq,
        tuple(rows[i] for i in kept),
        tuple(right[i] for i in kept),
        tuple(rows[i] for i in others),
        tuple(right[i] for i in others),
        any(i >= n for i in kept),
    )


def chain(free: Unforced, at: State, order: int) -> list[list[Decimal]]:
    """Φ₀, Φ₁, … up to an order: derivatives of ψ and residuals of spare rows along the free motion. Φ₀ includes φ."""
    eq, n = free.equations, len(free.equations.q)
    q = [[at[s]] for s in eq.q]
    v = [[at[s]] for s in eq.v]
    for i in range(n):
        q[i].append(v[i][0])
    a: list[list[Decimal]] = []
    for k in range(order):
        local = _along(eq, at, q, v, k)
        K = [[_coefficients(local(e), k) for e in row] for row in free.rows]
        r = [_coefficients(local(e), k) for e in free.right]
        rest = []
        for i in range(n):
            known = sum((K[i][j][k - p] * a[p][j] for p in range(k) for j in range(n)), NIL)
            rest.append(r[i][k] - known)
        a.append(_solved([[K[i][j][0] for j in range(n)] for i in range(n)], rest))
        for i in range(n):
            v[i].append(a[k][i] / (k + 1))
            q[i].append(a[k][i] / ((k + 1) * (k + 2)))
    local = _along(eq, at, q, v, order)
    conditions = [_coefficients(local(e), order) for e in eq.psi]
    for row, right in zip(free.spare, free.spare_right, strict=True):
        entries = [_coefficients(local(e), order) for e in row]
        off = _coefficients(local(right), order)
        sums = [
            sum((entries[j][k - p] * a[p][j] for p in range(k + 1) for j in range(n)), NIL) - off[k]
            for k in range(order)
        ]
        conditions.append([NIL, *sums])
    factorial, found = ONE, []
    for k in range(order + 1):
        factorial *= max(k, 1)
        found.append([factorial * c[k] for c in conditions])
    found[0] += [value(local(e)) for e in eq.phi]
    return found


def _along(
    eq: Equations, at: State, q: Sequence[Sequence[Decimal]], v: Sequence[Sequence[Decimal]], order: int
) -> Expansion:
    """Expansion in τ alone, with coordinates, speeds and time as series of it."""
    local = Expansion((), at, order)
    local.given(eq.t, [at[eq.t], ONE])
    for symbol, series in (*zip(eq.q, q, strict=True), *zip(eq.v, v, strict=True)):
        local.given(symbol, series)
    return local


def _coefficients(series: Series, order: int) -> list[Decimal]:
    return [level.get(k, NIL) for k, level in enumerate(series[: order + 1])]


def _solved(K: list[list[Decimal]], right: Sequence[Decimal]) -> list[Decimal]:
    """Gaussian elimination with the largest pivots."""
    n = len(K)
    rows = [[*row, r] for row, r in zip(K, right, strict=True)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if rows[best][k] == 0:
            raise MathematicsError("the free acceleration is not determined at this state")
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [c - factor * p for c, p in zip(rows[i], rows[k], strict=True)]
    found = [NIL] * n
    for k in reversed(range(n)):
        found[k] = (rows[k][n] - sum((rows[k][j] * found[j] for j in range(k + 1, n)), NIL)) / rows[k][k]
    return found


def state(eq: Equations, t: Any, q: Sequence[Any], v: Sequence[Any]) -> dict[Scalar, Decimal]:
    """All symbols' values at a state, with fifty digits."""
    numbers = {eq.t: exact(t), **{s: exact(p) for s, p in eq.parameters.items()}}
    numbers |= {s: exact(c) for s, c in zip(eq.q, q, strict=True)}
    return numbers | {s: exact(c) for s, c in zip(eq.v, v, strict=True)}
