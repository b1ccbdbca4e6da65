"""Whether the joints of a model fit together, and which of them places each body.

A child that states no position is placed by its joint with coordinates, or by the first joint that needs none; every
other joint of that child closes a loop.
"""

from __future__ import annotations

from dalembert.expressions.nodes import Expression
from dalembert.expressions.parse import nearest
from dalembert.model import directions
from dalembert.model.forms import listed
from dalembert.model.machine import AXIAL, FREEDOMS, Joint
from dalembert.model.plain import Writing


def quaternion(writing: Writing, body: str) -> bool:
    """Whether a body's attitude is a quaternion, which no joint's angles state."""
    return body in writing.stated.bodies and writing.stated.bodies[body].attitude == "quaternion"


def freedoms(writing: Writing, joint: Joint) -> tuple[str, ...]:
    """What the coordinates of a joint are: those of its type, without the angles of a child with a quaternion."""
    whole = FREEDOMS[joint.type]
    return whole[:-3] if joint.type in ("ball", "free") and quaternion(writing, joint.child) else whole


def sound_joint(writing: Writing, name: str, joint: Joint) -> bool:
    """Whether a joint's own words fit together."""
    model, table, before = writing.stated, f"joints.{name}", len(writing.faults)
    parents = ("ground", "world", *model.bodies, *model.frames)
    if joint.parent not in parents:
        hint = nearest(joint.parent, parents) or f"; known are {listed(parents[:8])}"
        writing.fault(table, "parent", f"there is no body or frame {joint.parent!a}{hint}")
    if joint.child not in model.bodies:
        hint = nearest(joint.child, model.bodies)
        writing.fault(table, "child", f"there is no body {joint.child!a}{hint}")
    if joint.child == joint.parent:
        writing.fault(table, "child", f"{joint.child} is the parent too; a joint joins two bodies")
    if joint.type in AXIAL and joint.axis is None:
        writing.fault(table, "axis", f"it is missing; a {joint.type} joint needs a direction")
    if joint.type not in AXIAL and joint.axis is not None:
        writing.fault(table, "axis", f"a {joint.type} joint has no axis; leave it out")
    for key in ("axis", "second_axis"):
        stated = getattr(joint, key)
        if stated is not None:
            _direction(writing, table, key, stated)
    if joint.type == "universal" and joint.second_axis is None and joint.axis is not None:
        axis = directions.components(joint.axis)
        if axis is not None and directions.aligned(axis) is None:
            writing.fault(table, "second_axis", "it is missing; only beside x, y or z the next of them is taken")
    if joint.type != "universal" and joint.second_axis is not None:
        writing.fault(table, "second_axis", f"a {joint.type} joint has one axis at most; leave it out")
    if quaternion(writing, joint.child) and joint.coordinates and joint.type not in ("ball", "free"):
        message = f"the attitude of {joint.child} is a quaternion, which only a ball or free joint leaves free"
        writing.fault(table, "type", message)
    count = len(freedoms(writing, joint))
    if joint.coordinates and len(joint.coordinates) != count:
        what = f"{joint.type} joint has " + (f"{count} ({listed(freedoms(writing, joint))})" if count else "none")
        writing.fault(table, "coordinates", f"{len(joint.coordinates)} were met, and a {what}")
    return len(writing.faults) == before


def _direction(writing: Writing, table: str, key: str, stated: Expression) -> None:
    axis = directions.components(stated)
    if axis is None:
        writing.fault(table, key, f"{stated} was met, and three components [n1, n2, n3] are expected")
        return
    values = directions.numbers(axis, writing.parameters)
    if values is None:
        writing.fault(table, key, "it has no value; three finite numbers or expressions of parameters are expected")
    elif not any(values):
        writing.fault(table, key, "the axis has length zero; a direction is expected")


def placing_joints(writing: Writing, sound: set[str]) -> dict[str, str]:
    """The joint that places each child: the one with coordinates, or the first that needs none."""
    found: dict[str, str] = {}
    model = writing.stated
    for with_coordinates in (True, False):
        for name, joint in model.joints.items():
            if name not in sound or bool(joint.coordinates) != with_coordinates:
                continue
            table = f"joints.{name}"
            placed = model.bodies[joint.child].position is not None or joint.child in found
            if with_coordinates and placed:
                by = f"the joint {found[joint.child]}" if joint.child in found else "its own position"
                message = f"{joint.child} is placed already by {by}; a joint that closes a loop has no coordinate"
                writing.fault(table, "coordinate", message)
                sound.discard(name)
            elif not placed and (with_coordinates or not freedoms(writing, joint)):
                found[joint.child] = name
            elif not placed:
                expected = listed(freedoms(writing, joint))
                message = f"it is missing; the joint places {joint.child}, and its freedom is {expected}"
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
            message = f"{ring}: these bodies hang on each other; one of them has to hang on the ground or be placed"
            writing.fault(f"joints.{placing[child]}", "parent", message)
    return lost


def unplaced(writing: Writing, placing: dict[str, str], complete: bool) -> None:
    hung = {joint.child for joint in writing.stated.joints.values()}
    for name, body in writing.stated.bodies.items():
        if body.position is None and name not in hung and complete and not writing.unread:
            message = "it is missing; state it, or let a joint carry the body"
            writing.fault(f"bodies.{name}", "position", message)
        if name in placing:
            for key in ("rotation", "frame", "spin"):
                if getattr(body, key):
                    message = f"the joint {placing[name]} places the body and gives it its axes; leave {key} out"
                    writing.fault(f"bodies.{name}", key, message)
