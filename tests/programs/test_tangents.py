"""Derivatives of programs, against differences, for every operation."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.programs.evaluate import values_of
from dalembert.programs.maker import Maker
from dalembert.programs.program import FUNCTIONS
from dalembert.programs.tangents import swept, tangents

ONE = [kind for kind in (*FUNCTIONS, "sqrt", "abs", "neg", "sign") if kind != "atan2"]
TWO = ["add", "sub", "mul", "div", "atan2", "pow", "min", "max"]


def compared(kind: str, x: list[float]) -> None:
    """A product with the operation, to test the chain rule as well."""
    m = Maker([f"x{i}" for i in range(len(x))])
    places = [m.input(i) for i in range(len(x))]
    inner = [m.mul(place, places[-1]) for place in places[:-1]]
    program = m.program([m.mul(m.made(kind, inner), places[0])])
    w = Maker(program.inputs)
    inputs = [w.input(i) for i in range(len(x))]
    (column,) = tangents(w, program, inputs, {i: {i: w.number(1.0)} for i in range(len(x))})
    found = values_of(w.program([column.get(i, w.number(0.0)) for i in range(len(x))]), np.array(x))
    values, slopes = swept(program, np.array(x), range(len(x)))
    assert [values[place] for place in program.outputs] == values_of(program, np.array(x)).tolist()
    assert slopes[0] == pytest.approx(found, rel=1e-14, abs=1e-14)
    h = 1e-4
    for i in range(len(x)):
        e = h * np.eye(len(x))[i]
        pairs = [values_of(program, x + k * e)[0] - values_of(program, x - k * e)[0] for k in (1, 2, 3)]
        assert found[i] == pytest.approx((45 * pairs[0] - 9 * pairs[1] + pairs[2]) / (60 * h), abs=1e-8), (kind, i)


@pytest.mark.parametrize("kind", ONE)
def test_functions(kind):
    compared(kind, [1.3, 1.1] if kind == "acosh" else [0.4, 1.2])


@pytest.mark.parametrize("kind", TWO)
def test_two_arguments(kind):
    compared(kind, [0.7, 0.4, 1.2])
    compared(kind, [0.4, 0.7, 1.2])


def test_sides():
    """A choice has the derivative of the chosen side."""
    m = Maker(["x"])
    x = m.input(0)
    program = m.program([m.select(m.compare("lt", x, m.number(1.0)), m.mul(x, x), m.mul(m.number(3.0), x))])
    w = Maker(program.inputs)
    (column,) = tangents(w, program, [w.input(0)], {0: {0: w.number(1.0)}})
    slope = w.program([column[0]])
    assert values_of(slope, np.array([0.5]))[0] == 1.0
    assert values_of(slope, np.array([1.5]))[0] == 3.0
    assert [swept(program, np.array([x]), [0])[1].item() for x in (0.5, 1.5)] == [1.0, 3.0]


def test_only_what_is_asked_for_is_swept():
    """Inputs that do not vary have no column, and an output that holds none of the others has zeros."""
    m = Maker(["x", "y", "z"])
    x, y, z = (m.input(i) for i in range(3))
    program = m.program([m.mul(x, y), m.sub(m.number(2.0), z), m.number(1.0), m.div(y, x)])
    assert swept(program, np.array([2.0, 3.0, 5.0]), [2, 0])[1].tolist() == [[0, 3], [-1, 0], [0, 0], [0, -0.75]]
    assert swept(program, np.array([2.0, 3.0, 5.0]), [])[1].shape == (4, 0)
