"""What `analyze` says of free motion: from which states constraints hold without any force, and what forces cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.results.blocks import Block, Formula, Grid, Heading, Sentence


@dataclass(frozen=True, slots=True)
class Condition:
    """A function of the state that must vanish."""

    text: str  # in the model language
    shown: str
    latex: str


@dataclass(frozen=True, slots=True)
class Component:
    """States on which all `conditions` hold; the motion without constraint forces stays among them."""

    conditions: tuple[Condition, ...]
    dimension: int | None  # in the space of coordinates and speeds (and time, where that matters)


@dataclass(frozen=True, slots=True)
class Force:
    """The control force of one constraint along a motion."""

    name: str
    largest: float  # max |Q^c|
    effort: float  # ∫ |Q^c|² dt
    work: float  # ∫ Q^c·q̇ dt
    power: float  # max |Q^c·q̇|


@dataclass(frozen=True, slots=True)
class Effort:
    """What a controller would have to supply in place of the constraints, along the motion from the initial state."""

    start: float
    end: float
    method: str
    forces: tuple[Force, ...]


@dataclass(frozen=True, slots=True)
class Free:
    """`components` are the set of all states that begin a free motion; where it was not worked out, `states` of it."""

    here: bool
    always: bool
    components: tuple[Component, ...]
    first: tuple[Condition, ...]  # Φ₁ on the constraints
    chain: tuple[float, ...]  # the largest of Φ₀, Φ₁, … at the initial state
    states: tuple[Mapping[str, float], ...] | None = None
    tried: int = 0
    unseen: int = 0  # components in which no real state was found
    effort: Effort | None = None
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = "Free motion"
    source: ClassVar[str] = "Wang and Gao (13)–(17), with the whole chain of conditions; docs/analysis.md."

    @property
    def possible(self) -> bool | None:
        """Whether any state begins a free motion; None where that is not known."""
        if self.here or self.always or self.components or self.states:
            return True
        return False if self.states is None and not self.unseen else None

    def blocks(self) -> Iterable[Block]:
        if not self.chain and self.always:
            yield Sentence("There are no constraints: every motion is free.")
            return
        yield Sentence(self._verdict())
        for i, component in enumerate(self.components if not self.always else (), 1):
            if len(self.components) > 1:
                yield Heading(f"{i}. {_dimension(component)}")
            for c in component.conditions:
                yield Formula(f"{c.shown} = 0", f"{c.latex} = 0")
        if self.states:
            names = tuple(self.states[0])
            columns = tuple((name, *(_short(state[name]) for state in self.states)) for name in names)
            yield Grid(("free states", *("" for _ in self.states)), columns)
        if not self.here:
            values = ", ".join(map(_short, self.chain))
            yield Sentence(f"The motion from this state is not free: Φ₀, Φ₁, … are {values}.")
        else:
            yield Sentence("The motion from this state is free.")
        if self.effort is not None and self.effort.forces:
            yield Heading(f"Constraint forces as control forces, t = {self.effort.start:g} to {self.effort.end:g}")
            rows = [(f.name, *map(_short, (f.largest, f.effort, f.work, f.power))) for f in self.effort.forces]
            yield Grid(("constraint", "largest |Q|", "effort ∫|Q|² dt", "work ∫Q·q' dt", "largest power"), tuple(rows))

    def _verdict(self) -> str:
        if self.always:
            return "Every motion that keeps the constraints is free: they need no force."
        if self.states is not None:
            if self.states:
                return f"{len(self.states)} states were found from which the constraints need no force."
            return f"No state was found from which the constraints need no force ({self.tried} starts; no proof)."
        if not self.components:
            if self.unseen:
                return "No motion is free, as far as was found: the conditions have solutions, but no real one was met."
            return "No motion is free: the conditions have no state in common (their ideal holds 1)."
        if len(self.components) > 1:
            return (
                f"Free motions start from {len(self.components)} families of states, besides the constraints given by:"
            )
        size = _dimension(self.components[0])
        return f"Free motions start from one family of states ({size}), besides the constraints given by:"

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


def _dimension(component: Component) -> str:
    return "" if component.dimension is None else f"{component.dimension} dimensions"


def _short(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}"
