"""Joints written out. A joint that places its child gives it a place and axes; any other joint gives rows.

With the parent's axes R_P (turned by `turn`), its point p = c_P + R at, the unit axis n and the coordinates q:
    revolute     R_C = R_P Rot(n, q)                      cylindrical  the same with p + R_P n q₂
    prismatic    R_C = R_P, p + R_P n q                   universal    R_C = R_P Rot(n, q₁) Rot(m, q₂)
    planar       R_C = R_P Rot(n, q₃), p + R_P (e₁ q₁ + e₂ q₂)
    ball, free   R_C = R_P Rot(x, ·) Rot(y, ·) Rot(z, ·), and p + R_P (q₁, q₂, q₃) for free
    c_C = p − R_C in_child
With all coordinates zero, the child's axes are the parent's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dalembert.expressions.nodes import (
    Expression,
    Name,
    Negative,
    Number,
    Power,
    Prime,
    Product,
    Vector,
)
from dalembert.language import tr
from dalembert.model import directions
from dalembert.model.closures import close
from dalembert.model.conversions import coordinate, unit_of
from dalembert.model.directions import Components
from dalembert.model.freeing import freed
from dalembert.model.joint_checks import hanging_on_each_other, placing_joints, quaternion, sound_joint, unplaced
from dalembert.model.machine import AXIAL, Joint, JointCoordinate, joint_coordinates
from dalembert.model.plain import Writing
from dalembert.model.record import AxisTurn, Contact, Force, Frame, Point, read_only
from dalembert.model.units import Unit

HALF = Number(0.5)
ZEROS: Components = (Number(0), Number(0), Number(0))


def write_joints(writing: Writing) -> None:
    stated = writing.stated
    sound = {name for name, joint in stated.joints.items() if sound_joint(writing, name, joint)}
    placing = placing_joints(writing, sound)
    for child in hanging_on_each_other(writing, placing):
        sound.discard(placing.pop(child))
    for name, joint in stated.joints.items():
        if name not in sound:
            _variables(writing, name, joint)  # so that expressions of them have no second fault
            continue
        if placing.get(joint.child) == name:
            _place(writing, name, joint)
        else:
            _close(writing, name, joint)
    unplaced(writing, placing, len(sound) == len(stated.joints))


def base(writing: Writing, name: str, joint: Joint) -> str:
    """The frame of a joint's axis: the parent's axes, turned by `turn`."""
    parent = "world" if joint.parent == "ground" else joint.parent
    if not joint.turn:
        return parent
    writing.add("frames", f"{name}.base", Frame(joint.turn, parent), (f"joints.{name}", "turn"))
    return f"{name}.base"


def point(writing: Writing, made: str, at: Expression | None, body: str, place: tuple[str, str]) -> str | None:
    """The point `at` in the axes of a body or frame. None is the inertial origin."""
    origin = body if body in writing.stated.bodies else None
    if at is None:
        return origin
    writing.add("points", made, Point(at, origin, None if body in ("ground", "world") else body), place)
    return made


def _place(writing: Writing, name: str, joint: Joint) -> None:
    table, child = f"joints.{name}", joint.child
    variables = _variables(writing, name, joint)
    axes = base(writing, name, joint)
    where = point(writing, f"{name}.at", joint.at, joint.parent, (table, "at"))
    moved = displacement(writing, joint, variables)
    axis = directions.components(joint.axis)
    other = second(joint, axis) if joint.type == "universal" and axis is not None else None
    forces, couples = freed(writing, name, joint, other)
    for distance, along in forces:
        moved = directions.added(moved or ZEROS, directions.scaled(distance, along))
    if moved is not None:
        frame = None if axes == "world" else axes
        writing.add("points", f"{name}.moved", Point(Vector(*moved), where, frame), (table, "axis"))
        where = f"{name}.moved"
    if joint.in_child is not None:
        centre = Point(Negative(joint.in_child), where, child)
        writing.add("points", f"{child}.centre", centre, (table, "in_child"))
        where = f"{child}.centre"
    body = writing.tables["bodies"][child]
    position: Expression = Vector(*(Number(0),) * 3) if where is None else Name(where)
    turns = rotations(writing, joint, variables)
    if couples:
        extra = tuple(_turn(about, angle) for angle, about in couples)
        first = turns[:1] if joint.type == "universal" else ()
        writing.add("frames", f"{name}.freed", Frame((*first, *extra), axes), (table, "axis"))
        axes, turns = f"{name}.freed", turns[len(first) :]
    if joint.type == "revolute" and _is_wheel(writing, child):
        placed = replace(body, position=position, frame=None if axes == "world" else axes, spin=turns[0])
    elif quaternion(writing, child):
        placed = replace(body, position=position)
    else:
        if turns:
            writing.add("frames", f"{name}.axes", Frame(turns, axes), (table, "axis"))
            axes = f"{name}.axes"
        placed = replace(body, position=position, frame=None if axes == "world" else axes)
    writing.tables["bodies"][child] = placed
    _loads(writing, name, joint, variables)


def _is_wheel(writing: Writing, body: str) -> bool:
    """A rolling wheel spins about its joint's axis, and its contact does not depend on its angle."""
    return any(rolling.body == body and rolling.kind == "wheel" for rolling in writing.stated.rolling.values())


def _variables(writing: Writing, name: str, joint: Joint) -> tuple[Expression, ...]:
    """The joint's coordinates as expressions. Those that it declares are added to the model."""
    found: list[Expression] = []
    for entry in joint.coordinates:
        if not isinstance(entry, JointCoordinate):
            if isinstance(entry, Name) and entry.name not in _stated_names(writing):
                message = tr(
                    'there is no coordinate {name}; a new one is stated as {{ name = "{name}" }}', name=entry.name
                )
                writing.fault(f"joints.{name}", "coordinate", message)
                entry = Number(0)
            found.append(entry)
            continue
        if entry.name in writing.tables["coordinates"]:
            message = tr("the name {name} is used for another coordinate as well; names are unique", name=entry.name)
            writing.fault(f"joints.{name}", "coordinate", message)
        else:
            of = unit_of(writing, entry.coordinate.unit, f"joints.{name}", "coordinate") or Unit()
            converted = coordinate(writing, entry.name, entry.coordinate, of)
            writing.add("coordinates", entry.name, converted, (f"joints.{name}", "coordinate"))
            writing.origins["speeds", entry.name] = (f"joints.{name}", "coordinate")
        found.append(Name(entry.name))
    return tuple(found)


def _stated_names(writing: Writing) -> set[str]:
    """The names that a joint's expression may be alone."""
    stated = writing.stated
    return {
        *stated.coordinates,
        *stated.parameters,
        *stated.definitions,
        *stated.inputs,
        *joint_coordinates(stated.joints),
    }


def displacement(writing: Writing, joint: Joint, variables: tuple[Expression, ...]) -> Components | None:
    """The displacement from the parent's side of the joint to the child's, in the joint's axes."""
    if joint.type == "free":
        return variables[:3]  # type: ignore[return-value]
    axis = directions.components(joint.axis)
    if axis is None or joint.type not in ("prismatic", "cylindrical", "planar"):
        return None
    if joint.type != "planar":
        return directions.scaled(variables[-1], directions.unit(axis))
    first, second = directions.across(axis, directions.numbers(axis, writing.parameters) or (0, 0, 1))
    return directions.added(directions.scaled(variables[0], first), directions.scaled(variables[1], second))


def rotations(writing: Writing, joint: Joint, variables: tuple[Expression, ...]) -> tuple[AxisTurn, ...]:
    """The turns from the joint's axes to the child's."""
    if joint.type in ("ball", "free") and not quaternion(writing, joint.child):
        return tuple(AxisTurn(axis, angle) for axis, angle in zip("xyz", variables[-3:], strict=True))
    if joint.type not in AXIAL or joint.type == "prismatic":
        return ()
    axis = directions.components(joint.axis)
    assert axis is not None
    if joint.type == "universal":
        return _turn(axis, variables[0]), _turn(second(joint, axis), variables[1])
    return (_turn(axis, variables[-1 if joint.type == "planar" else 0]),)


def second(joint: Joint, axis: Components) -> Components:
    """A universal joint's axis in the child: as stated, or the next of x, y, z."""
    stated = directions.components(joint.second_axis)
    if stated is not None:
        return stated
    return directions.UNITS["xyz"[("xyz".index(directions.aligned(axis) or "x") + 1) % 3]]


def _turn(axis: Components, angle: Expression) -> AxisTurn:
    along = directions.aligned(axis)
    back = directions.aligned(tuple(map(directions.negative, axis)))  # type: ignore[arg-type]
    return AxisTurn(back, Negative(angle)) if back else AxisTurn(along or axis, angle)


def _loads(writing: Writing, name: str, joint: Joint, variables: tuple[Expression, ...]) -> None:
    """For each coordinate: ½ c q̇², ½ k q², contacts at the limits, and the motor's generalized force."""
    table = f"joints.{name}"
    for key, entries in (("damping", joint.damping), ("stiffness", joint.stiffness)):
        for entry, q in _each(writing, table, key, entries, variables):
            if not writing.constant(entry):
                writing.fault(
                    table,
                    key,
                    tr("{entry} was met, and a number or an expression of parameters is expected", entry=entry),
                )
                continue
            part = Product((HALF, entry, Power(Prime(q) if key == "damping" else q, Number(2))))
            writing.energy.setdefault("dissipation" if key == "damping" else "potential", []).append(part)
    for (low, high), q in _each(writing, table, "limits", joint.limits, variables):
        one = name if len(variables) == 1 else f"{name}.{q}"
        for side, gap in (("low", q - low), ("high", high - q)):
            writing.add("contacts", f"{one}.{side}", Contact(gap, joint.restitution or Number(0)), (table, "limits"))
    pushes: dict[str, Expression] = {}
    for entry, q in _each(writing, table, "motor", joint.motor, variables):
        if isinstance(q, Name):
            pushes[q.name] = entry
        else:
            writing.fault(
                table, "motor", tr("a motor drives a coordinate, and {q} was met; state its force in [forces]", q=q)
            )
    if pushes:
        writing.add("forces", f"{name}.motor", Force(generalized=read_only(pushes)), (table, "motor"))


def _each(
    writing: Writing, table: str, key: str, entries: tuple[Any, ...], variables: tuple[Expression, ...]
) -> Iterator[Any]:
    """Each coordinate with its entry. A single entry is for all coordinates."""
    if not entries:
        return
    if not variables:
        writing.fault(table, key, tr("the joint has no coordinate for {key} to act on; leave it out", key=key))
    elif len(entries) not in (1, len(variables)):
        count = len(variables)
        writing.fault(
            table,
            key,
            tr(
                "{count} entries were met; one, or one for each of {count2} coordinates is expected",
                count=len(entries),
                count2=count,
            ),
        )
    else:
        yield from zip(entries if len(entries) > 1 else entries * len(variables), variables, strict=True)


def _close(writing: Writing, name: str, joint: Joint) -> None:
    table = f"joints.{name}"
    for key in ("damping", "stiffness", "limits", "motor"):
        if getattr(joint, key):
            writing.fault(table, key, tr("the joint closes a loop and has no coordinate for {key} to act on", key=key))
    if joint.type == "free":
        writing.fault(
            table,
            "type",
            tr("{child} is placed already, and a free joint restrains nothing; leave it out", child=joint.child),
        )
        return
    axes = base(writing, name, joint)
    inner = point(writing, f"{name}.at", joint.at, joint.parent, (table, "at"))
    outer = point(writing, f"{name}.in", joint.in_child, joint.child, (table, "in_child"))
    axis = directions.components(joint.axis)
    for row, equation in close(writing, joint, axes, (inner, outer or joint.child), axis, second):
        if f"{name}{row}" in writing.stated.constraints:
            message = tr(
                "the name {name}{row} is used in [constraints] as well; the rows of a joint are named after it",
                name=name,
                row=row,
            )
            writing.fault(table, "", message)
        writing.add("constraints", f"{name}{row}", equation, (table, ""))
