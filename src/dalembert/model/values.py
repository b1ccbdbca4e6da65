"""Numbers of a model at one instant, as floats: its initial values, and any expression with its rate.

Every quantity is a pair (value, time derivative), so that a prime takes the second of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import ge, gt, le, lt
from typing import Any, TypeVar

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import (
    Axis,
    Call,
    Expression,
    Inequality,
    Logic,
    Name,
    Negative,
    Number,
    Pi,
    Power,
    Prime,
    Product,
    Reciprocal,
    Results,
    Sum,
    Time,
    Vector,
    fold,
)
from dalembert.expressions.text import text
from dalembert.language import tr
from dalembert.model.dual import Dual, applied, by_quaternion, cross, dot, identity, times_matrix, turned, turning
from dalembert.model.order import evaluation_order
from dalembert.model.recent import kept
from dalembert.model.record import AxisTurn, ModelRecord, Parameter

COMPARED: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
DOMAIN = (ValueError, OverflowError, ZeroDivisionError)
WORLD = identity()
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Values:
    """Parameters, initial coordinates and initial speeds. A speed that is left out is None."""

    parameters: Mapping[str, float]
    coordinates: Mapping[str, float]
    speeds: Mapping[str, float | None]


@kept
def initial_values(model: ModelRecord) -> Values:
    """The numbers at the start. A parameter may depend on those above it, other values on any parameter."""
    faults: list[Fault] = []
    evaluator = Evaluator({})

    def number(expression: Expression, table: str, name: str) -> float:
        try:
            return evaluator.number(expression)
        except (*DOMAIN, KeyError) as error:
            reason = (
                tr("{args} has no value yet", args=error.args[0])
                if isinstance(error, KeyError)
                else tr("it has no finite value")
            )
            faults.append(
                Fault(
                    table,
                    name,
                    None,
                    tr("{expression} was met, and {reason}", expression=text(expression), reason=reason),
                )
            )
            return math.nan

    for name, parameter in model.parameters.items():
        evaluator.name(name, number(parameter.value, "parameters", name))
    coordinates = {n: number(c.initial, "coordinates", n) for n, c in model.coordinates.items()}
    speeds = {n: None if c.speed is None else number(c.speed, "speeds", n) for n, c in model.coordinates.items()}
    if faults:
        raise ModelError(faults)
    return Values(evaluator.scalars, coordinates, speeds)


def parameter_values(parameters: Mapping[str, Parameter]) -> dict[str, float]:
    """The values of all parameters that have a finite value."""
    evaluator = Evaluator({})
    for name, parameter in parameters.items():
        try:
            evaluator.name(name, evaluator.number(parameter.value))
        except (*DOMAIN, KeyError, TypeError, AttributeError):
            continue
    return evaluator.scalars


def at_start(model: ModelRecord, values: Values | None = None) -> Evaluator:
    """The model at its initial values. Speeds that are left out count as zero."""
    values = values or initial_values(model)
    rates = {name: speed or 0.0 for name, speed in values.speeds.items()}
    evaluator = Evaluator(values.parameters, values.coordinates, rates, model.simulation.start)
    evaluator.take(model)
    return evaluator


class Gradual:
    """Evaluates expressions at the start. Definitions and places are evaluated when the first expression needs them."""

    def __init__(self, model: ModelRecord, values: Values) -> None:
        self._of_parameters = Evaluator(values.parameters)
        self._everything = cache(lambda: at_start(model, values))

    def number(self, expression: Expression) -> float:
        return self._first(Evaluator.number, expression)

    def vector(self, expression: Expression) -> tuple[float, float, float]:
        return self._first(Evaluator.vector, expression)

    def _first(self, value: Callable[[Evaluator, Expression], Found], expression: Expression) -> Found:
        try:
            return value(self._of_parameters, expression)
        except KeyError:
            return value(self._everything(), expression)


class Evaluator:
    """Evaluates expressions at one instant. Raises ValueError or OverflowError if there is no finite value."""

    def __init__(
        self,
        parameters: Mapping[str, float],
        coordinates: Mapping[str, float] | None = None,
        speeds: Mapping[str, float] | None = None,
        time: float | None = None,
    ) -> None:
        self.time = time
        self.named: dict[str, Any] = {}
        self.scalars: dict[str, float] = {}
        for name, value in parameters.items():
            self.name(name, value)
        for name, value in (coordinates or {}).items():
            self.name(name, value, (speeds or {}).get(name, 0.0))
        self.model: ModelRecord | None = None
        self.partial = False  # while a partial derivative is taken: only one name has a rate, and primes have no value
        self.time_rate = 1.0
        self.axes: dict[str, Any] = {"world": WORLD}
        self.results: Results[Any] = Results()
        self.later: list[int] = []  # names that have no value yet

    def name(self, name: str, value: float, rate: float = 0.0) -> None:
        """Give a scalar a name."""
        self.named[name] = Dual(value, rate)
        self.scalars[name] = value

    def take(self, model: ModelRecord) -> None:
        """Evaluate the model's definitions, frames, points and bodies. One without a value stays unknown."""
        self.model = model
        for name, part in evaluation_order(model)[0]:
            try:
                (self._take_axes if part == "axes" else self._take_value)(model, name)
            except (*DOMAIN, KeyError):
                continue

    def _take_value(self, model: ModelRecord, name: str) -> None:
        if name in model.points:
            point = model.points[name]
            place = self._of(point.at)
            if point.frame:
                place = turned(self.axes[point.frame], place)
            if point.origin:
                place = _added(self.named[point.origin], place)
            self.named[name] = place
        elif name in model.bodies:
            self.named[name] = self._of(model.bodies[name].place)
        else:
            self.named[name] = self._of(
                model.definitions[name] if name in model.definitions else model.quasi_velocities[name]
            )

    def _take_axes(self, model: ModelRecord, name: str) -> None:
        if name in model.frames:
            frame = model.frames[name]
            if frame.quaternion:
                self.axes[name] = by_quaternion(*(self._of(entry) for entry in frame.quaternion))
                return
            origin, turns = frame.origin, frame.turn
        else:
            body = model.bodies[name]
            origin, turns = body.frame or "world", (*body.rotation, *([body.spin] if body.spin else []))
        self.axes[name] = reduce(times_matrix, (self._turn(turn) for turn in turns), self.axes[origin])

    def _turn(self, turn: AxisTurn) -> Any:
        if isinstance(turn.axis, str):
            x, y, z = (Dual(float(turn.axis == a)) for a in "xyz")
        else:
            x, y, z = (self._of(entry) for entry in turn.axis)
        return turning((x, y, z), self._of(turn.angle))

    def with_slopes(self, expression: Expression, by: Iterable[str]) -> tuple[float, tuple[float, ...]]:
        """The value of a scalar expression without speeds, and its derivatives by these names."""
        found = [self._moving(Name(name))._of(expression) for name in by]
        return _finite(found[0].value), tuple(_finite(part.rate) for part in found)

    def _partial(self, expression: Expression, by: Expression) -> Any:
        """∂e/∂s of an expression without speeds."""
        return _each(self._moving(by)._of(expression), lambda part: Dual(part.rate, math.nan))

    def _moving(self, by: Expression) -> Evaluator:
        """The same state in which s alone moves, at speed 1: rates are derivatives by s."""
        if not isinstance(by, (Name, Time)):
            raise KeyError("d")
        seeded = Evaluator({})
        seeded.time, seeded.partial = self.time, True
        moving = by.name if isinstance(by, Name) else None
        for name, value in self.scalars.items():
            seeded.named[name] = Dual(value, 1.0 if name == moving else 0.0)
        seeded.time_rate = float(isinstance(by, Time))
        if self.model is not None:
            seeded.take(self.model)
        return seeded

    def number(self, expression: Expression) -> float:
        return _finite(self._of(expression).value)

    def vector(self, expression: Expression) -> tuple[float, float, float]:
        x, y, z = (_finite(entry.value) for entry in self._of(expression))
        return x, y, z

    def _of(self, expression: Expression) -> Any:
        try:
            return fold(expression, self._node, self.results)
        finally:
            for node in self.later:
                self.results.pop(node, None)
            self.later.clear()

    def _node(self, node: Expression, parts: tuple[Any, ...]) -> Any:
        match node:
            case Number(value):
                return Dual(float(value))
            case Pi():
                return Dual(math.pi)
            case Time():
                if self.time is None:
                    raise KeyError("t")
                return Dual(self.time, self.time_rate)
            case Name(name):
                if name not in self.named and name in self.axes:
                    self.later.append(id(node))
                    return None
                return self.named[name]
            case Axis(frame, axis):
                return tuple(row["xyz".index(axis)] for row in self.axes[frame])
            case Prime() if self.partial:
                raise KeyError("d")
            case Prime():
                return _each(parts[0], lambda part: Dual(part.rate, math.nan))
            case Negative():
                return _each(parts[0], lambda part: -part)
            case Reciprocal():
                return Dual(1.0) / parts[0]
            case Sum():
                return reduce(_added, parts)
            case Product():
                return reduce(_multiplied, parts)
            case Power():
                return parts[0].power(parts[1])
            case Vector():
                return parts
            case Call("omega", (Name(name),)):
                return _angular_velocity(self.axes[name])
            case Inequality(operator):
                return COMPARED[operator](parts[0].value, parts[1].value)
            case Logic("not"):
                return not parts[0]
            case Logic(operator):
                return all(parts) if operator == "and" else any(parts)
            case Call("if"):
                return parts[1] if parts[0] else parts[2]
            case Call("d"):
                return self._partial(node.arguments[0], node.arguments[1])
            case Call("gradient"):
                return tuple(self._partial(node.arguments[0], Name(name)) for name in "xyz")
            case Call("dot"):
                return dot(*parts)
            case Call("cross"):
                return cross(*parts)
            case Call("norm"):
                return applied("sqrt", (dot(parts[0], parts[0]),))
            case Call(function):
                return applied(function, parts)
        raise TypeError(f"{type(node).__name__} is not a node of the model language")


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("not finite")
    return value


def _each(part: Any, operation: Any) -> Any:
    return tuple(operation(p) for p in part) if isinstance(part, tuple) else operation(part)


def _added(a: Any, b: Any) -> Any:
    return tuple(p + q for p, q in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b


def _multiplied(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return tuple(p * b for p in a)
    return _each(b, lambda part: a * part)


def _angular_velocity(rotation: Any) -> tuple[Dual, Dual, Dual]:
    """ω from the skew matrix Ṙ Rᵀ."""

    def entry(i: int, j: int) -> Dual:
        return Dual(sum(rotation[i][k].rate * rotation[j][k].value for k in range(3)), math.nan)

    return entry(2, 1), entry(0, 2), entry(1, 0)
