"""Exported slopes of models with first-order states and sampled controllers: q'', then the states' rates."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parent))
from exports import EXACT, states_near, states_of
from test_export_c import built, called
from test_export_c_more import differences, told
from test_export_matlab import octave, run, vector
from test_export_modelica import series, simulated
from test_export_modules import module_at

NAMES = ["car-with-trailer", "rocket-with-slosh", "segway"]
CALL = """
import { readFile } from "node:fs/promises";
import * as plant from "./plant.mjs";
const { slopes } = await plant.load(await readFile("plant.wasm"));
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((given) => [...slopes(...given)])));
"""


@pytest.mark.parametrize("to", ["numpy", "jax", "casadi"])
def test_modules_of_python(to, tmp_path):
    if to == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    if to == "casadi":
        pytest.importorskip("casadi")
    for name in NAMES:
        module = module_at(da.gallery(name).export(to, tmp_path / f"{to}.py")[0])
        states = states_of(name)
        states.same(module.slopes)
        assert len(module.STATES) == states.s.shape[1]


def test_c(tmp_path):
    for name in NAMES:
        states = states_of(name)
        plant = name.replace("-", "_")
        states.same(called(built(da.gallery(name), tmp_path, plant), states.a.shape[1], plant))


def test_what_controllers_compute(tmp_path):
    """The C of a controller gives the value that the motion holds from its first instant on."""
    model = da.gallery("segway")
    library, states = built(model, tmp_path), states_of("segway")
    (held,) = told(library, "controls", [1], states.t, states.q[0], states.v[0], [0.0], states.p, [0.0])
    assert held[0] == pytest.approx(model.simulate(until=0.005)["torque"][0], rel=1e-14)


def test_linear(tmp_path):
    """A, B, C, D with states: differences of the slopes and the outputs."""
    model = machine()
    states = states_near(model)
    (tmp_path / "slopes").mkdir()
    slopes, library = built(model, tmp_path / "slopes"), built(model, tmp_path, what="linear")
    q, v, s = states.q[1], states.v[1], states.s[1]
    x = np.concatenate([q, v, s, states.u])

    def both(x):
        given = (states.t, x[:1], x[1:2], x[2:4], states.p, x[4:])
        return np.concatenate([x[1:2], told(slopes, "slopes", [3], *given)[0], told(slopes, "outputs", [1], *given)[0]])

    sizes = [16, 4, 4, 1]
    found = told(library, "linear", sizes, states.t, q, v, s, states.p, states.u)
    A, B, C, D = (part.reshape(-1, k) for part, k in zip(found, (4, 1, 4, 1), strict=True))
    expected = differences(both, x)
    assert np.abs(np.block([[A, B], [C, D]]) - expected).max() < 1e-9 * (1 + np.abs(expected).max())


def machine() -> da.Model:
    """A pendulum with a motor that lags, and an integrator: its rates and its force are nonlinear."""
    model = da.Model("motor that lags")
    model.parameter("lag", 0.2)
    model.coordinate("theta", 0.3)
    model.input("wish", times=[0, 1], values=[1, 2])
    model.state("torque", initial=0.1, rate="(wish*cos(theta) - torque)/lag")
    model.state("sum", initial=0.2, rate="theta*torque - sum^2")
    model.energy(kinetic="theta'^2", potential="-cos(theta)")
    model.force("motor", generalized={"theta": "torque*cos(sum)"})
    model.output("felt", "theta'' + sum*torque")
    return model


@octave
def test_matlab(tmp_path):
    states = states_near(machine())
    machine().export("matlab", tmp_path / "plant.m")
    calls = [f"disp(num2hex(plant({t!r}, {', '.join(map(vector, rest))})))" for t, *rest in states.given()]
    words = run(tmp_path, calls).split()
    found = np.array([np.frombuffer(bytes.fromhex(word), dtype=">f8")[0] for word in words]).reshape(states.a.shape)
    assert np.abs(found - states.a).max() <= EXACT * (1 + np.abs(states.a).max())


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_wasm(tmp_path):
    states = states_near(machine())
    machine().export("wasm", tmp_path / "plant.wasm")
    (tmp_path / "call.mjs").write_text(CALL)
    given = json.dumps([[t, *(part.tolist() for part in rest)] for t, *rest in states.given()])
    done = subprocess.run(["node", "call.mjs", given], cwd=tmp_path, capture_output=True, check=True)
    assert np.abs(np.array(json.loads(done.stdout)) - states.a).max() <= EXACT * (1 + np.abs(states.a).max())


def test_modelica(tmp_path):
    model = da.gallery("car-with-trailer")
    _, found = simulated(model, tmp_path)
    motion = model.simulate(until=0.5, samples=11)
    for name in ("delta", "psi"):
        assert np.abs(series(found, name) - motion[name]).max() < 1e-4 * (1 + np.abs(motion[name]).max())
