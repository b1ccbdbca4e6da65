"""The kernels by hand that the benchmark sets beside the generated ones follow the same motions."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from host_device import library, passed

import dalembert as da
from dalembert.cuda.source import fast_source
from dalembert.prepared import prepare

PEERS = Path(__file__).parents[2] / "benchmarks" / "gpu_peers.py"
AS_A_THREAD = """
#include <cmath>
#define __device__
#define __global__
#define __forceinline__ inline
static const struct { int x; } blockIdx = {0}, blockDim = {0}, threadIdx = {0};
#define SINCOS(x, s, c) s = std::sin(x); c = std::cos(x);
"""


@pytest.mark.parametrize(("name", "same"), [("double-pendulum", True), ("rolling-disk", False)])
def test_a_kernel_by_hand_follows_the_generated_one(name, same, tmp_path):
    """To rounding, or to an error of fourth order where the variables differ: the disk by hand has quasi-velocities."""
    spec = importlib.util.spec_from_file_location("gpu_peers", PEERS)
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    start = prepare(da.gallery(name).record)
    generated = library(fast_source(start.system, start.x, "rk4").text, tmp_path).fixed_steps
    by_hand = library(AS_A_THREAD + peers.HAND[name], tmp_path).by_hand
    given = np.concatenate([start.q, start.v])[:, None].copy()
    differences = []
    for steps in (500, 1000):
        finals, other = np.zeros_like(given), np.zeros_like(given)
        reached, books, none = np.zeros(1), np.zeros(6, np.int32), np.zeros(1)
        generated(*map(passed, (1, none, given, 0.0, 1.0 / steps, steps, finals, reached, books)))
        by_hand(ctypes.c_longlong(1), *map(passed, (given, 1.0 / steps, steps, other)))
        differences.append(np.abs(finals - other).max())
        assert np.abs(finals - given).max() > 1.0
    if same:
        assert max(differences) < 1e-13
    else:
        assert differences[1] < 1e-10
        assert differences[0] / differences[1] == pytest.approx(16.0, rel=0.05)
