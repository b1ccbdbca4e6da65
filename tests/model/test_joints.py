"""Joints in files and in Python: refusals with their sentences; saving loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.model.change import with_settings
from dalembert.model.read import model_of, read_text
from dalembert.model.write import write_text

ARM = """
gravity = [0, 0, -9.81]
[parameters]
c = 0.1
[bodies.upper]
mass = 1
inertia = [0.1, 0.1, 0.01]
[bodies.lower]
mass = 1
inertia = [0.1, 0.1, 0.01]
[joints.shoulder]
type = "ball"
parent = "ground"
child = "upper"
in_child = [0, 0, 0.4]
coordinates = [{ name = "a", initial = 0.1 },
  { name = "b", speed = 0.2 }, { name = "d", unit = "rad", about = "twist" }]
damping = ["c", 0, "2*c"]
"""
ELBOW = {
    "type": '"revolute"',
    "parent": '"upper"',
    "child": '"lower"',
    "at": "[0, 0, -0.4]",
    "in_child": "[0, 0, 0.3]",
    "axis": "[0, 1, 0]",
    "coordinate": '{ name = "elbow", initial = 0.3 }',
    "limits": "[0, 2.5]",
    "motor": '"-elbow"',
}


def elbow(**changed: str | None) -> str:
    words = {key: value for key, value in (ELBOW | changed).items() if value is not None}
    return ARM + "[joints.elbow]\n" + "\n".join(f"{key} = {value}" for key, value in words.items())


@pytest.mark.parametrize(
    ("changed", "key", "words"),
    [
        ({"parent": None}, "parent", "missing"),
        ({"parent": '"uper"'}, "parent", "did you mean upper?"),
        ({"child": '"lowr"'}, "child", "did you mean lower?"),
        ({"child": '"upper"'}, "child", "also the parent"),
        ({"type": '"revolut"'}, "type", "did you mean revolute?"),
        ({"axis": None}, "axis", "needs a direction"),
        ({"axis": "[0, 0, 0]"}, "axis", "length zero"),
        ({"axis": '["elbow", 0, 0]'}, "axis", "no value"),
        ({"axis": '"w"'}, "axis", "x, y, z or"),
        ({"axis": '"z"', "type": '"ball"', "coordinate": None, "limits": None, "motor": None}, "axis", "no axis"),
        ({"coordinate": None, "limits": None, "motor": None}, "coordinate", "places lower"),
        ({"coordinate": "{ initial = 1 }"}, "name", "missing"),
        ({"coordinate": '{ name = "a" }', "motor": None}, "coordinate", "names are unique"),
        ({"coordinate": '{ name = "x__y" }', "motor": None}, "coordinate", "not contain '__'"),
        ({"coordinate": '{ name = "e", initial = "elbow" }', "motor": None}, "coordinate", "elbow"),
        ({"type": '"universal"'}, "coordinates", "1 were met, and a universal joint has 2"),
        ({"limits": "[0]"}, "limits", "[low, high]"),
        ({"limits": '["hand", 1]'}, "limits", "hand"),
        ({"motor": '"torque"'}, "motor", "'torque' is not known"),
        ({"damping": '"elbow"'}, "damping", "parameters is expected"),
        ({"damping": "[1, 2]"}, "damping", "2 entries"),
        ({"at": '["q", 0, 0]'}, "at", "'q' is not known"),
        ({"in_child": '"c"'}, "in_child", "scalar"),
        ({"second_axis": '"x"'}, "second_axis", "one axis at most"),
        ({"turn": '[["w", 1]]'}, "turn", "the axis"),
        ({"lenght": "1"}, "lenght", "not known"),
    ],
)
def test_what_is_wrong_with_a_joint_is_told_at_its_place(changed, key, words):
    with pytest.raises(ModelError) as caught:
        read_text(elbow(**changed))
    told = [fault for fault in caught.value.faults if fault.table.startswith("joints.elbow") and fault.key == key]
    assert told and words in told[0].message, caught.value
    assert len(caught.value.faults) == 1, caught.value


def test_bodies_that_nothing_places_or_that_hang_on_each_other():
    with pytest.raises(ModelError, match=r"\[bodies.lower\] position: it is missing; state it, or let a joint"):
        read_text(ARM)
    other = ARM.replace('parent = "ground"', 'parent = "lower"')
    with pytest.raises(ModelError, match="these bodies hang on each other"):
        read_text(elbow().replace(ARM, other))
    with pytest.raises(ModelError, match="places the body and gives it its axes; leave rotation out"):
        read_text(elbow().replace("[bodies.lower]", '[bodies.lower]\nrotation = [["x", 1]]'))


LOOP = '\n[joints.loop]\ntype = "{type}"\nparent = "ground"\nchild = "lower"\n{rest}'


@pytest.mark.parametrize(
    ("type", "rest", "words"),
    [
        ("revolute", 'axis = "y"\ncoordinate = { name = "h" }', "placed already by the joint elbow"),
        ("free", "", "restrains nothing"),
        ("ball", "damping = 1", "closes a loop and has no coordinate for damping"),
    ],
)
def test_joints_that_close_loops(type, rest, words):
    with pytest.raises(ModelError, match=words):
        read_text(elbow() + LOOP.format(type=type, rest=rest))


@pytest.mark.parametrize("ask", ["solve", "simulate", "derive", "check", "compare", "analyze", "linearize"])
def test_a_loop_that_cannot_close_is_a_fault_of_its_joint(ask):
    text = elbow(limits=None) + LOOP.format(type="ball", rest="at = [5, 0, 0]")
    with pytest.raises(ModelError, match=r"\[joints.loop\]: the loop cannot close: .*loop\.x") as refused:
        getattr(da.Model.of(read_text(text)), ask)()
    assert refused.value.faults[0].table == "joints.loop"


@pytest.mark.parametrize(
    "words", [("export", "--to", "latex", "-o", "out.tex"), ("sweep", "--vary", "a=0:1:3", "-o", "out.nc")]
)
def test_a_loop_that_cannot_close_writes_nothing(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(elbow(limits=None) + LOOP.format(type="ball", rest="at = [5, 0, 0]"))
    assert run([words[0], "m.toml", *words[1:]]) == 2
    assert "the loop cannot close" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["m.toml"]


def test_of_a_sweep_only_the_motions_with_open_loops_are_refused():
    text = elbow(limits=None).replace("c = 0.1", "c = 0.1\nfar = 0.8", 1)
    text += LOOP.format(type="ball", rest='at = ["far", 0, 0]')
    model = da.Model.of(read_text(text))
    found = model.sweep({"far": [0.8, 5]}, until=0.01)
    assert found["status"].values.tolist()[1] == 3, found
    assert found["status"].values.tolist()[0] in (0, 1)


def test_a_constraint_may_not_have_the_name_of_a_loops_rows():
    text = elbow() + LOOP.format(type="ball", rest="at = [0, 0, -0.6]") + '\n[constraints]\nloop = "a = 0"'
    with pytest.raises(ModelError, match=r"the name loop is used in \[constraints\] as well"):
        read_text(text)


def test_a_model_with_joints_is_saved_as_it_was_stated():
    extra = LOOP.format(type="ball", rest='turn = [["x", 0.2]]\nat = [0, "c", 0]')
    model = read_text(elbow(restitution="0.5", stiffness='"3*c"') + extra)
    written = write_text(model)
    assert "[joints.elbow]" in written and "centre" not in written
    assert read_text(written, model.title) == model
    assert da.Model.of(model).record == model


def test_settings_and_speeds_reach_the_coordinates_of_joints():
    model = read_text(elbow() + "\n[speeds]\nelbow = 0.7")
    assert float(model.coordinates["elbow"].speed.value) == 0.7
    changed = with_settings(model, {"elbow": 1.0, "a'": 0.25, "c": 2})
    assert changed.coordinates["elbow"].initial.value == 1.0 and changed.coordinates["a"].speed.value == 0.25
    assert changed.stated is not None and "elbow" not in changed.stated.coordinates
    with pytest.raises(ModelError, match="did you mean elbow"):
        with_settings(model, {"elbw": 1})


def test_the_same_machine_in_python():
    arm = da.Model("arm")
    arm.gravity([0, 0, -9.81])
    c = arm.parameters(c=0.1)
    upper = arm.body("upper", mass=1, inertia=[0.1, 0.1, 0.01])
    arm.body("lower", mass=1, inertia=[0.1, 0.1, 0.01])
    angles = [
        {"name": "a", "initial": 0.1},
        {"name": "b", "speed": 0.2},
        {"name": "d", "unit": "rad", "about": "twist"},
    ]
    arm.joint("shoulder", "ball", "ground", "upper", in_child=[0, 0, 0.4], coordinates=angles, damping=[c, 0, 2 * c])
    elbow_angle = arm.joint(
        "elbow", "revolute", upper, "lower", at=[0, 0, -0.4], in_child=[0, 0, 0.3], axis=[0, 1, 0],
        coordinate={"name": "elbow", "initial": 0.3}, limits=[0, 2.5], motor="-elbow",
    )  # fmt: skip
    assert str(elbow_angle) == "elbow"
    assert arm.record == read_text(elbow(), "arm")
    arm.speeds(elbow=0.2)
    assert arm.record.coordinates["elbow"].speed.value == 0.2
    with pytest.raises(ModelError, match="did you mean name"):
        arm.joint("wrist", "revolute", "lower", "upper", axis="x", coordinate={"name": "w", "nam": 2})


def test_a_coordinate_of_a_joint_may_be_an_expression_of_others():
    geared = read_text(elbow(coordinate='"2*a"', limits=None, motor=None))
    assert list(geared.coordinates) == ["a", "b", "d"]
    with pytest.raises(ModelError, match="a motor drives a coordinate"):
        read_text(elbow(coordinate='"2*a"', limits=None, motor="1"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"limits": [1, -1]}, r"\[joints.j\] limits: the lower limit 1 is above the upper limit -1"),
        ({"limits": [-3, -1]}, r"\[joints.j\] limits: the gap is -1.5 at the start"),
        (
            {"coordinate": "r"},
            r'\[joints.j\] coordinate: there is no coordinate r; a new one is stated as \{ name = "r" \}$',
        ),
    ],
)
def test_faults_of_limits_and_coordinates_are_those_of_the_joint(words, sentence):
    joint = {
        "type": "revolute",
        "parent": "ground",
        "child": "a",
        "axis": "y",
        "coordinate": {"name": "q", "initial": 0.5},
    }
    data = {"coordinates": {"x": 0}, "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1]}}}
    data["bodies"]["p"] = {"mass": 1, "position": ["x", 0, 0]}
    with pytest.raises(da.ModelError, match=sentence):
        da.Model.of(model_of(data | {"joints": {"j": joint | words}})).solve()
