"""Compiled functions as parts of an entry."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from dalembert.simulate import dop853, ensemble, hybrid, lanes_loop, parts
from dalembert.simulate.parts import entry, part


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


@pytest.mark.parametrize(
    ("module", "changed", "counts"),
    [
        (hybrid, "table", True),  # numbers that are compiled in
        (hybrid, "impacts", True),
        (ensemble, "complementarity", True),
        (lanes_loop, "tableau", True),
        (dop853, "pivoting", True),
        (dop853, "contacts", False),
    ],
)
def test_the_stamp_follows_imports(tmp_path, monkeypatch, module, changed, counts) -> None:
    """Machine code in the cache is made again when anything that went into it has changed."""
    shutil.copytree(Path(parts.__file__).parent, tmp_path / "simulate", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(parts, "__file__", str(tmp_path / "simulate" / "parts.py"))
    before = parts.stamp(module)
    with (tmp_path / "simulate" / f"{changed}.py").open("a") as file:
        file.write("# changed\n")
    assert (parts.stamp(module) != before) is counts
