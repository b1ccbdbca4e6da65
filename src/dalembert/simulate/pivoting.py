"""Small dense systems as loops over preallocated arrays: plain Python for one state, compiled in steppers.

Elimination with complete pivoting finds the rank; symmetric positive matrices go without pivots. The functions use only
what numba compiles, and do not import it: the stepper's module registers them.
"""

from __future__ import annotations

RANK = 1e-10  # smallest pivot that counts, where rows are scaled to a largest entry of one
VANISHED = 1e-14  # rows that much smaller than the largest are zero; pivots that small never count


def reduce(M, b, rows, cols, limit, row_at, col_at):
    """Gauss-Jordan with complete pivoting in place, rows scaled; returns the rank r.

    Afterwards x[col_at[:r]] + M[:r, r:] x[col_at[r:]] = b[:r], and b[r:] is what redundant rows leave. With
    limit >= 0 exactly that many pivots are taken as long as they are not zero.
    """
    largest = 0.0
    for i in range(rows):
        row_at[i] = i
        for j in range(cols):
            largest = max(largest, abs(M[i, j]))
    for i in range(rows):
        big = 0.0
        for j in range(cols):
            big = max(big, abs(M[i, j]))
        if big > VANISHED * largest:
            for j in range(cols):
                M[i, j] /= big
            b[i] /= big
        else:
            for j in range(cols):
                M[i, j] = 0.0
    for j in range(cols):
        col_at[j] = j
    most = min(rows, cols)
    if limit >= 0:
        most = min(most, limit)
    for r in range(most):
        best, at, to = 0.0, r, r
        for i in range(r, rows):
            for j in range(r, cols):
                if abs(M[i, j]) > best:
                    best, at, to = abs(M[i, j]), i, j
        if not best > (VANISHED if limit >= 0 else RANK):
            return r
        if at != r:
            for j in range(cols):
                M[r, j], M[at, j] = M[at, j], M[r, j]
            b[r], b[at] = b[at], b[r]
            row_at[r], row_at[at] = row_at[at], row_at[r]
        if to != r:
            for i in range(rows):
                M[i, r], M[i, to] = M[i, to], M[i, r]
            col_at[r], col_at[to] = col_at[to], col_at[r]
        inverse = 1.0 / M[r, r]
        M[r, r] = 1.0
        for j in range(r + 1, cols):
            M[r, j] *= inverse
        b[r] *= inverse
        for i in range(rows):
            factor = M[i, r]
            if i != r and factor != 0.0:
                M[i, r] = 0.0
                for j in range(r + 1, cols):
                    M[i, j] -= factor * M[r, j]
                b[i] -= factor * b[r]
    return most


def definite(M, b, n):
    """Solve M x = b in b, M symmetric by its lower triangle; False (and rubbish) where it is not positive definite.

    M = Lᵀ diag(L)⁻¹ L, the last row first: no roots, one division for a row, and loops along rows that begin at zero,
    which spares numba the question whether an index counts from the end.
    """
    for i in range(n - 1):
        M[i, n - 1] = 1e-13 * M[i, i]
    for step in range(n):
        j = n - 1 - step
        pivot = M[j, j]
        least = M[j, n - 1] if step > 0 else 1e-13 * pivot
        if not (pivot > least and pivot > 0.0):
            return False
        inverse = 1.0 / pivot
        M[j, j] = inverse
        right = b[j]
        for i in range(j):
            factor = M[j, i] * inverse
            for k in range(i + 1):
                M[i, k] -= factor * M[j, k]
            b[i] -= factor * right
    for i in range(n):
        entry = b[i]
        for k in range(i):
            entry -= M[i, k] * b[k]
        b[i] = entry * M[i, i]
    return True


def definite_again(M, b, n):
    """Solve in b once more with the factors that `definite` left in M."""
    for step in range(n):
        j = n - 1 - step
        right = b[j] * M[j, j]
        for i in range(j):
            b[i] -= M[j, i] * right
    for i in range(n):
        entry = b[i]
        for k in range(i):
            entry -= M[i, k] * b[k]
        b[i] = entry * M[i, i]


def least_norm(M, b, rows, cols, limit, row_at, col_at, G, x):
    """The smallest x with M x = b (redundant rows left out); M and b are overwritten; returns the rank.

    From x_p = b - N x_f the smallest has (I + N Nᵀ) x_p = b, x_f = Nᵀ x_p, and that matrix is never ill-conditioned.
    """
    rank = reduce(M, b, rows, cols, limit, row_at, col_at)
    for i in range(rank):
        for j in range(i + 1):
            entry = 1.0 if i == j else 0.0
            for f in range(rank, cols):
                entry += M[i, f] * M[j, f]
            G[i, j] = entry
    definite(G, b, rank)
    for i in range(rank):
        x[col_at[i]] = b[i]
    for f in range(rank, cols):
        entry = 0.0
        for i in range(rank):
            entry += M[i, f] * b[i]
        x[col_at[f]] = entry
    return rank


SHARED = (reduce, definite, definite_again, least_norm)
