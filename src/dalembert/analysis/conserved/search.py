"""Combinations of candidates whose rate vanishes at every admissible state: null spaces, decided by a clear gap.

    I = Σ c_k B_k,   İ = Σ c_k Ḃ_k = 0 at all states    ⇔    c in the null space of the matrix Ḃ (states × candidates)
Candidates that depend on simpler ones on the constraints (the constraints themselves, sin² + cos² = 1) are left out
first, so that no null vector is trivial. A rate is compared with the size of its terms, state by state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.analysis.conserved.flow import Array
from dalembert.analysis.conserved.quantities import QuantityValues

BLOCK = 24  # columns that are projected together
DEPENDENT = 1e-7  # relative remainder of a column that counts as new
VANISHES = 1e-10  # relative rate of a combination that counts as zero
ROUNDING = 1e-13  # relative rounding error of a rate
GAP = 1e3  # gap between rates that vanish and rates that do not
ENTRY = 1e-6  # entry of a scaled null vector that counts as zero


@dataclass(frozen=True, slots=True)
class Null:
    """Null vectors over the columns `columns`, one row each, and the singular values on both sides of the gap.

    Its coefficients belong to the columns divided by their variation `scale`.
    """

    columns: tuple[int, ...]
    scale: Array
    vectors: Array
    below: float
    above: float

    @property
    def clear(self) -> bool:
        """Whether there is a clear gap between zero and nonzero singular values."""
        return self.above >= GAP * max(self.below, ROUNDING)


def independent(candidates: QuantityValues) -> list[int]:
    """The columns that are not combinations of a constant and the columns before them."""
    values = candidates.value
    centred = values - values.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    level = np.linalg.norm(candidates.level, axis=0)
    Q = np.zeros((len(values), values.shape[1]))
    found: list[int] = []
    counted = np.flatnonzero((size > 1e-9 * level) & np.isfinite(size))
    for some in np.split(counted, range(BLOCK, len(counted), BLOCK)):  # products of matrices are faster
        before = len(found)
        block = _beside(Q[:, :before], centred[:, some] / size[some])
        for k, column in zip(some.tolist(), block.T, strict=True):
            rest = _beside(Q[:, before : len(found)], column)
            left = np.linalg.norm(rest)
            if left > DEPENDENT:
                Q[:, len(found)] = rest / left
                found.append(k)
    return found


def _beside(basis: Array, columns: Array) -> Array:
    """The parts of columns at right angles to a basis."""
    for _ in range(2):  # a second pass removes the rounding errors of the first
        columns = columns - basis @ (basis.T @ columns)
    return columns


def null_space(found: QuantityValues, columns: Sequence[int]) -> Null:
    """Conserved combinations of these columns. Each has its own leading column, and the simplest come first.

    With B = QR over the centred columns, Ḃ R⁻¹ y is the rate of a combination of unit variation: it is
    small only if the combination changes little relative to its size.
    """
    columns = tuple(columns)
    weight = 1.0 / np.maximum(np.sqrt((found.size[:, columns] ** 2).mean(axis=1, keepdims=True)), 1e-300)
    values = found.value[:, columns] - found.value[:, columns].mean(axis=0)
    scale = np.linalg.norm(values, axis=0)
    R: Array = np.linalg.qr(values / scale)[1]
    rate = np.linalg.solve(R.T, (found.rate[:, columns] * weight / scale).T).T
    size = float(np.sqrt((((found.size[:, columns] * weight) / scale) ** 2).mean()))
    s, vectors = null_vectors(rate / (size * np.sqrt(len(rate))))
    vanishing = s < VANISHES
    below, above = float(s[vanishing].max(initial=0.0)), float(s[~vanishing].min(initial=np.inf))
    rows = np.linalg.solve(R, vectors.T).T
    rows = rows / np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)
    return Null(columns, scale, reduced(rows), below, above)


def null_vectors(matrix: Array) -> tuple[Array, Array]:
    """A singular value for every column, and the right singular vectors of those that vanish, as rows.

    Most often none vanishes. Vectors cost several times as much as values.
    """
    rows, columns = matrix.shape
    matrix = np.linalg.qr(matrix)[1] if rows > columns else matrix
    s = np.zeros(columns)
    s[: min(matrix.shape)] = np.linalg.svd(matrix, compute_uv=False)
    if s.min(initial=np.inf) >= VANISHES:
        return s, np.zeros((0, columns))
    s[: min(matrix.shape)], Vt = np.linalg.svd(matrix)[1:]
    return s, Vt[s < VANISHES]


def reduced(rows: Array) -> Array:
    """The reduced echelon form: every row has a leading column in which the other rows are zero."""
    rows = rows.copy()
    done = 0
    for column in range(rows.shape[1]):
        if done == len(rows):
            break
        best = done + int(np.abs(rows[done:, column]).argmax())
        if not abs(rows[best, column]) > ENTRY * max(1.0, np.abs(rows[best]).max()):
            rows[done:, column] = 0.0
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        others = [i for i in range(len(rows)) if i != done]
        rows[others] -= np.outer(rows[others, column], rows[done])
        done += 1
    rows[np.abs(rows) < ENTRY * np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)] = 0.0
    return rows


def beside(rows: Array, known: Array) -> Array:
    """The part of the span of `rows` that is new compared with the span of `known`, which lies in it."""
    if not len(known):
        return rows
    known = reduced(known)
    known = known[np.abs(known).max(axis=1) > ENTRY]
    rest = rows.copy()
    for row in known:
        lead = int(np.flatnonzero(row)[0])
        rest -= np.outer(rest[:, lead] / row[lead], row)
    size = np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)
    rest = reduced(np.where(np.abs(rest) < ENTRY * size, 0.0, rest))
    return rest[np.abs(rest).max(axis=1, initial=0.0) > ENTRY]


def coordinates(found: QuantityValues, null: Null, functions: Array) -> Array:
    """The combinations of the columns that equal `functions` (states × functions) up to constants, if any."""
    values = found.value[:, null.columns]
    centred = (values - values.mean(axis=0)) / null.scale
    goal = functions - functions.mean(axis=0)
    size = np.linalg.norm(goal, axis=0)
    goal = goal[:, size > 0] / size[size > 0]
    rows = np.linalg.lstsq(centred, goal, rcond=None)[0]
    inside = np.linalg.norm(goal - centred @ rows, axis=0) < 1e-8
    return rows.T[inside]
