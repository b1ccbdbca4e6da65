"""Events of accelerations and reactions: they watch the reported values."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.read import model_of

PENDULUM = {
    "gravity": [0, 0, -9.81],
    "coordinates": {"x": 0.6, "z": {"initial": -0.8}},
    "bodies": {"bob": {"mass": 2, "position": ["x", 0, "z"]}},
    "constraints": {"rod": "sqrt(x^2 + z^2) = 1"},
    "outputs": {"pull": "multiplier.rod", "felt": "dot(bob'', world.x)"},
    "events": {"strong": {"when": "pull + 20"}, "turn": {"when": "x''"}},
    "simulation": {"duration": 3, "tolerance": 1e-11},
}


def model(data):
    return da.Model.of(model_of(data))


@pytest.mark.parametrize("method", ["kane", "chetaev", "maggi", "udwadia-kalaba"])
def test_roots_of_a_reaction_and_of_an_acceleration(method):
    """Thread force 2 (g cos θ + θ'²) = 2 g (3 cos θ − 2 cos θ₀), and x'' = 0 where the bob passes below."""
    run = model(PENDULUM).simulate(method)
    start = np.arctan2(0.6, 0.8)
    sign = np.sign(run["pull"][0])
    strong = [e for e in run.events if e.name == "strong"]
    at = model(PENDULUM).simulate(method, at=[e.time for e in run.events])
    values = dict(zip(at.times.tolist(), at["pull"].tolist(), strict=True))
    assert sign < 0 and len(strong) >= 4
    for event in strong:
        assert values[event.time] == pytest.approx(-20, abs=1e-8)
    angle = np.arccos((20 / (2 * 9.81) + 2 * np.cos(start)) / 3)
    first = (
        model(PENDULUM | {"events": {"there": {"when": f"x - {float(np.sin(angle))!r}"}}})
        .simulate(method)
        .events[0]
        .time
    )
    assert strong[0].time == pytest.approx(first, abs=1e-9)
    turns = [e.time for e in run.events if e.name == "turn"]
    x = dict(zip(at.times.tolist(), at["x''"].tolist(), strict=True))
    assert turns and all(abs(x[t]) < 1e-7 for t in turns)


def test_an_answer_may_stop_a_motion_with_contacts():
    """A ball that is lifted slowly: the motion ends where the floor's force, watched by an event, falls to 5."""
    data = {
        "coordinates": {"z": 0},
        "bodies": {"b": {"mass": 1, "position": [0, 0, "z"]}},
        "gravity": [0, 0, -10],
        "contacts": {"floor": {"gap": "z", "restitution": 0}},
        "forces": {"f": {"generalized": {"z": "2*t"}}},
        "events": {"light": {"when": "reaction.floor.normal - 5", "stop": True}},
        "simulation": {"duration": 9},
    }
    run = model(data).simulate()
    assert run.status == "stopped" and run.times[-1] == pytest.approx(2.5, abs=1e-9)


def disk(grip, **more):
    return {
        "gravity": [0, 0, -9.81],
        "coordinates": {"x": 0, "y": 0, "z": 0.5, "psi": 0.6, "theta": 1.2, "phi": 0},
        "speeds": {"psi": 0.5, "theta": 0.1, "phi": 3},
        "bodies": {
            "d": {
                "mass": 2,
                "position": ["x", "y", "z"],
                "inertia": [0.1, 0.1, 0.2],
                "rotation": [["z", "psi"], ["x", "theta"]],
                "spin": ["z", "phi"],
            }
        },
        "rolling": {"r": {"body": "d", "wheel": 0.5, "grip": grip}},
        "outputs": {"share": "norm(reaction.r.slip)/reaction.r.normal", "n": "reaction.r.normal"},
        "simulation": {"duration": 2},
    } | more


def test_what_rolls_with_a_grip_says_when_it_would_slip():
    free = model(disk(10)).simulate(samples=400)
    level = float(0.5 * (free["share"].min() + free["share"].max()))
    run = model(disk(level)).simulate()
    found = [e for e in run.events if e.name == "r.slip"]
    assert found
    at = model(disk(level)).simulate(at=[e.time for e in found])
    assert at["share"] == pytest.approx(level, abs=1e-8)
    below = free["share"] < level
    assert len(found) == int(np.sum(below[1:] != below[:-1]))


def test_what_would_have_to_pull_lifts():
    """A ball rolls over a hill too fast: the normal force vanishes where v² = g R cos."""
    data = {
        "gravity": [0, 0, -9.81],
        "coordinates": {"x": 0, "z": 1.1, "a": 0},
        "speeds": {"x": 1.0},
        "bodies": {
            "b": {"mass": 1, "position": ["x", 0, "z"], "rotation": [["y", "a"]], "inertia": [0.001, 0.001, 0.001]}
        },
        "constraints": {"hill": "sqrt(x^2 + z^2) = 1.1"},
        "events": {"lift": {"when": "multiplier.hill"}},
        "simulation": {"duration": 1},
    }
    run = model(data).simulate()
    event = run.events[0]
    at = model(data).simulate(at=[event.time])
    x, z, v = at["x"][0], at["z"][0], np.hypot(at["x'"][0], at["z'"][0])
    assert v**2 == pytest.approx(9.81 * z, rel=1e-8)
    assert event.name == "lift" and x > 0


def test_sweeps_count_them():
    data = PENDULUM | {"parameters": {"m": 2.0}}
    data["bodies"] = {"bob": {"mass": "m", "position": ["x", 0, "z"]}}
    found = model(data).sweep({"m": [1.0, 2.0]}, record=["events crossing strong"])
    assert found["events crossing strong"].values.tolist()[0] == 0
    assert found["events crossing strong"].values.tolist()[1] == len(
        [e for e in model(PENDULUM).simulate().events if e.name == "strong"]
    )


def test_a_disk_that_is_placed_slips_when_the_free_one_does():
    free, placed = disk(0.6), disk(0.6)
    free["coordinates"]["z"] = 0.5 * np.sin(1.2)
    placed["coordinates"] = {k: v for k, v in placed["coordinates"].items() if k != "z"}
    placed["bodies"]["d"]["position"] = ["x", "y", "0.5*sin(theta)"]
    first, second = model(free).simulate(), model(placed).simulate()
    assert second["n"] == pytest.approx(first["n"], abs=1e-6) and len(first.events) > 0
    assert [e.name for e in second.events] == [e.name for e in first.events]
    assert [e.time for e in second.events] == pytest.approx([e.time for e in first.events], abs=1e-7)


def test_faults():
    with pytest.raises(ModelError, match="grip compares slip with touch"):
        only = disk(0.5)
        only["rolling"]["r"]["rows"] = ["touch"]
        model(only)


@pytest.mark.parametrize(
    ("data", "name", "here"), [(PENDULUM, "x", 0.6), (disk(0.6), "theta'", 0.1)], ids=["pendulum", "grip"]
)
def test_derivatives_of_their_times(data, name, here):
    """Against differences; the grip of a disk ends by `slip`, an event of its reactions."""
    base, step = model(data), 1e-5
    found = base.sensitivities([name], at=[1.5], tolerance=1e-12)
    moved = [base.simulate(until=1.5, settings={name: here + s * step}, tolerance=1e-13).events for s in (1, -1)]
    assert len(found.events) == len(moved[0]) > 0
    for event, more, less in zip(found.events, *moved, strict=True):
        assert event.time_by[name] == pytest.approx((more.time - less.time) / (2 * step), abs=1e-6)
