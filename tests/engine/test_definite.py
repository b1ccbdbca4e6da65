"""Large definite matrices by blocks (engine/definite.hpp): the same bits by the code of every kind of processor."""

from __future__ import annotations

import ctypes as c
from typing import Any

import numpy as np
import pytest

import dalembert as da
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


def chain(n: int) -> tuple[da.Model, list[Any]]:
    """A pendulum of n links, and its angles."""
    model, x, y, angles = da.Model(f"{n} links"), 0, 0, []
    model.gravity([0, -9.81, 0])
    for i in range(n):
        q = model.coordinate(f"q{i}", initial=0.6 - 0.4 * i / n)
        x, y = x + da.sin(q), y - da.cos(q)
        model.body(f"mass{i}", mass=1, position=[x, y, 0])
        angles.append(q)
    return model, angles


@pytest.mark.parametrize("n", [13, 16])
def test_a_long_chain_moves_the_same_alone_and_in_a_sweep(n: int) -> None:
    model, names = chain(n)[0], ["q0", f"q{n - 1}"]
    swept = model.sweep({"q0": "0.5,0.6,0.7"}, record=[f"final {name}" for name in names], until=1.0, threads=2)
    for row, angle in enumerate((0.5, 0.6, 0.7)):
        alone = model.changed({"q0": angle}).simulate(at=[1.0]).coordinates
        assert [alone[name][-1] for name in names] == [swept[f"final {name}"].values[row] for name in names]


def test_accelerations_of_a_long_chain_satisfy_their_equations() -> None:
    """Without rows, and with one that leaves fourteen of fifteen accelerations independent."""
    for held in (False, True):
        model, angles = chain(15)
        if held:
            model.constraint(
                "level", sum(da.cos(q) for q in angles), sum(np.cos(0.6 - 0.4 * i / 15) for i in range(15))
            )
        run, q, v = model.prepare(), [0.6 - 0.4 * i / 15 for i in range(15)], np.zeros(15)
        found = model.solve().accelerations
        a = np.array([found[f"q{i}"] for i in range(15)])
        left, A = run.M(q) @ a + run.h(q, v), run.A(q, v)
        scale = np.abs(run.M(q)) @ np.abs(a) + np.abs(run.h(q, v))
        assert A.shape == (int(held), 15)
        assert np.allclose(A @ a, run.b(q, v), atol=1e-12 * np.abs(a).max())
        multipliers = np.linalg.lstsq(A.T, left, rcond=None)[0]
        assert (np.abs(left - A.T @ multipliers) <= 1e-12 * scale.max()).all()
