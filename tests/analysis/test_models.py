"""Where Chetaev's and the vakonomic motion coincide: the condition, and the λ₀ that satisfy it."""

from __future__ import annotations

import json
from math import cos, sin, sinh

import pytest

from dalembert.api.analyze import analyze
from dalembert.collection import path
from dalembert.model.change import with_settings
from dalembert.model.read import read, read_text
from small_models import AFFINE


def models(record, until: float = 2.0):
    return analyze(record, ["models"], until=until, seconds=90)["models"]


def test_upright_disk_coincides_for_minus_its_momentum():
    record = read(path("vertical-rolling-disk"))
    found = models(record)
    m, speed, heading = 2, 0.5 * 3, 0.4  # R θ'
    assert found.fitting == pytest.approx({"rolls_x": -m * speed * cos(heading), "rolls_y": -m * speed * sin(heading)})
    assert found.partings[-1].distances[-1] < 1e-6 < 0.1 < found.partings[0].distances[-1]


def test_free_motion_coincides_for_zero():
    found = models(with_settings(read(path("knife-edge")), {"alpha": 0, "phi'": 0, "x'": 1}))
    assert found.fitting == {"edge": 0.0}


def test_zero_multipliers_do_not_make_them_coincide():
    """ẏ = x: Chetaev x = t, vakonomic x = sinh t."""
    found = models(read_text(AFFINE), until=1.0)
    assert not found.always
    assert found.partings[0].distances[-1] == pytest.approx(sinh(1) - 1, abs=1e-6)


def test_integrable_constraints_coincide_always():
    text = AFFINE.replace("y' = x", "(1 + x^2)*y' + 2*x*y*x' = 0")
    found = models(read_text(text))
    assert found.always and found.partings[0].distances[-1] < 1e-8


def test_one_homogeneous_constraint_with_one_degree_of_freedom():
    text = AFFINE.replace("y' = x", "y' = sqrt(x'^2 + y'^2)/2 + x'*sin(x)/9")
    assert models(read_text(text), until=0.5).always


def test_holonomic_models_have_nothing_to_compare():
    assert "holonomic" in models(read(path("simple-pendulum-cartesian"))).reason


def test_skate_on_an_incline_coincides_for_no_multiplier():
    assert models(read(path("knife-edge"))).fitting is None


def test_a_distance_that_a_motion_does_not_reach_is_null():
    found = analyze(read(path("eulers-disk")), ["models"]).to_dict()["models"]
    assert found["differences"][0]["largest"][-1] is None
    json.dumps(found, allow_nan=False)
