"""Kernels, compiled for this machine, against the processor's engine: values, statuses and sentences."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from host_device import Host

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.api.sweep import build, ordered
from dalembert.cli.main import run
from dalembert.model.read import read_text
from dalembert.model.write import write_text
from dalembert.motions import gpu
from dalembert.motions.starts import ManyStarts
from dalembert.prepared import prepared
from dalembert.sweep.ensemble import FAILED, FINISHED, STOPPED
from dalembert.sweep.gpu import OnDevice
from dalembert.sweep.reference import Reference
from dalembert.sweep.threads import Threads
from small_models import REDUNDANT

CASES = """
[coordinates]
u = { initial = 0.3, speed = 1 }
v = { initial = -0.2, speed = 0.5 }
[energy]
kinetic = "(u'^2 + v'^2*(2 + sin(u)^2 + cos(v)^2))/2"
potential = "abs(u) + max(u, v)^2/2 + min(u, 0)^2 + sign(v)*cos(u)"
[forces.dry]
generalized = { u = "-0.1*tanh(u'/0.1)", v = "-0.05*sign(v')" }
"""
BREAKS = """
title = "A mass whose spring has no force left at a length"
[parameters]
k = 1
[coordinates]
x = { initial = 0.5, speed = 1 }
[bodies.mass]
mass = 1
position = ["x", 0, 0]
[forces.spring]
body = "mass"
force = ["-k*sqrt(1 - x)", 0, 0]
"""


def never() -> bool:
    return False


def both(folder, name, vary, keep, options=(), **how):
    """The results of the device and of single motions, and the texts that the device compiled."""
    record = read_text(name) if "\n" in name else da.gallery(name).record
    made = build(ordered(record, vary, keep=keep, **how), 2)
    ensemble = made.ensemble(0, made.order.space.size)[0]
    host = Host(folder, *options)
    engine = OnDevice(_Refuses(), host, processor=False)
    found = engine.run(ensemble, never)
    expected = Threads(Reference(simulate_from), 2, lanes=False).run(ensemble, never)
    np.testing.assert_array_equal(found.status, expected.status)
    assert found.sentences == expected.sentences
    return found, expected, host


class _Refuses:
    """The device finishes every motion itself."""

    name = "refuses"

    def refusal(self, ensemble):
        return None

    def run(self, ensemble, stop):
        raise AssertionError(f"{ensemble.size} motions were handed on")


# The full loop: needed for watched quantities and guards.
FULL = {
    "double pendulum": ("double-pendulum", {"theta1": "0.1:1.5:5", "l1": "0.9,1.1"},
                        ("final", "max theta2", "crossing theta2'' = 1", "drift", "theta1'' at 1,2"), 3.0),
    "sleigh": ("chaplygin-sleigh", {"theta'": "1:3:3"}, ("final", "min x", "multiplier.blade at 1"), 3.0),
    "variable mass": ("qiao-sleigh", {"m0": "0.3,2"}, ("final",), 5.0),
    "vakonomic": ("heisenberg", {"multipliers.area": "-1.3,0.4"}, ("final", "max x"), 2.0),
    "bouncing ball": ("bouncing-ball", {"e": "0.5:0.9:3", "z": "0.5,1.5"},
                      ("final", "events", "z at 0.3,0.7,1.5", "multiplier.floor at 0.1,4.9"), 5.0),
    "billiard": ("ellipse-billiard", {"x": "0.1:0.4:3"}, ("final", "events impact", "max y"), 20.0),
    "zhang-mei's ball": ("zhang-mei-ball", {"f": "0.05:0.4:5"}, ("final", "events", "drift"), 20.0),
    "controller": ("segway", {"pitch": "0.05,0.1"}, ("final", "max pitch"), 1.0),
    "data": ("mecanum", {"x": "0,0.1"}, ("final",), 1.0),
    "kink": ("disk-off-a-ledge", {"x": "-0.2,-0.15"}, ("final", "events"), 2.0),
    "cradle": ("newtons-cradle", {"q1": "-0.5,-0.3"}, ("final", "events impact", "drift"), 2.0),
}  # fmt: skip


def mains(host):
    """Which kernels were compiled, in their order."""
    return [text.split('#include "')[-1].split(".cu")[0] for text in host.texts]


@pytest.mark.parametrize("case", FULL)
def test_the_full_loop_takes_the_same_steps(case, tmp_path):
    name, vary, keep, until = FULL[case]
    found, expected, host = both(tmp_path, name, vary, keep, until=until)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)
    assert "follow" in mains(host) and "kernel" not in mains(host)
    assert FINISHED in found.status


def test_no_decision_of_contacts_hangs_on_rounding(tmp_path):
    """Products and sums are contracted, as on a GPU; results may differ by rounding."""
    vary, options = {"f": "0.34:0.4:8", "x": "0.2:1:20"}, ("-O2", "-ffp-contract=fast", "-march=native")
    found, expected, _ = both(tmp_path, "zhang-mei-ball", vary, ("final", "events"), options, until=20.0)
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-10)


# Contacts in registers: the number of rounds in which the full loop takes over for an event, if it is needed.
BOUNCING = {
    "flights with friction": ("zhang-mei-ball", {"x": "0.9:1.1:4"}, 16.0, 0),
    "a law in print": ("zhang-mei-ball-paper", {"x": "0.9:1.1:3"}, 10.0, 0),
    "chatter": ("bouncing-ball", {"e": "0.5:0.9:3"}, 5.0, 0),
    "a curved wall": ("ellipse-billiard", {"x": "0.1:0.4:3"}, 20.0, 0),
    "chains": ("newtons-cradle", {"q1": "-0.5,-0.3"}, 2.0, 0),
    "rolling rows": ("sleigh-at-a-wall", {"y": "0:0.02:3"}, 5.0, 0),
    "slips that stop": ("sliding-rod", {"theta'": "-0.1:0.1:3"}, 2.0, 1),
    "a slip in a plane": ("sliding-to-rolling", {"x": "0,0.01"}, 1.0, 1),
    "corners": ("rocking-block", {"tilt": "0.1,0.12"}, 0.8, 1),
}  # fmt: skip


SAMPLE = ("flights with friction", "chatter", "slips that stop")  # compiling takes most of the time


@pytest.mark.parametrize(
    "case", [case if case in SAMPLE else pytest.param(case, marks=pytest.mark.slow) for case in BOUNCING]
)
def test_contacts_in_registers_have_the_same_events(case, tmp_path, monkeypatch):
    """Events are counted alike, and states agree to the tolerance, whether the full loop was needed or not.

    A motion that has gone to the full loop too often begins there again.
    """
    name, vary, until, turns = BOUNCING[case]
    for rounds in (gpu.ROUNDS, 1) if turns else (gpu.ROUNDS,):
        monkeypatch.setattr(gpu, "ROUNDS", rounds)
        found, expected, host = both(tmp_path, name, vary, ("final", "events"), until=until, tolerance=1e-10)
        assert mains(host) == ["starts", "bounce", "follow"][: 2 + turns]
        counts = np.flatnonzero((expected.values == np.round(expected.values)).all(axis=0))
        assert len(counts) > 0
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(found.values[:, counts], expected.values[:, counts])


def test_the_model_s_own_events_are_found_between_impacts(tmp_path):
    """Crossings that are recorded, and one that stops a motion, in flights and in steps of constant acceleration."""
    for name, level in (("bouncing-ball", "z - 0.4"), ("ellipse-billiard", "x - 0.35")):
        text = write_text(da.gallery(name).record)
        text += f'\n[events.level]\nwhen = "{level}"\n[events.late]\nwhen = "t - 2.5"\nstop = true\n'
        coordinate = level.split()[0]
        keep = ("final", "events", f"crossing {coordinate} = 0.33", "final t")
        found, expected, host = both(tmp_path, text, {coordinate: "0.1:0.3:3"}, keep, until=5.0)
        assert "bounce" in mains(host) and "follow" not in mains(host)
        assert set(found.status.tolist()) == {STOPPED}
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-8, atol=1e-8)


# In registers: steps have a fixed length, because rounding would change their choice.
STEPPED = {
    "double pendulum": ("double-pendulum", {"theta1": "0.1:1.5:5", "g": "9,10"}, ("final", "theta2 at 1,0.5"), 2, 0.02),
    "disk": ("rolling-disk", {"lean": "0.1:0.3:3", "R": "0.3:0.5:2"}, ("final", "roll at 0.37"), 1.0, 0.02),
    "bicycle": ("whipple-bicycle", {"v": "4:6:3"}, ("final",), 0.5, 0.02),
    "holonomic": ("double-pendulum-cartesian", {"l2": "0.5:0.7:3"}, ("final",), 1.0, 0.01),
    "redundant": (REDUNDANT, {"x": "0.5:0.7:3"}, ("final",), 2.0, 0.02),
    "nonlinear": ("constant-speed", {"y": "0:1:3"}, ("final",), 1.0, 0.02),
}  # fmt: skip

TURNING = ("redundant",)  # steps in registers cannot follow these


@pytest.mark.parametrize("case", STEPPED)
def test_steps_in_registers_agree(case, tmp_path):
    name, vary, keep, until, step = STEPPED[case]
    found, expected, host = both(tmp_path, name, vary, keep, until=until, step=step, tolerance=1e-8)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)
    assert "kernel" in mains(host)
    assert ("follow" in mains(host)) == (case in TURNING)


def test_steps_of_free_length_agree_to_the_tolerance(tmp_path):
    found, expected, _ = both(tmp_path, "double-pendulum", {"theta1": "0.1:1.5:9"}, ("final",), until=3.0)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-7, atol=1e-7)


def test_a_motion_that_breaks_has_the_same_sentence(tmp_path):
    """Steps in registers pass the motion to the full loop, which gives the sentence of a single motion."""
    found, _, host = both(tmp_path, BREAKS, {"x'": "0.1:1:3"}, ("final",), until=2.0)
    assert found.status.tolist() == [FINISHED, FINISHED, FAILED]
    assert "the square root of" in found.sentences[2]
    assert mains(host) == ["kernel", "follow"]


def test_events_stop_motions(tmp_path):
    text = BREAKS.replace("[forces.spring]", '[events.mark]\nwhen = "x - 0.7"\nstop = true\n[forces.spring]')
    found, expected, _ = both(tmp_path, text, {"x'": "0.1:1:3"}, ("final", "events", "final t"), until=2.0)
    assert found.status.tolist() == [FINISHED, STOPPED, STOPPED]
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "vary", "how", "words"),
    [
        ("double-pendulum", {"g": "9,10"}, {"stepper": "gauss", "step": 0.01}, "the stepper gauss"),
        ("bouncing-ball", {"e": "0.5,0.6"}, {"keep": ("max multiplier.floor",)}, "forces of contacts"),
    ],
)
def test_what_it_cannot_follow_is_refused_by_name(name, vary, how, words, tmp_path):
    made = build(ordered(da.gallery(name).record, vary, **{"keep": ("final",), **how}), 1)
    sentence = OnDevice(_Refuses(), Host(tmp_path)).refusal(made.ensemble(0, 1)[0])
    assert sentence is not None and words in sentence and "leave out --gpu" in sentence


def test_without_a_gpu_the_command_says_so_and_writes_nothing(tmp_path, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    target = tmp_path / "found.zarr"
    status = run(["sweep", "double-pendulum", "--vary", "theta1=0.1:1:5", "--gpu", "-o", str(target)])
    assert status == 2
    assert "leave out --gpu" in capfd.readouterr().err
    assert not target.exists()


def test_kinks_without_number_are_followed(tmp_path):
    found, expected, _ = both(tmp_path, CASES, {"u": "0.6:1:3"}, ("final", "events kink"), until=0.3)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)


def test_steps_of_one_length_do_not_end_at_kinks(tmp_path):
    made = build(ordered(read_text(CASES), {"u": "0.6:1:3"}, keep=("final",), until=0.3), 1)
    ensemble = made.ensemble(0, 1)[0]
    ensemble = replace(ensemble, span=replace(ensemble.span, stepper="rk4", step=0.01))
    sentence = OnDevice(_Refuses(), Host(tmp_path)).refusal(ensemble)
    assert sentence is not None and "the stepper rk4 does not end its steps at kinks" in sentence


def test_starts_of_a_constraint_with_a_kink(tmp_path):
    """A bead on the graph of |x|: starts are found with the kink in the constraint, not on a branch of it."""
    bead = """
[coordinates]
x = { initial = -0.5, speed = 1 }
y = { initial = 0.4 }
[bodies.bead]
mass = 1
position = ["x", "y", 0]
[constraints]
wire = "y = abs(x)"
"""
    once = prepared(read_text(bead))
    given, x = np.array([True, False]), np.linspace(-0.9, 0.9, 10)
    states = np.column_stack([x, np.full(10, 0.4), np.ones(10), np.zeros(10)])
    starts, parameters = ManyStarts(once.system, given, 1), np.zeros((10, 0))
    expected = states.copy()
    starts.run(0.0, parameters, expected)
    status, _ = gpu.DeviceStarts(starts, Host(tmp_path), 0).run(0.0, parameters, states)
    assert not status.any()
    np.testing.assert_allclose(states[:, 1], np.abs(states[:, 0]), atol=1e-12)
    np.testing.assert_allclose(states, expected, rtol=1e-12, atol=1e-12)
