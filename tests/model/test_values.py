"""Numbers at the start, with rates: against finite differences and known values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.collection import text
from dalembert.errors import ModelError
from dalembert.expressions.parse import parse
from dalembert.model.builder import Builder
from dalembert.model.change import with_settings
from dalembert.model.read import read_text
from dalembert.model.values import Evaluator, at_start, initial_values

MODEL = """
[parameters]
R = 0.5
w = "2*R + pi"
[coordinates]
x = "R^2"
y = 1
a = 0.3
b = 0.7
[speeds]
x = "-w"
a = 2
b = -1.5
[frames]
one = { turn = [["z", "a"], ["x", "b"]] }
two = { from = "one", turn = [[[1, 2, 2], "a*b"]] }
[points]
tip = { from = "p", in = "two", at = ["R", "x", 0.1] }
[bodies.p]
mass = 1
position = ["x", "y", "a*b"]
frame = "two"
[simulation]
start = 0.25
"""


def test_initial_values():
    values = initial_values(read_text(MODEL))
    assert values.parameters == {"R": 0.5, "w": 1 + math.pi}
    assert values.coordinates["x"] == 0.25
    assert values.speeds == {"x": -(1 + math.pi), "y": None, "a": 2.0, "b": -1.5}


@pytest.mark.parametrize(
    "expression",
    [
        "x^3*sin(a)/(1 + b^2) + t^2",
        "exp(-a)*log(y + 1) - sqrt(y + x^2)",
        "atan2(x, y)*tan(b) + asin(x) - acos(x) + atan(a)",
        "sinh(a) + cosh(b)*tanh(x)",
        "abs(-a)^b + max(a, b) - min(a, 2)",
        "dot(tip, world.x) + 2*dot(tip, one.y) - dot(cross(tip, p), two.z)",
        "norm(tip - [1, 0, 0])",
    ],
)
def test_a_prime_is_the_rate(expression):
    model = read_text(MODEL)
    values = initial_values(model)
    rates = {name: speed or 0.0 for name, speed in values.speeds.items()}

    def at(step: float) -> float:
        places = {name: value + step * rates[name] for name, value in values.coordinates.items()}
        evaluator = Evaluator(values.parameters, places, rates, 0.25 + step)
        evaluator.take(model)
        return evaluator.number(parse(expression))

    step = 1e-5
    difference = (at(step) - at(-step)) / (2 * step)
    assert at_start(model).number(parse(f"({expression})'")) == pytest.approx(difference, rel=1e-7, abs=1e-8)


def test_angular_velocity_moves_the_axes():
    start = at_start(read_text(MODEL))
    for axis in "xyz":
        moved = start.vector(parse(f"two.{axis}'"))
        turned = start.vector(parse(f"cross(omega(two), two.{axis})"))
        assert moved == pytest.approx(turned, abs=1e-12)


def test_settings():
    model = read_text(MODEL)
    changed = initial_values(with_settings(model, {"R": 0.3, "a": "pi/6", "y'": "2*R"}))
    assert changed.parameters["w"] == 0.6 + math.pi
    assert changed.coordinates["a"] == math.pi / 6
    assert changed.speeds["y"] == 0.6
    assert initial_values(model).parameters["R"] == 0.5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"Rr": 1}, "did you mean R"),
        ({"z'": 1}, "no parameter, coordinate or speed"),
        ({"R": "1 +"}, "end of the expression"),
        ({"R": float("nan")}, "finite"),
        ({"R": "w"}, "is stated below"),
        ({"R": "__import__('os')"}, "was met"),
        ({"a''": 1}, "no parameter"),
    ],
)
def test_settings_at_fault(settings, words):
    with pytest.raises(ModelError, match=words):
        with_settings(read_text(MODEL), settings)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_axes_stay_orthonormal(a, b, c):
    model = Builder("frame")
    x, y, z = model.coordinates("x y z", x=a, y=b, z=c)
    model.frame("f", [("x", x), ((1, 1, 0), y), ("z", z)])
    model.body("p", 1, [x, y, z])
    start = at_start(model.record)
    for first in "xyz":
        for second in "xyz":
            product = start.number(parse(f"dot(f.{first}, f.{second})"))
            assert product == pytest.approx(float(first == second), abs=1e-12)


@pytest.mark.parametrize("name", ["two-wheeled-cart", "bouncing-ball", "segway", "tippe-top-quaternion"])
def test_a_number_in_place_of_a_value_has_the_same_check_as_an_expression(name: str) -> None:
    """Numbers have a shorter check: that of the start. Texts of the same numbers have the whole one."""
    record = read_text(text(name))

    def found(settings: dict[str, Any]) -> Any:
        try:
            return with_settings(record, settings)
        except ModelError as error:
            return str(error)

    names = [*record.parameters, *record.coordinates, *(f"{q}'" for q in record.coordinates)]
    answers = [found({one: value}) for one in names for value in (0.7, -1.5)]
    assert answers == [found({one: str(value)}) for one in names for value in (0.7, -1.5)]
    assert any(isinstance(answer, str) for answer in answers)  # some are refused
