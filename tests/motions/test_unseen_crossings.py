"""A guard that oscillates faster than the motion: no crossing is missed, for any stepper and length of steps."""

import math

import pytest

from dalembert.api.motion import simulate
from dalembert.model.read import read_text

FREE = """
[coordinates]
x = { initial = 0.1, speed = 1 }
y = 1
[bodies.p]
mass = 1
position = ["x", "y", 0]
[events.zero]
when = "sin(10*x)"
"""
WALL = """
[contacts.floor]
gap = "y"
"""


@pytest.mark.parametrize(("text", "stepper"), [(FREE, "dop853"), (FREE, "radau"), (FREE + WALL, "auto")])
def test_every_crossing_of_a_fast_guard(text, stepper):
    motion = simulate(read_text(text), until=50.0, at=[50.0], stepper=stepper)
    expected = [k * math.pi / 10 - 0.1 for k in range(1, math.floor(10 * 50.1 / math.pi) + 1)]
    assert [event.time for event in motion.events] == pytest.approx(expected, abs=1e-9)
