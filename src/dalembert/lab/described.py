"""What the page shows of a model before anything is computed: its numbers with their ranges, methods, constraints."""

from __future__ import annotations

import math
from typing import Any

from dalembert.api.motion import DURATION
from dalembert.expressions.nodes import Expression, Number
from dalembert.formalisms import applicable, default_method
from dalembert.language import tr
from dalembert.model.record import Model
from dalembert.model.values import Evaluator, initial_values


def described(model: Model) -> dict[str, Any]:
    """Everything that has a slider or a choice on the page."""
    return {
        "title": tr(model.title),
        "reference": model.reference,
        "controls": [*_parameters(model), *_coordinates(model)],
        "methods": applicable(model),
        "method": default_method(model),
        "constraints": [*model.constraints, *model.rolling],
        "contacts": [*model.contacts, *model.frictions],
        "start": float(model.simulation.start),
        "duration": float(DURATION if model.simulation.duration is None else model.simulation.duration),
    }


def _parameters(model: Model) -> list[dict[str, Any]]:
    values = initial_values(model).parameters
    known = Evaluator(values)
    found = []
    for name, parameter in model.parameters.items():
        least, greatest = around(values[name], parameter.unit)
        if parameter.least is not None:
            least = known.number(parameter.least)
        if parameter.greatest is not None:
            greatest = known.number(parameter.greatest)
        found.append(_control(name, "parameter", values[name], parameter.unit, parameter.about, least, greatest)
                     | {"follows": not _is_number(parameter.value)})  # fmt: skip
    return found


def _coordinates(model: Model) -> list[dict[str, Any]]:
    values = initial_values(model)
    places, speeds = [], []
    for name, coordinate in model.coordinates.items():
        unit, q = coordinate.unit, values.coordinates[name]
        places.append(_control(name, "initial", q, unit, coordinate.about, *_beside(q, unit)))
        v = values.speeds[name]
        rate = f"{unit}/s" if unit else ""
        control = _control(f"{name}'", "speed", v, rate, coordinate.about, *_beside(v or 0.0, rate))
        speeds.append(control)
    return [*places, *speeds]


def _control(
    name: str, kind: str, value: float | None, unit: str, about: str, least: float, greatest: float
) -> dict[str, Any]:
    if value is not None:
        least, greatest = min(least, value), max(greatest, value)
    return {"name": name, "kind": kind, "value": value, "unit": unit, "about": about, "min": least, "max": greatest}


def around(value: float, unit: str = "") -> tuple[float, float]:
    """A range for a parameter that states none: from a fifth to twice it, so that a mass stays one; angles turn."""
    if unit == "rad":
        return min(-math.pi, value), max(math.pi, value)
    if value == 0:
        return -1.0, 1.0
    ends = (_short(value / 5), _short(2 * value))
    return min(ends), max(ends)


def _beside(value: float, unit: str) -> tuple[float, float]:
    """A range for an initial value or speed: to both sides of it."""
    if unit == "rad":
        return min(-math.pi, value), max(math.pi, value)
    half = _short(max(1.0, 2 * abs(value)))
    return _short(value - half), _short(value + half)


def _short(value: float) -> float:
    """To three digits, as somebody would write the end of a range."""
    return float(f"{value:.3g}")


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Number)
