"""The tables of joints, inputs, states, controllers and outputs: their keys, and how each is read."""

from __future__ import annotations

from functools import partial
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Expression, Number, Vector
from dalembert.language import tr
from dalembert.model.directions import UNITS
from dalembert.model.forms import Forms, met
from dalembert.model.machine import FREEDOMS, FirstOrderState, Input, Joint, JointCoordinate, Sampled, Signal
from dalembert.model.record import Coordinate, read_only
from dalembert.model.signals import BETWEEN, checked, from_file

ZERO = Number(0)


def joint(forms: Forms, name: str, value: Any) -> Joint | None:
    readers: dict[str, Any] = {
        "type": partial(forms.choice, choices=tuple(FREEDOMS)),
        **dict.fromkeys(("parent", "child"), forms.text),
        **dict.fromkeys(("at", "in_child"), forms.vector),
        **dict.fromkeys(("axis", "second_axis"), partial(direction, forms)),
        "turn": forms.turns,
        "coordinate": lambda stated, *place: joint_coordinates(forms, [stated], *place),
        "coordinates": partial(joint_coordinates, forms),
        **dict.fromkeys(("damping", "stiffness", "motor"), forms.expressions),
        "limits": partial(limits, forms),
        "restitution": forms.expression,
    }
    before = len(forms.faults)
    given = forms.entries(value, "joints", name, readers, dict.fromkeys(("type", "parent", "child")))
    if given is None or len(forms.faults) > before:
        return None
    if "coordinate" in given and "coordinates" in given:
        return forms.fault(
            f"joints.{name}", "coordinates", tr("coordinate is given as well; one of the two is expected")
        )
    declared = given.pop("coordinate", None) or given.pop("coordinates", ())
    return Joint(**given, coordinates=declared)


def input_of(forms: Forms, name: str, value: Any) -> Input | None:
    if not isinstance(value, dict):
        stated = forms.expression(value, "inputs", name)
        return None if stated is None else Input(stated)
    readers: dict[str, Any] = {
        **dict.fromkeys(("value", "min", "max"), forms.expression),
        **dict.fromkeys(("unit", "about", "signal", "column", "time"), forms.text),
        **dict.fromkeys(("times", "values"), partial(_numbers, forms)),
        "between": partial(forms.choice, choices=BETWEEN),
    }
    before = len(forms.faults)
    given = forms.entries(value, "inputs", name, readers)
    if given is None or len(forms.faults) > before:
        return None
    signal = _signal(forms, name, given)
    if len(forms.faults) > before:
        return None
    kept = {key: given[key] for key in ("value", "unit", "about") if key in given}
    return Input(**kept, least=given.get("min"), greatest=given.get("max"), signal=signal)


def _signal(forms: Forms, name: str, given: dict[str, Any]) -> Signal | None:
    """The data of an input, from a file or from lists. None if the input has a value instead."""
    sources = [key for key in ("value", "signal", "times") if key in given]
    if len(sources) != 1:
        met_sources = " and ".join(sources) or tr("none of value, signal and times")
        return forms.fault(
            "inputs", name, tr("{met_sources} was met, and exactly one of them is expected", met_sources=met_sources)
        )
    source, between = sources[0], given.get("between", "linear")
    stray = {"value": ("column", "time", "values", "between"), "signal": ("values",), "times": ("column", "time")}[
        source
    ]
    limits_of_data = () if source == "value" else ("min", "max")
    for key in (*stray, *limits_of_data):
        if key in given:
            return forms.fault(f"inputs.{name}", key, tr("it does not go with {source}; leave it out", source=source))
    needed = {"value": (), "signal": ("column", "time"), "times": ("values",)}[source]
    for key in needed:
        if key not in given:
            return forms.fault(f"inputs.{name}", key, tr("it is missing; {source} needs it", source=source))
    try:
        if source == "signal":
            return from_file(forms.folder, given["signal"], given["column"], given["time"], between)
        return checked(given["times"], given["values"], between) if source == "times" else None
    except ModelError as error:
        return forms.fault(f"inputs.{name}", source, error.faults[0].message)


def _numbers(forms: Forms, value: Any, table: str, key: str) -> list[float] | None:
    if not isinstance(value, list):
        return forms.fault(table, key, tr("{met} was met, and a list of numbers is expected", met=met(value)))
    found = [forms.number(entry, table, key) for entry in value]
    return None if None in found else found  # type: ignore[return-value]


def state(forms: Forms, name: str, value: Any) -> FirstOrderState | None:
    readers: dict[str, Any] = {
        **dict.fromkeys(("initial", "rate"), forms.expression),
        **dict.fromkeys(("unit", "about"), forms.text),
    }
    before = len(forms.faults)
    given = forms.entries(value, "states", name, readers, {"rate": ZERO})
    return None if given is None or len(forms.faults) > before else FirstOrderState(**{"initial": ZERO} | given)


def sampled(forms: Forms, name: str, value: Any) -> Sampled | None:
    table = f"sampled.{name}"
    stated = forms.table(value, "sampled", name)
    if stated is None:
        return None
    found = {key: forms.expression(entry, table, key) for key, entry in stated.items()}
    if None in found.values():
        return None
    every, offset = found.pop("every", None), found.pop("offset", None)
    if every is None:
        return forms.fault(table, "every", tr("it is missing; it is the time between two samples"))
    if not found:
        return forms.fault(table, "", tr('it sets nothing; an input or a name = "expression" is expected'))
    return Sampled(every, read_only(found), offset)


def output(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.measured(value, "outputs", name)


def direction(forms: Forms, value: Any, table: str, key: str) -> Expression | None:
    """x, y, z or [n1, n2, n3]."""
    if isinstance(value, str) and value in UNITS:
        return Vector(*UNITS[value])
    if isinstance(value, str):
        return forms.fault(
            table, key, tr("the axis {met} was met; x, y, z or [n1, n2, n3] is expected", met=met(value))
        )
    return forms.vector(value, table, key)


def joint_coordinates(forms: Forms, value: Any, table: str, key: str) -> tuple[Any, ...] | None:
    """Tables with a name, or expressions of coordinates that are stated elsewhere."""
    if not isinstance(value, list):
        return forms.fault(table, key, tr("{met} was met, and a list of coordinates is expected", met=met(value)))
    found = [_joint_coordinate(forms, entry, table, key) for entry in value]
    return None if None in found else tuple(found)


def _joint_coordinate(forms: Forms, value: Any, table: str, key: str) -> JointCoordinate | Expression | None:
    if not isinstance(value, dict):
        return forms.expression(value, table, key)
    readers: dict[str, Any] = {
        **dict.fromkeys(("name", "unit", "about"), forms.text),
        **dict.fromkeys(("initial", "speed"), forms.expression),
    }
    given = forms.entries(value, table, key, readers, {"name": None})
    if given is None or given["name"] is None:
        return None
    name = given.pop("name")
    return JointCoordinate(name, Coordinate(**{"initial": ZERO} | given))


def limits(forms: Forms, value: Any, table: str, key: str) -> tuple[tuple[Expression, Expression], ...] | None:
    """[low, high], or one pair for each coordinate."""
    pairs = value if isinstance(value, list) and value and all(isinstance(e, list) for e in value) else [value]
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return forms.fault(table, key, tr("{met} was met, and [low, high] is expected", met=met(value)))
    found = [forms.expressions(pair, table, key) for pair in pairs]
    return None if None in found else tuple(found)  # type: ignore[arg-type]
