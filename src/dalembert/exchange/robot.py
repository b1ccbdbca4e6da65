"""A robot as stated in its file, and its model.

Both formats are a tree of links, each with its own frame. A joint places the frame of its child in that of its parent
by a place and turns. A body has the axes of its link, and places are relative to its centre of mass:
    at = p − c_parent,   in_child = anchor − c_child,   inertia about the centre of mass, in the link's axes
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.nodes import RESERVED, Number, Product, Reciprocal, expression
from dalembert.expressions.parse import parse
from dalembert.model.builder import Builder
from dalembert.model.record import ModelRecord, Shape

WHOLE = 1e-11  # an angle this near to a multiple of π/2 is meant to be one: files print eleven digits
NOTHING = np.zeros(3)


@dataclass(frozen=True)
class RobotLink:
    """`inertia` is about the centre of mass, in the link's axes."""

    name: str
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: tuple[Shape, ...] = ()  # places relative to the centre of mass


@dataclass(frozen=True)
class RobotJoint:
    """`turns` are body-fixed; `anchor` is the place of the joint in the child's frame."""

    name: str
    type: str
    parent: str
    child: str
    place: np.ndarray
    turns: tuple[tuple[str, float], ...] = ()
    axis: np.ndarray | None = None
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0  # coordinate at which the spring is relaxed
    armature: float = 0.0  # inertia of the rotor, in terms of the coordinate
    limits: tuple[float, float] | None = None
    mimic: tuple[str, float, float] | None = None  # joint, factor, offset
    quaternion: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)  # of a free or ball joint at the start
    closes: bool = False


@dataclass(frozen=True)
class Robot:
    title: str
    root: str  # the fixed link
    links: dict[str, RobotLink]
    joints: tuple[RobotJoint, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    relations: tuple[tuple[str, str], ...] = ()  # names and equations between coordinates
    notes: tuple[str, ...] = ()


class Names:
    """Names that a model allows, each used once."""

    def __init__(self) -> None:
        self.used: set[str] = set(RESERVED)

    def new(self, stated: str, suffix: str = "") -> str:
        plain = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", stated)) or "part"
        plain = plain if not plain[0].isdigit() else f"_{plain}"
        name, count = plain, 1
        while name in self.used:
            count += 1
            name = f"{plain}{suffix}" if suffix and count == 2 else f"{plain}_{count}"
        self.used.add(name)
        return name


def model_of(robot: Robot) -> tuple[ModelRecord, tuple[str, ...]]:
    """The checked model of a robot, and notes on what was left out."""
    builder, names = Builder(robot.title), Names()
    builder.gravity([number(g) for g in robot.gravity])
    bodies = {robot.root: "ground"}
    kept = [link for link in _needed(robot) if link.name != robot.root]
    bodies |= {link.name: names.new(link.name) for link in kept}
    by_child = {joint.child: joint for joint in robot.joints if not joint.closes}
    for link in kept:
        joint = by_child.get(link.name)
        if joint is None:
            raise ModelError(
                "no joint carries the link {name!a}, and only the root {root!a} stands still",
                name=link.name,
                root=robot.root,
            )
        turning = joint.type in ("free", "ball")
        words: dict[str, Any] = (
            {"attitude": "quaternion", "orientation": _orientation(joint.quaternion)} if turning else {}
        )
        J = link.inertia
        inertia = [J[0, 0], J[1, 1], J[2, 2]]
        inertia += [J[0, 1], J[1, 2], J[0, 2]] if np.any(J - np.diag(np.diag(J))) else []
        entries = [number(entry) for entry in inertia] if np.any(J) else []
        builder.body(bodies[link.name], number(link.mass), inertia=entries, shapes=link.shapes, **words)
    coordinates: dict[str, str] = {}
    for joint in _in_order(robot):
        if joint.child in bodies:
            _joint(builder, names, robot, joint, bodies, coordinates)
    for name, equation in robot.relations:
        text = re.sub(r"\{([^}]*)\}", lambda met: coordinates[met[1]], equation)
        builder.constraint(names.new(name), text)
    return builder.record, robot.notes


def _needed(robot: Robot) -> Iterable[RobotLink]:
    """Links with mass, and all links that carry them."""
    needed = {name for name, link in robot.links.items() if link.mass or np.any(link.inertia)}
    needed |= {name for joint in robot.joints if joint.closes for name in (joint.parent, joint.child)}
    carriers = {joint.child: joint for joint in robot.joints if not joint.closes}
    for name in list(needed):
        while name in carriers and (parent := carriers[name].parent) not in needed:
            needed.add(parent)
            name = parent
    return [link for name, link in robot.links.items() if name in needed]


def _in_order(robot: Robot) -> list[RobotJoint]:
    """The joints, with those last whose coordinate depends on another's."""
    own = [joint for joint in robot.joints if joint.mimic is None]
    return own + [joint for joint in robot.joints if joint.mimic is not None]


def _joint(
    builder: Builder, names: Names, robot: Robot, joint: RobotJoint, bodies: dict[str, str], coordinates: dict[str, str]
) -> None:
    parent, child = robot.links[joint.parent], robot.links[joint.child]
    from_centre = NOTHING if bodies[joint.parent] == "ground" else parent.centre
    words: dict[str, Any] = {"turn": [(axis, angle_of(angle)) for axis, angle in joint.turns if angle]}
    for key, place in (("at", joint.place - from_centre), ("in_child", joint.anchor - child.centre)):
        if np.any(place):
            words[key] = [number(entry) for entry in place]
    if joint.axis is not None:
        words["axis"] = [number(entry) for entry in joint.axis]
    if not joint.closes:
        words |= _motion(builder, names, joint, coordinates)
    builder.joint(names.new(joint.name, "_joint"), joint.type, bodies[joint.parent], bodies[joint.child], **words)


def _motion(builder: Builder, names: Names, joint: RobotJoint, coordinates: dict[str, str]) -> dict[str, Any]:
    """The coordinates of a joint, and the forces on them."""
    if joint.type in ("weld", "ball"):
        return {}
    if joint.type in ("free", "planar"):
        letters = "xyz" if joint.type == "free" else ("x", "y", "angle")
        return {"coordinates": [{"name": names.new(f"{joint.name}_{letter}")} for letter in letters]}
    if joint.mimic is not None:
        other, factor, offset = joint.mimic
        coordinates[joint.name] = f"({factor!r}*{coordinates[other]} + {offset!r})"
        return {"coordinate": parse(coordinates[joint.name])}
    name = coordinates[joint.name] = names.new(joint.name, "_q")
    low, high = joint.limits or (-math.inf, math.inf)
    words: dict[str, Any] = {"coordinate": {"name": name, "initial": number(min(max(0.0, low), high))}}
    if joint.damping:
        words["damping"] = number(joint.damping)
    if joint.stiffness and joint.rest:
        _add(builder, "potential", parse(f"{joint.stiffness!r}/2*({name} - ({joint.rest!r}))^2"))
    elif joint.stiffness:
        words["stiffness"] = number(joint.stiffness)
    if joint.armature:
        _add(builder, "kinetic", parse(f"{joint.armature!r}/2*{name}'^2"))
    if math.isfinite(low) and math.isfinite(high):
        words["limits"] = [number(low), number(high)]
    return words


def _add(builder: Builder, kind: str, term: Any) -> None:
    before = getattr(builder._stated.get("energy"), kind, None)
    builder.energy(**{kind: term if before is None else before + term})


def _orientation(e: tuple[float, ...]) -> list[Any]:
    """A quaternion as one turn."""
    length = math.hypot(*e[1:])
    if length == 0:
        return []
    return [(tuple(number(entry) for entry in e[1:]), number(2 * math.atan2(length, e[0])))]


def number(value: float) -> Any:
    """A number as a file would state it: whole numbers without a point."""
    value = float(value)
    return expression(int(value) if value == int(value) and abs(value) < 2**53 else value)


def angle_of(angle: float) -> Any:
    """An angle, exact if it is meant as a multiple of π/2."""
    quarters = round(angle / (math.pi / 2))
    if quarters == 0 or abs(angle - quarters * math.pi / 2) > WHOLE:
        return number(angle)
    size = abs(quarters)
    right = (
        parse("pi")
        if size == 2
        else Product((*([Number(size)] if size != 1 else []), parse("pi"), Reciprocal(Number(2))))
    )
    return right if quarters > 0 else -right
