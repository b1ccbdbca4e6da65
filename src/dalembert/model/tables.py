"""One function for each table of a model file: its keys, which of them it needs, and how each is read."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from dalembert.expressions.nodes import Expression, Number
from dalembert.expressions.parse import nearest
from dalembert.model.forms import Forms, frozen, met
from dalembert.model.record import (
    Body,
    Contact,
    Coordinate,
    Energy,
    Equation,
    Event,
    Force,
    Frame,
    Friction,
    Parameter,
    Plane,
    Point,
    Rolling,
    Simulation,
    VirtualDisplacements,
)

ROW_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)?")
LAWS = ("newton", "poisson", "zhang-mei")
DESCRIPTIONS = ("segmented", "whole-course")
STEPPERS = ("auto", "dop853", "gauss", "radau")


def _given(place: str, table: dict[str, Any], readers: dict[str, Any]) -> dict[str, Any] | None:
    """The keys that the table gives, each read; None if one of them is at fault."""
    values = {key: reader(table[key], place, key) for key, reader in readers.items() if key in table}
    return None if any(value is None for value in values.values()) else values


def parameter(forms: Forms, name: str, value: Any) -> Parameter | None:
    if not isinstance(value, dict):
        stated = forms.expression(value, "parameters", name)
        return None if stated is None else Parameter(stated)
    table = forms.table(value, "parameters", name, ("value", "unit", "about", "min", "max"), ("value",))
    readers = dict.fromkeys(("value", "min", "max"), forms.expression) | dict.fromkeys(("unit", "about"), forms.text)
    given = table and _given(f"parameters.{name}", table, readers)
    if not given:
        return None
    return Parameter(
        given["value"], given.get("unit", ""), given.get("about", ""), given.get("min"), given.get("max")
    )


def coordinate(forms: Forms, name: str, value: Any) -> Coordinate | None:
    if not isinstance(value, dict):
        initial = forms.expression(value, "coordinates", name)
        return None if initial is None else Coordinate(initial)
    table = forms.table(value, "coordinates", name, ("initial", "speed", "unit", "about"))
    readers = dict.fromkeys(("initial", "speed"), forms.expression) | dict.fromkeys(("unit", "about"), forms.text)
    given = None if table is None else _given(f"coordinates.{name}", table, readers)
    return None if given is None else Coordinate(**{"initial": Number(0)} | given)


def add_speeds(forms: Forms, stated: dict[str, Any], speeds: Any, coordinates: Any) -> None:
    """[speeds] joined to the coordinates that they belong to."""
    if not isinstance(speeds, dict):
        forms.table(speeds, "speeds", "")
        return
    record = dict(stated.get("coordinates") or {})
    known = coordinates if isinstance(coordinates, dict) else {}
    for name, value in speeds.items():
        speed = forms.expression(value, "speeds", name)
        if name not in known:
            forms.fault("speeds", name, f"there is no coordinate of this name{nearest(name, known)}")
        elif name in record and record[name].speed is not None:
            forms.fault("speeds", name, "the speed is given here and in [coordinates]; once is expected")
        elif name in record and speed is not None:
            record[name] = replace(record[name], speed=speed)
    stated["coordinates"] = MappingProxyType(record)


def definition(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.vector(value, "definitions", name) if isinstance(value, list) else forms.expression(
        value, "definitions", name
    )


def quasi_velocity(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.expression(value, "quasi_velocities", name)


def multiplier(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.expression(value, "multipliers", name)


def constraint(forms: Forms, name: str, value: Any) -> Equation | None:
    return forms.equation(value, "constraints", name)


def frame(forms: Forms, name: str, value: Any) -> Frame | None:
    table = forms.table(value, "frames", name, ("from", "turn"), ("turn",))
    given = table and _given(f"frames.{name}", table, {"from": forms.text, "turn": forms.turns})
    return Frame(given["turn"], given.get("from", "world")) if given else None


def point(forms: Forms, name: str, value: Any) -> Point | None:
    if not isinstance(value, dict):
        place = forms.vector(value, "points", name)
        return None if place is None else Point(place)
    table = forms.table(value, "points", name, ("from", "in", "at"), ("at",))
    readers = {"from": forms.text, "in": forms.text, "at": forms.vector}
    given = table and _given(f"points.{name}", table, readers)
    if not given:
        return None
    origin, within = (None if given.get(key) == "world" else given.get(key) for key in ("from", "in"))
    return Point(given["at"], origin, within)


def body(forms: Forms, name: str, value: Any) -> Body | None:
    known = ("mass", "position", "rotation", "frame", "spin", "inertia", "ejection", "shape")
    table = forms.table(value, "bodies", name, known, ("mass", "position"))
    readers = {
        "mass": forms.expression,
        "position": forms.vector,
        "rotation": forms.turns,
        "frame": forms.text,
        "spin": forms.turn,
        "inertia": lambda v, t, k: _inertia(forms, v, t, k),
        "ejection": forms.vector,
        "shape": forms.table,
    }
    given = table and _given(f"bodies.{name}", table, readers)
    if not given:
        return None
    if "shape" in given:
        given["shape"] = frozen(given["shape"])
    return Body(**given)


def _inertia(forms: Forms, value: Any, table: str, key: str) -> tuple[Expression, ...] | None:
    if not isinstance(value, list) or len(value) not in (3, 6):
        return forms.fault(
            table, key, f"{met(value)} was met; [xx, yy, zz] or [xx, yy, zz, xy, yz, xz] is expected"
        )
    return forms.expressions(value, table, key)


def energy(forms: Forms, value: Any) -> Energy | None:
    known = ("kinetic", "potential", "dissipation")
    table = forms.table(value, "energy", "", known)
    if table is None:
        return None
    return Energy(**{key: forms.expression(entry, "energy", key) for key, entry in table.items()})


def force(forms: Forms, name: str, value: Any) -> Force | None:
    table = forms.table(value, "forces", name, ("body", "at", "force", "torque", "generalized"))
    readers = {
        "body": forms.text,
        **dict.fromkeys(("at", "force", "torque"), forms.vector),
        "generalized": lambda v, t, k: _by_name(forms, v, t, k),
    }
    given = None if table is None else _given(f"forces.{name}", table, readers)
    return None if given is None else Force(**given)


def _by_name(forms: Forms, value: Any, table: str, key: str) -> Any:
    """A table of coordinates and expressions."""
    entries = forms.table(value, table, key)
    if entries is None:
        return None
    results = {name: forms.expression(entry, f"{table}.{key}", name) for name, entry in entries.items()}
    return None if None in results.values() else MappingProxyType(results)


def rolling(forms: Forms, name: str, value: Any) -> Rolling | None:
    table = forms.table(value, "rolling", name, ("body", "wheel", "ball", "at", "on", "rows"), ("body",))
    readers = {
        "body": forms.text,
        **dict.fromkeys(("wheel", "ball"), forms.expression),
        "at": forms.vector,
        "on": lambda v, t, k: _plane(forms, v, t, k),
        "rows": lambda v, t, k: _rows(forms, v, t, k),
    }
    given = table and _given(f"rolling.{name}", table, readers)
    if not given or table is None:
        return None
    kinds = [kind for kind in ("wheel", "ball", "at") if kind in given]
    if len(kinds) != 1:
        message = f"{len(kinds) or 'none'} of wheel, ball and at were given, and exactly one is expected"
        return forms.fault(f"rolling.{name}", "", message)
    size = given.pop(kinds[0])
    return Rolling(kind=kinds[0], size=size, **given)  # type: ignore[arg-type]


def _plane(forms: Forms, value: Any, table: str, key: str) -> str | Plane | None:
    if isinstance(value, str):
        return value
    entries = forms.table(value, table, key, ("point", "normal"), ("point", "normal"))
    given = entries and _given(f"{table}.{key}", entries, dict.fromkeys(("point", "normal"), forms.vector))
    return Plane(**given) if given else None


def _rows(forms: Forms, value: Any, table: str, key: str) -> tuple[str, ...] | None:
    entries = value if isinstance(value, list) else [value]
    rows = tuple(forms.choice(entry, table, key, ("touch", "slip")) for entry in entries)
    return None if None in rows else rows  # type: ignore[return-value]


def virtual_displacements(forms: Forms, value: Any) -> VirtualDisplacements | None:
    place = "virtual_displacements"
    table = forms.table(value, place, "", ("rule", "rows"))
    readers = {
        "rule": lambda v, t, k: forms.choice(v, t, k, ("chetaev", "vakonomic", "rows")),
        "rows": lambda v, t, k: _displacement_rows(forms, v, t, k),
    }
    given = None if table is None else _given(place, table, readers)
    return None if given is None else VirtualDisplacements(**given)


def _displacement_rows(forms: Forms, value: Any, table: str, key: str) -> tuple[Any, ...] | None:
    if not isinstance(value, list):
        return forms.fault(table, key, f"{met(value)} was met, and a list of tables is expected")
    rows = tuple(_by_name(forms, entry, table, f"{key}[{i}]") for i, entry in enumerate(value, 1))
    return None if None in rows else rows


def contact(forms: Forms, name: str, value: Any) -> Contact | None:
    known = ("gap", "restitution", "reverses", "slip", "friction", "law")
    table = forms.table(value, "contacts", name, known, ("gap",))
    readers = {
        **dict.fromkeys(("gap", "restitution"), forms.expression),
        **dict.fromkeys(("reverses", "slip"), forms.expressions),
        "friction": lambda v, t, k: v if v == "rough" else forms.expression(v, t, k),
        "law": lambda v, t, k: forms.choice(v, t, k, LAWS),
    }
    given = table and _given(f"contacts.{name}", table, readers)
    return Contact(**{"restitution": Number(1)} | given) if given else None


def friction(forms: Forms, name: str, value: Any) -> Friction | None:
    known = ("slip", "normal", "coefficient", "static", "held")
    table = forms.table(value, "frictions", name, known, ("slip", "normal", "coefficient"))
    readers = {
        **dict.fromkeys(("slip", "held"), forms.expressions),
        **dict.fromkeys(("coefficient", "static"), forms.expression),
        "normal": lambda v, t, k: v if isinstance(v, str) and ROW_NAME.fullmatch(v) else forms.expression(v, t, k),
    }
    given = table and _given(f"frictions.{name}", table, readers)
    return Friction(**given) if given else None


def event(forms: Forms, name: str, value: Any) -> Event | None:
    table = forms.table(value, "events", name, ("when", "stop"), ("when",))
    given = table and _given(f"events.{name}", table, {"when": forms.expression, "stop": forms.flag})
    return Event(**given) if given else None


def simulation(forms: Forms, value: Any) -> Simulation | None:
    readers = {
        **dict.fromkeys(("duration", "tolerance", "start", "step"), forms.number),
        "samples": lambda v, t, k: _whole(forms, v, t, k),
        "method": forms.text,
        "description": lambda v, t, k: forms.choice(v, t, k, DESCRIPTIONS),
        "stepper": lambda v, t, k: forms.choice(v, t, k, STEPPERS),
    }
    table = forms.table(value, "simulation", "", tuple(readers))
    given = None if table is None else _given("simulation", table, readers)
    return None if given is None else Simulation(**given)


def _whole(forms: Forms, value: Any, table: str, key: str) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return forms.fault(table, key, f"{met(value)} was met, and a whole number is expected")
    return value
