"""Equations and derivations for the page: titles and notes as text, formulas as MathML, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.equations import Equations, Step
from dalembert.language import tr
from dalembert.report.content import content, structured
from dalembert.report.dialects import Latex
from dalembert.report.latex import broken, result
from dalembert.report.mathml import mathematics

WRITE = Latex()


def equations(eq: Equations) -> list[dict[str, Any]]:
    """The sections of the equations of motion, each with its lines; a long formula is several rows."""
    shown = content(eq)
    unknowns = ",\\ ".join(WRITE(symbol) for symbol in shown.unknowns)
    head = {"title": tr("Solved for"), "lines": [{"label": "", "math": _rows([unknowns])}]}
    rest = [
        {
            "title": section.title,
            "lines": [
                {"label": line.label, "math": _rows(broken(WRITE(line.left), WRITE(line.right)))}
                for line in section.lines
            ],
        }
        for section in shown.sections
    ]
    return [head, *rest]


def derivation(eq: Equations) -> list[dict[str, Any]]:
    """The steps as the paper lays them out, each with its law, its results and the place that it follows."""
    return [_step(step) for step in structured(eq.steps)]


def _step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "locator": step.locator,
        "law": _rows([step.formula]) if step.formula else [],
        "results": [_rows(result(left, value)) for left, value in step.results],
        "note": step.note,
    }


def _rows(latex: Iterable[str]) -> list[str]:
    """Rows `left &= right` of LaTeX, each as one formula."""
    return [mathematics(row.replace("&", " ", 1), block=True) for row in latex]
