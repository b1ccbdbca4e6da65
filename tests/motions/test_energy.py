"""Losses at impacts do not count as drift of the energy."""

from __future__ import annotations

import dalembert as da


def test_a_ball_that_bounces_to_rest_does_not_drift() -> None:
    motion = da.gallery("bouncing-ball").simulate(duration=10)
    assert motion.energy["total"][0] > 9 and abs(motion.energy["total"][-1]) < 1e-9
    assert motion.diagnostics.energy_drift < 1e-9
