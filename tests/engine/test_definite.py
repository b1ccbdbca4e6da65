"""Large definite matrices by blocks (engine/definite.hpp): the same bits by the code of every kind of processor."""

from __future__ import annotations

import ctypes as c

import numpy as np
import pytest

from dalembert.engine import interface as engine
from dalembert.engine.library import library

BLOCK = engine.BLOCK
BEST = -1  # the kind of this machine's processor; a kind that it is not is replaced by the best


def solved(M: np.ndarray, b: np.ndarray, kind: int, packed: bool = False) -> np.ndarray | None:
    """x with M x = b, or None if M is not definite. Memory that it must not read is NaN."""
    n = len(b)
    size = -(-n // BLOCK) * BLOCK
    upper, lower, x = np.full((size, size), np.nan), np.full((size, size), np.nan), np.full(size, np.nan)
    i, j = np.triu_indices(n)
    rows = np.concatenate([M[i, j], np.full(n, np.nan)])
    if not packed:
        upper[i, j] = M[i, j]
    x[:n] = b
    given = rows.ctypes.data if packed else None
    equations = engine.Definite(given, upper.ctypes.data, lower.ctypes.data, size, x.ctypes.data, n)
    return x[:n] if library().dalembert_definite(kind, c.byref(equations)) else None


def matrix(n: int, seed: int, widest: float) -> np.ndarray:
    """A symmetric matrix with eigenvalues between 1 and `widest`."""
    chance = np.random.default_rng(seed)
    Q = np.linalg.qr(chance.normal(size=(n, n)))[0]
    return Q * np.geomspace(1.0, widest, n) @ Q.T


@pytest.mark.parametrize("n", [8, 13, 16, 17, 24, 31, 40])
def test_all_kinds_of_processors_give_the_same_bits(n: int) -> None:
    b = np.random.default_rng(n).normal(size=n)
    for seed in range(5):
        M = matrix(n, seed, 1e6)
        best = solved(M, b, BEST)
        assert best is not None
        exact = np.linalg.solve(M, b)
        assert np.linalg.norm(best - exact) <= 1e-9 * np.linalg.norm(exact)  # condition times rounding
        for kind in range(3):
            for packed in (False, True):
                found = solved(M, b, kind, packed)
                assert found is not None and found.tobytes() == best.tobytes()


@pytest.mark.parametrize("n", [13, 16, 30])
def test_matrices_that_are_not_definite_are_refused(n: int) -> None:
    M, b = matrix(n, 1, 100.0), np.ones(n)
    for place in (0, 7, 8, n - 1):
        indefinite = M.copy()
        indefinite[place, place] = -1.0
        assert solved(indefinite, b, BEST) is None
    direction = np.random.default_rng(2).normal(size=n)
    direction /= np.linalg.norm(direction)
    project = np.eye(n) - np.outer(direction, direction)
    assert solved(project @ M @ project, b, BEST) is None  # singular but for rounding
    assert solved(np.where(np.eye(n) > 0, np.nan, M), b, BEST) is None
