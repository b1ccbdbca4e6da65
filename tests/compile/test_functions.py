"""Machine code and tape agree, and both say what cannot be evaluated."""

import numpy as np
import pytest
import symengine as se

from dalembert.compile.domain import domain_failure
from dalembert.compile.functions import compiled, have_llvm
from dalembert.errors import MathematicsError

x, y = se.symbols("x y")
EXPRESSIONS = [
    se.sin(x), se.cos(x * y), se.tan(y), se.asin(x / 3), se.acos(y / 3), se.atan(x), se.atan2(y, x), se.sinh(x),
    se.cosh(y), se.tanh(x), se.exp(x * y), se.log(x**2 + 1), se.sqrt(x**2 + y**2), (2 + x**2) ** y, abs(x - 1),
    se.sign(y - x), se.Max(x, y, x * y), se.Min(x, y), x**-3, x ** se.Rational(2, 1), (x**2) ** se.Rational(-3, 2),
    se.Piecewise((x, x > y), (y**2, se.And(x < 1, y >= 0)), (se.pi * x, True)), se.Integer(3), se.E * se.pi * x,
    se.Piecewise((x, se.Or(se.Eq(x, y), se.Not(x > 0))), (-x, True)),
]  # fmt: skip


@pytest.mark.skipif(not have_llvm(), reason="SymEngine without LLVM")
def test_tape_and_machine_code_agree():
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (200, 2))
    machine, tape = compiled([x, y], EXPRESSIONS), compiled([x, y], EXPRESSIONS, "numpy")
    assert machine.address and not tape.address
    np.testing.assert_allclose(machine(points), tape(points), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(machine(points[3]), tape(points[3]), rtol=1e-13, atol=1e-14)


def test_shared_parts_are_one_operation():
    from dalembert.compile.tape import tape

    code = tape([x, y], [se.sin(x * y) + 1, se.sin(x * y) * 2])
    assert sum(operation.kind == "sin" for operation in code.operations) == 1


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("bad", [1 / se.Integer(0) + x, se.sqrt(se.Integer(-1)) * x, abs(x).diff(x)])
def test_what_has_no_value_is_refused(backend, bad):
    with pytest.raises(MathematicsError):
        compiled([x], [bad], backend)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_no_outputs(backend):
    assert compiled([x], [], backend)(np.zeros((4, 1))).shape == (4, 0)


def test_no_states():
    """A motion that stops before its first sample has none to evaluate."""
    function = compiled([se.Symbol("a"), se.Symbol("b")], [se.Symbol("a"), se.sin(se.Symbol("b")), 1])
    assert function(np.zeros((0, 2))).shape == (0, 3)


@pytest.mark.parametrize(
    ("expression", "point", "words"),
    [
        (se.sqrt(x**2 - 1), (0.5, 0), "the square root of -1 + x^2 = -0.75, in f"),
        (y / se.sin(x), (0, 1), "a division by sin(x) = 0, in f"),
        (se.log(x - y), (1, 1), "the logarithm of x - y = 0, in f"),
        (se.asin(x), (2, 0), "asin of x = 2, which is outside -1 … 1, in f"),
        (se.exp(x), (1e4, 0), "too large"),
        (se.Piecewise((se.sqrt(x), x > 0), (-x, True)), (-1, 0), None),
    ],
)
def test_domain_failures_are_named(expression, point, words):
    found = domain_failure([x, y], {"f": expression}, np.array(point, dtype=float))
    assert found is None if words is None else words in found


def test_inputs_named_like_temporaries_keep_their_values():
    """SymEngine's cse calls its temporaries x0, x1, … if no expression holds that name, though an input may."""
    inputs = se.symbols("x0 x1 x2 a b")
    shared = se.cos(inputs[3]) * inputs[4]
    outputs = [shared, se.sin(shared) + 1, se.sin(shared)]
    point = np.array([0.3, 0.7, 0.5, 1.1, 2.0])
    assert compiled(inputs, outputs)(point) == pytest.approx(compiled(inputs, outputs, "numpy")(point), rel=1e-14)
