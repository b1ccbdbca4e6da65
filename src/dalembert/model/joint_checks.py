"""Whether the joints of a model fit together, and which joint places each body.

A child without a position is placed by its joint with coordinates, or else by the first joint that needs none. Every
other joint of that child closes a loop.
"""

from __future__ import annotations

from dalembert.expressions.nodes import Expression
from dalembert.expressions.parse import nearest
from dalembert.language import tr
from dalembert.model import directions
from dalembert.model.forms import listed
from dalembert.model.machine import AXIAL, FREEDOMS, Joint
from dalembert.model.plain import Writing


def quaternion(writing: Writing, body: str) -> bool:
    """Whether a body's attitude is a quaternion. No joint states its angles then."""
    return body in writing.stated.bodies and writing.stated.bodies[body].attitude == "quaternion"


def freedoms(writing: Writing, joint: Joint) -> tuple[str, ...]:
    """The freedoms of a joint, one for each coordinate. A child with a quaternion needs no angles."""
    whole = FREEDOMS[joint.type]
    return whole[:-3] if joint.type in ("ball", "free") and quaternion(writing, joint.child) else whole


def sound_joint(writing: Writing, name: str, joint: Joint) -> bool:
    """Whether the keys of one joint fit together."""
    model, table, before = writing.stated, f"joints.{name}", len(writing.faults)
    parents = ("ground", "world", *model.bodies, *model.frames)
    if joint.parent not in parents:
        hint = nearest(joint.parent, parents) or tr("; known are {parents}", parents=listed(parents[:8]))
        writing.fault(table, "parent", tr("there is no body or frame {parent!a}{hint}", parent=joint.parent, hint=hint))
    if joint.child not in model.bodies:
        hint = nearest(joint.child, model.bodies)
        writing.fault(table, "child", tr("there is no body {child!a}{hint}", child=joint.child, hint=hint))
    if joint.child == joint.parent:
        writing.fault(table, "child", tr("{child} is also the parent; a joint connects two bodies", child=joint.child))
    if joint.type in AXIAL and joint.axis is None:
        writing.fault(table, "axis", tr("it is missing; a {type} joint needs a direction", type=joint.type))
    if joint.type not in AXIAL and joint.axis is not None:
        writing.fault(table, "axis", tr("a {type} joint has no axis; leave it out", type=joint.type))
    for key in ("axis", "second_axis"):
        stated = getattr(joint, key)
        if stated is not None:
            _direction(writing, table, key, stated)
    if joint.type == "universal" and joint.second_axis is None and joint.axis is not None:
        axis = directions.components(joint.axis)
        if axis is not None and directions.aligned(axis) is None:
            writing.fault(table, "second_axis", tr("it is missing; it may be left out only if axis is x, y or z"))
    if joint.type != "universal" and joint.second_axis is not None:
        writing.fault(table, "second_axis", tr("a {type} joint has one axis at most; leave it out", type=joint.type))
    if quaternion(writing, joint.child) and joint.coordinates and joint.type not in ("ball", "free"):
        message = tr("the attitude of {child} is a quaternion, which needs a ball or free joint", child=joint.child)
        writing.fault(table, "type", message)
    count = len(freedoms(writing, joint))
    if joint.coordinates and len(joint.coordinates) != count:
        what = tr("{type} joint has ", type=joint.type) + (
            f"{count} ({listed(map(tr, freedoms(writing, joint)))})" if count else tr("none")
        )
        writing.fault(
            table, "coordinates", tr("{count} were met, and a {what}", count=len(joint.coordinates), what=what)
        )
    return len(writing.faults) == before


def _direction(writing: Writing, table: str, key: str, stated: Expression) -> None:
    axis = directions.components(stated)
    if axis is None:
        writing.fault(table, key, tr("{stated} was met, and three components [n1, n2, n3] are expected", stated=stated))
        return
    values = directions.numbers(axis, writing.parameters)
    if values is None:
        writing.fault(table, key, tr("it has no value; three finite numbers or expressions of parameters are expected"))
    elif not any(values):
        writing.fault(table, key, tr("the axis has length zero; a direction is expected"))


def placing_joints(writing: Writing, sound: set[str]) -> dict[str, str]:
    """The joint that places each child: the one with coordinates, or else the first that needs none."""
    found: dict[str, str] = {}
    model = writing.stated
    for with_coordinates in (True, False):
        for name, joint in model.joints.items():
            if name not in sound or bool(joint.coordinates) != with_coordinates:
                continue
            table = f"joints.{name}"
            placed = model.bodies[joint.child].position is not None or joint.child in found
            if with_coordinates and placed:
                by = (
                    tr("the joint {found}", found=found[joint.child])
                    if joint.child in found
                    else tr("its own position")
                )
                message = tr(
                    "{child} is placed already by {by}; a joint that closes a loop has no coordinate",
                    child=joint.child,
                    by=by,
                )
                writing.fault(table, "coordinate", message)
                sound.discard(name)
            elif not placed and (with_coordinates or not freedoms(writing, joint)):
                found[joint.child] = name
            elif not placed:
                expected = listed(map(tr, freedoms(writing, joint)))
                message = tr(
                    "it is missing; the joint places {child}, and its freedom is {expected}",
                    child=joint.child,
                    expected=expected,
                )
                writing.fault(table, "coordinate", message)
                sound.discard(name)
                found[joint.child] = name
    return {child: name for child, name in found.items() if name in sound}


def hanging_on_each_other(writing: Writing, placing: dict[str, str]) -> list[str]:
    joints, lost = writing.stated.joints, []
    for child in placing:
        chain = [child]
        while (name := placing.get(chain[-1])) is not None and joints[name].parent not in chain:
            chain.append(joints[name].parent)
        if name is not None and joints[name].parent == child:
            lost.append(child)
            ring = " on ".join([*chain, child])
            message = tr(
                "{ring}: these bodies hang on each other; hang one of them on the ground, or give it a position",
                ring=ring,
            )
            writing.fault(f"joints.{placing[child]}", "parent", message)
    return lost


def unplaced(writing: Writing, placing: dict[str, str], complete: bool) -> None:
    hung = {joint.child for joint in writing.stated.joints.values()}
    for name, body in writing.stated.bodies.items():
        if body.position is None and name not in hung and complete and not writing.unread:
            message = tr("it is missing; state it, or let a joint carry the body")
            writing.fault(f"bodies.{name}", "position", message)
        if name in placing:
            for key in ("rotation", "frame", "spin"):
                if getattr(body, key):
                    message = tr(
                        "the joint {placing} places the body and gives it its axes; leave {key} out",
                        placing=placing[name],
                        key=key,
                    )
                    writing.fault(f"bodies.{name}", key, message)
