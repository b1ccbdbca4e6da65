"""Sweeps by steps of one length, with a compiler of this machine in place of the GPU."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from host_device import Host

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.api.sweep import build, ordered
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.model.read import read_text
from dalembert.prepared import prepared
from dalembert.sweep.ensemble import FAILED, FINISHED, UNDONE
from dalembert.sweep.gpu import NOT_FIXED, OnDevice
from dalembert.sweep.reference import Reference

SPRING = """
title = "A mass on a spring that has no force beyond a length"
[parameters]
k = 1
[coordinates]
x = { initial = 0.5, speed = 0 }
[bodies.mass]
mass = 1
position = ["x", 0, 0]
[forces.spring]
body = "mass"
force = ["-k*x*sqrt(1.5 - x)", 0, 0]
"""


@pytest.fixture
def device(tmp_path, monkeypatch):
    folder = tmp_path / "built"
    folder.mkdir()
    host = Host(folder)
    monkeypatch.setattr("dalembert.motions.device.Gpu", lambda: host)
    return host


def swept(name, vary, step, **how):
    return da.gallery(name).sweep(vary, engine="gpu", stepper="rk4", step=step, **how)


def by_hand(name, settings, until, steps):
    """Runge and Kutta's steps in Python, of all coordinates and speeds."""
    start = prepared(da.gallery(name).record).at(settings)
    n, h, y = start.system.n, until / steps, np.concatenate([start.q, start.v])

    def slope(t, y):
        x = start.system.state(t, y[:n], y[n:])
        D, h_, A, b = start.system.unpacked(start.system.dynamics(x))[:4]
        K = np.block([[D, A.T], [A, np.zeros((len(A), len(A)))]])
        return np.concatenate([y[n:], np.linalg.solve(K, np.concatenate([h_, b]))[:n]])

    for i in range(steps):
        t = i * h
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(t + h, y + h * k3))
    return y


def test_steps_are_runge_and_kutta_s_and_end_at_the_end(device):
    """Steps of 0.3 until 1 become three steps of a third."""
    found = swept("double-pendulum", {"theta1": "0.1,0.7,1.4"}, 0.3, until=1.0, record=["final", "end = final t"])
    assert (found["end"] == 1.0).all() and (found["status"] == FINISHED).all() and "message" not in found
    for i, angle in enumerate(found["theta1"].values):
        right = by_hand("double-pendulum", {"theta1": angle}, 1.0, 3)
        kept = [found[f"final {name}"].values[i] for name in ("theta1", "theta2", "theta1'", "theta2'")]
        np.testing.assert_allclose(kept, right, rtol=1e-12, atol=1e-12)
    assert len(device.texts) == 1 and "#define FIXED_STEPS 3\n" in device.texts[0]


CASES = {
    "disk": ("rolling-disk", {"lean": "0.1:0.3:3", "R": "0.3,0.4"}, 0.5),
    "nonholonomic": ("chaplygin-sleigh", {"theta'": "1:3:3"}, 1.0),
    "holonomic": ("double-pendulum-cartesian", {"l2": "0.5:0.7:3"}, 1.0),
    "nonlinear": ("constant-speed", {"y": "0:1:3"}, 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_of_the_fourth_order(case, device):
    name, vary, until = CASES[case]
    right = da.gallery(name).sweep(vary, until=until, tolerance=1e-12)
    errors = []
    for steps in (100, 200):
        found = swept(name, vary, until / steps, until=until)
        assert (found["status"] == FINISHED).all() and "message" not in found
        errors.append(max(float(abs(found[name] - right[name]).max()) for name in right.data_vars))
    assert 11.0 < errors[0] / errors[1] < 21.0 and errors[1] < 1e-5


def test_what_steps_of_one_length_do_not_follow_goes_by_free_ones_and_is_counted(device, tmp_path, capsys):
    """Steps of 0.5 are too long for k = 10⁴ and make it grow beyond all bounds; beyond 1.5 there is no force."""
    file = tmp_path / "spring.toml"
    file.write_text(SPRING)
    target = tmp_path / "found.zarr"
    call = ["sweep", str(file), "--vary", "k=1,1e4", "--vary", "x'=0,3", "--until", "40", "--gpu", "--stepper", "rk4"]
    assert run([*call, "--step", "0.5", "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert f"note: 2 motions: {NOT_FIXED}" in said
    assert "note: the first that failed:" in said and "the square root of" in said
    import xarray

    found = xarray.open_zarr(target)
    expected = da.load(file).sweep({"k": [1, 1e4], "x'": [0, 3]}, until=40)
    np.testing.assert_array_equal(found["status"], expected["status"])
    assert found["status"].values.tolist() == [[FINISHED, FAILED], [FINISHED, FINISHED]]
    told = found["message"].values
    assert told[0, 0] == "" and told[0, 1] == expected["message"].values[0, 1] and (told[1] == NOT_FIXED).all()
    np.testing.assert_allclose(found["final x"][1], expected["final x"][1], rtol=1e-5)


def test_the_step_belongs_to_the_sweep(device, tmp_path, capsys):
    target = tmp_path / "found.nc"
    call = ["sweep", "double-pendulum", "--vary", "theta1=0.1:1:3", "--until", "1", "--gpu", "--stepper", "rk4"]
    assert run([*call, "--step", "1e-2", "-o", str(target)]) == 0
    before = target.read_bytes()
    assert run([*call, "--step", "1e-2", "-o", str(target)]) == 0
    assert "complete already" in capsys.readouterr().out
    assert run([*call, "--step", "2e-2", "-o", str(target)]) == 2
    assert "step was 0.01 and is 0.02" in capsys.readouterr().err
    assert target.read_bytes() == before


def test_what_waits_when_a_sweep_is_stopped_is_not_followed_otherwise(tmp_path):
    """Steps of 0.5 are too long for the full loop and for steps of free length."""
    made = build(ordered(read_text(SPRING), {"k": [1e4, 2e4]}, until=40.0, step=0.5), 1)
    ensemble = made.ensemble(0, 2)[0]
    ensemble = replace(ensemble, span=replace(ensemble.span, stepper="rk4"))
    host = Host(tmp_path)
    engine = OnDevice(Reference(simulate_from), host)
    assert engine.refusal(ensemble) is None and engine.at_once(ensemble) == (1, 2**15)
    found = engine.run(ensemble, lambda: len(host.texts) > 0)
    assert (found.status == UNDONE).all() and not found.sentences
    assert len(host.texts) == 1


FAULTS = {
    "no GPU": ("double-pendulum", {"engine": "threads"}, "on a GPU alone: give --gpu"),
    "no step": ("double-pendulum", {"step": None}, "as in --step 1e-3"),
    "too many": ("double-pendulum", {"step": 1e-12}, "give a longer one"),
    "contacts": ("bouncing-ball", {}, r"this model has \[contacts.floor\]"),
    "extremes": ("double-pendulum", {"record": ["final", "max theta1"]}, "'max theta1' was asked for"),
    "times": ("double-pendulum", {"record": "theta1 at 1"}, "'theta1.t.' was asked for"),
    "derivatives": ("double-pendulum", {"record": "d(theta1)/d(g)"}, "was asked for"),
    "forces": ("double-pendulum", {"record": "final theta1''"}, "is of forces"),
    "variable mass": ("qiao-sleigh", {}, "variable mass"),
    "more states": ("heisenberg", {"method": "vakonomic"}, "multipliers that move"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_where_it_does_not_apply_a_sentence_says_so(case, device):
    name, how, words = FAULTS[case]
    model = da.gallery(name)
    varied = next(iter(model.record.coordinates))
    options = {"engine": "gpu", "stepper": "rk4", "step": 0.01, **how}
    with pytest.raises(ModelError, match=words):
        model.sweep({varied: [0.1, 0.2]}, until=1.0, **options)
    assert not device.texts


def test_a_single_motion_has_no_such_stepper(capsys):
    assert run(["simulate", "double-pendulum", "--stepper", "rk4", "--step", "0.01"]) == 2
    assert "'rk4' is no stepper" in capsys.readouterr().err
    with pytest.raises(ModelError):
        read_text('[coordinates]\nx = 0\n[simulation]\nstepper = "rk4"\n')


def test_the_answer_in_json_has_the_sentences(device, tmp_path, capsys):
    file = tmp_path / "spring.toml"
    file.write_text(SPRING)
    call = ["sweep", str(file), "--vary", "k=1,1e4", "--until", "40", "--gpu", "--stepper", "rk4", "--step", "0.5"]
    assert run([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variables"]["message"]["values"] == ["", NOT_FIXED]
