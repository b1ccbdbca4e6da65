"""Exported WebAssembly: in node its accelerations are the engine's, and the same model gives the same bytes."""

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
from exports import states_of

CALL = """
import { readFile } from "node:fs/promises";
import * as plant from "./plant.mjs";
const { slopes } = await plant.load(await readFile("plant.wasm"));
const { t, q, v, p } = JSON.parse(process.argv[2]);
const told = (a) => [...a].map((e) => (Number.isNaN(e) ? null : e));
const refused = (() => { try { slopes(t, [], v[0]); } catch (error) { return error.message; } })();
const a = q.map((one, i) => told(slopes(t, one, v[i], p)));
console.log(JSON.stringify({ a, own: Object.values(plant.PARAMETERS), model: plant.MODEL, refused }));
"""


def called(name, folder, states):
    files = da.gallery(name).export("wasm", folder / "plant.wasm")
    assert [file.name for file in files] == ["plant.wasm", "plant.mjs"]
    (folder / "call.mjs").write_text(CALL)
    given = {"t": states.t, "q": states.q.tolist(), "v": states.v.tolist(), "p": states.p.tolist()}
    done = subprocess.run(["node", "call.mjs", json.dumps(given)], cwd=folder, capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
@pytest.mark.parametrize("name", ["rolling-disk", "appell-hamel", "four-bar", "raindrop", "whipple-bicycle"])
def test_in_node(name, tmp_path):
    states = states_of(name)
    found = called(name, tmp_path, states)
    a = np.array(found["a"], dtype=float)
    assert np.abs(a - states.a).max() <= 1e-12 * (1.0 + np.abs(states.a).max())
    assert (found["own"], found["model"]) == (states.p.tolist(), da.gallery(name).record.title)
    assert "q has 0 numbers" in found["refused"]
    first = {path.name: path.read_bytes() for path in tmp_path.glob("plant.*")}
    called(name, tmp_path, states)
    assert first == {path.name: path.read_bytes() for path in tmp_path.glob("plant.*")}


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_singular_state_has_no_accelerations(tmp_path):
    states = states_of("simple-pendulum")
    states.p[:] = 0.0
    assert called("simple-pendulum", tmp_path, states)["a"][0] == [None]
