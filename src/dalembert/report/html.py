"""Equations and derivations as one HTML page with MathML: no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from dalembert.equations import Equations
from dalembert.report.content import content, structured
from dalembert.report.dialects import Latex
from dalembert.report.simplify import readable

WRITE = Latex()
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid #ddd; }
.line { overflow-x: auto; margin: .6rem 0; } .label { color: #667; font-size: .85rem; margin-right: 1rem; }
.locator { float: right; color: #667; font-weight: normal; } .law { background: #f6f6f9; padding: .3rem .8rem; }
"""


def _mathematics(latex: str) -> str:
    from latex2mathml.converter import convert

    return convert(latex, display="block")


def page(eq: Equations, title: str, steps: bool = False) -> str:
    name = escape(title or "Equations of motion")
    body = [f"<h1>{name}</h1>", f"<p>Method {escape(eq.method)}</p>", *(_steps(eq) if steps else _equations(eq))]
    body += [f"<p class='note'>Note: {escape(note)}</p>" for note in eq.notes]
    head = f"<meta charset='utf-8'><title>{name}</title><style>{STYLE}</style>"
    return "\n".join(["<!doctype html>", f"<html lang='en'><head>{head}</head><body>", *body, "</body></html>"])


def _equations(eq: Equations) -> Iterable[str]:
    shown = content(eq)
    yield _line("", "\\ ".join(f"{WRITE(symbol)}," for symbol in shown.unknowns).rstrip(","), "solved for")
    for section in shown.sections:
        yield f"<h2>{escape(section.title)}</h2>"
        for line in section.lines:
            yield _line("", f"{WRITE(line.left)} = {WRITE(line.right)}", line.label)


def _steps(eq: Equations) -> Iterable[str]:
    for i, step in enumerate(structured(eq.steps), 1):
        yield f"<h2>{i}. {escape(step.title)}<span class='locator'>{escape(step.locator)}</span></h2>"
        if step.formula:
            yield _line("law", step.formula)
        for left, value in step.results:
            yield _line("", f"{left} = {_value(value)}")
        if step.note:
            yield f"<p>{escape(step.note)}</p>"


def _value(value: Any) -> str:
    if not isinstance(value, tuple):
        return WRITE(readable(value))
    rows = value if value and isinstance(value[0], tuple) else (value,)
    inner = r" \\ ".join(" & ".join(WRITE(readable(e)) for e in row) for row in rows)
    return rf"\begin{{pmatrix}} {inner} \end{{pmatrix}}"


def _line(kind: str, latex: str, label: str = "") -> str:
    head = f"<span class='label'>{escape(label)}</span>" if label else ""
    return f"<div class='line {kind}'>{head}{_mathematics(latex)}</div>"
