"""What a part of an analysis says, as blocks that a terminal and a page lay out each in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from dalembert.results.text.layout import table


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula, written for a terminal and for a page; `label` says what it is."""

    text: str
    latex: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the first column holds names, the others numbers or words."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Sentence | Heading | Formula | Grid


def text_lines(blocks: Iterable[Block]) -> list[str]:
    """Blocks for a terminal; formulas that follow each other stand under each other."""
    blocks = list(blocks)
    width = max((len(b.label) for b in blocks if isinstance(b, Formula)), default=0)
    lines: list[str] = []
    for block in blocks:
        match block:
            case Sentence(text):
                lines.append(text)
            case Heading(text):
                lines += ["", text]
            case Formula(text, _, label):
                lines.append(f"  {label.ljust(width)}   {text}" if width else f"  {text}")
            case Grid(head, rows):
                lines += table(head, rows)
    return lines


def html_lines(blocks: Iterable[Block]) -> list[str]:
    """Blocks for a page; formulas as MathML, which browsers show without a library."""
    from latex2mathml.converter import convert

    lines: list[str] = []
    for block in blocks:
        match block:
            case Sentence(text):
                lines.append(f"<p>{escape(text)}</p>")
            case Heading(text):
                lines.append(f"<h3>{escape(text)}</h3>")
            case Formula(_, latex, label):
                said = f"<span class='label'>{escape(label)}</span>" if label else ""
                lines.append(f"<div class='line'>{said}{convert(latex)}</div>")
            case Grid(head, rows):
                cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
                body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
                lines.append(
                    f"<div class='line'><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
                )
    return lines
