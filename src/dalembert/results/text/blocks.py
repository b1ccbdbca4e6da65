"""Blocks: sentences, headings, formulas and tables, from which text and HTML are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from dalembert import columns
from dalembert.results.text.layout import table


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula, as text and as LaTeX. `label` says what it is."""

    text: str
    latex: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. The first column has names, the others have numbers or words."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Sentence | Heading | Formula | Grid


def text_lines(blocks: Iterable[Block]) -> list[str]:
    """Blocks as lines of text. All formulas are aligned."""
    blocks = list(blocks)
    width = max((columns.width(b.label) for b in blocks if isinstance(b, Formula)), default=0)
    lines: list[str] = []
    for block in blocks:
        match block:
            case Sentence(text):
                lines.append(text)
            case Heading(text):
                lines += ["", text]
            case Formula(text, _, label):
                lines.append(f"  {columns.left(label, width)}   {text}" if width else f"  {text}")
            case Grid(head, rows):
                lines += table(head, rows)
    return lines


def html_lines(blocks: Iterable[Block]) -> list[str]:
    """Blocks as HTML. Formulas are MathML, which browsers show without a library."""
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
                words = [any(map(_is_word, column)) for column in zip(*rows, strict=True)]
                body = "".join(f"<tr>{_cells('td', row, words)}</tr>" for row in rows)
                top = f"<thead><tr>{_cells('th', head, words)}</tr></thead>"
                lines.append(f"<div class='line'><table>{top}<tbody>{body}</tbody></table></div>")
    return lines


def _cells(tag: str, row: Iterable[str], words: Iterable[bool]) -> str:
    """The cells of a row. Columns of words are marked, so that a style can align them to the left."""
    marks = (" class='words'" if word else "" for word in words)
    return "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for cell, mark in zip(row, marks, strict=False))


def _is_word(cell: str) -> bool:
    return cell not in ("", "–", "0") and not any(letter.isdigit() for letter in cell[:2])
