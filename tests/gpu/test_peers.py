"""The benchmark's kernels written by hand follow the same motions as the generated ones."""

from __future__ import annotations

import ctypes
import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from host_device import Host, library, passed

import dalembert as da
from dalembert.api.motion import simulate_from
from dalembert.api.sweep import build, ordered
from dalembert.motions.contact import run_hybrid
from dalembert.motions.initial import consistent
from dalembert.motions.one import integrate
from dalembert.motions.span import TimeSpan
from dalembert.prepared import prepare
from dalembert.sweep.gpu import OnDevice
from dalembert.sweep.reference import Reference

PEERS = Path(__file__).parents[2] / "benchmarks" / "gpu_peers" / "__init__.py"


@pytest.fixture(scope="module")
def peers():
    spec = importlib.util.spec_from_file_location("gpu_peers", PEERS)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def kernel(peers, name, stepper, folder):
    return library(peers.ON_A_PROCESSOR + peers.by_hand(name, stepper), folder).by_hand


def generated(name, steps, device):
    """The state at t = 1 after so many steps of one length."""
    record = da.gallery(name).record
    first = next(iter(record.coordinates))
    value = float(prepare(record).q[0])
    asked = ordered(record, {first: [value]}, until=1.0, engine="gpu", stepper="rk4", step=1.0 / steps)
    ensemble = build(replace(asked, engine="reference"), 1).ensemble(0, 1)[0]
    return OnDevice(Reference(simulate_from), device).run(ensemble, lambda: False).values[0]


@pytest.mark.parametrize(("name", "same"), [("double-pendulum", True), ("rolling-disk", False)])
def test_a_kernel_by_hand_follows_the_generated_one(name, same, peers, tmp_path):
    """To rounding, or to an error of fourth order where the variables differ: the disk by hand has quasi-velocities."""
    start = prepare(da.gallery(name).record)
    by_hand = kernel(peers, name, "rk4", tmp_path)
    given = np.concatenate([start.q, start.v])[:, None].copy()
    differences = []
    for steps in (500, 1000):
        finals, other = generated(name, steps, Host(tmp_path)), np.zeros_like(given)
        by_hand(ctypes.c_longlong(1), *map(passed, (given, 1.0 / steps, steps, other)))
        differences.append(np.abs(finals - other[:, 0]).max())
        assert np.abs(finals - given[:, 0]).max() > 1.0
    if same:
        assert max(differences) < 1e-13
    else:
        assert differences[1] < 1e-10
        assert differences[0] / differences[1] == pytest.approx(16.0, rel=0.05)


@pytest.mark.parametrize("name", ["double-pendulum", "rolling-disk"])
def test_adaptive_steps_by_hand_are_as_good_as_the_default_engines(name, peers, tmp_path):
    start = prepare(da.gallery(name).record)
    by_hand = kernel(peers, name, "dop853", tmp_path)
    given = np.concatenate([start.q, start.v])
    right = integrate(start.system, given, TimeSpan(0.0, 3.0, [], 1e-13)).end_state
    for tolerance in (1e-6, 1e-9):
        ours = integrate(start.system, given, TimeSpan(0.0, 3.0, [], tolerance))
        found, steps = np.zeros((len(given), 1)), np.zeros(1, np.int32)
        by_hand(ctypes.c_longlong(1), *map(passed, (given, 3.0, tolerance, found, steps)))
        assert np.abs(found[:, 0] - right).max() < 100 * tolerance
        assert 0.5 * ours.steps < steps[0] < 2 * ours.steps


def leaning_bicycle(start, random):
    """States on the constraints: the nearest consistent state would depend on the scale of the coordinates."""
    given = np.concatenate([start.q, start.v])
    given[[3, 5, 11, 13]] += [0.2, 0.2, 0.5, 0.5] * random.uniform(-1, 1, 4)
    q, v, _ = consistent(start.system, *np.split(given, 2), np.ones(start.system.n, dtype=bool))
    return np.concatenate([q, v])


def test_the_bicycle_by_hand_follows_the_default_engine(peers, tmp_path):
    """Two gyrostats in quasi-velocities, written without the symbols of the record: a check of the model as well."""
    start = prepare(da.gallery("whipple-bicycle").record)
    fixed = kernel(peers, "whipple-bicycle", "rk4", tmp_path)
    free = kernel(peers, "whipple-bicycle", "dop853", tmp_path)
    random = np.random.default_rng(5)
    for _ in range(3):
        given, found, made = leaning_bicycle(start, random), np.zeros((16, 1)), np.zeros(1, np.int32)
        right = integrate(start.system, given, TimeSpan(0.0, 0.5, [], 1e-13)).end_state
        errors = []
        for steps in (250, 500):
            fixed(ctypes.c_longlong(1), *map(passed, (given, 0.5 / steps, steps, found)))
            errors.append(np.abs(found[:, 0] - right).max())
        assert errors[1] < 1e-9
        assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)
        free(ctypes.c_longlong(1), *map(passed, (given, 0.5, 1e-9, found, made)))
        assert np.abs(found[:, 0] - right).max() < 1e-8
        x = start.system.state(0.5, *np.split(found[:, 0], 2))
        assert abs(start.system.position(x)[0]) < 1e-10
        assert np.abs(start.system.velocity(x)[: start.system.m]).max() < 1e-12


def test_the_ball_by_hand_meets_the_same_impacts(peers, tmp_path):
    """Until impacts accumulate: the velocity along the wall is reversed at each impact and has no limit."""
    start = prepare(da.gallery("zhang-mei-ball").record)
    by_hand = kernel(peers, "zhang-mei-ball", "hybrid", tmp_path)
    base, random = np.concatenate([start.q, start.v]), np.random.default_rng(3)
    for _ in range(8):
        given = base.copy()
        given[[0, 5, 8]] += [0.2, 0.1, 0.5] * random.uniform(-1, 1, 3)
        ours = run_hybrid(start.hybrid, given, TimeSpan(0.0, 16.0, np.zeros(0), 1e-9))
        found, steps, events = np.zeros((10, 1)), np.zeros(1, np.int32), np.zeros(1, np.int32)
        by_hand(ctypes.c_longlong(1), *map(passed, (given, 16.0, 1e-9, found, steps, events)))
        np.testing.assert_allclose(found[:, 0], ours.end_state, rtol=0, atol=1e-11)
        assert events[0] == len(ours.events) >= 8
