"""Eigenvalues of matrices with structure: exact zeros stay exact, and small eigenvalues are not rounded to zero."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.analysis.linear.spectrum import blocks, cleaned, eigenvalues


def test_defective_zeros_are_exact() -> None:
    """x runs with u, u with w, next to an oscillator. Rounding between them would turn the zeros into pairs ±1e-8."""
    M = np.zeros((5, 5))
    M[0, 1] = M[1, 2] = 1.0
    M[3, 4], M[4, 3], M[2, 3] = 1.0, -9.0, 1.0
    M[2, 0] = 3e-17
    M[4, 0] = 1e-16
    found = eigenvalues(M)
    assert found.tolist().count(0) == 3
    assert sorted(found.imag) == pytest.approx([-3, 0, 0, 0, 3])


def test_weak_damping_of_a_stiff_spring_is_no_rounding() -> None:
    found = eigenvalues(np.array([[0.0, 1.0], [-1e16, -1.0]]))
    assert found.real == pytest.approx([-0.5, -0.5], rel=1e-6)
    assert abs(found.imag) == pytest.approx([1e8, 1e8])


def test_units_do_not_matter() -> None:
    generator = np.random.default_rng(1)
    M = generator.normal(size=(6, 6))
    scale = 10.0 ** generator.integers(-6, 7, size=6)
    assert eigenvalues(M * scale / scale[:, None]) == pytest.approx(eigenvalues(M), rel=1e-9)


def test_blocks_are_sets_that_influence_each_other() -> None:
    M = np.zeros((4, 4))
    M[0, 2] = M[2, 0] = M[1, 0] = 1.0
    assert blocks(M) == [[0, 2], [1], [3]]


def test_those_that_grow_fastest_come_first() -> None:
    M = np.diag([-3.0, 2.0, 0.0, 0.0])
    M[2, 3], M[3, 2] = 5.0, -5.0
    assert eigenvalues(M).tolist() == pytest.approx([2, 5j, -5j, -3])


def test_no_states() -> None:
    assert not len(eigenvalues(np.zeros((0, 0))))
    assert cleaned(np.zeros((0, 0)))[0].shape == (0, 0)
