"""Vakonomic motions between two configurations, against closed forms."""

import json
from math import acosh, asinh, cos, cosh, pi, sin, sinh, sqrt

import numpy as np
import pytest

from dalembert.api.connect import connect
from dalembert.api.motion import simulate
from dalembert.cli.main import run
from dalembert.errors import MathematicsError, ModelError
from dalembert.model.read import read_text

HEISENBERG = """
[coordinates]
x = 0
y = 0
z = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
[constraints]
area = "z' = (x*y' - y*x')/2"
"""


def test_dido_between_two_points_is_an_arc():
    turning = 1.5
    radius = 1 / (2 * sin(turning / 2))
    area = radius**2 * (turning - sin(turning)) / 2
    found = connect(read_text(HEISENBERG), {"x": 1.0, "y": 0.0, "z": area}, until=2)
    assert found.residual < 1e-9
    assert found.initial_multipliers["area"] == pytest.approx(turning / 2, rel=1e-8)
    assert np.hypot(found.initial_speeds["x"], found.initial_speeds["y"]) == pytest.approx(
        radius * turning / 2, rel=1e-8
    )
    assert found.action == pytest.approx((radius * turning) ** 2 / 4, rel=1e-9)
    np.testing.assert_allclose([found[n][-1] for n in "xyz"], [1, 0, area], atol=1e-9)
    height = radius * cos(turning / 2)  # of the centre over the chord
    np.testing.assert_allclose(np.hypot(found["x"] - 0.5, found["y"] - height), radius, atol=1e-9)


def test_dido_with_free_end_is_a_half_circle():
    found = connect(read_text(HEISENBERG), {"z": 0.5}, until=1)
    assert abs(found.initial_multipliers["area"]) == pytest.approx(pi, rel=1e-8)
    assert np.hypot(found.initial_speeds["x"], found.initial_speeds["y"]) == pytest.approx(sqrt(pi), rel=1e-8)
    assert found.free == ("x", "y")
    assert any(note.startswith("Free at the end: x, y") for note in found.motion.notes)
    lam = found.initial_multipliers["area"]
    p = [found["x'"][-1] + lam * found["y"][-1] / 2, found["y'"][-1] - lam * found["x"][-1] / 2]
    np.testing.assert_allclose(p, 0, atol=1e-8)


def test_dido_back_home_is_a_circle():
    """A member of a family that is turned about the origin: Newton's derivative is singular there."""
    found = connect(read_text(HEISENBERG), {"x": 0, "y": 0, "z": 0.5}, until=1)
    assert abs(found.initial_multipliers["area"]) == pytest.approx(2 * pi, rel=1e-7)
    assert found.action == pytest.approx(pi, rel=1e-8)  # ½ length², π r² = ½


def test_straight_line_without_constraints():
    text = "[coordinates]\nx = 1\ny = 2\n[energy]\nkinetic = \"(x'^2 + 3*y'^2)/2\"\n"
    found = connect(read_text(text), {"x": 3.0, "y": -1.0}, until=2)
    assert found.initial_speeds == pytest.approx({"x": 1, "y": -1.5}, rel=1e-9)
    assert found.action == pytest.approx(2 * (1 + 3 * 2.25) / 2, rel=1e-9)
    assert found.initial_multipliers == {}


def test_great_circle_on_a_holonomic_sphere():
    text = """
    [coordinates]
    x = 1
    y = 0
    z = 0
    [energy]
    kinetic = "(x'^2 + y'^2 + z'^2)/2"
    [constraints]
    sphere = "x^2 + y^2 + z^2 = 1"
    """
    found = connect(read_text(text), {"x": 0.0, "y": "sqrt(1/2)", "z": "sqrt(1/2)"}, until=1)
    assert found.action == pytest.approx(pi**2 / 8, rel=1e-8)
    assert found.initial_speeds == pytest.approx({"x": 0, "y": pi / sqrt(8), "z": pi / sqrt(8)}, abs=1e-8)


def test_catenary_of_the_affine_constraint():
    """ẏ = x: x = sinh t from λ₀ = 0 and ẋ₀ = 1; the problem is linear, so the motion is the only one."""
    text = """
    [coordinates]
    x = 0
    y = 0
    [energy]
    kinetic = "(x'^2 + y'^2)/2"
    [constraints]
    c = "y' = x"
    """
    found = connect(read_text(text), {"x": sinh(1), "y": cosh(1) - 1}, until=1)
    assert found.initial_speeds["x"] == pytest.approx(1, rel=1e-9)
    assert found.initial_multipliers["c"] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(found["x"], np.sinh(found.motion.times), atol=1e-8)
    assert found.others == ()
    assert asinh(found["x"][-1]) == pytest.approx(acosh(found["y"][-1] + 1), rel=1e-8)


def test_knife_edge_finds_an_elastica_no_longer_than_the_known_one():
    text = """
    [coordinates]
    x = 0
    y = 0
    phi = "pi/2"
    [speeds]
    x = 0
    phi = 0.5
    [energy]
    kinetic = "(x'^2 + y'^2 + phi'^2)/2"
    [constraints]
    edge = "x'*sin(phi) - y'*cos(phi) = 0"
    [multipliers]
    edge = 1
    """
    record = read_text(text)
    known = simulate(record, "vakonomic", until=2, samples=2001, tolerance=1e-12)
    to = {"x": 0.29493035438543951388, "y": -0.63493248272554328963, "phi": 2.07310360613117933}
    assert known["x"][-1] == pytest.approx(to["x"], abs=1e-9)
    found = connect(record, to, until=2)
    assert found.action <= known.energy["total"][0] * 2 + 1e-8  # no potential: the action is energy times time
    np.testing.assert_allclose([found[n][-1] for n in to], list(to.values()), atol=1e-8)


def test_potential_enters_the_action():
    """Thrown upwards and caught again: the parabola, with ∫ (T − V) dt."""
    text = '[coordinates]\ny = 0\n[energy]\nkinetic = "y\'^2/2"\npotential = "2*y"\n'
    found = connect(read_text(text), {"y": 0.0}, until=1)
    assert found.initial_speeds["y"] == pytest.approx(1, rel=1e-9)
    assert found.action == pytest.approx(1 / 6 - 1 / 3, rel=1e-9)


def test_failure_says_what_was_reached():
    text = """
    [coordinates]
    x = 0
    y = 0
    [energy]
    kinetic = "(x'^2 + y'^2)/2"
    [constraints]
    rail = "y' = 0"
    """
    with pytest.raises(MathematicsError, match=r"no vakonomic motion .*y = 1 at t = 1; the nearest trial ends at"):
        connect(read_text(text), {"x": 1.0, "y": 1.0}, until=1)


@pytest.mark.parametrize(
    ("to", "sentence"),
    [({"w": 1}, "no coordinate 'w'"), ({}, "name at least one"), ({"x": "1/0"}, "not a finite number")],
)
def test_targets_that_are_none(to, sentence):
    with pytest.raises(ModelError, match=sentence):
        connect(read_text(HEISENBERG), to, until=1)


def test_command(tmp_path, capsys):
    file = tmp_path / "dido.toml"
    file.write_text(HEISENBERG)
    table = tmp_path / "arc.csv"
    assert run(["connect", str(file), "--to", "x=1, y=0, z=0.1", "--until", "1", "-o", str(table), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["connection"]["to"] == {"x": 1, "y": 0, "z": 0.1}
    assert answer["connection"]["residual"] < 1e-9
    assert answer["coordinates"]["z"][-1] == pytest.approx(0.1, abs=1e-9)
    assert table.read_text().startswith("t,x,y,z,")
    assert run(["connect", str(file), "--to", "x"]) == 2
    assert "--to was given 'x'" in capsys.readouterr().err
