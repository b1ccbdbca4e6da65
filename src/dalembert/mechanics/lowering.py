"""From the model's expression trees to SymEngine: names are resolved, definitions expanded, vectors become triples.

For reading (if `start` is given), decimals become exact rational numbers, and roots of squares lose their root.

Functions with corners (abs, sign, min, max) become Piecewise before anything is differentiated, since SymEngine leaves
their derivatives unevaluated. Parameters given as numbers are substituted at once, so that like terms merge and zeros
vanish early. The others stay symbols, for people to read or to be set later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any

import symengine as se

from dalembert.expressions import nodes as x
from dalembert.mechanics.algebra import Scalar, Symbols, Triple, apply, cross, dot, exact, number, plus, scaled, total
from dalembert.mechanics.roots import perfect_root
from dalembert.mechanics.rotations import AXES, Attitude, by_quaternion, turned
from dalembert.model.order import evaluation_order
from dalembert.model.record import AxisTurn, Body, ModelRecord

NONE: Mapping[str, float] = MappingProxyType({})
Value = Any  # a scalar, or a triple for a vector

PLAIN: dict[str, Callable[..., Scalar]] = {
    name: getattr(se, name) for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split()
}

ONE = se.Integer(1)
LARGEST_ROOT = 1000  # an exponent with a larger denominator becomes a decimal
CORNERS = frozenset({"abs", "sign", "min", "max", "clip", "floor", "mod"})


@dataclass(frozen=True, slots=True)
class Test:
    """A condition: a comparison of two scalars, or conditions joined by and, or, not."""

    operator: str
    parts: tuple[Any, ...]


def chosen(test: Test, yes: Value, no: Value) -> Value:
    """if(test, yes, no) with comparisons alone: and, or and not become nested choices."""
    match test.operator:
        case "not":
            return chosen(test.parts[0], no, yes)
        case "and":
            return reduce(lambda rest, part: chosen(part, rest, no), reversed(test.parts), yes)
        case "or":
            return reduce(lambda rest, part: chosen(part, yes, rest), reversed(test.parts), no)
    if isinstance(yes, tuple):
        return tuple(chosen(test, a, b) for a, b in zip(yes, no, strict=True))
    if yes == no:
        return yes
    left, right = test.parts
    holds = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[test.operator]
    if isinstance(holds, bool) or (holds.is_Boolean and not holds.args):
        return yes if bool(holds) else no
    return se.Piecewise((yes, holds), (no, True))


def absolute(u: Scalar) -> Scalar:
    return abs(u) if u.is_Number else se.Piecewise((u, u >= 0), (-u, True))


def sign(u: Scalar) -> Scalar:
    return se.sign(u) if u.is_Number else se.Piecewise((1, u > 0), (-1, u < 0), (0, True))


def greater(u: Scalar, w: Scalar) -> Scalar:
    return se.Max(u, w) if u.is_Number and w.is_Number else se.Piecewise((u, u >= w), (w, True))


def lesser(u: Scalar, w: Scalar) -> Scalar:
    return se.Min(u, w) if u.is_Number and w.is_Number else se.Piecewise((u, u <= w), (w, True))


class Lowering:
    """Resolves the names of one checked model. Vectors are triples of inertial components."""

    def __init__(
        self,
        model: ModelRecord,
        motion: Symbols,
        parameters: Mapping[str, float] = NONE,
        start: Mapping[Scalar, float] | None = None,
    ):
        self.model = model
        self.motion = motion
        self._start = start
        self._positive: dict[Scalar, None] = {}  # factors whose sign was assumed to resolve a root, in order
        self._negative: dict[Scalar, None] = {}
        self._scalars: dict[str, Scalar] = dict(zip(motion.names, motion.q, strict=True))
        for name in model.parameters:
            self._scalars[name] = number(parameters[name]) if name in parameters else se.Symbol(name)
        self._values: x.Results[Value] = x.Results()  # of expressions, which share parts if they were built in Python
        self._rates = 0  # the number of rates that these values rest on
        self._definitions: dict[str, Value] = {}
        self._places: dict[str, Triple] = {}
        self._attitudes: dict[str, Attitude] = {"world": Attitude()}
        for name, part in evaluation_order(model)[0]:  # in this order a long chain of names needs no recursion
            if part == "axes":
                self.attitude(name)
            else:
                self._named(name)

    def take_over(self, other: Lowering) -> None:
        """Resolve the same names, but by own rules: values of expressions are not taken over."""
        vars(self).update(vars(other))
        self._values = x.Results()

    def scalar(self, node: x.Expression) -> Scalar:
        return self.value(node)

    def vector(self, node: x.Expression) -> Triple:
        return self.value(node)

    def value(self, node: x.Expression) -> Value:
        if len(self.motion.rates) != self._rates:
            self._values, self._rates = x.Results(), len(self.motion.rates)
        return x.fold(node, self._combined, self._values)

    def _combined(self, node: x.Expression, parts: tuple[Value, ...]) -> Value:
        match node:
            case x.Product():
                return self._product(parts)
            case x.Sum():
                return self._sum(parts)
            case x.Name(name):
                return None if name in self.model.frames or name == "world" else self._named(name)  # omega's argument
            case x.Number(value):
                if isinstance(value, int) and abs(value) < 2**53:
                    return se.Integer(value)
                return number(float(value)) if self._start is None else exact(float(value))
            case x.Vector():
                return parts
            case x.Pi():
                return se.pi
            case x.Time():
                return self.motion.t
            case x.Axis(frame, axis):
                return self.attitude(frame).axis(axis)
            case x.Prime():
                return self._derivative(parts[0])
            case x.Negative():
                return scaled(se.Integer(-1), parts[0]) if isinstance(parts[0], tuple) else -parts[0]
            case x.Reciprocal():
                return 1 / parts[0]
            case x.Power():
                return parts[0] ** _exponent(parts[1])
            case x.Call("omega", (x.Name(name),)):
                return self.attitude(name).omega_world
            case x.Call("sqrt"):
                return self.root(parts[0])
            case x.Call("norm"):
                return self.root(dot(parts[0], parts[0]))
            case x.Inequality(operator):
                return Test(operator, parts)
            case x.Logic(operator):
                return Test(operator, parts)
            case x.Call("if"):
                self.motion.corners = True
                return chosen(*parts)
            case x.Call("d"):
                return self._partial(node.arguments[0], node.arguments[1], parts)
            case x.Call("gradient"):
                return tuple(self._partial(node.arguments[0], x.Name(n), (parts[0], self._named(n))) for n in "xyz")
            case x.Call(function):
                self.motion.corners |= function in CORNERS
                return _called(function, parts)
        raise TypeError(f"{node!r} is not an expression of the model language")

    def root(self, square: Scalar) -> Scalar:
        """√square. For reading, the root is resolved if the argument is a square and the sign of its base at the start
        is known.
        """
        found = None if self._start is None else perfect_root(self.motion.whole(square), self._start)
        if found is None:
            return se.sqrt(square)
        moving = {self.motion.t, *self.motion.q, *self.motion.v}
        self._positive |= {e: None for e in found.positive if moving & e.free_symbols}
        self._negative |= {e: None for e in found.negative if moving & e.free_symbols}
        return found.value

    @property
    def region(self) -> tuple[tuple[Scalar, str], ...]:
        """The region in which the readable form holds: expressions, each with its sign (> or <) there."""
        return (*((e, ">") for e in self._positive), *((e, "<") for e in self._negative))

    def with_names(self, values: Mapping[str, Scalar], node: x.Expression) -> Value:
        """The value of an expression in which some names stand for other scalars, such as x, y, z of a surface."""
        before = self._scalars, self._values
        self._scalars, self._values = {**self._scalars, **values}, x.Results()
        try:
            return self.value(node)
        finally:
            self._scalars, self._values = before

    def position(self, name: str) -> Triple:
        """The position of a point or of a body's centre of mass."""
        if name not in self._places:
            self._places[name] = self.motion.triple("r", name, self._place(name))
        return self._places[name]

    def attitude(self, name: str) -> Attitude:
        """The attitude of a frame or body. A body's attitude includes its spin."""
        if name not in self._attitudes:
            frame = self.model.frames.get(name)
            if frame is not None and frame.quaternion:
                e = [self.scalar(entry) for entry in frame.quaternion]
                norm = self.motion.named(f"rho[{name}]", se.sqrt(total(entry * entry for entry in e)))
                found = by_quaternion(e, [self.motion.derivative(entry) for entry in e], norm**2)
            elif frame is not None:
                found = self._sequence(self.attitude(frame.origin), frame.turn)
            else:
                body = self.model.bodies[name]
                carrier = self.carrier(name)
                found = carrier if body.spin is None else self._sequence(carrier, (body.spin,))
            self._attitudes[name] = self.motion.attitude(name, found)
        return self._attitudes[name]

    def carrier(self, name: str) -> Attitude:
        """The body's frame without its spin. The body's inertia is constant in it."""
        key = name + " carrier"
        if key not in self._attitudes:
            body: Body = self.model.bodies[name]
            start = self.attitude(body.frame) if body.frame is not None else self._attitudes["world"]
            owner = name if body.spin is None else key
            self._attitudes[key] = self.motion.attitude(owner, self._sequence(start, body.rotation))
        return self._attitudes[key]

    def axis(self, turn: AxisTurn) -> Triple:
        if isinstance(turn.axis, str):
            return AXES[turn.axis]
        components = tuple(self.scalar(c) for c in turn.axis)
        length = self.root(total(c * c for c in components))
        return tuple(c / length for c in components)  # type: ignore[return-value]

    def angle(self, turn: AxisTurn) -> tuple[Scalar, Scalar]:
        """The angle and its rate."""
        angle = self.scalar(turn.angle)
        return angle, self.motion.derivative(angle)

    def _sequence(self, attitude: Attitude, turns: Sequence[AxisTurn]) -> Attitude:
        for turn in turns:
            attitude = turned(attitude, self.axis(turn), *self.angle(turn))
        return attitude

    def _place(self, name: str) -> Triple:
        point = self.model.points.get(name)
        if point is None:
            return self.vector(self.model.bodies[name].place)
        at = self.vector(point.at)
        if point.frame is not None:
            at = apply(self.attitude(point.frame).matrix, at)
        return at if point.origin is None else plus(self.position(point.origin), at)

    def _named(self, name: str) -> Value:
        if name in self._scalars:
            return self._scalars[name]
        if name in self.model.definitions:
            if name not in self._definitions:
                self._definitions[name] = self._defined(name, self.value(self.model.definitions[name]))
            return self._definitions[name]
        if name in self.model.quasi_velocities:
            return self.scalar(self.model.quasi_velocities[name])
        return self.position(name)

    def _defined(self, name: str, value: Value) -> Value:
        if not isinstance(value, tuple):
            return self.motion.named(name, value)
        return tuple(self.motion.named(f"{name}.{axis}", c) for axis, c in zip("xyz", value, strict=True))

    def _partial(self, node: x.Expression, by: x.Expression, values: tuple[Value, ...]) -> Value:
        """∂e/∂s with definitions expanded. A parameter that is differentiated by is a symbol meanwhile."""
        value, symbol = values
        put_in: dict[Scalar, Scalar] = {}
        if isinstance(by, x.Name) and by.name in self.model.parameters:
            free = Lowering(self.model, self.motion)
            value, symbol = free.value(node), free._scalars[by.name]
            put_in = {se.Symbol(name): self._scalars[name] for name in self.model.parameters}
        slopes = [self.motion.slope(c, symbol).subs(put_in) for c in (value if isinstance(value, tuple) else (value,))]
        return tuple(slopes) if isinstance(value, tuple) else slopes[0]  # type: ignore[return-value]

    def _derivative(self, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(self.motion.derivative(c) for c in value)  # type: ignore[return-value]
        return self.motion.derivative(value)

    @staticmethod
    def _sum(values: tuple[Value, ...]) -> Value:
        if isinstance(values[0], tuple):
            return tuple(total(v[i] for v in values) for i in range(3))  # type: ignore[return-value]
        return total(values)

    @staticmethod
    def _product(values: tuple[Value, ...]) -> Value:
        factor: Scalar = ONE
        vector: Triple | None = None
        for value in values:
            if isinstance(value, tuple):
                vector = value
            else:
                factor = value if factor is ONE else factor * value
        return factor if vector is None else scaled(factor, vector)


def _exponent(exponent: Scalar) -> Scalar:
    """Turn a float that is a small integer into one: x^2.0 would otherwise be a call of pow."""
    if not exponent.is_Number or (exponent.is_Rational and exponent.q < LARGEST_ROOT):
        return exponent
    return number(float(exponent))


def _called(function: str, values: tuple[Value, ...]) -> Value:
    if function in PLAIN:
        return PLAIN[function](*values)
    match function:
        case "dot":
            return dot(*values)
        case "cross":
            return cross(*values)
        case "abs":
            return absolute(values[0])
        case "sign":
            return sign(values[0])
        case "clip":
            return lesser(greater(values[0], values[1]), values[2])
        case "floor":
            return se.floor(values[0])
        case "mod":
            return values[0] - values[1] * se.floor(values[0] / values[1])
        case "min" | "max":
            return reduce(lesser if function == "min" else greater, values)
    raise TypeError(f"{function} is not a function of the model language")
