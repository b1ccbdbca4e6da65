"""What `analyze` says of constraints, in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.results.constraints import Constraints, Reach, Row
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence


def constraints_blocks(found: Constraints) -> Iterable[Block]:
    if not found.rows:
        yield Sentence(f"Degrees of freedom: {found.coordinates}. There are no constraints.")
        return
    here = f"{found.rank} at this state"
    rank = here if found.rank == found.generic_rank else f"{here}, {found.generic_rank} in general"
    yield Sentence(
        f"Degrees of freedom: {found.degrees_of_freedom}, of {found.coordinates} coordinates; "
        f"{len(found.rows)} constraint{'s' if len(found.rows) > 1 else ''} of rank {rank}."
    )
    words = {True: "yes", False: "no", None: "–"}
    yield Grid(
        ("constraint", "kind", "integrable in the whole", "alone", "redundant"),
        tuple((r.name, r.kind, words[r.integrable], words[r.alone], _redundant(found, r)) for r in found.rows),
    )
    for relation in found.relations:
        what = "contradiction" if relation.contradiction else "follows"
        yield Formula(relation.text, relation.latex, what + (" here" if relation.here else ""))
    if found.contradictory:
        yield Sentence(
            f"No speeds satisfy all constraints: {', '.join(found.contradictory)} contradict"
            f"{'s' if len(found.contradictory) == 1 else ''} the others, and what follows leaves them out."
        )
    yield Heading("Integrability")
    yield Sentence(_integrability(found))
    for integral in found.integrals:
        yield Formula(f"{integral.shown} = {integral.value:.9g}", f"{integral.latex} = {integral.value:.9g}", "kept")
    if found.reach is not None:
        yield Heading("Growth and reach")
        yield Sentence(_growth(found))
        yield Sentence(_reached(found.reach, found.extended, found.curved, "admissible speeds"))
    if found.chosen is not None:
        directions = "; ".join(found.chosen.directions)
        yield Sentence(f"Driven along {directions}: growth vector {_vector(found.chosen.here)}.")
        yield Sentence(_reached(found.chosen, found.extended, False, "these inputs"))
    for remark in found.remarks:
        yield Sentence(remark)


def _redundant(found: Constraints, row: Row) -> str:
    if row.name in found.contradictory:
        return "contradicts"
    general, here = row.redundant, row.redundant_here
    return "yes" if general and here else "here" if here else "not here" if general else "no"


def _integrability(found: Constraints) -> str:
    total = len(found.integrals) + found.further
    if found.holonomic is None:
        return "Integrability was not decided."
    if found.holonomic and not total:
        return "Every constraint is holonomic as it is stated."
    if found.holonomic:
        integrals = _counted(total, "integral")
        return f"The constraints are holonomic: the whole distribution is integrable, with {integrals}{_shown(found)}."
    if not total:
        return "Nonholonomic: beyond the holonomic constraints that are stated, no function of the " + (
            f"{found.space} is kept."
        )
    part = f" ({', '.join(found.combinations)})" if found.combinations else ""
    return (
        f"Nonholonomic, with an integrable part: {_counted(total, 'function')} of the {found.space} "
        f"{'is' if total == 1 else 'are'} kept{part}{_shown(found)}."
    )


def _shown(found: Constraints) -> str:
    if not found.further:
        return ""
    return f"; no closed form was found of {found.further} of them" if found.integrals else "; no closed form was found"


def _growth(found: Constraints) -> str:
    assert found.reach is not None
    here, generic = _vector(found.reach.here), _vector(found.reach.generic)
    same = f"{here}, here and in general" if here == generic else f"{here} here, {generic} in general"
    flag = f"; derived flag {_vector(found.flag)}" if found.flag else ""
    space = " in the space of time and coordinates" if found.extended else ""
    planes = " of the planes that the speeds span" if found.curved else ""
    return f"Growth vector{planes} {same}{flag}{space}; degree of nonholonomy {found.degree_of_nonholonomy}."


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
