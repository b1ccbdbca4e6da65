"""Parts of the record for machines: joints, inputs, states, sampled controllers. `plain` writes them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dalembert.expressions.nodes import Expression
from dalembert.language import mark

if TYPE_CHECKING:
    from dalembert.model.record import AxisTurn, Coordinate

FREEDOMS = {  # the coordinates of each type of joint, in order
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("angle", "displacement"),
    "universal": (mark("first angle"), mark("second angle")),
    "ball": (mark("angle about x"), mark("angle about y"), mark("angle about z")),
    "planar": (mark("first displacement"), mark("second displacement"), "angle"),
    "weld": (),
    "free": ("x", "y", "z", mark("angle about x"), mark("angle about y"), mark("angle about z")),
}
AXIAL = ("revolute", "prismatic", "cylindrical", "universal", "planar")  # types that need an axis


@dataclass(frozen=True, slots=True)
class JointCoordinate:
    """A coordinate that a joint declares."""

    name: str
    coordinate: Coordinate


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between parent and child. It declares its coordinates, or has expressions of other coordinates."""

    type: str
    parent: str
    child: str
    at: Expression | None = None  # in the parent's axes, from its centre of mass
    in_child: Expression | None = None  # in the child's axes, from its centre of mass
    axis: Expression | None = None
    second_axis: Expression | None = None  # of a universal joint, fixed in the child
    turn: tuple[AxisTurn, ...] = ()  # from the parent's axes to those in which `axis` stands
    coordinates: tuple[JointCoordinate | Expression, ...] = ()
    damping: tuple[Expression, ...] = ()
    stiffness: tuple[Expression, ...] = ()
    limits: tuple[tuple[Expression, Expression], ...] = ()
    restitution: Expression | None = None  # at the limits; None is 0
    motor: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Signal:
    """Values at times, and how they are joined. Before and after the data, the value is constant."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    between: str = "linear"  # hold, linear, cubic
    source: tuple[str, str, str] | None = field(default=None, compare=False)  # file, column, time's column
    order: int = 0  # of the derivative; `plain` makes such signals for constraints on data


@dataclass(frozen=True, slots=True)
class Input:
    """A quantity from outside: a number, an expression of time and state, or data."""

    value: Expression | None = None
    least: Expression | None = None  # the value is limited to this range
    greatest: Expression | None = None
    unit: str = ""
    about: str = ""
    signal: Signal | None = None


@dataclass(frozen=True, slots=True)
class FirstOrderState:
    """A first-order state: its derivative is `rate`."""

    initial: Expression
    rate: Expression
    unit: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A digital controller. Its values are computed at offset, offset + every, … and held in between."""

    every: Expression
    values: Mapping[str, Expression]
    offset: Expression | None = None


def joint_coordinates(joints: Mapping[str, Joint]) -> dict[str, Coordinate]:
    """The coordinates that joints declare, by name."""
    entries = (entry for joint in joints.values() for entry in joint.coordinates)
    return {entry.name: entry.coordinate for entry in entries if isinstance(entry, JointCoordinate)}


def with_coordinate(joints: Mapping[str, Joint], changed: Mapping[str, Coordinate]) -> dict[str, Joint]:
    """The joints with other coordinates of the same names."""

    def entry(stated: JointCoordinate | Expression) -> JointCoordinate | Expression:
        if not isinstance(stated, JointCoordinate) or stated.name not in changed:
            return stated
        return JointCoordinate(stated.name, changed[stated.name])

    return {n: replace(joint, coordinates=tuple(entry(e) for e in joint.coordinates)) for n, joint in joints.items()}
