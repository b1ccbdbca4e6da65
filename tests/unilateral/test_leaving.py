"""Where sticking ends and where bounces end, against closed forms and counts: the ends of modes must not be missed."""

import numpy as np
import pytest
from scipy.optimize import brentq

from dalembert.api.model import Model
from dalembert.model.read import model_of

G = 9.81


def rod(mu: float, angle: float, J: float) -> Model:
    """Of mass 1, falling from rest about its rough foot, 1 away from the centre of mass."""
    return Model.of(
        model_of(
            {
                "gravity": [0, -G, 0],
                "coordinates": {
                    "x": {"initial": f"sin({angle})", "speed": 0},
                    "y": {"initial": f"cos({angle})", "speed": 0},
                    "p": {"initial": angle, "speed": 0},
                },
                "bodies": {
                    "rod": {"mass": 1, "position": ["x", "y", 0], "rotation": [["z", "-p"]], "inertia": [0, 0, J]}
                },
                "contacts": {
                    "foot": {"gap": "y - cos(p)", "restitution": 0, "slip": ["x' - p'*cos(p)"], "friction": mu}
                },
                "events": {"slipped": {"when": "x - sin(p) - 1e-3", "stop": True}},
            }
        )
    )


def angle_of_slip(mu: float, angle: float, J: float) -> float:
    """p'² = 2g (cos p₀ − cos p)/(1 + J), p'' = g sin p/(1 + J); the foot gives R = x'', N = g + y''."""

    def cone(p: float, side: int) -> float:
        square, turn = 2 * G * (np.cos(angle) - np.cos(p)) / (1 + J), G * np.sin(p) / (1 + J)
        R, N = np.cos(p) * turn - np.sin(p) * square, G - np.sin(p) * turn - np.cos(p) * square
        return mu * N - side * R

    places = np.linspace(angle, 1.5, 2000)
    found = []
    for side in (1, -1):
        left = np.flatnonzero(cone(places, side) < 0)
        if len(left):
            found.append(brentq(cone, places[left[0] - 1], places[left[0]], args=(side,), xtol=1e-14))
    return min(found)


@pytest.mark.parametrize("seed", range(12))
def test_a_falling_rod_slips_as_its_cone_is_left(seed: int) -> None:
    """The slip begins with no acceleration: whether the instant is a little early or late must not matter."""
    chance = np.random.default_rng(seed)
    mu, angle, J = chance.uniform(0.1, 0.6), chance.uniform(0.02, 0.1), chance.uniform(0.1, 0.6)
    motion = rod(mu, angle, J).simulate(until=6, samples=2, dense=True, tolerance=1e-11)
    slip = next(event for event in motion.events if event.kind == "slip")
    assert float(motion.at(slip.time)["p"]) == pytest.approx(angle_of_slip(mu, angle, J), abs=1e-9)


@pytest.mark.parametrize(
    ("left", "right", "J", "angle"), [(0.4440602192538906, 0.3808546715723349, 0.20343389791758645, 0.2784226906768472)]
)
def test_a_rocker_comes_to_rest_on_both_feet(left: float, right: float, J: float, angle: float) -> None:
    """Its feet strike in turn, without rebound, some forty times faster each time: few blows, then rounding."""
    feet = {"left": -left, "right": right}
    model = Model.of(
        model_of(
            {
                "gravity": [0, -G, 0],
                "coordinates": {"y": {"initial": 0.6, "speed": 0}, "p": {"initial": angle, "speed": 0}},
                "bodies": {
                    "rocker": {"mass": 1, "position": [0, "y", 0], "rotation": [["z", "p"]], "inertia": [0, 0, J]}
                },
                "contacts": {
                    name: {"gap": f"y + ({arm!r})*sin(p) - 0.2*cos(p)", "restitution": 0} for name, arm in feet.items()
                },
            }
        )
    )
    motion = model.simulate(until=2, samples=2)
    assert (motion["y"][-1], motion["p"][-1]) == pytest.approx((0.2, 0), abs=1e-10)
    assert {name: mode[-1] for name, mode in motion.modes.items()} == {"left": "closed", "right": "closed"}
    assert sum(event.kind == "chatter" for event in motion.events) == 1
