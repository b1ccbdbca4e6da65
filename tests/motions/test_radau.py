"""The implicit stepper: its table against collocation, its accuracy and its number of steps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert.engine import build
from dalembert.model.read import model_of


def table() -> dict[str, np.ndarray]:
    """The numbers of radau_table.hpp by their names."""
    text = (Path(build.__file__).parent / "radau_table.hpp").read_text()
    found = re.findall(r"double (\w+)[^=]*= ([^;]+);", text)
    return {name: np.array([float(x) for x in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", values)]) for name, values in found}


def test_the_table_is_that_of_radau() -> None:
    """A is collocation at the zeros of the derivative of xˢ⁻¹(x − 1)ˢ; T turns its inverse to blocks."""
    t, s = table(), 5
    c, T, TI = t["NODE"], t["T"].reshape(s, s), t["TI"].reshape(s, s)
    powers = np.arange(1, s + 1)
    A = (c[:, None] ** powers / powers) @ np.linalg.inv(c[:, None] ** (powers - 1))
    for k in range(1, 2 * s):  # a quadrature of order 2s − 1
        assert A[-1] @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-13)
    blocks = np.zeros((s, s))
    blocks[0, 0] = t["REAL"][0]
    for p, (re_part, im_part) in enumerate(zip(t["RE"], t["IM"], strict=True)):
        i = 1 + 2 * p
        blocks[i : i + 2, i : i + 2] = [[re_part, -im_part], [im_part, re_part]]
    assert TI @ np.linalg.inv(A) @ T == pytest.approx(blocks, abs=1e-10)
    weights = t["ERROR"] @ A / t["REAL"] + A[-1]
    for k in range(1, s + 1):  # the embedded quadrature, with the weight 1/REAL at 0
        assert weights @ c ** (k - 1) + (k == 1) / t["REAL"][0] == pytest.approx(1 / k, abs=1e-12)
    P, s1 = t["P"].reshape(s - 1, s), 0.37
    basis = np.array([s1 * (1 - s1), s1**2 * (1 - s1), s1**2 * (1 - s1) ** 2, s1**3 * (1 - s1) ** 2])
    for k in powers:  # the interpolant of xᵏ
        assert s1 + basis @ (P @ c**k) == pytest.approx(s1**k, abs=1e-11)


def test_a_stiff_motion_is_followed_by_few_steps() -> None:
    """A soft oscillation and a stiff, damped one, against the matrix exponential."""
    hard, damping = 1e8, 2e4
    model = da.Model.of(
        model_of(
            {
                "coordinates": {"x": {"initial": 0.7, "speed": 0}, "y": {"initial": 0.7, "speed": 0.3}},
                "energy": {
                    "kinetic": "x'^2/2 + y'^2/2",
                    "potential": f"x^2 + {hard!r}/2*(x - y)^2",
                    "dissipation": f"{damping!r}/2*(x' - y')^2",
                },
            }
        )
    )
    K = np.array([[2 + hard, -hard], [-hard, hard]])
    C = damping * np.array([[1.0, -1.0], [-1.0, 1.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]])
    expected = expm(3 * A) @ [0.7, 0.7, 0.0, 0.3]
    run = model.simulate(at=[3.0], until=3.0, stepper="radau")
    assert [run["x"][0], run["y"][0]] == pytest.approx(expected[:2], abs=1e-8)
    assert run.diagnostics.steps < 80
