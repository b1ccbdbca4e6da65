"""Equations and derivations for the page: titles and notes as text, formulas as MathML, nothing else."""

from __future__ import annotations

from typing import Any

from dalembert.equations import Equations, Step
from dalembert.report.content import content, structured
from dalembert.report.dialects import Latex
from dalembert.report.simplify import readable

WRITE = Latex()


def mathematics(latex: str) -> str:
    from latex2mathml.converter import convert

    return convert(latex, display="block")


def equations(eq: Equations) -> list[dict[str, Any]]:
    """The sections of the equations of motion, each with its lines."""
    shown = content(eq)
    unknowns = ",\\ ".join(WRITE(symbol) for symbol in shown.unknowns)
    head = {"title": "Solved for", "lines": [{"label": "", "math": mathematics(unknowns)}]}
    rest = [
        {
            "title": section.title,
            "lines": [
                {"label": line.label, "math": mathematics(f"{WRITE(line.left)} = {WRITE(line.right)}")}
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
        "law": mathematics(step.formula) if step.formula else "",
        "results": [mathematics(f"{left} = {_value(value)}") for left, value in step.results],
        "note": step.note,
    }


def _value(value: Any) -> str:
    if not isinstance(value, tuple):
        return WRITE(readable(value))
    rows = value if value and isinstance(value[0], tuple) else (value,)
    inner = r" \\ ".join(" & ".join(WRITE(readable(e)) for e in row) for row in rows)
    return rf"\begin{{pmatrix}} {inner} \end{{pmatrix}}"
