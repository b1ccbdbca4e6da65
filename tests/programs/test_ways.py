"""Ways to accelerations, one by one: each agrees with the record, for models and parameters of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
from trees import ARM, BEHIND, HELD, LED, SHAKEN, TOP

import dalembert as da
from dalembert.model.read import read_text
from dalembert.prepared import prepared
from dalembert.programs import by_speeds, slopes, solve
from dalembert.programs.agreement import ReferenceStates, reference
from dalembert.programs.bodies.kane import multibody
from dalembert.programs.bodies.ledger import Ledger
from dalembert.programs.expressions import program
from dalembert.programs.functions import function
from dalembert.programs.independent import reduction
from dalembert.programs.maggi import maggi
from dalembert.programs.polynomials import Letters, grouped, terms_of
from dalembert.programs.products import Reduced

TREES = {  # model, parameters that are arguments, settings
    "bicycle": ("whipple-bicycle", (), {"phi": 0.1, "delta": 0.05}),
    "bicycle of any shape": ("whipple-bicycle", ("w", "tilt", "rF"), {"w": 1.1, "tilt": 0.2}),
    "disk": ("rolling-disk", ("R",), {}),
    "arm": (ARM, ("skew", "k"), {}),
    "arm with a row": (HELD, ("g",), {}),
    "towed": (BEHIND, ("R", "L"), {"L": 0.9}),
    "Chaplygin's ball": ("chaplygin-ball", (), {}),
    "sleigh": ("chaplygin-sleigh", (), {}),
    "squeezer": ("andrews-squeezer", (), {}),
    "top": (TOP, ("h",), {}),
}  # fmt: skip
FOR_GOOD = {
    "disk": ("rolling-disk", (), {}),
    "disk of any radius": ("rolling-disk", ("R", "g"), {"R": 0.4}),
    "disk hanging below": ("rolling-disk", (), {"lean": 2.6, "lean'": 0.3}),
    "sleigh": ("chaplygin-sleigh", ("a",), {"a": 0.5}),
    "knife edge": ("knife-edge", (), {}),
    "rolling sphere": ("rolling-sphere", (), {}),
    "Chaplygin's ball": ("chaplygin-ball", (), {}),
    "turntable": ("ball-on-turntable", (), {}),
    "cart": ("two-wheeled-cart", (), {}),
    "redundant rows": ("long-1", (), {}),
    "particle": ("nonholonomic-particle", (), {}),
    "shaken": (SHAKEN, ("w", "m"), {"w": 0.7}),
    "no speed free": (LED, ("w",), {}),
    "no constraint": ("double-pendulum", (), {}),
}  # fmt: skip


def begun(name, open, given):
    record = read_text(name) if "\n" in name else da.gallery(name).record
    return prepared(record, open=open, often=False, backend="numpy").at(given)


def around(start) -> ReferenceStates:
    """States near the start, with other values of the parameters."""
    eq, n = start.system.equations, start.system.n
    x = start.x.copy()
    x[1 + 2 * n :] *= np.random.default_rng(5).uniform(0.97, 1.03, len(x) - 1 - 2 * n)
    return reference(eq, program(eq.inputs, solve.expressions(eq)), x)


def check(start, whole, reduced: Reduced):
    known = around(start)
    out = function(whole, 0)(known.states)
    size = 1.0 + np.abs(known.a).max(axis=1, keepdims=True)
    assert out[0, -1] == 1.0 and (out[:, -1] == 1.0).sum() >= 3
    fine = out[:, -1] == 1.0
    np.testing.assert_allclose((out[:, :-1] / size)[fine], (known.a / size)[fine], rtol=0, atol=1e-10)
    assert known.agrees_reduced(reduced)
    n = start.system.n
    u = function(reduced.start, 0)(known.states)
    at = np.hstack([known.states[:, : 1 + n], u, known.states[:, 1 + 2 * n :]])
    speeds = known.states[:, 1 + n : 1 + 2 * n]
    np.testing.assert_allclose(function(reduced.end, 0)(at), speeds, rtol=0, atol=1e-11 * (1 + np.abs(speeds).max()))


@pytest.mark.parametrize("case", TREES)
def test_body_by_body(case):
    start = begun(*TREES[case])
    eq = start.system.equations
    less = by_speeds.reduced(eq, multibody(eq, start.x, fewer=True))
    check(start, by_speeds.slopes(eq, multibody(eq, start.x)), less)


@pytest.mark.parametrize("case", FOR_GOOD)
def test_speeds_eliminated_for_good(case):
    start = begun(*FOR_GOOD[case])
    eq = start.system.equations
    less = by_speeds.reduced(eq, maggi(eq, start.x, 500, fewer=True))
    check(start, by_speeds.slopes(eq, maggi(eq, start.x, 500)), less)


@pytest.mark.parametrize("name", ["double-pendulum-cartesian", "constant-speed", "suslov", "whipple-bicycle"])
def test_where_speeds_cannot_be_eliminated_for_good(name):
    start = begun(name, (), {})
    assert reduction(start.system.equations, start.x) is None


@pytest.mark.parametrize("name", ["double-pendulum", "rattleback", "rocket"])
def test_other_models_have_no_tree(name):
    start = begun(name, (), {})
    assert multibody(start.system.equations, start.x) is None


def test_a_way_that_does_not_agree_is_not_taken(monkeypatch):
    start = begun("rolling-disk", (), {})
    wrong = program(start.system.equations.inputs, [*start.system.equations.v, 1])
    written = by_speeds.slopes
    monkeypatch.setattr(slopes, "maggi", lambda eq, x, trials: wrong)
    monkeypatch.setattr(by_speeds, "slopes", lambda eq, found: found if found is wrong else written(eq, found))
    found = slopes.slopes(start.system.equations, start.x)
    assert found.way == "bodies" and wrong.price < found.program.price


def test_states_off_the_constraints_are_answered_as_if_they_were_on_them():
    """A state with a small error gives accelerations with an error of the same size."""
    start = begun("whipple-bicycle", (), {"phi": 0.1})
    found = slopes.slopes(start.system.equations, start.x)
    assert found.way == "bodies"
    call, x = function(found.program, 0), start.x.copy()
    right = call(x)
    x[1 : 1 + 2 * start.system.n] += 1e-9
    assert np.abs(call(x) - right)[:-1].max() < 1e-6


def test_a_bicycle_that_lies_down_is_not_fine():
    """When the frame lies down, its yaw can no longer be an independent speed."""
    start = begun("whipple-bicycle", (), {})
    call, x = function(slopes.slopes(start.system.equations, start.x).program, 0), start.x.copy()
    place = 1 + start.system.equations.coordinates.index("phi")
    assert call(x)[-1] == 1.0
    x[place] = np.pi / 2
    assert call(x)[-1] == 0.0


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


def test_letters_see_what_cancels():
    x, y, k = se.symbols("x y k")
    letters = Letters()
    sine, cosine = letters.angle(x)

    def normal(e):
        return letters.normal(letters.read(e))

    assert normal(0.1 * se.sin(x) ** 2 + 0.1 * se.cos(x) ** 2 - 0.3 + 0.2) == 0
    assert normal(se.tan(x) * se.cos(x)) == sine
    root = normal(se.sqrt(1 - se.sin(x) ** 2) * se.cos(x) + se.sin(x) ** 2 * se.cos(x) / se.sqrt(1 - se.sin(x) ** 2))
    (sign,) = letters.signs
    assert root == sign and letters.signs[sign] == cosine
    rate = letters.normal(letters.rate(normal(se.sqrt(1 + x**2) * se.sin(x)), {x: k}))
    values = {x: 0.7, k: 1.3}
    full = {letter: letters.plain(letter) for letter in (*letters.angles, *letters.roots)}
    right = (se.sqrt(1 + x**2) * se.sin(x)).diff(x) * k
    assert float(rate.xreplace(full).xreplace(values)) == pytest.approx(float(right.xreplace(values)), rel=1e-14)
    total = se.expand((x + y) * k * x + k**2 / y + 3 * k)
    assert se.expand(grouped(total)) == total
    assert len(terms_of(grouped(total))) == 1
