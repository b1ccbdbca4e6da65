"""The part `models` of `analyze`: whether Chetaev's and the vakonomic motion coincide, and how far they diverge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.language import mark
from dalembert.results.part import Shown

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ModelParting:
    """The distance of a vakonomic motion with these λ₀ from Chetaev's: the largest |Δq| at some times."""

    multipliers: Numbers
    distances: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Models(Shown):
    """`always`: they coincide in every state, for every λ₀. Otherwise `fitting` plus any combination of `directions`
    are λ₀ for which they coincide.
    """

    always: bool
    fitting: Numbers | None
    directions: tuple[Numbers, ...]
    times: tuple[float, ...]  # at which the motions were compared
    partings: tuple[ModelParting, ...]  # distances of the motions, for several λ₀
    reason: str = ""  # why there is nothing to compare
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = mark("Models of constraint")
    source: ClassVar[str] = mark(
        "Wang and Gao (11), (12); a vakonomic motion is Chetaev's iff Σ λ Cᵀ(∂f/∂q − d/dt "
        "∂f/∂q') = 0 along it; docs/analysis.md."
    )

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.models import models_blocks

        return models_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "coincide": "nothing to compare"
            if self.reason
            else "always"
            if self.always
            else "never"
            if self.fitting is None
            else "for some multipliers",
            "reason": self.reason,
            "multipliers": None if self.fitting is None else dict(self.fitting),
            "free_directions": [dict(direction) for direction in self.directions],
            "times": list(self.times),
            "differences": [
                {
                    "multipliers": dict(parting.multipliers),
                    "largest": [None if isnan(d) else d for d in parting.distances],
                }
                for parting in self.partings
            ],
        }
