"""What the page shows of a model before anything is computed: its numbers with their ranges, methods, constraints."""

from __future__ import annotations

import math
from typing import Any

from dalembert.api.motion import DURATION
from dalembert.expressions.nodes import Expression, Number
from dalembert.formalisms import applicable, default_method
from dalembert.model.record import Model
from dalembert.model.units import Stated, counted
from dalembert.model.values import Evaluator, initial_values

TURNS = {"rad": math.pi, "deg": 180.0, "degree": 180.0}  # half a turn


def described(model: Model) -> dict[str, Any]:
    """Everything that has a slider or a choice on the page."""
    return {
        "title": model.title,
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
    own, found = counted(model), []
    held = {name for controller in model.sampled.values() for name in controller.values}
    for name, parameter in model.parameters.items():
        if name in model.inputs or name in held:
            continue  # data and controllers decide
        of = own.get(name, Stated(parameter.unit))
        value = (values[name] - of.offset) / of.factor
        least, greatest = around(value, of.unit)
        if parameter.least is not None:
            least = (known.number(parameter.least) - of.offset) / of.factor
        if parameter.greatest is not None:
            greatest = (known.number(parameter.greatest) - of.offset) / of.factor
        found.append(_control(name, "parameter", value, of.unit, parameter.about, least, greatest)
                     | {"follows": not _is_number(parameter.value)})  # fmt: skip
    return found


def _coordinates(model: Model) -> list[dict[str, Any]]:
    values = initial_values(model)
    own, places, speeds = counted(model), [], []
    for name, coordinate in model.coordinates.items():
        of = own.get(name, Stated(coordinate.unit))
        unit, q = of.unit, values.coordinates[name] / of.factor
        places.append(_control(name, "initial", q, unit, coordinate.about, *_beside(q, unit)))
        speed = values.speeds[name]
        v = None if speed is None else speed / of.factor
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
    if unit in TURNS:
        return min(-TURNS[unit], value), max(TURNS[unit], value)
    if value == 0:
        return -1.0, 1.0
    ends = (_short(value / 5), _short(2 * value))
    return min(ends), max(ends)


def _beside(value: float, unit: str) -> tuple[float, float]:
    """A range for an initial value or speed: to both sides of it."""
    if unit in TURNS:
        return min(-TURNS[unit], value), max(TURNS[unit], value)
    half = _short(max(1.0, 2 * abs(value)))
    return _short(value - half), _short(value + half)


def _short(value: float) -> float:
    """To three digits, as somebody would write the end of a range."""
    return float(f"{value:.3g}")


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Number)
