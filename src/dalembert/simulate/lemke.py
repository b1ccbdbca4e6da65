"""Linear complementarity problems by Lemke's pivots (Management Science 11 (1965) 681), as a loop for numba."""

from __future__ import annotations

import numpy as np


def lemke(W, q, count, z, tableau, basis):
    """w = W z + q ≥ 0, z ≥ 0, w·z = 0 by Lemke's complementary pivots; False where they end on a ray.

    Lexicographic ties are not needed for the matrices of mechanics; a tie is broken by the largest pivot.
    """
    worst, leaving = 0.0, -1
    for i in range(count):
        z[i] = 0.0
        if q[i] < worst:
            worst, leaving = q[i], i
    if leaving < 0:
        return True
    width = 2 * count + 2  # w, z, the artificial one, the right side
    for i in range(count):
        for j in range(width):
            tableau[i, j] = 0.0
        tableau[i, i] = 1.0
        for j in range(count):
            tableau[i, count + j] = -W[i, j]
        tableau[i, 2 * count] = -1.0
        tableau[i, width - 1] = q[i]
        basis[i] = i
    entering = 2 * count
    for _ in range(50 * (count + 1)):
        pivot = tableau[leaving, entering]
        for j in range(width):
            tableau[leaving, j] /= pivot
        for i in range(count):
            factor = tableau[i, entering]
            if i != leaving and factor != 0.0:
                for j in range(width):
                    tableau[i, j] -= factor * tableau[leaving, j]
        out = basis[leaving]
        basis[leaving] = entering
        if out == 2 * count:
            for i in range(count):
                if count <= basis[i] < 2 * count:
                    z[basis[i] - count] = max(tableau[i, width - 1], 0.0)
            return True
        entering = out + count if out < count else out - count
        best, leaving, size = np.inf, -1, 0.0
        for i in range(count):
            entry = tableau[i, entering]
            if entry > 1e-12:
                ratio = tableau[i, width - 1] / entry
                artificial = basis[i] == 2 * count
                if ratio < best - 1e-14 or (ratio <= best + 1e-14 and (artificial or entry > size)):
                    best, leaving, size = min(best, ratio), i, np.inf if artificial else entry
        if leaving < 0:
            return False
    return False


SHARED = (lemke,)
