"""What `analyze` says of constraints: ranks, redundancy, integrability, growth, reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.results.blocks import Block, Formula, Grid, Heading, Sentence


@dataclass(frozen=True, slots=True)
class Row:
    """One constraint. `integrable`: a combination of integrals of the whole; `alone`: with the holonomic ones only."""

    name: str
    kind: str
    redundant: bool  # in general
    redundant_here: bool
    integrable: bool | None  # None: not a question for Frobenius, or not decided
    alone: bool | None


@dataclass(frozen=True, slots=True)
class Relation:
    """A row that follows from others, or contradicts them: name = the rest; `here` only at this state."""

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
    """Where given directions lead: dimensions of the flag at the state and in general, of `room` in all."""

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


@dataclass(frozen=True, slots=True)
class Constraints:
    """The whole of it. Flags are empty where there is nothing to flag."""

    coordinates: int
    rank: int
    generic_rank: int
    rows: tuple[Row, ...]
    relations: tuple[Relation, ...]
    extended: bool  # looked at in (t, q)
    holonomic: bool | None  # the whole distribution is integrable
    integrals: tuple[Integral, ...]  # beyond the holonomic constraints as they are stated
    further: int  # integrals that exist beyond those shown
    combinations: tuple[str, ...]  # of constraints, integrable though none of them is by itself
    flag: tuple[int, ...]  # dim D⁽⁰⁾, D⁽¹⁾, …
    reach: Reach | None
    chosen: Reach | None  # with the inputs that were asked for
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    title: ClassVar[str] = "Constraints"
    source: ClassVar[str] = (
        "Frobenius; derived flag of the Pfaffian system (Bryant and others, Exterior Differential Systems, II); "
        "Chow and Rashevskii, Sussmann's orbit theorem; docs/analysis.md."
    )

    @property
    def degrees_of_freedom(self) -> int:
        return self.coordinates - self.rank

    @property
    def contradictory(self) -> tuple[str, ...]:
        return tuple(relation.name for relation in self.relations if relation.contradiction)

    @property
    def curved(self) -> bool:
        """Some row is nonlinear in the speeds, so that motions may be one-way."""
        return any(row.kind == "nonlinear" for row in self.rows)

    @property
    def space(self) -> str:
        return "time and coordinates" if self.extended else "coordinates"

    @property
    def degree_of_nonholonomy(self) -> int | None:
        """How many speeds a bracket needs to reach all that can be reached, from here."""
        return None if self.reach is None else len(self.reach.here)

    def blocks(self) -> Iterable[Block]:
        if not self.rows:
            yield Sentence(f"Degrees of freedom: {self.coordinates}. There are no constraints.")
            return
        here = f"{self.rank} at this state"
        rank = here if self.rank == self.generic_rank else f"{here}, {self.generic_rank} in general"
        yield Sentence(
            f"Degrees of freedom: {self.degrees_of_freedom}, of {self.coordinates} coordinates; "
            f"{len(self.rows)} constraint{'s' if len(self.rows) > 1 else ''} of rank {rank}."
        )
        words = {True: "yes", False: "no", None: "–"}
        yield Grid(
            ("constraint", "kind", "integrable in the whole", "alone", "redundant"),
            tuple((r.name, r.kind, words[r.integrable], words[r.alone], self._redundant(r)) for r in self.rows),
        )
        for relation in self.relations:
            what = "contradiction" if relation.contradiction else "follows"
            yield Formula(relation.text, relation.latex, what + (" here" if relation.here else ""))
        if self.contradictory:
            yield Sentence(
                f"No speeds satisfy all constraints: {', '.join(self.contradictory)} contradict"
                f"{'s' if len(self.contradictory) == 1 else ''} the others, and what follows leaves them out."
            )
        yield Heading("Integrability")
        yield Sentence(self._integrability())
        for integral in self.integrals:
            yield Formula(
                f"{integral.shown} = {integral.value:.9g}", f"{integral.latex} = {integral.value:.9g}", "kept"
            )
        if self.reach is not None:
            yield Heading("Growth and reach")
            yield Sentence(self._growth())
            yield Sentence(_reached(self.reach, self.extended, self.curved, "admissible speeds"))
        if self.chosen is not None:
            directions = "; ".join(self.chosen.directions)
            yield Sentence(f"Driven along {directions}: growth vector {_vector(self.chosen.here)}.")
            yield Sentence(_reached(self.chosen, self.extended, False, "these inputs"))
        for remark in self.remarks:
            yield Sentence(remark)

    def _redundant(self, row: Row) -> str:
        if row.name in self.contradictory:
            return "contradicts"
        general, here = row.redundant, row.redundant_here
        return "yes" if general and here else "here" if here else "not here" if general else "no"

    def _integrability(self) -> str:
        total = len(self.integrals) + self.further
        if self.holonomic is None:
            return "Integrability was not decided."
        if self.holonomic and not total:
            return "Every constraint is holonomic as it is stated."
        if self.holonomic:
            found = _counted(total, "integral")
            return f"The constraints are holonomic: the whole distribution is integrable, with {found}{self._shown()}."
        if not total:
            return "Nonholonomic: beyond the holonomic constraints that are stated, no function of the " + (
                f"{self.space} is kept."
            )
        part = f" ({', '.join(self.combinations)})" if self.combinations else ""
        return (
            f"Nonholonomic, with an integrable part: {_counted(total, 'function')} of the {self.space} "
            f"{'is' if total == 1 else 'are'} kept{part}{self._shown()}."
        )

    def _shown(self) -> str:
        if not self.further:
            return ""
        return (
            f"; no closed form was found of {self.further} of them" if self.integrals else "; no closed form was found"
        )

    def _growth(self) -> str:
        assert self.reach is not None
        here, generic = _vector(self.reach.here), _vector(self.reach.generic)
        same = f"{here}, here and in general" if here == generic else f"{here} here, {generic} in general"
        flag = f"; derived flag {_vector(self.flag)}" if self.flag else ""
        space = " in the space of time and coordinates" if self.extended else ""
        planes = " of the planes that the speeds span" if self.curved else ""
        return f"Growth vector{planes} {same}{flag}{space}; degree of nonholonomy {self.degree_of_nonholonomy}."

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


def _vector(dimensions: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, dimensions))})"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _reached(reach: Reach, extended: bool, curved: bool, by: str) -> str:
    got, room = reach.here[-1], reach.room
    later, law = "", "Chow"
    if extended:  # time goes on by itself
        got, room, later, law = got - 1, room - 1, "at a later instant ", "Sussmann and Jurdjevic"
    short = "" if reach.complete else " at least, as far as brackets were taken"
    if got < room:
        return f"With {by} a set of {got} of {room} dimensions can be reached {later}from here{short}."
    if extended or curved:  # what can be entered, not what can be returned from
        law = law if extended else "Sussmann and Krener"
        return f"With {by} a set of all {room} dimensions can be entered {later}from here (accessibility, {law})."
    return f"With {by} every configuration nearby can be reached: all {room} dimensions ({law})."
