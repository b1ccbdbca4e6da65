"""Compiled functions as parts of an entry."""

from __future__ import annotations

import numpy as np

from dalembert.simulate.parts import entry, part, stamp


@part
def square(x):
    return x * x


@part
def add_squares(values, out):
    for i in range(values.shape[0]):
        out[0] += square(values[i])


@part
def add_half_squares(values, out):
    for i in range(values.shape[0]):
        out[0] += 0.5 * square(values[i])


@entry
def total(values, out, most):
    for _ in range(most):
        add_squares(values, out)
        add_half_squares(values, out)
    return out[0]


def test_an_entry_has_the_parts_of_its_parts() -> None:
    assert total(np.array([1.0, 2.0, 3.0]), np.zeros(1), 2) == 2 * 1.5 * 14


def test_an_entry_takes_further_types() -> None:
    assert total(np.array([1, 2, 3]), np.zeros(1), 1) == 1.5 * 14


def test_a_stamp_changes_with_the_files(tmp_path) -> None:
    first, second = (type(np)(name) for name in ("first", "second"))
    for module in (first, second):
        module.__file__ = str(tmp_path / module.__name__)
        (tmp_path / module.__name__).write_text("a = 1")
    before = stamp(first, second)
    assert before == stamp(first, second) >= 0
    (tmp_path / "second").write_text("a = 2")
    assert stamp(first, second) != before
