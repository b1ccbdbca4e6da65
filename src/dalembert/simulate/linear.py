"""The constrained linear solve as loops over preallocated arrays: plain Python for one state, compiled in steppers.

    D a = d + R ν,   A a = b          with C a null basis of A, L one of Rᵀ, A a₀ = b:
    (Lᵀ D C) y = Lᵀ (d - D a₀),   a = a₀ + C y,   R ν = D a - d in the sense of least norm

Complete pivoting chooses the dependent columns anew at every state, so no choice can go bad on the way; redundant
rows drop out. The functions use only what numba compiles, and do not import it: the stepper's module registers them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dalembert.simulate.pivoting import definite, definite_again, least_norm, reduce

DONE, SINGULAR, INCONSISTENT, NONFINITE, OVERDETERMINED = 0, 1, 2, 3, 4


# places of matrices, vectors and lists of places in a workspace
IN_D, IN_A, IN_L, IN_W, IN_T, IN_R, IN_G, IN_J = range(8)
IN_B, IN_ZERO, IN_RIGHT, IN_FORCE, IN_SOLUTION, IN_RESIDUAL, IN_CHANGE, IN_MU, IN_MU_RATE, IN_SLOPE, IN_NU = range(11)
ROWS, COLUMNS, LEFT_ROWS, LEFT_COLUMNS = range(4)


class Workspace(NamedTuple):
    """Room for one solve. Few arrays, because numba's time to compile grows with their number."""

    matrices: np.ndarray
    vectors: np.ndarray
    places: np.ndarray
    rank: np.ndarray  # of A, and of R; then whether T holds the factors of a definite matrix


class Shape(NamedTuple):
    """Sizes and kind of a system, and which rows of A and columns of R are switched on."""

    n: int
    m: int
    reactions: int
    symmetric: bool
    general: bool  # R is given and is not Aᵀ
    active: np.ndarray
    columns: np.ndarray


def workspace(n: int, m: int, reactions: int) -> Workspace:
    most = max(n, m, reactions, 1)
    return Workspace(
        matrices=np.zeros((8, most, most)),
        vectors=np.zeros((11, most)),
        places=np.zeros((4, most), dtype=np.int64),
        rank=np.full(3, -1, dtype=np.int64),
    )


def shape_of(system: Any, active: Any = None) -> Shape:
    """Sizes for the solve; `active` are the rows of A switched on, and of R's columns where they are as many."""
    rows = np.arange(system.m) if active is None else np.asarray(active)
    columns = rows if system.reactions == system.m else np.arange(system.reactions)
    eq = system.equations
    return Shape(
        system.n, system.m, system.reactions, bool(eq.symmetric), eq.R is not None,
        rows.astype(np.int64), columns.astype(np.int64),
    )  # fmt: skip


def unpack(F, n, symmetric, D):
    """D in full from the head of what the compiled dynamics returned."""
    place = 0
    for i in range(n):
        for j in range(i if symmetric else 0, n):
            D[i, j] = F[place]
            if symmetric:
                D[j, i] = F[place]
            place += 1


def accelerations(F, shape, fixed, w, a, nu, with_multipliers):
    """Solve for a (and ν) from F, what the compiled dynamics returned; gives (status, the row at fault).

    With `fixed` the ranks in w are kept: between states on the constraints, redundancy holds only to the step's error.
    """
    status, row = _accelerations(F, shape, fixed, w, a)
    if status == DONE and with_multipliers:
        multipliers(F, shape, fixed, w, a, nu)
        for i in range(shape.columns.shape[0]):
            if not np.isfinite(nu[shape.columns[i]]):
                status = NONFINITE
    if status == DONE:
        for i in range(shape.n):
            if not np.isfinite(a[i]):
                status = NONFINITE
    if status != DONE:
        for i in range(F.shape[0]):
            if not np.isfinite(F[i]):
                return NONFINITE, row
    return status, row


def accelerations_again(F, shape, w, a, nu):
    """As `accelerations` with multipliers, for another d and b = 0, right after a solve for the same D and A."""
    if w.rank[2] != 1:
        return accelerations(F, shape, False, w, a, nu, True)
    A = w.matrices[IN_A]
    solution = w.vectors[IN_SOLUTION]
    col_at = w.places[COLUMNS]
    n, rank = shape.n, w.rank[0]
    start = n * (n + 1) // 2
    free = n - rank
    if shape.active.shape[0] == 0:
        for i in range(n):
            a[i] = F[start + i]
        definite_again(w.matrices[IN_T], a, n)
    else:
        for i in range(free):
            entry = F[start + col_at[rank + i]]
            for s in range(rank):
                entry -= A[s, rank + i] * F[start + col_at[s]]
            solution[i] = entry
        definite_again(w.matrices[IN_T], solution, free)
        for j in range(free):
            a[col_at[rank + j]] = solution[j]
        for s in range(rank):
            entry = 0.0
            for j in range(free):
                entry -= A[s, rank + j] * solution[j]
            a[col_at[s]] = entry
    multipliers(F, shape, True, w, a, nu)
    return _finite(shape, a, nu)


def _finite(shape, a, nu):
    for i in range(shape.n):
        if not np.isfinite(a[i]):
            return NONFINITE, 0
    for i in range(shape.columns.shape[0]):
        if not np.isfinite(nu[shape.columns[i]]):
            return NONFINITE, 0
    return DONE, 0


def _accelerations(F, shape, fixed, w, a):
    A = w.matrices[IN_A]
    L = w.matrices[IN_L]
    b = w.vectors[IN_B]
    zero = w.vectors[IN_ZERO]
    row_at = w.places[ROWS]
    col_at = w.places[COLUMNS]
    left_row_at = w.places[LEFT_ROWS]
    left_col_at = w.places[LEFT_COLUMNS]
    n = shape.n
    start = n * (n + 1) // 2 if shape.symmetric else n * n
    rows = shape.active.shape[0]
    w.rank[2] = 0
    if rows == 0 and not shape.general:
        w.rank[0] = 0
        w.rank[1] = 0
        return _unconstrained(F, start, shape, w, a)
    unpack(F, n, shape.symmetric, w.matrices[IN_D])
    m, columns = shape.m, shape.columns.shape[0]
    at_A, at_b, at_R = start + n, start + n + m * n, start + n + m * n + m
    largest = 0.0
    for i in range(rows):
        source = shape.active[i]
        big = 0.0
        for j in range(n):
            A[i, j] = F[at_A + source * n + j]
            big = max(big, abs(A[i, j]))
        b[i] = F[at_b + source]
        largest = max(largest, abs(b[i]) / (big if big > 0.0 else 1.0))
    rank = reduce(A, b, rows, n, w.rank[0] if fixed else -1, row_at, col_at)
    if not fixed:
        w.rank[0] = rank
        for i in range(rank, rows):
            if abs(b[i]) > 1e-9 + 1e-7 * largest:
                return INCONSISTENT, shape.active[row_at[i]]
    elif rank < w.rank[0]:
        return SINGULAR, 0
    left = rank
    if shape.general:
        for i in range(columns):
            zero[i] = 0.0
            for j in range(n):
                L[i, j] = F[at_R + j * shape.reactions + shape.columns[i]]
        left = reduce(L, zero, columns, n, w.rank[1] if fixed else -1, left_row_at, left_col_at)
    if not fixed:
        w.rank[1] = left
    return _reduced(F, start, shape, rank, left, w, a)


def _unconstrained(F, start, shape, w, a):
    """D a = d as it stands: without pivots where D is symmetric and positive, else with complete pivoting."""
    T = w.matrices[IN_T]
    rhs = w.vectors[IN_RIGHT]
    n = shape.n
    if shape.symmetric:
        place = 0
        for i in range(n):
            a[i] = F[start + i]
            for j in range(i, n):
                T[j, i] = F[place]
                place += 1
        if definite(T, a, n):
            w.rank[2] = 1
            return DONE, 0
    unpack(F, n, shape.symmetric, T)
    for i in range(n):
        rhs[i] = F[start + i]
    return _pivoted(n, n, w, a)


def _pivoted(rows, cols, w, y):
    """T y = rhs with columns scaled too, by complete pivoting; more rows than columns must agree."""
    T = w.matrices[IN_T]
    G = w.matrices[IN_G]
    rhs = w.vectors[IN_RIGHT]
    left_row_at = w.places[LEFT_ROWS]
    left_col_at = w.places[LEFT_COLUMNS]
    if rows < cols:
        return SINGULAR, 0
    for j in range(cols):
        big = 0.0
        for i in range(rows):
            big = max(big, abs(T[i, j]))
        if not big > 0.0:
            return SINGULAR, 0
        G[0, j] = big
        for i in range(rows):
            T[i, j] /= big
    largest = 0.0
    for i in range(rows):
        largest = max(largest, abs(rhs[i]))
    rank = reduce(T, rhs, rows, cols, -1, left_row_at, left_col_at)
    if rank < cols:
        return SINGULAR, 0
    for i in range(rank, rows):
        if abs(rhs[i]) > 1e-9 + 1e-7 * largest:
            return OVERDETERMINED, left_row_at[i]
    for i in range(cols):
        y[left_col_at[i]] = rhs[i] / G[0, left_col_at[i]]
    return DONE, 0


def _project(F, start, shape, rank, left, w, half):
    """T = Lᵀ D C (or its lower `half`) and rhs = Lᵀ (d - D a₀); N of C = [-N; I] is in A, that of L in A or L."""
    D = w.matrices[IN_D]
    A = w.matrices[IN_A]
    L = w.matrices[IN_L]
    W = w.matrices[IN_W]
    T = w.matrices[IN_T]
    b = w.vectors[IN_B]
    rhs = w.vectors[IN_RIGHT]
    force = w.vectors[IN_FORCE]
    col_at = w.places[COLUMNS]
    left_col_at = w.places[LEFT_COLUMNS]
    n = shape.n
    free = n - rank
    for i in range(n):
        entry = F[start + i]
        for s in range(rank):
            entry -= D[i, col_at[s]] * b[s]
        force[i] = entry
        for j in range(free):
            entry = D[i, col_at[rank + j]]
            for s in range(rank):
                entry -= D[i, col_at[s]] * A[s, rank + j]
            W[i, j] = entry
    left_at = left_col_at if shape.general else col_at
    left_N = L if shape.general else A
    for i in range(n - left):
        source = left_at[left + i]
        entry = force[source]
        for s in range(left):
            entry -= left_N[s, left + i] * force[left_at[s]]
        rhs[i] = entry
        for j in range(i + 1 if half else free):
            entry = W[source, j]
            for s in range(left):
                entry -= left_N[s, left + i] * W[left_at[s], j]
            T[i, j] = entry


def _reduced(F, start, shape, rank, left, w, a):
    A = w.matrices[IN_A]
    T = w.matrices[IN_T]
    b = w.vectors[IN_B]
    rhs = w.vectors[IN_RIGHT]
    solution = w.vectors[IN_SOLUTION]
    col_at = w.places[COLUMNS]
    n = shape.n
    free = n - rank
    solved = shape.symmetric and not shape.general
    if solved:
        _project(F, start, shape, rank, left, w, True)
        for i in range(free):
            solution[i] = rhs[i]
        solved = definite(T, solution, free)
        w.rank[2] = 1 if solved else 0
    if not solved:
        _project(F, start, shape, rank, left, w, False)
        status, row = _pivoted(n - left, free, w, solution)
        if status != DONE:
            return status, row
    for j in range(free):
        a[col_at[rank + j]] = solution[j]
    for s in range(rank):
        entry = b[s]
        for j in range(free):
            entry -= A[s, rank + j] * solution[j]
        a[col_at[s]] = entry
    return DONE, 0


def multipliers(F, shape, fixed, w, a, nu):
    """The smallest ν with R ν = D a - d, in its places of nu; those switched off are zero."""
    D = w.matrices[IN_D]
    R = w.matrices[IN_R]
    G = w.matrices[IN_G]
    rhs = w.vectors[IN_RIGHT]
    solution = w.vectors[IN_SOLUTION]
    left_row_at = w.places[LEFT_ROWS]
    left_col_at = w.places[LEFT_COLUMNS]
    n, columns = shape.n, shape.columns.shape[0]
    for i in range(shape.reactions):
        nu[i] = 0.0
    if columns == 0:
        return 0
    start = n * (n + 1) // 2 if shape.symmetric else n * n
    at_A, at_R = start + n, start + n + shape.m * n + shape.m
    for i in range(n):
        entry = -F[start + i]
        for j in range(n):
            entry += D[i, j] * a[j]
        rhs[i] = entry
        for c in range(columns):
            source = shape.columns[c]
            R[i, c] = F[at_R + i * shape.reactions + source] if shape.general else F[at_A + source * n + i]
    limit = w.rank[1] if fixed else -1
    rank = least_norm(R, rhs, n, columns, limit, left_row_at, left_col_at, G, solution)
    for c in range(columns):
        nu[shape.columns[c]] = solution[c]
    return rank


SHARED = (
    unpack, accelerations, accelerations_again, _finite, _accelerations,
    _unconstrained, _pivoted, _project, _reduced, multipliers,
)  # fmt: skip
