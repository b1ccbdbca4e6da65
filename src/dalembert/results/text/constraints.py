"""The constraints part of `analyze` in sentences, tables and formulas."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.language import tr
from dalembert.results.constraints import Constraints, Reach, Row
from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence


def constraints_blocks(found: Constraints) -> Iterable[Block]:
    if not found.rows:
        yield Sentence(
            tr("Degrees of freedom: {coordinates}. There are no constraints.", coordinates=found.coordinates)
        )
        return
    here = tr("{rank} at this state", rank=found.rank)
    rank = (
        here
        if found.rank == found.generic_rank
        else tr("{here}, {generic_rank} in general", here=here, generic_rank=found.generic_rank)
    )
    yield Sentence(
        tr(
            "Degrees of freedom: {degrees_of_freedom}, of {coordinates} coordinates; {count} "
            "constraint{words} of rank {rank}.",
            degrees_of_freedom=found.degrees_of_freedom,
            coordinates=found.coordinates,
            count=len(found.rows),
            words="s" if len(found.rows) > 1 else "",
            rank=rank,
        )
    )
    words = {True: tr("yes"), False: tr("no"), None: "–"}
    yield Grid(
        (tr("constraint"), tr("kind"), tr("integrable in the whole"), tr("alone"), tr("redundant")),
        tuple((r.name, tr(r.kind), words[r.integrable], words[r.alone], _redundant(found, r)) for r in found.rows),
    )
    for relation in found.relations:
        what = tr("contradiction") if relation.contradiction else tr("follows")
        yield Formula(relation.text, relation.latex, what + (tr(" here") if relation.here else ""))
    if found.contradictory:
        yield Sentence(
            tr(
                "No speeds satisfy all constraints: {contradictory} contradict{words} the others, and "
                "what follows leaves them out.",
                contradictory=", ".join(found.contradictory),
                words="s" if len(found.contradictory) == 1 else "",
            )
        )
    yield Heading(tr("Integrability"))
    yield Sentence(_integrability(found))
    for integral in found.integrals:
        yield Formula(
            f"{integral.shown} = {integral.value:.9g}", f"{integral.latex} = {integral.value:.9g}", tr("kept")
        )
    if found.reach is not None:
        yield Heading(tr("Growth and reach"))
        yield Sentence(_growth(found))
        yield Sentence(_reached(found.reach, found.extended, found.curved, tr("admissible speeds")))
    if found.chosen is not None:
        directions = "; ".join(found.chosen.directions)
        yield Sentence(
            tr(
                "Driven along {directions}: growth vector {here}.",
                directions=directions,
                here=_vector(found.chosen.here),
            )
        )
        yield Sentence(_reached(found.chosen, found.extended, False, tr("these inputs")))
    for remark in found.remarks:
        yield Sentence(remark)


def _redundant(found: Constraints, row: Row) -> str:
    if row.name in found.contradictory:
        return tr("contradicts")
    general, here = row.redundant, row.redundant_here
    return tr("yes") if general and here else tr("here") if here else tr("not here") if general else tr("no")


def _integrability(found: Constraints) -> str:
    total = len(found.integrals) + found.further
    if found.holonomic is None:
        return tr("Integrability was not decided.")
    if found.holonomic and not total:
        return tr("Every constraint is holonomic as it is stated.")
    if found.holonomic:
        return tr(
            "The constraints are holonomic: the whole distribution is integrable, with {total} integral{s}{found}.",
            total=total,
            s="" if total == 1 else "s",
            found=_shown(found),
        )
    if not total:
        return tr(
            "Nonholonomic: beyond the holonomic constraints that are stated, no function of the {space} is kept.",
            space=tr(found.space),
        )
    part = f" ({', '.join(found.combinations)})" if found.combinations else ""
    return tr(
        "Nonholonomic, with an integrable part: {total} function{s} of the {space} {words} kept{part}{found}.",
        total=total,
        s="" if total == 1 else "s",
        space=tr(found.space),
        words="is" if total == 1 else "are",
        part=part,
        found=_shown(found),
    )


def _shown(found: Constraints) -> str:
    if not found.further:
        return ""
    return (
        tr("; no closed form was found of {further} of them", further=found.further)
        if found.integrals
        else tr("; no closed form was found")
    )


def _growth(found: Constraints) -> str:
    assert found.reach is not None
    here, generic = _vector(found.reach.here), _vector(found.reach.generic)
    same = (
        tr("{here}, here and in general", here=here)
        if here == generic
        else tr("{here} here, {generic} in general", here=here, generic=generic)
    )
    flag = tr("; derived flag {flag}", flag=_vector(found.flag)) if found.flag else ""
    space = tr(" in the space of time and coordinates") if found.extended else ""
    planes = tr(" of the planes that the speeds span") if found.curved else ""
    return tr(
        "Growth vector{planes} {same}{flag}{space}; degree of nonholonomy {degree_of_nonholonomy}.",
        planes=planes,
        same=same,
        flag=flag,
        space=space,
        degree_of_nonholonomy=found.degree_of_nonholonomy,
    )


def _vector(dimensions: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, dimensions))})"


def _reached(reach: Reach, extended: bool, curved: bool, by: str) -> str:
    got, room = reach.here[-1], reach.room
    later, law = "", "Chow"
    if extended:  # time advances by itself
        got, room, later, law = got - 1, room - 1, tr("at a later instant "), tr("Sussmann and Jurdjevic")
    short = "" if reach.complete else tr(" at least, as far as brackets were taken")
    if got < room:
        return tr(
            "With {by} a set of {got} of {room} dimensions can be reached {later}from here{short}.",
            by=by,
            got=got,
            room=room,
            later=later,
            short=short,
        )
    if extended or curved:  # states that can be reached, though perhaps without return
        law = law if extended else tr("Sussmann and Krener")
        return tr(
            "With {by} a set of all {room} dimensions can be entered {later}from here (accessibility, {law}).",
            by=by,
            room=room,
            later=later,
            law=law,
        )
    return tr(
        "With {by} every configuration nearby can be reached: all {room} dimensions ({law}).", by=by, room=room, law=law
    )
