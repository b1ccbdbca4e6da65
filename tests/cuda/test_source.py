"""Expressions, sines and solves in C++, against NumPy and the compiled functions."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
from host_device import library, passed

from dalembert.compile.functions import compiled
from dalembert.cuda.kernels import function_text
from dalembert.cuda.rounding import rounding
from dalembert.cuda.simplify import as_exact, cost, pythagoras, simplified, specialized, without_idle
from dalembert.cuda.writer import header
from dalembert.errors import MathematicsError

x, y, z = se.symbols("x y z")
# every function of the model language, powers of all kinds, branches, and names like those of `cse`
EXPRESSIONS = [
    se.sin(x) * se.cos(x) + se.sin(y), se.tan(x) + se.asin(y / 9) + se.acos(x / 9) + se.atan(x), se.atan2(x, y),
    se.sinh(x) + se.cosh(y) + se.tanh(x * y), se.exp(x) + se.log(y), x**3 + y**-2 + x**7 / y**3, 1 / se.sqrt(x + y),
    (x + y) ** se.Rational(3, 2) + (x + y) ** se.Rational(-3, 2), x**y + 2**x + (x + 1) ** se.Rational(1, 3),
    se.Piecewise((x**2, x < y), (y - x, se.And(x > 2, y < 2)), (se.sin(x), True)), se.Max(x, y, 1) - se.Min(x, y),
    se.Abs(x - y) + se.sign(x - y), se.sqrt(se.cos(x) ** 2) ** 3, -x, x * 0 + 2, se.Rational(1, 3) * x - y / 7 + z,
    se.pi * x + se.Integer(4) - (x + y) / (x - y), z - x - y, se.Symbol("x0") * se.Symbol("x1") + se.Symbol("x1"),
]  # fmt: skip


def test_expressions_have_the_values_of_the_compiled_ones(tmp_path):
    inputs = [x, y, z, se.Symbol("x0"), se.Symbol("x1")]
    text = function_text("all", inputs, EXPRESSIONS)
    entry = "\nENTRY void all(double *out, double *x) { model_all(out, x); }"
    code = library(header("base.h") + text + entry, tmp_path)
    expected = compiled(inputs, EXPRESSIONS)
    out = np.zeros(len(EXPRESSIONS))
    for state in np.random.default_rng(3).uniform(0.1, 4.0, (40, 5)):
        code.all(passed(out), passed(state))
        np.testing.assert_allclose(out, expected(state), rtol=1e-14, atol=1e-14)


def test_what_has_no_value_is_refused():
    with pytest.raises(MathematicsError, match="no quantity"):
        function_text("one", [x], [x + y])


def test_sums_of_squares_are_joined():
    total = 3 * x * se.sin(y) ** 2 + 3 * x * se.cos(y) ** 2 + z
    assert pythagoras(total, {}) == 3 * x + z
    assert pythagoras(se.sqrt(1 - se.sin(y) ** 2), {}) == se.sqrt(se.cos(y) ** 2)
    assert pythagoras(se.sin(y) ** 2 + se.cos(x) ** 2, {}) == se.sin(y) ** 2 + se.cos(x) ** 2


def test_an_input_that_changes_nothing_is_left_out():
    wheel = (se.sin(z) * x + se.cos(z) * y) ** 2 + (se.cos(z) * x - se.sin(z) * y) ** 2
    (found,) = without_idle([x, y, z], [wheel])
    assert z not in found.free_symbols
    (kept,) = without_idle([x, y, z], [wheel + z / 1000])
    assert z in kept.free_symbols
    beyond = y * (se.cos(x) - se.sqrt(se.cos(x) ** 2))  # y changes nothing before a quarter of a turn
    assert without_idle([x, y], [beyond]) == [beyond]


def test_simplified_expressions_cost_less_and_are_the_same():
    given = [(se.sin(x) * (y * se.cos(x) + z) - se.cos(x) * (y * se.sin(x) - z)) * 2, se.sin(x) ** 2 + se.cos(x) ** 2]
    found = simplified([x, y, z], given)
    assert cost([x, y, z], found) < cost([x, y, z], given)
    states = np.random.default_rng(1).uniform(-2, 2, (20, 3))
    np.testing.assert_allclose(compiled([x, y, z], found)(states), compiled([x, y, z], given)(states), atol=1e-14)


def test_a_cheaper_form_that_rounds_more_is_not_taken():
    square = (x - y) ** 2 * se.sin(z)
    near = np.array([1.0, 1.001, 0.3])
    at = {x: 1.0, y: 1.001, z: 0.3}
    value, error = rounding(square, at, {})
    assert value == pytest.approx(1e-6 * np.sin(0.3)) and 1.0 <= error / value < 10.0
    assert rounding(se.expand(square), at, {})[1] > 1e5 * error
    assert as_exact([x, y, z], near, se.sin(z) * (y - x) ** 2, square)
    assert not as_exact([x, y, z], near, se.expand(square), square)


@pytest.mark.parametrize("angle", [0.4, 2.4])
def test_a_root_of_a_square_takes_the_sign_that_it_has(angle):
    rolls = x * (se.cos(y) - se.sqrt(1 - se.sin(y) ** 2)) + z * se.sin(y) ** 2 / se.sqrt(1 - se.sin(y) ** 2)
    state = np.array([0.7, angle, 1.3])
    found, signs = specialized([x, y, z], [rolls], state)
    assert signs == [(se.cos(y), 1 if angle < np.pi / 2 else -1)]
    assert cost([x, y, z], found) < cost([x, y, z], simplified([x, y, z], [rolls]))
    np.testing.assert_allclose(compiled([x, y, z], found)(state), compiled([x, y, z], [rolls])(state), rtol=1e-14)
