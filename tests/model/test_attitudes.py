"""Attitudes by quaternion in files and in Python: refusals, names, settings, and saving."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.expressions.parse import parse
from dalembert.expressions.text import text
from dalembert.model.change import with_settings
from dalembert.model.read import read_text
from dalembert.model.values import initial_values
from dalembert.model.write import write_text

TOP = """
[parameters]
a = 0.3
[bodies.top]
mass = 1
{place}
inertia = [1, 2, 3]
attitude = "quaternion"
{more}
[definitions]
lean = "top.e0^2 + top.e1*top.e2'"
"""
PLACE = "position = [0, 0, 1]"


def top(more: str = "", place: str = PLACE) -> str:
    return TOP.format(more=more, place=place)


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ('rotation = [["x", 1]]', "rotation", "stated by orientation"),
        ('spin = ["x", 1]', "spin", "stated by orientation"),
        ('orientation = [["x", "t"]]', "orientation", "the start is expected"),
        ('orientation = [["x", "b"]]', "orientation", "b was met"),
        ("orientation = [[[0, 0, 0], 1]]", "orientation", "no direction"),
        ('angular_velocity = "top.x"', "angular_velocity", "three numbers"),
        ('angular_velocity = ["t", 0, 0]', "angular_velocity", "three numbers"),
        ("angular_velocity = [0, 1]", "angular_velocity", "a list of 2"),
    ],
)
def test_what_is_wrong_with_an_attitude(more, key, words):
    with pytest.raises(ModelError) as caught:
        read_text(top(more))
    (fault, *others) = [f for f in caught.value.faults if f.table == "bodies.top"]
    assert not others and fault.key == key and words in fault.message


def test_words_of_a_quaternion_do_not_stand_with_angles():
    with pytest.raises(ModelError, match='belongs to attitude = "quaternion"'):
        read_text(top('orientation = [["x", 1]]').replace('attitude = "quaternion"', "").replace("top.e", "a*0 + a*"))
    with pytest.raises(ModelError, match="did you mean quaternion"):
        read_text(top().replace('"quaternion"', '"quaternions"'))


def test_only_ball_and_free_joints_leave_a_quaternion_free():
    joint = '\n[joints.j]\ntype = "revolute"\nparent = "ground"\nchild = "top"\naxis = "x"\ncoordinate = { name = "q" }'
    with pytest.raises(ModelError, match="needs a ball or free joint"):
        read_text(top(place="") + joint)
    free = joint.replace("revolute", "ball").replace('axis = "x"\ncoordinate = { name = "q" }', "in_child = [0, 0, -1]")
    assert list(read_text(top(place="") + free).coordinates) == [f"top.e{i}" for i in range(4)]


def test_the_start_is_the_product_of_half_turns():
    model = read_text(top('orientation = [["z", "a"], ["x", "pi/2"]]\nangular_velocity = [0, 0, "2*a"]'))
    values = initial_values(model)
    c, s, r = math.cos(0.15), math.sin(0.15), math.sqrt(0.5)
    e = [values.coordinates[f"top.e{i}"] for i in range(4)]
    assert e == pytest.approx([c * r, c * r, s * r, s * r])
    rates = [values.speeds[f"top.e{i}"] for i in range(4)]
    assert rates == pytest.approx([-0.3 * e[3], 0.3 * e[2], -0.3 * e[1], 0.3 * e[0]])
    changed = initial_values(with_settings(model, {"a": 1.0}))
    assert changed.coordinates["top.e0"] == pytest.approx(math.cos(0.5) * r)


def test_a_setting_of_one_entry_is_kept():
    model = read_text(top('orientation = [["z", "a"]]'))
    changed = with_settings(model, {"top.e1": 0.25, "top.e2'": 2})
    assert initial_values(changed).coordinates["top.e1"] == 0.25
    assert initial_values(changed).speeds["top.e2"] == 2
    assert read_text(write_text(changed), changed.title) == changed
    with pytest.raises(ModelError, match="a name has letters"):
        read_text(top() + '[coordinates]\n"top.e7" = 1')


def test_saved_and_built_in_python():
    model = read_text(top('orientation = [["z", "a"], [[1, 1, 0], 0.2]]\nangular_velocity = [1, 2, "a"]'), "top")
    assert read_text(write_text(model), "top") == model
    built = da.Model("top")
    a = built.parameters(a=0.3)
    built.body(
        "top", mass=1, position=[0, 0, 1], inertia=[1, 2, 3], attitude="quaternion",
        orientation=[("z", a), ([1, 1, 0], 0.2)], angular_velocity=[1, 2, a],
    )  # fmt: skip
    built.define("lean", "top.e0^2 + top.e1*top.e2'")
    assert built.record == model


def test_names_of_a_quaternion_are_read_and_written():
    tree = parse("top.e0*top.e3' + dot(top.x, world.z)")
    assert parse(text(tree)) == tree
    from dalembert.expressions.exchange import from_sympy, to_sympy

    assert from_sympy(to_sympy(parse("2*top.e0"))) == parse("2*top.e0")
    with pytest.raises(ModelError, match="x, y or z is expected"):
        parse("top.e4")


def test_derivations_show_the_names():
    model = da.Model.of(read_text(top()))
    derivation = model.derive("boltzmann-hamel")
    assert "top.e0" in derivation.text()
    assert r"\mathrm{top.e0}" in derivation.latex()


@pytest.mark.parametrize(
    ("name", "settings"),
    [("tippe-top-quaternion", {"top.e3'": 0.0}), ("ball-in-bowl", {"bowl.v'": 0.011, "bowl.u": 0.1})],
)
def test_a_setting_does_not_reorder_coordinates(name: str, settings: dict[str, float]) -> None:
    """Coordinates that the model makes itself stay in their places."""
    model = da.gallery(name)
    assert list(model.changed(settings).record.coordinates) == list(model.record.coordinates)
