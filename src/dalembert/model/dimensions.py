"""Dimensions of expressions. Quantities of different dimensions cannot be added or equal.

A name without a unit has an unknown dimension, and so has a number whose digits may hide one (9.81). An expression that
contains one of these is not judged. Whole numbers and simple fractions have no dimension in a product, and any
dimension in a sum: x + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dalembert.errors import Fault
from dalembert.expressions import nodes as x
from dalembert.expressions.limits import constant
from dalembert.language import mark, tr
from dalembert.model.kinds import short
from dalembert.model.machine import JointCoordinate
from dalembert.model.order import evaluation_order
from dalembert.model.record import ModelRecord, Plane
from dalembert.model.units import Dimension, dimension, unit

UNKNOWN = "unknown"
ANY = "any"  # of a number
Found = Dimension | str
FINEST = 64  # a simple fraction is a multiple of 1/64

NONE = dimension()
LENGTH, MASS, TIME = dimension(length=1), dimension(mass=1), dimension(time=1)
SPEED, GRAVITY = dimension(length=1, time=-1), dimension(length=1, time=-2)
INERTIA = dimension(mass=1, length=2)
FORCE, TORQUE = dimension(mass=1, length=1, time=-2), dimension(mass=1, length=2, time=-2)
POWER = dimension(mass=1, length=2, time=-3)
NAMES = {NONE: mark("a plain number"), LENGTH: "m", MASS: "kg", TIME: "s", SPEED: "m/s", GRAVITY: "m/s^2"}
NAMES |= {INERTIA: "kg m^2", FORCE: "N", TORQUE: "N m", POWER: "W"}


def dimensions(model: ModelRecord, columns: Mapping[int, int]) -> list[Fault]:
    """The faults of dimension in a model that has no other fault. If no unit is stated, there are none."""
    units = [*(entry.unit for entry in model.parameters.values()), *(q.unit for q in model.coordinates.values())]
    if not any(units):
        return []
    judge = _Judge(model, columns)
    for table, key, root, expected in places(model):
        judge.expect(root, table, key, expected)
    for name, equation in model.constraints.items():
        judge.alike(equation.left, equation.right, "constraints", name)
    return list(dict.fromkeys(judge.faults))


def places(model: ModelRecord) -> Iterator[tuple[str, str, x.Expression | None, Dimension]]:
    """Expressions whose place determines their dimension."""
    yield "", "gravity", model.gravity, GRAVITY
    for name, point in model.points.items():
        yield "points", name, point.at, LENGTH
    for name, body in model.bodies.items():
        table = f"bodies.{name}"
        yield table, "mass", body.mass, MASS
        yield table, "position", body.position, LENGTH
        yield table, "ejection", body.ejection, SPEED
        yield from ((table, "inertia", entry, INERTIA) for entry in body.inertia)
        for turn in (*body.rotation, *([body.spin] if body.spin else [])):
            yield table, "rotation", turn.angle, NONE
    for name, frame in model.frames.items():
        yield from (("frames", name, turn.angle, NONE) for turn in frame.turn)
    yield from _joints(model)
    sprung = any(joint.damping or joint.stiffness for joint in (model.stated or model).joints.values())
    energy = model.stated.energy if model.stated is not None and sprung else model.energy  # without those of joints
    for key, expected in (("kinetic", TORQUE), ("potential", TORQUE), ("dissipation", POWER)):
        yield "energy", key, getattr(energy, key), expected
    for name, force in model.forces.items():
        table = f"forces.{name}"
        yield table, "at", force.at, LENGTH
        yield table, "force", force.force, FORCE
        yield table, "torque", force.torque, TORQUE
    for name, rolling in model.rolling.items():
        yield f"rolling.{name}", rolling.kind, rolling.size, LENGTH
        yield from ((f"rolling.{name}", "convex", size, LENGTH) for size in rolling.further)
        yield f"rolling.{name}", "centre", rolling.centre, LENGTH
        if isinstance(rolling.on, Plane):
            yield f"rolling.{name}.on", "point", rolling.on.point, LENGTH


def _joints(model: ModelRecord) -> Iterator[tuple[str, str, x.Expression | None, Dimension]]:
    """Damping and stiffness of joints whose coordinates have a unit: ½ c q̇² is a power, ½ k q² an energy."""
    for name, joint in (model.stated or model).joints.items():
        own = [entry.coordinate.unit for entry in joint.coordinates if isinstance(entry, JointCoordinate)]
        for key, whole in (("damping", multiplied(POWER, TIME, TIME)), ("stiffness", TORQUE)):
            entries = getattr(joint, key)
            for entry, stated in zip(entries if len(entries) > 1 else entries * len(own), own, strict=False):
                if stated:
                    expected = multiplied(whole, raised(unit(stated).dimension, -2))
                    assert not isinstance(expected, str)
                    yield f"joints.{name}", key, entry, expected


def written(found: Found) -> str:
    """A dimension as a coherent unit."""
    if isinstance(found, str):
        return found
    if found in NAMES:
        return tr(NAMES[found])
    letters = {"mass": "kg", "length": "m", "time": "s", "current": "A", "temperature": "K", "substance": "mol"}
    above = [_power(letters.get(name, name), power) for name, power in found if power > 0]
    below = [_power(letters.get(name, name), -power) for name, power in found if power < 0]
    return " ".join(above or ["1"]) + "".join(f"/{entry}" for entry in below)


def _power(letter: str, power: float) -> str:
    return letter if power == 1 else f"{letter}^{power:g}"


def multiplied(*factors: Found) -> Found:
    if UNKNOWN in factors:
        return UNKNOWN
    exponents: dict[str, float] = {}
    for factor in factors:
        for name, power in () if isinstance(factor, str) else factor:
            exponents[name] = exponents.get(name, 0.0) + power
    return ANY if all(factor == ANY for factor in factors) else dimension(**exponents)


def raised(base: Found, power: float) -> Found:
    return base if isinstance(base, str) else dimension(**{name: power * p for name, p in base})


@dataclass(slots=True)
class _Judge:
    model: ModelRecord
    columns: Mapping[int, int]
    faults: list[Fault] = field(default_factory=list)
    known: dict[str, Found] = field(default_factory=dict)
    place: tuple[str, str] = ("", "")
    results: x.Results[Found] = field(default_factory=x.Results)

    def __post_init__(self) -> None:
        model = self.model
        for table in (model.parameters, model.coordinates):
            self.known |= {name: unit(entry.unit).dimension if entry.unit else UNKNOWN for name, entry in table.items()}
        for name in model.parameters:
            value, stated = model.parameters[name].value, self.known[name]
            if stated != UNKNOWN and constant(value) is None:
                self.expect(value, "parameters", name, stated)  # type: ignore[arg-type]
        for name, part in evaluation_order(model)[0]:
            if name in model.definitions or name in model.quasi_velocities:
                owner = "definitions" if name in model.definitions else "quasi_velocities"
                self.known[name] = self.found(getattr(model, owner)[name], owner, name)
            elif part == "value":
                self.known[name] = LENGTH

    def fault(self, node: x.Expression, message: str) -> Found:
        self.faults.append(Fault(*self.place, self.columns.get(id(node)), message))
        return UNKNOWN

    def found(self, root: x.Expression, table: str, key: str) -> Found:
        self.place = (table, key)
        return x.fold(root, self._node, self.results)

    def expect(self, root: x.Expression | None, table: str, key: str, expected: Dimension) -> None:
        if root is None:
            return
        met = self.found(root, table, key)
        if met not in (UNKNOWN, ANY, expected):
            self.fault(
                root,
                tr(
                    "{root} is in {met}, and {expected} is expected here",
                    root=short(root),
                    met=written(met),
                    expected=written(expected),
                ),
            )

    def alike(self, left: x.Expression, right: x.Expression, table: str, key: str) -> None:
        one, other = self.found(left, table, key), self.found(right, table, key)
        if not {one, other} & {UNKNOWN, ANY} and one != other:
            message = tr(
                "{left} is in {one} and {right} in {other}",
                left=short(left),
                one=written(one),
                right=short(right),
                other=written(other),
            )
            self.fault(right, tr("{message}; both sides of an equation must have the same dimension", message=message))

    def _node(self, node: x.Expression, parts: tuple[Found, ...]) -> Found:
        match node:
            case x.Number(value):
                return ANY if value * FINEST == int(value * FINEST) else UNKNOWN
            case x.Pi():
                return NONE
            case x.Time():
                return TIME
            case x.Name(name):
                return self.known.get(name, UNKNOWN)
            case x.Axis():
                return NONE
            case x.Prime():
                return multiplied(parts[0], raised(TIME, -1)) if parts[0] != ANY else UNKNOWN
            case x.Negative():
                return parts[0]
            case x.Reciprocal():
                return raised(parts[0], -1)
            case x.Product(factors):
                kinds = {type(factor) for factor in factors}
                return UNKNOWN if {x.Number, x.Time} <= kinds else multiplied(*parts)  # in 2*t, 2 may be a rate
            case x.Sum() | x.Vector():
                return self._alike(node, node.children, parts)
            case x.Power():
                return self._power(node, parts)
            case x.Call():
                return self._call(node, parts)
            case x.Inequality():
                self._alike(node, node.children, parts)
                return NONE
            case x.Logic():
                return NONE
        return UNKNOWN

    def _alike(self, node: x.Expression, children: tuple[x.Expression, ...], parts: tuple[Found, ...]) -> Found:
        """The one dimension of parts that are added or compared."""
        first: tuple[x.Expression, Found] | None = None
        for child, part in zip(children, parts, strict=True):
            if part in (UNKNOWN, ANY):
                continue
            if first is None:
                first = (child, part)
            elif part != first[1]:
                message = tr(
                    "{first} is in {first2} and {child} in {part}",
                    first=short(first[0]),
                    first2=written(first[1]),
                    child=short(child),
                    part=written(part),
                )
                return self.fault(child, tr("{message}; the two cannot be added or compared", message=message))
        return UNKNOWN if UNKNOWN in parts else ANY if first is None else first[1]

    def _plain(self, node: x.Expression, child: x.Expression, part: Found, what: str) -> Found:
        if part in (UNKNOWN, ANY, NONE) or any(isinstance(inner, x.Number) for inner in x.walk(child)):
            return NONE  # in sin(3*x), 3 may be per metre
        return self.fault(
            child,
            tr(
                "{child} is in {part}, and {what} takes a plain number or an angle",
                child=short(child),
                part=written(part),
                what=what,
            ),
        )

    def _power(self, node: x.Power, parts: tuple[Found, ...]) -> Found:
        self._plain(node, node.exponent, parts[1], tr("an exponent"))
        exponent = constant(node.exponent)
        if parts[0] in (UNKNOWN, ANY, NONE):
            return parts[0]
        return UNKNOWN if exponent is None else raised(parts[0], exponent)

    def _call(self, node: x.Call, parts: tuple[Found, ...]) -> Found:
        match node.function:
            case "omega":
                return raised(TIME, -1)
            case "dot" | "cross":
                return multiplied(*parts)
            case "norm" | "abs":
                return parts[0]
            case "sqrt":
                return raised(parts[0], 0.5)
            case "min" | "max" | "clip" | "mod":
                return self._alike(node, node.arguments, parts)
            case "if":
                return self._alike(node, node.arguments[1:], parts[1:])
            case "d":
                return multiplied(parts[0], raised(parts[1], -1)) if ANY not in parts else UNKNOWN
            case "gradient":
                return multiplied(parts[0], raised(LENGTH, -1)) if parts[0] != ANY else UNKNOWN
            case "sign":
                return NONE
            case "atan2":
                self._alike(node, node.arguments, parts)
                return NONE
        return self._plain(node, node.arguments[0], parts[0], node.function)
