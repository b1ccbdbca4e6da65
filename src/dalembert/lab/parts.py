"""An analysis for the page: its parts as blocks, texts as text and formulas as MathML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.language import tr
from dalembert.report.mathml import mathematics
from dalembert.results.analysis import Analysis
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence


def shown(analysis: Analysis) -> dict[str, Any]:
    return {
        "title": analysis.title,
        "parts": [
            {
                "title": tr(part.title),
                "source": tr(part.source),
                "notes": list(part.notes),
                "blocks": _blocks(part.blocks()),
            }
            for part in analysis.parts.values()
        ],
    }


def _blocks(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for block in blocks:
        match block:
            case Sentence(text):
                found.append({"kind": "sentence", "text": text})
            case Heading(text):
                found.append({"kind": "heading", "text": text})
            case Formula(_, latex, label):
                found.append({"kind": "formula", "label": label, "math": [mathematics(latex, block=True)]})
            case Grid(head, rows):
                found.append({"kind": "grid", "head": list(head), "rows": [list(row) for row in rows]})
    return found
