"""Taylor coefficients: against mpmath's, function by function, and against motions by another integrator."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest
import symengine as se
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.collection.nlink import nlink
from dalembert.prepared import prepared
from dalembert.programs import jets, slopes, taylor
from dalembert.programs.expressions import program
from dalembert.programs.functions import function, made
from dalembert.programs.taylor import jet, with_others

t, q, v, p = se.symbols("t q v p")
s = t + se.Rational(1, 5) * t**2  # an argument that is a series itself
FUNCTIONS = {
    "sin": (se.sin(s), lambda x: mpmath.sin(x)),
    "cos": (se.cos(s), lambda x: mpmath.cos(x)),
    "tan": (se.tan(s), lambda x: mpmath.tan(x)),
    "asin": (se.asin(s), lambda x: mpmath.asin(x)),
    "acos": (se.acos(s), lambda x: mpmath.acos(x)),
    "atan": (se.atan(s), lambda x: mpmath.atan(x)),
    "sinh": (se.sinh(s), lambda x: mpmath.sinh(x)),
    "cosh": (se.cosh(s), lambda x: mpmath.cosh(x)),
    "tanh": (se.tanh(s), lambda x: mpmath.tanh(x)),
    "asinh": (se.asinh(s), lambda x: mpmath.asinh(x)),
    "acosh": (se.acosh(s + 2), lambda x: mpmath.acosh(x + 2)),
    "atanh": (se.atanh(s), lambda x: mpmath.atanh(x)),
    "exp": (se.exp(s), lambda x: mpmath.exp(x)),
    "log": (se.log(s), lambda x: mpmath.log(x)),
    "sqrt": (se.sqrt(s), lambda x: mpmath.sqrt(x)),
    "power": (s ** se.Rational(7, 3), lambda x: x ** (mpmath.mpf(7) / 3)),
    "seventh": (s**7, lambda x: x**7),
    "variable power": (s**t, None),
    "quotient": (p / (1 + s) + se.sin(s) / (2 + se.cos(s)), None),
    "atan2": (se.atan2(1 + s, s * s), None),
    "product": (s * se.sin(t) * se.exp(-t) + 3 * t - p, None),
}
ORDER = 20


@cache
def exact(name, at, order):
    """mpmath's Taylor coefficients, with 60 digits."""
    with mpmath.workdps(60):
        given = FUNCTIONS[name][1]
        bare = {
            "variable power": lambda x: (x + x * x / 5) ** x,
            "quotient": lambda x: 2 / (1 + x + x * x / 5) + mpmath.sin(x + x * x / 5) / (2 + mpmath.cos(x + x * x / 5)),
            "atan2": lambda x: mpmath.atan2(1 + x + x * x / 5, (x + x * x / 5) ** 2),
            "product": lambda x: (x + x * x / 5) * mpmath.sin(x) * mpmath.exp(-x) + 3 * x - 2,
        }.get(name) or (lambda x: given(x + x * x / 5))
        return np.array([float(c) for c in mpmath.taylor(bare, mpmath.mpf(at), order)])


def looped(code, n, order):
    size = (order + 1) * (n + len(code.outputs) - 1) + 1
    text = taylor.module(code, n, order)
    return made((code.digest + b"loop" + bytes([order]), 1, 0), lambda: text, code, size)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("way", ["written out", "loop"])
def test_every_function_has_its_series(name, way):
    order = ORDER if way == "written out" else 27
    code = program([t, q, v, p], [-q, FUNCTIONS[name][0], 1])
    call = function(jets.jet(code, 1, order), 0) if way == "written out" else looped(code, 1, order)
    out = call(np.array([0.4, 0.3, 0.7, 2.0]))
    assert out[-1] == 1.0
    found, right = out[2 * (order + 1) : -1], exact(name, 0.4, order)
    size = np.maximum(np.abs(right), 1e-3 * np.abs(right).max())  # coefficients grow near poles
    np.testing.assert_allclose(found / size, right / size, rtol=0, atol=1e-11)
    k = np.arange(order + 1)  # q̈ = −q
    series = (0.3 * np.cos(k * np.pi / 2) + 0.7 * np.sin(k * np.pi / 2)) / [float(mpmath.factorial(i)) for i in k]
    np.testing.assert_allclose(out[: 2 * (order + 1) : 2], series, rtol=1e-13, atol=1e-17)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 10, 11, 12, 13, 19, 21])
def test_every_order_of_the_loop(order):
    """Growth of the vectors and the end of the loop, with other quantities and without."""
    code = program([t, q, v, p], [-p * se.sin(q) * v / (1 + q**2), se.exp(q * v) + t, 1])
    x = np.array([0.4, 0.3, 0.7, 2.0])
    for whole in (code, code.selected([0, 2])):
        right = function(jets.jet(whole, 1, order), 0)(x)
        np.testing.assert_allclose(looped(whole, 1, order)(x), right, rtol=1e-11, atol=1e-13)


def begun(name):
    record = nlink(int(name[5:])) if name.startswith("links") else da.gallery(name).record
    start = prepared(record, open=(), often=False, backend="numpy").at()
    return start, slopes.slopes(start.system.equations, start.x, slopes.QUICK).program


@pytest.mark.parametrize("name", ["links2", "simple-pendulum", "rolling-disk", "zhang-mei-ball", "chaplygin-sleigh"])
def test_jets_of_motions(name):
    """Written out and looped agree; the polynomial is the motion."""
    start, code = begun(name)
    n, x = start.system.n, start.x.copy()
    if not start.system.m:
        x[1 : 1 + 2 * n] += np.random.default_rng(2).uniform(0.1, 0.5, 2 * n)
    out, again = function(jets.jet(code, n, ORDER), 0)(x), looped(code, n, ORDER)(x)
    y = out[:-1].reshape(ORDER + 1, 2 * n)
    size = np.maximum(np.abs(y).max(axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(again[:-1].reshape(y.shape) / size, y / size, rtol=0, atol=1e-12)
    assert out[-1] == again[-1] == 1.0
    np.testing.assert_array_equal(y[0], x[1 : 1 + 2 * n])
    call = function(code, 0)

    def rate(time, state):
        return np.r_[state[n:], call(np.r_[x[0] + time, state, x[1 + 2 * n :]])[:n]]

    h = 0.02
    right = solve_ivp(rate, (0.0, h), y[0], method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    np.testing.assert_allclose((h ** np.arange(ORDER + 1)) @ y, right, rtol=1e-11, atol=1e-12)


def test_other_quantities_along_a_motion():
    """A guard's polynomial is the guard of the polynomial."""
    start, code = begun("links2")
    eq, n = start.system.equations, start.system.n
    x = start.x + np.r_[0.0, 0.2, 0.1, 0.4, 0.3, np.zeros(len(start.x) - 5)]
    guards = [se.sin(eq.q[0]) + se.sin(eq.q[1]), eq.v[0] * se.cos(eq.q[1]) - eq.t]
    whole = with_others(code, eq, guards)
    out = function(jets.jet(whole, n, ORDER), 0)(x)
    y, g = out[: 2 * n * (ORDER + 1)].reshape(-1, 2 * n), out[2 * n * (ORDER + 1) : -1].reshape(-1, 2)
    for h in (0.01, 0.03):
        powers = h ** np.arange(ORDER + 1)
        at = dict(zip(eq.inputs, np.r_[x[0] + h, powers @ y, x[5:]].tolist(), strict=True))
        right = [float(e.xreplace(at)) for e in guards]
        np.testing.assert_allclose(powers @ g, right, rtol=0, atol=1e-13)
    np.testing.assert_allclose(looped(whole, n, ORDER)(x), out, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kink", [abs(q), se.sign(q), se.Max(q, v), se.Piecewise((q, v > 0), (-q, True))])
def test_a_kink_has_no_series(kink):
    code = program([t, q, v], [kink, 1])
    assert jet(code, 1, ORDER) is None and taylor.module(code, 1, ORDER) is None


def test_a_pivot_that_fails_is_told():
    start, code = begun("rolling-disk")
    x = start.x.copy()
    x[1 + start.system.equations.coordinates.index("lean")] = 2.0
    assert jet(code, start.system.n, ORDER)(x)[-1] == 0.0


def test_what_a_jet_costs():
    """The pendulum's is short: sines of order k are sums of k products."""
    start, _ = begun("simple-pendulum")
    code = slopes.slopes(start.system.equations, start.x, slopes.THOROUGH).program
    assert sum(jets.jet(code, 1, ORDER).cost.values()) <= 860


def test_the_loop_stores_whole_vectors():
    """A vector's load cannot take its numbers from several stores that are still under way: it waits for all of them.
    The only single numbers are y[0], y[1], y[k + 1] and `fine`. The length of the text does not depend on the order.
    """
    _, code = begun("links4")
    texts = [taylor.module(code, 4, order) for order in (10, ORDER)]
    assert [text.count("store double") for text in texts] == [3 * 8 + 1] * 2
    assert texts[0].count("\n") == texts[1].count("\n")
