"""Methods side by side: those of Chetaev's model agree; other models agree where theory says so."""

import json
from dataclasses import replace
from importlib import import_module
from math import cos, cosh, sin, sinh

import pytest

from dalembert.api.compare import compare
from dalembert.api.motion import simulate
from dalembert.cli.main import run
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import CHETAEV
from dalembert.model.read import read_text
from small_models import AFFINE, DISK

module = import_module("dalembert.api.compare")
ROLLING = DISK.format(phi=0.3, w=0.7, s=1.2)
FLIGHT = """
[parameters]
m = 1
g = 1
Q1 = 2
[coordinates]
x = 0
y = 0
z = 0
[speeds]
x = -1.5
y = "1.5*sqrt(3)"
[bodies.particle]
mass = "m"
position = ["x", "y", "z"]
[energy]
potential = "m*g*z - Q1*x"
[constraints]
climb = "z' = sqrt(x'^2 + y'^2)"
"""


def test_chetaevs_methods_agree_and_the_vakonomic_model_differs():
    found = compare(read_text(AFFINE), until=1, samples=11)
    first, second = found.groups
    assert set(first) == set(CHETAEV) and second == ("vakonomic",)
    assert found.largest_difference <= 1e-12
    ends = {name: answer.motion for name, answer in found.answers.items()}
    assert ends["chetaev"]["x"][-1] == pytest.approx(1, rel=1e-9)
    assert ends["vakonomic"]["x"][-1] == pytest.approx(sinh(1), rel=1e-9)
    assert found.answers["vakonomic"].coordinates == pytest.approx((sinh(1) - 1) / 1, rel=1e-6)
    assert found.answers["vakonomic"].accelerations == 0  # they agree at the start, but that does not decide


def test_control_forces_say_how_models_differ():
    found = compare(read_text(AFFINE), until=1, samples=11)
    chetaev, vakonomic = found.answers["chetaev"], found.answers["vakonomic"]
    assert chetaev.final_control_forces == pytest.approx({"x": 0, "y": 1}, abs=1e-9)
    assert vakonomic.final_control_forces == pytest.approx({"x": sinh(1), "y": cosh(1)}, rel=1e-8)


def test_special_multipliers_make_the_models_coincide():
    special = f"[multipliers]\nrolls_x = {-1.2 * cos(0.3)}\nrolls_y = {-1.2 * sin(0.3)}\n"
    methods = ["kane", "chetaev", "vakonomic"]
    assert len(compare(read_text(ROLLING), methods, until=2, samples=11).groups) == 2
    assert compare(read_text(ROLLING + special), methods, until=2, samples=11).groups == (
        ("kane", "chetaev", "vakonomic"),
    )


def test_integrable_constraints_coincide():
    record = read_text(AFFINE.replace("y' = x", "y' = 2*x*x'") + "[multipliers]\nc = 0.3\n")
    assert compare(record, ["maggi", "vakonomic"], until=1, samples=11).groups == (("maggi", "vakonomic"),)


def test_rows_stand_beside_the_other_models():
    text = FLIGHT + '[virtual_displacements]\nrule = "rows"\nrows = [{ x = "-y\'", y = "x\'" }]\n'
    found = compare(read_text(text), ["chetaev", "virtual-displacements", "vakonomic"], until=0.5, samples=6)
    assert found.reference == "virtual-displacements"
    assert found.groups[0] == ("virtual-displacements",)
    assert len(found.groups) == 3
    assert found.answers["virtual-displacements"].control_forces["z"] == 0


def test_a_sensitive_motion_tells_nothing_against_a_method():
    """A double pendulum amplifies rounding; its methods are compared state by state along one motion."""
    text = """
    [coordinates]
    a = 2.5
    b = 3
    [energy]
    kinetic = "a'^2 + b'^2/2 + a'*b'*cos(a - b)"
    potential = "-2*9.81*cos(a) - 9.81*cos(b)"
    """
    found = compare(read_text(text), CHETAEV, until=12, samples=25)
    assert len(found.groups) == 1 and found.largest_difference < 1e-10


def test_a_method_without_an_answer_is_listed_with_the_reason():
    text = FLIGHT + '[virtual_displacements]\nrule = "rows"\nrows = [{ x = 1 }, { y = 1 }]\n'
    found = compare(read_text(text), ["chetaev", "virtual-displacements"], until=0.5, samples=6)
    assert found.groups == (("chetaev",),)
    assert "selection rule" in found.answers["virtual-displacements"].error
    assert "selection rule" in str(found)
    with pytest.raises(MathematicsError, match=r"no method has an answer.*selection rule"):
        compare(read_text(text), ["virtual-displacements"], until=0.5)


def test_a_motion_that_fails_is_not_said_to_differ():
    text = '[coordinates]\nx = { initial = 1, speed = -1 }\n[energy]\nkinetic = "x\'^2/2"\npotential = "sqrt(x)"'
    told = str(compare(read_text(text), ["kane", "vakonomic"], samples=3))
    assert "2. vakonomic: has no motion to compare" in told
    assert "stands alone" not in told


def test_what_is_held_still_is_solved_by_every_route():
    text = """
    gravity = [0, -9.81, 0]
    [coordinates]
    x = 0
    y = 1
    [bodies.p]
    mass = 3
    position = ["x", "y", 0]
    [constraints]
    left = "norm(p - [-1, 0, 0]) = sqrt(2)"
    right = "norm(p - [1, 0, 0]) = sqrt(2)"
    """
    assert compare(read_text(text), ["kane", "udwadia-kalaba"], until=0.1, samples=2).notes == ()


def test_an_interrupt_ends_the_whole_comparison(monkeypatch):
    calls = []

    def cut(record, name, **options):
        calls.append(name)
        return replace(simulate(record, name, **options), status="interrupted")

    monkeypatch.setattr(module, "simulate", cut)
    with pytest.raises(KeyboardInterrupt):
        compare(read_text(AFFINE), until=0.1, samples=2)
    assert len(calls) == 1


def test_names_that_are_no_methods():
    with pytest.raises(ModelError, match="did you mean chetaev"):
        compare(read_text(AFFINE), ["chetayev"])


def test_command(tmp_path, capsys):
    file = tmp_path / "affine.toml"
    file.write_text(AFFINE)
    assert run(["compare", str(file), "--methods", "kane,vakonomic", "--until", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["groups"] == [["kane"], ["vakonomic"]]
    assert answer["methods"]["vakonomic"]["end"]["coordinates"]["x"] == pytest.approx(sinh(1), rel=1e-9)
    assert set(answer["methods"]["kane"]["difference"]) == {"accelerations", "control_forces", "coordinates"}
    assert run(["compare", str(file), "--methods", "kane,vakonomic", "--until", "1"]) == 0
    text = capsys.readouterr().out
    assert "2. vakonomic: stands alone" in text and "control forces at t = 1" in text
