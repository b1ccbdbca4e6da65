"""The numbers at the start: faults that only values show."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Expression, Negative, Number
from dalembert.expressions.text import text
from dalembert.language import tr
from dalembert.model import shapes
from dalembert.model.record import AxisTurn, Body, ModelRecord, Plane
from dalembert.model.values import DOMAIN, Gradual, Values, initial_values

ROUNDING = 1e-9  # relative; for rounded digits of an inertia


def numbers(model: ModelRecord) -> list[Fault]:
    """The faults in the numbers of a model whose expressions are in order."""
    try:
        values = initial_values(model)
    except ModelError as error:
        return list(error.faults)
    probe = _Probe(Gradual(model, values))
    faults = [*_bounds(model, values, probe), *_ranges(model.stated or model, probe)]
    for name, body in model.bodies.items():
        faults += _body(f"bodies.{name}", body, probe)
    for name, frame in model.frames.items():
        faults += _axes(frame.turn, f"frames.{name}", "turn", probe)
    for name, contact in model.contacts.items():
        faults += probe.between(contact.restitution, 0, 1, f"contacts.{name}", "restitution")
        if isinstance(contact.friction, Expression):
            faults += probe.between(contact.friction, 0, math.inf, f"contacts.{name}", "friction")
    for name, friction in model.frictions.items():
        faults += probe.between(friction.coefficient, 0, math.inf, f"frictions.{name}", "coefficient")
        if friction.static is not None:
            least = probe.number(friction.coefficient)
            faults += probe.between(friction.static, least or 0, math.inf, f"frictions.{name}", "static")
    for name, controller in model.sampled.items():
        if (probe.number(controller.every) or 0) <= 0:
            faults.append(Fault(f"sampled.{name}", "every", None, _met(controller.every, probe, tr("a positive time"))))
        if controller.offset is not None and probe.number(controller.offset) is None:
            faults.append(Fault(f"sampled.{name}", "offset", None, _met(controller.offset, probe, "a time")))
    for name, rolling in model.rolling.items():
        key = "convex" if rolling.further else rolling.kind
        for size in () if rolling.kind == "at" else (rolling.size, *rolling.further):
            if (probe.number(size) or 0) <= 0:
                faults.append(Fault(f"rolling.{name}", key, None, _met(size, probe, tr("a positive radius"))))
        if isinstance(rolling.on, Plane) and not any(probe.vector(rolling.on.normal) or ()):
            faults.append(Fault(f"rolling.{name}.on", "normal", None, tr("the normal has no direction at the start")))
    faults += shapes.numbers(model, probe)
    return faults


class _Probe:
    """Values at the start, or None if an expression has no finite value."""

    def __init__(self, evaluator: Gradual) -> None:
        self.evaluator = evaluator

    def number(self, expression: Expression) -> float | None:
        try:
            return self.evaluator.number(expression)
        except (*DOMAIN, KeyError):
            return None

    def vector(self, expression: Expression) -> tuple[float, float, float] | None:
        try:
            return self.evaluator.vector(expression)
        except (*DOMAIN, KeyError):
            return None

    def between(self, expression: Expression, least: float, most: float, table: str, key: str) -> list[Fault]:
        value = self.number(expression)
        if value is not None and least <= value <= most:
            return []
        expected = (
            tr("a number of at least {least:g}", least=least)
            if most == math.inf
            else tr("a number from {least:g} to {most:g}", least=least, most=most)
        )
        return [Fault(table, key, None, _met(expression, self, expected))]


def _met(expression: Expression, probe: _Probe, expected: str) -> str:
    value = probe.number(expression)
    written = text(expression)
    written = written if len(written) <= 40 else written[:38] + "…"
    if value is None:
        return tr(
            "{written} has no finite value at the start, and {expected} is expected", written=written, expected=expected
        )
    shown = written if _literal(expression) else tr("{written} = {value:g} at the start", written=written, value=value)
    return tr("{shown} was met, and {expected} is expected", shown=shown, expected=expected)


def _literal(expression: Expression) -> bool:
    """Whether an expression is a written number, with or without a sign."""
    inner = expression.children[0] if isinstance(expression, Negative) else expression
    return isinstance(inner, Number)


def _ranges(stated: ModelRecord, probe: _Probe) -> Iterator[Fault]:
    """Limits of inputs and joints of which the lower is above the upper."""
    ends = [("inputs", name, (one.least, one.greatest)) for name, one in stated.inputs.items()]
    ends += [(f"joints.{name}", "limits", pair) for name, joint in stated.joints.items() for pair in joint.limits]
    for table, key, (least, greatest) in ends:
        low, high = (None if end is None else probe.number(end) for end in (least, greatest))
        if low is not None and high is not None and low > high:
            yield Fault(
                table,
                key,
                None,
                tr("the lower limit {low:g} is above the upper limit {high:g}; exchange them", low=low, high=high),
            )


def _bounds(model: ModelRecord, values: Values, probe: _Probe) -> Iterator[Fault]:
    for name, parameter in model.parameters.items():
        value = values.parameters[name]
        for bound, sign, word in ((parameter.least, 1, "least"), (parameter.greatest, -1, "most")):
            limit = None if bound is None else probe.number(bound)
            if bound is not None and limit is None:
                yield Fault("parameters", name, None, _met(bound, probe, "a bound"))
            elif limit is not None and (value - limit) * sign < 0:
                yield Fault(
                    "parameters",
                    name,
                    None,
                    tr(
                        "{value:g} was met, and at {word} {limit:g} is allowed by its bounds",
                        value=value,
                        word=word,
                        limit=limit,
                    ),
                )


def _body(table: str, body: Body, probe: _Probe) -> Iterator[Fault]:
    yield from probe.between(body.mass, 0, math.inf, table, "mass")
    for moment in body.inertia[:3]:  # the products may be negative
        yield from probe.between(moment, 0, math.inf, table, "inertia")
    yield from _axes(body.rotation, table, "rotation", probe)
    if body.spin is None:
        return
    yield from _axes((body.spin,), table, "spin", probe)
    axis, inertia = _axis(body.spin, probe), [probe.number(entry) for entry in body.inertia]
    if axis is None or None in inertia or not any(axis):
        return
    if not _symmetric(inertia, axis):  # type: ignore[arg-type]
        message = tr(
            "the inertia is not symmetric about the spin's axis; put the angle last in rotation instead of spin"
        )
        yield Fault(table, "spin", None, message)


def _axes(turns: tuple[AxisTurn, ...], table: str, key: str, probe: _Probe) -> Iterator[Fault]:
    for turn in turns:
        axis = _axis(turn, probe)
        if axis is None or not any(axis):
            yield Fault(
                table,
                key,
                None,
                tr("an axis has no direction at the start; three finite numbers, not all zero, are expected"),
            )


def _axis(turn: AxisTurn, probe: _Probe) -> tuple[float, ...] | None:
    if isinstance(turn.axis, str):
        return tuple(float(turn.axis == a) for a in "xyz")
    entries = [probe.number(entry) for entry in turn.axis]
    return None if None in entries else tuple(entries)  # type: ignore[arg-type]


def _symmetric(inertia: list[float], axis: tuple[float, ...]) -> bool:
    """Whether the tensor commutes with turning about n: I = A 1 + (C - A) n nᵀ."""
    if not inertia:
        return True
    xx, yy, zz, xy, yz, xz = (*inertia, 0.0, 0.0, 0.0)[:6]
    tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    length = math.hypot(*axis)
    n = [entry / length for entry in axis]
    about = sum(n[i] * tensor[i][j] * n[j] for i in range(3) for j in range(3))
    across = (xx + yy + zz - about) / 2
    scale = max(abs(entry) for row in tensor for entry in row)
    return all(
        abs(tensor[i][j] - across * (i == j) - (about - across) * n[i] * n[j]) <= ROUNDING * scale
        for i in range(3)
        for j in range(3)
    )
