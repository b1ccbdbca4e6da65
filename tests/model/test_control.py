"""Inputs, states, sampled controllers and outputs in files and in Python: refusals, files, saving."""

from __future__ import annotations

import time

import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from dalembert.model.values import initial_values
from dalembert.model.write import save, write_text

BASE = """
[parameters]
K = 2
[coordinates]
x = { initial = 1, speed = 0.5 }
[bodies.p]
mass = 1
position = ["x", 0, 0]
[contacts.wall]
gap = "x + 1"
"""


@pytest.mark.parametrize(
    ("words", "place", "message"),
    [
        ("[inputs]\nu = { unit = 'N' }", "[inputs] u", "none of value, signal and times"),
        ("[inputs]\nu = { value = 1, times = [0], values = [1] }", "[inputs] u", "value and times was met"),
        ("[inputs]\nu = { times = [0, 1] }", "[inputs.u] values", "times needs it"),
        ("[inputs]\nu = { times = [0, 1], values = [1] }", "[inputs.u] times", "2 times and 1 values"),
        ("[inputs]\nu = { times = [], values = [] }", "[inputs.u] times", "at least one"),
        ("[inputs]\nu = { times = [0, 2, 2], values = [1, 2, 3] }", "[inputs.u] times", "entry 3 is 2 after 2"),
        ("[inputs]\nu = { times = [0, nan], values = [1, 2] }", "[inputs.u] times", "finite"),
        ("[inputs]\nu = { times = [0], values = [1], between = 'line' }", "[inputs.u] between", "did you mean linear?"),
        ("[inputs]\nu = { times = [0], values = [1], max = 2 }", "[inputs.u] max", "does not go with times"),
        ("[inputs]\nu = { value = 1, between = 'hold' }", "[inputs.u] between", "does not go with value"),
        ("[inputs]\nu = { signal = 'a.csv', column = 'f' }", "[inputs.u] time", "signal needs it"),
        ("[inputs]\nu = { signal = 'a.csv', column = 'f', time = 't' }", "[inputs.u] signal", "has no folder"),
        ("[inputs]\nu = 'xx + 1'", "[inputs] u", "'xx' is not known"),
        ("[inputs]\nx = 1", "[inputs] x", "used in [coordinates] as well"),
        ("[inputs]\nu = 'u + 1'", "[inputs] u", "depends on itself"),
        ("[inputs]\nu = 'imu'\n[outputs]\nimu = \"x''\"", "[inputs] u", "imu is an output"),
        ("[states]\ns = { initial = 1 }", "[states.s] rate", "missing"),
        ("[states]\ns = { rate = 'q' }", "[states] s", "'q' is not known"),
        ("[states]\ns = { initial = 'x', rate = 1 }", "[states] s", "is not a parameter"),
        ("[states]\np = { rate = 1 }", "[states] p", "used in [bodies] as well"),
        ("[states]\ns = { rate = 1 }\n[points]\nh = ['s', 0, 0]", "[points] h", "contains a first-order state"),
        ("[states]\ns = { rate = 1 }\n[constraints]\nc = 'x = s'", "[constraints] c", "contains a first-order state"),
        ('[states]\ns = { rate = 1 }\n[definitions]\nd = "s\'"', "[definitions] d", "whose rate is stated"),
        (
            '[states]\ns = { rate = 1 }\n[energy]\nkinetic = "s*x\'^2"',
            "[energy] kinetic",
            "contains a first-order state",
        ),
        (
            '[inputs]\nu = { times = [0], values = [1] }\n[constraints]\nc = "x = u"',
            "[constraints] c",
            "without the derivatives that the motion needs here",
        ),
        ("[inputs]\nu = { value = 0, min = 2, max = 1 }", "[inputs] u", "the lower limit 2 is above the upper limit 1"),
        ("[sampled.c]\nu = 'x'", "[sampled.c] every", "the time between two samples"),
        ("[sampled.c]\nevery = 0.1", "[sampled.c]", "sets nothing"),
        ("[sampled.c]\nevery = 0\nu = 'x'", "[sampled.c] every", "a positive time"),
        ("[sampled.c]\nevery = 'x'\nu = 'x'", "[sampled.c] every", "an expression of parameters"),
        ("[sampled.c]\nevery = 1\nx = 'x'", "[sampled.c] x", "used in [coordinates] as well"),
        (
            "[sampled.c]\nevery = 1\nu = 'x'\n[sampled.d]\nevery = 1\nu = 1",
            "[sampled.d] u",
            "[sampled.c] sets u already",
        ),
        ("[inputs]\nu = '3*x'\n[sampled.c]\nevery = 1\nu = 1", "[inputs] u", "[sampled.c] computes this input"),
        ("[outputs]\no = \"x'''\"", "[outputs] o", "a second prime"),
        ("[outputs]\no = 'multiplier.walls'", "[outputs] o", "did you mean wall"),
        ("[outputs]\no = 'reaction.wall.slip'", "[outputs] o", "reaction.wall.normal is expected"),
        ("[outputs]\no = 'load.elbow.force'", "[outputs] o", "there is no joint"),
        ("[outputs]\no = 'lode.elbow.force'", "[outputs] o", "multiplier, reaction or load"),
        ("[outputs]\nx = '1'", "[outputs] x", "names are unique"),
        ("[definitions]\no = \"x''\"", "[definitions] o", "a second prime"),
        ("[definitions]\no = 'multiplier.wall.x'", "[definitions] o", "one point at most"),
    ],
)
def test_what_is_wrong_is_told(words, place, message):
    with pytest.raises(ModelError) as caught:
        read_text(BASE + words)
    told = [fault for fault in caught.value.faults if message in fault.message and str(fault).startswith(place)]
    assert told, caught.value


CSV = "t,force,other\n0,1,x\n0.5,2,y\n2,-1,z\n"
FILE = BASE + '[inputs]\npush = { signal = "push.csv", column = "force", time = "t", between = "hold" }\n'


def test_a_signal_is_read_from_the_models_folder(tmp_path):
    (tmp_path / "push.csv").write_text(CSV)
    (tmp_path / "m.toml").write_text(FILE)
    model = read(tmp_path / "m.toml")
    assert model.inputs["push"].signal.values == (1, 2, -1)
    assert initial_values(model).parameters["push"] == 1
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    save(model, elsewhere / "m.toml")
    assert read(elsewhere / "m.toml") == model  # its data are saved with it
    with pytest.raises(ModelError, match="comes from data"):
        with_settings(model, {"push": 1})


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"signal": "../push.csv"}, "outside the model's folder"),
        ({"signal": "/etc/passwd"}, "outside the model's folder"),
        ({"signal": "link.csv"}, "outside the model's folder"),
        ({"signal": "folder"}, "is not a file"),
        ({"signal": "."}, "outside the model's folder"),
        ({"signal": "gone.csv"}, "there is no file 'gone.csv'"),
        ({"signal": "bytes.csv"}, "cannot be read as CSV"),
        ({"column": "forse"}, "did you mean force?"),
        ({"column": "nothing"}, "its columns are 't', 'force', 'other'"),
        ({"time": "time"}, "has no column 'time'"),
        ({"column": "other"}, "row 2 of 'push.csv' has 'x' as 'other'; a number is expected"),
        ({"signal": "falling.csv"}, "the times do not ascend: entry 3 is 0.5 after 1"),
        ({"signal": "short.csv"}, "has nothing as 'force'"),
        ({"signal": "empty.csv"}, "has no column"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, changed, words):
    folder = tmp_path / "model"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "push.csv").write_text(CSV)
    (folder / "push.csv").write_text(CSV)
    (folder / "link.csv").symlink_to(tmp_path / "push.csv")
    (folder / "falling.csv").write_text("t,force\n0,1\n1,2\n0.5,3\n")
    (folder / "short.csv").write_text("t,force\n0\n")
    (folder / "empty.csv").write_text("")
    (folder / "bytes.csv").write_bytes(b"t,force\n0,\xff\xfe\n")
    entry = {"signal": "push.csv", "column": "force", "time": "t"} | changed
    words_of = ", ".join(f'{key} = "{value}"' for key, value in entry.items())
    (folder / "m.toml").write_text(BASE + f"[inputs]\npush = {{ {words_of} }}\n")
    with pytest.raises(ModelError) as caught:
        read(folder / "m.toml")
    assert words in str(caught.value)


def test_a_long_file_is_read_soon(tmp_path):
    rows = "\n".join(f"{i * 1e-3},{i % 7}" for i in range(100_000))
    (tmp_path / "push.csv").write_text("t,force\n" + rows)
    (tmp_path / "m.toml").write_text(FILE)
    began = time.perf_counter()
    model = read(tmp_path / "m.toml")
    assert time.perf_counter() - began < 5 and len(model.inputs["push"].signal.times) == 100_000


WHOLE = """
[inputs]
torque = { value = 0.5, unit = "N", min = -5, max = "K", about = "drive" }
steer = "0.1*sin(2*t) + x"
push = { times = [0, 1.5], values = [1, 2], between = "cubic" }
[states]
error = { initial = "K/4", rate = "steer - x", about = "of the loop" }
[sampled.controller]
every = 0.01
offset = 0.005
torque = "-K*x - 2*x'"
held = "error"
[forces.f]
generalized = { x = "torque + push + error + held" }
[outputs]
imu = "dot(p'', world.x)"
load = "multiplier.wall + reaction.wall.normal"
twice = "2*imu"
"""


def test_a_value_for_what_a_controller_sets_is_its_law():
    """A number in the unit of the input, or an expression in SI; before, the setting had no effect."""
    model = da.Model.of(
        read_text(
            '[coordinates]\nx = 1\n[inputs]\nu = { value = 0, unit = "kN", max = 1.5 }\n'
            '[sampled.c]\nevery = 0.1\nu = "-x"\n'
            '[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n[forces.f]\ngeneralized = { x = "u" }',
            "m",
        )
    )
    assert model.solve().accelerations["x"] == pytest.approx(-1)
    assert model.solve(settings={"u": 1}).accelerations["x"] == pytest.approx(1000)
    assert model.solve(settings={"u": 2}).accelerations["x"] == pytest.approx(1500)
    assert model.changed({"u": "3*x"}).solve().accelerations["x"] == pytest.approx(3)


def test_saved_and_built_in_python():
    model = read_text(BASE + WHOLE, "m")
    assert read_text(write_text(model), "m") == model
    assert da.Model.of(model).record == model
    built = da.Model("m")
    K = built.parameters(K=2)
    x = built.coordinate("x", 1, 0.5)
    built.body("p", 1, [x, 0, 0])
    built.contact("wall", "x + 1")
    built.input("torque", 0.5, unit="N", least=-5, greatest=K, about="drive")
    steer = built.input("steer", 0.1 * da.sin(2 * da.t) + x)
    push = built.input("push", times=[0, 1.5], values=[1, 2], between="cubic")
    error = built.state("error", rate=steer - x, initial=K / 4, about="of the loop")
    built.sample("controller", 0.01, 0.005, torque="-K*x - 2*x'", held=error)
    built.force("f", generalized={x: "torque + push + error + held"})
    built.output("imu", "dot(p'', world.x)")
    built.output("load", "multiplier.wall + reaction.wall.normal")
    built.output("twice", "2*imu")
    assert str(push) == "push" and built.record == model
    with pytest.raises(ModelError, match="exactly one of value and times"):
        built.input("w")
    with pytest.raises(ModelError, match="the times do not ascend"):
        built.input("w", times=[1, 0], values=[1, 2])


def test_settings_reach_inputs_and_states():
    changed = with_settings(read_text(BASE + WHOLE), {"torque": 9, "error": 0.25, "steer": "2*x"})
    values = initial_values(changed).parameters
    assert values["error"] == 0.25
    assert changed.stated is not None and str(changed.stated.inputs["steer"].value) == "2*x"
    with pytest.raises(ModelError, match="did you mean torque"):
        with_settings(changed, {"torqe": 1})
