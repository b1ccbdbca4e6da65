"""The kernel of a GPU, compiled here for the processor: the same text has the same motions."""

from __future__ import annotations

import ctypes as c
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.engine import many as doors
from dalembert.engine.build import compilers
from dalembert.engine.library import Status
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.device import kernel
from dalembert.motions.one import PATIENCE
from dalembert.motions.scales import natural_sizes
from dalembert.prepared import prepared
from dalembert.programs import c99

FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno", "-x", "c++")


@pytest.mark.parametrize(("name", "coordinate"), [("double-pendulum", "theta1"), ("rolling-disk", "lean")])
def test_the_text_of_a_gpu_has_the_processor_s_motions(name, coordinate, tmp_path):
    model, values, times = da.gallery(name), [0.1, 0.2, 0.3], np.array([0.0, 0.3, 1.0])
    once = prepared(model.record)
    made = kernel(once.system, c99.function)
    (tmp_path / "kernel.cpp").write_text("#include <math.h>\n" + made.text)
    target = tmp_path / "kernel.so"
    subprocess.run(
        [*compilers()[0], *FLAGS, f"-I{made.headers}", str(tmp_path / "kernel.cpp"), "-o", target], check=True
    )
    starts = [once.at({coordinate: value}) for value in values]
    n, count = once.system.n, len(values)
    states = np.array([np.concatenate([start.q, start.v]) for start in starts])
    natural = np.array([natural_sizes(s.system, s.x, solve_accelerations(s.system, s.x).a, times[-1]) for s in starts])
    parameters = np.array([start.system.parameters for start in starts])
    common = np.array([0.0, times[-1], 1e-9, times[-1], PATIENCE])
    sampled, ends = np.zeros((count, len(times), 2 * n)), np.zeros(count)
    status, claimed = np.full(count, doors.WAITING, np.int64), np.zeros(1, np.int64)
    arrays = (times, parameters, natural, states, sampled, ends, status, claimed)
    entry = c.CDLL(str(target)).smooth_motions
    entry.argtypes = [c.c_longlong, c.c_void_p, c.c_longlong, *[c.c_void_p] * 8]
    entry(count, common.ctypes.data, len(times), *(array.ctypes.data for array in arrays))
    assert status.tolist() == [Status.FINISHED] * count and (ends == times[-1]).all()
    for value, found in zip(values, sampled, strict=True):
        alone = model.simulate(at=times, tolerance=1e-9, settings={coordinate: value})
        for i, q in enumerate(alone.coordinates):
            np.testing.assert_allclose(found[:, i], alone[q], rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(states, sampled[:, -1])
