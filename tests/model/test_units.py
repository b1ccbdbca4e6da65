"""Units: read, converted, refused with a suggestion, used in answers; inconsistent dimensions."""

from __future__ import annotations

import csv
import json
import math

import pytest

import dalembert as da
from dalembert.collection import names, text
from dalembert.errors import ModelError
from dalembert.model.change import with_settings
from dalembert.model.read import read_text
from dalembert.model.units import PLAIN, unit
from dalembert.model.values import initial_values
from dalembert.model.write import write_text

PENDULUM = """
title = "pendulum"
[parameters]
m = { value = 500, unit = "g", min = 100, max = 900 }
l = { value = 40, unit = "cm" }
half = { value = "l/2", unit = "cm" }
g = { value = 9.81, unit = "m/s^2" }
[coordinates]
theta = { initial = 30, speed = 60, unit = "deg" }
[energy]
kinetic = "m*l^2*theta'^2/2"
potential = "-m*g*l*cos(theta)"
[definitions]
height = "l - l*cos(theta)"
[simulation]
duration = 1
"""


def test_values_are_read_in_their_unit_and_computed_in_si():
    values = initial_values(read_text(PENDULUM))
    assert values.parameters == pytest.approx({"m": 0.5, "l": 0.4, "half": 0.2, "g": 9.81}, rel=1e-15)
    assert values.coordinates["theta"] == pytest.approx(math.pi / 6, rel=1e-15)
    assert values.speeds["theta"] == pytest.approx(math.pi / 3, rel=1e-15)
    changed = initial_values(with_settings(read_text(PENDULUM), {"theta": 90, "m": "200", "theta'": "45"}))
    assert changed.coordinates["theta"] == pytest.approx(math.pi / 2)
    assert changed.speeds["theta"] == pytest.approx(math.pi / 4) and changed.parameters["m"] == pytest.approx(0.2)


def test_answers_are_in_the_unit(tmp_path):
    model = da.Model.of(read_text(PENDULUM))
    plain = -9.81 / 0.4 * math.sin(math.pi / 6)
    state = model.solve()
    answer = state.to_dict()
    assert answer["units"] == {"theta": "deg"}
    assert answer["coordinates"]["theta"] == pytest.approx(30) and answer["speeds"]["theta"] == pytest.approx(60)
    assert answer["accelerations"]["theta"] == pytest.approx(math.degrees(plain))
    assert state.accelerations["theta"] == pytest.approx(plain)
    assert "theta [deg]" in str(state) and "30 " in str(state)
    motion = model.simulate(samples=5)
    told = motion.to_dict()
    assert told["units"] == {"theta": "deg"} and told["coordinates"]["theta"][0] == pytest.approx(30)
    assert motion["theta'"][0] == pytest.approx(60) and motion.coordinates["theta"][0] == pytest.approx(math.pi / 6)
    assert motion.to_xarray()["theta"].attrs["units"] == "deg"
    motion.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        head, first, *_ = csv.reader(file)
    assert head[:4] == ["t", "theta [deg]", "theta' [deg/s]", "theta'' [deg/s^2]"]
    assert float(first[1]) == pytest.approx(30)
    motion.save(tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text())["coordinates"]["theta"][0] == pytest.approx(30)
    dense = model.simulate(samples=5, dense=True)
    assert dense.at(0.0)["theta"] == pytest.approx(30)


def test_the_page_and_the_plot_are_drawn_from_the_same_motion():
    motion = da.Model.of(read_text(PENDULUM)).simulate(samples=5)
    lines = [line for axes in motion.plot().axes for line in axes.get_lines()]
    assert any(line.get_ydata()[0] == pytest.approx(30) for line in lines)


def test_corrections_are_told_in_the_unit():
    text = PENDULUM + '[constraints]\nstop = "theta = 1"\n'
    state = da.Model.of(read_text(text.replace("g = { value", "z = 0\ng = { value"))).solve()
    assert state.corrections[0]["given"] == pytest.approx(30)
    assert state.corrections[0]["used"] == pytest.approx(math.degrees(1))


def test_saved_as_stated():
    model = read_text(PENDULUM)
    assert 'unit = "deg"' in write_text(model) and "30" in write_text(model)
    assert read_text(write_text(model)) == model
    assert da.Model.of(model).record == model


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("degr", "did you mean deg?"),
        ("metre s", ""),
        ("meterr", "did you mean meter?"),
        ("Nm", "write N m"),
        ("m)", "is not known"),
        ("__import__('os')", "is not known"),
        ("9^9^9^9", "is not known"),
        ("m^(9^9^9)", "is not known"),
        ("1000000000^100 m", "is not known"),
        ("degC", "has an offset"),
    ],
)
def test_units_that_are_not_known(stated, words):
    text = PENDULUM.replace('"deg"', json.dumps(stated)).replace("[definitions]", "[definitions]\nnone = 1")
    if not words:
        with pytest.raises(ModelError):  # a length times a time: known, but no angle
            read_text(text)
        return
    with pytest.raises(ModelError, match=r"\[coordinates\] theta: ") as caught:
        read_text(text)
    assert words in str(caught.value)


def test_units_of_joints():
    text = """
[bodies.arm]
mass = 1
inertia = [0, 1, 0]
[joints.j]
type = "revolute"
parent = "ground"
child = "arm"
axis = "y"
coordinate = { name = "q", initial = 90, speed = 1, unit = "UNIT" }
"""
    model = read_text(text.replace("UNIT", "deg"))
    assert initial_values(model).coordinates["q"] == pytest.approx(math.pi / 2)
    assert da.Model.of(model).solve().to_dict()["coordinates"]["q"] == pytest.approx(90)
    with pytest.raises(
        ModelError, match=r"\[joints.j\] coordinate: the unit 'dgree' is not known; did you mean degree"
    ):
        read_text(text.replace("UNIT", "dgree"))


@pytest.mark.parametrize(
    ("addition", "place", "words"),
    [
        ('[definitions]\nd = "m + l"', "[definitions] d", "m is in kg and l in m"),
        ('[definitions]\nd = "sin(l)"', "[definitions] d", "sin takes a plain number"),
        ('[definitions]\nd = "l^m"', "[definitions] d", "an exponent takes"),
        ('[definitions]\nd = "l*theta\'"\ne = "d + g"', "[definitions] e", "d is in m/s and g in m/s^2"),
        ('[definitions]\nd = "atan2(l, m)"', "[definitions] d", "kg"),
        ('[definitions]\nd = "max(l, t)"', "[definitions] d", "l is in m and t in s"),
        ('[constraints]\nc = "l*theta = m"', "[constraints] c", "both sides of an equation"),
        ('[bodies.b]\nmass = "l"\nposition = ["l*theta", 0, 0]', "[bodies.b] mass", "l is in m, and kg is expected"),
        ('[bodies.b]\nmass = "m"\nposition = ["theta", 0, 0]', "[bodies.b] position", "a plain number, and m"),
        ('[bodies.b]\nmass = "m"\nposition = ["l*theta", 0, 0]\ninertia = ["m*l^2", "m*l", 1]', "inertia", "kg m^2"),
        (
            '[forces.f]\nbody = "b"\nforce = ["m*l", 0, 0]\n[bodies.b]\nmass = "m"\nposition = ["l", 0, 0]',
            "force",
            "N is",
        ),
    ],
)
def test_dimensions_that_do_not_fit(addition, place, words):
    with pytest.raises(ModelError) as caught:
        read_text(
            PENDULUM.replace("[definitions]\n", "[definitions]\nzero = 0\n", 1)
            .replace("height", "height0")
            .replace('[definitions]\nzero = 0\nheight0 = "l - l*cos(theta)"\n', "")
            + addition
        )
    assert place in str(caught.value) and words in str(caught.value)


def test_what_has_no_unit_is_not_judged():
    free = PENDULUM + '[forces.f]\ngeneralized = { theta = "9.81*m + l + k*theta" }\n'
    read_text(free.replace("[parameters]", "[parameters]\nk = 2"))
    read_text(PENDULUM.replace('height = "l - l*cos(theta)"', 'height = "l + 1 + 0.5*l"'))
    read_text(PENDULUM.replace('height = "l - l*cos(theta)"', 'height = "l*sin(2*t) + l - 3*t + cos(2*l)*l"'))


def test_a_value_of_another_dimension_than_its_unit():
    with pytest.raises(ModelError, match=r"\[parameters\] half, column 1: l/2 is in m, and kg is expected"):
        read_text(PENDULUM.replace('{ value = "l/2", unit = "cm" }', '{ value = "l/2", unit = "g" }'))


def test_the_plain_units_are_pints():
    for stated, dimension in PLAIN.items():
        if stated:
            PLAIN_UNIT = unit.__wrapped__
            assert _by_pint(stated, PLAIN_UNIT) == (1.0, 0.0, dimension), stated


def _by_pint(stated, read):
    found = read(f"({stated})")
    return found.factor, found.offset, found.dimension


def test_every_model_of_the_gallery_has_units_that_fit():
    for name in names():
        read_text(text(name))
