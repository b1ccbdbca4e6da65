"""Identifiers for other languages: letters, digits and underscores, each used once."""

from __future__ import annotations

import re
from collections.abc import Iterable


def identifier(text: str, otherwise: str = "model") -> str:
    """The text with underscores for all other characters; `otherwise` is put before a leading digit."""
    found = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or otherwise
    return f"{otherwise}_{found}" if found[0].isdigit() else found


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for every name, all of them different."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        made = base = name if re.fullmatch(r"[A-Za-z0-9_]+", name) else identifier(name, "name")
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
