"""Least squares of small systems by one-sided Jacobi rotations, as loops over given arrays; numba compiles them.

Rows of M are turned in pairs, M ← Vᵀ M with V orthogonal, until they are orthogonal to each other; their lengths then
are the singular values, and what is turned along with them (B ← Vᵀ B) gives

    M⁺ b = Σ_i M_i (Vᵀ b)_i / σ_i²     over the σ_i that count        Hestenes 1958; Demmel & Veselić 1992 on accuracy
"""

from __future__ import annotations

import numpy as np

EPSILON = 2.0**-52
SWEEPS = 40


def turn_rows(M, rows, cols, B, width):
    """Make the rows of M orthogonal, turning those of B along with them; returns the largest length squared."""
    for _sweep in range(SWEEPS):
        turned = False
        for i in range(rows - 1):
            for j in range(i + 1, rows):
                aa, bb, ab = 0.0, 0.0, 0.0
                for c in range(cols):
                    aa += M[i, c] * M[i, c]
                    bb += M[j, c] * M[j, c]
                    ab += M[i, c] * M[j, c]
                if not abs(ab) > EPSILON * np.sqrt(aa * bb):
                    continue
                turned = True
                zeta = (bb - aa) / (2.0 * ab)
                tangent = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                if zeta < 0.0:
                    tangent = -tangent
                cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for c in range(cols):
                    a, b = M[i, c], M[j, c]
                    M[i, c], M[j, c] = cosine * a - sine * b, sine * a + cosine * b
                for c in range(width):
                    a, b = B[i, c], B[j, c]
                    B[i, c], B[j, c] = cosine * a - sine * b, sine * a + cosine * b
        if not turned:
            break
    return largest_row(M, rows, cols)


def largest_row(M, rows, cols):
    """The square of the largest length of a row."""
    largest = 0.0
    for i in range(rows):
        largest = max(largest, length(M, i, cols))
    return largest


def length(M, i, cols):
    """The square of a row's length."""
    square = 0.0
    for c in range(cols):
        square += M[i, c] * M[i, c]
    return square


def least_squares(M, rows, cols, B, column, smallest, x):
    """The smallest x of least |M x - b|, b a column of B; M and B are overwritten.

    Singular values below `smallest` of the largest count as zero.
    """
    least = smallest * smallest * turn_rows(M, rows, cols, B, column + 1)
    for c in range(cols):
        x[c] = 0.0
    for i in range(rows):
        square = length(M, i, cols)
        if square > least:
            share = B[i, column] / square
            for c in range(cols):
                x[c] += share * M[i, c]


SHARED = (turn_rows, largest_row, length, least_squares)
