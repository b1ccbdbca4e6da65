"""Radau finds the events that other steppers find."""

import numpy as np
import pytest

from dalembert.api.motion import simulate
from dalembert.model.read import read_text

PENDULUM = """
gravity = [0, -9.81, 0]
[coordinates]
x = 0.6
y = -0.8
[bodies.bob]
mass = 1
position = ["x", "y", 0]
[constraints]
rod = "x^2 + y^2 = 1"
[events.bottom]
when = "x"
[simulation]
duration = 4
"""


def test_events_are_those_of_the_compiled_stepper() -> None:
    record = read_text(PENDULUM)
    ours = simulate(record, stepper="radau", tolerance=1e-10)
    exact = simulate(record, stepper="dop853", tolerance=1e-12)
    assert len(ours.events) == len(exact.events) > 3
    assert [e.direction for e in ours.events] == [e.direction for e in exact.events]
    np.testing.assert_allclose([e.time for e in ours.events], [e.time for e in exact.events], atol=1e-8)
    assert ours.diagnostics.constraint_residual < 1e-13
    assert ours.events[0].before["y"] == pytest.approx(0.0, abs=1e-8)
