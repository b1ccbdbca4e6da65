"""The engine of compiled threads: the same bits on any number of them, and the reference engine's motions."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.api.sweep import build, ordered
from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.model.read import read_text
from dalembert.motions import many
from dalembert.sweep import threads as engine_file
from dalembert.sweep.ensemble import FAILED, FINISHED, REFUSED, STOPPED, UNDONE
from dalembert.sweep.reference import Reference
from dalembert.sweep.threads import Threads, follows
from small_models import REDUNDANT

STOPS = """
title = "A mass that stops at a mark"
[parameters]
k = 4
[coordinates]
x = { initial = 1, speed = 0 }
[bodies.mass]
mass = 1
position = ["x", 0, 0]
[energy]
potential = "k*x^2/2"
[events.mark]
when = "x + 0.5"
stop = true
[events.middle]
when = "x"
[simulation]
duration = 3
"""
STIFF = """
title = "A mass on a stiff damper"
[parameters]
c = 1
[coordinates]
x = { initial = 1, speed = 0 }
[bodies.mass]
mass = 1
position = ["x", 0, 0]
[energy]
potential = "x^2/2"
dissipation = "c*x'^2/2"
[simulation]
duration = 40
tolerance = 1e-6
"""


def never() -> bool:
    return False


def record(name: str):
    return read_text(name) if "\n" in name else da.gallery(name).record


def plan(name: str, vary=None, keep=("final",), engine="threads", threads=2, **how):
    return build(ordered(record(name), vary, keep=keep, engine=engine, **how), threads)


def computed(*asked, threads=2, **how):
    found = plan(*asked, threads=threads, **how)
    return found.computed(0, found.order.space.size, never)


CASES = {
    "double pendulum": ("double-pendulum", {"theta1": "0.1:1.5:5"}, ("final", "theta2 at 3,1,2", "final theta1''"),
                        {"until": 3.0}),
    "disk": ("rolling-disk", {"lean": "0.1:0.3:3", "R": "0.3:0.5:2"}, ("final", "final multiplier.table.slip1"), {}),
    "bicycle": ("whipple-bicycle", {"v": "4:6:3"}, ("final phi", "final delta'"), {"until": 2.0}),
    "nonlinear": ("constant-speed", {"y": "0:1:3"}, ("final",), {"until": 2.0}),
    "redundant": (REDUNDANT, {"x": "0.5:0.7:3"}, ("final", "final multiplier.wire"), {}),
    "holonomic": ("andrews-squeezer", {"mom": "0.03:0.04:3"}, ("final",), {"until": 0.01}),
    "variable mass": ("qiao-sleigh", {"u": "20:40:3"}, ("final",), {"until": 5.0}),
    "vakonomic": ("knife-edge", {"multipliers.edge": "0:0.5:3"}, ("final", "final multiplier.edge"),
                  {"method": "vakonomic", "until": 1.0}),
    "stops": (STOPS, {"k": "1:9:5"}, ("final", "events", "events crossing middle", "crossing x = 0.2 falling"), {}),
    "gauss": ("double-pendulum", {"theta1": "0.1:1:3"}, ("final", "theta2 at 1,2"),
              {"stepper": "gauss", "step": 0.02, "until": 2.0}),
    "bouncing ball": ("bouncing-ball", {"e": "0.5:0.9:3", "z": "0.5:1.5:3"},
                      ("final", "events", "events impact", "z at 0.3,0.7,1.5", "multiplier.floor at 0.1,4.9"), {}),
    "billiard": ("ellipse-billiard", {"x": "0.1:0.4:3"}, ("final", "events impact"), {}),
    "ball": ("zhang-mei-ball", {"f": "0.1:0.4:5"}, ("final", "events impact", "events"), {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_motions_are_the_reference_engine_s(case):
    """Equal to the tolerance: in lanes and at starts rounding differs, and grows with the motion."""
    name, vary, keep, how = CASES[case]
    found, expected = computed(name, vary, keep, **how), computed(name, vary, keep, engine="reference", **how)
    np.testing.assert_array_equal(found.status, expected.status)
    np.testing.assert_allclose(found.values, expected.values, rtol=3e-8, atol=3e-8)
    assert found.sentences == expected.sentences


@pytest.mark.parametrize("case", ["double pendulum", "stops", "bouncing ball", "billiard", "gauss"])
def test_motions_out_of_lanes_have_the_bits_of_a_motion_by_itself(case):
    """Starts that are consistent as stated: other starts differ by rounding."""
    name, vary, keep, how = CASES[case]
    made = plan(name, vary, keep, **how)
    found = Threads(Reference(simulate_from), 2, lanes=False).run(made.ensemble(0, made.order.space.size)[0], never)
    np.testing.assert_array_equal(
        found.values[:, :2], computed(name, vary, keep, engine="reference", **how).values[:, :2]
    )


SMOOTH = [case for case in CASES if case not in ("gauss", "bouncing ball", "billiard", "ball", "vakonomic")]


@pytest.mark.parametrize("case", SMOOTH)
def test_a_lane_has_the_bits_of_the_full_loop(case):
    """On every kind of processor for which lanes are compiled."""
    name, vary, keep, how = CASES[case]
    made = plan(name, vary, (*keep, "drift"), **how)
    ensemble = made.ensemble(0, made.order.space.size)[0]
    expected = Threads(_Refuses(), 1, lanes=False).run(ensemble, never)
    for kind in (0, 1, 2):
        run = engine_file.Run(ensemble, _Refuses(), 2, True)
        run.crew = many.Crew(run.system, run.span, run.wanted, 2, True, kind)
        found = run.part(ensemble, never)
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.status, expected.status)


@pytest.mark.parametrize(("case", "left"), [("double pendulum", 0), ("disk", 0), ("holonomic", 0), ("redundant", 3)])
def test_lanes_leave_only_what_does_not_go_well(case, left):
    name, vary, keep, how = CASES[case]
    made = plan(name, vary, keep, **how)
    ensemble = made.ensemble(0, made.order.space.size)[0]
    run = engine_file.Run(ensemble, _Refuses(), 1, True)
    followed, follow = [], run.follow
    run.follow = lambda motions, stop: followed.append(motions) or follow(motions, stop)
    run.part(ensemble, never)
    assert followed[0].left[0] == left


def test_compiled_threads_are_what_computes_them():
    """None of the cases above was silently given to another engine."""
    for name, vary, keep, how in CASES.values():
        made = plan(name, vary, keep, **how)
        ensemble = made.ensemble(0, made.order.space.size)[0]
        assert follows(ensemble)
        refuses = Threads(_Refuses(), 1)
        done = refuses.run(ensemble, never)
        assert (done.status != UNDONE).all()


class _Refuses:
    name = "refuses"

    def refusal(self, ensemble):
        return None

    def run(self, ensemble, stop):
        raise AssertionError(f"{ensemble.size} motions were handed on")


KEPT = ("final", "max theta2", "min theta1*theta2", "max theta1''", "drift", "crossing theta2'' = 1", "theta1 at 1,2")


def test_any_number_of_threads_gives_the_same_bits():
    asked = ("double-pendulum", {"theta1": "0.1:1.5:23"}, KEPT)
    one = computed(*asked, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(computed(*asked, threads=threads).values, one.values)


def test_any_number_of_threads_gives_the_same_bits_with_contacts():
    asked = ("zhang-mei-ball", {"f": "0.05:0.4:11"}, ("final", "events", "drift", "max x"))
    one = computed(*asked, threads=1)
    for threads in (2, 3):
        other = computed(*asked, threads=threads)
        np.testing.assert_array_equal(other.values, one.values)
        assert other.sentences == one.sentences


def test_neither_order_nor_parts_change_a_bit(monkeypatch):
    """Some motions among the others fail."""
    made = plan("zhang-mei-ball", {"f": "0.02:0.4:9"}, ("final", "events"))
    whole = made.ensemble(0, 9)[0]
    engine = made.engine
    together = engine.run(whole, never)
    assert set(together.status.tolist()) == {FINISHED, FAILED}
    order = np.array([5, 0, 8, 2, 7, 1, 6, 3, 4])
    np.testing.assert_array_equal(engine.run(whole.part(order), never).values, together.values[order])
    for i in range(9):
        alone = engine.run(whole.part(slice(i, i + 1)), never)
        np.testing.assert_array_equal(alone.values[0], together.values[i])
        assert alone.sentences.get(0) == together.sentences.get(i)
    monkeypatch.setattr(engine_file, "MOST", 4)
    monkeypatch.setattr(engine_file, "FEWEST", 1)
    parts = Threads(Reference(simulate_from), 2).run(whole, never)
    np.testing.assert_array_equal(parts.values, together.values)
    assert parts.sentences == together.sentences


def test_a_mass_that_becomes_negative_ends_its_own_motion():
    asked = ("qiao-sleigh", {"m0": "0.3,2"}, ("final",))
    found, expected = computed(*asked, until=5.0), computed(*asked, engine="reference", until=5.0)
    assert found.status.tolist() == [FAILED, FINISHED]
    assert found.sentences == expected.sentences
    assert "mass of fuel becomes negative" in found.sentences[0]
    assert np.isnan(found.values[0]).all()


def test_what_turns_stiff_goes_to_the_reference_engine():
    asked = (STIFF, {"c": "1,1e6"}, ("final",))
    found, expected = computed(*asked), computed(*asked, engine="reference")
    np.testing.assert_array_equal(found.status, expected.status)
    np.testing.assert_array_equal(found.values[1], expected.values[1])


@pytest.mark.parametrize(
    ("asked", "status", "word"),
    [
        (("disk-off-a-ledge", {"z": "0.05,0.5"}), REFUSED, "gap"),
        (("simple-pendulum-cartesian", {"l": "1,-1"}), None, ""),
    ],
)
def test_starts_that_cannot_be(asked, status, word):
    found, expected = computed(*asked, until=0.1), computed(*asked, engine="reference", until=0.1)
    np.testing.assert_array_equal(found.status, expected.status)
    assert found.sentences == expected.sentences
    if status is not None:
        assert status in found.status
        assert any(word in sentence for sentence in found.sentences.values())


def test_strict_starts_are_refused_as_one_by_one():
    asked = ("simple-pendulum-cartesian", {"x": "0.6,0.7"})
    how = {"until": 0.1, "strict": True}
    found, expected = computed(*asked, **how), computed(*asked, engine="reference", **how)
    np.testing.assert_array_equal(found.status, expected.status)
    assert found.sentences == expected.sentences


def test_extremes_are_those_of_the_motion():
    """x = cos(ωt) at rest at the start: extremes ±1 between the steps, and the speed's ±ω."""
    oscillator = STOPS.replace("stop = true", "").replace('when = "x + 0.5"', 'when = "x + 5"')
    found = computed(oscillator, {"k": "1:9:9"}, ("max x", "min x", "max x'", "min x'", "max x''"), until=7.0)
    omega = np.sqrt(np.linspace(1, 9, 9))
    exact = np.column_stack([np.ones(9), -np.ones(9), omega, -omega, omega**2])
    np.testing.assert_allclose(found.values, exact, rtol=3e-8)


def test_extremes_see_both_sides_of_an_impact():
    found = computed("bouncing-ball", {"z": "0.5:1.5:3"}, ("min z'", "max z'", "min z"))
    speed = np.sqrt(2 * 9.81 * np.array([0.5, 1, 1.5]))
    np.testing.assert_allclose(found.values[:, 0], -speed, rtol=1e-12)
    np.testing.assert_allclose(found.values[:, 1], 0.8 * speed, rtol=1e-12)
    np.testing.assert_allclose(found.values[:, 2], 0, atol=1e-12)


def test_first_crossings_are_located_to_rounding():
    found = computed(
        STOPS.replace("stop = true", ""), {"k": "1:9:9"}, ("crossing x = 0.3", "crossing x'' = 0 rising"), until=3.0
    )
    omega = np.sqrt(np.linspace(1, 9, 9))
    np.testing.assert_allclose(found.values[:, 0], np.arccos(0.3) / omega, rtol=1e-8)
    np.testing.assert_allclose(found.values[:, 1], np.pi / 2 / omega, rtol=1e-8)


@pytest.mark.parametrize("lanes", [True, False])
def test_watching_does_not_change_the_motion(lanes):
    found = []
    for keep in (("final",), ("final", "max lean", "min lean''", "drift", "crossing lean'' = 0")):
        made = plan("rolling-disk", {"lean": "0.1:0.3:5"}, keep)
        found.append(Threads(_Refuses(), 2, lanes=lanes).run(made.ensemble(0, 5)[0], never).values)
    np.testing.assert_array_equal(found[1][:, :10], found[0])


def test_stop_ends_between_motions_and_within_one():
    made = plan("double-pendulum", {"theta1": "0.5:1:40"}, ("final",), until=2000.0)
    ensemble = made.ensemble(0, 40)[0]
    asked = threading.Event()

    def stop() -> bool:
        stopping = asked.is_set()
        asked.set()
        return stopping

    found = made.engine.run(ensemble, stop)
    assert (found.status == UNDONE).any()
    undone = found.status == UNDONE
    assert np.isnan(found.values[undone]).all()


def test_memory_does_not_grow_with_the_number_of_motions(monkeypatch):
    """Memory for motions is allocated once for each thread; memory for results once for each part."""
    rooms, kept = [], []
    original, original_motions = many.Crew.__init__, many.MotionTable.of

    def made(self, *given, **named):
        original(self, *given, **named)
        rooms.extend(room.nbytes for room in self.rooms)

    def of(*given):
        found = original_motions(*given)
        kept.append(sum(array.nbytes for array in vars(found).values()))
        return found

    monkeypatch.setattr(many.Crew, "__init__", made)
    monkeypatch.setattr(many.MotionTable, "of", staticmethod(of))
    monkeypatch.setattr(engine_file, "ROOM", 2**16)
    sizes = []
    for size in (100, 1000):
        rooms.clear()
        kept.clear()
        asked = plan(
            "double-pendulum", None, ("final theta1",), sample=size, spread={"theta1": "uniform(0.1,1)"}, until=0.1
        )
        asked.computed(0, size, never)
        assert len(rooms) == 2  # one for each thread
        assert max(kept) < 2**17
        sizes.append(sum(rooms))
    assert sizes[0] == sizes[1] < 2**20
    assert len(kept) > 3


def test_several_callers_at_once_do_not_share_memory():
    """As on a worker of a cluster that computes several tasks at once."""
    made = plan("double-pendulum", {"theta1": "0.1:1.5:40"}, ("final",), until=2.0)
    whole = made.ensemble(0, 40)[0]
    expected = made.engine.run(whole, never).values
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: made.engine.run(whole, never).values, range(8)))
    for values in found:
        np.testing.assert_array_equal(values, expected)


def test_whole_ensembles_that_only_the_reference_knows():
    """Another description or stepper, and extremes of contact forces between the steps."""
    made = plan("bouncing-ball", {"e": "0.5:0.9:3"}, ("max multiplier.floor",))
    assert not follows(made.ensemble(0, 3)[0])
    made = plan("double-pendulum", {"theta1": "0.5:1:3"}, stepper="radau")
    ensemble = made.ensemble(0, 3)[0]
    assert not follows(ensemble)
    assert follows(replace(ensemble, span=replace(ensemble.span, stepper="auto")))


SINGULAR = """
title = "A mass that vanishes from its own equation"
[parameters]
a = 1
[coordinates]
x = { initial = 1, speed = -1 }
[energy]
kinetic = "(x - a)*x'^2/2"
[simulation]
duration = 2
"""
FLAT = """
title = "Bob in a groove, by its coordinates"
gravity = [0, 0, -9.81]
[parameters]
l = 1
[coordinates]
x = { initial = 0.6, speed = 0.1 }
y = 0
z = -0.8
[bodies.bob]
mass = 1
position = ["x", "y", "z"]
[constraints]
string = "x^2 + y^2 + z^2 - l^2 = 0"
[simulation]
duration = 3
"""


def test_lanes_keep_the_constraints_at_every_sample():
    times = ",".join(map(str, np.linspace(0, 3, 31)))
    found = computed(FLAT, {"l": "0.9:1.3:9"}, (f"x*x + y*y + z*z - l*l at {times}", "drift"))
    assert (found.status == FINISHED).all()
    assert np.abs(found.values[:, :31]).max() < 1e-14
    assert found.values[:, 31].max() < 1e-7


def test_what_lanes_cannot_is_done_by_the_others():
    """The inertia of some of these motions vanishes; the other motions do not change."""
    asked = (SINGULAR, {"a": "-3,0.5,-4,0.9,-5"}, ("final",))
    found, expected = computed(*asked), computed(*asked, engine="reference")
    np.testing.assert_array_equal(found.status, expected.status)
    assert found.sentences == expected.sentences
    assert set(found.status.tolist()) == {FINISHED, FAILED}
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9)


def test_a_motion_has_the_same_bits_in_any_company():
    """In every lane, next to motions that end early, are rejected often, or fail."""
    made = plan(
        "double-pendulum", None, ("final", "theta2 at 1,7.5", "drift"), sample=37, spread={"theta1": "uniform(0,3)"}
    )
    whole = made.ensemble(0, 37)[0]
    together = Threads(_Refuses(), 1).run(whole, never)
    backwards = Threads(_Refuses(), 3).run(whole.part(np.arange(36, -1, -1)), never)
    np.testing.assert_array_equal(backwards.values[::-1], together.values)
    alone = [Threads(_Refuses(), 1).run(whole.part(slice(i, i + 1)), never).values[0] for i in (0, 5, 36)]
    np.testing.assert_array_equal(alone, together.values[[0, 5, 36]])


def test_statuses_do_not_collide():
    codes = {engine.WAITING, engine.INTERRUPTED, engine_file.HANDED_ON, *Status}
    assert len(codes) == 3 + len(Status)
    assert STOPPED != FINISHED
