"""Attitudes by quaternion against angles: the same bodies accelerate and move alike, by every method."""

from random import Random

import numpy as np
import pytest

import dalembert as da
from dalembert.expressions.parse import parse
from dalembert.formalisms import derive
from dalembert.mechanics.system import System
from dalembert.model.read import model_of
from dalembert.model.values import at_start
from dalembert.motions.one import integrate
from dalembert.motions.span import TimeSpan
from dalembert.prepared import prepare
from machines import same_bodies, tree


def by_quaternions(jointed: dict, by_hand: dict) -> dict:
    """The same machine with every ball and free joint's angles replaced by a quaternion with the same start."""
    start = at_start(model_of(by_hand))
    names = {**by_hand["coordinates"]}
    bodies, joints = dict(jointed["bodies"]), dict(jointed["joints"])
    for key, joint in joints.items():
        if joint["type"] not in ("ball", "free"):
            continue
        child = joint["child"]
        turns = [[axis, start.number(parse(str(angle)))] for axis, angle in by_hand["bodies"][child]["rotation"]]
        omega = [start.number(parse(f"dot(omega({child}), {child}.{axis})")) for axis in "xyz"]
        bodies[child] = bodies[child] | {"attitude": "quaternion", "orientation": turns, "angular_velocity": omega}
        kept = joint["coordinates"][:-3]
        joints[key] = {k: v for k, v in joint.items() if k not in ("damping", "stiffness", "motor")}
        joints[key]["coordinates"] = kept
        assert {entry["name"] for entry in kept} <= names.keys()
    return jointed | {"bodies": bodies, "joints": joints}


def without_loads(machine: tuple[dict, dict]) -> tuple[dict, dict]:
    jointed, by_hand = machine
    for joint in jointed["joints"].values():
        for key in ("damping", "stiffness", "motor"):
            joint.pop(key, None)
    by_hand.pop("forces", None)
    return jointed, by_hand


@pytest.mark.parametrize(
    "types, seeds",
    [(["free"], 2), (["ball"], 2), (["ball", "revolute"], 1), (["revolute", "ball"], 2), (["free", "universal"], 1)],
)
def test_bodies_with_quaternions_accelerate_as_with_angles(types, seeds):
    for seed in range(seeds):
        jointed, by_hand = without_loads(tree(seed, types))
        same_bodies(model_of(by_quaternions(jointed, by_hand)), model_of(by_hand))


def test_a_body_that_states_its_place_and_rolls_with_a_quaternion():
    """A rolling ball with its mass off centre; only its inertia needs its attitude."""
    place = {"mass": 2, "position": ["x", "y", "R"], "inertia": [0.2, 0.3, 0.4, 0.01, 0.02, 0.03]}
    base = {"parameters": {"R": 0.5}, "coordinates": {"x": 0, "y": 0}, "rolling": {"r": {"body": "ball", "ball": "R"}}}
    turns, omega = [["z", 0.4], ["x", -0.8], ["y", 0.3]], [0.5, -1, 2]
    first = base | {
        "bodies": {"ball": place | {"attitude": "quaternion", "orientation": turns, "angular_velocity": omega}}
    }
    second = base | {"coordinates": {"x": 0, "y": 0, "a": 0.4, "b": -0.8, "c": 0.3}}
    second["bodies"] = {"ball": place | {"rotation": [["z", "a"], ["x", "b"], ["y", "c"]]}}
    second["speeds"] = rates(model_of(second), omega)
    same_bodies(model_of(first), model_of(second))


def rates(model, omega):
    """The speeds of three angles for an angular velocity in body axes."""
    system = System(model, numeric=True)
    columns = system.bodies["ball"].turning.columns[2:]
    start = dict(system.start)
    W = np.array([[float(c.subs(start)) for c in column] for column in columns]).T
    return dict(zip("abc", np.linalg.solve(W, omega).tolist(), strict=True))


def test_a_free_body_moves_the_same_by_quaternion_and_by_angles():
    free = {"type": "free", "parent": "ground", "child": "b"}
    body = {"mass": 2, "inertia": [0.2, 0.5, 0.9, 0.05, 0.02, -0.03]}
    angles = [
        {"name": n, "initial": q, "speed": v}
        for n, q, v in zip(("al", "be", "ga"), (0.3, 0.2, -0.4), (0.5, -0.3, 1), strict=True)
    ]
    places = [{"name": n, "speed": v} for n, v in zip("xyz", (1, 0.5, 2), strict=True)]
    shared = {"gravity": [0, 0, -9.81], "definitions": {"w": "omega(b)", "up": "b.z", "side": "b.x"}}
    shared["forces"] = {"drag": {"body": "b", "torque": "-0.1*omega(b)", "force": "-0.2*b'", "at": "b + 0.1*b.x"}}
    by_angles = shared | {"bodies": {"b": body}, "joints": {"f": free | {"coordinates": places + angles}}}
    start = at_start(model_of(by_angles))
    omega = [start.number(parse(f"dot(omega(b), b.{axis})")) for axis in "xyz"]
    turned = body | {"attitude": "quaternion", "orientation": [["x", 0.3], ["y", 0.2], ["z", -0.4]]}
    turned["angular_velocity"] = omega
    by_quaternion = shared | {"bodies": {"b": turned}, "joints": {"f": free | {"coordinates": places}}}
    first, second = (
        da.Model.of(model_of(data)).simulate(until=1.5, samples=7, tolerance=1e-12)
        for data in (by_quaternion, by_angles)
    )
    for name in ("x", "y", "z", "w.x", "w.y", "w.z", "up.x", "up.y", "side.x", "side.z"):
        np.testing.assert_allclose(first[name], second[name], atol=1e-9, err_msg=name)
    norm = sum(np.asarray(first[f"b.e{i}"]) ** 2 for i in range(4))
    np.testing.assert_allclose(norm, 1, atol=1e-12)


def test_the_quasi_velocities_are_the_angular_velocity():
    chance = Random(4)
    turns = [["x", chance.uniform(-2, 2)], ["y", chance.uniform(-2, 2)]]
    body = {"mass": 1, "position": [0, 0, 0], "inertia": [1, 2, 3], "attitude": "quaternion", "orientation": turns}
    data = {"bodies": {"b": body | {"angular_velocity": [0.3, -2, 0.7]}}}
    equations = derive(model_of(data), "boltzmann-hamel", numeric=True)
    assert equations.quasi is not None and equations.quasi.names == ("b.w1", "b.w2", "b.w3", "b.norm")
    system = System(model_of(data), numeric=True)
    found = [float(value.subs(system.start)) for value in equations.quasi.values[:3]]
    np.testing.assert_allclose(found, [0.3, -2, 0.7], atol=1e-14)


def tumbling(tilt: float) -> da.Model:
    """About the middle axis, which is unstable: the body passes all attitudes, with about one turn a second."""
    body = {"mass": 1, "position": ["x", 0, 0], "inertia": [1, 2, 3], "attitude": "quaternion"}
    body |= {"orientation": [["x", tilt]], "angular_velocity": [0.4, 2 * np.pi, 0.5]}
    data = {"coordinates": {"x": 0}, "bodies": {"b": body}, "definitions": {"up": "dot(b.z, world.z)", "w": "omega(b)"}}
    return da.Model.of(model_of(data))


def test_no_attitude_makes_a_step_small():
    """300 turns that begin with the axis straight up, where three angles would be singular."""
    start = prepare(tumbling(0.0).record)
    times = np.linspace(0, 300, 7)
    raw = integrate(start.system, start.y, TimeSpan(0.0, 300.0, times, 1e-9, dense=True))
    steps = (raw.dense.ends - raw.dense.starts)[5:-1]  # the first ones grow, the last one ends in time
    assert steps.min() > 0.3 * np.median(steps) and len(steps) > 3000
    up = np.array([(y[1] ** 2 + y[4] ** 2) - (y[2] ** 2 + y[3] ** 2) for y in raw.dense(np.linspace(0, 300, 20001))])
    assert up.min() < -0.97 and up.max() > 0.97  # e0² + e3² − e1² − e2²


@pytest.mark.slow
def test_a_million_turns():
    """Each turn takes as many steps as in the first thousand. The energy is that of the start: it is still this motion.

    Takes 50 s of one processor.
    """
    model = tumbling(0.3)
    first = model.simulate(until=1e3, samples=2).diagnostics.steps
    motion = model.simulate(until=1e6, samples=3)
    assert motion.diagnostics.steps < 1.01 * 1000 * first
    assert motion.diagnostics.constraint_residual < 1e-12
    assert motion.diagnostics.energy_drift < 2e-4 * motion.energy["total"][0]


def test_the_tippe_top_turns_over_with_no_more_steps_near_the_poles():
    top = da.gallery("tippe-top-quaternion")
    times = np.linspace(0, 4, 17)
    steps = np.diff([0, *(top.simulate(until=t, samples=2).diagnostics.steps for t in times[1:])])
    lean = top.simulate(at=times)["height"]
    lean = (0.015 - 0.5 * (lean[1:] + lean[:-1])) / 0.0045  # cosine, in the middle of each part of the motion
    near = np.abs(lean) > 0.95
    assert lean[0] > 0.95 and lean[-1] < -0.95 and near.any() and not near.all()
    assert steps[near].max() <= 1.1 * steps[~near].max()
