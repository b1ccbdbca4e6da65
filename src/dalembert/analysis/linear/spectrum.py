"""Eigenvalues of a real matrix, with exact zeros where the structure of the matrix requires them.

Entries that are only rounding errors are set to zero. Then the matrix is split into blocks of quantities that influence
each other both ways. So a coordinate on which nothing depends gives the eigenvalue 0, not a pair ±1e-8.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray
ROUNDING = 16 * np.finfo(float).eps


def cleaned(M: Array) -> tuple[Array, Array]:
    """The matrix without rounding errors, and scales s for which s_j M_ij / s_i has rows and columns of equal size.

    An entry counts as a rounding error if it is that small relative to its row or column; within a block, it must be so
    after scaling too. Removing it then changes the eigenvalues no more than computing them does.
    """
    size = np.abs(M)
    largest = np.maximum(size.max(axis=1, initial=0.0)[:, None], size.max(axis=0, initial=0.0)[None, :])
    small = size <= ROUNDING * largest
    rest = np.where(small, 0.0, M)
    within = np.zeros(M.shape, dtype=bool)
    for block in blocks(rest):
        within[np.ix_(block, block)] = True
    scales = balance(np.where(within, rest, 0.0))
    weight = scales[None, :] / scales[:, None]
    norm = np.abs(np.where(within, rest, 0.0) * weight).max(initial=0.0)
    return np.where(small & ~(within & (size * weight > ROUNDING * norm)), 0.0, M), scales


def balance(M: Array) -> Array:
    """Powers of two s for which off-diagonal rows and columns of s_j M_ij / s_i are equally large (Osborne)."""
    size = np.abs(M)
    np.fill_diagonal(size, 0.0)
    scales = np.ones(len(M))
    for _ in range(50):
        settled = True
        for i in range(len(M)):
            row, column = size[i].sum(), size[:, i].sum()
            if row > 0 and column > 0:
                factor = 2.0 ** np.round(np.log2(row / column) / 2)
                if factor != 1.0:
                    settled = False
                    scales[i] *= factor
                    size[i] /= factor
                    size[:, i] *= factor
        if settled:
            break
    return scales


def blocks(M: Array) -> list[list[int]]:
    """The blocks: sets of indices that influence each other both ways."""
    reach = (M != 0) | np.eye(len(M), dtype=bool)
    for _ in range(max(1, len(M).bit_length())):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    both = reach & reach.T
    return [np.flatnonzero(both[i]).tolist() for i in range(len(M)) if not both[i, :i].any()]


def eigenvalues(M: Array) -> Array:
    """All eigenvalues; the fastest growing come first."""
    matrix, scales = cleaned(M)
    matrix = matrix * (scales[None, :] / scales[:, None])
    found = [value for block in blocks(matrix) for value in np.linalg.eigvals(matrix[np.ix_(block, block)])]
    values = np.array(found, dtype=complex) + 0.0
    order = sorted(range(len(values)), key=lambda i: (-values[i].real, abs(values[i].imag), -values[i].imag))
    return values[order]
