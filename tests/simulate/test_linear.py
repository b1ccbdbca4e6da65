"""Solving with positive definite matrices, without pivots."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.simulate.linear import definite


def lower(M: np.ndarray) -> np.ndarray:
    """What the solver may look at; the rest is none of its business."""
    return np.where(np.tri(len(M), dtype=bool), M, 1e300)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_it_solves(n: int) -> None:
    random = np.random.default_rng(n)
    B = random.normal(size=(n, n))
    M, b = B @ B.T + np.eye(n), random.normal(size=n)
    x = b.copy()
    assert definite(lower(M), x, n)
    np.testing.assert_allclose(M @ x, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "M",
    [
        [[0.0]],
        [[-1.0]],
        [[np.nan]],
        [[np.inf]],
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [[np.inf, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [0.0, -1.0]],
        [[2.0, 1.0, 3.0], [1.0, 1.0, 2.0], [3.0, 2.0, 5.0]],
    ],
)
def test_it_refuses_what_is_not_definite(M: list[list[float]]) -> None:
    assert not definite(lower(np.array(M)), np.ones(len(M)), len(M))


def test_it_takes_small_matrices_with_the_rest() -> None:
    """Against their own diagonal pivots are large, whatever their units."""
    x = np.array([1.0, 1.0])
    assert definite(np.array([[1e-20, 0.0], [0.0, 1e20]]), x, 2)
    np.testing.assert_allclose(x, [1e20, 1e-20])
