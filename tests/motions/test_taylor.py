"""Steps by Taylor series: as exact as asked, few, with events, and refused where equations have kinks."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.motions.series import order_of

PENDULUM = """
gravity = [0, 0, -9.81]
[coordinates]
theta = "pi/2"
[bodies.bob]
mass = 1
position = ["sin(theta)", 0, "-cos(theta)"]
[events.bottom]
when = "theta"
"""


@pytest.mark.parametrize("name", ["simple-pendulum", "rolling-disk", "chaplygin-sleigh", "euler-top", "snakeboard"])
def test_the_motion_is_that_of_other_steppers_in_fewer_evaluations(name) -> None:
    model = da.gallery(name)
    exact = model.simulate(until=4, at=[4.0], tolerance=1e-13, stepper="dop853")
    found = model.simulate(until=4, at=[4.0], tolerance=1e-11, stepper="taylor")
    for coordinate in exact.coordinates:
        size = max(1.0, abs(exact[coordinate][-1]))
        assert found[coordinate][-1] == pytest.approx(exact[coordinate][-1], abs=1e-9 * size)
    assert found.diagnostics.evaluations < exact.diagnostics.evaluations / 10
    assert found.diagnostics.stepper == "taylor"


@pytest.mark.parametrize("tolerance", [1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_symmetric_start_hides_no_order(tmp_path, tolerance) -> None:
    """From rest at the level the series is one in t⁴: three orders of four vanish there."""
    file = tmp_path / "level.toml"
    file.write_text(PENDULUM)
    model = da.load(file)
    found = model.simulate(until=10, samples=200, tolerance=tolerance, stepper="taylor")
    energy = np.asarray(found.energy["total"])
    assert np.abs(energy - energy[0]).max() < 100 * tolerance * 9.81


def test_events_are_those_of_other_steppers(tmp_path) -> None:
    file = tmp_path / "level.toml"
    file.write_text(PENDULUM)
    model = da.load(file)
    found = model.simulate(until=10, tolerance=1e-12, stepper="taylor")
    exact = model.simulate(until=10, tolerance=1e-13, stepper="dop853")
    assert [e.direction for e in found.events] == [e.direction for e in exact.events] and len(exact.events) > 5
    np.testing.assert_allclose([e.time for e in found.events], [e.time for e in exact.events], atol=1e-9)


def test_the_order_grows_with_the_digits_asked_for() -> None:
    assert [order_of(tolerance) for tolerance in (1e-6, 1e-9, 1e-12, 1e-15)] == [8, 12, 15, 19]


def test_kinks_are_refused_with_another_stepper_named(tmp_path) -> None:
    file = tmp_path / "kink.toml"
    file.write_text(
        '[coordinates]\nx = 1\n[bodies.p]\nmass = 1\nposition = ["x", 0, 0]\n[forces.f]\ngeneralized = { x = "-abs(x)*x" }\n'
    )
    with pytest.raises(da.ModelError, match=r"taylor needs equations without abs.*use auto"):
        da.load(file).simulate(until=1, stepper="taylor")
