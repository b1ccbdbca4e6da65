"""Text in columns of a terminal, where a Chinese character takes two places and others one."""

from __future__ import annotations

from textwrap import wrap
from unicodedata import east_asian_width

WIDE = "WF"


def width(text: str) -> int:
    """The places that a text takes."""
    return len(text) + sum(east_asian_width(c) in WIDE for c in text)


def left(text: str, places: int) -> str:
    """The text, filled with spaces on its right."""
    return text + " " * (places - width(text))


def right(text: str, places: int) -> str:
    """The text, filled with spaces on its left."""
    return " " * (places - width(text)) + text


def lines(text: str, places: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of at most `places` places, broken between words and between any two Chinese characters."""
    if width(text) == len(text):
        return wrap(text, places, initial_indent=first, subsequent_indent=rest)
    found, line = [], first
    for piece in _pieces(text):
        if width(line + piece.rstrip()) > places and line.strip():
            found.append(line.rstrip())
            line, piece = rest, piece.lstrip()
        line += piece
    return [*found, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """The unbreakable pieces: words with the space after them, and Chinese characters with the marks that follow."""
    found = [""]
    for c in text:
        wide = east_asian_width(c) in WIDE
        last = found[-1][-1:]
        closing = c in "，。；：、）》”！？" or c in ",.;:)!?"
        if not closing and (wide or last == " " or (last and east_asian_width(last) in WIDE)):
            found.append("")
        found[-1] += c
    return [piece for piece in found if piece]
