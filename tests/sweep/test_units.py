"""Numbers of users are in the stated unit: in sweeps, derivatives and sliders as in --set."""

import numpy as np
import pytest

import dalembert as da
from dalembert.lab.described import described
from dalembert.model.read import model_of

PENDULUM = {
    "gravity": [0, 0, -9.81],
    "parameters": {"l": {"value": 50, "unit": "cm", "min": 10, "max": 200}},
    "coordinates": {"theta": {"initial": 30, "unit": "deg"}},
    "bodies": {"b": {"mass": 1, "position": ["l*sin(theta)", 0, "-l*cos(theta)"]}},
    "simulation": {"duration": 1, "tolerance": 1e-12},
}


@pytest.fixture(scope="module")
def model():
    return da.Model.of(model_of(PENDULUM))


@pytest.mark.parametrize("engine", ["threads", "reference"])
def test_sweeps(model, engine):
    records = ["final theta", "final theta'", "max theta", "crossing theta = 20", "theta'' at 1"]
    found = model.sweep({"theta": [60, 30], "l": [25, 50]}, record=records, engine=engine)
    for i, theta in enumerate((60, 30)):
        for j, length in enumerate((25, 50)):
            run = model.changed({"theta": theta, "l": length}).simulate(samples=2)
            assert float(found["final theta"][i, j]) == pytest.approx(run["theta"][-1], abs=1e-9)
            assert float(found["final theta'"][i, j]) == pytest.approx(run["theta'"][-1], abs=1e-8)
            assert float(found["theta''(t)"][i, j, 0]) == pytest.approx(run["theta''"][-1], abs=1e-6)
            assert float(found["max theta"][i, j]) == pytest.approx(theta)
            time = float(found["crossing theta = 20"][i, j])
            there = model.changed({"theta": theta, "l": length}).simulate(at=[time])
            assert there["theta"][0] == pytest.approx(20, abs=1e-8)
    assert found["final theta'"].attrs["units"] == "deg/s" and found["l"].attrs["units"] == "cm"


def test_derivatives(model):
    slopes = model.sensitivities(to=["l", "theta", "theta'"], of=["theta", "theta'"])
    stated = {"l": 50.0, "theta": 30.0, "theta'": 0.0}
    for place, (name, value) in enumerate(stated.items()):
        ends = [model.changed({name: value + sign * 1e-3}).simulate(samples=2) for sign in (1, -1)]
        for of in ("theta", "theta'"):
            expected = (ends[0][of][-1] - ends[1][of][-1]) / 2e-3
            assert slopes.values[of][-1, place] == pytest.approx(expected, rel=1e-5)


def test_sliders(model):
    controls = {one["name"]: one for one in described(model.record)["controls"]}
    assert (controls["l"]["value"], controls["l"]["unit"]) == (50.0, "cm")
    assert (controls["l"]["min"], controls["l"]["max"]) == (10.0, 200.0)
    assert controls["theta"]["value"] == pytest.approx(30) and controls["theta"]["unit"] == "deg"
    assert (controls["theta"]["min"], controls["theta"]["max"]) == (-180.0, 180.0)
    assert controls["theta'"]["unit"] == "deg/s"
    again = model.changed({name: one["value"] for name, one in controls.items() if one["value"] is not None})
    np.testing.assert_allclose(again.simulate(samples=3)["theta"], model.simulate(samples=3)["theta"], rtol=1e-12)
