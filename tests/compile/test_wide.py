"""Machine code for several states at once: the values of the plain code, the same in every lane."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert.compile import wide_system
from dalembert.compile.functions import compiled
from dalembert.compile.wide import LANES, Writer
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import prepared

x, y = se.symbols("x y")
EXPRESSIONS = [
    se.sin(x), se.cos(x * y), se.tan(y), se.asin(x / 3), se.acos(y / 3), se.atan(x), se.atan2(y, x), se.sinh(x),
    se.cosh(y), se.tanh(x), se.exp(x * y), se.log(x**2 + 1), se.sqrt(x**2 + y**2), (2 + x**2) ** y, abs(x - 1),
    se.sign(y - x), se.Max(x, y, x * y), se.Min(x, y), x**-3, x**7, (x**2) ** se.Rational(-3, 2), 1 / (x * y),
    se.Piecewise((x, x > y), (y**2, se.And(x < 1, y >= 0)), (se.pi * x, True)), se.Integer(3), se.E * se.pi * x,
    se.Piecewise((x, se.Or(se.Eq(x, y), se.Not(x > 0))), (-x, True)), x, se.Integer(0), (x + y) ** 2 + (x + y) ** 3,
]  # fmt: skip


def values(function, states):
    """At every row, LANES at a time; lanes left over have another state."""
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(function.address)
    found = []
    for first in range(0, len(states), LANES):
        part = np.full((LANES, function.inputs), 0.5)
        part[: len(states[first : first + LANES])] = states[first : first + LANES]
        given, out = np.ascontiguousarray(part.T), np.zeros((function.outputs, LANES))
        call(out.ctypes.data, given.ctypes.data)
        found.append(out.T)
    return np.concatenate(found)[: len(states)]


def wide(inputs, expressions):
    writer = Writer("test", inputs)
    writer.give(writer.take(expressions))
    return writer.compiled()


def test_lanes_and_plain_code_agree():
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (203, 2))
    found = values(wide([x, y], EXPRESSIONS), points)
    np.testing.assert_allclose(found, compiled([x, y], EXPRESSIONS)(points), rtol=1e-14, atol=1e-15)


def test_conditions_that_several_cases_share():
    shared = [se.Piecewise((one, x < y), (other, True)) for one, other in ((x, y), (1, 0), (x * y, se.sin(x)))]
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (20, 2))
    found = values(wide([x, y], shared), points)
    np.testing.assert_allclose(found, compiled([x, y], shared)(points), rtol=1e-14, atol=1e-15)


def test_no_lane_looks_at_another():
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (64, 2))
    points[::5, 0] *= 1e9  # some lanes leave the polynomials of sine and cosine, or have no value
    points[::7, 1] = np.nan
    function = wide([x, y], EXPRESSIONS)
    together = values(function, points)
    for i in range(0, 64, 3):
        np.testing.assert_array_equal(values(function, points[i : i + 1])[0], together[i])


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4, 1e6, 1e9])
def test_sine_and_cosine_to_the_last_bits(size):
    angles = np.random.default_rng(2).uniform(-size, size, (4000, 1))
    angles[:50, 0] = np.arange(50) * np.pi / 2
    found = values(wide([x], [se.sin(x), se.cos(x)]), angles)
    exact = np.column_stack([np.sin(angles[:, 0]), np.cos(angles[:, 0])])
    assert (np.abs(found - exact) <= 2 * np.spacing(np.abs(exact))).all()


def test_inputs_named_like_temporaries_keep_their_values():
    x0, x1 = se.symbols("x0 x1")
    expressions = [se.sin(x0 + x1) + (x0 + x1) ** 2, se.cos(x0 + x1) * x1]
    points = np.array([[0.3, 0.9], [1.1, -0.4]])
    np.testing.assert_allclose(values(wide([x0, x1], expressions), points), compiled([x0, x1], expressions)(points))


@pytest.mark.parametrize("name", ["double-pendulum", "rolling-disk", "andrews-squeezer", "whipple-bicycle"])
def test_accelerations_and_corrections(name):
    start = prepared(da.gallery(name).record, open=()).at()
    system, n = start.system, start.system.n
    assert wide_system.fits(system.equations)
    states = start.x + 1e-3 * np.random.default_rng(3).standard_normal((12, len(start.x))) * np.r_[0, np.ones(2 * n)]
    found = values(wide_system.slope(system.equations), states)
    assert (found[:, n] == 1).all()
    for row, state in zip(found, states, strict=True):
        a = solve_accelerations(system, state).a
        np.testing.assert_allclose(row[:n], a, rtol=1e-8, atol=1e-9 * np.abs(a).max())
    for rates, rows, function in ((False, system.mh, system.position), (True, system.m, system.velocity)):
        if rows:
            change = values(wide_system.correction(system.equations, rates), states)
            out = function(states)
            J = out[:, rows:].reshape(12, rows, n)
            np.testing.assert_allclose(np.einsum("kij,kj->ki", J, change[:, :n]), -out[:, :rows], atol=1e-12)
            np.testing.assert_allclose(change[:, n], np.abs(out[:, :rows]).max(axis=1), atol=1e-15)


def test_a_singular_state_says_so():
    """Two rows that are one, and a mass that vanishes."""
    doubled = prepared(da.gallery("rolling-disk").record, open=()).equations
    doubled = replace(doubled, A=(*doubled.A, doubled.A[0]), b=(*doubled.b, doubled.b[0]))
    start = prepared(da.gallery("rolling-disk").record, open=()).at()
    assert values(wide_system.slope(doubled), start.x[None])[0, -1] == 0
    vanishing = replace(doubled, A=(), b=(), D=tuple(tuple(0 * e for e in row) for row in doubled.D))
    assert values(wide_system.slope(vanishing), start.x[None])[0, -1] == 0
