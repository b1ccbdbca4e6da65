"""Where threads have their memory, and what is done for a whole sweep and not for every part of it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import crew
from dalembert.simulate import ensemble as kernels
from dalembert.simulate.own_lines import own_lines
from dalembert.sweep import threads as engine_file

CASES = {
    "lanes": ("double-pendulum", {"theta1": "0.1:1.5:5"}, {"record": ["final", "theta2 at 1,2"], "until": 3.0}),
    "one by one": ("double-pendulum", {"theta1": "0.1:1:3"}, {"stepper": "gauss", "step": 0.02, "until": 2.0}),
    "contacts": ("bouncing-ball", {"e": "0.5:0.9:3"}, {"record": ["final", "events", "max z"]}),
}


def arrays_of(memory):
    if isinstance(memory, np.ndarray) and memory.size:
        yield memory
    elif isinstance(memory, tuple):
        for part in memory:
            yield from arrays_of(part)


@pytest.mark.parametrize("case", CASES)
def test_no_two_threads_have_memory_on_one_cache_line(case, monkeypatch):
    """Every array begins at a line, since a vector across two costs twice; plans are shared, and only read."""
    name, vary, how = CASES[case]
    crews, begun = [], crew.Crew.run
    monkeypatch.setattr(crew.Crew, "run", lambda self, *given: (crews.append(self), begun(self, *given))[1])
    found = da.gallery(name).sweep(vary, threads=3, **how)
    assert (found["status"] == 0).all()
    (hands,) = (each.hands for each in crews)
    owner: dict[int, int] = {}
    for thread, hand in enumerate(hands):
        mine = tuple(part for part in hand if not isinstance(part, kernels.Plan))
        for array in arrays_of(mine):
            begin = array.ctypes.data
            assert begin % 64 == 0
            for line in range(begin // 64, (begin + array.nbytes + 63) // 64):
                assert owner.setdefault(line, thread) == thread
    assert set(owner.values()) == {0, 1, 2}


def test_what_is_moved_stays_what_it_was():
    before = kernels.Books(
        (np.arange(6.0).reshape(2, 3), 7), np.zeros((0, 4)), np.arange(3), np.ones((1, 2), bool), None
    )
    after = own_lines(before)
    assert type(after) is kernels.Books and after.seen[1] == 7 and after.energies is None
    for old, new in zip(arrays_of(before), arrays_of(after), strict=True):
        np.testing.assert_array_equal(old, new)
        assert old.dtype == new.dtype and old.shape == new.shape and not np.shares_memory(old, new)
    assert after.out.shape == (0, 4)


def test_a_crew_is_compiled_for_its_motions_once(monkeypatch):
    """To look at the types of all its memory for every part of a sweep takes longer than to start its threads."""
    monkeypatch.setattr(engine_file, "MOST", 8)
    asked, looked = [], crew.address_of
    monkeypatch.setattr(crew, "address_of", lambda *given: (asked.append(given[0]), looked(*given))[1])
    found = da.gallery("double-pendulum").sweep({"theta1": "0.1:1.5:40"}, until=1.0, threads=2)
    assert (found["status"] == 0).all()
    assert asked == [crew.motions_in_lanes]
