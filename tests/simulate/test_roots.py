"""Isolation of roots: every crossing, no grazing, and none that belongs to the past."""

import numpy as np
import pytest

from dalembert.simulate.roots import NODES, PLACES, isolate


def brackets(f, deflate=False):
    found = np.zeros((NODES, 3))
    count = isolate(np.array([f(s) for s in PLACES]), deflate, np.zeros((80, NODES + 2)), found)
    return found[:count, :2]


@pytest.mark.parametrize("roots", [[0.5], [0.2, 0.7], [0.3, 0.3001], [0.1, 0.11, 0.12, 0.9], [0.4, 0.4 + 1e-6]])
def test_every_root_has_its_bracket(roots):
    found = brackets(lambda s: np.prod([s - r for r in roots]))
    assert len(found) == len(roots)
    for r, (a, b) in zip(roots, found, strict=True):
        assert a <= r <= b


def test_grazing_is_no_crossing():
    for a, b in brackets(lambda s: (s - 0.37) ** 2):  # rounding may bracket it: the guard itself then has one sign
        assert (a - 0.37) ** 2 >= 0 and (b - 0.37) ** 2 >= 0 and b - a < 1e-5
    assert len(brackets(lambda s: (s - 0.37) ** 2 + 1e-9)) == 0
    assert len(brackets(lambda s: (s - 0.37) ** 3)) == 1


def test_the_root_at_the_start_is_divided_out():
    assert len(brackets(lambda s: s * (1 - s * 4), deflate=True)) == 1
    assert len(brackets(lambda s: 1e-17 + s * (2 - s), deflate=True)) == 0
    assert len(brackets(lambda s: -1e-17 + s * (2 - s), deflate=True)) == 0
    assert len(brackets(lambda s: np.cos(s) - 1, deflate=True)) == 0
