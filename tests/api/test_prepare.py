"""Prepared models: their functions satisfy the equations of motion, and are the same in threads and other processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MathematicsError, ModelError
from dalembert.prepared import prepared

SMOOTH = ["rolling-disk", "four-bar", "raindrop", "appell-hamel", "simple-pendulum", "yoyo-despin"]


@pytest.mark.parametrize("name", SMOOTH)
def test_equations_hold(name):
    """M a + h is a combination of the rows of A, A a = b, and `solve` finds the same a at the start."""
    run = da.gallery(name).prepare()
    state = da.gallery(name).solve()
    q, v, t = list(state.coordinates.values()), list(state.speeds.values()), state.time
    a = run.slopes(t, q, v)
    size = 1.0 + np.abs(a).max()
    assert np.abs(a - list(state.accelerations.values())).max() <= 1e-12 * size
    force, A = run.M(q, t) @ a + run.h(q, v, t), run.A(q, v, t)
    scale = 1.0 + np.abs(run.h(q, v, t)).max()
    if len(A):
        assert np.abs(A @ a - run.b(q, v, t)).max() <= 1e-11 * size * (1.0 + np.abs(A).max())
        force = force - A.T @ np.linalg.lstsq(A.T, force, rcond=1e-11)[0]
    assert np.abs(force).max() <= 1e-11 * scale


def test_mass_matrix_is_that_of_the_kinetic_energy():
    """½ vᵀ M v = T, for a model whose kinetic energy is a quadratic form of the speeds."""
    model = da.gallery("four-bar")
    state, run = model.solve(), model.prepare()
    v = np.array(list(state.speeds.values()))
    kinetic = v @ run.M(list(state.coordinates.values())) @ v / 2
    assert kinetic == pytest.approx(state.energy["kinetic"], rel=1e-13)


def test_rows_of_states():
    run = da.gallery("rolling-disk").prepare()
    start = prepared(da.gallery("rolling-disk").record).at()
    q = start.q + np.linspace(-0.1, 0.1, 4)[:, None]
    together = run.slopes([0.0, 1.0, 2.0, 3.0], q, start.v)
    alone = [run.slopes(t, row, start.v) for t, row in enumerate(q)]
    assert np.array_equal(together, alone)
    assert run.M(q).shape == (4, 5, 5)
    assert run.A(q, start.v).shape == (4, 2, 5)
    assert np.array_equal(run.h(q, start.v)[2], run.h(q[2], start.v))


def test_motion_is_that_of_simulate():
    model = da.gallery("rolling-disk")
    run = model.prepare("chetaev")
    for settings in ({}, {"R": 0.6}, {"lean": 0.2, "yaw'": 1.1}):
        found, right = run.motion(settings, until=0.5), model.simulate("chetaev", until=0.5, settings=settings)
        assert found.method == "chetaev"
        assert found["lean"] == pytest.approx(right["lean"], rel=1e-8, abs=1e-8)


def test_threads_and_pickles():
    run = da.gallery("whipple-bicycle").prepare()
    state = da.gallery("whipple-bicycle").solve()
    q, v = np.array(list(state.coordinates.values())), np.array(list(state.speeds.values()))
    states = [(q + 0.01 * k, v) for k in range(40)]
    one_by_one = [run.slopes(0.0, *s) for s in states]
    fresh = pickle.loads(pickle.dumps(run))  # nothing is compiled yet: all threads start to compile at once
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda s: fresh.slopes(0.0, *s), states))
    assert np.array_equal(together, one_by_one)


def test_refusals():
    run = da.gallery("knife-edge").prepare("vakonomic")
    with pytest.raises(ModelError, match="depends on more than t, q and q'"):
        run.slopes(0.0, [0, 0, 0], [0, 0, 0])
    assert run.motion(until=0.1).status == "finished"
    with pytest.raises(ModelError, match="with contacts or frictions depend on which of them act"):
        da.gallery("bouncing-ball").prepare().slopes(0.0, [1], [0])
    with pytest.raises(ModelError, match=r"q has the shape \(2,\); \(1,\) or \(states, 1\) is expected"):
        da.gallery("simple-pendulum").prepare().slopes(0.0, [1, 2], [0])
    with pytest.raises(ModelError, match="the mass matrix of this model depends on the speeds x'"):
        da.gallery("relativistic-particle").prepare().M([0.0])


def test_no_value():
    """A potential √x has no slope at x = −1."""
    model = da.Model("root")
    x = model.coordinate("x", 1)
    model.energy(kinetic=x.dot**2 / 2, potential=da.sqrt(x))
    run = model.prepare()
    for call in (lambda: run.h([-1.0], [0.0]), lambda: run.slopes(0.0, [-1.0], [0.0])):
        with pytest.raises(MathematicsError, match=r"at t = 0 .*x"):
            call()
