"""Equations in SymPy: M, h, A and b have the engine's values, in memory, in a file, and back in a model."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import ModelError

VALUES = ["rolling-disk", "four-bar", "raindrop", "appell-hamel", "rattleback"]
BOTH_WAYS = ["rolling-disk", "chaplygin-sleigh", "appell-hamel", "raindrop", "double-pendulum", "suslov", "rocket",
             "simple-pendulum-cartesian"]  # fmt: skip

WELL_CONDITIONED = {"yoyo-despin": {"psi": 0.5}}  # at the start, ψ = 0.001 and one mass is a millionth of the other


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numbers(equations, name, state):
    """A matrix at a state of `solve`."""
    t, matrix = equations.t, getattr(equations, name)
    speeds = {q.diff(t): state.speeds[str(q.func)] for q in equations.q}
    places = {q: state.coordinates[str(q.func)] for q in equations.q}
    found = matrix.xreplace(speeds).xreplace(places).xreplace(equations.parameters).subs(t, state.time)
    return np.array(found.evalf(17), dtype=float).reshape(matrix.shape)


def carried(quick):
    """Every model of the gallery whose equations SymPy can express; only the quick ones are not marked slow."""
    records = {name: da.gallery(name).record for name in da.gallery()}
    names = [name for name, one in records.items() if not (one.contacts or one.frictions or one.varying)]
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", carried(VALUES))
def test_values(name):
    if name == "relativistic-particle":
        pytest.skip("its mass matrix depends on the speeds, and `run.M` has none")
    model = da.gallery(name)
    equations, run, state = model.derive("chetaev").to_sympy(), model.prepare("chetaev"), model.solve("chetaev")
    q, v, t = list(state.coordinates.values()), list(state.speeds.values()), state.time
    ours = {"M": run.M(q, t), "h": run.h(q, v, t)[:, None], "A": run.A(q, v, t), "b": run.b(q, v, t)[:, None]}
    for letter, right in ours.items():
        found = numbers(equations, letter, state)
        assert found.shape == right.shape
        assert np.abs(found - right).max(initial=0.0) <= 1e-12 * (1.0 + np.abs(right).max(initial=0.0)), letter
    assert equations.q == sp.Matrix([sp.Function(name)(sp.Symbol("t")) for name in state.coordinates])
    at = {q: state.coordinates[str(q.func)] for q in equations.q}
    assert all(relation.xreplace(at) for relation in equations.region)


@pytest.mark.parametrize("name", carried(BOTH_WAYS))
def test_both_ways(name):
    """A model of the equations has the same accelerations and energies."""
    if name == "relativistic-particle":
        pytest.skip("its mass depends on speeds: refused, see test_refusals")
    model = da.gallery(name).changed(WELL_CONDITIONED.get(name))
    state = model.solve("chetaev")
    start = state.coordinates | {f"{q}'": value for q, value in state.speeds.items()}
    back = da.from_sympy(model.derive("chetaev").to_sympy(), start)
    for method in ("chetaev", "kane"):
        found = back.solve(method)
        size = 1.0 + max(map(abs, state.accelerations.values()))
        same = {q: found.accelerations[q.replace(".", "_")] - a for q, a in state.accelerations.items()}
        assert max(map(abs, same.values())) <= 1e-12 * size
        assert found.energy["total"] == pytest.approx(state.energy["total"], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "method"), [("appell-hamel", "chetaev"), ("rolling-disk", None), ("knife-edge", "vakonomic")]
)
def test_file(name, method, tmp_path):
    """The file builds the same objects, up to the position of signs."""
    (path,) = da.gallery(name).export("sympy", tmp_path / "plant.py", method=method)
    module = loaded(path)
    right = da.gallery(name).derive(method).to_sympy()
    for letter in ("q", "M", "h", "A", "b", "R", "multipliers", "equations"):
        difference = getattr(module, letter) - getattr(right, letter)
        assert difference.applyfunc(sp.expand).is_zero_matrix, letter
    assert sp.expand(right.kinetic - module.kinetic) == sp.expand(right.potential - module.potential) == 0
    for kind in ("holonomic", "nonholonomic"):
        assert getattr(right, kind).keys() == getattr(module, kind).keys()
        assert all(sp.expand(e - getattr(module, kind)[row]) == 0 for row, e in getattr(right, kind).items())
    assert (right.parameters, right.region) == (module.PARAMETERS, module.region)
    again = da.gallery(name).export("sympy", tmp_path / "other.py", method=method)[0]
    assert again.read_bytes() == path.read_bytes()


def test_words_of_python(tmp_path):
    """Names that Python and the file itself use get an underscore, and the symbols keep theirs."""
    model = da.Model("words")
    angle, other = model.coordinate("lambda", 0.3), model.coordinate("q", 0.1)
    size = model.parameter("M", 2)
    model.energy(kinetic=size * (angle.dot**2 + other.dot**2) / 2, potential=da.abs(other) * size)
    (path,) = model.export("sympy", tmp_path / "words.py")
    for name in ("lambda", "q", "M"):
        assert f"# The variable of {name} is {name}_.\n" in path.read_text()
    module = loaded(path)
    assert [str(f.func) for f in module.q] == ["lambda", "q"]
    assert sp.diag(sp.Symbol("M"), sp.Symbol("M")) == module.M


def test_refusals(tmp_path):
    with pytest.raises(ModelError, match="cannot carry contacts and frictions; the model has"):
        da.gallery("bouncing-ball").export("sympy", tmp_path / "ball.py")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ModelError, match="not those of Chetaev's rule"):
        da.from_sympy(da.gallery("knife-edge").derive("vakonomic").to_sympy())
    for method in ("kane", "chetaev"):
        with pytest.raises(ModelError, match=f"M by {method} is not the matrix of the kinetic energy"):
            da.from_sympy(da.gallery("relativistic-particle").derive(method).to_sympy())
