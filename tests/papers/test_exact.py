"""Exact values at a state: Sun's fractions, the smallest multipliers of redundant rows, and refusals."""

from __future__ import annotations

import json

import pytest
import symengine as se

from dalembert import collection
from dalembert.api.exact import solve_exactly
from dalembert.cli.main import run
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.change import with_settings
from dalembert.model.read import read

g, l, m = se.symbols("g l m")


def test_suns_numbers():
    exact = solve_exactly(read(collection.path("sun-1")))
    assert exact.accelerations["theta1"] == -18 * g / (55 * l)
    assert exact.accelerations["theta2"] == -69 * g / (55 * l)
    assert se.expand(exact.multipliers["YO"] + 27 * se.sqrt(3) * g * m / 110) == 0


def test_redundant_rows_have_the_smallest_multipliers():
    exact = solve_exactly(with_settings(read(collection.path("long-2")), {"q2": "pi/3"}))
    assert exact.multipliers["first_wheel.slip1"] == exact.multipliers["second_wheel.slip1"]
    assert exact.accelerations["q2"] == 0


def test_the_command(capsys):
    assert run(["solve", "sun-2", "--exact", "--json", "--reactions", "XA"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["exact"]["multipliers"] == {"XA": "-23*g*m/110"}
    assert answer["multipliers"]["XA"] == pytest.approx(-23 * 9.81 / 110)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("long-1", "cos"), ("bouncing-ball", "contacts"), ("ackermann-car", "cos"), ("ball-in-bowl", "too long")],
)
def test_where_there_are_none(name, reason):
    with pytest.raises((ModelError, MathematicsError), match=reason):
        solve_exactly(read(collection.path(name)))
