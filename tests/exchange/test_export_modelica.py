"""Exported Modelica: a compiler of Modelica takes it; its accelerations and its motion are the engine's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError


def simulated(model, folder, until=0.5):
    """The text, and the model that Rumoca compiles from it."""
    import rumoca

    (path,) = model.export("modelica", folder / "Plant.mo")
    found = rumoca.Session().load(str(path), model="Plant").simulate(t=(0.0, until), dt=until / 10)
    return path.read_text(), found


def series(found, name):
    """A variable over the times."""
    return np.array(found[name], dtype=float)


@pytest.mark.parametrize(
    "name", ["simple-pendulum", "rolling-disk", "chaplygin-sleigh", "raindrop", "differential-drive"]
)
def test_motion(name, tmp_path):
    model = da.gallery(name)
    text, found = simulated(model, tmp_path)
    start = model.solve()
    for q, a in start.accelerations.items():
        (right,) = re.findall(rf"^  der\({q}_dot\) = (\S+);$", text, re.MULTILINE)
        value = series(found, right)[0] if right.startswith("w_") else float(right.strip("()"))
        assert value == pytest.approx(a, abs=1e-12 * (1 + max(map(abs, start.accelerations.values()))))
    motion = model.simulate(until=0.5, samples=11)
    for q, values in motion.coordinates.items():
        assert np.abs(series(found, q) - values).max() < 1e-4 * (1 + np.abs(values).max())


def test_text(tmp_path):
    """Words of Modelica are renamed and listed; quotes are escaped; the same model gives the same bytes."""
    model = da.Model('A "quoted" title')
    model.parameter("end_", 2)
    x, y = model.coordinate("der", 0.2), model.coordinate("time", -0.1)
    model.energy(kinetic=x.dot**2 + y.dot**2, potential=da.sin(x) * y)
    text = model.export("modelica", tmp_path / "plant.mo")[0].read_text()
    assert "// der is called der_ here." in text and "Real time_(start = (-0.1), fixed = true);" in text
    assert 'model plant "A \\"quoted\\" title"' in text
    assert model.export("modelica", tmp_path / "plant.mo")[0].read_text() == text
    with pytest.raises(ModelError, match="cannot carry contacts"):
        da.gallery("bouncing-ball").export("modelica", tmp_path / "plant.mo")
