"""The part `free` of `analyze`: states from which the constraints need no force, and the forces they need elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.language import mark
from dalembert.results.part import Shown

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


@dataclass(frozen=True, slots=True)
class Condition:
    """A function of the state that must vanish."""

    text: str  # in the model language
    shown: str
    latex: str


@dataclass(frozen=True, slots=True)
class Component:
    """A family of states on which all `conditions` hold. The motion without constraint forces stays in it."""

    conditions: tuple[Condition, ...]
    dimension: int | None  # in the space of coordinates and speeds (and time, if it matters)


@dataclass(frozen=True, slots=True)
class ControlForce:
    """The control force of one constraint along a motion."""

    name: str
    largest: float  # max |Q^c|
    effort: float  # ∫ |Q^c|² dt
    work: float  # ∫ Q^c·q̇ dt
    power: float  # max |Q^c·q̇|


@dataclass(frozen=True, slots=True, repr=False)
class Effort:
    """The forces that a controller would need in place of the constraints, along a motion."""

    start: float  # first time
    end: float  # last time
    method: str
    forces: tuple[ControlForce, ...]  # one for each constraint

    def __repr__(self) -> str:
        return f"<Effort by {self.method}: {', '.join(force.name for force in self.forces)}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import effort_html

        return effort_html(self)


@dataclass(frozen=True, slots=True, repr=False)
class Free(Shown):
    """`components` make up the set of all free states. If it was not computed, `states` has some of its members."""

    here: bool  # the motion from the initial state is free
    always: bool  # every motion is free
    components: tuple[Component, ...]  # families of free states
    first: tuple[Condition, ...]  # Φ₁ on the constraints
    chain: tuple[float, ...]  # the largest of Φ₀, Φ₁, … at the initial state
    states: tuple[Mapping[str, float], ...] | None = None  # members of the set that were found by Newton's method
    tried: int = 0  # starts of Newton's method
    unseen: int = 0  # components in which no real state was found
    effort: Effort | None = None  # constraint forces along the motion from the initial state
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = mark("Free motion")
    source: ClassVar[str] = mark("Wang and Gao (13)–(17), with the whole chain of conditions; docs/analysis.md.")

    @property
    def possible(self) -> bool | None:
        """Whether a free motion exists. None if it is not known."""
        if self.here or self.always or self.components or self.states:
            return True
        return False if self.states is None and not self.unseen else None

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.free import free_blocks

        return free_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "here": self.here,
            "always": self.always,
            "possible": self.possible,
            "components": [
                {"conditions": [c.text for c in part.conditions], "dimension": part.dimension}
                for part in self.components
            ],
            "first_condition": [c.text for c in self.first],
            "chain": list(self.chain),
            "states": None if self.states is None else [dict(state) for state in self.states],
            "control": None
            if self.effort is None
            else {
                "start": self.effort.start,
                "end": self.effort.end,
                "method": self.effort.method,
                "constraints": {
                    f.name: {"largest": f.largest, "effort": f.effort, "work": f.work, "largest_power": f.power}
                    for f in self.effort.forces
                },
            },
        }
