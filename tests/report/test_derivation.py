"""The output of `derive`: text, LaTeX, MathML and plain data of real models, small and large."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
import symengine as se

import dalembert as da
from dalembert.report.content import content
from dalembert.report.latex import WIDTH, WRITE, _visible, broken, result
from dalembert.report.mathml import mathematics
from dalembert.report.text import plain_latex


def test_small_system_as_text() -> None:
    text = str(da.gallery("chaplygin-sleigh").derive("chetaev"))
    assert "solved for: x″, y″, θ″, λ[blade]" in text
    assert "m·x″ - m·a·sin(θ)·θ″ = m·a·cos(θ)·θ′² - sin(θ)·λ[blade]" in text
    assert "(J + m·a²)·θ″ + m·a·cos(θ)·y″ - m·a·sin(θ)·x″ = 0" in text
    assert "blade, linear   cos(θ)·y′ - sin(θ)·x′ = 0" in text


def test_large_system_is_shown_by_entries_over_named_parts() -> None:
    text = str(da.gallery("whipple-bicycle").derive())
    assert "Named parts" in text
    assert "D[ψ, ψ] = " in text
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
        for line in row.split("\\\\\n"):  # brackets cannot span lines of an alignment
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


@pytest.mark.parametrize(("name", "steps"), [("chaplygin-sleigh", True), ("whipple-bicycle", False)])
def test_a_page_numbers_its_equations_and_fetches_nothing(name: str, steps: bool) -> None:
    page = da.gallery(name).derive().html(steps)
    numbers = [int(n) for n in re.findall(r"class='number'>\((\d+)\)", page)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=['\"](?!#)", page)
    if steps:
        assert "<span class='locator'>Qiao" in page


def test_words_of_a_formula_are_words() -> None:
    assert "<mtext>upper_rod</mtext>" in mathematics(r"f_{\text{upper\_rod}}")
    found = mathematics(r"\lambda_{\mathrm{no\_slip}} \, \cos \mathrm{yaw}")
    assert "<mi>no_slip</mi>" in found
    assert "<mi>yaw</mi>" in found
    assert '<mi>cos</mi><mspace width="0.167em" />' in found


def test_a_long_fraction_that_is_subtracted_is_broken_once() -> None:
    inner = " + ".join(rf"\frac{{a_{{{n}}}}}{{b_{{{n}}} - c_{{{n}}}}}" for n in range(30))
    rows = broken("x", rf"y - \frac{{1}}{{2}} \, L \, \left(-\frac{{\left({inner}\right) \, z}}{{{inner}}}\right)")
    assert "".join(rows).count("L") == 1


def test_a_wide_matrix_of_zeros_is_zero() -> None:
    assert result("M", tuple((se.Integer(0),) * 60 for _ in range(2))) == ["M &= 0"]


@pytest.mark.parametrize("name", ["rolling-disk", "whipple-bicycle", "rattleback"])
def test_long_lines_are_broken_and_nothing_of_them_is_lost(name: str) -> None:
    eq = da.gallery(name).derive().equations
    for section in content(eq).sections:
        for line in section.lines:
            left, right = WRITE(line.left), WRITE(line.right)
            rows = broken(left, right)
            assert max(len(_visible(row)) for row in rows) < 2 * WIDTH
            joined = "".join(row.partition("&")[2] if i or row.startswith("&") else row for i, row in enumerate(rows))
            assert symbols_of(joined) == symbols_of(left + "=" + right)


def symbols_of(latex: str) -> Counter[str]:
    """Printed letters, words and signs, without brackets and spaces."""
    bare = re.sub(r"\\(?:left|right|bigl|bigr|quad|qquad|frac)\b|[\s{}&()1]", " ", latex)
    return Counter(re.findall(r"\\[a-z]+|\w+|[-+=]", bare))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here: pdflatex is not installed")
@pytest.mark.parametrize(("name", "steps"), [("rolling-disk", False), ("chaplygin-sleigh", True)])
def test_documents_compile(name: str, steps: bool, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(da.gallery(name).derive().latex(steps), encoding="utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-800:]
