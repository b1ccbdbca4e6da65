"""Widgets of notebooks: sliders that compute a new motion, a second motion over it, visible refusals."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("anywidget", reason="no widgets: anywidget is not installed")


@pytest.fixture
def pendulum() -> Any:
    return da.gallery("simple-pendulum").lab(duration=1)


def test_sliders_are_the_values_that_the_model_states(pendulum: Any) -> None:
    assert [control["name"] for control in pendulum.sliders] == ["m", "l", "g", "theta"]
    assert pendulum.values["l"] == 1.0
    for control in pendulum.sliders:
        assert control["min"] <= control["value"] <= control["max"]


def test_a_changed_value_is_another_motion(pendulum: Any) -> None:
    before = pendulum.scene
    pendulum.values = {**pendulum.values, "theta": 0.5, "l": 2.0}
    expected = da.gallery("simple-pendulum").simulate(settings={"theta": 0.5, "l": 2.0}, duration=1)
    np.testing.assert_array_equal(pendulum.motion["theta"], expected["theta"])
    assert pendulum.scene != before
    assert pendulum.said == ""


def test_a_refusal_is_said_and_the_picture_stays(pendulum: Any) -> None:
    before = pendulum.scene
    pendulum.values = {**pendulum.values, "m": -1.0}
    assert "a number of at least 0 is expected" in pendulum.said
    assert pendulum.scene is before
    pendulum.values = {**pendulum.values, "m": 2.0}
    assert pendulum.said == ""
    assert pendulum.scene is not before


def test_a_value_that_follows_a_parameter_goes_on_following_it() -> None:
    model = da.Model("Follows")
    r = model.parameter("r", 0.1)
    model.parameter("m", 10 * r)
    x = model.coordinate("x", 1)
    model.body("b", mass="m", position=[x, 0, 0])
    lab = model.lab(duration=0.1)
    lab.values = {**lab.values, "r": 0.3}
    assert lab.motion.energy["total"][0] == 0.0
    assert lab._follow({"r": 0.3})[0].animate().record.parameters["m"].value != 1.0


def test_two_methods_in_one_picture() -> None:
    lab = da.gallery("knife-edge").lab(["alpha"], method="chetaev", over="vakonomic", duration=1)
    assert (lab.motion.method, lab.over.method) == ("chetaev", "vakonomic")
    assert lab.ghost["method"] == "vakonomic"
    assert lab.scene["method"] == "chetaev"


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(da.ModelError, match="there is no thetta to set; did you mean theta"):
        da.gallery("simple-pendulum").lab(["thetta"])


def test_an_animation_as_a_widget() -> None:
    model = da.gallery("knife-edge")
    first, second = (model.simulate(method, duration=1) for method in ("chetaev", "vakonomic"))
    player = first.animate(speed=2, time=0.5).widget(over=second)
    assert player.time == 0.5
    assert player.options["speed"] == 2
    assert player.ghost["method"] == "vakonomic"
    json.dumps([player.scene, player.ghost, player.options], allow_nan=False)


def test_nothing_is_fetched() -> None:
    from dalembert.view import widget

    assert "import(" not in widget.script().split("mountPlayer")[-1]
    assert "url(" not in widget.style()
