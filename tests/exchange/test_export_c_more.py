"""Exported C beyond accelerations: energies, reactions, outputs, derivatives, and whole motions in C++."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.prepared import prepared

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of
from test_export_c import Vector, built

FEW = ["rolling-disk", "whipple-bicycle", "simple-pendulum-cartesian", "chaplygin-sleigh"]


def vector(x):
    return np.ascontiguousarray(x, dtype=float).ctypes.data_as(Vector)


def told(library, what, counts, t, *given):
    """The arrays of numbers that a function of t, q, v, p (and u, or s before p) writes."""
    given = given if len(given) > 3 else (*given, ())
    function = getattr(library, f"plant_{what}")
    function.argtypes, function.restype = [ctypes.c_double, *[Vector] * (len(given) + len(counts))], None
    out = [np.full(count, 7.0) for count in counts]
    function(t, *map(vector, given), *(one.ctypes.data_as(Vector) for one in out))
    return out


@pytest.mark.parametrize("name", FEW)
def test_energies_and_reactions(name, tmp_path):
    """As the answer of `solve` has them."""
    model = da.gallery(name)
    answer = model.solve()
    library, p = built(model, tmp_path), states_of(name).p
    q, v = list(answer.coordinates.values()), list(answer.speeds.values())
    (e,) = told(library, "energies", [2], 0.0, q, v, p)
    assert e == pytest.approx([answer.energy["kinetic"], answer.energy["potential"]], rel=1e-12)
    (found,) = told(library, "reactions", [len(answer.multipliers)], 0.0, q, v, p)
    size = max(map(abs, answer.multipliers.values()))
    assert found == pytest.approx(list(answer.multipliers.values()), abs=1e-12 * (1 + size))


def pushed() -> da.Model:
    model = da.Model("pushed")
    model.parameter("m", 2)
    model.coordinate("x", 0.2, speed=0.5)
    model.coordinate("y", 0.1, speed=0.1)
    model.input("push", times=[0, 1], values=[3, 5])
    model.define("square", "x^2*y'")
    model.output("pull", "m*x'' + multiplier.rail")
    model.energy(kinetic="m*(x'^2 + y'^2)/2", potential="sin(x)*y")
    model.force("side", generalized={"x": "push*cos(y) - 0.1*x'^3"})
    model.constraint("rail", "y = x/2")
    return model


def test_outputs(tmp_path):
    model = pushed()
    library, answer = built(model, tmp_path), model.solve()
    q, v = list(answer.coordinates.values()), list(answer.speeds.values())
    (y,) = told(library, "outputs", [2], 0.0, q, v, [2.0], [3.0])
    assert y == pytest.approx([q[0] ** 2 * v[1], answer.outputs["pull"]], rel=1e-12)
    header = (tmp_path / "plant.h").read_text()
    assert "#define PLANT_OUTPUTS 2" in header and "plant_y_pull = 1" in header and "plant_lambda_rail = 0" in header


def differences(function, x, h=1e-3):
    """∂f/∂x by central differences of the sixth order."""
    columns = []
    for k in range(len(x)):
        e = h * np.eye(len(x))[k]
        pairs = [function(x + i * e) - function(x - i * e) for i in (1, 2, 3)]
        columns.append((45 * pairs[0] - 9 * pairs[1] + pairs[2]) / (60 * h))
    return np.array(columns).T


def test_linear(tmp_path):
    """A, B, C and D are the derivatives of the slopes and outputs of the other export."""
    model = pushed()
    (tmp_path / "slopes").mkdir()
    slopes, library = built(model, tmp_path / "slopes"), built(model, tmp_path, what="linear")
    x = np.array([0.3, 0.15, 0.4, 0.2, 3.0])  # q, v, u

    def both(x):
        (a,) = told(slopes, "slopes", [2], 0.0, x[:2], x[2:4], [2.0], x[4:])
        (y,) = told(slopes, "outputs", [2], 0.0, x[:2], x[2:4], [2.0], x[4:])
        return np.concatenate([x[2:4], a, y])

    expected = differences(both, x)
    found = [part.reshape(-1, k) for part, k in zip(
        told(library, "linear", [16, 4, 8, 2], 0.0, x[:2], x[2:4], [2.0], x[4:]), (4, 1, 4, 1), strict=True
    )]  # fmt: skip
    assert np.abs(np.block([found[:2], found[2:]]) - expected).max() < 1e-11


@pytest.mark.parametrize(
    "name", ["rolling-disk", pytest.param("whipple-bicycle", marks=pytest.mark.slow), "appell-hamel"]
)
def test_linear_of_the_gallery(name, tmp_path):
    """Derivatives along all changes that keep the constraints; off them, slopes may leave out dependent speeds."""
    states = states_of(name)
    n = states.q.shape[1]
    (tmp_path / "slopes").mkdir()
    slopes, library = built(da.gallery(name), tmp_path / "slopes"), built(da.gallery(name), tmp_path, what="linear")
    x = np.concatenate([states.q[0], states.v[0]])

    def rates(x):
        return np.concatenate([x[n:], told(slopes, "slopes", [n], states.t, x[:n], x[n:], states.p)[0]])

    A = told(library, "linear", [4 * n * n, 0, 0, 0], states.t, x[:n], x[n:], states.p)[0].reshape(2 * n, 2 * n)
    system = prepared(da.gallery(name).record, often=False).at().system

    def rows(x):
        at = system.state(states.t, x[:n], x[n:])
        return np.concatenate([system.position(at)[: system.mh], system.velocity(at)[: system.m]])

    _, sizes, V = np.linalg.svd(differences(rows, x))
    kept = V[int((sizes > 1e-8).sum()) :].T
    expected = differences(rates, x) @ kept
    assert kept.shape[1] == 2 * n - system.m - system.mh
    assert np.abs(A @ kept - expected).max() < 1e-9 * (1 + np.abs(expected).max())


def followed(model, folder, *words):
    """The table and the events that the program of a motion prints."""
    (source,) = model.export("c", folder / "plant.cpp", what="motion")
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    subprocess.run(["g++", *flags, source, "-o", folder / "plant", "-lm"], check=True)
    text = subprocess.run([folder / "plant", *words], check=True, capture_output=True, text=True).stdout.splitlines()
    head, *rows = [line.split(",") for line in text if not line.startswith("#")]
    events = [line[2:].split(",") for line in text if line.startswith("#")]
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True)), events


def same(table, motion):
    parts = {**motion.coordinates, **{f"{q}'": v for q, v in motion.speeds.items()}}
    parts |= {f"lambda.{name}": values for name, values in motion.multipliers.items()} | dict(motion.definitions)
    parts |= {f"energy.{name}": motion.energy[name] for name in ("kinetic", "potential")}
    for name, values in parts.items():
        assert np.abs(table[name] - values).max() <= 1e-12 * (1 + np.abs(values).max()), name


def test_motion_with_contacts(tmp_path):
    """Impacts, sticking and slipping: the same events, the same states."""
    model = da.gallery("zhang-mei-ball")
    table, events = followed(model, tmp_path, "samples=41")
    motion = model.simulate(samples=41)
    same(table, motion)
    assert [(kind, name) for kind, name, *_ in events] == [(e.kind, e.name) for e in motion.events]
    assert np.abs([float(e[2]) - o.time for e, o in zip(events, motion.events, strict=True)]).max() < 1e-12
    wrong = subprocess.run([tmp_path / "plant", "nothing=1"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "nothing=1 is not understood" in wrong.stderr


def test_motion_with_kinks_and_a_controller(tmp_path):
    """Steps end at kinks and at the instants of a controller, as in the engine."""
    model = da.Model("driven")
    model.coordinate("x", 0.5, speed=-1)
    model.input("push", 0, least=-0.8, greatest=0.8)
    model.input("tow", times=[0, 0.7, 1.9], values=[0.1, -0.1, 0.3], between="cubic")
    model.energy(kinetic="x'^2/2", potential="max(x - 0.2, 0)^2")
    model.force("side", generalized={"x": "push + tow - 0.05*sign(x')"})
    model.sample("control", every=0.13, push="0 - 2*x")
    table, events = followed(model, tmp_path, "until=2", "samples=41")
    motion = model.simulate(until=2, samples=41)
    same(table, motion)
    assert np.abs(table["push"] - motion["push"]).max() < 1e-12 and np.abs(table["push"]).max() == 0.8
    assert [(kind, name) for kind, name, *_ in events] == [(e.kind, e.name) for e in motion.events]
    assert "kink" in [kind for kind, *_ in events]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rolling-disk", "bouncing-ball", "simple-pendulum", "chaplygin-sleigh", "raindrop"])
def test_motions(name, tmp_path):
    model = da.gallery(name)
    same(followed(model, tmp_path, "samples=21", "until=1")[0], model.simulate(samples=21, until=1))


def test_other_values_of_a_motion(tmp_path):
    """Parameters, coordinates and speeds are arguments of the command line."""
    model = da.gallery("simple-pendulum")
    (name,) = [p for p in model.record.parameters if p == "l"]
    table, _ = followed(model, tmp_path, "until=1", "samples=11", f"{name}=0.4", "theta=0.2", "theta'=0.1")
    same(table, model.changed({"l": 0.4, "theta": 0.2, "theta'": 0.1}).simulate(until=1, samples=11))


def test_refusals(tmp_path):
    with pytest.raises(ModelError, match=r"the endings known are .cpp"):
        da.gallery("simple-pendulum").export("c", tmp_path / "plant.c", what="motion")
    with pytest.raises(ModelError, match="cannot carry contacts and frictions"):
        da.gallery("bouncing-ball").export("c", tmp_path / "plant.c", what="linear")
