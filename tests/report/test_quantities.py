"""The named quantities of a model: put into each other, they are the entries of its equations."""

import math

import pytest
import symengine as se

import dalembert as da
from dalembert.formalisms import applicable
from dalembert.report.content import content

SAMPLE = ("ackermann-car", "ball-in-bowl", "four-bar", "six-axis-arm", "sliding-to-rolling", "tippe-top-quaternion")


def number(e, known):
    symbols = sorted(se.sympify(e).free_symbols, key=str)
    if not symbols:
        return float(e)
    return float(se.Lambdify(symbols, [e], backend="lambda")([known[s] for s in symbols])[0])


def check(name):
    """D, d, A, b, T and V of Kane's equations at one state, by the named quantities and without."""
    eq = da.gallery(name).derive("kane").equations
    state = {s: 0.31 + 0.617 * (i * 0.3137 % 1.0) for i, s in enumerate(eq.inputs)}
    state |= eq.parameters
    rates = {se.Symbol(f"{q}''"): 0.4 + 0.1 * i for i, q in enumerate(eq.coordinates)}
    known = {**state, **rates}
    for symbol, value in eq.quantities().items():
        assert value.free_symbols <= set(known), symbol  # each in terms of those before it
        known[symbol] = number(value, known)
    expected = {"T": eq.kinetic, "V": eq.potential}
    rows = [row.name for row in eq.constraints]
    for letter, sides, matrix in (("D", eq.coordinates, eq.D), ("A", rows, eq.A)):
        for row, line in zip(sides, matrix, strict=True):
            expected |= {f"{letter}[{row}, {q}]": e for q, e in zip(eq.coordinates, line, strict=True)}
    expected |= {f"d[{q}]": e for q, e in zip(eq.coordinates, eq.d, strict=True)}
    expected |= {f"b[{row}]": e for row, e in zip(rows, eq.b, strict=True)}
    for entry, e in expected.items():
        assert math.isclose(known[se.Symbol(entry)], number(e, state), rel_tol=1e-9, abs_tol=1e-9), entry


@pytest.mark.parametrize("name", SAMPLE)
def test_quantities_give_the_equations(name):
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in da.gallery() if "kane" in applicable(da.gallery(name).record)])
def test_quantities_give_the_equations_of_the_gallery(name):
    check(name)


@pytest.mark.parametrize("name", ["ball-in-bowl", "six-axis-arm"])
def test_a_large_system_is_written_in_lines_that_fit_a_page(name):
    """No numbered parts, and no entry of more than half a page."""
    sections = content(da.gallery(name).derive("kane").equations).sections
    lines = [line for section in sections for line in section.lines]
    assert not any(str(line.left).startswith("p[") for line in lines)
    assert max(len(str(line.right)) for line in lines) < 2000
