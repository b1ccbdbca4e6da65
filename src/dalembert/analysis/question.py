"""What is asked of a part of `analyze`, and how long it may think."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from dalembert.model.record import Model


@dataclass(slots=True)
class Limit:
    """Seconds from now on. Loops that could run away ask `over` at every turn and then say what they left out."""

    seconds: float
    began: float = field(default_factory=monotonic)

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - (monotonic() - self.began))

    @property
    def over(self) -> bool:
        return self.left == 0.0

    def part(self, share: float) -> Limit:
        """A limit of its own for a step: `share` of what is left."""
        return Limit(share * self.left)


@dataclass(frozen=True, slots=True)
class Question:
    """The model, the time, and what only some parts read."""

    record: Model
    limit: Limit
    inputs: tuple[str, ...] = ()  # constraints: directions that can be driven
    checks: tuple[str, ...] = ()  # conserved: expressions to be tested
    until: float | None = None  # the end of motions that are looked at
    basis: tuple[str, ...] = ()  # conserved: further quantities for the search
    quadratic: bool = False  # conserved: products of two speeds are searched, too
