"""Attitudes by quaternion written out: four coordinates, their norm as a row, and ω as quasi-velocities.

With e = (e₀, ε) of length one and the body's axes R(e) (`mechanics.rotations.by_quaternion`):
    start:  e = Π (cos φ/2, n sin φ/2) over the turns of `orientation`
    speeds: ė₀ = −½ ε·ω,  ε̇ = ½ (e₀ ω + ε × ω)              from `angular_velocity`, in body axes
    row:    e₀² + ε·ε = 1                                     NAME.norm
    quasi-velocities NAME.w1, .w2, .w3 = ω·R x, ω·R y, ω·R z, unless the model states its own
The attitude is relative to the world's axes, even if a ball or free joint hangs the body on another body.
"""

from __future__ import annotations

from dalembert.expressions.nodes import (
    Axis,
    Call,
    Expression,
    Name,
    Number,
    Power,
    Product,
    Reciprocal,
    Sum,
    Vector,
)
from dalembert.language import tr
from dalembert.model import directions
from dalembert.model.directions import Components, add, cross, scaled, times
from dalembert.model.plain import Writing
from dalembert.model.record import AxisTurn, Body, Coordinate, Equation, Frame

ONE, TWO, HALF = Number(1), Number(2), Number(0.5)
Quaternion = tuple[Expression, Components]
STILL: Quaternion = (ONE, (Number(0), Number(0), Number(0)))


def write_attitudes(writing: Writing) -> None:
    own = bool(writing.stated.quasi_velocities)
    for name, body in writing.stated.bodies.items():
        if _sound(writing, name, body):
            _write(writing, name, body, own)


def _sound(writing: Writing, name: str, body: Body) -> bool:
    table, wrong = f"bodies.{name}", len(writing.faults)
    if body.attitude == "angles":
        for key in ("orientation", "angular_velocity"):
            if getattr(body, key):
                writing.fault(
                    table, key, tr('it belongs to attitude = "quaternion"; give that, or rotation and [speeds]')
                )
        return False
    for key in ("rotation", "frame", "spin"):
        if getattr(body, key):
            writing.fault(table, key, tr("the attitude is a quaternion; its start is stated by orientation"))
    for turn in body.orientation:
        for entry in (turn.angle, *(() if isinstance(turn.axis, str) else turn.axis)):
            if not writing.constant(entry):
                message = tr(
                    "{entry} was met; the start is expected as numbers or expressions of parameters",
                    entry=entry,
                )
                writing.fault(table, "orientation", message)
        axis = directions.UNITS[turn.axis] if isinstance(turn.axis, str) else turn.axis
        if not any(directions.numbers(axis, writing.parameters) or ()):
            writing.fault(
                table, "orientation", tr("an axis has no direction; three numbers, not all zero, are expected")
            )
    speed = body.angular_velocity
    if speed is not None and not (isinstance(speed, Vector) and all(map(writing.constant, speed.children))):
        message = tr("three numbers or expressions of parameters are expected, along the body's axes")
        writing.fault(table, "angular_velocity", message)
    return len(writing.faults) == wrong


def _write(writing: Writing, name: str, body: Body, own: bool) -> None:
    table = f"bodies.{name}"
    start = STILL
    for turn in body.orientation:
        start = multiplied(start, _half_turn(turn))
    initial = (start[0], *start[1])
    omega = directions.components(body.angular_velocity)
    speeds = (None,) * 4 if omega is None else _rates(start, omega)
    names = tuple(f"{name}.e{i}" for i in range(4))
    for coordinate, value, speed in zip(names, initial, speeds, strict=True):
        writing.coordinate(coordinate, Coordinate(value, speed), (table, "orientation"))
        if coordinate not in writing.stated.coordinates:
            writing.origins["speeds", coordinate] = (table, "angular_velocity")
    e = tuple(Name(coordinate) for coordinate in names)
    writing.add("frames", f"{name}.axes", Frame((), quaternion=e), (table, "attitude"))
    writing.tables["bodies"][name] = _placed(body, f"{name}.axes")
    length = Sum(tuple(Power(entry, TWO) for entry in e))
    writing.add("constraints", f"{name}.norm", Equation(length, ONE), (table, "attitude"))
    if not own:
        turning = Call("omega", (Name(name),))
        for i, axis in enumerate("xyz", 1):
            quasi = Call("dot", (turning, Axis(name, axis)))
            writing.add("quasi_velocities", f"{name}.w{i}", quasi, (table, "attitude"))


def _placed(body: Body, frame: str) -> Body:
    return Body(body.mass, body.position, (), frame, None, body.inertia, body.ejection, body.shapes, body.attitude)


def _half_turn(turn: AxisTurn) -> Quaternion:
    half = Product((turn.angle, Reciprocal(TWO)))
    n = directions.unit(directions.UNITS[turn.axis] if isinstance(turn.axis, str) else turn.axis)
    return Call("cos", (half,)), scaled(Call("sin", (half,)), n)


def multiplied(p: Quaternion, q: Quaternion) -> Quaternion:
    """p q = (p₀ q₀ − π·κ, p₀ κ + q₀ π + π × κ)."""
    (p0, pi), (q0, kappa) = p, q
    along = add(*(times(a, b) for a, b in zip(pi, kappa, strict=True)))
    swing = cross(pi, kappa)
    vector = tuple(add(times(p0, k), times(q0, a), s) for k, a, s in zip(kappa, pi, swing, strict=True))
    return add(times(p0, q0), directions.negative(along)), vector  # type: ignore[return-value]


def _rates(e: Quaternion, omega: Components) -> tuple[Expression, ...]:
    scalar, vector = multiplied(e, (Number(0), omega))
    return tuple(times(HALF, entry) for entry in (scalar, *vector))
