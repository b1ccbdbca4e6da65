"""Joints against the same machines written out by hand, by every method; loops against rows written by hand."""

import pytest

from dalembert.formalisms import derive
from dalembert.model.read import model_of
from dalembert.programs.system import CompiledSystem
from machines import FREE, same, tree


@pytest.mark.parametrize("kind", [kind for kind in FREE if kind != "weld"])
def test_every_type_of_joint_is_what_its_definition_says(kind):
    for seed in range(3):
        same(*tree(seed, [kind]))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_are_those_written_by_hand(seed):
    same(*tree(100 + seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_more_random_trees_are_those_written_by_hand(seed):
    same(*tree(1000 + seed))


def closing(kind, **words):
    """Two bodies, one hanging and one free, connected by a joint without a coordinate."""
    free = {"type": "free", "parent": "ground", "child": "b", "coordinates": []}
    for name, start in zip(("x", "y", "z", "alpha", "beta", "gamma"), (0.8, 0.1, -0.6, 0.2, 0.1, -0.2), strict=True):
        free["coordinates"].append({"name": name, "initial": start})
    hung = {"type": "revolute", "parent": "ground", "child": "a", "in_child": [-0.5, 0, 0], "axis": "y"}
    hung["coordinate"] = {"name": "q", "initial": 0.3, "speed": 1}
    loop = {"type": kind, "parent": "a", "child": "b", "at": [0.5, 0.1, 0], "in_child": [-0.2, 0.1, 0.3], **words}
    bodies = {name: {"mass": 2, "inertia": [0.4, 0.5, 0.6, 0.05, -0.02, 0.01]} for name in "ab"}
    return {"gravity": [0, 0, -9.81], "bodies": bodies, "joints": {"h": hung, "f": free, "loop": loop}}


D = "(b - 0.2*b.x + 0.1*b.y + 0.3*b.z - a - 0.5*a.x - 0.1*a.y)"
POINT = {f"p{i}": f"dot({D}, world.{i}) = 0" for i in "xyz"}
AXIS = {"t1": "dot(a.x, b.z) = 0", "t2": "dot(a.y, b.z) = 0"}
AXES = AXIS | {"t3": "dot(a.x, b.y) = 0"}
LINE = {"l1": f"dot({D}, a.x) = 0", "l2": f"dot({D}, a.y) = 0"}
ROWS = {
    "revolute": POINT | AXIS,
    "prismatic": LINE | AXES,
    "cylindrical": LINE | AXIS,
    "universal": POINT | {"u": "dot(a.z, b.x) = 0"},
    "ball": POINT,
    "planar": {"h": f"dot({D}, a.z) = 0"} | AXIS,
    "weld": POINT | AXES,
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_joint_that_closes_a_loop_is_its_rows_written_by_hand(kind):
    words = {} if kind in ("ball", "weld") else {"axis": "z"}
    jointed = closing(kind, **words)
    by_hand = closing(kind)
    del by_hand["joints"]["loop"]
    by_hand["constraints"] = ROWS[kind]
    same(jointed, by_hand)


def test_a_slanted_axis_of_a_loop_restrains_the_same_motions():
    """The two rows of a slanted axis, against n_C × n_P = 0 with its redundant third row."""
    jointed = closing("revolute", axis=[1, 2, -1])
    by_hand = closing("revolute")
    del by_hand["joints"]["loop"]
    n = "({0}.x + 2*{0}.y - {0}.z)"
    by_hand["constraints"] = POINT | {"c": f"cross({n.format('a')}, {n.format('b')}) = 0"}
    same(jointed, by_hand)


def test_rows_of_a_planar_loop_that_hold_identically_are_dropped_by_name():
    jointed = closing("revolute", axis="y", at=[0.5, 0, 0], in_child=[-0.2, 0, 0])
    jointed["joints"]["f"] = {"type": "planar", "parent": "ground", "child": "b", "axis": "y"}
    start = {"z": -0.3, "x": 0.9, "c": 0.1}
    jointed["joints"]["f"]["coordinates"] = [{"name": n, "initial": q} for n, q in start.items()]
    equations = derive(model_of(jointed), "kane", numeric=True)
    assert [row.name for row in equations.constraints] == ["loop.x", "loop.z"]
    assert [note.split()[2] for note in equations.notes] == ["loop.y", "loop.turn1", "loop.turn2"]


def test_limits_are_contacts_and_a_motor_is_a_force():
    data = closing("ball")
    data["joints"]["h"] |= {"limits": [-0.5, 1.2], "restitution": 0.4, "motor": "3*sin(t)"}
    equations = derive(model_of(data), "kane", numeric=True)
    assert equations.unilateral is not None
    contacts = {
        law.name: (equations.unilateral.phi[law.gap], float(law.restitution)) for law in equations.unilateral.contacts
    }
    q = equations.q[equations.coordinates.index("q")]
    assert contacts == {"h.low": (q + 0.5, 0.4), "h.high": (1.2 - q, 0.4)}
    still = closing("ball")
    driven = closing("ball")
    driven["joints"]["h"]["motor"] = "2.5"
    still["forces"] = {"m": {"generalized": {"q": 2.5}}}
    same(driven, still, ["kane"])


def test_a_wheel_on_a_joint_rolls_about_the_joints_axis():
    """A cart on one wheel: the joint gives the wheel its spin, so the contact does not hold its angle."""
    base = {"gravity": [0, 0, -9.81], "coordinates": {"x": 0, "y": 0, "psi": 0.3}, "speeds": {"psi": 0.7, "x": 1}}
    cart = {"mass": 5, "position": ["x", "y", "R"], "rotation": [["z", "psi"]], "inertia": [1, 1, 1]}
    wheel = {"mass": 1, "inertia": [0.02, 0.04, 0.02]}
    rolling = {"w": {"body": "wheel", "wheel": "R"}}
    jointed = base | {"parameters": {"R": 0.3}, "rolling": rolling, "bodies": {"cart": cart, "wheel": wheel}}
    axle = {"type": "revolute", "parent": "cart", "child": "wheel", "at": [0, 0.5, 0], "axis": "y"}
    jointed["joints"] = {"axle": axle | {"coordinate": {"name": "phi", "initial": 0.4}}}
    by_hand = base | {"parameters": {"R": 0.3}, "rolling": rolling}
    by_hand["coordinates"] = base["coordinates"] | {"phi": 0.4}
    placed = wheel | {"position": "cart + 0.5*cart.y", "frame": "cart", "spin": ["y", "phi"]}
    by_hand["bodies"] = {"cart": cart, "wheel": placed}
    same(jointed, by_hand)
    assert CompiledSystem(derive(model_of(jointed), "kane", numeric=True), "numpy").m == 2
