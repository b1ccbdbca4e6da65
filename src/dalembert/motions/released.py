"""The reactions that are asked for, by a matrix as small as the question (Sun (2.1)).

The constraints s that are asked for are released. The others, o, are absorbed by the independent accelerations u:

    A_o a = b_o  ⇒  a = N u + e,      A_o N = 0,  R_oᵀ L = 0
    LᵀD N u = Lᵀ(d − D e) + LᵀR_s σ,  A_s N u = b_s − A_s e
Chetaev's rule has R = Aᵀ and L = N. The normalizing factor [B] of A_s N then separates σ (group I) from u (group II).
It has n − rank A_o rows instead of n. If R differs from Aᵀ, the same rows are solved as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.motions import routes

REGULAR = 1e-9  # smallest singular value of the scaled small system, relative to the largest
SAME = 1e-8  # accelerations of the small system and of the motion agree up to rounding
CONSISTENT = 1e-10  # of the terms of a row: residual of an absorbed constraint


@dataclass(frozen=True, slots=True)
class Released:
    a: np.ndarray
    sigma: np.ndarray  # multipliers, in the order of the question
    size: int  # rows of [B]


def released(rows: routes.ActiveRows, asked: Sequence[int]) -> Released | None:
    """Accelerations, and multipliers of the rows asked for alone.

    None if this small system does not determine them: the rows asked for depend on the others, the accelerations are
    not unique, or the absorbed constraints contradict each other. All rows together then decide.
    """
    s = list(asked)
    others = [i for i in range(len(rows.b)) if i not in set(s)]
    A, b = rows.A[others], rows.b[others]
    N, e = absorbed(A, b)
    if rows.R.shape[1] != len(rows.b) or len(routes.independent(rows.A)) < len(rows.d) - N.shape[1] + len(s):
        return None
    chetaev = np.array_equal(rows.R, rows.A.T)
    L = N if chetaev else absorbed(rows.R[:, others].T, np.zeros(len(others)))[0]
    if L.shape != N.shape:
        return None
    AN = rows.A[s] @ N
    small = routes.ActiveRows(
        L.T @ rows.D @ N, L.T @ (rows.d - rows.D @ e), AN, rows.b[s] - rows.A[s] @ e, L.T @ rows.R[:, s]
    )
    if not _regular(small):
        return None
    try:
        found = (routes.normalized_routh if chetaev else routes.saddle_point)(small)
    except np.linalg.LinAlgError:
        return None
    a = N @ found[0] + e
    terms = np.abs(A) @ np.abs(a) + np.abs(b)
    kept = (np.abs(A @ a - b) <= CONSISTENT * max(float(terms.max(initial=0.0)), 1e-300)).all()
    if not kept or routes.residual(small, found) > routes.ACCEPTED:
        return None
    return Released(a, found[1], N.shape[1])


def absorbed(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """N and e of A a = b: a = N u + e, where u are the accelerations that pivoting leaves independent."""
    n = A.shape[1]
    kept, dependent = routes.pivoted(A)
    free = [j for j in range(n) if j not in set(dependent)]
    A2 = A[np.ix_(kept, dependent)]
    N, e = np.zeros((n, len(free))), np.zeros(n)
    N[free] = np.eye(len(free))
    N[dependent] = -routes.solved(A2, A[np.ix_(kept, free)])
    e[dependent] = routes.solved(A2, b[kept])
    return N, e


def _regular(small: routes.ActiveRows) -> bool:
    """Whether the small system has one solution, beyond doubt."""
    s = len(small.b)
    K = np.block([[small.D, -small.R], [small.A, np.zeros((s, s))]])
    if not np.isfinite(K).all():
        return False
    K = K / routes.column_sizes(K.T)[:, None]
    values = np.linalg.svd(K / routes.column_sizes(K), compute_uv=False)
    return bool(values.min(initial=np.inf) > REGULAR * values.max(initial=0.0))


def along(
    rows_of: Callable[[int], tuple[routes.ActiveRows, Sequence[int]]],
    a: np.ndarray,
    nu: np.ndarray,
    asked: Sequence[int],
    known: bool = True,
) -> tuple[np.ndarray, set[int]]:
    """Put the multipliers of the rows asked for into ν at every sample. Returns the sizes of [B] and the active rows.

    `rows_of` gives the active rows of a sample and their places in ν. The size is 0 where the small system is not
    enough, and −1 where no row that is asked for is active. Unless a is `known`, it is put in as well. Where a known
    one differs from that of the small system, a kink holds the motion and the reactions lie between its two sides.
    """
    sizes, met = np.full(len(a), -1), set[int]()
    for i in range(len(a)):
        rows, active = rows_of(i)
        places = {row: place for place, row in enumerate(active)}
        met |= places.keys()
        here = [row for row in asked if row in places]
        if not here:
            continue
        sizes[i], found = 0, released(rows, [places[row] for row in here])
        if found is None or (known and np.abs(found.a - a[i]).max() > SAME * (1.0 + np.abs(a[i]).max())):
            continue
        sizes[i], nu[i, here] = found.size, found.sigma
        if not known:
            a[i] = found.a
    return sizes, met
