"""Each method's own way to solve its rows for accelerations and multipliers, at one state. NumPy only.

    D a = d + R ν,  A a = b
null-space        the elimination that steppers use (`linear`)
saddle-point      [D −R; A 0] [a; ν] = [d; b] as a whole                                       WangGao (8), (11), (21)
pseudo-inverse    a = [(I − A⁺A) D; A]⁺ [d; b]                                               Udwadia & Phohomsiri (3.19)
normalized-routh  D₀ = [0; A₂⁻¹], C = [I; −A₂⁻¹A₁]: CᵀDC a₁ = Cᵀ(d − D D₀ b), σ = D₀ᵀ(D a − d)   Sun, groups II and I
quasi             k = (∂π/∂q̇)⁻¹: kᵀDk π̇ = kᵀ(d + D k δ), held rows deleted, R from them         ZhangMei (2.7), (2.8)

One test in `accelerations` decides for all ways whether a state has a solution. Here the rows are known to be
consistent and the solution to be unique. If rows are redundant, the independent ones are solved, and the smallest
multipliers that give the same reactions are returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dalembert.engine.library import library
from dalembert.equations import Equations

Answer = tuple[np.ndarray, np.ndarray]  # a and ν
ACCEPTED = 1e-11


@dataclass(frozen=True, slots=True)
class ActiveRows:
    """The active rows. For quasi-velocities also ∂π/∂q̇ and dπ/dt at q̈ = 0 of those that are not held."""

    D: np.ndarray
    d: np.ndarray
    A: np.ndarray
    b: np.ndarray
    R: np.ndarray
    own: np.ndarray | None = None
    drift: np.ndarray | None = None


def saddle_point(rows: ActiveRows) -> Answer:
    n, kept, columns = len(rows.d), independent(rows.A), independent(rows.R.T)
    A, R = rows.A[kept], rows.R[:, columns]
    K = np.block([[rows.D, -R], [A, np.zeros((len(kept), len(columns)))]])
    found = solved(K, np.concatenate([rows.d, rows.b[kept]]))
    return found[:n], smallest(rows, columns, found[n:])


def pseudo_inverse(rows: ActiveRows) -> Answer:
    A = scaled(rows.A[independent(rows.A)])
    free = np.eye(len(rows.d)) - np.linalg.pinv(A) @ A
    # Scaling the unknowns to the size of their columns does not change the unique solution.
    units = column_sizes(np.vstack([rows.D, A]))
    upper = free @ (rows.D / units)
    size = np.abs(rows.D / units).max(initial=0.0) or 1.0  # not the size of `upper`, which may be rounding only
    b = scaled_right(rows.A, rows.b)[independent(rows.A)]
    X, y = np.vstack([upper / size, A / units]), np.concatenate([free @ rows.d / size, b])
    a = np.linalg.pinv(X, rcond=1e-14) @ y
    a = (a + np.linalg.pinv(X, rcond=1e-14) @ (y - X @ a)) / units
    return a, least_norm(rows.R, rows.D @ a - rows.d)


def normalized_routh(rows: ActiveRows) -> Answer:
    n = len(rows.d)
    kept, dependent = pivoted(rows.A)
    s = len(kept)
    first = [j for j in range(n) if j not in set(dependent)]
    A1, A2 = rows.A[np.ix_(kept, first)], rows.A[np.ix_(kept, dependent)]
    inverse = solved(A2, np.eye(s))
    D0, C = np.zeros((n, s)), np.zeros((n, n - s))
    D0[dependent] = inverse
    C[first] = np.eye(n - s)
    C[dependent] = -inverse @ A1
    c = rows.b[kept]
    a = C @ solved(C.T @ rows.D @ C, C.T @ (rows.d - rows.D @ D0 @ c)) + D0 @ c  # group II
    return a, smallest(rows, kept, D0.T @ (rows.D @ a - rows.d))  # group I


def quasi(rows: ActiveRows) -> Answer:
    """The given quasi-velocities, completed again if they are not independent at this state."""
    n, kept = len(rows.d), independent(rows.A)
    own = np.zeros((0, n)) if rows.own is None else rows.own
    drift = np.zeros(0) if rows.drift is None else rows.drift
    J, delta = completed(rows.A[kept], own, -rows.b[kept], drift)
    k = solved(J, np.eye(n))
    free = n - len(kept)
    kf = k[:, :free]
    rates = np.zeros(n)
    rates[:free] = solved(kf.T @ rows.D @ kf, kf.T @ (rows.d + rows.D @ (k @ delta)))
    a = k @ (rates - delta)
    return a, smallest(rows, kept, k[:, free:].T @ (rows.D @ a - rows.d))


def by_route(eq: Equations, rows: ActiveRows, known: Answer, own: Callable[[], np.ndarray]) -> tuple[Answer, bool]:
    """a and ν by the method's own way, or the elimination's `known` solution if that way loses accuracy.

    The second value is False in the latter case. `own` returns the rows of the quasi-velocities, then their drifts.
    """
    if eq.route not in ROUTES or (eq.R is not None and eq.route != "saddle-point"):
        return known, True
    if eq.route == "quasi":
        n, flat = len(rows.d), own()
        free = len(flat) // (n + 1)
        rows = replace(rows, own=flat[: free * n].reshape(free, n), drift=flat[free * n :])
    try:
        found = ROUTES[eq.route](rows)
    except np.linalg.LinAlgError:
        return known, False
    accurate = residual(rows, found) <= max(ACCEPTED, 10 * residual(rows, known))
    return (found, True) if accurate else (known, False)


def residual(rows: ActiveRows, answer: Answer) -> float:
    """The residual of D a = d + R ν and A a = b, relative to the size of the terms. Infinite if a or ν is not finite.

    If reactions hold everything still, a is rounding. Its size is then that of the accelerations by the forces alone.
    """
    a, nu = answer
    free = np.abs(rows.d).max(initial=0.0) / max(float(np.abs(rows.D).sum(axis=1).max(initial=0.0)), 1e-300)
    size = max(float(np.abs(a).max(initial=0.0)), free)
    forces = np.abs(rows.D).sum(axis=1) * size + np.abs(rows.d) + np.abs(rows.R) @ np.abs(nu)
    rates = np.abs(rows.A).sum(axis=1) * size + np.abs(rows.b)
    worst = 0.0
    for missed, terms in ((rows.D @ a - rows.d - rows.R @ nu, forces), (rows.A @ a - rows.b, rates)):
        if not np.isfinite(missed).all():
            return np.inf
        worst = max(worst, float(np.abs(missed).max(initial=0.0)) / max(float(terms.max(initial=0.0)), 1e-300))
    return worst


ROUTES: dict[str, Callable[[ActiveRows], Answer]] = {
    "saddle-point": saddle_point,
    "pseudo-inverse": pseudo_inverse,
    "normalized-routh": normalized_routh,
    "quasi": quasi,
}


def pivoted(A: np.ndarray) -> tuple[list[int], list[int]]:
    """Independent rows, and the columns that complete pivoting makes dependent."""
    m, n = A.shape
    work, right = np.array(A, dtype=float, order="C"), np.zeros(max(m, 1))
    row_at, col_at = np.zeros(max(m, 1), np.int32), np.zeros(max(n, 1), np.int32)
    rank = library().dalembert_reduce(work.ctypes.data, right.ctypes.data, m, n, row_at.ctypes.data, col_at.ctypes.data)
    return sorted(row_at[:rank].tolist()), sorted(col_at[:rank].tolist())


def independent(A: np.ndarray) -> list[int]:
    return pivoted(A)[0]


def least_norm(R: np.ndarray, force: np.ndarray) -> np.ndarray:
    """The smallest ν with R ν = force."""
    n, columns = R.shape
    M, right, nu = np.array(R, dtype=float, order="C"), np.array(force, dtype=float), np.zeros(columns + n * n + 1)
    places = np.zeros(n + columns + 1, np.int32)
    library().dalembert_least_norm(M.ctypes.data, right.ctypes.data, n, columns, places.ctypes.data, nu.ctypes.data)
    return nu[:columns]


def smallest(rows: ActiveRows, kept: list[int], nu: np.ndarray) -> np.ndarray:
    """The multipliers of the independent rows, distributed over redundant rows if there are any."""
    columns = rows.R.shape[1]
    return nu if len(kept) == columns else least_norm(rows.R, rows.R[:, kept] @ nu)


def solved(M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve M x = right with scaled rows and columns and one refinement."""
    if not M.size:
        return np.zeros((M.shape[1], *right.shape[1:]))
    rows = column_sizes(M.T)
    columns = column_sizes(M / rows[:, None])
    S, y = M / rows[:, None] / columns, (right.T / rows).T
    x = np.linalg.solve(S, y)
    x = x + np.linalg.solve(S, y - S @ x)
    return (x.T / columns).T


def column_sizes(M: np.ndarray) -> np.ndarray:
    sizes = np.abs(M).max(axis=0, initial=0.0)
    sizes[sizes == 0] = 1.0
    return sizes


def scaled(A: np.ndarray) -> np.ndarray:
    return A / column_sizes(A.T)[:, None]


def scaled_right(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return b / column_sizes(A.T)


def completed(
    A: np.ndarray, own: np.ndarray, held_drift: np.ndarray, drift: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """n rows with drifts: own rows, speeds if those are too few or nearly dependent, and the rows of A last."""
    n = A.shape[1]
    basis = list(np.linalg.qr(scaled(A).T)[0].T) if len(A) else []
    rows, rates = [], []
    for row, rate in zip(own, drift, strict=True):
        rest = remainder(row, basis)
        if len(basis) < n and np.linalg.norm(rest) > 1e-2 * np.linalg.norm(row):
            basis.append(rest / np.linalg.norm(rest))
            rows.append(row)
            rates.append(rate)
    while len(basis) < n:
        far = [np.linalg.norm(remainder(unit, basis)) for unit in np.eye(n)]
        unit = np.eye(n)[int(np.argmax(far))]
        rest = remainder(unit, basis)
        basis.append(rest / np.linalg.norm(rest))
        rows.append(unit)
        rates.append(0.0)
    return np.array([*rows, *A]).reshape(n, n), np.array([*rates, *held_drift])


def remainder(row: np.ndarray, basis: list[np.ndarray]) -> np.ndarray:
    for _ in range(2):
        for e in basis:
            row = row - (e @ row) * e
    return row
