"""Integrability, growth and reach of classical distributions; redundant and contradictory rows by name."""

from __future__ import annotations

import pytest
from distributions import CLASSICAL, KNIFE, Classical

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
