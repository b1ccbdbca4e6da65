"""The question to a part of `analyze`, and the time that it may take."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.model.record import ModelRecord
from dalembert.processes import computed


@dataclass(slots=True)
class Limit:
    """A limit of computing time, from now on. A loop that could take long checks `over` and then says what it left out.

    A busy machine computes for as many seconds as an idle one, so that the answers do not depend on other work.
    """

    seconds: float
    began: float = field(default_factory=computed)

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - (computed() - self.began))

    @property
    def over(self) -> bool:
        return self.left == 0.0

    def part(self, share: float) -> Limit:
        """A limit for one step: this share of the time that is left."""
        return Limit(share * self.left)


@dataclass(frozen=True, slots=True)
class Question:
    """The model, the limit of time, and options that only some parts use."""

    record: ModelRecord
    limit: Limit
    inputs: tuple[str, ...] = ()  # for constraints: directions that can be driven
    checks: tuple[str, ...] = ()  # for conserved: expressions to test
    until: float | None = None  # end of the motions that the analysis follows
    basis: tuple[str, ...] = ()  # for conserved: further quantities for the search
    quadratic: bool = False  # for conserved: search products of two speeds too
