"""The tables of words for machines: their keys, and how each is read."""

from __future__ import annotations

from functools import partial
from typing import Any

from dalembert.expressions.nodes import Expression, Number, Vector
from dalembert.model.directions import UNITS
from dalembert.model.forms import Forms, met
from dalembert.model.machine import FREEDOMS, Joint, JointCoordinate
from dalembert.model.record import Coordinate

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
        return forms.fault(f"joints.{name}", "coordinates", "coordinate is given too; one of the two is expected")
    declared = given.pop("coordinate", None) or given.pop("coordinates", ())
    return Joint(**given, coordinates=declared)


def direction(forms: Forms, value: Any, table: str, key: str) -> Expression | None:
    """x, y, z or [n1, n2, n3]."""
    if isinstance(value, str) and value in UNITS:
        return Vector(*UNITS[value])
    if isinstance(value, str):
        return forms.fault(table, key, f"the axis {met(value)} was met; x, y, z or [n1, n2, n3] is expected")
    return forms.vector(value, table, key)


def joint_coordinates(forms: Forms, value: Any, table: str, key: str) -> tuple[Any, ...] | None:
    """Tables with a name, or expressions of coordinates that are stated elsewhere."""
    if not isinstance(value, list):
        return forms.fault(table, key, f"{met(value)} was met, and a list of coordinates is expected")
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
        return forms.fault(table, key, f"{met(value)} was met, and [low, high] is expected")
    found = [forms.expressions(pair, table, key) for pair in pairs]
    return None if None in found else tuple(found)  # type: ignore[arg-type]
