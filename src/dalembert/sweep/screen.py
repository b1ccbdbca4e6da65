"""Vectorized tests that find every start which needs closer examination than compiled code gives.

A failed test only means that the reference engine starts the motion. It decides and words the reason.
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.initial import SAME
from dalembert.programs.system import CompiledSystem

SINGULAR = 1e-8  # a hundred times the limit of the reference engine


def moved(before: np.ndarray, after: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The rows in which a start was corrected, in the columns that count."""
    changed = np.abs(before - after) > SAME * np.maximum(1.0, np.abs(before))
    return np.asarray((changed & counts).any(axis=1))


def nearly_singular(system: CompiledSystem, X: np.ndarray) -> np.ndarray:
    """The states at which [D −R; A 0], with scaled rows and columns, is singular, nearly singular, or not finite."""
    D, _, A, _, R = system.unpacked(system.dynamics(X))
    n, m, s = system.n, system.m, R.shape[2]
    if m != s:
        return np.ones(len(X), bool)
    K = np.zeros((len(X), n + m, n + m))
    K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = D, -R, A
    wrong = ~np.isfinite(K).all(axis=(1, 2))
    K[wrong] = np.eye(n + m)
    for axis in (2, 1):
        size = np.abs(K).max(axis=axis, keepdims=True)
        K = K / np.where(size > 0, size, 1.0)
    sizes = np.linalg.svd(K, compute_uv=False)
    return np.asarray(wrong | ~(sizes[:, -1] > SINGULAR * np.maximum(sizes[:, 0], 1.0)))
