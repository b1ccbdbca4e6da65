"""Numbers and tables as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert import columns
from dalembert.language import tr


def number(value: float) -> str:
    return f"{value + 0.0:.10g}"  # + 0.0: no minus before a zero


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows under a head, the first column to the left and numbers to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(columns.width(line[i]) for line in lines) for i in range(len(head))]
    out = []
    for line in lines:
        cells = [
            columns.left(line[0], widths[0]),
            *(columns.right(cell, width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        out.append("  " + "   ".join(cells).rstrip())
    return out


def noted(notes: Iterable[str]) -> list[str]:
    return [tr("note: {note}", note=note) for note in notes]
