"""The answer of `solve`: one instant of a motion, as named numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dalembert.results.release import Release

Numbers = Mapping[str, float]


def in_units(values: Mapping[str, Any], scales: Numbers) -> dict[str, Any]:
    """Numbers or arrays by coordinate, converted from SI to the coordinates' own units."""
    return {name: value / scales[name] if name in scales else value for name, value in values.items()}


def unit_of(name: str, units: Mapping[str, str]) -> str:
    """The unit of a coordinate or of its rates. "" if the model states no unit."""
    bare = name.rstrip("'")
    unit = units.get(bare, "")
    return unit and unit + ("", "/s", "/s^2")[len(name) - len(bare)]


def labelled(name: str, units: Mapping[str, str]) -> str:
    """The name of a coordinate or rate, with its unit in brackets if the model states one."""
    unit = unit_of(name, units)
    return f"{name} [{unit}]" if unit else name


@dataclass(frozen=True, slots=True, repr=False)
class State:
    """Accelerations, multipliers and reactions at one state.

    The multiplier of a constraint with residual f is λ in M q̈ − Q = … + λ ∂f/∂q̇. Its reaction is the row λ ∂f/∂q̇.
    """

    method: str  # id of the method of derivation
    time: float  # t of the initial state
    coordinates: Numbers  # by name, in SI
    speeds: Numbers  # q' by coordinate
    accelerations: Numbers  # q'' by coordinate
    multipliers: Numbers  # λ by constraint or contact
    reactions: Mapping[str, Numbers]  # generalized forces, by constraint and then by coordinate
    energy: Numbers  # kinetic, potential, total
    degrees_of_freedom: int
    corrections: tuple[Mapping[str, Any], ...] = ()  # quantity, given, used
    notes: tuple[str, ...] = ()  # sentences about the answer
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)  # of the coordinates, as the model states them
    scales: Numbers = field(default_factory=dict)  # size of a coordinate's unit in SI, if it is not one
    outputs: Numbers = field(default_factory=dict)  # a vector is NAME.x, NAME.y, NAME.z
    states: Numbers = field(default_factory=dict)  # first-order states
    inputs: Numbers = field(default_factory=dict)  # data and values held by controllers
    modes: Mapping[str, str] = field(default_factory=dict)  # contacts: open, closed; frictions: off, stick, slip
    released: Release | None = None  # how the reactions asked for were found
    description: str = ""  # of contacts and frictions: segmented or whole-course; "" if there are none

    def in_units(self) -> State:
        """The state with coordinates, speeds and accelerations in the model's units. The fields here are in SI."""
        q, v, a = (in_units(values, self.scales) for values in (self.coordinates, self.speeds, self.accelerations))
        return replace(self, coordinates=q, speeds=v, accelerations=a, scales={})

    def to_dict(self) -> dict[str, Any]:
        """The answer of `solve --json`."""
        return {
            "method": self.method,
            **({"description": self.description} if self.description else {}),
            "time": self.time,
            "coordinates": in_units(self.coordinates, self.scales),
            "speeds": in_units(self.speeds, self.scales),
            "accelerations": in_units(self.accelerations, self.scales),
            **({"units": dict(self.units)} if self.units else {}),
            "multipliers": dict(self.multipliers),
            "reactions": {name: dict(row) for name, row in self.reactions.items()},
            **({"outputs": dict(self.outputs)} if self.outputs else {}),
            **({"states": dict(self.states)} if self.states else {}),
            **({"inputs": dict(self.inputs)} if self.inputs else {}),
            **({"modes": dict(self.modes)} if self.modes else {}),
            **({} if self.released is None else {"released": self.released.to_dict()}),
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
