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


@pytest.mark.parametrize(
    ("text", "stepper", "step"),
    [
        (FREE, "dop853", None),
        (FREE, "radau", None),
        (FREE, "taylor", None),
        (FREE, "gauss", 5.0),
        (FREE + WALL, "auto", None),
    ],
)
def test_every_crossing_of_a_fast_guard(text, stepper, step):
    motion = simulate(read_text(text), until=50.0, at=[50.0], stepper=stepper, step=step)
    expected = [k * math.pi / 10 - 0.1 for k in range(1, math.floor(10 * 50.1 / math.pi) + 1)]
    assert [event.time for event in motion.events] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("stepper", ["dop853", "radau", "taylor", "gauss"])
def test_crossings_that_become_dense(stepper):
    """There is room for the first steps' crossings, not for those of the later ones. Then the steps become shorter."""
    text = FREE.replace("sin(10*x)", "sin(x^2)").replace("initial = 0.1", "initial = 0.5")
    motion = simulate(read_text(text), until=30.0, at=[30.0], stepper=stepper, step=2.0)
    expected = [math.sqrt(k * math.pi) - 0.5 for k in range(1, math.floor(30.5**2 / math.pi) + 1)]
    assert [event.time for event in motion.events] == pytest.approx(expected, abs=1e-9)
