"""What `analyze` says of free motion: from which states the constraints hold without any force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.results.blocks import Block, Formula, Sentence


@dataclass(frozen=True, slots=True)
class Condition:
    """Φ = 0 as a state must keep it, with Φ's value at the initial state."""

    text: str
    latex: str
    value: float


@dataclass(frozen=True, slots=True)
class Free:
    """`conditions` on the state from which the motion needs no constraint force; `reason` where there is none."""

    here: bool
    always: bool
    conditions: tuple[Condition, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = "Free motion"
    source: ClassVar[str] = "Wang and Gao (13)–(17), with the whole chain of conditions; docs/analysis.md."

    def blocks(self) -> Iterable[Block]:
        if self.reason:
            yield Sentence(f"No motion near this one is free: {self.reason}.")
        elif self.always:
            yield Sentence("Every motion that keeps the constraints is free: they need no force.")
        else:
            yield Sentence(f"The motion from this state is {'' if self.here else 'not '}free. A free one needs:")
            for c in self.conditions:
                yield Formula(f"{c.text} = 0", f"{c.latex} = 0", f"here {c.value:.6g}")

    def to_dict(self) -> dict[str, Any]:
        return {
            "here": self.here,
            "always": self.always,
            "possible": not self.reason,
            "reason": self.reason,
            "conditions": [{"residual": c.text, "value": c.value} for c in self.conditions],
        }
