"""Pairs (value, time derivative) with the arithmetic and functions of the model language, and rotations of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dalembert.expressions import numeric

DERIVATIVES: dict[str, Callable[[float], float]] = {
    "sin": math.cos,
    "cos": lambda x: -math.sin(x),
    "tan": lambda x: 1 + math.tan(x) ** 2,
    "asin": lambda x: 1 / math.sqrt(1 - x * x),
    "acos": lambda x: -1 / math.sqrt(1 - x * x),
    "atan": lambda x: 1 / (1 + x * x),
    "sinh": math.cosh,
    "cosh": math.sinh,
    "tanh": lambda x: 1 - math.tanh(x) ** 2,
    "exp": math.exp,
    "log": lambda x: 1 / x,
    "sqrt": lambda x: 0.5 / math.sqrt(x),
    "abs": lambda x: float((x > 0) - (x < 0)),
    "sign": lambda x: 0.0,
    "floor": lambda x: 0.0,
}


@dataclass(frozen=True, slots=True)
class Dual:
    """A value and its rate. If the rate does not exist, it is NaN."""

    value: float
    rate: float = 0.0

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.rate + other.rate)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.rate)

    def __sub__(self, other: Dual) -> Dual:
        return self + -other

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.rate * other.value + self.value * other.rate)

    def __truediv__(self, other: Dual) -> Dual:
        quotient = self.value / other.value
        return Dual(quotient, (self.rate - quotient * other.rate) / other.value)

    def power(self, exponent: Dual) -> Dual:
        value = math.pow(self.value, exponent.value)
        rate = 0.0
        if self.rate != 0:
            rate += _or_nan(lambda: exponent.value * math.pow(self.value, exponent.value - 1) * self.rate)
        if exponent.rate != 0:
            rate += _or_nan(lambda: math.log(self.value) * value * exponent.rate)
        return Dual(value, rate)


Triple = tuple[Dual, Dual, Dual]
Rotation = tuple[Triple, Triple, Triple]


def _or_nan(rate: Callable[[], float]) -> float:
    try:
        return rate()
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def applied(function: str, arguments: tuple[Dual, ...]) -> Dual:
    """A scalar function of the model language."""
    value = numeric.applied(function, [a.value for a in arguments])
    if function == "clip":
        x, low, high = arguments
        return x if low.value < x.value < high.value else Dual(value, (low if value == low.value else high).rate)
    if function == "mod":
        x, m = arguments
        return Dual(value, x.rate - math.floor(x.value / m.value) * m.rate)
    if function in ("min", "max"):
        return next(a for a in arguments if a.value == value)
    if function == "atan2":
        y, x = arguments
        return Dual(value, _or_nan(lambda: (y.rate * x.value - y.value * x.rate) / (x.value**2 + y.value**2)))
    (a,) = arguments
    return Dual(value, 0.0 if a.rate == 0 else _or_nan(lambda: DERIVATIVES[function](a.value) * a.rate))


def dot(a: Triple, b: Triple) -> Dual:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def identity() -> Rotation:
    zero, one = Dual(0.0), Dual(1.0)
    return (one, zero, zero), (zero, one, zero), (zero, zero, one)


def turning(axis: Triple, angle: Dual) -> Rotation:
    """Rodrigues: R = cos φ 1 + sin φ [n]× + (1 - cos φ) n nᵀ, with the axis normalized."""
    length = applied("sqrt", (dot(axis, axis),))
    n = tuple(entry / length for entry in axis)
    c, s = applied("cos", (angle,)), applied("sin", (angle,))
    rest = Dual(1.0) - c
    diagonal = [c + rest * n[i] * n[i] for i in range(3)]
    return (
        (diagonal[0], rest * n[0] * n[1] - s * n[2], rest * n[0] * n[2] + s * n[1]),
        (rest * n[1] * n[0] + s * n[2], diagonal[1], rest * n[1] * n[2] - s * n[0]),
        (rest * n[2] * n[0] - s * n[1], rest * n[2] * n[1] + s * n[0], diagonal[2]),
    )


def by_quaternion(e0: Dual, e1: Dual, e2: Dual, e3: Dual) -> Rotation:
    """The same as `mechanics.rotations.by_quaternion`, for a quaternion of length one."""
    one, two = Dual(1.0), Dual(2.0)
    return (
        (one - two * (e2 * e2 + e3 * e3), two * (e1 * e2 - e0 * e3), two * (e1 * e3 + e0 * e2)),
        (two * (e1 * e2 + e0 * e3), one - two * (e1 * e1 + e3 * e3), two * (e2 * e3 - e0 * e1)),
        (two * (e1 * e3 - e0 * e2), two * (e2 * e3 + e0 * e1), one - two * (e1 * e1 + e2 * e2)),
    )


def turned(rotation: Rotation, vector: Triple) -> Triple:
    x, y, z = (dot(row, vector) for row in rotation)
    return x, y, z


def times_matrix(a: Rotation, b: Rotation) -> Rotation:
    columns = tuple(zip(*b, strict=True))
    x, y, z = (tuple(dot(row, column) for column in columns) for row in a)  # type: ignore[arg-type]
    return x, y, z  # type: ignore[return-value]
