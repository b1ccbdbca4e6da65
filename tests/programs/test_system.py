"""The record's functions give the values of its expressions, for every model of the gallery."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert.collection import names
from dalembert.counters import WORK
from dalembert.prepared import prepared
from dalembert.programs.evaluate import values_of
from dalembert.programs.functions import A_FEW_TIMES, FEW_TIMES, compiled, patience
from dalembert.programs.system import CompiledSystem


def substituted(eq, expressions, x):
    """An independent evaluation: numbers in place of symbols."""
    at = dict(zip(eq.inputs, map(se.RealDouble, x.tolist()), strict=True))
    return np.array([float(se.sympify(e).xreplace(at)) for e in expressions])


@pytest.mark.parametrize("name", names())
def test_functions_of_the_gallery(name):
    start = prepared(da.gallery(name).record, open=None, often=False, backend="numpy").at()
    eq, n = start.system.equations, start.system.n
    system = CompiledSystem(eq, level=FEW_TIMES).valued(start.system.parameters)
    x = start.x.copy()
    x[: 1 + 2 * n] += 0.01 * np.abs(np.random.default_rng(1).standard_normal(1 + 2 * n))
    for kind in ("dynamics", "position", "velocity", "quasi", "outputs", "reaction_parts", "guards", "poses"):
        found, right = getattr(system, kind)(x), getattr(start.system, kind)(x)
        scale = np.abs(right).max(initial=1.0)
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-13 * scale, err_msg=kind)
    D, d, *_ = system.unpacked(system.dynamics(x))
    right = substituted(eq, [*(e for row in eq.D for e in row), *eq.d], x)
    np.testing.assert_allclose(np.r_[D.ravel(), d], right, rtol=1e-10, atol=1e-12 * np.abs(right).max(initial=1.0))
    assert system.domain_failure(x) is None


@pytest.mark.parametrize("calls", [7, A_FEW_TIMES])
def test_a_function_that_is_called_often_after_all_is_compiled(calls):
    x = se.Symbol("x")
    called, before = compiled([x], [se.sin(x) * calls], FEW_TIMES), WORK["compiled"]
    with patience(calls):
        first = [called(np.array([0.3])) for _ in range(calls)]
        assert WORK["compiled"] == before
        assert called(np.array([0.3])) == pytest.approx(first[0], rel=1e-15)
        assert WORK["compiled"] == before + 1


def test_numpy_and_machine_code_give_the_same_bits():
    """So that a value does not depend on how often it was asked for."""
    x, y = se.symbols("x y")
    plain = [x / y, x * y - x, abs(x), se.Max(x, y), se.sign(x), se.sqrt(abs(y)), x ** se.RealDouble(2.3)]
    turning = [se.sin(x), se.cos(x), se.tan(x), se.atan(x), se.atan2(x, y), se.asin(x / 100), se.acos(y / 100)]
    growing = [se.exp(x / 50), se.log(abs(x)), se.sinh(x / 9), se.cosh(x / 9), se.tanh(x)]
    inverse = [se.asinh(x), se.acosh(abs(x) + 1), se.atanh(x / 100)]
    called = compiled([x, y], [*plain, *turning, *growing, *inverse])
    chance = np.random.default_rng(3)
    parts = [chance.normal(size=(200, 2)) * scale for scale in (1e-5, 1.0, 30.0, 1e7, 1e20)]
    states = np.concatenate([*parts, [[0.0, 1.0], [1.0, 0.0], [-0.0, -0.0], [100.0, -100.0]]])
    machine = called.by_machine(states)
    np.testing.assert_array_equal(values_of(called.program, states), machine)
    np.testing.assert_array_equal([values_of(called.program, state) for state in states], machine)
