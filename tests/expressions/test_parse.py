"""The grammar: accepted expressions, refused ones, and the sentences of refusals."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import ModelError
from dalembert.expressions.nodes import (
    Axis,
    Call,
    Name,
    Negative,
    Number,
    Power,
    Prime,
    Product,
    Reciprocal,
    Sum,
    Vector,
)
from dalembert.expressions.parse import parse, parse_equation

x, y, z = Name("x"), Name("y"), Name("z")


def refusal(text: str):
    with pytest.raises(ModelError) as caught:
        parse(text)
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("-x^2", Negative(Power(x, Number(2)))),
        ("2^-1", Power(Number(2), Negative(Number(1)))),
        ("x^y^z", Power(x, Power(y, z))),
        ("x**y", Power(x, y)),
        ("x - y + z", Sum((x, Negative(y), z))),
        ("x/y*z", Product((x, Reciprocal(y), z))),
        ("-x*y", Product((Negative(x), y))),
        ("+x", x),
        ("--x", Negative(Negative(x))),
        ("x'^2", Power(Prime(x), Number(2))),
        ("(x*y)'", Prime(Product((x, y)))),
        ("lean.y'", Prime(Axis("lean", "y"))),
        ("[1, x, y]", Vector(Number(1), x, y)),
        ("min(x, y, z)", Call("min", (x, y, z))),
        ("omega(lean)", Call("omega", (Name("lean"),))),
        (".5e1", Number(5.0)),
        ("007", Number(7)),
        (" x\n+\ty ", Sum((x, y))),
    ],
)
def test_reads(text, tree):
    assert parse(text) == tree


def test_an_integer_stays_one():
    assert isinstance(parse("3").value, int)
    assert isinstance(parse("3.0").value, float)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("x''", 3, "solves for accelerations"),
        ("(x')'", 5, "solves for accelerations"),
        ("x +", 4, "the end of the expression was met"),
        ("x * / y", 5, "'/' was met"),
        ("2x", 2, "needs a *"),
        ("x y", 3, "needs a *"),
        ("sni(x)", 1, "did you mean sin?"),
        ("1 + sin", 5, "is a function"),
        ("sin(x, y)", 1, "takes 1 argument, and 2"),
        ("max(x)", 1, "at least 2"),
        ("[1, 2]", 1, "three are expected"),
        ("hub.q", 5, "x, y or z"),
        ("ж", 1, "Latin, Greek or Chinese"),
        ("x − y", 3, "write - instead"),
        ("x = y", 3, "only constraints"),
        ("a__b + 1", 1, "__"),
        ("x; y", 2, "does not have"),
        ("x\0", 2, "does not have"),
        ("(x", 3, "')' was expected"),
        ("1/0", 2, "finite"),
        ("1 + sqrt(-1)", 5, "finite"),
        ("log(0)", 1, "finite"),
        ("1e400", 1, "double"),
        ("x^1001", 1, "at most 1000"),
        ("x^-1e4", 1, "at most 1000"),
        ("x^(2^11)", 1, "at most 1000"),
    ],
)
def test_refuses_with_a_column(text, column, words):
    fault = refusal(text)
    assert words in fault.message
    assert fault.column == column


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__",
        "x if y else z",
        "lambda: 1",
        "exec('1')",
        '"x"',
        "x.y.z",
        "{x}",
        "f'{x}'",
        "9^9^9^9",
        "((9^1000)^1000)^1000",
        "(((1/9)^1000)^1000)^1000",
        "9" * 5000,
        "x" * 10_000_000,
        "(" * 100_000,
        "(" * 50_000 + "x" + ")" * 49_999,
        "[" * 201 + "x" + "]" * 201,
        "-" * 99_000 + "x",
        "2^" * 40_000 + "2",
        "x^" * 201 + "x",
        "sin(" * 201 + "x" + ")" * 201,
    ],
)
def test_hostile_text_is_refused_without_effort(text):
    parse("x")  # the parser itself is built before the measurement
    tracemalloc.start()
    fault = refusal(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000_000
    assert len(fault.message) < 300


def test_two_hundred_levels_are_read():
    parse("(" * 200 + "x" + ")" * 200)
    parse("sin(" * 200 + "x" + ")" * 200)
    parse("sin(x + " * 200 + "x" + ")" * 200)


def test_a_long_sum_is_one_node():
    assert len(parse(" + ".join(["x"] * 20_000)).terms) == 20_000


def test_columns_of_nodes():
    columns = {}
    tree = parse("x + sin(y')", columns)
    assert [columns[id(node)] for node in tree.terms] == [1, 5]
    assert columns[id(tree.terms[1].arguments[0])] == 9


def test_an_equation_has_two_sides():
    assert parse_equation("x' = y") == (Prime(x), y)
    for text, column in (("x", None), ("x = y = z", 7), ("x = sni(y)", 5), ("= x", 1)):
        with pytest.raises(ModelError) as caught:
            parse_equation(text)
        assert caught.value.faults[0].column == column


@given(st.text(alphabet="xyt'()[]+-*/^., 0123456789esincos=_\"\\\0é", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        parse(text)
    except ModelError as error:
        assert error.faults[0].message
