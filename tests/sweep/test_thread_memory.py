"""The memory of threads, and work that is done once for a sweep and not for every part of it."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.motions import many
from dalembert.motions.native import room_of
from dalembert.motions.starts import ManyStarts
from dalembert.sweep import threads as engine_file

CASES = {
    "lanes": ("double-pendulum", {"theta1": "0.1:1.5:5"}, {"record": ["final", "theta2 at 1,2"], "until": 3.0}),
    "one by one": ("double-pendulum", {"theta1": "0.1:1:3"}, {"stepper": "gauss", "step": 0.02, "until": 2.0}),
    "contacts": ("bouncing-ball", {"e": "0.5:0.9:3"}, {"record": ["final", "events", "max z"]}),
}


@pytest.mark.parametrize("case", CASES)
def test_no_two_threads_have_memory_on_one_cache_line(case, monkeypatch):
    """Every block begins at a cache line, because a vector across two lines costs twice."""
    name, vary, how = CASES[case]
    rooms, crews = [], []
    run, starts = many.Crew.run, ManyStarts.run
    monkeypatch.setattr(many.Crew, "run", lambda self, *given: (crews.append(self), run(self, *given))[1])
    monkeypatch.setattr(ManyStarts, "run", lambda self, *given: (crews.append(self), starts(self, *given))[1])
    found = da.gallery(name).sweep(vary, threads=3, **how)
    assert (found["status"] == 0).all()
    rooms = [room for each in crews for room in each.rooms]
    assert len(rooms) == 6
    owner: dict[int, int] = {}
    for place, room in enumerate(rooms):
        begin = room.ctypes.data
        assert begin % 64 == 0
        for line in range(begin // 64, (begin + room.nbytes + 63) // 64):
            assert owner.setdefault(line, place) == place


@pytest.mark.parametrize("size", [1, 128, 1000])
def test_a_room_is_zero_and_begins_at_a_pair_of_lines(size):
    room = room_of(size)
    assert len(room) == size and not room.any() and room.ctypes.data % 128 == 0


def test_a_crew_is_made_once_for_all_parts_of_a_sweep(monkeypatch):
    monkeypatch.setattr(engine_file, "MOST", 8)
    made, original = [], many.Crew.__init__
    monkeypatch.setattr(many.Crew, "__init__", lambda self, *given: (made.append(self), original(self, *given))[1])
    found = da.gallery("double-pendulum").sweep({"theta1": "0.1:1.5:40"}, until=1.0, threads=2)
    assert (found["status"] == 0).all()
    assert len(made) == 1
