"""A prepared model moves at any values like one derived for those values, and nothing is compiled again."""

import numpy as np
import pytest

import dalembert as da
import dalembert.prepared as preparing
import dalembert.programs.functions as compiling
from dalembert.api.motion import simulate_from
from dalembert.errors import ModelError
from dalembert.model.values import initial_values
from dalembert.prepared import prepared

SHORT = 0.3


@pytest.mark.parametrize("name", da.gallery())
def test_the_motion_is_that_of_a_model_derived_for_the_values(name, monkeypatch):
    model = da.gallery(name)
    values = initial_values(model.record).parameters
    own = [p for p in values if p not in model.record.inputs]  # data are not set
    settings = {p: 1.01 * values[p] for p in own[:3] if p not in ("e", "f", "r")}
    until = model.record.simulation.start + min(SHORT, model.record.simulation.duration or SHORT)
    once = prepared(model.record)
    simulate_from(once.at(), until=until, samples=4)
    with monkeypatch.context() as patch:
        patch.setattr(compiling, "_made", _known_only)
        patch.setattr(preparing, "derive", _refuse)
        motion = simulate_from(once.at(settings), until=until, samples=4)
    apart = model.simulate(until=until, samples=4, settings=settings)
    for q in apart.coordinates:
        np.testing.assert_allclose(motion[q], apart[q], rtol=1e-6, atol=1e-6)


def _known_only(key, module):
    """Returns compiled programs from the cache, and fails if one is missing."""
    assert key in compiling._KNOWN, "compiled again"
    return compiling._KNOWN[key]


def _refuse(*_, **__):
    raise AssertionError("derived or compiled again")


@pytest.fixture
def pendulum():
    model = da.Model("pendulum whose length is half a height")
    theta = model.coordinates("theta", theta=0.3)
    h, g = model.parameters(h=2, g=9.81)
    L = model.parameters(L=h / 2)
    model.body("bob", mass=1, position=[L * da.sin(theta), 0, -L * da.cos(theta)])
    model.gravity([0, 0, -g])
    return model


def test_a_parameter_that_follows_an_open_one_is_open(pendulum):
    once = prepared(pendulum.record, open=["h"])
    assert once.open == {"h", "L"}
    expected = pendulum.solve(settings={"h": 3}).accelerations["theta"]
    assert simulate_from(once.at({"h": 3}), until=0.1, samples=2).accelerations["theta"][0] == pytest.approx(expected)


def test_a_parameter_put_in_as_a_number_cannot_be_set(pendulum):
    with pytest.raises(ModelError, match="the parameter g was put in as a number"):
        prepared(pendulum.record, open=["h"]).at({"g": 9})


def test_an_unknown_parameter_cannot_be_left_open(pendulum):
    with pytest.raises(ModelError, match="no parameter H"):
        prepared(pendulum.record, open=["H"])


def test_an_initial_multiplier_can_be_set():
    model = da.gallery("heisenberg")
    row = next(iter(model.record.constraints))
    start = prepared(model.record, "vakonomic").at({f"multipliers.{row}": 0.7})
    assert start.z[0] == 0.7
    with pytest.raises(ModelError, match="nothing"):
        prepared(model.record, "vakonomic").at({"multipliers.nothing": 0.7})
