"""Accelerations by another method: the whole system of equations, scaled, with residuals in extended precision."""

from __future__ import annotations

import numpy as np


def accelerations(system, x):
    """a of D a = d + Aᵀ ν, A a = b; redundant rows by least squares."""
    D, d, A, b, _ = system.unpacked(system.dynamics(x))
    n, m = len(d), len(b)
    s = 1.0 / np.sqrt(np.where(np.diag(D) > 0, np.diag(D), 1.0))
    r = 1.0 / np.where(np.abs(A * s).max(axis=1, initial=0.0) > 0, np.abs(A * s).max(axis=1, initial=0.0), 1.0)
    rows = r[:, None] * A * s
    K = np.block([[D * np.outer(s, s), -rows.T], [rows, np.zeros((m, m))]])
    right = np.concatenate([s * d, r * b])
    inverse = np.linalg.pinv(K, rcond=1e-11)
    found = np.zeros(n + m, dtype=np.longdouble)
    for _ in range(4):
        found = found + inverse @ np.asarray(right - K.astype(np.longdouble) @ found, dtype=float)
    return s * np.asarray(found[:n], dtype=float)
