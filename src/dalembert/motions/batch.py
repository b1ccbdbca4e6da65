"""Accelerations, multipliers and residuals at many states at once."""

from __future__ import annotations

import numpy as np

from dalembert.motions.accelerations import solve_accelerations
from dalembert.programs.system import CompiledSystem

LEAST_RANK, NO_RANK = 1e-9, 1e-12  # relative to the largest singular value: rank above, rounding below


def accelerations(system: CompiledSystem, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν at every row of X: one batched solve of [D −R; A 0], then single solves for the rows it leaves open."""
    n, m, size = system.n, system.m, system.reactions
    D, d, A, b, R = system.unpacked(system.dynamics(X))
    a, nu = np.zeros((len(X), n)), np.zeros((len(X), size))
    left = np.ones(len(X), bool)
    if m == size:
        K = np.zeros((len(X), n + m, n + m))
        K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = D, -R, A
        scale = np.abs(K).max(axis=2, initial=0.0)
        usable = np.isfinite(K).all(axis=(1, 2)) & (scale > 0).all(axis=1)
        K, right = K[usable] / scale[usable, :, None], np.hstack([d, b])[usable] / scale[usable]
        good, found = _batched(K, right, n)
        usable[usable] = good
        a[usable], nu[usable], left = found[:, :n], found[:, n:], ~usable
    for i in np.flatnonzero(left):
        solution = solve_accelerations(system, X[i])
        a[i], nu[i] = solution.a, solution.multipliers
    return a, nu


def _batched(K: np.ndarray, right: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Solve as many of the systems as possible at once. Return which were solved, and their solutions.

    A regular K has one solution. Redundant rows make K singular. If its rank and consistency are then beyond doubt, and
    no null vector has a part in q̈, q̈ is still unique, and the solution of least norm has the smallest multipliers.
    """
    if not K.shape[1]:
        return np.ones(len(K), bool), right
    good = _surely_regular(K)
    open_ = np.flatnonzero(~good)
    s = np.linalg.svd(K[open_], compute_uv=False)
    good[open_] = s[:, -1] > LEAST_RANK * s[:, 0]
    found = np.zeros_like(right)
    found[good] = np.linalg.solve(K[good], right[good][:, :, None])[:, :, 0]
    rest = open_[s[:, -1] < NO_RANK * s[:, 0]]
    U, s, Vt = np.linalg.svd(K[rest])
    small = s < NO_RANK * s[:, :1]
    clear = (small | (s > LEAST_RANK * s[:, :1])).all(axis=1)
    clear &= np.abs(np.where(small[:, :, None], Vt[:, :, :n], 0.0)).max(axis=(1, 2), initial=0.0) < NO_RANK
    parts = np.einsum("kij,ki->kj", U, right[rest]) / np.where(small, np.inf, s)
    found[rest] = np.einsum("kji,kj->ki", Vt, parts)
    off = np.abs(np.einsum("kij,kj->ki", K[rest], found[rest]) - right[rest]).max(axis=1)
    good[rest] = clear & (off <= NO_RANK * (1.0 + np.abs(right[rest]).max(axis=1)))
    return good, found[good]


def _surely_regular(K: np.ndarray) -> np.ndarray:
    """Which matrices are regular by ‖K‖ ‖K⁻¹‖, which bounds the ratio of the singular values and is cheaper."""
    try:
        inverse = np.linalg.inv(K)
    except np.linalg.LinAlgError:  # one of them has no inverse
        return np.zeros(len(K), bool)
    sizes = [np.sqrt(np.einsum("kij,kij->k", matrix, matrix)) for matrix in (K, inverse)]
    return sizes[0] * sizes[1] < 1.0 / LEAST_RANK


def residuals(system: CompiledSystem, X: np.ndarray) -> dict[str, np.ndarray]:
    """The residual of every constraint as the model states it: φ of holonomic rows, f of the others."""
    rows = system.equations.constraints
    phi = iter(system.position(X)[:, : system.mh].T) if system.mh else iter(())
    psi = system.velocity(X)[:, : system.m].T if system.m else ()
    return {row.name: next(phi) if row.kind == "holonomic" else f for row, f in zip(rows, psi, strict=True)}
