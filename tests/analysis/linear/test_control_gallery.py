"""Responses and regulators of machines of the gallery, against zeros and poles, SciPy's Riccati equation, motions."""

from __future__ import annotations

from functools import cache
from tomllib import loads
from typing import Any

import numpy as np
import pytest
from scipy import linalg
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.collection import text
from dalembert.expressions.text import text as written
from dalembert.model.read import model_of
from dalembert.results.control import Control

REST: dict[str, dict[str, Any]] = {
    "segway": {"pitch": 0, "cruise": 0},
    "unicycle-robot": {"lean": 0, "pitch": 0, "yaw'": 0},
    "quadcopter-slung-load": {"x": 2, "z": 1, "swing": 0},
    "differential-drive": {"psi": 0, "psi'": 0, "phi_left'": 0, "left_torque": 0, "right_torque": 0},
    "mecanum": {"psi": 0},
    "car-with-trailer": {},
    "rocket-with-slosh": {},
}


def machine(name: str) -> da.Model:
    """At rest or in a steady motion, without its sampled controller, and without data."""
    data = loads(text(name))
    data.pop("sampled", None)
    if name == "mecanum":
        data["inputs"] = dict.fromkeys(data["inputs"], 0)
    return da.Model.of(model_of(data)).changed(REST[name])


@cache
def control(name: str) -> Control:
    found = machine(name).linearize().control
    assert found is not None
    return found


@pytest.mark.parametrize("name", REST)
def test_factors_and_responses_are_the_resolvent(name: str) -> None:
    """C (iω − A)⁻¹ B + D by an inverse, against gain, zeros and poles, and against the Bode diagram."""
    found = control(name)
    omega = np.geomspace(0.3, 30, 5)
    for one, G in zip(omega, found.response(omega), strict=True):
        direct = found.C @ linalg.inv(1j * one * np.eye(len(found.A)) - found.A) @ found.B + found.D
        size = np.abs(direct).max()
        np.testing.assert_allclose(G, direct, rtol=1e-8, atol=1e-12 * size)
        for i, output in enumerate(found.outputs):
            for j, entry in enumerate(found.inputs):
                factors = found.transfer(output, entry)
                if not factors.gain:
                    assert abs(direct[i, j]) <= 1e-12 * size
                    continue
                product = factors.gain * np.prod(1j * one - factors.zeros) / np.prod(1j * one - factors.poles)
                assert abs(product - direct[i, j]) <= 1e-7 * abs(direct[i, j]) + 1e-12 * size, (output, entry)
    bode = found.to_dict()["bode"]
    k, (i, j) = 100, np.unravel_index(int(np.abs(direct).argmax()), direct.shape)
    output, entry = found.outputs[i], found.inputs[j]
    there = found.response([bode["frequencies"][k]])[0, i, j]
    assert bode["magnitude"][output][entry][k] == pytest.approx(abs(there), rel=1e-12)
    if size == 0.0:  # the load of the wheels of a segway at rest
        return
    assert np.exp(1j * np.radians(bode["phase"][output][entry][k])) == pytest.approx(there / abs(there), abs=1e-12)


@pytest.mark.parametrize("name", REST)
def test_step_responses_are_integrated(name: str) -> None:
    found = control(name)
    times, steps = found.step([0.2, 0.7])
    for j in range(len(found.inputs)):
        x = solve_ivp(
            lambda _, x, j=j: found.A @ x + found.B[:, j],
            (0, 0.7), np.zeros(len(found.A)), "DOP853", times, rtol=1e-11, atol=1e-13,
        ).y  # fmt: skip
        expected = (found.C @ x).T + found.D[:, j]
        np.testing.assert_allclose(steps[:, :, j], expected, rtol=1e-8, atol=1e-9 * max(1.0, np.abs(expected).max()))


LQR: dict[str, tuple[list[str], float]] = {  # states that depend on no others, and that the inputs move
    "segway": (["x", "pitch", "phi'", "pitch'"], 0.5),
    "unicycle-robot": (["roll", "pitch", "lean", "pitch'", "roll'", "lean'", "fly'"], 2.0),
    "quadcopter-slung-load": (["x", "z", "tilt", "swing", "x'", "z'", "tilt'", "swing'"], 1.0),
    "differential-drive": (["phi_left", "phi_right", "psi'", "phi_left'"], 0.1),
    "mecanum": (["x", "y", "psi", "x'", "y'", "psi'"], 3.0),
}


@pytest.mark.parametrize("name", LQR)
def test_regulators_are_scipys(name: str) -> None:
    """K = R⁻¹ Bᵀ P with P of SciPy's Riccati equation for the named states alone, all others unweighted."""
    names, R = LQR[name]
    weights = {state: 1.0 + 0.5 * k for k, state in enumerate(names)}
    found = machine(name).linearize(lqr={"Q": weights, "R": R}).control
    assert found is not None and found.lqr is not None
    own = [found.states.index(state) for state in names]
    rest = [i for i in range(len(found.states)) if i not in own]
    assert not found.A[np.ix_(own, rest)].any()
    A, B = found.A[np.ix_(own, own)], found.B[own]
    P = linalg.solve_continuous_are(A, B, np.diag(list(weights.values())), R * np.eye(B.shape[1]))
    K = np.zeros_like(found.lqr.K)
    K[:, own] = B.T @ P / R
    np.testing.assert_allclose(found.lqr.K, K, rtol=1e-6, atol=1e-7 * np.abs(K).max())
    assert linalg.eigvals(A - B @ K[:, own]).real.max() < 0


def test_the_gain_takes_the_place_of_a_sampled_law() -> None:
    """The segway's controller computes the torque at instants: there the gain is put back, and it balances."""
    segway = da.gallery("segway").changed({"pitch": 0, "cruise": 0})
    found = segway.linearize(lqr={"Q": {"pitch": 100, "x": 1}, "R": 0.5})
    assert found.control is not None and found.control.lqr is not None
    assert list(found.control.lqr.tables) == ["sampled.controller"] and "[sampled.controller]\ntorque = " in str(found)
    closed = segway.changed({**found.control.lqr.feedback, "pitch": 0.1})
    motion = closed.simulate(until=30, samples=2)
    assert abs(motion["pitch"][-1]) < 1e-3 and abs(motion["x"][-1]) < 0.05
    every = (closed.record.stated or closed.record).sampled["controller"]
    assert "304.309" in written(every.values["torque"])


DRIVEN = [
    ("segway", "torque", "pitch", 3.0),
    ("unicycle-robot", "drive", "pitch", 4.0),
    ("quadcopter-slung-load", "lift", "z", 2.0),
    ("differential-drive", "left_torque", "phi_left'", 2.0),
    ("mecanum", "ahead", "x'", 2.0),
]


@pytest.mark.parametrize(("name", "driven", "seen", "omega"), DRIVEN)
def test_responses_are_those_of_motions(name: str, driven: str, seen: str, omega: float) -> None:
    """A small sine on top of the feedback that the model has, or of a regulator, until transients have gone."""
    model = machine(name)
    if name not in ("unicycle-robot", "quadcopter-slung-load"):
        gain = model.linearize(lqr={"Q": dict.fromkeys(LQR[name][0], 1), "R": 0.1}).control
        model = model.changed(dict(gain.lqr.feedback))
    G = model.linearize(outputs=[seen]).control
    j = G.inputs.index(driven)
    stated = (model.record.stated or model.record).inputs[driven].value
    size, period = 1e-4, 2 * np.pi / omega
    pushed = model.changed({driven: f"{written(stated)} + {size}*cos({omega}*t)"})
    times = np.linspace(20 * period, 22 * period, 101)[:-1]
    motion = pushed.simulate(at=times, tolerance=1e-12)
    amplitude = 2 * np.mean(motion[seen] * np.exp(-1j * omega * times)) / size
    assert amplitude == pytest.approx(G.response([omega])[0, 0, j], rel=1e-4)
