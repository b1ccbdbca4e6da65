"""The generalized reaction of every constraint, regarded as the control force that maintains it.

    M q̈ + h = Q + Σ Q^c                     WangGao (1)
Q^c_i = R_i ν_i + rest_i + E_i q̈       rest and E are zero except for a vakonomic motion: λ (f_q − d/dt f_q̇) − λ̇ f_q̇
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.motions.kinked import kinked
from dalembert.programs.system import CompiledSystem

RANK = 1e-9  # of the largest singular value, below which one counts as zero


def generalized_reactions(system: CompiledSystem, X: np.ndarray, a: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """The reactions at every row of X, with accelerations a and multipliers ν: samples × multipliers × coordinates."""
    n, named = system.n, len(system.multiplier_names)
    R = system.unpacked(system.dynamics(X))[4][:, :, :named]
    kinks = kinked(system)
    if kinks is not None and system.equations.R is None:
        from dalembert.motions.corners import rows_between  # which few motions need

        R = np.swapaxes(rows_between(system, kinks, X, a, nu), 1, 2)[:, :, :named]
    found = np.swapaxes(R * nu[:, None, :named], 1, 2)
    if not named or (system.equations.reaction_rest is None and system.equations.reaction_slope is None):
        return found
    parts = system.reaction_parts(X)
    rest = parts[:, : n * named].reshape(-1, n, named)
    slope = parts[:, n * named :].reshape(-1, named, n, n)
    return found + np.swapaxes(rest, 1, 2) + np.einsum("sijk,sk->sij", slope, a)


def released(system: CompiledSystem, X: np.ndarray, a: np.ndarray, asked: Sequence[int]) -> np.ndarray | None:
    """Multipliers σ of the constraints asked for alone: samples × asked. The others are absorbed (Sun, group I).

        A_o N = 0,   (A_s N)ᵀ σ = Nᵀ(D a − d)
    N spans the motions that the other rows o leave free; the requested rows s are released. The matrix has a column for
    each of them and no more. None if the requested rows depend on the others: then no such σ is determined.
    """
    others = [i for i in range(system.m) if i not in asked]
    found = []
    for x, acceleration in zip(X, a, strict=True):
        D, d, A, _, _ = system.unpacked(system.dynamics(x))
        _, sizes, rows = np.linalg.svd(A[others]) if others else (None, np.zeros(0), np.eye(system.n))
        N = rows[np.count_nonzero(sizes > RANK * sizes.max(initial=0.0)) :].T
        matrix = (A[list(asked)] @ N).T
        sigma, _, rank, _ = np.linalg.lstsq(matrix, N.T @ (D @ acceleration - d), rcond=RANK)
        if rank < len(asked):
            return None
        found.append(sigma)
    return np.array(found)
