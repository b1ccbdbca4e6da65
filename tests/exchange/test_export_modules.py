"""Exported modules of Python: run apart from this package, their accelerations are the engine's."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.exchange.export import TARGETS
from dalembert.exchange.export.dialects import Dialect
from dalembert.programs.c99 import INFIX
from dalembert.programs.program import FREE, KINDS

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of

FEW = ["rolling-disk", "appell-hamel", "four-bar", "raindrop", "rattleback"]


def loaded(name, to, folder, **options):
    (path,) = da.gallery(name).export(to, folder / "plant.py", **options)
    assert "dalembert" not in [line.split()[1] for line in path.read_text().splitlines() if line.startswith("import")]
    return module_at(path)


def module_at(path):
    spec = importlib.util.spec_from_file_location("plant", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*FEW, "whipple-bicycle"])
def test_numpy(name, tmp_path):
    module, states = loaded(name, "numpy", tmp_path), states_of(name)
    assert list(module.PARAMETERS.values()) == states.p.tolist()
    states.same(module.slopes)
    together = module.slopes(states.t, states.q.T, states.v.T)  # all states at once, with the model's own parameters
    alone = np.column_stack([module.slopes(states.t, q, v) for q, v in zip(states.q, states.v, strict=True)])
    assert np.abs(together - alone).max() <= 1e-13 * (1.0 + np.abs(alone).max())


def test_numpy_says_what_is_missing(tmp_path):
    module = loaded("rolling-disk", "numpy", tmp_path)
    assert da.gallery("rolling-disk").record.title == module.MODEL
    assert ("kane", da.__version__) == (module.METHOD, module.VERSION)
    with pytest.raises(ValueError, match="1 values were given for x, y"):
        module.slopes(0.0, [0.0], [0.0])


def test_numpy_where_one_state_is_singular(tmp_path):
    module = loaded("simple-pendulum", "numpy", tmp_path)
    values = list(module.PARAMETERS.values())
    p = [np.array([value, 0.0]) for value in values]
    a = module.slopes(0.0, [0.3], [0.0], p)
    assert np.isfinite(a[0, 0])
    assert np.isnan(a[0, 1])


@pytest.mark.parametrize("target", [to for to, holds in TARGETS.items() if "slopes" in holds])
def test_every_operation_has_its_words(target):
    """A target without a table of words goes through C's, which a test of programs covers."""
    words = getattr(import_module(f"dalembert.exchange.export.{TARGETS[target]['slopes']}"), "WORDS", None)
    if isinstance(words, Dialect):
        assert {*words.words, *INFIX, *FREE} >= KINDS


def test_numpy_with_steps_in_a_force(tmp_path):
    model = da.Model("steps")
    x = model.coordinate("x", 0.4)
    model.energy(kinetic=x.dot**2 / 2)
    model.force("push", generalized={x: da.floor(3 * x) + da.mod(x, 0.3)})
    model.export("numpy", tmp_path / "plant.py")
    assert module_at(tmp_path / "plant.py").slopes(0.0, [0.4], [0.0]) == pytest.approx([1.1])
    assert model.solve().accelerations["x"] == pytest.approx(1.1)


@pytest.mark.parametrize("name", FEW)
def test_jax(name, tmp_path):
    """Values, the same under jit and vmap, and gradients that are the differences of values."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    module, states = loaded(name, "jax", tmp_path), states_of(name)
    states.same(module.slopes)
    slopes = jax.jit(module.slopes)
    states.same(slopes)
    together = jax.vmap(lambda q, v: module.slopes(states.t, q, v))(states.q, states.v)
    assert np.abs(together - states.a).max() <= 1e-12 * (1.0 + np.abs(states.a).max())
    jacobian = np.asarray(jax.jacobian(slopes, argnums=1)(states.t, states.q[1], states.v[1], states.p))
    for i, column in enumerate(jacobian.T):
        step = 1e-5 * np.eye(len(column))[i]
        ends = [np.asarray(slopes(states.t, states.q[1] + s, states.v[1], states.p)) for s in (step, -step)]
        assert np.abs((ends[0] - ends[1]) / 2e-5 - column).max() <= 1e-6 * (1.0 + np.abs(jacobian).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_casadi(name, tmp_path):
    """Values of the Function of SX and of MX, and its Jacobian against differences."""
    ca = pytest.importorskip("casadi")
    module, states = loaded(name, "casadi", tmp_path), states_of(name)
    for kind in (ca.SX, ca.MX):
        function = module.function(kind)
        states.same(lambda t, q, v, p, f=function: np.asarray(f(t, q, v, p, [])).ravel())
    jacobian = np.asarray(function.jacobian()(states.t, states.q[1], states.v[1], states.p, [], [])[2])
    for i, column in enumerate(jacobian.T):
        step = 1e-5 * np.eye(len(column))[i]
        ends = [function(states.t, states.q[1], states.v[1] + s, states.p, []) for s in (step, -step)]
        difference = np.asarray(ends[0] - ends[1]).ravel() / 2e-5
        assert np.abs(difference - column).max() <= 1e-6 * (1.0 + np.abs(jacobian).max())
