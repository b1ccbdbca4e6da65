"""Model files: every form is read, and every fault is reported with its place."""

from __future__ import annotations

import pytest

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Name, Negative, Number, Prime, Vector
from dalembert.expressions.parse import parse
from dalembert.model.read import read, read_text
from dalembert.model.record import AxisTurn, Plane, Point, Shape

PARTICLE = """
[coordinates]
x = 1
[bodies.p]
mass = 2
position = ["x", 0, 0]
"""

BICYCLE = """
title = "Part of a bicycle"
gravity = [0, 0, "9.81"]
[parameters]
R = 0.3
w = { value = "2*R", unit = "m", about = "wheelbase", min = 0, max = 2 }
[coordinates]
x = 0
y = 0
psi = 0
phi = "pi/6"
chi = { initial = 0, speed = "-1/R", unit = "rad" }
theta = 0
[speeds]
x = 1
[definitions]
forward = "dot(hub', lean.x)"
axle = ["x", "y", 1]
[frames]
lean = { turn = [["z", "psi"], ["x", "phi"]] }
rear = { from = "lean", turn = [["y", "chi"], [[0, 0, 1], 0.1]] }
[points]
touch = ["x", "y", 0]
hub = { from = "touch", in = "lean", at = [0, 0, "-R"] }
head = "hub + w*rear.x"
[bodies.wheel]
mass = 2
position = "hub"
frame = "rear"
spin = ["y", "theta"]
inertia = [0.06, 0.12, 0.06]
shape = { cylinder = [0.3, 0.02], colour = "red" }
[bodies.rod]
mass = "1 - 0.01*t"
rotation = [["z", "psi"]]
position = "hub + w*rod.x"
ejection = ["-x'", 0, 0]
[rolling.rear_wheel]
body = "wheel"
wheel = "R"
on = { point = [0, 0, 0], normal = [0, 0, -1] }
rows = ["touch"]
[constraints]
no_skid = "dot(hub', lean.y) = 0"
pinned = "head - axle = 0"
[forces.spring]
body = "rod"
at = "head"
force = "-R*(hub - touch)"
torque = "0.1*omega(rod)"
[forces.motor]
generalized = { theta = "3 - theta'" }
[energy]
potential = "x^2/2"
dissipation = "theta'^2"
[quasi_velocities]
u = "forward"
[virtual_displacements]
rule = "rows"
rows = [{ x = "sin(psi)", y = -1 }]
[multipliers]
no_skid = "2*R"
[contacts.wall]
gap = "10 - x"
restitution = 0.5
slip = ["y'"]
friction = "rough"
law = "poisson"
[contacts.stop]
gap = "x + 10"
reverses = ["y'"]
[frictions.brake]
slip = ["theta'"]
normal = "rear_wheel.touch"
coefficient = 0.3
static = 0.4
[frictions.side]
slip = ["y'"]
normal = "w"
coefficient = "0.1 + y'^2"
held = ["x'"]
[events.turned]
when = "psi - 1"
stop = true
[simulation]
duration = 5
samples = 11
method = "kane"
description = "whole-course"
stepper = "gauss"
step = 0.01
start = 1
"""


def faults(text: str) -> dict[tuple[str, str], str]:
    with pytest.raises(ModelError) as caught:
        read_text(text)
    return {(fault.table, fault.key): fault.message for fault in caught.value.faults}


def test_every_form():
    model = read_text(BICYCLE)
    assert model.title == "Part of a bicycle"
    assert model.parameters["w"].greatest == Number(2)
    assert model.coordinates["chi"].speed == parse("-1/R")
    assert model.coordinates["x"].speed == Number(1)
    assert model.coordinates["y"].speed is None
    assert model.definitions["axle"] == Vector(Name("x"), Name("y"), Number(1))
    assert model.frames["rear"].turn[1] == AxisTurn((Number(0), Number(0), Number(1)), Number(0.1))
    assert model.points["hub"] == Point(Vector(Number(0), Number(0), Negative(Name("R"))), "touch", "lean")
    assert model.bodies["wheel"].position == Name("hub")
    assert model.bodies["wheel"].shapes == (Shape("cylinder", (Number(0.3), Number(0.02)), colour="#c0392b"),)
    assert model.rolling["rear_wheel"].rows == ("touch",)
    assert isinstance(model.rolling["rear_wheel"].on, Plane)
    assert model.contacts["wall"].friction == "rough"
    assert model.contacts["stop"].restitution == Number(1)
    assert model.frictions["brake"].normal == "rear_wheel.touch"
    assert model.frictions["side"].normal == Name("w")
    assert model.frictions["side"].slip == (Prime(Name("y")),)
    assert model.simulation.samples == 11
    assert list(model.constraints) == ["no_skid", "pinned"]


def test_every_fault_is_told_at_once():
    told = faults("""
titel = "x"
[parameters]
M = "2*N"
a = { valeu = 2 }
b = nan
[coordinates]
x = 0
theta = true
[speeds]
thta = 1
[bodies.b1]
mas = 2
position = ["x", "y"]
[bodies.b2]
mass = "1 + y1"
position = ["x", 0, "sni(x)"]
[constraints]
blade = "x'*cos(x"
loose = "x'"
[simulaton]
duration = 1
[simulation]
duration = -1
samples = 1.5
stepper = "euler"
""")
    assert set(told) == {
        ("", "titel"),
        ("simulaton", ""),
        ("parameters", "M"),
        ("parameters.a", "valeu"),
        ("parameters.a", "value"),
        ("parameters", "b"),
        ("coordinates", "theta"),
        ("speeds", "thta"),
        ("bodies.b1", "mas"),
        ("bodies.b1", "mass"),
        ("bodies.b1", "position"),
        ("bodies.b2", "mass"),
        ("bodies.b2", "position"),
        ("constraints", "blade"),
        ("constraints", "loose"),
        ("simulation", "duration"),
        ("simulation", "samples"),
        ("simulation", "stepper"),
    }
    assert "did you mean title?" in told["", "titel"]
    assert "did you mean theta?" in told["speeds", "thta"]
    assert "did you mean mass?" in told["bodies.b1", "mas"]


def test_a_fault_knows_its_column():
    with pytest.raises(ModelError) as caught:
        read_text(PARTICLE + '[constraints]\nblade = "x\' - 2*thta = 0"')
    (fault,) = caught.value.faults
    assert (fault.table, fault.key, fault.column) == ("constraints", "blade", 8)
    assert "'thta'" in fault.message


def test_what_failed_to_read_is_not_called_unknown():
    told = faults(PARTICLE + '[parameters]\nM = "1 +"\n[definitions]\nd = "M*x"')
    assert set(told) == {("parameters", "M")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = ", "TOML"),
        ("a = " + "[" * 50_000, "deeply"),
        (".".join(["a"] * 100_000) + " = 1", "parts"),
        ('"a*".' * 50_000 + "a = 1", "parts"),
        ("[parameters]\na = " + "9" * 5000, "out of range"),
        ("#" * 5_000_001, "5 MB"),
        ("", "no body"),
    ],
)
def test_texts_that_are_no_model(text, words):
    with pytest.raises(ModelError, match=words):
        read_text(text)


@pytest.mark.parametrize("key", ["\"__import__('os')\"", '"a b"', '"a\\u0000"', '"θ²"', '""', '"a\\"b"', "2x", "a__b"])
def test_names_that_are_none(key):
    told = faults(PARTICLE + f"[parameters]\n{key} = 1")
    assert len(told) == 1
    assert next(iter(told))[0] == "parameters"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match="no file"):
        read(tmp_path / "missing.toml")
    with pytest.raises(ModelError, match="directory"):
        read(tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"title = '\xff'")
    with pytest.raises(ModelError, match="UTF-8"):
        read(bad)
    bad.write_bytes(b"#" * 5_000_001)
    with pytest.raises(ModelError, match="5 MB"):
        read(bad)
    with pytest.raises(ModelError, match="cannot be read"):
        read("a\0b")


def test_the_title_is_the_file_name_unless_given(tmp_path):
    file = tmp_path / "drop.toml"
    file.write_text("\ufeff" + PARTICLE, "utf-8")
    assert read(file).title == "drop"
