"""Sentences for mistakes that are easily overlooked: notes on a start, and refusals with the value."""

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.cli.commands import app
from dalembert.errors import DalembertError, ModelError
from dalembert.model.read import read_text


def turning(inertia) -> da.Model:
    model = da.Model("body")
    a = model.coordinate("a", initial=1)
    model.body("b", mass=1, position=[0, 0, 0], rotation=[("z", a)], inertia=inertia)
    return model


@pytest.mark.parametrize(
    ("inertia", "told"),
    [
        ([1, 1, 5], True),
        ([1, 1, 2], False),
        ([1, 1, 2.001], True),
        ([0, 0, 5], False),  # the one moment of a motion in the plane
        ([0, 1, 1], False),  # a rod
        ([2, 2, 2, 1.9, 0, 0], True),  # principal moments 0.1, 2 and 3.9
    ],
)
def test_moments_of_no_body_are_remarked(inertia, told) -> None:
    notes = turning(inertia).solve().notes
    assert any("belongs to no body" in note for note in notes) == told


def test_speeds_that_were_chosen_are_told() -> None:
    model = da.Model("chosen")
    x, y, z = model.coordinates("x y z")
    model.energy(kinetic=x.dot**2 + y.dot**2 + z.dot**2)
    model.constraint("sum", x.dot + y.dot + z.dot, 3)
    notes = model.solve(settings={"x'": 1}).notes
    assert any("y' = 1, z' = 1" in note for note in notes)


def test_speeds_that_the_constraints_decide_need_no_note() -> None:
    model = da.Model("decided")
    x, y = model.coordinates("x y")
    model.energy(kinetic=x.dot**2 + y.dot**2)
    model.constraint("same", x.dot - y.dot)
    assert model.solve(settings={"x'": 1}).notes == ()


def test_all_constraints_that_cannot_be_met_together_are_named() -> None:
    model = da.Model("two")
    x, y, z = model.coordinates("x y z")
    model.energy(kinetic=x.dot**2 + y.dot**2 + z.dot**2)
    model.constraint("a", x + y, 1)
    model.constraint("b", x + y, 2)
    model.constraint("c", z, 1)
    with pytest.raises(DalembertError, match="the constraints a and b together"):
        model.solve()


def test_an_equation_by_python_is_told_from_one_of_the_model() -> None:
    model = da.Model("equal")
    x = model.coordinate("x")
    with pytest.raises(ModelError, match="== gives in Python"):
        model.constraint("c", x.dot == 1)


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), [1, 2], (1, 2)])
def test_arrays_are_no_settings(value) -> None:
    model = da.Model("settings")
    x = model.coordinate("x")
    model.energy(kinetic=x.dot**2)
    with pytest.raises(ModelError, match="a number or an expression is expected"):
        model.solve(settings={"x": value})
    assert model.solve(settings={"x": np.array(2.0)}).coordinates["x"] == 2


def test_letters_are_shown_as_letters() -> None:
    with pytest.raises(ModelError, match="∆ was met") as caught:
        read_text('[coordinates]\n"∆" = 1\n[energy]\nkinetic = "∆\'^2"\n')
    assert "u2206" not in str(caught.value)


def test_a_number_is_not_said_to_equal_itself() -> None:
    with pytest.raises(ModelError, match=r"mass: -1 was met, and a number of at least 0"):
        read_text('[coordinates]\nx = 1\n[bodies.p]\nmass = -1\nposition = ["x", 0, 0]\n')


def test_two_files_are_refused() -> None:
    found = CliRunner().invoke(app, ["simulate", "simple-pendulum", "-o", "a.csv", "-o", "b.csv"])
    assert found.exit_code == 2
    assert "a.csv and b.csv" in found.output
