"""What `analyze` says of models of constraint: where Chetaev's and the vakonomic motion coincide, and how they part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.results.blocks import Block, Grid, Heading, Sentence

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Parting:
    """How far a vakonomic motion with these λ₀ gets from Chetaev's: the largest |Δq| at some times."""

    multipliers: Numbers
    distances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Models:
    """`always`: in every state, for every λ₀. Else `fitting` are λ₀ that fit this motion, free along `directions`."""

    always: bool
    fitting: Numbers | None
    directions: tuple[Numbers, ...]
    times: tuple[float, ...]
    partings: tuple[Parting, ...]
    reason: str = ""  # why there is nothing to compare
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = "Models of constraint"
    source: ClassVar[str] = (
        "Wang and Gao (11), (12); a vakonomic motion is Chetaev's iff Σ λ Cᵀ(∂f/∂q − d/dt ∂f/∂q') = 0 along it; "
        "docs/analysis.md."
    )

    def blocks(self) -> Iterable[Block]:
        if self.reason:
            yield Sentence(self.reason)
            return
        yield Sentence(self._verdict())
        if self.partings:
            yield Heading("Largest difference of a coordinate, vakonomic from Chetaev's")
            head = ("t", *(f"λ₀ = {_named(parting.multipliers)}" for parting in self.partings))
            rows = [
                (f"{t:.4g}", *(f"{parting.distances[i]:.3g}" for parting in self.partings))
                for i, t in enumerate(self.times)
            ]
            yield Grid(head, tuple(rows))

    def _verdict(self) -> str:
        if self.always:
            return "Chetaev's and the vakonomic motion coincide in every state and for every λ₀."
        if self.fitting is None:
            return "From this state Chetaev's and the vakonomic motion coincide for no λ₀."
        free = f", plus any multiple of {' and of '.join(map(_named, self.directions))}" if self.directions else ""
        return f"From this state Chetaev's and the vakonomic motion coincide for λ₀ = {_named(self.fitting)}{free}."

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
                {"multipliers": dict(parting.multipliers), "largest": list(parting.distances)}
                for parting in self.partings
            ],
        }


def _named(numbers: Numbers) -> str:
    if not np.any([*numbers.values()]):
        return "0"
    return "(" + ", ".join(f"{name}: {value + 0.0:.6g}" for name, value in numbers.items()) + ")"
