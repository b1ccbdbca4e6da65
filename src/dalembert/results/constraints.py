"""The part `constraints` of `analyze`: ranks, redundancy, integrability, growth, reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.language import mark
from dalembert.results.part import Shown

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


@dataclass(frozen=True, slots=True)
class Row:
    """One constraint. `integrable`: within the whole distribution. `alone`: together with the holonomic ones only."""

    name: str
    kind: str
    redundant: bool  # in general
    redundant_here: bool
    integrable: bool | None  # None: Frobenius does not apply, or it was not decided
    alone: bool | None


@dataclass(frozen=True, slots=True)
class Relation:
    """A row that follows from other rows or contradicts them: name = text. `here`: at this state only."""

    name: str
    text: str
    latex: str
    here: bool
    contradiction: bool = False


@dataclass(frozen=True, slots=True)
class Integral:
    """A function of coordinates (and time) that the constraints keep, and its value at the initial state."""

    text: str  # in the model language
    shown: str
    latex: str
    value: float


@dataclass(frozen=True, slots=True)
class Reach:
    """The reach of given directions: dimensions of the flag at this state and in general, out of `room`."""

    directions: tuple[str, ...]
    here: tuple[int, ...]
    generic: tuple[int, ...]
    room: int
    complete: bool

    @property
    def everything(self) -> bool:
        return self.here[-1] == self.room

    def to_dict(self) -> dict[str, Any]:
        return {
            "directions": list(self.directions),
            "growth": {"here": list(self.here), "generic": list(self.generic)},
            "dimension": self.here[-1],
            "of": self.room,
            "everything": self.everything,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Constraints(Shown):
    """The answer of this part. `flag` is empty if there are no constraints."""

    coordinates: int  # number of coordinates
    rank: int  # of the constraints at the initial state
    generic_rank: int  # at random states
    rows: tuple[Row, ...]  # one for each constraint
    relations: tuple[Relation, ...]  # of dependent and contradictory rows
    extended: bool  # the space is (t, q), since time occurs
    holonomic: bool | None  # the whole distribution is integrable
    integrals: tuple[Integral, ...]  # besides the holonomic constraints of the model
    further: int  # number of integrals that exist but have no closed form here
    combinations: tuple[str, ...]  # integrable combinations of constraints that are not integrable by themselves
    flag: tuple[int, ...]  # dim D⁽⁰⁾, D⁽¹⁾, …
    reach: Reach | None  # growth vector and dimension of the reachable set
    chosen: Reach | None  # with the inputs of the call
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = mark("Constraints")
    source: ClassVar[str] = mark(
        "Frobenius; derived flag of the Pfaffian system (Bryant and others, Exterior "
        "Differential Systems, II); Chow and Rashevskii, Sussmann's orbit theorem; "
        "docs/analysis.md."
    )

    @property
    def degrees_of_freedom(self) -> int:
        return self.coordinates - self.rank

    @property
    def contradictory(self) -> tuple[str, ...]:
        return tuple(relation.name for relation in self.relations if relation.contradiction)

    @property
    def curved(self) -> bool:
        """Whether a row is nonlinear in the speeds. Motions may then be one-way."""
        return any(row.kind == "nonlinear" for row in self.rows)

    @property
    def space(self) -> str:
        return mark("time and coordinates") if self.extended else mark("coordinates")

    @property
    def degree_of_nonholonomy(self) -> int | None:
        """The length of the growth vector at this state."""
        return None if self.reach is None else len(self.reach.here)

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.constraints import constraints_blocks

        return constraints_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "degrees_of_freedom": self.degrees_of_freedom,
            "rank": {"here": self.rank, "generic": self.generic_rank},
            "constraints": {
                r.name: {
                    "kind": r.kind,
                    "integrable": r.integrable,
                    "integrable_alone": r.alone,
                    "redundant": r.redundant,
                    "redundant_here": r.redundant_here,
                }
                for r in self.rows
            },
            "relations": [
                {"constraint": r.name, "text": r.text, "here": r.here, "contradiction": r.contradiction}
                for r in self.relations
            ],
            "space": "(t, q)" if self.extended else "q",
            "holonomic": self.holonomic,
            "integrals": [{"text": i.text, "value": i.value} for i in self.integrals],
            "further_integrals": self.further,
            "integrable_combinations": list(self.combinations),
            "derived_flag": list(self.flag),
            "growth_vector": None
            if self.reach is None
            else {"here": list(self.reach.here), "generic": list(self.reach.generic)},
            "degree_of_nonholonomy": self.degree_of_nonholonomy,
            "reach": None if self.reach is None else self.reach.to_dict(),
            "chosen_inputs": None if self.chosen is None else self.chosen.to_dict(),
            "remarks": list(self.remarks),
        }
