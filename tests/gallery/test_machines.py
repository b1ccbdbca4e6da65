"""Machines are short to state: lines of the file without titles, comments, blank lines and the numbers of bodies."""

import pytest

import dalembert as da
from dalembert.collection import text


def lines(name: str) -> int:
    counted, table = 0, ""
    for line in text(name).splitlines():
        stated = line.strip()
        if stated.startswith("["):
            table = stated
        if stated and not stated.startswith(("#", "title", "reference")) and not table.startswith("[bodies"):
            counted += 1
    return counted


@pytest.mark.parametrize(("name", "most"), [("four-bar", 20), ("six-axis-arm", 25), ("differential-drive", 20)])
def test_a_machine_is_short_to_state(name, most):
    assert lines(name) <= most


def test_the_loads_of_an_arm_are_answers_by_name():
    """At the waist the force is the whole arm's weight and what its centre of mass is accelerated by."""
    arm = da.gallery("six-axis-arm")
    masses = {"column": 8, "upper": 6, "fore": 4, "roll": 1.5, "pitch": 1, "hand": 0.6}
    for body in masses:
        arm.output(f"a_{body}", f"{body}''")
    state = arm.solve(reactions=["waist"])
    for axis, weight in zip("xyz", (0, 0, 9.81), strict=True):
        total = sum(m * (state.outputs[f"a_{body}.{axis}"] + weight) for body, m in masses.items())
        assert state.outputs[f"load.waist.force.{axis}"] == pytest.approx(total, rel=1e-9, abs=1e-9)
