"""Inputs, states, controllers and outputs against the same models written by hand, by every method."""

import numpy as np
import pytest

import dalembert as da
from dalembert.expressions.parse import parse
from dalembert.formalisms import derive
from dalembert.mechanics.system import System
from dalembert.model.read import model_of
from dalembert.model.values import at_start
from machines import CHETAEV, same, tree
from random_systems import case

BASE = {
    "gravity": [0, 0, -9.81],
    "parameters": {"k": 3.0},
    "coordinates": {"x": {"initial": 0.3, "speed": 0.5}, "y": {"initial": -0.2, "speed": 1.2}},
    "bodies": {"p": {"mass": 2, "position": ["x", "y", "0.3*x^2"]}, "q": {"mass": 1, "position": ["x*y", 0, "y"]}},
}


def with_force(expression, **more):
    return BASE | {"forces": {"f": {"generalized": {"x": expression, "y": "0.5*y'"}}}} | more


def test_an_input_by_expression_is_its_expression():
    inputs = {"u": "k*sin(2*t + x) - x'", "w": {"value": "5*u + y", "min": -1, "max": "k"}, "c": 0.7}
    by_hand = "(k*sin(2*t + x) - x') + clip(5*(k*sin(2*t + x) - x') + y, -1, k)*0.7"
    same(with_force("u + w*c", inputs=inputs), with_force(by_hand))


@pytest.mark.parametrize(("stated", "value"), [(9, 5.0), (-9, -5.0), (2, 2.0), ("k/2", 1.5)])
def test_a_number_is_held_at_its_limits(stated, value):
    model = model_of(with_force("u", inputs={"u": {"value": stated, "min": -5, "max": 5, "unit": "N"}}))
    assert at_start(model).named["u"].value == value
    one_sided = model_of(with_force("u", inputs={"u": {"value": stated, "max": 1}}))
    assert at_start(one_sided).named["u"].value == min(1.0, at_start(one_sided).number(parse(str(stated))))


def test_inputs_of_random_systems():
    for seed in (4, 8):
        drawn = case(seed, generalized=True, varying=False)
        pushes = drawn.data["forces"]["field"]["generalized"]
        data = dict(drawn.data)
        data["inputs"] = {f"u{i}": push for i, push in enumerate(pushes.values())}
        named = {q: f"u{i}" for i, q in enumerate(pushes)}
        data["forces"] = data["forces"] | {"field": {"generalized": named}}
        same(data, drawn.model)


@pytest.mark.parametrize(("between", "value"), [("hold", 2.0), ("linear", 3.5), ("cubic", None)])
def test_data_have_their_value_at_the_start(between, value):
    signal = {"times": [0, 1, 2, 4], "values": [1, 2, 5, 0], "between": between}
    model = model_of(with_force("u", inputs={"u": signal}, simulation={"start": 1.5}))
    if value is None:
        from scipy.interpolate import CubicSpline

        value = float(CubicSpline([0, 1, 2, 4], [1, 2, 5, 0], bc_type="natural")(1.5))
    same(model, model_of(with_force(repr(value), simulation={"start": 1.5})))
    equations = derive(model, "kane", numeric=True)
    ((symbol, kept),) = equations.signals.items()
    assert str(symbol) == "u" and kept.times == (0, 1, 2, 4) and equations.varying == (symbol,)
    assert symbol in equations.parameters and symbol in equations.d[0].free_symbols


def test_data_in_a_unit_are_in_si_in_the_equations():
    model = model_of(with_force("u", inputs={"u": {"times": [0, 1], "values": [1, 2], "unit": "kN"}}))
    ((_, signal),) = derive(model, "kane", numeric=True).signals.items()
    assert signal.values == (1000.0, 2000.0)


def test_a_state_is_a_coordinate_that_a_row_leads():
    """In a force, in another rate, in a nonholonomic row and in a mass, whose derivatives are needed."""
    states = {"e": {"initial": 0.4, "rate": "x' - 0.5*e + x*y"}, "f": {"initial": -0.1, "rate": "e^2 + y'"}}
    row = {"c": "x' - (0.5 + e)*y' + 0.1*f = 0.3"}
    first = with_force("k*e - f*x", states=states, constraints=row)
    second = with_force("k*e - f*x")
    second["coordinates"] = BASE["coordinates"] | {"e": 0.4, "f": -0.1}
    second["constraints"] = row | {"re": "e' = x' - 0.5*e + x*y", "rf": "f' = e^2 + y'"}
    for data in (first, second):
        data["coordinates"] = data["coordinates"] | {"y": {"initial": -0.2, "speed": 1.2}, "x": 0.3}
    reference = da.Model.of(model_of(second)).solve("kane")
    for method in CHETAEV:
        found = da.Model.of(model_of(first)).solve(method)
        for name in "xy":
            assert found.accelerations[name] == pytest.approx(reference.accelerations[name], abs=1e-10), method
        assert found.multipliers["c"] == pytest.approx(reference.multipliers["c"], abs=1e-9), method
        assert found.states == {"e": 0.4, "f": -0.1}
    equations = derive(model_of(first), "kane", numeric=True)
    assert [str(symbol) for symbol in equations.states] == ["e", "f"]


def test_a_tank_is_a_mass_that_its_state_changes():
    body = {"position": ["x", "y", 0], "ejection": ["-30 + y'", "2*x", 0]}
    first = BASE | {"bodies": {"r": body | {"mass": "1 + fuel"}}}
    first["states"] = {"fuel": {"initial": 2, "rate": "-0.3 - 0.1*x"}}
    second = BASE | {"bodies": {"r": body | {"mass": "3 - 0.3*t - 0.1*0.3*t"}}}
    assert model_of(first)
    same(first, second, [m for m in CHETAEV if m in da.Model.of(model_of(first)).methods()])
    alone = BASE | {"bodies": {"r": body | {"mass": "fuel"}}, "states": {}}
    alone["states"] = {"fuel": {"initial": 3, "rate": "-0.3 - 0.1*x"}}
    same(alone, second, [m for m in CHETAEV if m in da.Model.of(model_of(alone)).methods()])


def test_what_a_controller_holds_is_computed_at_the_start():
    sampled = {"c": {"every": 0.01, "u": "-k*x - 2*x'", "v": "y + error"}}
    states = {"error": {"initial": 0.5, "rate": "x - u"}}
    first = with_force("u + 2*v", sampled=sampled, states=states)
    equations = derive(model_of(first), "kane", numeric=True)
    (law,) = equations.sampled
    assert (law.name, law.every, law.offset) == ("c", 0.01, 0.0)
    assert [str(symbol) for symbol in law.values] == ["u", "v"]
    solved = da.Model.of(model_of(first)).solve()
    assert solved.accelerations["x"] == pytest.approx(
        da.Model.of(model_of(with_force("(-k*0.3 - 2*0.5) + 2*(-0.2 + 0.5)"))).solve().accelerations["x"]
    )
    later = with_force("u + 2*v", sampled={"c": sampled["c"] | {"offset": 0.5}}, states=states)
    assert da.Model.of(model_of(later)).solve().accelerations["x"] == pytest.approx(
        da.Model.of(model_of(with_force("0"))).solve().accelerations["x"]
    )


def test_a_controller_drives_an_input_within_its_limits():
    first = with_force("u", inputs={"u": {"value": 0, "min": -1, "max": 1}}, sampled={"c": {"every": 0.1, "u": "-k*9"}})
    assert da.Model.of(model_of(first)).solve().accelerations["x"] == pytest.approx(
        da.Model.of(model_of(with_force("-1"))).solve().accelerations["x"]
    )


def test_check_and_derive_know_states():
    model = da.Model.of(model_of(with_force("s", states={"s": {"rate": "x"}})))
    assert model.check().degrees_of_freedom == 2
    assert "s" in str(model.derive())


def test_outputs_are_what_the_motion_says():
    outputs = {"a": "p''", "f": "2*(p'' + [0, 0, 9.81])", "power": "dot(p', f) + x''*x'", "spin": "x*y''"}
    model = da.Model.of(model_of(with_force("k*x", outputs=outputs)))
    state = model.solve()
    ax, ay = state.accelerations["x"], state.accelerations["y"]
    z = 0.6 * 0.3 * ax + 0.6 * 0.5**2
    assert [state.outputs[f"a.{axis}"] for axis in "xyz"] == pytest.approx([ax, ay, z])
    assert state.outputs["spin"] == pytest.approx(0.3 * ay)
    force = 2 * np.array([ax, ay, z + 9.81])
    assert state.outputs["power"] == pytest.approx(force @ [0.5, 1.2, 0.6 * 0.3 * 0.5] + ax * 0.5)
    assert state.to_dict()["outputs"]["a.x"] == state.outputs["a.x"] and "output" in str(state)
    motion = model.simulate(until=0.5, samples=3)
    assert motion["a.x"] == pytest.approx(motion["x''"]) and motion.to_dict()["outputs"]["a.x"][0] == pytest.approx(ax)


def test_multipliers_and_reactions_of_what_rolls():
    data = {
        "gravity": [0, 0, -9.81],
        "coordinates": {"x": 0, "y": 0, "z": 0.5, "psi": 0.6, "theta": 1.3, "phi": 0},
        "speeds": {"psi": 0.5, "theta": 0.1, "phi": 3},
        "bodies": {"d": {"mass": 2, "position": ["x", "y", "z"], "inertia": [0.1, 0.1, 0.2]}},
        "rolling": {"r": {"body": "d", "wheel": 0.5}},
        "outputs": {
            "n": "reaction.r.normal",
            "m": "multiplier.r.touch",
            "f": "reaction.r.slip",
            "lo": "reaction.r.longitudinal",
            "la": "reaction.r.lateral",
            "a": "d''",
            "grip": "norm(reaction.r.slip)/reaction.r.normal",
        },
    }
    data["bodies"]["d"]["rotation"] = [["z", "psi"], ["x", "theta"]]
    data["bodies"]["d"]["spin"] = ["z", "phi"]
    state = da.Model.of(model_of(data)).solve()
    out = state.outputs
    total = 2 * np.array([out["a.x"], out["a.y"], out["a.z"] + 9.81])
    assert [out["f.x"], out["f.y"], out["n"]] == pytest.approx(total.tolist(), rel=1e-9)
    assert out["n"] == out["m"]
    psi, theta = state.coordinates["psi"], state.coordinates["theta"]
    axle = np.array([np.sin(psi) * np.sin(theta), -np.cos(psi) * np.sin(theta), np.cos(theta)])
    heading = np.cross(axle, [0, 0, 1])
    heading /= np.linalg.norm(heading)
    assert out["lo"] == pytest.approx(total @ heading) and out["la"] == pytest.approx(
        total @ np.cross([0, 0, 1], heading)
    )
    assert out["grip"] == pytest.approx(np.hypot(*total[:2]) / total[2])


def leaf_load(model, child, joint, parent_axes):
    """Force and couple on a body that nothing hangs on, by Newton and Euler, at the joint, in the parent's axes."""
    state = da.Model.of(model).solve()
    out = state.outputs
    a, alpha, omega = (np.array([out[f"{name}.{axis}"] for axis in "xyz"]) for name in ("acc", "alpha", "om"))
    arm = np.array([out[f"arm.{axis}"] for axis in "xyz"])
    system = System(model, numeric=True)
    body = system.bodies[child]
    symbols = {s: state.coordinates[str(s)] for s in system.motion.q}
    R = np.array([[float(e.subs(symbols)) for e in row] for row in body.turning.attitude.matrix])
    J = R @ np.array([[float(e) for e in row] for row in body.turning.inertia]) @ R.T
    gravity = np.array([0.5, 0.2, -9.81])
    force = float(body.mass) * (a - gravity)
    couple = J @ alpha + np.cross(omega, J @ omega) + np.cross(arm, force)
    P = np.eye(3)
    if parent_axes != "ground":
        matrix = system.lowering.attitude(parent_axes).matrix
        P = np.array([[float(e.subs(symbols)) for e in row] for row in matrix])
    return P.T @ force, P.T @ couple, out


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "universal", "ball", "planar", "weld"])
@pytest.mark.parametrize("first", ["revolute", "ball"])
def test_the_load_of_a_joint_is_what_newton_and_euler_say(kind, first):
    for seed in range(2):
        jointed, _ = tree(seed, [first, kind])
        for joint in jointed["joints"].values():
            for key in ("damping", "stiffness", "motor"):
                joint.pop(key, None)
        jointed["joints"]["j1"]["parent"] = "b0"
        inside = jointed["joints"]["j1"]["in_child"]
        arm = " + ".join(f"({-e})*b1.{axis}" for e, axis in zip(inside, "xyz", strict=True))
        jointed["outputs"] = {
            "force": "load.j1.force",
            "couple": "load.j1.couple",
            "acc": "b1''",
            "alpha": "omega(b1)'",
            "om": "omega(b1)",
            "arm": arm,
        }
        force, couple, out = leaf_load(model_of(jointed), "b1", "j1", "b0")
        scale = 1 + np.abs([*force, *couple]).max()
        np.testing.assert_allclose([out[f"force.{a}"] for a in "xyz"], force, atol=1e-10 * scale)
        np.testing.assert_allclose([out[f"couple.{a}"] for a in "xyz"], couple, atol=1e-10 * scale)


def test_the_load_of_a_joint_that_closes_a_loop():
    """The same two bodies, joined by a joint with a coordinate and by one that closes a loop onto a free body."""
    bodies = {name: {"mass": 2, "inertia": [0.4, 0.5, 0.6, 0.05, -0.02, 0.01]} for name in "ab"}
    hung = {"type": "revolute", "parent": "ground", "child": "a", "in_child": [-0.5, 0, 0], "axis": "y"}
    hung["coordinate"] = {"name": "q", "initial": 0.3, "speed": 1}
    joint = {"type": "revolute", "parent": "a", "child": "b", "at": [0.5, 0.1, 0], "in_child": [-0.2, 0.1, 0.3]}
    joint["axis"] = [0.2, 0.1, 1]
    base = {"gravity": [0, 0, -9.81], "bodies": bodies, "outputs": {"f": "load.j.force", "c": "load.j.couple"}}
    placed = base | {"joints": {"h": hung, "j": joint | {"coordinate": {"name": "r", "initial": 0.4, "speed": -0.6}}}}
    model = da.Model.of(model_of(placed | {"outputs": placed["outputs"] | {"w": "omega(b)", "v": "b'", "at": "b"}}))
    first = model.solve()
    start = at_start(model.record)
    free = {"type": "free", "parent": "ground", "child": "b", "coordinates": []}
    for name, axis in zip("xyz", "xyz", strict=True):
        free["coordinates"].append(
            {"name": name, "initial": first.outputs[f"at.{axis}"], "speed": first.outputs[f"v.{axis}"]}
        )
    R = np.array([[entry.value for entry in row] for row in start.axes["b"]])
    omega = R.T @ [first.outputs[f"w.{axis}"] for axis in "xyz"]
    angle, axis = 0.4, np.array([0.2, 0.1, 1])
    turned = bodies["b"] | {
        "attitude": "quaternion",
        "orientation": [["y", 0.3], [axis.tolist(), angle]],
        "angular_velocity": omega.tolist(),
    }
    closed = base | {"bodies": bodies | {"b": turned}, "joints": {"h": hung, "j": joint, "free": free}}
    second = da.Model.of(model_of(closed)).solve()
    for name in ("f.x", "f.y", "f.z", "c.x", "c.y", "c.z"):
        assert second.outputs[name] == pytest.approx(first.outputs[name], abs=1e-9), name


def test_reactions_of_a_joint_by_its_name():
    jointed, _ = tree(1, ["revolute", "revolute"])
    model = da.Model.of(model_of(jointed))
    state = model.solve(reactions=["j1"])
    assert {f"load.j1.{which}.{axis}" for which in ("force", "couple") for axis in "xyz"} <= state.outputs.keys()
    assert all(name.startswith("j1.") for name in state.multipliers)
    again = da.Model.of(model_of(jointed | {"outputs": {"f": "load.j1.force"}})).solve()
    assert again.outputs["f.x"] == pytest.approx(state.outputs["load.j1.force.x"])
