"""Events in columns: all chunks together, by time, the same for every form of access."""

import numpy as np
import pytest

from dalembert.engine import interface as engine
from dalembert.engine.interface import EVENT_KINDS as KINDS
from dalembert.motions.raw import EventTable

MARKS = np.array([[0, 1], [5, 0], [0, 0], [3, 2]])  # kind and index
TIMES = [2.0, 1.0, 2.0, 0.5]  # two at one instant stay in the order in which they were found
REALS = np.column_stack([TIMES, [0.1, 0.2, 0.3, 0.4], [-1.0, -2.0, -3.0, -4.0], [0.0, 0.0, 0.0, -1.0]])
BEFORE = np.arange(12.0).reshape(4, 3)


def table(count: int = 4) -> EventTable:
    columns = np.zeros(4, engine.Event)
    columns["kind"], columns["index"] = MARKS.T
    columns["time"], columns["impulse"], columns["energy"], columns["side"] = REALS.T
    return EventTable(columns[:count], BEFORE[:count], -BEFORE[:count])


def read(events) -> list[tuple]:
    return [(*event[:6], event.before.tolist(), event.after.tolist()) for event in events]


def test_events_stand_by_time() -> None:
    found = read(table())
    assert [event[0] for event in found] == [0.5, 1.0, 2.0, 2.0]
    order = [3, 1, 0, 2]
    assert [event[1:3] for event in found] == [(KINDS[MARKS[i, 0]], MARKS[i, 1]) for i in order]
    assert [event[3:6] for event in found] == [tuple(REALS[i, 1:]) for i in order]
    assert [event[6:] for event in found] == [(BEFORE[i].tolist(), (-BEFORE[i]).tolist()) for i in order]


def test_one_after_another_by_place_and_in_slices_they_are_the_same() -> None:
    events, found = table(), read(table())
    assert len(events) == 4
    assert read(events[i] for i in range(4)) == found
    assert read([events[-1]]) == found[-1:]
    for part in (slice(None), slice(1, 3), slice(None, None, -1), slice(7, 9)):
        assert read(events[part]) == found[part]
    with pytest.raises(IndexError):
        events[4]


def test_a_motion_without_events_has_none() -> None:
    events = table(0)
    assert not events and list(events) == [] and events[:] == ()
