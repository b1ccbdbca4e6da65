"""What `analyze` says of steady motions: whether the initial state is one, else the nearest, and what happens near."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.results.blocks import Block, Grid, Sentence
from dalembert.results.linearization import Linearization
from dalembert.results.text import number


@dataclass(frozen=True, slots=True)
class Stability:
    """`near` is linearized about a steady motion: the initial state, or else the nearest one found."""

    near: Linearization | None
    initial: bool  # whether the initial state itself moves steadily
    reason: str = ""  # why there is nothing to say
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = "Steady motions and stability"
    source: ClassVar[str] = "Exact derivatives on the constraints, eliminated after differentiating; docs/linearize.md."

    def blocks(self) -> Iterable[Block]:
        if self.near is None:
            yield Sentence(self.reason)
            return
        if not self.near.states:
            yield Sentence("Nothing is free to move, so that nothing can be disturbed.")
            return
        near, moves = self.near, any(self.near.speeds.values())
        what = "a steady motion" if moves else "an equilibrium"
        if self.initial:
            yield Sentence(f"The initial state is {what}, {near.stability}: {near.verdict}.")
        else:
            yield Sentence(f"The initial state is no steady motion; the nearest is {what}, {near.stability}:")
            rows = [(name, number(near.coordinates[name]), number(near.speeds[name])) for name in near.coordinates]
            yield Grid(("", "q", "q'"), tuple(rows))
            yield Sentence(f"{near.verdict[0].upper()}{near.verdict[1:]}.")
        lines = near.spectrum_lines()
        if lines:
            yield Grid(("eigenvalues", "growth rate", "frequency [rad/s]", "period [s]"), tuple(map(tuple, lines)))

    def to_dict(self) -> dict[str, Any]:
        near = None if self.near is None else self.near.to_dict()
        return {"initial": self.initial, "near": near, **({"reason": self.reason} if self.reason else {})}
