"""A sweep takes the model as it was given: built in Python, changed by settings, with files next to it."""

import pickle
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert import prepared
from dalembert.api.sweep import ordered, work
from dalembert.engine.library import EngineError
from dalembert.expressions import functions as f
from dalembert.expressions.nodes import Name

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def fractions():
    """Fractions, nested products and sums, and numbers of SymPy and NumPy: trees that no text has."""
    model = da.Model("fractions")
    k, c, n = model.parameters(k=sympy.Rational(1, 3), c=np.float64(0.1), n=3)
    x, turn = model.coordinates("x turn", x=sympy.Rational(2, 7), turn=f.pi / 10)
    model.define("far", x**2 * (k * (c + 1)))
    at = [x + f.sin(turn) * (k * (n * 2)), x * (c * (k * n)), 0]
    model.body("b", mass=n / (k + 1), position=at, rotation=[("z", turn)], inertia=[0, 0, sympy.Rational(5, 3)])
    model.energy(potential=k * (x * x) / 2 + 1 / (3 + f.cos(turn)), dissipation=c * (x.dot * (x.dot * k)))
    return model


def driven():
    """An input from data, a state and a sampled controller."""
    model = da.Model("driven")
    turn = model.coordinates("turn", turn=0.1)
    model.body("arm", mass=1, position=[f.cos(turn), f.sin(turn), 0], rotation=[("z", turn)], inertia=[0, 0, 1])
    push = model.input("push", times=[0, 0.1, 0.2, 1], values=[0, sympy.Rational(1, 3), 0.1, 0], between="cubic")
    lag = model.state("lag", rate=3 * (turn - f.sin(turn)) + push, initial=sympy.Rational(1, 9))
    model.sample("law", every="1/20", hold=-2 * turn)
    model.force("drive", generalized={"turn": lag + push + Name("hold")})
    return model


def changed():
    return da.gallery("double-pendulum").changed({"l1": 0.7, "theta2": "pi/7", "theta1'": "1/3"})


def with_mesh(folder):
    (folder / "part.obj").write_text(OBJ)
    shape = 'shape = { mesh = "part.obj", size = "R" }'
    body = f'[bodies.b]\nmass = 1\nposition = ["R*x", 0, 0]\n{shape}\n[energy]\npotential = "x^2"\n'
    (folder / "model.toml").write_text(f"[parameters]\nR = 1\n[coordinates]\nx = 0.5\n{body}")
    return da.load(folder / "model.toml")


GIVEN = {"fractions": fractions, "driven": driven, "changed": changed}


@pytest.fixture(params=[*GIVEN, "mesh"])
def model(request, tmp_path):
    return with_mesh(tmp_path) if request.param == "mesh" else GIVEN[request.param]()


def test_its_motions_are_those_of_simulate(model, monkeypatch):
    monkeypatch.setattr(prepared, "_KNOWN", OrderedDict())
    q, *_ = names = list(model.record.coordinates)
    value = model.solve().coordinates[q]
    vary = {q: [value, value + 0.01]}
    found, fast = (model.sweep(vary, until=0.4, engine=engine) for engine in ("reference", "threads"))
    for i, setting in enumerate(vary[q]):
        alone = model.simulate(until=0.4, samples=2, settings={q: setting})
        for name in names:
            assert found[f"final {name}"][i] == alone[name][-1]
            assert found[f"final {name}'"][i] == alone[f"{name}'"][-1]
            np.testing.assert_allclose(fast[f"final {name}"][i], alone[name][-1], rtol=1e-8, atol=1e-8)


def test_workers_of_a_cluster_get_all_of_it(model):
    q = next(iter(model.record.coordinates))
    order = ordered(model.record, {q: [0.1, 0.2]}, until=0.2)
    bare = pickle.dumps(order.without_values())
    assert pickle.loads(bare).model == model.record
    there, here = work(bare, order.space.values(0, 2)), model.sweep({q: [0.1, 0.2]}, until=0.2)
    np.testing.assert_array_equal(there.values[:, 0], here[f"final {q}"])


@pytest.mark.parametrize("name", da.gallery())
def test_models_of_the_gallery_can_be_sent(name):
    record = da.gallery(name).record
    sent = pickle.loads(pickle.dumps(record))
    assert sent == record and sent.stated == record.stated
    assert repr(sent) == repr(record)  # 2 and 2.0 are equal, and not the same


def test_a_sweep_without_the_engine_begins_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing() -> None:
        raise EngineError("there is no engine")

    monkeypatch.setattr("dalembert.engine.library.library", missing)
    with pytest.raises(EngineError):
        da.gallery("simple-pendulum").sweep({"theta": [0.1, 0.2]}, until=1, output=tmp_path / "many.zarr")
    assert not list(tmp_path.iterdir())
