"""Thousands of impacts, and quantities that all of them keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da


def test_ten_thousand_reflections_in_an_ellipse() -> None:
    """The product of the angular momenta about the foci is kept by every reflection, and so is the energy."""
    billiard = da.gallery("ellipse-billiard")
    motion = billiard.simulate(until=21_000.0, samples=2001, tolerance=1e-12)
    assert sum(event.kind == "impact" for event in motion.events) > 10_000
    product = motion["product"]
    assert np.abs(product / product[0] - 1).max() < 1e-8
    assert motion.energy["total"] == pytest.approx(0.5, abs=1e-10)
    x, y = motion["x"], motion["y"]
    assert (1 - x**2 / 4 - y**2).min() > -1e-9


@pytest.mark.parametrize(("ratio", "impacts"), [(1.0, 3), (1e2, 31), (1e4, 314)])
def test_galperins_blocks_count_the_digits_of_pi(ratio: float, impacts: int) -> None:
    """A block of mass M = 100ᴺ m sends a block of mass m against a wall: ⌊10ᴺ π⌋ impacts in all."""
    blocks = da.Model("Galperin")
    big, small = blocks.coordinate("X", initial=2, speed=-1), blocks.coordinate("x", initial=1)
    blocks.body("big", mass=ratio, position=[big, 0, 0])
    blocks.body("small", mass=1, position=[small, 0, 0])
    blocks.contact("blocks", gap=big - small)
    blocks.contact("wall", gap=small)
    motion = blocks.simulate(until=10.0 if ratio > 1 else 20.0, samples=2, tolerance=1e-12)
    assert len(motion.events) == impacts == math.floor(math.pi * math.sqrt(ratio))


def test_a_ball_comes_to_rest_in_finite_time() -> None:
    """h = 1, e = 0.8, g = 9.81: √(2h/g) (1 + e)/(1 − e)."""
    motion = da.gallery("bouncing-ball").simulate(until=10.0, samples=11, tolerance=1e-12)
    (end,) = (event.time for event in motion.events if event.kind == "chatter")
    assert end == pytest.approx(4.063712768871579, abs=1e-11)
    late = motion.times > end
    assert late.sum() == 6 and not motion["z'"][late].any() and np.abs(motion["z"][late]).max() < 1e-20
    assert motion.multipliers["floor"][late] == pytest.approx(9.81, rel=1e-14)
