"""The constrained solve with pivots chosen at a reference state, written out.

    A a = b,  D a = d + Aᵀ ν      a = a₀ + C y,  A C = 0,  (Cᵀ D C) y = Cᵀ (d − D a₀)

Rows that follow from others at the reference state are left out. The null basis C = [−N; I] of this choice must not
grow: a larger N means that other pivots are needed, and the result is not `fine`. Entries that are zero in every state
cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.programs.maker import Maker, Place
from dalembert.programs.solve import DEFINITE, Factor, SystemPlaces

GROWTH = 100.0  # allowed growth of the null basis, relative to the reference state
RANK = 1e-10  # the smallest pivot that counts, for rows scaled to a largest entry of one


@dataclass(frozen=True, slots=True)
class Pivots:
    """Rows in the order of elimination, the columns they determine, the free columns, and the redundant rows."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    free: tuple[int, ...]
    left: tuple[int, ...]
    bound: float  # on the entries of the null basis


def pivots_of(A: np.ndarray) -> Pivots:
    """Choose pivots by Gauss–Jordan elimination with complete pivoting."""
    size = np.abs(A).max(axis=1, initial=0.0)
    work = A / np.where(size > 0.0, size, 1.0)[:, None]
    rows, columns = list(range(A.shape[0])), list(range(A.shape[1]))
    r = 0
    while r < min(A.shape):
        sizes = np.abs(work[r:, r:])
        at, to = divmod(int(sizes.argmax()), sizes.shape[1])
        if not sizes[at, to] > RANK:
            break
        i, j = at + r, to + r
        work[[r, i]] = work[[i, r]]
        work[:, [r, j]] = work[:, [j, r]]
        rows[r], rows[i] = rows[i], rows[r]
        columns[r], columns[j] = columns[j], columns[r]
        work[r] /= work[r, r]
        factors = work[:, r].copy()
        factors[r] = 0.0
        work -= np.outer(factors, work[r])
        r += 1
    largest = float(np.abs(work[:r, r:]).max(initial=0.0))
    return Pivots(tuple(rows[:r]), tuple(columns[:r]), tuple(columns[r:]), tuple(rows[r:]), GROWTH * (1.0 + largest))


def accelerations(w: Maker, record: SystemPlaces, pivots: Pivots) -> tuple[list[Place], Place]:
    """a, and whether every pivot counts."""
    n, free = record.n, pivots.free
    N, b0, fine = null_basis(w, record, pivots)
    D = [[record.D[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    force, W = list(record.d), [[D[i][f] for f in free] for i in range(n)]
    for i in range(n):
        for s, column in enumerate(pivots.columns):
            force[i] = w.sub(force[i], w.mul(D[i][column], b0[s]))
            for j in range(len(free)):
                W[i][j] = w.sub(W[i][j], w.mul(D[i][column], N[s][j]))
    right = [w.sub(force[f], w.dot([row[i] for row in N], [force[c] for c in pivots.columns]))
             for i, f in enumerate(free)]  # fmt: skip
    T = [[w.sub(W[f][j], w.dot([row[i] for row in N], [W[c][j] for c in pivots.columns])) for j in range(i + 1)]
         for i, f in enumerate(free)]  # fmt: skip
    factor = Factor(w, T, DEFINITE)
    y = factor.solved(right)
    a: list[Place] = [0] * n
    for j, column in enumerate(free):
        a[column] = y[j]
    for s, column in enumerate(pivots.columns):
        a[column] = w.sub(b0[s], w.dot(N[s], y))
    return a, w.both(fine, factor.fine)


def null_basis(w: Maker, record: SystemPlaces, pivots: Pivots) -> tuple[list[list[Place]], list[Place], Place]:
    """N and b₀ in a_dependent = b₀ − N a_free, and whether N is within its bound."""
    order = (*pivots.columns, *pivots.free)
    M = [[record.A[i][j] for j in order] for i in pivots.rows]
    right = [record.b[i] for i in pivots.rows]
    r, n, one = len(M), len(order), w.number(1.0)
    for k in range(r):
        inverse = w.div(one, M[k][k])
        for j in range(k + 1, n):
            M[k][j] = w.mul(M[k][j], inverse)
        right[k] = w.mul(right[k], inverse)
        for i in range(r):
            factor = M[i][k]
            if i != k and not w.is_zero(factor):
                for j in range(k + 1, n):
                    M[i][j] = w.sub(M[i][j], w.mul(factor, M[k][j]))
                right[i] = w.sub(right[i], w.mul(factor, right[k]))
    N = [row[r:] for row in M]
    fine, bound = w.truth(True), w.number(pivots.bound)
    for entry in dict.fromkeys(e for row in N for e in row) if n > r else right:
        fine = w.both(fine, w.compare("le", w.abs(entry), bound) if n > r else w.finite(entry))
    return N, right, fine
