"""The number of motions in a chunk: enough to keep all threads busy, for any duration of a motion."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.api.sweep import build, ordered
from dalembert.programs.functions import LANES
from dalembert.sweep import run


class Machine:
    """Workers with a simulated clock; each follows several motions in the time of one."""

    columns = 1

    def __init__(self, workers: int, each: int, seconds: float):
        self.workers, self.each, self.seconds = workers, each, seconds
        self.now, self.sizes = 0.0, []

    def at_once(self) -> tuple[int, int]:
        return self.workers, self.each

    def computed(self, first: int, last: int, stop: object) -> None:
        self.sizes.append(last - first)
        self.now += -(-(last - first) // (self.workers * self.each)) * self.seconds


def swept(machine: Machine, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "perf_counter", lambda: machine.now)
    assert len(list(run.here()(machine, [(0, size)], lambda: False))) == len(machine.sizes)
    assert sum(machine.sizes) == size


@pytest.mark.parametrize("seconds", [1e-3, 0.1, 10.0, 1000.0])
@pytest.mark.parametrize(("workers", "each"), [(1, 1), (2, 1), (2, 8), (64, 8), (1, 2**15)])
def test_nobody_waits_for_want_of_motions(workers, each, seconds, monkeypatch):
    """A motion of ten seconds went to one thread of two, in one lane of eight."""
    machine = Machine(workers, each, seconds)
    rounds = 200
    swept(machine, rounds * workers * each, monkeypatch)
    assert machine.now < 1.05 * rounds * seconds


def test_chunks_are_not_long_where_that_is_for_nothing(monkeypatch):
    """A motion of a second by one worker: a lost machine loses one chunk."""
    machine = Machine(1, 1, 1.0)
    swept(machine, 100, monkeypatch)
    assert max(machine.sizes[1:]) == run.CHUNK_SECONDS


CASES = {
    "lanes": ("double-pendulum", {"theta1": "0.1,0.2"}, {}, (3, LANES)),
    "too many samples for lanes": (
        "double-pendulum", {"theta1": "0.1,0.2"}, {"keep": ("theta1 at 0:1:900000",), "until": 1.0}, (3, 1),
    ),
    "one by one": ("double-pendulum", {"theta1": "0.1,0.2"}, {"stepper": "gauss"}, (3, 1)),
    "contacts": ("bouncing-ball", {"e": "0.5,0.6"}, {}, (3, 1)),
    "radau": ("double-pendulum", {"theta1": "0.1,0.2"}, {"stepper": "radau"}, (1, 1)),
    "reference": ("double-pendulum", {"theta1": "0.1,0.2"}, {"engine": "reference"}, (1, 1)),
    "near a start": ("double-pendulum", {"theta1": "0.1,0.2"}, {"keep": ("final", "growth")}, (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_engines_tell_how_many_they_follow_at_once(case):
    name, vary, how, expected = CASES[case]
    made = build(ordered(da.gallery(name).record, vary, **{"keep": ("final",), **how}), 3)
    assert made.at_once() == expected
