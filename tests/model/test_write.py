"""A written model reads back to the same model, and Python and files state the same models."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import ModelError
from dalembert.expressions import functions as f
from dalembert.expressions.nodes import Name
from dalembert.model.builder import Builder
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.model.write import save, write_text

SLEIGH = """
title = "Sleigh"
[parameters]
M = 10
a = 0.4
[coordinates]
x = 0
y = 0
theta = 0.2
[speeds]
x = 1
[definitions]
forward = "x'*cos(theta) + y'*sin(theta)"
[frames]
turned = { turn = [["z", "theta"], [[1, 0, 1], -0.5]] }
[points]
tip = { from = "sleigh", in = "turned", at = ["a", 0, 0] }
[bodies.sleigh]
mass = "M - 0.1*t"
position = ["x + a*cos(theta)", "y + a*sin(theta)", 0]
rotation = [["z", "theta"]]
inertia = [0, 0, 2]
shape = { box = [1, 0.4, 0.2], colour = "#d55e00", at = ["a", 0, 0.1] }
[forces.push]
body = "sleigh"
at = "tip"
force = "-3*turned.x"
[rolling.skid]
body = "sleigh"
at = "tip"
rows = ["slip"]
[constraints]
blade = "y'*cos(theta) - x'*sin(theta) = 0"
[frictions.rub]
slip = ["x'"]
normal = "blade"
coefficient = 0.1
[contacts.wall]
gap = "5 - x"
slip = ["y'"]
friction = "rough"
[simulation]
duration = 5
"""


def sleigh() -> Builder:
    model = Builder("Sleigh")
    M, a = model.parameters(M=10, a=0.4)
    x, y, theta = model.coordinates("x y theta", theta=0.2)
    model.speeds(x=1)
    model.define("forward", x.dot * f.cos(theta) + y.dot * f.sin(theta))
    turned = model.frame("turned", [("z", theta), ((1, 0, 1), -0.5)])
    body = model.body(
        "sleigh",
        mass=M - 0.1 * f.t,
        position=[x + a * f.cos(theta), y + a * f.sin(theta), 0],
        rotation=[("z", theta)],
        inertia=[0, 0, 2],
        shape={"box": [1, 0.4, 0.2], "colour": "#d55e00", "at": [a, 0, 0.1]},
    )
    tip = model.point("tip", [a, 0, 0], origin=body, frame=turned)
    model.force("push", body, at=tip, force=-3 * turned.x)
    model.rolling("skid", body, at=tip, rows=["slip"])
    model.constraint("blade", y.dot * f.cos(theta) - x.dot * f.sin(theta))
    model.friction("rub", slip=[x.dot], normal="blade", coefficient=0.1)
    model.contact("wall", gap=5 - x, slip=[y.dot], friction="rough")
    model.simulation(duration=5)
    return model


def test_python_says_what_the_file_says():
    assert sleigh().record == read_text(SLEIGH)


def test_save_and_load(tmp_path):
    path = tmp_path / "sleigh.toml"
    sleigh().save(path)
    assert read(path) == sleigh().record
    assert [p.name for p in tmp_path.iterdir()] == ["sleigh.toml"]


def test_an_untitled_model_stays_untitled(tmp_path):
    save(replace(sleigh().record, title=""), tmp_path / "a.toml")
    assert read(tmp_path / "a.toml").title == ""


def test_a_record_goes_to_other_processes():
    record = sleigh().record
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.deepcopy(record) == record


def test_a_builder_goes_on_from_a_record():
    model = Builder.of(read_text(SLEIGH))
    assert model.record == read_text(SLEIGH)
    model.event("half", "x - 2.5", stop=True)
    assert "half" in model.record.events


def test_names_that_could_be_mistaken():
    model = Builder("rough")
    x = model.coordinates("x")
    rough, press = model.parameters(rough=0.5, press=2)
    model.body("p", 1, [x, 0, 0])
    model.constraint("press", "x' = 1")
    model.contact("wall", gap=x + 1, slip=[x.dot], friction=rough)
    model.friction("rub", slip=[x.dot], normal=press, coefficient=0.1)
    record = model.record
    assert record.frictions["rub"].normal == Name("press")
    assert read_text(write_text(record)) == record


def test_texts_numbers_and_sympy_mix():
    model = Builder("mix")
    x = model.coordinates("x")
    X = sympy.Symbol("x")
    model.body("p", mass="1 + 1", position=[X + 1, sympy.sin(x), "2*x"])
    model.energy(potential=X**2 / 2)
    model.energy(dissipation=x.dot**2)
    model.constraint("c", "x' = 1")
    record = model.record
    assert str(record.bodies["p"].position) in ("[x + 1, sin(x), 2*x]", "[1 + x, sin(x), 2*x]")
    assert str(record.energy.potential) == "x^2/2"
    assert record.energy.dissipation is not None
    assert read_text(write_text(record)) == record


def test_the_builder_tells_faults():
    model = Builder("wrong")
    x = model.coordinates("x")
    with pytest.raises(ModelError, match="end of the expression"):
        model.define("d", "x +")
    with pytest.raises(ModelError, match="not an expression"):
        model.define("d", object())
    with pytest.raises(ModelError, match="no coordinate"):
        model.speeds(y=1)
    with pytest.raises(ModelError, match="exactly one"):
        model.rolling("r", "b")
    with pytest.raises(ModelError, match="number is expected"):
        model.simulation(duration="5")
    with pytest.raises(ModelError, match="finite"):
        model.body("b", 1, [x, 0, 0], shape={"box": [float("nan")]})
    model.parameter("bad", float("inf"))
    model.define("d", x.dot)
    with pytest.raises(ModelError, match="twice"):
        model.define("d", 1)
    model.define("e", x.dot.dot)
    model.define("g", Name("theta"))
    with pytest.raises(ModelError) as caught:
        _ = model.record
    assert {fault.key for fault in caught.value.faults} >= {"e", "g", "bad", ""}


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(ModelError, match="cannot be written"):
        sleigh().save(tmp_path / "missing" / "a.toml")
    with pytest.raises(ModelError, match="half of a character"):
        write_text(replace(sleigh().record, title="\ud800"))


values = st.one_of(st.integers(-(10**20), 10**20), st.floats(-1e300, 1e300, allow_nan=False))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=60)
@given(
    title=texts,
    about=texts,
    number=values,
    initial=st.floats(-10, 10),
    speed=st.none() | st.floats(-10, 10),
    turns=st.lists(st.sampled_from([("x", "q"), ("y", 0.5), ((1, "R", 0.5), "2*q + R")]), max_size=3),
    inertia=st.sampled_from([(), (1, 2, 3), (1, 2, 3, 0, -0.5, "R/10")]),
    kind=st.sampled_from(["ball", "at"]),
    unit=st.sampled_from(["", "m", "deg", "kN m"]),
    rows=st.sampled_from([("touch", "slip"), ("slip",), ("touch",)]),
    on=st.sampled_from(["ground", "other", {"point": [0, 0, "R"], "normal": "world.z + 2*world.x"}]),
    law=st.sampled_from(["newton", "poisson", "zhang-mei"]),
    simulation=st.fixed_dictionaries(
        {}, optional={"duration": st.floats(0.1, 9), "samples": st.integers(2, 99), "start": st.floats(-9, 9)}
    ),
)
def test_random_models_read_back(
    title, about, number, initial, speed, turns, inertia, kind, unit, rows, on, law, simulation
):
    model = Builder(title, reference=about)
    R = model.parameter("R", 2, about=about, least=1)
    model.parameter("k", number, unit=unit)
    q, s = model.coordinate("q", initial, speed, about=about), model.coordinate("s")
    model.gravity([0, 0, -R])
    model.frame("turned", turns)
    body = model.body("b", 1, [q, 0, R], rotation=turns, inertia=inertia)
    model.body("other", R, "2*b", frame="turned", ejection=[1, q.dot, -0.0])
    model.point("at", [1, 2, q], origin=body, frame="world")
    model.rolling("r", body, on=on, rows=rows, **{kind: R if kind == "ball" else "at"})
    model.contact("c", q + 20, law=law, reverses=[s.dot])
    model.virtual_displacements(rows=[{q: 1, "s": -R}])
    model.force("g", generalized={q: -q, s: number})
    model.quasi_velocity("u", q.dot - 2 * s.dot)
    model.simulation(**simulation)
    record = model.record
    assert read_text(write_text(record), "another") == record


def test_numbers_of_numpy_are_written_as_numbers():
    model = Builder("numpy")
    m = model.parameter("m", np.float64(0.1))
    x = model.coordinate("x", np.float64(0.25), np.float32(0.5))
    model.body("b", np.float64(2.5), [x * np.float64(0.3), np.int64(0), m - np.float32(2)])
    model.simulation(duration=np.float64(3), start=np.float32(0.5), samples=np.int64(7))
    record = model.record
    assert read_text(write_text(record), "numpy") == record
    changed = with_settings(record, {"x": np.float64(0.1), "m": np.float64(-2.0)})
    assert read_text(write_text(changed), "numpy") == changed
