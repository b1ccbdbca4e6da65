"""Identifiers for other languages: letters, digits and underscores, each used once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable


def identifier(text: str, otherwise: str = "model") -> str:
    """The text with an underscore for every other sign; a leading digit gets `otherwise` before it.

    Greek letters are spelt out, as theta, and letters of other scripts are their number, as u8f66.
    """
    spelt = "".join(one if one.isascii() or not one.isalnum() else _spelt(one) for one in text)
    found = re.sub(r"[^A-Za-z0-9_]+", "_", spelt).strip("_") or otherwise
    return f"{otherwise}_{found}" if found[0].isdigit() else found


def _spelt(letter: str) -> str:
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(letter, ""))
    if greek is None:
        return f"u{ord(letter):x}"
    return greek[2].capitalize() if greek[1] == "CAPITAL" else greek[2].lower()


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for every name, all of them different. Names that are identifiers stay."""
    every = dict.fromkeys(names)
    taken = {name for name in every if re.fullmatch(r"[A-Za-z0-9_]+", name)}
    found = {}
    for name in every:
        if name in taken:
            found[name] = name
            continue
        made = base = identifier(name, "name")
        count = 2
        while made in taken:
            made, count = f"{base}_{count}", count + 1
        taken.add(made)
        found[name] = made
    return found


def comment(text: str) -> str:
    """The text in one line that neither ends nor begins a comment."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ? /").rstrip("\\ ")
