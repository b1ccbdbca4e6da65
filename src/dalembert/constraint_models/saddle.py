"""The whole system K [a; ν] = [d; b], K = [D −R; A 0], at given states: its ranks and null vectors as numbers.

    left null vectors  ℓ = (y, −μ):  yᵀD = μᵀA, yᵀR = 0      ℓ·[d; b] ≠ 0 is a contradiction at that state
    right null vectors (δa, δν):     D δa = R δν, A δa = 0    δa ≠ 0 is an acceleration that nothing determines

D is never inverted, so that a singular inertia needs no special case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.programs.system import CompiledSystem

LITTLE = 1e-3  # smaller accelerations are compared with this one
SMALL = 1e-9  # relative zero of a system that is scaled to largest entries of 1


@dataclass(frozen=True, slots=True)
class Saddle:
    """K and its right side at one state. The null vectors of the unscaled K are rows."""

    n: int
    K: np.ndarray
    right: np.ndarray
    rank: int
    left_null: np.ndarray
    right_null: np.ndarray

    @property
    def regular(self) -> bool:
        """Square and of full rank."""
        return self.K.shape[0] == self.K.shape[1] == self.rank

    @property
    def contradictions(self) -> np.ndarray:
        """ℓ·[d; b] for every left null vector, relative to its terms or to those of an acceleration LITTLE."""
        rows = np.maximum(np.abs(self.right), LITTLE * np.abs(self.K).max(axis=1, initial=0.0))
        terms = np.abs(self.left_null) @ rows
        return self.left_null @ self.right / np.where(terms > 0, terms, 1.0)

    @property
    def free_accelerations(self) -> np.ndarray:
        """An orthonormal basis of the undetermined accelerations, as rows."""
        parts = self.right_null[:, : self.n]
        if not parts.size:
            return parts
        _, sizes, directions = np.linalg.svd(parts)
        return directions[: int((sizes > SMALL).sum())]


def saddle(system: CompiledSystem, x: np.ndarray) -> Saddle:
    """K at the state x."""
    D, d, A, b, R = system.unpacked(system.dynamics(x))
    n, m, s = system.n, system.m, R.shape[1]
    K = np.zeros((n + m, n + s))
    K[:n, :n], K[:n, n:], K[n:, :n] = D, -R, A
    rows = _largest(K, 1)
    columns = _largest(K / rows[:, None], 0)
    U, sizes, V = np.linalg.svd(K / rows[:, None] / columns)
    rank = int((sizes > SMALL * max(sizes.max(initial=0.0), 1.0)).sum())
    left, right = U[:, rank:].T / rows, V[rank:] / columns
    return Saddle(n, K, np.concatenate([d, b]), rank, _unit(left), _unit(right))


def _largest(K: np.ndarray, axis: int) -> np.ndarray:
    scale = np.abs(K).max(axis=axis, initial=0.0)
    return np.where(scale > 0, scale, 1.0)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if rows.size else rows
