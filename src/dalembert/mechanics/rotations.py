"""Rotations as body-fixed sequences, with the angular velocity they make.

For a frame turned from its parent by the angle ϑ about the unit axis n (the same components in both):
    R = R_parent Rot(n, ϑ),     ω = Rot(n, ϑ)ᵀ ω_parent + n ϑ̇     (components in the turned frame)
so that ω never needs the derivative of a matrix. Many turns about one axis become one turn by the sum of their angles,
because the products of cosines double with every link of a planar chain. A few turns stay a product: each factor is
then a function of one coordinate, which suits the search for conserved quantities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import symengine as se

from dalembert.mechanics.algebra import (
    IDENTITY,
    NULL,
    ONE,
    ZERO,
    Matrix3,
    Scalar,
    Triple,
    apply,
    cross,
    plus,
    product,
    scaled,
    transposed,
)

FEW = 4  # up to this many turns about one axis stay a product
AXES: dict[str, Triple] = {"x": (ONE, ZERO, ZERO), "y": (ZERO, ONE, ZERO), "z": (ZERO, ZERO, ONE)}


@dataclass(frozen=True, slots=True)
class Attitude:
    """World components of a frame's axes (columns of `matrix`), and its angular velocity in its own components."""

    matrix: Matrix3 = IDENTITY
    omega: Triple = NULL
    last: Turned | None = None

    def world(self, components: Triple) -> Triple:
        return apply(self.matrix, components)

    def local(self, vector: Triple) -> Triple:
        return apply(transposed(self.matrix), vector)

    def axis(self, name: str) -> Triple:
        return self.world(AXES[name])

    @property
    def omega_world(self) -> Triple:
        return self.world(self.omega)


@dataclass(frozen=True, slots=True)
class Turned:
    """The turns about one axis that led to an attitude, and the attitude before them."""

    origin: Attitude
    axis: Triple
    angle: Scalar
    rate: Scalar
    count: int


def rotation(axis: Triple, angle: Scalar) -> Matrix3:
    """Rodrigues' formula. It is written out if the axis is a coordinate axis."""
    c, s = se.cos(angle), se.sin(angle)
    if axis == AXES["x"]:
        return ((ONE, ZERO, ZERO), (ZERO, c, -s), (ZERO, s, c))
    if axis == AXES["y"]:
        return ((c, ZERO, s), (ZERO, ONE, ZERO), (-s, ZERO, c))
    if axis == AXES["z"]:
        return ((c, -s, ZERO), (s, c, ZERO), (ZERO, ZERO, ONE))
    x, y, z = axis
    k = 1 - c
    return (
        (c + x * x * k, x * y * k - z * s, x * z * k + y * s),
        (y * x * k + z * s, c + y * y * k, y * z * k - x * s),
        (z * x * k - y * s, z * y * k + x * s, c + z * z * k),
    )


def turned(attitude: Attitude, axis: Triple, angle: Scalar, rate: Scalar) -> Attitude:
    last = attitude.last
    if last is None or last.axis != axis:
        return replace(_turned(attitude, axis, angle, rate), last=Turned(attitude, axis, angle, rate, 1))
    whole = Turned(last.origin, axis, last.angle + angle, last.rate + rate, last.count + 1)
    if whole.count <= FEW:
        return replace(_turned(attitude, axis, angle, rate), last=whole)
    return replace(_turned(whole.origin, axis, whole.angle, whole.rate), last=whole)


def _turned(attitude: Attitude, axis: Triple, angle: Scalar, rate: Scalar) -> Attitude:
    turn = rotation(axis, angle)
    return Attitude(
        product(attitude.matrix, turn),
        plus(apply(transposed(turn), attitude.omega), scaled(rate, axis)),
    )


def by_quaternion(e: Sequence[Scalar], rate: Sequence[Scalar], square: Scalar) -> Attitude:
    """R = 1 + (2/s)(e₀ [ε]× + [ε]×²),  ω = (2/s)(e₀ ε̇ − ė₀ ε − ε × ε̇) in the turned axes, e = (e₀, ε), s = |e|².

    s = 1 along a motion. Division by s makes the result independent of the length of e, so no method finds a force
    along e.
    """
    e0, e1, e2, e3 = e
    d0, *d = rate
    epsilon = (e1, e2, e3)
    k = 2 / square
    matrix = (
        (1 - k * (e2**2 + e3**2), k * (e1 * e2 - e0 * e3), k * (e1 * e3 + e0 * e2)),
        (k * (e1 * e2 + e0 * e3), 1 - k * (e1**2 + e3**2), k * (e2 * e3 - e0 * e1)),
        (k * (e1 * e3 - e0 * e2), k * (e2 * e3 + e0 * e1), 1 - k * (e1**2 + e2**2)),
    )
    swing = cross(epsilon, (d[0], d[1], d[2]))
    omega: Triple = tuple(k * (e0 * d[i] - d0 * epsilon[i] - swing[i]) for i in range(3))  # type: ignore[assignment]
    return Attitude(matrix, omega)


def carried(attitude: Attitude, axis: Triple, rate: Scalar) -> Triple:
    """Angular velocity of a body that spins about `axis` in the frame, in the frame's components."""
    return plus(attitude.omega, scaled(rate, axis))
