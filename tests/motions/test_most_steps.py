"""A motion that is bounded by steps ends there and keeps its part. No clock decides."""

import numpy as np

import dalembert as da
from dalembert.motions.one import integrate
from dalembert.motions.span import TimeSpan
from dalembert.prepared import prepare


def test_a_motion_ends_after_so_many_steps():
    start = prepare(da.gallery("double-pendulum").record, often=False)
    times = np.linspace(0.0, 50.0, 501)
    whole = integrate(start.system, start.y, TimeSpan(0.0, 50.0, times, 1e-10))
    part = integrate(start.system, start.y, TimeSpan(0.0, 50.0, times, 1e-10, most_steps=100))
    assert whole.steps > 100 == part.steps
    assert part.status == "interrupted"
    assert 0 < len(part.times) < len(whole.times)
    assert np.array_equal(part.states, whole.states[: len(part.times)])
