"""The bicycle far from upright: Basu-Mandal, Chatterjee and Papadopoulos, Proc. R. Soc. A 463 (2007) 1983, table 1.

The numbers are those of the table in DynamicistToolKit 0.7.0 (dtk.bicycle), with 13 decimals. Half of the last decimal
of the state moves ψ̈_f by 2e-12, so the state is needed with more: its five free numbers are the first that MATLAB
draws (0.95012928514718, …, 14 decimals), and the pitch follows from touching. Theirs ↔ ours (turned by π about y):
    (x, y, z) = (−x, y, −z) of the rear hub    ϑ = −psi    ψ = π/2 − phi    ϕ = π − chi    ψ_f = −delta
    β̇_r = −(thetaR' − chi')  relative to the frame    β̇_f = −thetaF'
"""

import tomllib
from math import pi

import pytest

import dalembert as da
from dalembert.collection import text
from dalembert.model.read import model_of

ANGLES = {"psi": 0.9501292851472, "phi": 3.1257073014894, "psif": 0.2311385135743}
DRAWN = {"psi": 0.95012928514718, "psif": 0.23113851357429, "psi'": 0.60684258354179, "psif'": 0.48598246870930}
PITCH = 3.1257073014893493  # where the front wheel touches the road, by a root of that equation to 30 digits
SPEEDS = {
    "x": -2.8069345714545,
    "y": -0.1480982396001,
    "z": 0.1058778746261,
    "theta": 0.7830033527065,
    "psi": 0.6068425835418,
    "phi": -0.0119185528069,
    "psif": 0.4859824687093,
    "betar": 8.9129896614890,
    "betaf": 8.0133620584155,
}
ACCELERATIONS = {
    "x": -0.5041626315047,
    "y": -0.3449706619454,
    "z": -1.4604528332980,
    "theta": 0.8353281706379,
    "psi": -7.8555281128244,
    "phi": 0.1205543897884,
    "psif": -4.6198904039403,
    "betar": 1.8472554144217,
    "betaf": 2.4548072904550,
}
LAST = 1.01e-13  # one unit of the last decimal


def theirs(hub: dict[str, float], rates: dict[str, float]) -> dict[str, float]:
    """A speed or an acceleration in their letters."""
    turned = {"theta": "psi", "psi": "phi", "phi": "chi", "psif": "delta", "betaf": "thetaF"}
    found = {name: -rates[ours] for name, ours in turned.items()}
    return found | {"x": -hub["x"], "y": hub["y"], "z": -hub["z"], "betar": rates["chi"] - rates["thetaR"]}


@pytest.fixture(scope="module")
def state():
    """The printed state; speeds that the rows determine are left to them."""
    bicycle = tomllib.loads(text("whipple-bicycle"))
    bicycle["outputs"] = {"acceleration": "rear_hub''", "velocity": "rear_hub'"}
    del bicycle["speeds"]
    for name in ("thetaR", "thetaF"):
        bicycle["coordinates"][name] = 0
    bicycle["coordinates"] |= {
        "phi": {"initial": pi / 2 - DRAWN["psi"], "speed": -DRAWN["psi'"]},
        "delta": {"initial": -DRAWN["psif"], "speed": -DRAWN["psif'"]},
        "chi": {"initial": pi - PITCH},
    }
    slow = da.Model.of(model_of(bicycle)).solve().speeds["chi"]  # holonomic: it does not depend on the wheels
    bicycle["coordinates"]["thetaR"] = {"initial": 0, "speed": slow - SPEEDS["betar"]}
    return da.Model.of(model_of(bicycle)).solve()


def test_the_state_is_the_printed_one():
    assert all(abs(DRAWN[name] - value) < LAST for name, value in ANGLES.items() if name in DRAWN)
    assert abs(PITCH - ANGLES["phi"]) < LAST


@pytest.mark.parametrize("name", SPEEDS)
def test_speeds_of_table_1(state, name):
    found = theirs({axis: state.outputs[f"velocity.{axis}"] for axis in "xyz"}, state.speeds)
    assert found[name] == pytest.approx(SPEEDS[name], rel=0, abs=LAST)


@pytest.mark.parametrize("name", ACCELERATIONS)
def test_accelerations_of_table_1(state, name):
    found = theirs({axis: state.outputs[f"acceleration.{axis}"] for axis in "xyz"}, state.accelerations)
    assert found[name] == pytest.approx(ACCELERATIONS[name], rel=0, abs=LAST)
