"""Normal forces of wheels without a row `touch`, against the same machine with that row added by hand."""

import tomllib
from copy import deepcopy

import numpy as np
import pytest

import dalembert as da
from dalembert.collection import text
from dalembert.errors import ModelError
from dalembert.model.read import model_of
from machines import CHETAEV

GRAVITY = 9.81


def outputs(data: dict, method: str = "kane") -> dict[str, float]:
    return da.Model.of(model_of(data)).solve(method=method).outputs


def asked(data: dict, *names: str) -> dict:
    return data | {"outputs": {f"N_{name}": f"reaction.{name}.normal" for name in names}}


def in_gallery(name: str) -> dict:
    return tomllib.loads(text(name))


def bicycle(lean: float, steer: float, speed: float) -> dict:
    data = in_gallery("whipple-bicycle")
    data["parameters"]["v"]["value"] = speed
    data["coordinates"]["phi"]["initial"], data["coordinates"]["delta"]["initial"] = lean, steer
    data["coordinates"]["phi"]["speed"], data["coordinates"]["delta"]["speed"] = 0.4 * lean, -2 * steer
    return asked(data, "rear", "front")


def test_a_standing_bicycle_rests_on_both_wheels():
    found = outputs(bicycle(0, 0, 0))
    assert found["N_rear"] + found["N_front"] == pytest.approx(94 * GRAVITY, rel=1e-12)
    moment = 85 * 0.3 + 4 * 0.9 + 3 * 1.02  # about the rear contact
    assert found["N_front"] == pytest.approx(moment * GRAVITY / 1.02, rel=1e-12)


@pytest.mark.parametrize("method", ["kane", "normalized-routh"])
def test_a_bicycle_in_a_curve_as_freed_by_hand(method):
    placed = bicycle(0.3, 0.15, 4)
    freed = deepcopy(placed)
    freed["coordinates"]["z"] = 0
    freed["points"]["contact"] = ["x", "y", "z"]
    by_hand = outputs(freed)
    assert "rear.touch" in da.Model.of(model_of(freed)).solve().multipliers
    found = outputs(placed, method)
    for name, value in by_hand.items():
        assert found[name] == pytest.approx(value, rel=1e-10), name


def test_a_disk_as_freed_by_hand_and_by_newton():
    placed = asked(in_gallery("rolling-disk"), "table")
    placed["outputs"]["up"] = "dot(disk'', world.z)"
    freed = deepcopy(placed)
    freed["coordinates"]["z"], freed["points"]["touch"] = 0, ["x", "y", "z"]
    found = outputs(placed)
    assert found["N_table"] == pytest.approx(GRAVITY + found["up"], rel=1e-12)
    assert found["N_table"] == pytest.approx(outputs(freed)["N_table"], rel=1e-10)


def cart(wheels: dict[str, list[float]], freed: bool, held: tuple[str, ...] = ()) -> dict:
    """A hull on wheels that roll, pushed above its centre; on a plane joint, or free with some directions held."""
    data: dict = {
        "gravity": [0, 0, -GRAVITY],
        "coordinates": {},
        "bodies": {"hull": {"mass": 7, "inertia": [0.3, 0.5, 0.6, 0.02, 0.01, 0.03]}},
        "joints": {},
        "rolling": {},
        "forces": {"push": {"body": "hull", "at": "hull + 0.1*hull.z + 0.2*hull.x", "force": [3, -5, -2]}},
        "constraints": {name: f"{name} = 0" for name in held},
    }
    yaw = {"initial": 0.4, "speed": 0.3}
    if freed:
        data["coordinates"] = {"x": 0, "y": 0, "z": 0.2, "yaw": yaw, "roll": 0, "pitch": 0}
        turns = [["z", "yaw"], ["x", "roll"], ["y", "pitch"]]
        data["bodies"]["hull"] |= {"position": ["x", "y", "z"], "rotation": turns}
    else:
        floor = {"type": "planar", "parent": "ground", "child": "hull", "at": [0, 0, 0.2], "axis": "z"}
        data["joints"]["floor"] = floor | {"coordinates": [{"name": "x"}, {"name": "y"}, {"name": "yaw"} | yaw]}
    for name, at in wheels.items():
        data["bodies"][name] = {"mass": 0.4, "inertia": [0.01, 0.02, 0.01]}
        axle = {"type": "revolute", "parent": "hull", "child": name, "at": at, "axis": "y"}
        data["joints"][f"{name}_axle"] = axle | {"coordinate": {"name": f"q_{name}", "speed": 0.5}}
        data["rolling"][name] = {"body": name, "wheel": 0.2, "rows": ["touch", "slip"]}
    return asked(data, *wheels)


LEFT, RIGHT = {"left": [-0.1, 0.3, 0]}, {"right": [-0.1, -0.3, 0]}


@pytest.mark.parametrize("method", CHETAEV)
def test_two_wheels_of_a_cart(method):
    """Two wheels cannot hold the pitch: the floor's joint does, by a couple."""
    by_hand = outputs(cart(LEFT | RIGHT, freed=True, held=("pitch",)))
    found = outputs(cart(LEFT | RIGHT, freed=False), method)
    assert sum(found.values()) == pytest.approx(7.8 * GRAVITY + 2, rel=1e-10)
    for name, value in by_hand.items():
        assert found[name] == pytest.approx(value, rel=1e-10), name


@pytest.mark.parametrize("more", [{"front": [0.5, 0.05, 0]}, {"a": [0.5, 0.3, 0], "b": [0.55, -0.2, 0]}])
def test_three_and_four_wheels_of_a_cart(more):
    """The forces of three wheels are determined. For four, the smallest are reported, as for all redundant rows."""
    wheels = LEFT | RIGHT | more
    rolling = cart(wheels, freed=False)
    free = cart(wheels, freed=True)
    for data in (rolling, free):  # with equal steering they could not turn: they slide and only touch
        for entry in data["rolling"].values():
            entry["rows"] = ["touch"]
    by_hand, model = outputs(free), da.Model.of(model_of(rolling))
    found = model.solve()
    for name, value in by_hand.items():
        assert found.outputs[name] == pytest.approx(value, rel=1e-10), name
    assert any("share the load" in note for note in found.notes) == (len(wheels) == 4)


def test_other_rows_carry_their_part():
    """A rod to the ground, a spring by points and a contact that presses, all at points of the cart."""
    extra = {"points": {"corner": {"from": "hull", "in": "hull", "at": [0.3, 0.1, 0.2]}}}
    spring = {"potential": "20*dot(corner - [0.4, 0.6, 1], corner - [0.4, 0.6, 1])"}
    data = [cart(LEFT | RIGHT, freed=False), cart(LEFT | RIGHT, freed=True, held=("pitch",))]
    for entry in data:
        entry |= extra | {"energy": spring}
        entry["constraints"] |= {"rod": "norm(corner - [2, 1, 1.5]) = norm([1.762, 0.791, 1.1])"}
    found, by_hand = map(outputs, data)
    for name, value in by_hand.items():
        assert found[name] == pytest.approx(value, rel=1e-9), name


def test_two_machines_stand_each_for_itself():
    first = in_gallery("rolling-disk")
    both = asked(first, "table", "other")
    both["coordinates"] |= {
        "x2": 3,
        "yaw2": {"initial": 0.1, "speed": 0.2},
        "roll2": {"initial": 0, "speed": 1},
        "y2": 0,
    }
    both["bodies"] |= {
        "second": {
            "mass": 3,
            "position": ["x2", "y2", 0.2],
            "rotation": [["z", "yaw2"]],
            "spin": ["y", "roll2"],
            "inertia": [1, 1, 1],
        }
    }
    both["rolling"] |= {"other": {"body": "second", "wheel": 0.2}}
    found = outputs(both)
    assert found["N_other"] == pytest.approx(3 * GRAVITY, rel=1e-12)
    assert found["N_table"] == pytest.approx(outputs(asked(in_gallery("rolling-disk"), "table"))["N_table"], rel=1e-12)


def test_lift_and_slip_of_wheels_that_are_placed():
    """A disk on a hub of fixed height, pulled up by 12 t: no load at t = m g/12. Pushed by 3, it slips before that."""
    data = {
        "gravity": [0, 0, -10],
        "coordinates": {"x": 0, "phi": {"initial": 0, "speed": 1}},
        "bodies": {
            "d": {"mass": 2, "position": ["x", 0, 0.5], "spin": ["y", "phi"], "inertia": [0.1, 0.25, 0.1]},
        },
        "forces": {"up": {"body": "d", "force": [3, 0, "12*t"]}},
        "rolling": {"r": {"body": "d", "wheel": 0.5, "grip": 0.4}},
        "outputs": {"n": "reaction.r.normal"},
        "simulation": {"duration": 3},
    }
    motion = da.Model.of(model_of(data)).simulate()
    events = {event.name: event.time for event in motion.events}
    assert events["r.lift"] == pytest.approx(20 / 12, abs=1e-9)
    assert events["r.slip"] == pytest.approx((20 - 1 / 0.4) / 12, abs=1e-9)  # F = 3/3 along the ground
    np.testing.assert_allclose(motion["n"], 20 - 12 * motion.times, atol=1e-9)


def test_a_normal_force_by_the_name_of_what_rolls():
    state = da.gallery("whipple-bicycle").solve(reactions=["rear"], settings={"push": 0})
    assert state.outputs["reaction.rear.normal"] == pytest.approx(612.83647, rel=1e-6)
    assert set(state.multipliers) == {"rear.slip1", "rear.slip2"}


def test_what_leaves_touch_out_has_no_normal_force():
    data = asked(in_gallery("rolling-disk"), "table")
    data["rolling"]["table"]["rows"] = ["slip"]
    with pytest.raises(ModelError, match="leaves touch out"):
        outputs(data)
