"""Velocities and accelerations of points and bodies, as coefficients of q̇ and q̈.

    v = Σ_j c_j q̇_j + ∂r/∂t,   a = Σ_j c_j q̈_j + β,   c_j = ∂r/∂q_j            (Long (2)–(4), (12))
    ω = Σ_j w_j q̇_j + ω_t,     α = Σ_j w_j q̈_j + κ,   κ = (ω̇ at q̈ = 0) + Ω × ω     (Long (30))

ω, α and the inertia J are components in the body's carrier, the frame that moves with the body but without its spin.
Its angular velocity is Ω, and J is constant there. A point placed in a frame adds its own columns to those of its
origin, so the cost of a chain of n bodies grows with its links only.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expressions.nodes import Name
from dalembert.mechanics.algebra import (
    HALF,
    NULL,
    ZERO,
    Matrix3,
    Scalar,
    Symbols,
    Triple,
    apply,
    cross,
    dot,
    is_null,
    is_zero,
    plus,
    total,
)
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.rotations import Attitude, carried
from dalembert.model.record import Body

Columns = tuple[Triple | None, ...]  # one for each coordinate; None if it is zero


def added(a: Columns, b: Columns) -> Columns:
    return tuple(q if p is None else p if q is None else plus(p, q) for p, q in zip(a, b, strict=True))


def combined(columns: Columns, factors: tuple[Scalar, ...], rest: Triple = NULL) -> Triple:
    """Σ_j columns_j factors_j + rest."""
    pairs = [(c, f) for c, f in zip(columns, factors, strict=True) if c is not None]
    along = ([c[i] * f for c, f in pairs if not is_zero(c[i])] for i in range(3))
    return tuple([total([*terms, r]) for terms, r in zip(along, rest, strict=True)])  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class PointMotion:
    position: Triple
    columns: Columns  # ∂r/∂q_j
    drift: Triple  # ∂r/∂t
    bias: Triple  # acceleration at q̈ = 0
    speed: Triple | None = None  # the velocity, if it is known

    def velocity(self, motion: Symbols) -> Triple:
        if motion.names_quantities:
            return tuple(motion.derivative(c) for c in self.position)  # type: ignore[return-value]
        return self.speed or combined(self.columns, motion.v, self.drift)

    def acceleration(self, motion: Symbols) -> Triple:
        return combined(self.columns, motion.a, self.bias)


@dataclass(frozen=True, slots=True)
class Turning:
    """Rotation of a rigid body, in its carrier's components."""

    attitude: Attitude  # of the carrier
    inertia: Matrix3
    omega: Triple
    columns: Columns  # ∂ω/∂q̇_j
    bias: Triple  # κ

    def acceleration(self, motion: Symbols) -> Triple:
        return combined(self.columns, motion.a, self.bias)

    def gyroscopic(self) -> Triple:
        """ω × Jω"""
        return cross(self.omega, apply(self.inertia, self.omega))


@dataclass(frozen=True, slots=True)
class BodyMotion:
    name: str
    mass: Scalar
    centre: PointMotion
    turning: Turning | None  # None for a particle
    mass_drift: Scalar  # μ = ∂m/∂t + (∂m/∂q) q̇                       (Qiao)
    mass_slopes: tuple[Scalar, ...]  # ∂m/∂q̇_j
    ejection: Triple

    @property
    def varies(self) -> bool:
        return not (is_zero(self.mass_drift) and all(map(is_zero, self.mass_slopes)))

    @property
    def thrusts(self) -> bool:
        return self.varies and not is_null(self.ejection)

    def kinetic(self, motion: Symbols) -> Scalar:
        v = self.centre.velocity(motion)
        energy = HALF * self.mass * dot(v, v)
        if self.turning is not None:
            omega = self.turning.omega
            energy += HALF * dot(omega, apply(self.turning.inertia, omega))
        return energy


class Bodies:
    """The motions of a model's bodies and points, each worked out once."""

    def __init__(self, lowering: Lowering):
        self.lowering = lowering
        self.motion = lowering.motion
        self._points: dict[str, PointMotion] = {}

    def point(self, name: str) -> PointMotion:
        if name not in self._points:
            self._points[name] = self._named_point(name)
        return self._points[name]

    def body(self, name: str) -> BodyMotion:
        low, motion, body = self.lowering, self.motion, self.lowering.model.bodies[name]
        mass = low.scalar(body.mass)
        return BodyMotion(
            name=name,
            mass=mass,
            centre=self.point(name),
            turning=self._turning(name, body),
            mass_drift=motion.derivative(mass),
            mass_slopes=motion.gradient(mass, motion.v),
            ejection=NULL if body.ejection is None else low.vector(body.ejection),
        )

    def _named_point(self, name: str) -> PointMotion:
        point = self.lowering.model.points.get(name)
        if self.motion.names_quantities:
            return self._moving(self.lowering.position(name))
        if point is None:
            position = self.lowering.model.bodies[name].place
            return (
                self.point(position.name)
                if isinstance(position, Name) and self._is_place(position.name)
                else self._moving(self.lowering.position(name))
            )
        if point.origin is None:
            return self._moving(self.lowering.position(name))
        start = self.point(point.origin)
        at = self.lowering.vector(point.at)
        local = self._moving(at if point.frame is None else self.lowering.attitude(point.frame).world(at))
        return PointMotion(
            position=self.lowering.position(name),
            columns=added(start.columns, local.columns),
            drift=plus(start.drift, local.drift),
            bias=plus(start.bias, local.bias),
        )

    def _is_place(self, name: str) -> bool:
        return name in self.lowering.model.points or name in self.lowering.model.bodies

    def _moving(self, position: Triple) -> PointMotion:
        motion = self.motion
        *along, slope = self._columns(position, (*motion.q, motion.t))
        columns, drift = tuple(along), slope or NULL
        velocity = PointMotion(position, columns, drift, NULL).velocity(motion)
        bias: Triple = tuple([motion.derivative(c) for c in velocity])  # type: ignore[assignment]
        return PointMotion(position, columns, drift, bias, velocity)

    def _turning(self, name: str, body: Body) -> Turning | None:
        if not body.inertia:
            return None
        low, motion = self.lowering, self.motion
        carrier = low.carrier(name)
        omega = carrier.omega
        if body.spin is not None:
            omega = carried(carrier, low.axis(body.spin), low.angle(body.spin)[1])
        bias: Triple = tuple(motion.derivative(c) for c in omega)  # type: ignore[assignment]
        if body.spin is not None:
            bias = plus(bias, cross(carrier.omega, omega))
        columns = self._columns(omega, motion.v)
        return Turning(carrier, inertia_matrix([low.scalar(i) for i in body.inertia]), omega, columns, bias)

    def _columns(self, vector: Triple, symbols: tuple[Scalar, ...]) -> Columns:
        rows = [self.motion.gradient(c, symbols) for c in vector]
        columns = zip(*rows, strict=True)
        return tuple([None if is_null(c) else c for c in columns])  # type: ignore[misc,arg-type]


def inertia_matrix(entries: list[Scalar]) -> Matrix3:
    """[xx, yy, zz] or [xx, yy, zz, xy, yz, xz], tensor entries."""
    xx, yy, zz = entries[:3]
    xy, yz, xz = entries[3:] if len(entries) == 6 else (ZERO, ZERO, ZERO)
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def material_columns(body: BodyMotion, lowering: Lowering, arm: Triple) -> Columns:
    """Partial velocities of the material point of a body that is at `arm` from its centre of mass now."""
    turning = world_turning(body, lowering)
    return added(body.centre.columns, tuple(None if w is None else cross(w, arm) for w in turning))


def world_turning(body: BodyMotion, lowering: Lowering) -> Columns:
    """∂ω/∂q̇_j in inertial components. A body without inertia has them too, since a torque may act on it."""
    if body.turning is not None:
        return tuple(None if w is None else body.turning.attitude.world(w) for w in body.turning.columns)
    omega = lowering.attitude(body.name).omega_world
    motion = lowering.motion
    rows = [motion.gradient(c, motion.v) for c in omega]
    return tuple(None if is_null(c) else c for c in zip(*rows, strict=True))  # type: ignore[misc,arg-type]


__all__ = ["Bodies", "BodyMotion", "PointMotion", "Turning", "combined", "material_columns", "world_turning"]
