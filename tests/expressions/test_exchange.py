"""Expressions to SymPy and back."""

from __future__ import annotations

import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from dalembert.errors import ModelError
from dalembert.expressions import functions
from dalembert.expressions.exchange import from_sympy, to_sympy
from dalembert.expressions.nodes import Call, Name, Number, Pi, Prime, Sum, Time
from dalembert.expressions.parse import parse
from dalembert.expressions.text import text

x = Name("x")


@pytest.mark.parametrize(
    "written",
    [
        "x'*cos(theta) - x/3",
        "(x*y)'",
        "dot(hub', lean.y) + 1",
        "[1, x, y]*2",
        "exp(x) + abs(y) + min(x, y, 2)",
        "omega(lean)",
        "sqrt(x)/y^2 + pi*t - 0.1*x^2.5",
        "atan2(y, x)/(1 + sign(x))",
    ],
)
def test_comes_back_with_the_same_meaning(written):
    there = to_sympy(parse(written))
    assert to_sympy(from_sympy(there)) == there
    assert parse(text(from_sympy(there))) == from_sympy(there)


def test_conditions_of_conditions():
    """SymPy makes ITE of nested pieces; the model language has and, or, not."""
    X = sympy.Symbol("x")
    assert text(from_sympy(sympy.ITE(X <= 7, X >= 1, True))) == "x >= 1 or x > 7"
    for one in (sympy.Xor(X < 1, X > -1), sympy.Implies(X < 1, X < -1)):
        back = to_sympy(from_sympy(sympy.Piecewise((1, one), (0, True))))
        assert [back.subs(X, value) for value in (-2, 0, 2)] == [int(bool(one.subs(X, value))) for value in (-2, 0, 2)]


def test_a_speed_comes_back_as_one():
    assert from_sympy(to_sympy(x.dot)) == Prime(x)


def test_sums_with_sympy():
    X = sympy.Symbol("X")
    assert from_sympy(X + x.dot) in (Sum((Name("X"), Prime(x))), Sum((Prime(x), Name("X"))))
    assert x.dot + X == Sum((Prime(x), Name("X")))
    assert from_sympy(sympy.cos(x)) == Call("cos", (x,))


def test_dynamicsymbols():
    q = dynamicsymbols("q")
    assert from_sympy(q) == Name("q")
    assert from_sympy(q.diff()) == Prime(Name("q"))
    assert from_sympy(sympy.Symbol("t")) == Time()
    assert from_sympy(sympy.pi) == Pi()


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        (dynamicsymbols("q", 2), "accelerations"),
        (sympy.I, "finite real"),
        (sympy.oo, "finite real"),
        (sympy.Symbol("__import__('os')"), "names"),
        (sympy.gamma(sympy.Symbol("x")), "gamma"),
        (sympy.Piecewise((1, sympy.Symbol("x") > 0)), "the condition True"),
        (sympy.Function("f")(sympy.Symbol("x")), "function of t"),
        (sympy.Derivative(sympy.Function("f")(sympy.Symbol("s")), sympy.Symbol("s")), "respect to t"),
    ],
)
def test_what_the_language_lacks_is_refused(expr, words):
    with pytest.raises(ModelError, match=words):
        from_sympy(expr)


def test_functions_build_calls():
    assert functions.cos(x) == Call("cos", (x,))
    assert functions.maximum(x, 1) == Call("max", (x, Number(1)))
    assert text(functions.dot(functions.vector(1, x, -1), Name("b").z)) == "dot([1, x, -1], b.z)"
    with pytest.raises(TypeError):
        functions.sin("x")


@pytest.mark.parametrize(
    "text",
    ["if(x < 1, x, 2*y)", "if(x <= 1 and y > 2 or not (x >= y), x, if(y < 3, 1, 2))", "floor(x) + mod(x, 2)"],
)
def test_conditions_and_steps_go_both_ways(text):
    """SymPy may turn a comparison round, so values are compared."""
    import itertools

    from dalembert.model.values import Evaluator

    tree = parse(text)
    back = from_sympy(to_sympy(tree))
    for x, y in itertools.product((-1.5, 0.5, 1.0, 2.5, 3.25), repeat=2):
        at = Evaluator({"x": x, "y": y})
        assert at.number(back) == at.number(tree)
