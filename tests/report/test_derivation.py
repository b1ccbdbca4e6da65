"""What `derive` shows: text, LaTeX, MathML and plain data of real models, small and large."""

from __future__ import annotations

import re
from itertools import product
from xml.etree import ElementTree

import pytest

import dalembert as da
from dalembert.report.text import plain_latex


def test_small_system_as_text() -> None:
    text = str(da.gallery("chaplygin-sleigh").derive("chetaev"))
    assert "solved for: x″, y″, θ″, λ[blade]" in text
    assert "m·x″ - a·m·sin(θ)·θ″ = a·m·cos(θ)·θ′² - sin(θ)·λ[blade]" in text
    assert "(J + a²·m)·θ″ + a·m·cos(θ)·y″ - a·m·sin(θ)·x″ = 0" in text
    assert "blade, linear   cos(θ)·y′ - sin(θ)·x′ = 0" in text


def test_large_system_is_shown_by_entries_over_named_parts() -> None:
    text = str(da.gallery("whipple-bicycle").derive())
    assert "Named parts" in text
    assert "D[psi, psi] = " in text
    assert max(map(len, text.splitlines())) < 1000


@pytest.mark.parametrize(
    ("name", "steps"),
    [("whipple-bicycle", False), *product(("chaplygin-sleigh", "rolling-disk", "rocket"), (False, True))],
)
def test_latex_is_balanced(name: str, steps: bool) -> None:
    document = da.gallery(name).derive().latex(steps)
    assert document.count("{") == document.count("}")
    assert len(re.findall(r"\\left\b", document)) == len(re.findall(r"\\right\b", document))
    begun, ended = re.findall(r"\\begin\{(\w+\*?)\}", document), re.findall(r"\\end\{(\w+\*?)\}", document)
    assert sorted(begun) == sorted(ended)
    assert "′" not in document
    for row in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", document, re.DOTALL):
        for line in row.split("\\\\\n"):  # brackets cannot be split over lines of an alignment
            assert line.count(r"\left") == line.count(r"\right")


@pytest.mark.parametrize("steps", [False, True])
def test_html_is_well_formed(steps: bool) -> None:
    page = da.gallery("chaplygin-sleigh").derive().html(steps)
    assert "<script" not in page
    formulas = re.findall(r"<math.*?</math>", page, re.DOTALL)
    assert len(formulas) > 3
    for formula in formulas:
        ElementTree.fromstring(formula)


def test_titles_cannot_break_out_of_a_page() -> None:
    model = da.Model("<script>alert(1)</script> & 100% \\input{x}")
    x = model.coordinates("x", x=1)
    model.body("ball", mass=1, position=[x, 0, 0])
    derivation = model.derive()
    assert "<script>" not in derivation.html()
    assert r"\input" not in derivation.latex()


def test_plain_data_is_in_the_model_language() -> None:
    answer = da.gallery("double-pendulum").derive().to_dict(steps=True)
    assert answer["D"][1][1] == "l2^2*m2"
    assert answer["constraints"] == {}
    assert {"title", "formula", "locator", "results", "note"} <= set(answer["steps"][0])


def test_notebook_shows_latex() -> None:
    fragment = da.gallery("chaplygin-sleigh").derive()._repr_latex_()
    assert fragment.startswith("$$")
    assert r"\ddot{\theta}" in fragment


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{d}{dt}\frac{\partial T}{\partial\dot q_j} = Q_j", "d/dt ∂T/∂q̇_j = Q_j"),
        (r"M\ddot q + h = Q + G^{\mathsf T}\mu", "Mq̈ + h = Q + Gᵀμ"),
        (r"\sum_i m_i\,a_i", "Σ_i m_i a_i"),
        (r"a_{ir}", "a_(ir)"),
    ],
)
def test_general_laws_as_text(latex: str, text: str) -> None:
    assert plain_latex(latex) == text
