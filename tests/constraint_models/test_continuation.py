"""Roots from distant guesses: a fold on the way, a direction without effect, and no root at all."""

import numpy as np
import pytest

from dalembert.constraint_models.continuation import root
from dalembert.errors import MathematicsError


def test_newton_from_nearby():
    found = root(lambda u, _: (np.array([u[0] ** 2 - 2]), np.array([[2 * u[0]]])), np.array([1.0]))
    assert found.hit and found.unknowns[0] == pytest.approx(np.sqrt(2), rel=1e-12)


def test_path_that_turns_back():
    """u³ − 3u + 3 from u = 1.9: between there and the root at −2.1 the function turns twice."""

    def F(u, slopes):
        return np.array([u[0] ** 3 - 3 * u[0] + 3]), np.array([[3 * u[0] ** 2 - 3]])

    found = root(F, np.array([1.9]))
    assert found.hit and found.unknowns[0] == pytest.approx(-2.1038034027355365, rel=1e-9)


def test_directions_on_which_nothing_depends():
    def F(u, slopes):
        r = u @ u
        return np.array([r - 4]), 2 * u[None, :]

    found = root(F, np.array([0.6, 0.8]))
    np.testing.assert_allclose(found.unknowns, [1.2, 1.6], rtol=1e-9)


def test_no_root():
    found = root(lambda u, _: (np.array([1.0 + u[0], 2.0]), np.array([[1.0], [0.0]])), np.array([3.0]))
    assert not found.hit and found.stuck
    found = root(lambda u, _: (np.array([1.0 + u[0] ** 2]), np.array([[2 * u[0]]])), np.array([3.0]))
    assert not found.hit and found.missed == pytest.approx(1.0, abs=0.2)


def test_a_guess_without_a_value():
    def F(u, slopes):
        raise MathematicsError("nothing here")

    assert root(F, np.array([1.0])).missed == np.inf
