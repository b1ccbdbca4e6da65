"""How requested reactions were found: the released and the absorbed constraints, and the size of Sun's matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.language import tr


@dataclass(frozen=True, slots=True)
class Release:
    constraints: tuple[str, ...]
    absorbed: tuple[str, ...]
    size: int  # rows of the normalizing factor [B]; 0 if the reactions were found with those of all constraints
    whole: int  # its rows if all constraints are released

    def to_dict(self) -> dict[str, Any]:
        return {
            "constraints": list(self.constraints),
            "absorbed": list(self.absorbed),
            "size": self.size,
            "whole": self.whole,
        }

    def __str__(self) -> str:
        names = ", ".join(self.constraints)
        if not self.size:
            return tr(
                "{names}: these cannot be released alone in this state; all constraints were solved for together",
                names=names,
            )
        if not self.absorbed:
            return tr("[B] is {size}×{size}; released: {names}; absorbed: none", size=self.size, names=names)
        return tr(
            "[B] is {size}×{size}, with all constraints {whole}×{whole}; released: {names}; absorbed: {absorbed}",
            size=self.size,
            whole=self.whole,
            names=names,
            absorbed=", ".join(self.absorbed),
        )
