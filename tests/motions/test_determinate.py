"""Which sums of shared forces are determinate."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.motions.determinate import combinations, shared, told


def test_two_feet_share_a_load_along_the_ground() -> None:
    null = np.array([[0.0, 0.0, 1.0, -1.0]]) / np.sqrt(2.0)  # if one foot pulls more, the other pulls less
    assert shared(null) == [2, 3]
    assert combinations(null) == [pytest.approx({2: 1.0, 3: 1.0})]
    assert told(null, ["left", "right", "left.slip", "right.slip"]) == (
        "The forces left.slip, right.slip share a load, and many sets of them fit; the one of least norm inside all "
        "cones is given; determinate is left.slip + right.slip.",
    )


def test_every_combination_found_is_orthogonal_to_the_null_vectors_and_none_is_missing() -> None:
    random = np.random.default_rng(3)
    for count in range(1, 5):
        null = np.linalg.qr(random.normal(size=(6, count)))[0].T
        found = combinations(null)
        assert len(found) == 6 - count
        rows = np.array([[one.get(i, 0.0) for i in range(6)] for one in found])
        assert np.linalg.matrix_rank(rows) == 6 - count and np.abs(rows @ null.T).max() < 1e-9


def test_what_is_determinate_by_itself_is_not_told() -> None:
    assert told(np.zeros((0, 3)), ["a", "b", "c"]) == ()
