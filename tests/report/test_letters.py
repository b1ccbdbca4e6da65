"""The papers' own examples are derived in the papers' letters, and only for reading."""

import re
from pathlib import Path

import pytest

import dalembert
import dalembert as da
from dalembert.report.latex import CHINESE, escaped


@pytest.mark.parametrize(
    ("name", "method", "lines"),
    [
        ("long-1", "partial-acceleration", ["a[P',q2] = [0, -2·R, 0]", "q1″ + 2·q2″ = g·sin(q2)·sin(θ)/R"]),
        ("sun-3", "normalized-routh", ["m·l²·(4·θ1″/3 + θ2″/4) = -3·m·g·l/4", "σ2 = -27·m·g·√3/110"]),
        ("zhang-mei-ball-paper", "boltzmann-hamel", ["π4′ - π1′ = R[x]/a²", "R[y] = a²·cos(β)/(1 + a²)"]),
        ("qiao-sleigh", "qiao-lagrange-frozen", ["K^R[θ] = b·u·sin(α)·m′", "m = m0 - k·t"]),
        ("wang-gao-particle", "chetaev", ["m·x″ = Q1 - μ·x′/√(x′² + y′²)", "m·z″ = Q3 - m·g + μ"]),
    ],
)
def test_an_example_speaks_its_paper(name, method, lines):
    derived = da.gallery(name).derive()
    assert derived.method == method
    text = derived.text(steps=True)
    assert [line for line in lines if line not in text] == []


def test_json_keeps_the_names_of_the_model():
    answer = da.gallery("zhang-mei-ball").derive("kane").to_dict(steps=True)
    assert "friction.incline[1]" in answer["equations"][0]
    names = {result["name"] for step in answer["steps"] for result in step["results"]}
    assert {"p_{1}", "p_{5}"} <= names and r"\pi_{1}" not in names


def test_another_model_keeps_its_names():
    text = da.gallery("rolling-disk").derive().text(steps=True)
    assert "Letters of the paper" not in text


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("π_{ε+m+β} = C_β", r"$\pi_{\epsilon +m+ \beta}$ = $C_{\beta}$"),
        ("∂T*/∂π̄_ρ", r"$\partial$T*/$\partial$$\bar{\pi}_{\rho}$"),
        ("K₁^R = ṁu", r"$K_{1}^{R}$ = $\dot{m}$u"),
        ("first_wheel.slip1", r"first\_wheel.slip1"),
        ("C_μ ≠ 0", r"$C_{\mu}$ $\ne$ 0"),
    ],
)
def test_formulas_in_sentences_are_mathematics_in_latex(text, latex):
    assert escaped(text) == latex


def test_sentences_of_derivations_need_no_other_font():
    """Every sign of our own sentences has a command of TeX, in both languages."""
    text = (Path(dalembert.__file__).parent / "locale/zh/LC_MESSAGES/dalembert.po").read_text(encoding="utf-8")
    entries = re.findall(r'#: (formalisms|papers|report)/\S+\nmsgid "(.*)"\nmsgstr "(.*)"', text)
    assert len(entries) > 300
    for _, *sentences in entries:
        for sentence in sentences:
            assert all(ord(c) < 0x180 or CHINESE.match(c) for c in escaped(sentence)), sentence
