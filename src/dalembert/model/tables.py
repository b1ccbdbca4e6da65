"""One function for each table of a model file: its keys, the required ones, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from dalembert.expressions.names import PATTERN
from dalembert.expressions.nodes import Expression, Number, Vector
from dalembert.expressions.parse import nearest
from dalembert.language import tr
from dalembert.model import shapes
from dalembert.model.forms import Forms, listed, met, plain
from dalembert.model.machine import joint_coordinates, with_coordinate
from dalembert.model.record import (
    Body,
    Contact,
    Coordinate,
    DisplacementRule,
    Energy,
    Equation,
    EventRule,
    Force,
    Frame,
    Friction,
    Parameter,
    Plane,
    Point,
    Rolling,
    Simulation,
    Surface,
)

ROW_NAME = re.compile(rf"{PATTERN}(\.{PATTERN})?")
LAWS = ("newton", "poisson", "zhang-mei")
DESCRIPTIONS = ("segmented", "whole-course")
STEPPERS = ("auto", "dop853", "gauss", "radau", "taylor")  # of one motion; the engine's names in lower case
ONE_LENGTH = ("gauss", "rk4")  # steppers with steps of the given length
ROLLING_KINDS = ("wheel", "ball", "at", "convex")
CONVEX = {"ellipsoid": 3, "torus": 2}  # and the number of sizes
Record = TypeVar("Record")


ZERO, ONE = Number(0), Number(1)
ORIGIN = Vector(ZERO, ZERO, ZERO)


def parameter(forms: Forms, name: str, value: Any) -> Parameter | None:
    if not isinstance(value, dict):
        stated = forms.expression(value, "parameters", name)
        return None if stated is None else Parameter(stated)
    readers: dict[str, Any] = dict.fromkeys(("value", "min", "max"), forms.expression) | dict.fromkeys(
        ("unit", "about"), forms.text
    )
    given = forms.entries(value, "parameters", name, readers, {"value": ONE})
    return None if given is None else _renamed(Parameter, given, {"min": "least", "max": "greatest"})


def _renamed(kind: type[Record], given: dict[str, Any], names: dict[str, str]) -> Record:
    """A record of the given entries. `names` maps the file's keys to the record's fields where they differ."""
    return kind(**{names.get(key, key): value for key, value in given.items()})


def coordinate(forms: Forms, name: str, value: Any) -> Coordinate | None:
    if not isinstance(value, dict):
        initial = forms.expression(value, "coordinates", name)
        return None if initial is None else Coordinate(initial)
    readers: dict[str, Any] = dict.fromkeys(("initial", "speed"), forms.expression) | dict.fromkeys(
        ("unit", "about"), forms.text
    )
    given = forms.entries(value, "coordinates", name, readers)
    return None if given is None else Coordinate(**{"initial": ZERO} | given)


def add_speeds(forms: Forms, stated: dict[str, Any], speeds: Any, coordinates: Any) -> None:
    """Move [speeds] into the coordinates."""
    if forms.table(speeds, "speeds", "") is None:
        return
    own, joints = stated.get("coordinates") or {}, stated.get("joints") or {}
    record = {**own, **joint_coordinates(joints)}
    known = {*(coordinates if isinstance(coordinates, dict) else {}), *record}
    for name, value in speeds.items():
        speed = forms.expression(value, "speeds", name)
        if name not in known:
            forms.fault("speeds", name, tr("there is no coordinate of this name{name}", name=nearest(name, known)))
        elif name in record and record[name].speed is not None:
            forms.fault("speeds", name, tr("the speed is given here and with the coordinate; once is expected"))
        elif name in record and speed is not None:
            record[name] = replace(record[name], speed=speed)
    stated["coordinates"] = MappingProxyType({name: record[name] for name in own})
    if joints:
        stated["joints"] = MappingProxyType(with_coordinate(joints, record))


def definition(forms: Forms, name: str, value: Any) -> Expression | None:
    read = forms.vector if isinstance(value, list) else forms.expression
    return read(value, "definitions", name)


def quasi_velocity(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.expression(value, "quasi_velocities", name)


def multiplier(forms: Forms, name: str, value: Any) -> Expression | None:
    return forms.expression(value, "multipliers", name)


def constraint(forms: Forms, name: str, value: Any) -> Equation | None:
    return forms.equation(value, "constraints", name)


def frame(forms: Forms, name: str, value: Any) -> Frame | None:
    readers: dict[str, Any] = {"from": forms.text, "turn": forms.turns}
    given = forms.entries(value, "frames", name, readers, {"turn": ()})
    return None if given is None else _renamed(Frame, given, {"from": "origin"})


def point(forms: Forms, name: str, value: Any) -> Point | None:
    if not isinstance(value, dict):
        place = forms.vector(value, "points", name)
        return None if place is None else Point(place)
    readers: dict[str, Any] = {"from": forms.text, "in": forms.text, "at": forms.vector}
    given = forms.entries(value, "points", name, readers, {"at": ORIGIN})
    if given is None:
        return None
    stated = {key: entry for key, entry in given.items() if entry != "world"}
    return _renamed(Point, stated, {"from": "origin", "in": "frame"})


def body(forms: Forms, name: str, value: Any) -> Body | None:
    readers: dict[str, Any] = {
        "mass": forms.expression,
        "position": forms.vector,
        "rotation": forms.turns,
        "frame": forms.text,
        "spin": forms.turn,
        "inertia": partial(_inertia, forms),
        "ejection": forms.vector,
        "shape": partial(shapes.shape, forms),
        "shapes": partial(shapes.shapes, forms),
        "attitude": partial(forms.choice, choices=("angles", "quaternion")),
        "orientation": forms.turns,
        "angular_velocity": forms.vector,
    }
    given = forms.entries(value, "bodies", name, readers, {"mass": ONE})
    return None if given is None else Body(**shapes.joined(forms, {"position": None} | given, f"bodies.{name}"))


def _inertia(forms: Forms, value: Any, table: str, key: str) -> tuple[Expression, ...] | None:
    if not isinstance(value, list) or len(value) not in (3, 6):
        return forms.fault(
            table, key, tr("{met} was met; [xx, yy, zz] or [xx, yy, zz, xy, yz, xz] is expected", met=met(value))
        )
    return forms.expressions(value, table, key)


def energy(forms: Forms, value: Any) -> Energy | None:
    readers: dict[str, Any] = dict.fromkeys(("kinetic", "potential", "dissipation"), forms.expression)
    given = forms.entries(value, "energy", "", readers)
    return None if given is None else Energy(**given)


def force(forms: Forms, name: str, value: Any) -> Force | None:
    readers: dict[str, Any] = {
        "body": forms.text,
        **dict.fromkeys(("at", "force", "torque"), forms.vector),
        "generalized": partial(_by_name, forms),
    }
    given = forms.entries(value, "forces", name, readers)
    return None if given is None else Force(**given)


def _by_name(forms: Forms, value: Any, table: str, key: str) -> Mapping[str, Expression] | None:
    """A table of coordinates and expressions."""
    stated = forms.table(value, table, key)
    if stated is None:
        return None
    results = {name: forms.expression(entry, f"{table}.{key}", name) for name, entry in stated.items()}
    return MappingProxyType({name: result for name, result in results.items() if result is not None})


def rolling(forms: Forms, name: str, value: Any) -> Rolling | None:
    readers: dict[str, Any] = {
        "body": forms.text,
        **dict.fromkeys(("wheel", "ball"), forms.expression),
        "at": forms.vector,
        "convex": partial(_convex, forms),
        "centre": forms.vector,
        "on": partial(_plane, forms),
        "rows": partial(_rows, forms),
        "grip": forms.expression,
    }
    given = forms.entries(value, "rolling", name, readers, {"body": ""})
    if given is None:
        return None
    kinds = [kind for kind in ROLLING_KINDS if kind in value]
    if len(kinds) != 1:
        met_kinds = " and ".join(kinds) or tr("none of {rolling_kinds}", rolling_kinds=listed(ROLLING_KINDS))
        message = tr(
            "{met_kinds} was given, and exactly one of {rolling_kinds} is expected",
            met_kinds=met_kinds,
            rolling_kinds=listed(ROLLING_KINDS),
        )
        return forms.fault("rolling", name, message)
    kind, size = kinds[0], given.pop(kinds[0], None)
    if size is None or not given["body"]:
        return None
    if kind == "convex":
        kind, (size, *further) = size
        given["further"] = tuple(further)
    return Rolling(kind=kind, size=size, **given)  # type: ignore[arg-type]


def _convex(forms: Forms, value: Any, table: str, key: str) -> tuple[str, tuple[Expression, ...]] | None:
    """{ ellipsoid = [a, b, c] } or { torus = [R, r] }."""
    given = forms.entries(value, table, key, dict.fromkeys(CONVEX, forms.expressions))
    if given is None:
        return None
    if len(given) != 1:
        return forms.fault(
            table, key, tr("exactly one of {convex} is expected, as in {{ torus = [R, r] }}", convex=listed(CONVEX))
        )
    ((kind, sizes),) = given.items()
    if len(sizes) != CONVEX[kind]:
        message = tr("{count} entries were met; an ellipsoid has three semi-axes, a torus two radii", count=len(sizes))
        return forms.fault(table, f"{key}.{kind}", message)
    return kind, sizes


def _plane(forms: Forms, value: Any, table: str, key: str) -> str | Plane | Surface | None:
    if isinstance(value, str):
        if "=" not in value:
            return value
        equation = forms.equation(value, table, key)
        return None if equation is None else Surface(equation.left, equation.right)
    readers: dict[str, Any] = dict.fromkeys(("point", "normal"), forms.vector)
    given = forms.entries(value, table, key, readers, {"point": ORIGIN, "normal": ORIGIN})
    return None if given is None else Plane(**given)


def _rows(forms: Forms, value: Any, table: str, key: str) -> tuple[str, ...] | None:
    rows = value if isinstance(value, list) else [value]
    chosen = [forms.choice(row, table, key, ("touch", "slip")) for row in rows]
    return None if None in chosen else tuple(chosen)  # type: ignore[arg-type]


def virtual_displacements(forms: Forms, value: Any) -> DisplacementRule | None:
    readers: dict[str, Any] = {
        "rule": partial(forms.choice, choices=("chetaev", "vakonomic", "rows")),
        "rows": partial(_displacement_rows, forms),
    }
    given = forms.entries(value, "virtual_displacements", "", readers)
    return None if given is None else DisplacementRule(**given)


def _displacement_rows(forms: Forms, value: Any, table: str, key: str) -> tuple[Any, ...] | None:
    if not isinstance(value, list):
        return forms.fault(table, key, tr("{met} was met, and a list of tables is expected", met=met(value)))
    rows = tuple(_by_name(forms, entry, table, f"{key}[{i}]") for i, entry in enumerate(value, 1))
    return None if None in rows else rows


def contact(forms: Forms, name: str, value: Any) -> Contact | None:
    readers: dict[str, Any] = {
        **dict.fromkeys(("gap", "restitution"), forms.expression),
        **dict.fromkeys(("reverses", "slip"), forms.expressions),
        "friction": lambda stated, *place: stated if stated == "rough" else forms.expression(stated, *place),
        "law": partial(forms.choice, choices=LAWS),
    }
    given = forms.entries(value, "contacts", name, readers, {"gap": None})
    return None if given is None or given["gap"] is None else Contact(**{"restitution": ONE} | given)


def friction(forms: Forms, name: str, value: Any) -> Friction | None:
    readers: dict[str, Any] = {
        **dict.fromkeys(("slip", "held"), forms.expressions),
        **dict.fromkeys(("coefficient", "static"), forms.expression),
        "normal": partial(_normal, forms),
    }
    required = {"slip": None, "normal": ONE, "coefficient": ZERO}
    given = forms.entries(value, "frictions", name, readers, required)
    return None if given is None or given["slip"] is None else Friction(**given)


def _normal(forms: Forms, value: Any, table: str, key: str) -> Expression | str | None:
    """An expression, or a text that looks like the name of a row, until all rows are known."""
    return value if isinstance(value, str) and ROW_NAME.fullmatch(value) else forms.expression(value, table, key)


def event(forms: Forms, name: str, value: Any) -> EventRule | None:
    readers: dict[str, Any] = {"when": forms.measured, "stop": forms.flag}
    given = forms.entries(value, "events", name, readers, {"when": ZERO})
    return None if given is None else EventRule(**given)


def simulation(forms: Forms, value: Any) -> Simulation | None:
    readers: dict[str, Any] = {
        **dict.fromkeys(("duration", "tolerance", "start", "step"), forms.number),
        "samples": partial(_whole, forms),
        "method": forms.text,
        "description": partial(forms.choice, choices=DESCRIPTIONS),
        "stepper": partial(forms.choice, choices=STEPPERS),
    }
    given = forms.entries(value, "simulation", "", readers)
    return None if given is None else Simulation(**given)


def _whole(forms: Forms, value: Any, table: str, key: str) -> int | None:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return forms.fault(table, key, tr("{met} was met, and a whole number is expected", met=met(value)))
    return value
