"""Conditions on the right side of a rank-deficient system K w = r, in symbols.

    χ_k = r_k − K_kJ K_IJ⁻¹ r_I            for every row k beyond the pivots (I, J)
Pivots are chosen numerically, at sample states on the constraints; the first sample is the state in question. A pivot
may vanish at no sample. An entry that vanishes at all of them counts as zero, whatever its expression looks like.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.equations import Scalar

ZERO_AT_ALL = 1e-10
LONGEST = 4000  # characters of an entry; a longer one ends the elimination


def compatibility(
    K: Sequence[Sequence[Scalar]], right: Sequence[Scalar], K_at: np.ndarray, right_at: np.ndarray
) -> list[Scalar] | None:
    """The conditions χ, one for each row beyond the rank. None if they grow too long.

    `K_at` (samples × rows × columns) and `right_at` (samples × rows) are the values at the sample states.
    """
    rows = [[*row, r] for row, r in zip(K, right, strict=True)]
    values = np.concatenate([K_at, right_at[:, :, None]], axis=2)
    scale = np.abs(values[:, :, :-1]).max(axis=2, initial=0.0)
    values = values / np.where(scale > 0, scale, 1.0)[:, :, None]
    left, columns = list(range(len(rows))), list(range(len(rows[0]) - 1))
    while pivot := _pivot(rows, values, left, columns):
        i, j = pivot
        left.remove(i)
        columns.remove(j)
        for k in left:
            if rows[k][j] == 0:
                continue
            ratio = rows[k][j] / rows[i][j]
            ratio_at = values[:, k, j] / values[:, i, j]
            for c in (*columns, len(rows[0]) - 1):
                if rows[i][c] == 0:
                    continue
                rows[k][c] = rows[k][c] - ratio * rows[i][c]
                values[:, k, c] -= ratio_at * values[:, i, c]
                if c in columns and np.abs(values[:, k, c]).max() < ZERO_AT_ALL:
                    rows[k][c], values[:, k, c] = rows[k][c] * 0, 0.0
                if len(str(rows[k][c])) > LONGEST:
                    return None
            rows[k][j], values[:, k, j] = rows[k][j] * 0, 0.0
    if left and columns and np.abs(values[:, left][:, :, columns]).max() >= ZERO_AT_ALL:
        return None  # the rank differs between the samples
    return [rows[k][-1] for k in left]


def _pivot(rows: list[list[Scalar]], values: np.ndarray, left: list[int], columns: list[int]) -> tuple[int, int] | None:
    """The pivot: among entries that are large enough at every sample, the one with the shortest expression."""
    if not left or not columns:
        return None
    least = np.abs(values).min(axis=0)
    best = max(least[i, j] for i in left for j in columns)
    if best < ZERO_AT_ALL:
        return None
    fit = [(i, j) for i in left for j in columns if least[i, j] >= 0.1 * best]
    return min(fit, key=lambda place: (len(str(rows[place[0]][place[1]])), -least[place]))
