"""Text of a tree: it reads back to the same tree and has no unnecessary brackets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.expressions.nodes import (
    Axis,
    Call,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    Sum,
    Time,
    Vector,
)
from dalembert.expressions.parse import parse
from dalembert.expressions.text import text

numbers = st.one_of(
    st.integers(1, 50), st.floats(0.01, 1e3, allow_nan=False).map(lambda x: x if x != int(x) else x + 0.5)
).map(Number)
leaves = st.one_of(
    numbers,
    st.sampled_from([Pi(), Time(), Name("x"), Name("theta"), Name("R"), Name("_a1"), Axis("lean", "y")]),
)


def _grown(children: st.SearchStrategy) -> st.SearchStrategy:
    terms = st.lists(children, min_size=2, max_size=4)
    inverse = st.one_of(children, children.map(Reciprocal))
    factors = st.tuples(children, st.lists(inverse, min_size=1, max_size=3))
    return st.one_of(
        terms.map(lambda t: Sum(tuple(t))),
        factors.map(lambda f: Product((f[0], *f[1]))),
        children.map(Negative),
        children.filter(lambda c: not isinstance(c, Prime)).map(Prime),
        st.tuples(leaves.filter(lambda c: not isinstance(c, (Number, Pi))), children).map(lambda p: Power(*p)),
        st.tuples(children, children).map(lambda a: Call("atan2", a)),
        children.map(lambda a: Call("sin", (a,))),
        st.tuples(children, children, children).map(lambda v: Vector(*v)),
    )


trees = st.recursive(leaves, _grown, max_leaves=25)


@given(trees)
def test_reads_back(tree):
    assert parse(text(tree)) == tree


@pytest.mark.parametrize(
    "written",
    [
        "-x^2",
        "x - (y - z)",
        "(x + y)*z",
        "x/(y*z)",
        "x/y*z",
        "x^y^z",
        "(x^y)^z",
        "(-x)^2",
        "(x*y)'",
        "x'^2",
        "-(x*y) + z",
        "x - -y",
        "x*-2",
        "dot(hub', lean.y)",
        "[1, x, -y]",
        "1e-09*x",
        "0.1 + 2.0",
    ],
)
def test_few_brackets(written):
    assert text(parse(written)) == written


def test_what_python_builds_reads_back():
    x, y = Name("x"), Name("y")
    for built in (2 * x - y / 3, (x + y) ** -2, -x * (y - 1), 1 / x.dot, x - (-3), sum([x, y, x]), 2**-x, x.x * 2 + y):
        assert parse(str(built)) == built


def test_deep_trees_are_written():
    assert text(parse("sin(x + " * 200 + "x" + ")" * 200)).count("sin") == 200
