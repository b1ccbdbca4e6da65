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


def test_units_and_descriptions(tmp_path):
    """They go along: in Modelica where its language has a place, elsewhere in the head of the file."""
    model = da.Model("units")
    model.parameter("k", 3, unit="kN/m", about='a "spring"')
    model.coordinate("x", 10, unit="cm", about="way")
    model.coordinate("turn", 30, unit="deg")
    model.parameter("p", 1, unit="Pa")
    model.parameters(m=2, J=3)
    model.energy(kinetic="(m*x'^2 + J*turn'^2)/2", potential="k*x^2/2 + p*x^3")
    text = model.export("modelica", tmp_path / "units.mo")[0].read_text()
    for line in (
        r"""parameter Real k(unit = "kg/s2") = 3000.0 "a \"spring\"";""", 'parameter Real p(unit = "kg/(m.s2)") = 1.0;',
        'Real x(unit = "m", start = 0.1, fixed = true) "way";', 'Real x_dot(unit = "m/s", start = 0.0, fixed = true);',
        'Real turn_dot(unit = "rad/s", start = 0.0, fixed = true);',
    ):  # fmt: skip
        assert f"  {line}\n" in text
    assert "# x [m] way\n" in model.export("numpy")["model.py"]
    assert ' * k [kg/s^2] a "spring"\n' in model.export("c")["model.h"]
