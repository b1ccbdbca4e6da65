"""Exported MATLAB: Octave runs it, and its accelerations are the engine's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of

octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="Octave is not installed")


def vector(values) -> str:
    return f"[{', '.join(repr(float(value)) for value in values)}]"


def run(folder, lines):
    text = "\n".join([f"addpath('{folder}');", "format long", *lines])
    done = subprocess.run(["octave-cli", "--quiet", "--eval", text], capture_output=True, text=True, check=True)
    assert "warning" not in done.stderr, done.stderr
    return done.stdout


@octave
@pytest.mark.parametrize("name", ["rolling-disk", "appell-hamel", "raindrop", "four-bar", "whipple-bicycle"])
def test_accelerations(name, tmp_path):
    states = states_of(name)
    da.gallery(name).export("matlab", tmp_path / "plant.m")
    calls = []
    for q, v in zip(states.q, states.v, strict=True):
        calls.append(f"disp(num2hex(plant({states.t!r}, {vector(q)}, {vector(v)}, {vector(states.p)})))")
    words = run(tmp_path, calls).split()
    found = np.array([np.frombuffer(bytes.fromhex(word), dtype=">f8")[0] for word in words]).reshape(states.a.shape)
    assert np.abs(found - states.a).max() <= 1e-12 * (1 + np.abs(states.a).max())


@octave
def test_own_parameters_and_names(tmp_path):
    model = da.gallery("simple-pendulum")
    model.export("matlab", tmp_path / "plant.m")
    out = run(
        tmp_path, ["s = plant();", "disp(s.coordinates{1})", "disp(numel(s.p))", "printf('%.17g', plant(0, 0.5, 0))"]
    )
    name, count, a = out.split()
    assert (name, int(count)) == ("theta", len(model.record.parameters))
    expected = model.solve(settings={"theta": 0.5, "theta'": 0}).accelerations["theta"]
    assert float(a) == pytest.approx(expected, rel=1e-12)


def test_text(tmp_path):
    """The same bytes for the same model; a title stays in its comment; the function has the name of the file."""
    model = da.Model("Two\nlines % end")
    x = model.coordinate("x", 0.2)
    model.energy(kinetic=x.dot**2 / 2, potential=da.cos(x))
    one = model.export("matlab", tmp_path / "plant.m")[0].read_bytes()
    assert model.export("matlab", tmp_path / "plant.m")[0].read_bytes() == one
    assert b"% model    Two lines % end" in one
    with pytest.raises(ModelError, match=r"call it a_b\.m"):
        model.export("matlab", tmp_path / "a b.m")
    with pytest.raises(ModelError, match="cannot carry contacts"):
        da.gallery("bouncing-ball").export("matlab", tmp_path / "plant.m")
