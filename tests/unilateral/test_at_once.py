"""Impacts at one instant: each contact is listed with its impulse, and the energy they take together counts once."""

from __future__ import annotations

from typing import Any

import pytest

import dalembert as da

TWO_BODIES = """
gravity = [0, -10, 0]
[coordinates]
a = 0.2
b = 0.2
[bodies.p]
mass = 1
position = [0, "a", 0]
[bodies.q]
mass = 3
position = [1, "b", 0]
[contacts.left]
gap = "a"
restitution = 0.5
[contacts.right]
gap = "b"
restitution = 0.25
"""
TWO_WALLS = """
[coordinates]
x = { initial = 1, speed = -2 }
y = { initial = 1, speed = -2 }
[bodies.p]
mass = 2
position = ["x", "y", 0]
[contacts.left]
gap = "x"
restitution = 1
[contacts.floor]
gap = "y"
restitution = 0.5
"""
CRADLE = """
[coordinates]
a = { initial = -1, speed = 2 }
b = 0
c = 0
[bodies.one]
mass = 1
position = ["a", 0, 0]
[bodies.two]
mass = 1
position = ["b", 0, 0]
[bodies.three]
mass = 1
position = ["c", 0, 0]
[contacts.first]
gap = "b - a"
restitution = 1
[contacts.second]
gap = "c - b"
restitution = 1
"""
TABLE = """
gravity = [0, -10, 0]
[coordinates]
y = 0.2
th = 0
[bodies.top]
mass = 2
position = [0, "y", 0]
rotation = [["z", "th"]]
inertia = [0, 0, 0.5]
[contacts.left]
gap = "y - sin(th)"
restitution = 0.5
[contacts.right]
gap = "y + sin(th)"
restitution = 0.5
"""

# model, instant, speeds before and after, impulse of every contact (m Δv; the cradle's by Moreau's law, all at once)
CASES = [
    pytest.param(TWO_BODIES, 0.2, {"a": (-2, 1), "b": (-2, 0.5)}, {"left": 3.0, "right": 7.5}, id="two bodies"),
    pytest.param(TWO_WALLS, 0.5, {"x": (-2, 2), "y": (-2, 1)}, {"left": 8.0, "floor": 6.0}, id="two walls"),
    pytest.param(CRADLE, 0.5, {"a": (2, -2 / 3), "b": (0, 4 / 3), "c": (0, 4 / 3)},
                 {"first": 8 / 3, "second": 4 / 3}, id="cradle"),
    pytest.param(TABLE, 0.2, {"y": (-2, 1), "th": (0, 0)}, {"left": 3.0, "right": 3.0}, id="table"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "instant", "speeds", "impulses"), CASES)
def test_impacts_at_once_are_listed_one_by_one(
    tmp_path: Any, model: str, instant: float, speeds: dict[str, tuple[float, float]], impulses: dict[str, float]
) -> None:
    path = tmp_path / "model.toml"
    path.write_text(model)
    motion = da.load(path).simulate(until=instant + 0.05, samples=5)
    told = [event for event in motion.to_dict()["events"] if event["kind"] == "impact"]
    assert [event["time"] for event in told] == pytest.approx([instant] * len(impulses), abs=1e-12)
    assert {event["name"]: event["impulse"] for event in told} == pytest.approx(impulses, abs=1e-12)
    for event in told:
        assert event["before"] == pytest.approx({name: before for name, (before, _) in speeds.items()}, abs=1e-12)
        assert event["after"] == pytest.approx({name: after for name, (_, after) in speeds.items()}, abs=1e-12)
    assert motion.diagnostics.energy_drift < 1e-12
    assert len({event["energy"] for event in told}) == 1  # that of all of them together


def test_energy_drifts_of_sweeps_do_not_count_losses(tmp_path: Any) -> None:
    path = tmp_path / "model.toml"
    path.write_text(TWO_BODIES)
    swept = da.load(path).sweep(vary={"a": [0.1, 0.2, 0.3]}, record=["drift"], until=0.8)
    assert swept["drift"].max() < 1e-9
