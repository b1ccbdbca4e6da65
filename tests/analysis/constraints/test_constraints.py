"""Integrability, growth and reach of classical distributions; redundant and contradictory rows by name."""

from __future__ import annotations

import pytest
import sympy
from distributions import CLASSICAL, KNIFE, Classical
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.api.analyze import analyze
from dalembert.errors import ModelError
from dalembert.model.read import read_text


def constraints(text: str, **options):
    return analyze(read_text(text), ["constraints"], **options)["constraints"]


@pytest.mark.parametrize("case", CLASSICAL, ids=lambda case: case.name)
def test_classical_distributions(case: Classical):
    found = constraints(case.text, seconds=24 if case.closed else 4)
    assert found.holonomic is case.holonomic
    assert found.reach.generic == case.growth
    assert found.reach.here == (case.here or case.growth)
    assert len(found.integrals) + found.further == case.integrals
    assert found.further == (0 if case.closed else case.integrals)
    assert all(text in [i.text for i in found.integrals] for text in case.shown)


def model(constraints: str, coordinates: str = "x=0.4 y=0.3 z=0.2 a=0.3") -> str:
    return Classical("", coordinates, tuple(constraints.split("; ")), (), False, parameters="c=0.4").text


def test_redundant_rows_are_named_with_constant_coefficients():
    found = constraints(model("x' + y' = 0; x' - z' = 0; 3*x' + y' - 2*z' = 0"))
    assert [r.text for r in found.relations] == ["row3 = row1 + 2·row2"]
    assert [row.redundant for row in found.rows] == [False, False, True]
    assert (found.rank, found.generic_rank, found.degrees_of_freedom) == (2, 2, 2)


def test_redundant_rows_are_named_with_functions_as_coefficients():
    found = constraints(model(f"{KNIFE}; x'*sin(a)*c*y - y'*c*y*cos(a) = 0"))
    assert [r.text for r in found.relations] == ["row2 = c·y·row1"]


def test_rows_that_are_redundant_at_this_state_alone():
    found = constraints(model("x*y' + z' = 0; z' = 0", "x=0 y=0.3 z=0.2"))
    assert (found.rank, found.generic_rank) == (1, 2)
    assert [(r.text, r.here) for r in found.relations] == [("row2 = row1", True)]
    assert "drops at this state" in found.notes[0]


def test_contradictory_rows_are_named():
    found = constraints(model("x' + y' = 0; 2*x' + 2*y' = 1"))
    assert found.contradictory == ("row2",)
    assert "row2 contradicts the others" in str(
        da.Model.of(read_text(model("x' + y' = 0; 2*x' + 2*y' = 1"))).analyze(["constraints"])
    )


def test_contradictory_holonomic_constraints_are_named():
    text = model("x^2 + y^2 = 1; x + y = 5; z = a")
    answer = analyze(read_text(text), ["constraints"])["constraints"]
    assert "row1, row2 contradict each other" in answer.reason


def test_integrable_alone_and_in_the_whole():
    found = constraints(model("z' = y*x'; y' = 0", "x=0.4 y=0.3 z=0.2"))
    assert [(row.integrable, row.alone) for row in found.rows] == [(True, False), (True, True)]
    assert found.holonomic


def test_a_nonlinear_row_keeps_nothing():
    found = constraints(model("z' = sqrt(x'^2 + y'^2)", "x=0 y=0 z=0"))
    assert found.rows[0].integrable is None and found.holonomic is False
    assert not found.integrals and "no question for Frobenius" in found.remarks[0]


def test_a_linear_row_in_disguise_is_told():
    found = constraints(model("(x' - y')*(1 + x'^2) = 0", "x=0 y=0 z=0"))
    assert found.holonomic is None and "linear constraint in disguise" in found.remarks[0]


def test_chosen_inputs_reach_what_their_brackets_span():
    text = model("x' = cos(a)*b'; y' = sin(a)*b'", "x=0 y=0 a=0.3 b=0")
    roll, turn = "x = cos(a), y = sin(a), b = 1", "a = 1"
    assert constraints(text, inputs=(roll, turn)).chosen.here == (2, 3, 4)
    assert constraints(text, inputs=(roll, turn)).chosen.everything
    alone = constraints(text, inputs=(roll,)).chosen
    assert alone.here == (1,) and not alone.everything


def test_chosen_inputs_with_a_drift():
    """y' = x with x driven is the double integrator: accessible."""
    assert constraints(model("y' = x", "x=0 y=0"), inputs=("x = 1",)).chosen.here == (2, 3)


@pytest.mark.parametrize(
    ("direction", "said"),
    [
        ("x = 1", "breaks the constraint row1"),
        ("b = 1", "no direction"),
        ("x = a'", "holds speeds"),
        ("x", "no direction"),
    ],
)
def test_inputs_that_are_none(direction: str, said: str):
    with pytest.raises(ModelError, match=said):
        constraints(model(KNIFE), inputs=(direction,))


@st.composite
def forms(draw):
    """Three components of a form with polynomial coefficients in x, y, z."""
    monomials = ["1", "x", "y", "z", "x*y", "y*z", "x*z", "x^2"]
    parts = []
    for _ in range(3):
        terms = draw(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(monomials)), min_size=1, max_size=3))
        parts.append(" + ".join(f"({c})*{m}" for c, m in terms))
    return parts


@settings(derandomize=True, max_examples=25, deadline=None)
@given(forms())
def test_one_form_in_three_dimensions_against_its_curl(parts):
    """ω ∧ dω = 0 iff ω · curl ω = 0, worked out by SymPy."""
    x, y, z = sympy.symbols("x y z")
    a, b, c = (sympy.sympify(p.replace("^", "**"), locals={"x": x, "y": y, "z": z}) for p in parts)
    twist = a * (c.diff(y) - b.diff(z)) + b * (a.diff(z) - c.diff(x)) + c * (b.diff(x) - a.diff(y))
    assume(all(e.subs({x: 0.41, y: 0.32, z: 0.23}) != 0 for e in (a, b, c)))
    row = f"({parts[0]})*x' + ({parts[1]})*y' + ({parts[2]})*z' = 0"
    found = constraints(model(row, "x=0.41 y=0.32 z=0.23"), seconds=1)
    assert found.holonomic is bool(sympy.expand(twist) == 0)
    assert found.rows[0].alone is found.holonomic


@settings(derandomize=True, max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.sampled_from(["x", "y", "x*y", "z^2", "x^2*y", "sin(z)"])),
        min_size=2,
        max_size=4,
    )
)
def test_a_total_derivative_times_a_factor_is_holonomic(terms):
    g = " + ".join(f"({c})*{m}" for c, m in terms)
    assume(any(c for c, m in terms if "x" in m or "y" in m))
    slopes = [sympy.sympify(g.replace("^", "**")).diff(s) for s in ("x", "y", "z")]
    assume(all(e.subs({"x": 0.41, "y": 0.32, "z": 0.23}) != 0 for e in slopes[:1]))
    row = " + ".join(f"(2 + sin(x*y))*({str(e).replace('**', '^')})*{s}'" for e, s in zip(slopes, "xyz", strict=True))
    found = constraints(model(f"{row} = 0", "x=0.41 y=0.32 z=0.23"), seconds=1)
    assert found.holonomic and len(found.integrals) + found.further == 1
