"""`dalembert paper`: every numbered formula has a line, every line holds, and a wrong one would not."""

from __future__ import annotations

import json

import pytest
import symengine as se

from dalembert.cli.main import run
from dalembert.errors import MathematicsError
from dalembert.formalisms.errata import ERRATA
from dalembert.papers import PAPERS, lines_of
from dalembert.papers.render import html, text
from dalembert.papers.sheet import AS_PRINTED, ERRATUM, Sheet, difference, parsed

NUMBERS = {
    "long": [str(i) for i in range(1, 49)],
    "sun": [f"2.{i}" for i in range(1, 21)],
    "zhangmei": [
        *(f"1.{i}" for i in range(1, 5)),
        *(f"2.{i}" for i in range(1, 11)),
        *(f"3.{i}" for i in range(1, 4)),
        *(f"4.{i}" for i in range(1, 32)),
    ],
    "qiao": [
        *(f"2.{i}" for i in range(1, 28)),
        "A",
        *(f"3.{i}" for i in range(1, 12)),
        *(f"4.{i}" for i in range(1, 6)),
    ],
    "wanggao": [str(i) for i in range(1, 24)],
}
BESIDE = {  # errata of a sentence beside a formula, not of the formula
    "Sun before (2.3)": "before 2.3", "Sun after (2.18)": "after 2.18", "Long (20)": "after 20",
    "ZhangMei after (4.24)": "after 4.24", "Qiao after (3.10)": "after 3.10", "Qiao before (4.5)": "before 4.5",
    "WangGao (17)": "after 17", "WangGao after (21)": "after 21",
}  # fmt: skip


def numbers_of(entry):
    """The lines of an erratum: one for each of its numbers."""
    place = entry.erratum.place
    return {BESIDE[place]} if place in BESIDE else set(entry.numbers)


@pytest.mark.parametrize("name", PAPERS)
def test_every_number_has_a_line_and_every_line_holds(name):
    lines = lines_of(name)
    numbers = [line.number for line in lines]
    assert set(NUMBERS[name]) <= set(numbers)
    assert len(numbers) == len(set(numbers))
    assert all(line.holds for line in lines), [line for line in lines if not line.holds]
    wrong = set().union(*(numbers_of(entry) for entry in ERRATA if entry.paper.lower() == name))
    assert {line.number for line in lines if line.verdict == ERRATUM} == wrong


def test_a_formula_that_does_not_agree_is_not_called_right():
    sheet, x = Sheet(), se.Symbol("x''")
    sheet.same("1", "right", "x_dd", x)
    sheet.same("2", "wrong, and nobody said so", "2*x_dd", x)
    sheet.same("3", "an erratum", "2*x_dd", x, "x_dd")
    sheet.same("4", "an erratum that is none", "x_dd", x, "x_dd")
    sheet.same("5", "an erratum whose right form is wrong", "2*x_dd", x, "3*x_dd")
    sheet.law("6", "a law that fails", "a = b", 1e-3, "somewhere")
    sheet.law("7", "a printed form that holds is no erratum", "a = b", 0.0, "somewhere", "a = c", 0.0)
    assert [line.holds for line in sheet.lines] == [True, False, True, False, False, False, False]
    assert [line.verdict for line in sheet.lines][:4] == [AS_PRINTED, ERRATUM, ERRATUM, AS_PRINTED]


@pytest.mark.parametrize("computed", [se.Symbol("x") / 0, se.nan, se.oo, float("nan")])
def test_a_value_that_is_not_a_number_is_refused(computed):
    """NaN would be as close to the print as the bound asks: every comparison with it is false."""
    with pytest.raises(MathematicsError, match="has the value"):
        Sheet().same("1", "no number", "x", computed)


def test_printed_text_is_compared_by_value():
    assert difference(parsed("sin(x)**2 + cos(x)**2"), 1) < 1e-15
    assert difference(parsed("q_d*x"), se.Symbol("q'") * se.Symbol("x")) == 0
    assert difference(parsed("q_d"), se.Symbol("q''")) > 1e-3


def test_indices_of_a_law_are_indices():
    sheet = Sheet()
    sheet.law("1", "a law", "q̇_{p+s} = Σ_r C_rs^R q̇_r², first_wheel < 1", 0.0, "here")
    page, plain = (form(PAPERS["long"], sheet.lines) for form in (html, text))
    assert "q̇<sub>p+s</sub> = Σ<sub>r</sub> C<sub>rs</sub><sup>R</sup> q̇<sub>r</sub>², first_wheel &lt; 1" in page
    assert "q̇_(p+s) = Σ_r C_rs^R q̇_r²" in plain


def test_the_command(capsys, tmp_path):
    assert run(["paper"]) == 0
    assert "求解动力学问题的普遍方法" in capsys.readouterr().out
    assert run(["paper", "sun", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {"number", "title", "printed", "computed", "verdict"} <= set(answer[0])
    seven = next(line for line in answer if line["number"] == "2.7")
    assert seven["verdict"] == "erratum" and "-9·g·√3/110" in seven["computed"]
    for ending in ("html", "tex", "txt"):
        assert run(["paper", "sun", "-o", str(tmp_path / f"sun.{ending}")]) == 0
    page = (tmp_path / "sun.html").read_text("utf-8")
    assert "default-src 'none'" in page and "(2.20)" in page
    assert run(["paper", "suun"]) == 2
    assert "did you mean sun" in capsys.readouterr().err


def test_exit_status_is_1_where_a_line_fails(monkeypatch, capsys):
    from dalembert import papers
    from dalembert.papers.sheet import SheetLine

    monkeypatch.setattr(papers, "lines_of", lambda name: (SheetLine("1", "t", "a", "b", ERRATUM, False),))
    assert run(["paper", "sun"]) == 1
    assert "do not hold: 1" in capsys.readouterr().err
