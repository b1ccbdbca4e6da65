"""Bodies whose contacts share a load: when they move, and forces inside their cones at every sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

MODELS = Path(__file__).parent / "models"
SLIPS = {"two-feet-never-slide": ("right", "left"), "four-legs-slide-late": ("c0", "c1", "c2", "c3")}


def motion(name: str, **more):
    return da.load(MODELS / f"{name}.toml").simulate(**more)


def first(found, kind: str) -> float:
    return min(event.time for event in found.events if event.kind == kind)


def assert_inside(found, contact: str, mu: float) -> None:
    """|R| ≤ μN, nothing on an open contact."""
    normal = found.multipliers[contact]
    parts = [name for name in (f"{contact}.slip", f"{contact}.slip1", f"{contact}.slip2") if name in found.multipliers]
    rubs = np.sqrt(sum(found.multipliers[part] ** 2 for part in parts))
    scale = np.abs(normal).max()
    assert normal.min() >= -1e-9 * scale
    assert (rubs - mu * normal).max() <= 1e-7 * scale


def test_a_box_on_two_feet_slides_when_no_forces_hold_it():
    """F = 3 sin 3t > 2.1875, and x″ = (1.6 F − 3.5)/1.3 from there."""
    found = motion("two-feet-never-slide", until=0.6)
    start = np.arcsin(2.1875 / 3) / 3
    assert first(found, "slip") == pytest.approx(start, abs=1e-9)
    t = found.times[-1]
    speed = (1.6 * (np.cos(3 * start) - np.cos(3 * t)) - 3.5 * (t - start)) / 1.3
    assert found["x'"][-1] == pytest.approx(speed, abs=1e-8)
    assert np.abs(found["th"]).max() < 1e-9
    assert_inside(found, "right", 0.1)
    assert_inside(found, "left", 0.6)


def test_a_table_on_four_legs_slides_at_once():
    """All legs hold 3 together: 4 t from t = 0.75, x(1.5) = 0.28125."""
    found = motion("four-legs-slide-late", until=1.5)
    assert first(found, "slip") == pytest.approx(0.75, abs=1e-9)
    assert found["x"][-1] == pytest.approx(0.28125, abs=1e-8)
    for leg in SLIPS["four-legs-slide-late"]:
        assert_inside(found, leg, 0.3)


def test_a_wall_does_not_pull():
    found = motion("disk-in-corner-pulled", until=1.0)
    assert found.multipliers["floor"] == pytest.approx(np.full(len(found.times), 9.81), abs=1e-7)
    assert np.abs(found.multipliers["wall"]).max() < 1e-7
    assert not found.events
    state = da.load(MODELS / "disk-in-corner-pulled.toml").solve()
    assert state.multipliers["floor"] == pytest.approx(9.81, abs=1e-7)


def test_a_ladder_stands_inside_its_cones():
    found = motion("ladder-forces-outside-cones", until=1.0)
    assert_inside(found, "floor", 0.8)
    assert_inside(found, "wall", 0.3)
    assert np.abs(found["th'"]).max() < 1e-9
    assert not found.events


def test_a_particle_in_a_corner_sticks_inside_its_cone():
    found = da.load(MODELS / "two-feet.toml").solve()
    assert abs(found.multipliers["floor.slip"]) <= 0.3 * found.multipliers["floor"] + 1e-9
    assert found.multipliers["left"] >= 0.7 - 1e-9


def test_three_legs_slide():
    """With 0.3 of the loads 13/3, 17/6 and 17/6: x″ = 1."""
    found = motion("three-legs-false-painleve", until=1.0)
    assert found["x"][-1] == pytest.approx(0.5, abs=1e-9)
    for leg, load in zip(("c0", "c1", "c2"), (13 / 3, 17 / 6, 17 / 6), strict=True):
        assert found.multipliers[leg] == pytest.approx(np.full(len(found.times), load), abs=1e-7)


@pytest.mark.parametrize(("name", "end"), [("axle", 1.5), ("skid", 1.0)])
def test_wheels_with_given_loads_go_on(name, end):
    """A convex problem always has a state. Motions at different tolerances agree, so the motion is unique."""
    one, other = (motion(name, until=end, tolerance=tolerance) for tolerance in (1e-8, 1e-10))
    assert one.times[-1] == end
    for coordinate in ("x", "y", "th"):
        assert one[coordinate][-1] == pytest.approx(other[coordinate][-1], abs=1e-5)


def test_a_robot_does_not_lift_its_wheels_too_early():
    """Normal forces stay well above zero: no liftoff before 0.58."""
    found = motion("lift")
    assert found.times[-1] == 1.5
    assert all(event.time > 0.58 for event in found.events if event.kind in ("liftoff", "impact"))


def test_eulers_disk_needs_few_steps():
    found = motion("euler", until=5.0, tolerance=1e-7)
    assert found.times[-1] == 5.0
    assert found.diagnostics.steps < 1000
