"""The sliders of a model: parameters, initial values and speeds, each with a range, in its own unit."""

from __future__ import annotations

import math
from typing import Any

from dalembert.expressions.nodes import Expression, Number
from dalembert.model.record import ModelRecord
from dalembert.model.units import stated_units
from dalembert.model.units import unit as unit_of
from dalembert.model.values import Evaluator, Values, initial_values

TURNS = {"rad": math.pi, "deg": 180.0, "degree": 180.0}  # half a turn


def controls(model: ModelRecord) -> list[dict[str, Any]]:
    """`value` is null for a speed that is left out. If the unit is not coherent, SI is factor · value + offset."""
    values = initial_values(model)
    return [*_parameters(model, values), *_coordinates(model, values)]


def _parameters(model: ModelRecord, values: Values) -> list[dict[str, Any]]:
    known, stated = Evaluator(values.parameters), (model.stated or model).parameters
    found = []
    held = {name for controller in model.sampled.values() for name in controller.values}
    for name, parameter in model.parameters.items():
        if name in model.inputs or name in held:
            continue  # data and controllers set it
        text = stated[name].unit if name in stated else parameter.unit
        unit = unit_of(text)
        value = (values.parameters[name] - unit.offset) / unit.factor
        least, greatest = around(value, text)
        if parameter.least is not None:
            least = (known.number(parameter.least) - unit.offset) / unit.factor
        if parameter.greatest is not None:
            greatest = (known.number(parameter.greatest) - unit.offset) / unit.factor
        kind = "initial" if name in model.states else "parameter"
        found.append(_control(name, kind, value, text, parameter.about, least, greatest)
                     | {"follows": not _is_number(parameter.value)})  # fmt: skip
    return found


def _coordinates(model: ModelRecord, values: Values) -> list[dict[str, Any]]:
    places, speeds, units = [], [], stated_units(model)
    for name, coordinate in model.coordinates.items():
        text = units.get(name, "")
        unit = unit_of(text)
        q = (values.coordinates[name] - unit.offset) / unit.factor
        places.append(_control(name, "initial", q, text, coordinate.about, *_beside(q, text)))
        given = values.speeds[name]
        v = None if given is None else given / unit.factor
        rate = f"{text}/s" if text else ""
        speed = _control(f"{name}'", "speed", v, rate, coordinate.about, *_beside(v or 0.0, rate))
        speeds.append(speed | ({"factor": unit.factor} if unit.factor != 1.0 else {}))
    return [*places, *speeds]


def _control(
    name: str, kind: str, value: float | None, unit: str, about: str, least: float, greatest: float
) -> dict[str, Any]:
    if value is not None:
        least, greatest = min(least, value), max(greatest, value)
    made = {"name": name, "kind": kind, "value": value, "unit": unit, "about": about, "min": least, "max": greatest}
    scale = unit_of(unit) if kind != "speed" else unit_of("")
    return made if scale.coherent else made | {"factor": scale.factor, "offset": scale.offset}


def around(value: float, unit: str = "") -> tuple[float, float]:
    """A range for a parameter without one: a fifth to twice the value, so that masses stay positive, or half a turn."""
    if unit in TURNS:
        return min(-TURNS[unit], value), max(TURNS[unit], value)
    if value == 0:
        return -1.0, 1.0
    ends = (_short(value / 5), _short(2 * value))
    return min(ends), max(ends)


def _beside(value: float, unit: str) -> tuple[float, float]:
    """A range for an initial value or speed, to both sides of it."""
    if unit in TURNS:
        return min(-TURNS[unit], value), max(TURNS[unit], value)
    half = _short(max(1.0, 2 * abs(value)))
    return _short(value - half), _short(value + half)


def _short(value: float) -> float:
    """The value rounded to three digits."""
    return float(f"{value:.3g}")


def _is_number(expression: Expression) -> bool:
    return isinstance(expression, Number)
