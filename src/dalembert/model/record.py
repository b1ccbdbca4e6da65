"""The model as frozen data. The TOML reader and the Python builder both make this record.

Every quantity is an `Expression`. A vector is one expression of vector type: three components, the name of a point, or
arithmetic of these. Mappings keep the order of the file. Nothing here is computed. `plain` writes joints, inputs and
controllers (`machine`) out in the other tables, and all later stages read only those.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from dalembert.expressions.nodes import Expression, Name, names
from dalembert.model.machine import FirstOrderState, Input, Joint, Sampled


def read_only(mapping: Mapping[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(dict(mapping))


# A record is pickled for other processes, and Python alone cannot pickle a read-only mapping.
copyreg.pickle(MappingProxyType, lambda mapping: (read_only, (dict(mapping),)))


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Parameter:
    value: Expression
    unit: str = ""
    about: str = ""
    least: Expression | None = None  # `min` in the file
    greatest: Expression | None = None  # `max`


@dataclass(frozen=True, slots=True)
class Coordinate:
    """`speed` is the initial speed, wherever the file gave it ([speeds] or the coordinate's own table)."""

    initial: Expression
    speed: Expression | None = None
    unit: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class AxisTurn:
    """One rotation of a body-fixed sequence: about x, y, z or three components (normalized when used)."""

    axis: str | tuple[Expression, Expression, Expression]
    angle: Expression


@dataclass(frozen=True, slots=True)
class Frame:
    turn: tuple[AxisTurn, ...]
    origin: str = "world"  # `from`: the frame or body from which it is turned
    quaternion: tuple[Expression, ...] = ()  # instead of turns; `plain` makes it for a body with such an attitude


@dataclass(frozen=True, slots=True)
class Point:
    """`at` is in inertial components, or in those of `frame`, and is measured from `origin`."""

    at: Expression
    origin: str | None = None  # `from`: a point or body; None is the inertial origin
    frame: str | None = None  # `in`: a frame or body


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles of a file in the model's folder: corners (three 32-bit floats each) and faces (three indices each)."""

    file: str
    corners: bytes
    faces: bytes


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawn shape: a word of `model.shapes` and its sizes, `at` a place or `from` one `to` another.

    A body's shapes are in body axes, from the centre of mass; those of [drawings] are in inertial axes.
    """

    kind: str
    sizes: tuple[Expression, ...] = ()
    at: Expression | None = None
    axis: str | tuple[Expression, Expression, Expression] | None = None
    turn: tuple[AxisTurn, ...] = ()
    start: Expression | None = None  # `from`
    to: Expression | None = None
    count: Expression | None = None  # spokes, turns or links
    colour: str = ""
    clear: bool = False  # transparent
    text: str = ""  # the letters, or the file of a mesh
    mesh: Mesh | None = None


@dataclass(frozen=True, slots=True)
class View:
    """How the motion is viewed, if the model says so: the direction that is up, and the place of the eye."""

    up: Expression | None = None
    eye: Expression | None = None
    follow: bool | None = None


@dataclass(frozen=True, slots=True)
class Body:
    mass: Expression
    position: Expression | None  # None if a joint carries the body, but never in a plain model
    rotation: tuple[AxisTurn, ...] = ()
    frame: str | None = None  # instead of rotation
    spin: AxisTurn | None = None
    inertia: tuple[Expression, ...] = ()  # xx yy zz, or xx yy zz xy yz xz; () for a particle
    ejection: Expression | None = None
    shapes: tuple[Shape, ...] = ()
    attitude: Literal["angles", "quaternion"] = "angles"
    orientation: tuple[AxisTurn, ...] = ()  # at the start, of a body with a quaternion
    angular_velocity: Expression | None = None  # likewise, in body axes

    @property
    def place(self) -> Expression:
        """The position of a body of a plain model."""
        if self.position is None:
            raise ValueError("a joint carries this body; only the plain model has its place")
        return self.position


@dataclass(frozen=True, slots=True)
class Energy:
    kinetic: Expression | None = None
    potential: Expression | None = None
    dissipation: Expression | None = None


@dataclass(frozen=True, slots=True)
class Force:
    body: str | None = None
    at: Expression | None = None
    force: Expression | None = None
    torque: Expression | None = None
    generalized: Mapping[str, Expression] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class Equation:
    """left = right; the residual is left - right. A vector equation is three rows, NAME.x, NAME.y, NAME.z."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Plane:
    point: Expression
    normal: Expression


@dataclass(frozen=True, slots=True)
class Surface:
    """z = g(x, y), or f(x, y, z) = 0 with the body on the side f > 0. Contains numbers, parameters, x, y and z only."""

    left: Expression
    right: Expression

    @property
    def explicit(self) -> bool:
        return self.left == Name("z") and "z" not in names([self.right])

    @property
    def residual(self) -> Expression:
        return self.left - self.right


@dataclass(frozen=True, slots=True)
class Rolling:
    """A wheel or torus (about its spin axis, or z without spin), a ball, an ellipsoid, or one material point."""

    body: str
    kind: Literal["wheel", "ball", "at", "ellipsoid", "torus"]
    size: Expression  # the radius, the point, the first semi-axis, or the radius of the tube's centre line
    on: str | Plane | Surface = "ground"  # "ground", or the name of a body that carries the plane
    rows: tuple[str, ...] = ("touch", "slip")
    further: tuple[Expression, ...] = ()  # an ellipsoid's other semi-axes, the radius of a torus's tube
    centre: Expression | None = None  # of the ball, wheel or convex body: in body axes, from the centre of mass
    grip: Expression | None = (
        None  # coefficient of friction: rolling would end if the slip's reaction exceeded grip times the normal force
    )


@dataclass(frozen=True, slots=True)
class DisplacementRule:
    rule: Literal["chetaev", "vakonomic", "rows"] = "chetaev"
    rows: tuple[Mapping[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Contact:
    gap: Expression
    restitution: Expression
    reverses: tuple[Expression, ...] = ()
    slip: tuple[Expression, ...] = ()
    friction: Expression | Literal["rough"] | None = None
    law: Literal["newton", "poisson", "zhang-mei"] = "newton"


@dataclass(frozen=True, slots=True)
class Friction:
    slip: tuple[Expression, ...]
    normal: Expression | str  # an expression, or the name of the constraint or contact that presses
    coefficient: Expression
    static: Expression | None = None
    held: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class EventRule:
    when: Expression
    stop: bool = False


MOST_SAMPLES = 10_000_000


@dataclass(frozen=True, slots=True)
class Simulation:
    duration: float | None = None
    samples: int | None = None
    tolerance: float = 1e-9
    method: str | None = None
    description: Literal["segmented", "whole-course"] = "segmented"
    start: float = 0.0
    stepper: str = "auto"  # auto, dop853, gauss, radau, taylor
    step: float | None = None  # of the fixed-step stepper


@dataclass(frozen=True, slots=True)
class ModelRecord:
    title: str = ""
    reference: str = ""
    gravity: Expression | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=_empty)
    coordinates: Mapping[str, Coordinate] = field(default_factory=_empty)
    definitions: Mapping[str, Expression] = field(default_factory=_empty)
    frames: Mapping[str, Frame] = field(default_factory=_empty)
    points: Mapping[str, Point] = field(default_factory=_empty)
    bodies: Mapping[str, Body] = field(default_factory=_empty)
    energy: Energy = Energy()
    forces: Mapping[str, Force] = field(default_factory=_empty)
    constraints: Mapping[str, Equation] = field(default_factory=_empty)
    rolling: Mapping[str, Rolling] = field(default_factory=_empty)
    quasi_velocities: Mapping[str, Expression] = field(default_factory=_empty)
    virtual_displacements: DisplacementRule = DisplacementRule()
    multipliers: Mapping[str, Expression] = field(default_factory=_empty)
    contacts: Mapping[str, Contact] = field(default_factory=_empty)
    frictions: Mapping[str, Friction] = field(default_factory=_empty)
    events: Mapping[str, EventRule] = field(default_factory=_empty)
    simulation: Simulation = field(default_factory=Simulation)
    drawings: Mapping[str, Shape] = field(default_factory=_empty)  # shapes that belong to no body
    view: View = View()
    joints: Mapping[str, Joint] = field(default_factory=_empty)
    inputs: Mapping[str, Input] = field(default_factory=_empty)  # in a plain model: those from data
    states: Mapping[str, FirstOrderState] = field(default_factory=_empty)
    sampled: Mapping[str, Sampled] = field(default_factory=_empty)
    outputs: Mapping[str, Expression] = field(default_factory=_empty)
    stated: ModelRecord | None = None  # the user's model, if this one is its plain form

    @property
    def followed(self) -> tuple[str, ...]:
        """The parameters of a plain model that a motion carries along: states, then values that controllers hold."""
        return (*self.states, *(name for controller in self.sampled.values() for name in controller.values))

    @property
    def varying(self) -> tuple[str, ...]:
        """The parameters of a plain model that a motion changes: data, states, and values that controllers hold."""
        return (*self.inputs, *self.followed)
