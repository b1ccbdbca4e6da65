"""A bead on a wavy wire, pressed against one side of it and then the other: friction opposes the slip on both."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

WIRE = """
title = "Bead on a wavy wire"
gravity = [0, -9.81, 0]

[parameters]
c = 0.4
mu = 0.1

[coordinates]
x = -1
y = "c*cos(2)"

[speeds]
x = 3.5

[bodies.bead]
mass = 1
position = ["x", "y", 0]

[constraints]
wire = "y - c*cos(2*x) = 0"

[frictions.rub]
slip = ["x'*sqrt(1 + (2*c*sin(2*x))^2)"]
normal = "wire"
coefficient = "mu"
"""


def acceleration(x: float, v: float) -> float:
    """x″ = −λ f′ − μ|λ| √(1 + f′²),  λ = f″ x′² + f′ x″ + g on y = f(x), for a bead that moves to the right."""
    slope, bend = -0.8 * math.sin(2 * x), -1.6 * math.cos(2 * x)
    for side in (1, -1):
        k = slope + 0.1 * side * math.sqrt(1 + slope**2)
        found = -k * (bend * v * v + 9.81) / (1 + k * slope)
        if side * (bend * v * v + slope * found + 9.81) >= 0:
            return found
    raise AssertionError("no side")


@pytest.mark.parametrize("speed", [3.5, 4.0, 4.5])
def test_friction_on_both_sides_of_a_wire(loaded, speed):
    times = [0.1, 0.2, 0.3, 0.4]
    motion = loaded(WIRE).simulate(at=times, tolerance=1e-11, settings={"x'": speed})
    pressed = motion.multipliers["wire"]
    assert pressed.min() < 0 < pressed.max()
    known = solve_ivp(
        lambda t, s: [s[1], acceleration(*s)], (0, 0.4), [-1, speed], "DOP853", times, rtol=1e-10, atol=1e-10,
        max_step=1e-3,
    )  # fmt: skip
    np.testing.assert_allclose(motion["x"], known.y[0], atol=1e-8)
    np.testing.assert_allclose(motion.speeds["x"], known.y[1], atol=1e-7)
