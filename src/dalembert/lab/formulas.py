"""Equations and derivations for the page: titles and notes as text, formulas as MathML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.equations import Equations, Erratum, Step
from dalembert.formalisms.telling import cited
from dalembert.language import tr
from dalembert.report.content import content
from dalembert.report.dialects import Latex
from dalembert.report.latex import broken, result
from dalembert.report.mathml import mathematics
from dalembert.report.parts import structured
from dalembert.report.text import plain_latex

WRITE = Latex()


def equations(eq: Equations) -> list[dict[str, Any]]:
    """The sections of the equations of motion, each with its lines. A long formula has several rows."""
    shown = content(eq)
    unknowns = ",\\ ".join(WRITE(symbol) for symbol in shown.unknowns)
    head = {"title": tr("Solved for"), "lines": [{"label": "", "math": _rows([unknowns])}]}
    rest = [
        {
            "title": section.title,
            "lines": [
                *({"label": one.label, "math": _rows([WRITE.chain(one.parts)])} for one in section.conditions),
                *(
                    {"label": line.label, "math": _rows(broken(WRITE(line.left), WRITE(line.right)))}
                    for line in section.lines
                ),
            ],
        }
        for section in shown.sections
    ]
    return [head, *rest]


def derivation(eq: Equations) -> list[dict[str, Any]]:
    """The steps of a derivation, each with its law, its results and its place in the paper."""
    return [_step(step) for step in structured(eq)]


def _step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "locator": cited(step.locator),
        "why": step.why,
        "law": _rows([step.formula]) if step.formula else [],
        "results": [_rows(result(left, value)) for left, value in step.results],
        "note": step.note,
        "errata": [_erratum(erratum) for erratum in step.errata],
    }


def _erratum(erratum: Erratum) -> str:
    """The printed form, the correct form, and the reason, as text."""
    printed, right, because = map(plain_latex, (erratum.printed, erratum.right, erratum.because))
    return " ".join(
        (
            tr("Erratum, {place}.", place=cited(erratum.place)),
            tr("In print: {formula}.", formula=printed),
            tr("Right is: {formula}.", formula=right),
            tr("Because {formula}.", formula=because),
        )
    )


def _rows(latex: Iterable[str]) -> list[str]:
    """Rows `left &= right` of LaTeX, each as one formula."""
    return [mathematics(row.replace("&", " ", 1), block=True) for row in latex]
