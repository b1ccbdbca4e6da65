"""What `solve` answers: one instant of a motion, as named numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class State:
    """Accelerations, multipliers and reactions at one state.

    The multiplier of a constraint with residual f is λ in M q̈ − Q = … + λ ∂f/∂q̇; its reaction is the row λ ∂f/∂q̇.
    """

    method: str
    time: float
    coordinates: Numbers
    speeds: Numbers
    accelerations: Numbers
    multipliers: Numbers
    reactions: Mapping[str, Numbers]
    energy: Numbers
    degrees_of_freedom: int
    corrections: tuple[Mapping[str, Any], ...] = ()  # quantity, given, used
    notes: tuple[str, ...] = ()
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, str] = field(default_factory=dict)  # contacts: open, closed; frictions: off, stick, slip

    def to_dict(self) -> dict[str, Any]:
        """The answer of `solve --json`."""
        return {
            "method": self.method,
            "time": self.time,
            "coordinates": dict(self.coordinates),
            "speeds": dict(self.speeds),
            "accelerations": dict(self.accelerations),
            "multipliers": dict(self.multipliers),
            "reactions": {name: dict(row) for name, row in self.reactions.items()},
            **({"modes": dict(self.modes)} if self.modes else {}),
            "energy": dict(self.energy),
            "degrees_of_freedom": self.degrees_of_freedom,
            "corrections": [dict(change) for change in self.corrections],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from dalembert.results.text.motion import state_text

        return state_text(self)

    def __repr__(self) -> str:
        return f"<State by {self.method} at t = {self.time:.6g}: {', '.join(self.coordinates)}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import state_html

        return state_html(self)
