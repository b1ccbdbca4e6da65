"""Through impacts, stick and slip the error falls as fast as between them: an event costs no order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.model.read import read_text

ORDER = 8
STICK_SLIP = """
[coordinates]
x = { initial = 0.9, speed = 0.4 }
y = { initial = 0.2, speed = -0.7 }
[energy]
kinetic = "x'^2/2 + (1 + 0.3*cos(x))*y'^2/2"
potential = "1 - cos(x) + 0.4*(y - 0.5*sin(x))^2"
[frictions.slot]
slip = ["y'"]
normal = "1 + 0.3*sin(x)"
coefficient = 0.05
"""


def measured_order(model: da.Model, end: float, tolerances: np.ndarray) -> tuple[float, list[int]]:
    """The slope of log(error) over log(work), against a motion at the least tolerance; and the numbers of events."""

    def motion(tolerance: float) -> Any:
        return model.simulate(at=[end], tolerance=tolerance)

    exact = motion(1e-14)
    names = [*exact.coordinates, *(f"{name}'" for name in exact.coordinates)]
    errors, work, events = [], [], [len(exact.events)]
    for tolerance in tolerances:
        found = motion(float(tolerance))
        errors.append(max(abs(found[name][0] - exact[name][0]) for name in names))
        work.append(found.diagnostics.evaluations)
        events.append(len(found.events))
    return -float(np.polyfit(np.log(work), np.log(errors), 1)[0]), events


def test_across_impacts() -> None:
    """No worse than the same pendulum without a wall."""
    struck, tolerances = da.gallery("impact-double-pendulum"), np.logspace(-5, -10, 11)
    order, events = measured_order(struck, 4.0, tolerances)
    smooth, none = measured_order(struck.changed({"wall": 5.0}), 4.0, tolerances)
    assert set(events) == {2} and set(none) == {0}
    assert order > ORDER and order > smooth - 1


def test_across_stick_and_slip() -> None:
    model, tolerances = da.Model.of(read_text(STICK_SLIP)), np.logspace(-5, -10, 11)
    order, events = measured_order(model, 12.0, tolerances)
    assert len(set(events)) == 1 and events[0] >= 4
    assert order > ORDER


@pytest.mark.parametrize("name", ["zhang-mei-ball", "ellipse-billiard"])
def test_polynomial_flights_are_exact(name: str) -> None:
    """Between events these motions are parabolas, so the tolerance changes them only by rounding."""
    loose, tight = (da.gallery(name).simulate(samples=11, tolerance=tolerance) for tolerance in (1e-6, 1e-13))
    for coordinate in tight.coordinates:
        assert loose[coordinate] == pytest.approx(tight[coordinate], rel=1e-10, abs=1e-10)
