"""Accelerations body by body: the record's, for trees of bodies of all kinds, and cheaper where they should be."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
from host_device import library, passed

import dalembert as da
from dalembert.cuda import multibody as multibodies
from dalembert.cuda.bodywise import reduced_by_bodies, slopes_by_bodies
from dalembert.cuda.ledger import Ledger
from dalembert.cuda.multibody import multibody
from dalembert.cuda.source import LEFT, fast_source
from dalembert.model.read import read_text
from dalembert.motions.one import integrate
from dalembert.prepared import prepared

ARM = """
title = "A wheel on an arm on an arm, turned by constant angles, held by a row of its own, driven and damped"
gravity = [0.3, "-g", 1]
[parameters]
g = 9.81
k = 2
skew = 0.4
[coordinates]
s = { initial = 0.2, speed = 0.1 }
a = { initial = 0.3, speed = 0.5 }
b = { initial = -0.4, speed = 0.2 }
c = { initial = 0.5, speed = -0.3 }
w = { initial = 0, speed = 4 }
[frames]
upper = { turn = [["x", 0.2], ["y", "a + 2*s"], ["z", "skew"]] }
lower = { from = "upper", turn = [["x", "b"], ["x", 0.3], ["z", "c"], ["y", "skew"]] }
aside = { from = "upper", turn = [["z", "c - b"]] }
[points]
foot = ["s", 0, "0.5*s"]
elbow = { from = "foot", in = "upper", at = [0.1, 0.2, -0.7] }
hand = { from = "elbow", in = "lower", at = [0.3, 0, 0.1] }
beside = { from = "hand", in = "aside", at = [0, 0.2, 0.3] }
above = { from = "beside", at = [0, 0.1, 0] }
[bodies]
first = { mass = 1.5, position = "elbow", frame = "upper", inertia = [0.2, 0.3, 0.4, 0.01, 0.02, 0.03] }
second = { mass = 0.7, position = "hand", frame = "lower", inertia = [0.1, 0.2, 0.15] }
third = { mass = 0.4, position = "beside", frame = "aside", inertia = [0.01, 0.02, 0.015] }
fourth = { mass = 0.2, position = "above" }
[bodies.wheel]
mass = 0.6
position = "hand"
frame = "lower"
spin = ["y", "w"]
inertia = [0.05, 0.08, 0.05]
[energy]
potential = "0.5*k*a^2"
dissipation = "0.1*b'^2"
[forces.push]
body = "second"
force = ["t", 0, "-s"]
torque = [0.1, 0, 0.2]
"""
HELD = ARM + "[constraints]\ngeared = \"w' + 3*cos(a)*b' - s' = 0\"\n"
BEHIND = """
title = "A disk that is towed over a slope by a bar, of any size"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
R = 0.4
L = 1.1
[coordinates]
x = 0
y = 0
z = { initial = "R*cos(0.2)" }
yaw = { initial = 0.1, speed = 0.3 }
lean = { initial = 0.2, speed = 0.1 }
roll = { initial = 0, speed = 2 }
tow = { initial = 0.3, speed = 0.2 }
[frames]
leaning = { turn = [["z", "yaw"], ["x", "lean"]] }
bar = { from = "leaning", turn = [["z", "tow"]] }
[points]
hub = ["x", "y", "z"]
end = { from = "hub", in = "bar", at = ["-L", 0, 0] }
[bodies.disk]
mass = 2
position = "hub"
frame = "leaning"
spin = ["y", "roll"]
inertia = [0.1, 0.2, 0.1]
[bodies.load]
mass = 1
position = "end"
frame = "bar"
inertia = [0.02, 0.05, 0.06]
[rolling.disk]
body = "disk"
wheel = "R"
"""
CASES = {  # model, parameters that are arguments, what is set
    "bicycle": ("whipple-bicycle", (), {"phi": 0.1, "delta": 0.05}),
    "bicycle of any shape": ("whipple-bicycle", ("w", "tilt", "rF"), {"w": 1.1, "tilt": 0.2}),
    "disk": ("rolling-disk", ("R",), {}),
    "arm": (ARM, ("skew", "k"), {}),
    "arm with a row": (HELD, ("g",), {}),
    "towed": (BEHIND, ("R", "L"), {"L": 0.9}),
    "Chaplygin's ball": ("chaplygin-ball", (), {}),
    "sleigh": ("chaplygin-sleigh", (), {}),
    "squeezer": ("andrews-squeezer", (), {}),
}  # fmt: skip


def begun(name, open, given):
    record = read_text(name) if "\n" in name else da.gallery(name).record
    return prepared(record, open=open).at(given)


@pytest.mark.parametrize("case", CASES)
def test_accelerations_are_the_records(case):
    """At states that meet the constraints of speeds, with parameters that are not those of the start."""
    start = begun(*CASES[case])
    system, eq = start.system, start.system.equations
    found = multibody(system, start.x)
    assert found is not None
    ledger = Ledger()
    ledger.definitions = found.definitions
    random, n, m = np.random.default_rng(7), system.n, system.m
    for _ in range(4):
        x = start.x * random.uniform(0.9, 1.1, len(start.x))
        x[1 : 1 + n] += random.uniform(-0.2, 0.2, n)
        values = dict(zip(eq.inputs, x.tolist(), strict=True)) | {u: random.uniform(-2, 2) for u in found.u}
        numbers = np.array(ledger.at([*found.speeds, *found.accelerations], values))
        x[1 + n : 1 + 2 * n] = numbers[:n]
        D, d, A, b, *_ = system.unpacked(system.dynamics(x))
        K = np.block([[D, -A.T], [A, np.zeros((m, m))]])
        right = np.linalg.lstsq(K, np.concatenate([d, b]), rcond=None)[0][:n]
        np.testing.assert_allclose(numbers[n:], right, rtol=0, atol=1e-10 * max(1.0, np.abs(right).max()))
        start_of = dict(zip(eq.inputs, x.tolist(), strict=True))
        np.testing.assert_allclose(ledger.at(found.start, start_of), [values[u] for u in found.u], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["double-pendulum", "suslov", "rattleback", "rocket", "heisenberg"])
def test_other_models_have_no_tree_or_are_cheaper_without(name):
    start = begun(name, (), {})
    tree = start.system.equations.tree()
    if tree is not None and len(tree.nodes) > 1:
        assert "all_slopes" not in fast_source(start.system, start.x).text
    else:
        assert multibody(start.system, start.x) is None


def test_what_does_not_agree_is_not_taken(monkeypatch):
    start = begun("rolling-disk", (), {})
    monkeypatch.setattr(multibodies, "AGREED", 1e-30)
    assert multibody(start.system, start.x) is None
    assert slopes_by_bodies(start.system, start.x) is None and reduced_by_bodies(start.system, start.x) is None


def test_the_bicycle_costs_a_third_of_its_expressions():
    start = begun("whipple-bicycle", (), {})
    found = fast_source(start.system, start.x, "rk4")
    assert found.stepped == 11
    counted = dict(found.operations)
    assert counted.pop("sincos") == 4 and sum(counted.values()) < 900
    assert fast_source(start.system, start.x).stepped == 11
    assert "all_slopes" in fast_source(start.system, start.x, sampled=True).text


def test_fixed_steps_keep_the_wheel_on_the_road(tmp_path):
    """Coordinates and independent speeds are stepped; what depends on them is settled now and then, and at the end."""
    start = begun("whipple-bicycle", (), {})
    given = np.concatenate([start.q, start.v])
    given[[3, 5, 11, 13]] += [0.1, -0.05, 0.5, 0.3]
    right = integrate(start.system, given, [], 0.0, 0.5, 1e-13).end_state
    entry = library(fast_source(start.system, start.x, "rk4").text, tmp_path).fixed_steps
    errors = []
    for steps in (125, 250, 1000):
        final, reached, books, none = np.zeros((16, 1)), np.zeros(1), np.zeros(6, np.int32), np.zeros(1)
        entry(*map(passed, (1, none, given[:, None].copy(), 0.0, 0.5 / steps, steps, final, reached, books)))
        assert books[0] != LEFT and reached[0] == 0.5
        errors.append(np.abs(final[:, 0] - right).max())
        x = start.system.state(0.5, *np.split(final[:, 0], 2))
        assert abs(start.system.position(x)[0]) < 1e-14
        assert np.abs(start.system.velocity(x)[: start.system.m]).max() < 1e-13
    assert errors[2] < 1e-11
    assert 13.0 < errors[0] / errors[1] < 19.0


def test_a_bicycle_that_falls_is_left(tmp_path):
    """Lying down, the yaw of the frame is no speed of it any more."""
    start = begun("whipple-bicycle", (), {})
    given = np.concatenate([start.q, start.v])
    given[[3, 8, 11, 14, 15]] = 1.2, 0.0, 3.0, 0.0, 0.0
    entry = library(fast_source(start.system, start.x, "rk4").text, tmp_path).fixed_steps
    final, reached, books, none = np.zeros((16, 1)), np.zeros(1), np.zeros(6, np.int32), np.zeros(1)
    entry(*map(passed, (1, none, given[:, None].copy(), 0.0, 1e-3, 2000, final, reached, books)))
    assert books[0] == LEFT and reached[0] < 2.0


def test_a_ledger_sees_what_cancels():
    ledger = Ledger()
    a, b, c = se.symbols("a b c")
    product = ledger.times(a + 2 * b, c)
    assert ledger.times(c, 2 * b + a) == product and ledger.times(-a - 2 * b, c) == -product
    assert ledger.times(a, se.Integer(0)) == 0 and product - product == 0
    half = ledger.times(se.RealDouble(0.5), a + b)
    assert half == ledger.times(b + a, se.RealDouble(0.5)) and half == 0.5 * ledger.tidy(a + b)
    ledger.spread = True
    assert ledger.times(se.RealDouble(0.5), a + b) == 0.5 * a + 0.5 * b
    value = ledger.inverse(product) + ledger.inverse_root(product)
    assert ledger.at([value], {a: 2.0, b: 1.0, c: 4.0}) == [1 / 16 + 1 / 4]
