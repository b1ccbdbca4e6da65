"""The gallery's models with contacts: every event that expected.json lists, at its time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.errors import MathematicsError

EXPECTED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))
WITH_EVENTS = [name for name, entry in EXPECTED.items() if "events" in entry]


@pytest.mark.parametrize("name", WITH_EVENTS)
def test_events_are_at_their_times(name: str) -> None:
    """Events in order, by name and kind; a shorter list is the beginning of the motion."""
    expected = EXPECTED[name]
    motion = da.gallery(name).simulate(tolerance=1e-13, samples=2)
    for kind, what in {(event["kind"], event["name"]) for event in expected["events"]}:
        times = [event["time"] for event in expected["events"] if (event["kind"], event["name"]) == (kind, what)]
        found = [event.time for event in motion.events if (event.kind, event.name) == (kind, what)]
        assert found[: len(times)] == pytest.approx(times, abs=1e-10), f"{kind} of {what}"
    if "rest" in expected:  # the ratio of the flights changes while they shrink, so the end is extrapolated
        (end,) = (event.time for event in motion.events if event.kind == "chatter")
        assert end == pytest.approx(expected["rest"], abs=1e-6)


@pytest.mark.parametrize("name", WITH_EVENTS)
def test_no_impact_adds_energy(name: str) -> None:
    """Except for those of the law in print, which say so."""
    motion = da.gallery(name).simulate(samples=2)
    gains = [event.energy for event in motion.events if event.kind == "impact"]
    if name == "zhang-mei-ball-paper":
        assert min(gains) > 0.7 and any("energy" in note for note in motion.notes)
    else:
        assert max(gains, default=0.0) <= 1e-12


def test_a_ball_that_may_roll_ends_its_impacts() -> None:
    """With f = 0.3 the slip stops, and the flights of the ball that rolls shrink by ρ = 0.7057 each."""
    motion = da.gallery("zhang-mei-ball").changed({"f": 0.3}).simulate(until=9.5, tolerance=1e-12, samples=2)
    (end,) = (event.time for event in motion.events if event.kind == "chatter")
    assert end == pytest.approx(8.915098765701247, abs=1e-6)
    assert motion.modes["wall"][-1] == "closed"


@pytest.mark.parametrize(("rate", "answer"), [(0.0, "no state"), (-3.5, "more than one state")])
def test_painleves_rod_has_no_motion_or_two(rate: float, answer: str) -> None:
    """1 + 3 cos θ (cos θ − μ sin θ) < 0: none where the free end would go down, two where it would go up."""
    with pytest.raises(MathematicsError, match=answer):
        da.gallery("sliding-rod").changed({"mu": 1.6, "w0": rate}).simulate(until=0.1)


def test_a_block_too_squat_does_not_rock() -> None:
    """For h < b/√2 both corners take an impulse and the block lies still: ΛL ∝ 2b² − 4h² > 0."""
    motion = da.gallery("rocking-block").changed({"b": 1.0, "h": 0.5}).simulate(until=3.0, samples=2)
    impacts = [event for event in motion.events if event.kind == "impact"]
    assert {event.name for event in impacts} == {"left", "right"} and len({event.time for event in impacts}) == 1
    assert max(abs(speed) for speed in impacts[-1].after.values()) < 1e-12
