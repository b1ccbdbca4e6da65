"""The part `stability` of `analyze`: the initial state if it is steady, else the nearest steady motion, linearized."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.language import mark
from dalembert.results.linearization import Linearization
from dalembert.results.part import Shown

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


@dataclass(frozen=True, slots=True, repr=False)
class Stability(Shown):
    """`near` is the linearization about the steady motion, or None if there is none; `reason` then says why."""

    near: Linearization | None
    initial: bool  # whether the initial state itself moves steadily
    reason: str = ""  # why there is no answer
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = mark("Steady motions and stability")
    source: ClassVar[str] = mark(
        "Exact derivatives on the constraints, eliminated after differentiating; docs/linearize.md."
    )

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.stability import stability_blocks

        return stability_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        near = None if self.near is None else self.near.to_dict()
        return {"initial": self.initial, "near": near, **({"reason": self.reason} if self.reason else {})}
