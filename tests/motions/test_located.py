"""A root is located to rounding anywhere in a long step, where fractions of the step are coarser than time."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.model.read import read_text
from dalembert.prepared import prepared

FREE = """
title = "A free particle that passes a place"
[coordinates]
x = { initial = 0, speed = 1 }
[bodies.particle]
mass = 1
position = ["x", 0, 0]
[events.there]
when = "x - 1"
[simulation]
duration = 20
"""


def test_a_place_is_passed_when_it_is_reached():
    """Two of these were once located half a second late: the search had stopped at a neighbouring root."""
    start = prepared(read_text(FREE))
    random = np.random.default_rng(1)
    for _ in range(100):
        x, v = random.uniform(-1.0, 0.9), random.uniform(0.1, 2.0)
        motion = simulate_from(start.at({"x": x, "x'": v}), until=20, samples=2)
        assert [event.time for event in motion.events] == [pytest.approx((1.0 - x) / v, rel=1e-14)]


@pytest.mark.parametrize("x", np.linspace(0.2, 1.0, 20)[[2, 3, 6, 10, 11, 12, 16]])
def test_a_slip_that_stops_has_stopped(x):
    """Zhang and Mei's ball: π4 grows evenly from −1 to zero, and starts again at zero after each impact."""
    start = prepared(da.gallery("zhang-mei-ball").record).at({"f": 0.35 * 17 / 19 + 0.05, "x": x})
    motion = simulate_from(start, until=6, samples=2)
    slips = [event.after["x"] - event.after["ry"] for event in motion.events if event.kind == "stick"]
    assert slips
    assert np.abs(slips).max() < 1e-13
