"""Derivatives through impacts, stick and slip, against differences of high-accuracy motions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from differences import assert_agree, model

import dalembert as da


@pytest.mark.parametrize(
    ("name", "to", "until", "settings"),
    [
        ("bouncing-ball", ["z", "e"], 2.1, {}),
        ("impact-double-pendulum", ["e", "wall", "q1", "m1"], 2.0, {}),
        ("zhang-mei-ball", ["f", "a2", "x'", "cos_alpha"], 5.0, {}),
        ("zhang-mei-ball", ["f", "a2", "x'"], 8.0, {"f": 0.3}),  # stick and slip between impacts
        ("zhang-mei-ball-paper", ["f", "x'"], 6.0, {}),
        ("sliding-to-rolling", ["mu", "x'", "R"], 1.4, {}),  # a planar slip that ends
        ("sleigh-at-a-wall", ["a", "x", "x'"], 2.0, {}),
        ("superball", ["x'", "y'"], 1.9, {}),
        ("rocking-block", ["b", "tilt"], 1.0, {}),
        ("ellipse-billiard", ["a", "x'"], 2.0, {}),
        ("disk-off-a-ledge", ["R", "v"], 1.1, {}),  # a kink, liftoff
    ],
)
def test_models_of_the_gallery(name: str, to: list[str], until: float, settings: dict[str, Any]) -> None:
    assert_agree(da.gallery(name).changed(settings), to, until, step=1e-5)


def test_accumulating_impacts() -> None:
    """t∞ = √(2h/g) (1 + e)/(1 − e): its derivatives by h and e. Afterwards the ball lies still for all h and e."""
    found = da.gallery("bouncing-ball").sensitivities(["z", "e"], at=[4.5])
    chatter = next(event for event in found.events if event.kind == "chatter")
    first = np.sqrt(2 / 9.81)
    assert chatter.time_by["e"] == pytest.approx(first * 2 / 0.2**2, rel=1e-6)
    assert chatter.time_by["z"] == pytest.approx(first * 9 / 2, rel=1e-6)
    assert np.abs(found.jacobian()).max() < 1e-5


def test_a_cascade_of_stick_and_slip() -> None:
    """130 events to the accumulation at t = 8.9150987657…, and beyond."""
    ball = da.gallery("zhang-mei-ball").changed({"f": 0.3})
    found = ball.sensitivities(["a2", "x'"], of=["x", "y", "rx", "y'"], at=[12.0])
    assert len(found.events) > 100
    for name, here in (("a2", 0.4), ("x'", 0.2)):
        two = [ball.simulate(at=[12.0], settings={name: here + s}, tolerance=1e-13) for s in (1e-6, -1e-6)]
        for q in found.of:
            expected = (two[0][q][0] - two[1][q][0]) / 2e-6
            assert found[q, name][0] == pytest.approx(expected, abs=2e-7 * max(1.0, abs(expected)))


DISK: dict[str, Any] = {
    "gravity": [0, 0, -9.81],
    "parameters": {"mu": 0.35, "R": 0.1, "e": 0.7},
    "coordinates": {"x": 0.0, "z": 0.6, "a": 0.0},
    "speeds": {"x": 1.5, "z": 0.0, "a": 4.0},
    "energy": {"kinetic": "R^2*a'^2/5"},
    "bodies": {"ball": {"mass": 1, "position": ["x", 0, "z"]}},
    "contacts": {"floor": {"gap": "z - R", "slip": ["x' + R*a'"], "friction": "mu", "restitution": "e"}},
}


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("mu", [0.05, 0.9])  # slips through the impact; stops in it
def test_friction_in_impacts(law: str, mu: float) -> None:
    floor = {**DISK["contacts"]["floor"], "law": law}
    of = model(DISK, contacts={"floor": floor}, parameters={**DISK["parameters"], "mu": mu})
    found = assert_agree(of, ["mu", "R", "e", "a'"], 0.9, step=1e-5)
    assert [event.kind for event in found.events][:1] == ["impact"]


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_friction_in_the_plane_in_impacts(law: str) -> None:
    """A ball with spin about both horizontal axes: the slip turns while it is slowed."""
    data = {
        "gravity": [0, 0, -9.81],
        "parameters": {"mu": 0.04, "R": 0.1, "e": 0.6},
        "coordinates": {"x": 0.0, "y": 0.0, "z": 0.5, "rx": 0.0, "ry": 0.0},
        "speeds": {"x": 1.5, "y": 0.4, "z": 0.0, "rx": 9.0, "ry": -7.0},
        "energy": {"kinetic": "R^2*(rx'^2 + 1.3*ry'^2)/5"},
        "bodies": {"ball": {"mass": 1, "position": ["x", "y", "z"]}},
        "contacts": {
            "floor": {
                "gap": "z - R",
                "slip": ["x' - R*ry'", "y' + R*rx'"],
                "friction": "mu",
                "restitution": "e",
                "law": law,
            }
        },
    }
    assert_agree(model(data), ["mu", "R", "e", "rx'"], 0.8, step=1e-5)


def test_a_wall_that_moves() -> None:
    data = {
        "parameters": {"A": 0.1, "w": 5.0, "e": 0.8, "g": 9.81},
        "coordinates": {"x": 0.5},
        "energy": {"kinetic": "x'^2/2", "potential": "g*x"},
        "contacts": {"table": {"gap": "x - A*sin(w*t)", "restitution": "e"}},
    }
    found = assert_agree(model(data), ["A", "w", "e", "x"], 1.2, step=1e-5)
    assert len(found.events) > 1


def test_a_block_breaks_away_in_the_plane() -> None:
    """Under a growing force it sticks, then slips from rest along a direction that turns."""
    data = {
        "parameters": {"m": 2.0, "mu": 0.3, "stick": 0.4, "pull": 6.0},
        "coordinates": {"x": 0.0, "y": 0.0},
        "energy": {"kinetic": "m*(x'^2 + y'^2)/2"},
        "forces": {"f": {"generalized": {"x": "pull*t", "y": "3*t^2 + 1"}}},
        "frictions": {
            "ground": {"slip": ["x'", "y'"], "normal": "9.81*m", "coefficient": "mu", "static": "stick"},
        },
    }
    found = assert_agree(model(data), ["m", "mu", "stick", "pull"], 2.0, step=1e-5)
    assert [event.kind for event in found.events] == ["slip"]


def test_a_slip_that_ends_while_it_turns() -> None:
    """A force across bends the path until it stops, and the direction with it; then it sticks."""
    data = {
        "parameters": {"m": 2.0, "mu": 0.3, "side": 2.0},
        "coordinates": {"x": 0.0, "y": 0.0},
        "speeds": {"x": 2.0, "y": 0.5},
        "energy": {"kinetic": "m*(x'^2 + 1.5*y'^2)/2"},
        "forces": {"f": {"generalized": {"y": "side", "x": "0.4*side*x"}}},
        "frictions": {"ground": {"slip": ["x'", "y'"], "normal": "9.81*m", "coefficient": "mu"}},
    }
    found = assert_agree(model(data), ["m", "mu", "side", "x'", "y'"], 1.5, step=1e-5)
    assert [event.kind for event in found.events] == ["stick"]


def test_stick_slip_on_a_belt() -> None:
    data = {
        "parameters": {"k": 9.0, "v": 0.5, "mu": 0.25, "stick": 0.4},
        "coordinates": {"x": 0.0},
        "speeds": {"x": 0.1},
        "energy": {"kinetic": "x'^2/2", "potential": "k*x^2/2"},
        "frictions": {"belt": {"slip": ["x' - v"], "normal": 9.81, "coefficient": "mu", "static": "stick"}},
    }
    found = assert_agree(model(data), ["k", "v", "mu", "stick", "x"], 4.0, step=1e-5)
    assert {event.kind for event in found.events} == {"stick", "slip"}


def test_friction_that_a_constraint_presses() -> None:
    """A bead on a rough wire: N = |λ|, which depends on the friction itself, pressed on from either side."""
    data = {
        "gravity": [0, -9.81, 0],
        "parameters": {"mu": 0.1, "c": 0.4},
        "coordinates": {"x": -1.0, "y": "c*cos(2)"},
        "speeds": {"x": 3.5},
        "bodies": {"bead": {"mass": 1, "position": ["x", "y", 0]}},
        "constraints": {"wire": "y - c*cos(2*x) = 0"},
        "frictions": {
            "rough": {"slip": ["x'*sqrt(1 + (2*c*sin(2*x))^2)"], "normal": "wire", "coefficient": "mu"},
        },
    }
    assert_agree(model(data), ["mu", "c", "x'"], 0.25, step=1e-5)
    below = model(data, coordinates={"x": 0.0, "y": "c"}, speeds={"x": 4.5})
    assert below.solve().multipliers["wire"] < 0
    assert_agree(below, ["mu", "c", "x'"], 0.1, step=1e-5)


def test_rows_that_turn_in_an_impact() -> None:
    """A particle of constant speed strikes a wall: the constraint is not linear, and turns while the speeds change."""
    data = {
        "parameters": {"c": 2.0, "e": 0.5},
        "coordinates": {"x": 0.5, "y": 0.0, "z": 0.0},
        "speeds": {"x": -1.2, "y": 0.9},
        "energy": {"kinetic": "(x'^2 + y'^2 + z'^2)/2"},
        "constraints": {"speed": "x'^2 + y'^2 + z'^2 = c^2"},
        "contacts": {"wall": {"gap": "x", "restitution": "e"}},
    }
    found = assert_agree(model(data), ["c", "e", "x'", "y'"], 0.7, step=1e-5, bound=1e-6)
    assert [event.kind for event in found.events] == ["impact"]


def test_starts_that_a_change_would_break() -> None:
    lying = model(DISK, coordinates={"x": 0, "z": "R", "a": 0}, speeds={"x": 1, "z": 0, "a": 0})
    assert_agree(lying, ["mu", "R", "x'"], 0.1, step=1e-5)
    with pytest.raises(da.MathematicsError, match="starts with floor touching or rolling, and a change of z would end"):
        lying.sensitivities(["z"], until=0.1)


def test_instants_that_a_change_would_part() -> None:
    """Two contacts struck at once by parts that move independently: a change of one separates the impacts."""
    data = {
        "parameters": {"h": 1.0},
        "coordinates": {"x": "h", "y": 1.0},
        "energy": {"kinetic": "(x'^2 + y'^2 + x'*y')/2", "potential": "9.81*(x + y)"},
        "contacts": {"one": {"gap": "x", "restitution": 0.5}, "two": {"gap": "y", "restitution": 0.5}},
    }
    with pytest.raises(da.MathematicsError, match="one and two happen at one instant"):
        model(data).sensitivities(["h"], until=0.8)
    together = model(data, coordinates={"x": "h", "y": "h"})
    assert_agree(together, ["h"], 0.8, step=1e-5)


def test_an_event_that_grazes_has_no_derivative() -> None:
    data = {
        "coordinates": {"x": 1.0, "y": 0.0},
        "speeds": {"x": 0, "y": 1.0},
        "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "x^2/2"},
        "events": {"turn": {"when": "(x - y)^3"}},
    }
    with pytest.raises(da.MathematicsError, match="it grazes"):
        model(data).sensitivities(["x"], until=2)


def control(**more: Any) -> da.Model:
    """A mass on a spring before a wall, with a filter that sees the impact in its rate."""
    data = {
        "parameters": {"k": 3.0, "c": 0.4, "tau": 0.3, "K": 2.0, "e": 0.6},
        "coordinates": {"x": 0.7},
        "energy": {"kinetic": "x'^2", "potential": "k*x^2/2"},
        "states": {"s": {"initial": "0.1*k", "rate": "(x - s + 0.3*x')/tau"}},
        "forces": {"f": {"generalized": {"x": "-c*x'*abs(x) - K*s"}}},
        "events": {"half": {"when": "s - 0.2"}},
        "outputs": {"felt": "x''*s + reaction.wall.normal"},
        "contacts": {"wall": {"gap": "x + 0.2", "restitution": "e"}},
    }
    return model(data | more)


def test_states_of_first_order() -> None:
    found = assert_agree(control(), ["k", "tau", "K", "s", "x'", "e"], 3.0)
    assert [event.kind for event in found.events] == ["crossing", "impact", "crossing"]


def test_a_state_by_hand() -> None:
    """s = ∫ z dt of a ball that bounces once: h t₁ − g t₁³/6 + e g t₁ r²/2 − g r³/6, t₁ = √(2h/g), r = T − t₁."""
    data = {
        "parameters": {"e": 0.7},
        "coordinates": {"z": 1.1},
        "energy": {"kinetic": "z'^2/2", "potential": "9.81*z"},
        "states": {"s": {"initial": 0, "rate": "z"}},
        "contacts": {"ground": {"gap": "z", "restitution": "e"}},
    }
    g, h, e, T = 9.81, 1.1, 0.7, 0.9
    first = np.sqrt(2 * h / g)
    by, rest = 1 / (g * first), T - first  # dt₁/dh
    of_h = first + h * by - g * first**2 * by / 2 + e * g * by * (rest**2 / 2 - first * rest) + g * rest**2 * by / 2
    found = model(data).sensitivities(["z", "e", "s"], of=["s"], at=[T])
    by_hand = {"z": of_h, "e": g * first * rest**2 / 2, "s": 1.0}
    for name, expected in by_hand.items():
        assert found["s", name][0] == pytest.approx(expected, rel=1e-9)


def test_controllers_between_impacts() -> None:
    sampled = {
        "fast": {"every": 0.13, "force": "-K*x - 0.3*k*total"},
        "slow": {"every": 0.4, "offset": 0.1, "total": "total + 0.4*s"},
    }
    forces = {"f": {"generalized": {"x": "force + c*abs(x' + 0.2)"}}}
    assert_agree(control(sampled=sampled, forces=forces), ["k", "tau", "K", "s", "x", "e"], 3.0)


@pytest.mark.parametrize("by", ["data", "controller"])
def test_jumps_that_make_a_block_slip(by: str) -> None:
    """A time that is given does not move, whatever happens then."""
    data: dict[str, Any] = {
        "parameters": {"mu": 0.3, "tau": 0.4, "P": 6.0},
        "coordinates": {"x": 0.0},
        "speeds": {"x": 0.5},
        "energy": {"kinetic": "x'^2/2"},
        "states": {"pull": {"initial": 0, "rate": "(P - pull)/tau"}},
        "forces": {"f": {"generalized": {"x": "u + 0.1*pull"}}},
        "frictions": {"floor": {"slip": ["x'"], "normal": 9.81, "coefficient": "mu"}},
    }
    if by == "data":
        data["inputs"] = {"u": {"times": [0, 0.5, 1.2, 2.0], "values": [0, 5, 0, 4], "between": "hold"}}
    else:
        data["sampled"] = {"c": {"every": 0.5, "u": "8*sin(1.3*t) - 0.1*P*x"}}
    found = assert_agree(model(data), ["mu", "tau", "P", "pull", "x'"], 3.0)
    assert (found.events[1].kind, found.events[1].time_by["mu"]) == ("slip", 0.0)


def test_a_slip_whose_direction_turns_until_it_ends() -> None:
    """The direction tends to its last one like a small power of the slip; a lag follows the motion."""
    data = {
        "parameters": {"mu": 0.3, "tau": 0.4, "P": 2.0},
        "coordinates": {"x": 0.0, "y": 0.0},
        "speeds": {"x": 1.5, "y": 0.4},
        "energy": {"kinetic": "(x'^2 + y'^2)/2"},
        "states": {"pull": {"initial": 0.2, "rate": "(P*x' - pull)/tau"}},
        "forces": {"f": {"generalized": {"y": "pull", "x": "-0.1*pull"}}},
        "frictions": {"floor": {"slip": ["x'", "y'"], "normal": 9.81, "coefficient": "mu"}},
    }
    assert_agree(model(data), ["mu", "tau", "P", "pull", "x'"], 1.2, bound=1e-6)


def test_events_of_reactions_and_accelerations() -> None:
    """A ball that is lifted by k t: the floor carries 5 at (g − 5)/k, lets go at g/k, and z'' = 0.4 at (g + 0.4)/k."""
    data = {
        "parameters": {"k": 2.0, "g": 10.0},
        "coordinates": {"z": 0},
        "energy": {"kinetic": "z'^2/2", "potential": "g*z"},
        "contacts": {"floor": {"gap": "z", "restitution": 0}},
        "forces": {"f": {"generalized": {"z": "k*t"}}},
        "events": {"light": {"when": "reaction.floor.normal - 5"}, "up": {"when": "z'' - 0.4"}},
    }
    found = model(data).sensitivities(["k", "g"], at=[6.5])
    assert [event.name for event in found.events] == ["light", "floor", "up"]
    for event, force in zip(found.events, (5.0, 10.0, 10.4), strict=True):
        assert event.time_by == pytest.approx({"k": -force / 4, "g": 0.5}, rel=1e-8)
