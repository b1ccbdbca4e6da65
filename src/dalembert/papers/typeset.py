"""The formulas of a line as rows of LaTeX for `align*`: equations, lists of expressions, and matrices."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.mechanics.readable import readable
from dalembert.report.dialects import Latex
from dalembert.report.latex import broken, escaped, wrapped

WRITE = Latex()


@dataclass(frozen=True, slots=True)
class Typeset:
    """One formula: its entries in rows of `columns`, or as `pairs` of left and right sides, or one below the other."""

    parsed: Callable[[str], Any]
    lettered: Callable[[Any], Any]
    columns: int = 0
    pairs: bool = False

    def of_text(self, text: str) -> list[str]:
        """The printed form, in the order in which the dialect writes it."""
        parts = [part.rpartition("=") for part in text.split(";")]
        return self._rows([left for left, _, _ in parts], [WRITE(self.parsed(right)) for _, _, right in parts])

    def __call__(self, lefts: Sequence[str], values: Sequence[Any]) -> list[str]:
        """The computed form, with the left sides of the printed one."""
        return self._rows(lefts, [WRITE(readable(self.lettered(value))) for value in values])

    def _rows(self, lefts: Sequence[str], entries: Sequence[str]) -> list[str]:
        if self.columns:
            rows = [" & ".join(entries[i : i + self.columns]) for i in range(0, len(entries), self.columns)]
            return [r"& \begin{pmatrix} " + r" \\ ".join(rows) + r" \end{pmatrix}"]
        if self.pairs:
            both = zip(entries[::2], entries[1::2], strict=True)
            return [row for left, right in both for row in broken(left, right)]
        found: list[str] = []
        for i, entry in enumerate(entries):
            left = self._left(lefts[i].strip()) if i < len(lefts) else ""
            found += broken(left, entry) if left else [f"& {piece}" for piece in wrapped(entry)]
        return found

    def _left(self, name: str) -> str:
        """A left side: the name of a quantity, or other letters of the paper such as T*."""
        if prime := re.fullmatch(r"(\w)_(\w)′(\w*)", name):
            return f"{prime[1]}_{{{prime[2]}'{prime[3]}}}"
        if re.fullmatch(r"[A-Za-z]+\d*(_dd?)?", name):
            return WRITE(self.parsed(name))
        inside = escaped(re.sub(r"(omega|pi|phi|theta)(?=_)", lambda m: _GREEK[m[1]], name))
        return inside.strip("$") if inside.count("$") == 2 and inside[0] == inside[-1] == "$" else name


_GREEK = {"omega": "ω", "pi": "π", "phi": "φ", "theta": "θ"}
