"""The constrained solve without a loop or an index: `simulate.linear` for one choice of pivots, written out.

    A a = b,  D a = d + Aᵀ ν      a = a₀ + C y,  A C = 0,  (Cᵀ D C) y = Cᵀ (d − D a₀)

The pivots are those that complete pivoting takes at a state of reference. Every solution is watched: what the choice
makes of the null basis must not grow (`tests`), else the loops with their own pivots are asked. Entries that are zero
in every state cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.cuda.writer import Cell, Writer, text
from dalembert.simulate import pivoting

GROWTH = 100.0  # of the null basis, against that at the reference


@dataclass(frozen=True, slots=True)
class Pivots:
    """Rows in the order of elimination, the columns they determine, the columns left free, rows that are redundant."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    free: tuple[int, ...]
    left: tuple[int, ...]
    bound: float  # of the entries of the null basis

    @property
    def rank(self) -> int:
        return len(self.rows)


def pivots_of(A: np.ndarray) -> Pivots:
    """Complete pivoting at the reference."""
    m, n = A.shape
    work, right = A.copy(), np.zeros(max(m, 1))
    row_at, col_at = np.zeros(max(m, 1), np.int64), np.zeros(max(n, 1), np.int64)
    r = pivoting.reduce(work, right, m, n, -1, row_at, col_at)
    rows, cols = row_at[:m].tolist(), col_at[:n].tolist()
    largest = float(np.abs(work[:r, r:]).max(initial=0.0))
    return Pivots(tuple(rows[:r]), tuple(cols[:r]), tuple(cols[r:]), tuple(rows[r:]), GROWTH * (1.0 + largest))


def entries_of(F: Sequence[Cell], n: int, m: int) -> tuple[list[list[Cell]], list[Cell], list[list[Cell]], list[Cell]]:
    """D, d, A and b from what the dynamics give, as `CompiledSystem.unpacked` has it for numbers."""
    start = n * (n + 1) // 2
    D: list[list[Cell]] = [[0.0] * n for _ in range(n)]
    for place, (row, column) in enumerate(zip(*np.triu_indices(n), strict=True)):
        D[row][column] = D[column][row] = F[place]
    A = [list(F[start + n + i * n : start + n + (i + 1) * n]) for i in range(m)]
    return D, list(F[start : start + n]), A, list(F[start + n + m * n : start + n + m * n + m])


def null_basis(
    writer: Writer, A: Sequence[Sequence[Cell]], b: Sequence[Cell], pivots: Pivots, tests: list[str]
) -> tuple[list[list[Cell]], list[Cell]]:
    """N and b₀ with a_dependent = b₀ − N a_free, by Gauss and Jordan along the pivots."""
    order = (*pivots.columns, *pivots.free)
    M: list[list[Cell]] = [[A[i][j] for j in order] for i in pivots.rows]
    right = [b[i] for i in pivots.rows]
    r, n = pivots.rank, len(order)
    for k in range(r):
        inverse = writer.reciprocal(M[k][k])
        for j in range(k + 1, n):
            M[k][j] = writer.multiply(M[k][j], inverse)
        right[k] = writer.multiply(right[k], inverse)
        for i in range(r):
            factor = M[i][k]
            if i != k and factor != 0.0:
                for j in range(k + 1, n):
                    M[i][j] = writer.less_product(M[i][j], factor, M[k][j])
                right[i] = writer.less_product(right[i], factor, right[k])
    N = [row[r:] for row in M]
    grown = writer.largest(cell for row in N for cell in row)
    if isinstance(grown, str):
        tests.append(f"{grown} <= {pivots.bound!r}")
    elif r and not N[0]:
        tests += [f"is_finite({cell})" for cell in right if isinstance(cell, str)]
    return N, right


def definite(writer: Writer, M: list[list[Cell]], b: list[Cell], tests: list[str]) -> list[Cell]:
    """`pivoting.definite`: M x = b by the lower triangle of M, the last row first."""
    n = len(b)
    M, b = [list(row) for row in M], list(b)
    diagonal = [M[i][i] for i in range(n)]
    inverses: list[Cell] = [0.0] * n
    for step in range(n):
        j = n - 1 - step
        pivot = M[j][j]
        least = writer.multiply(1e-13, diagonal[j])
        if isinstance(pivot, str):
            tests.append(f"{pivot} > {text(least)}")
            if isinstance(least, str) or not least >= 0.0:
                tests.append(f"{pivot} > 0.0")
        elif not pivot > 0.0:
            tests.append("false")
        inverse = inverses[j] = writer.reciprocal(pivot)
        for i in range(j):
            factor = writer.multiply(M[j][i], inverse)
            for k in range(i + 1):
                M[i][k] = writer.less_product(M[i][k], factor, M[j][k])
            b[i] = writer.less_product(b[i], factor, b[j])
    for i in range(n):
        for k in range(i):
            b[i] = writer.less_product(b[i], M[i][k], b[k])
        b[i] = writer.multiply(b[i], inverses[i])
    return b


def accelerations(
    writer: Writer, D: Sequence[Sequence[Cell]], d: Sequence[Cell], A: Sequence[Sequence[Cell]], b: Sequence[Cell],
    pivots: Pivots, tests: list[str],
) -> list[Cell]:  # fmt: skip
    """a for a symmetric D; `tests` gets what must hold for it to be the solution."""
    n, free = len(d), pivots.free
    N, b0 = null_basis(writer, A, b, pivots, tests) if pivots.rank else ([], [])
    force, W = list(d), [[D[i][f] for f in free] for i in range(n)]
    for i in range(n):
        for s, column in enumerate(pivots.columns):
            force[i] = writer.less_product(force[i], D[i][column], b0[s])
            for j in range(len(free)):
                W[i][j] = writer.less_product(W[i][j], D[i][column], N[s][j])
    T: list[list[Cell]] = [[0.0] * len(free) for _ in free]
    right: list[Cell] = []
    for i, source in enumerate(free):
        entry = force[source]
        for s, column in enumerate(pivots.columns):
            entry = writer.less_product(entry, N[s][i], force[column])
        right.append(entry)
        for j in range(i + 1):
            entry = W[source][j]
            for s, column in enumerate(pivots.columns):
                entry = writer.less_product(entry, N[s][i], W[column][j])
            T[i][j] = entry
    y = definite(writer, T, right, tests)
    a: list[Cell] = [0.0] * n
    for j, column in enumerate(free):
        a[column] = y[j]
    for s, column in enumerate(pivots.columns):
        entry = b0[s]
        for j in range(len(free)):
            entry = writer.less_product(entry, N[s][j], y[j])
        a[column] = entry
    return a


def least_change(
    writer: Writer, J: Sequence[Sequence[Cell]], r: Sequence[Cell], pivots: Pivots, tests: list[str]
) -> list[Cell]:
    """`pivoting.least_norm`: the smallest x with J x = −r, from (I + N Nᵀ) x_p = b, x_f = Nᵀ x_p."""
    N, b = null_basis(writer, J, [writer.negative(cell) for cell in r], pivots, tests)
    size = pivots.rank
    G: list[list[Cell]] = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            entry: Cell = 1.0 if i == j else 0.0
            for f in range(len(pivots.free)):
                entry = writer.add(entry, writer.multiply(N[i][f], N[j][f]))
            G[i][j] = entry
    found = definite(writer, G, b, [])
    change: list[Cell] = [0.0] * (size + len(pivots.free))
    for i, column in enumerate(pivots.columns):
        change[column] = found[i]
    for f, column in enumerate(pivots.free):
        entry = 0.0
        for i in range(size):
            entry = writer.add(entry, writer.multiply(N[i][f], found[i]))
        change[column] = entry
    return change
