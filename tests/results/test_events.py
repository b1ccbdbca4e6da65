"""Events are made on request, each once, and behave like the tuple of all of them."""

import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate
from dalembert.model.read import read_text
from dalembert.motions import raw
from dalembert.results import events as module
from dalembert.results.events import Event

SWING = """
[coordinates]
x = { initial = 0, speed = 1 }
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[events.zero]
when = "x"
[simulation]
duration = 40
"""


@pytest.fixture
def made(monkeypatch) -> dict[str, int]:
    """The number of events made, by class."""
    counts = {"Event": 0, "RawEvent": 0}

    def counted(which: str, original):
        def make(*given, **named):
            counts[which] += 1
            return original(*given, **named)

        return make

    monkeypatch.setattr(module, "Event", counted("Event", Event))
    monkeypatch.setattr(raw, "RawEvent", counted("RawEvent", raw.RawEvent))
    return counts


def test_a_motion_of_many_impacts_makes_no_event_until_one_is_asked_for(made) -> None:
    motion = da.gallery("zhang-mei-ball").simulate(duration=2000)
    count = len(motion.events)
    assert count > 60 and bool(motion.events) and made == {"Event": 0, "RawEvent": 0}
    assert motion.events[-1].time <= 2000 and made["Event"] == 1
    assert f"and {count - 20} more" in str(motion) and made["Event"] == 21
    first = list(motion.events)
    assert made["Event"] == 21 + count
    assert [event["time"] for event in motion.to_dict()["events"]] == [event.time for event in first]
    assert all(again is event for again, event in zip(motion.events, first, strict=True))
    assert made == {"Event": 21 + count, "RawEvent": 0}


def test_crossings_of_a_smooth_motion_are_made_late_too(made) -> None:
    motion = simulate(read_text(SWING))
    assert len(motion.events) == 12 and made["Event"] == 0
    assert [event.time for event in motion.events] == pytest.approx([np.pi * k for k in range(1, 13)], abs=1e-8)
    assert [event.direction for event in motion.events] == [-1.0, 1.0] * 6
    assert motion.events[0].to_dict().keys() == {"time", "name", "kind", "before", "coordinates", "after", "direction"}


def test_they_read_compare_and_travel_as_a_tuple() -> None:
    motion = da.gallery("bouncing-ball").simulate(duration=2)
    events = motion.events
    whole = tuple(events)
    assert events == whole and whole == events and events != whole[1:] and events != ()
    assert repr(events) == repr(whole) and isinstance(repr(events), str)
    assert events[:3] == whole[:3] and isinstance(events[:3], tuple) and events[-1] == whole[-1]
    assert events.index(whole[1]) == 1 and whole[0] in events
    with pytest.raises(IndexError):
        events[len(whole)]
    fresh = da.gallery("bouncing-ball").simulate(duration=2).events
    assert pickle.loads(pickle.dumps(fresh)) == pickle.loads(pickle.dumps(events)) == whole
    kinds = {event.kind: event for event in whole}
    assert kinds["impact"].impulse > 0 and kinds["impact"].energy < 0 and kinds["impact"].direction is None


def test_an_event_has_its_place_and_the_speeds_on_both_sides():
    """A ball that falls from 1 m to a table of 20 cm: the place in SI, and in the model's unit in the answer."""
    ball = """
gravity = [0, 0, -9.81]
[coordinates]
z = { initial = 100, unit = "cm" }
[bodies.ball]
mass = 1
position = [0, 0, "z"]
[contacts.table]
gap = "z - 0.2"
restitution = 0.5
[events.half]
when = "z - 0.6"
[simulation]
duration = 0.5
"""
    motion = simulate(read_text(ball))
    half, impact, *_ = motion.events
    assert half.coordinates == pytest.approx({"z": 0.6}) and impact.coordinates == pytest.approx({"z": 0.2})
    assert impact.after["z"] == pytest.approx(-0.5 * impact.before["z"])
    told = motion.to_dict()["events"][1]
    assert told["coordinates"] == pytest.approx({"z": 20}) and told["before"] == pytest.approx(
        {
            "z": -396.2,
        },
        abs=0.1,
    )
