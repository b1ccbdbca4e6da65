"""The values that a Python caller gives for expressions, vectors, turns and names, turned into parts of the record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Expression, Name, Vector, expression
from dalembert.expressions.parse import nearest, parse, parse_equation
from dalembert.language import tr
from dalembert.model import machine_tables
from dalembert.model.forms import Forms
from dalembert.model.machine import Joint, JointCoordinate
from dalembert.model.record import AxisTurn, Coordinate, Plane, Shape, Surface
from dalembert.model.shapes import shape
from dalembert.model.tables import CONVEX, LAWS, ROW_NAME

RULES = ("chetaev", "vakonomic", "rows")
Result = TypeVar("Result")
__all__ = ["LAWS", "RULES"]


def told(table: str, key: str, reader: Callable[[], Result]) -> Result:
    """The result of a reader. Its faults are raised with their place in the model."""
    try:
        return reader()
    except ModelError as error:
        raise ModelError([replace(fault, table=table, key=key) for fault in error.faults]) from None
    except TypeError as error:
        raise ModelError([Fault(table, key, None, str(error))]) from None


def quantity(value: Any, table: str, key: str) -> Any:
    """A scalar or vector: a number, a text, an expression of ours or SymPy's, or three of these. None stays None."""
    if value is None or isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return told(table, key, lambda: parse(value))
    if hasattr(value, "__len__") and len(value) == 3:
        return Vector(*(quantity(entry, table, key) for entry in value))
    return told(table, key, lambda: expression(value))


def measured(value: Any, table: str, key: str) -> Any:
    """An output. Texts may contain second derivatives and answers by name."""
    if isinstance(value, str):
        return told(table, key, lambda: parse(value, answers=True))
    if isinstance(value, (list, tuple)) and len(value) == 3:
        return Vector(*(measured(entry, table, key) for entry in value))
    return quantity(value, table, key)


scalar = vector = quantity  # the checker knows from the place which of the two is expected


def scalars(values: Any, table: str, key: str) -> tuple[Any, ...]:
    """A list of scalars, or a single scalar."""
    single = isinstance(values, (str, int, float, Expression)) or not isinstance(values, Iterable)
    return tuple(scalar(value, table, key) for value in ([values] if single else values))


def turns(values: Iterable[Any], table: str, key: str) -> tuple[AxisTurn, ...]:
    """A sequence of (axis, angle) or AxisTurn."""
    return tuple(value if isinstance(value, AxisTurn) else _turn(value, table, key) for value in values)


def _turn(value: Any, table: str, key: str) -> AxisTurn:
    try:
        axis, angle = value
    except (TypeError, ValueError):
        raise ModelError(
            [Fault(table, key, None, tr("{value!r} was met, and (axis, angle) is expected", value=value))]
        ) from None
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            message = tr("the axis {axis!r} was met; x, y, z or (n1, n2, n3) is expected", axis=axis)
            raise ModelError([Fault(table, key, None, message)])
        return AxisTurn(axis, scalar(angle, table, key))
    components = quantity(axis, table, key)
    if not isinstance(components, Vector):
        raise ModelError(
            [Fault(table, key, None, tr("the axis {axis} was met; x, y, z or (n1, n2, n3) is expected", axis=axis))]
        )
    return AxisTurn(components.children, scalar(angle, table, key))  # type: ignore[arg-type]


def reference(value: Any) -> str | None:
    """The name of something, from its handle or as a text."""
    if isinstance(value, Name):
        return value.name
    if value is None or isinstance(value, str):
        return value
    raise ModelError("{value} was met, and a name or the handle of a frame, point or body is expected", value=value)


def by_name(values: Mapping[Any, Any], table: str) -> Mapping[str, Expression]:
    """Expressions by coordinate, which is given by name or handle."""
    named = {reference(key) or "": value for key, value in values.items()}
    return MappingProxyType({name: scalar(value, table, name) for name, value in named.items()})


def convex(value: Mapping[str, Any], table: str) -> tuple[str, tuple[Any, ...]]:
    """The kind of a convex body and its sizes."""
    kinds = list(value)
    if len(kinds) != 1 or kinds[0] not in CONVEX:
        message = tr(
            "{str} was met, and one of ellipsoid and torus is expected", str=", ".join(map(str, kinds)) or "nothing"
        )
        raise ModelError([Fault(table, "convex", None, message)])
    sizes = scalars(value[kinds[0]], table, "convex")
    if len(sizes) != CONVEX[kinds[0]]:
        message = tr("{count} entries were met; an ellipsoid has three semi-axes, a torus two radii", count=len(sizes))
        raise ModelError([Fault(table, f"convex.{kinds[0]}", None, message)])
    return kinds[0], sizes


def plane(value: Any, table: str) -> str | Plane | Surface:
    """The ground, a body, a Plane, its point and normal, or a surface."""
    if isinstance(value, (Plane, Surface)):
        return value
    if isinstance(value, str) and "=" in value:
        return Surface(*told(table, "", lambda: parse_equation(value)))
    if isinstance(value, Mapping):
        if set(value) != {"point", "normal"}:
            raise ModelError([Fault(table, "", None, tr("point and normal are expected"))])
        return Plane(vector(value["point"], table, "point"), vector(value["normal"], table, "normal"))
    return reference(value) or "ground"


def normal(value: Any, table: str) -> Any:
    """An expression, or a text that may be the name of a row."""
    return value if isinstance(value, str) and ROW_NAME.fullmatch(value) else scalar(value, table, "normal")


def read(reader: Callable[[Forms], Result | None]) -> Result:
    """Plain data, read as a file would be. Faults are raised."""
    forms = Forms()
    result = reader(forms)
    if forms.faults or result is None:
        raise ModelError(forms.faults)
    return result


def shapes(values: Iterable[Any], table: str) -> tuple[Shape, ...]:
    """Shapes, given as tables or as Shape. Meshes are read from the working folder."""

    def one(value: Any) -> Shape:
        def reader(forms: Forms) -> Shape | None:
            forms.folder = Path.cwd()
            return shape(forms, _understood(dict(value)), table, "shape")

        return value if isinstance(value, Shape) else read(reader)

    return tuple(one(value) for value in values)


def _understood(value: Any) -> Any:
    """Nested tables and lists, with SymPy's expressions turned into ours."""
    if isinstance(value, Mapping):
        return {key: _understood(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_understood(entry) for entry in value]
    plain = isinstance(value, (str, bool, int, float, Expression)) or hasattr(value, "item") or value is None
    return value if plain else expression(value)


def choices(values: Iterable[Any], known: Collection[str], table: str, key: str) -> tuple[str, ...]:
    chosen = tuple(values)
    for value in chosen:
        if value not in known:
            message = tr(
                "{value!r} was met; {known} is expected{str}",
                value=value,
                known=tr(" or ").join(known),
                str=nearest(str(value), known),
            )
            raise ModelError([Fault(table, key, None, message)])
    return chosen


def joint(name: str, words: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> Joint:
    """A joint from the words of a file, where handles and expressions may replace texts."""
    table = f"joints.{name}"
    stated = {key: value for key, value in words.items() if value is not None}
    lists = {key: stated.pop(key) for key in ("coordinate", "coordinates", "turn", "limits") if key in stated}
    plain: dict[str, Any] = {"type": stated.pop("type"), "parent": reference(stated.pop("parent"))}
    plain["child"] = reference(stated.pop("child"))
    axes: dict[str, Any] = {key: stated.pop(key) for key in ("axis", "second_axis") if key in stated}
    plain |= {key: [0, 0, 0] if key in ("at", "in_child") else 0 for key in stated} | _shown(axes)
    result = read(lambda forms: machine_tables.joint(forms, name, plain))
    changed: dict[str, Any] = {}
    for key, value in stated.items():
        single = key in ("at", "in_child", "restitution")
        changed[key] = quantity(value, table, key) if single else scalars(value, table, key)
    changed |= {key: vector(value, table, key) for key, value in axes.items() if not isinstance(value, str)}
    if "turn" in lists:
        changed["turn"] = turns(lists["turn"], table, "turn")
    if "limits" in lists:
        pairs = lists["limits"]
        several = all(isinstance(pair, (list, tuple)) for pair in pairs)
        changed["limits"] = tuple(scalars(pair, table, "limits") for pair in (pairs if several else [pairs]))
    coordinates = lists.get("coordinates", [lists["coordinate"]] if "coordinate" in lists else [])
    changed["coordinates"] = tuple(_joint_coordinate(value, table, tables) for value in coordinates)
    return replace(result, **changed)


def _shown(axes: Mapping[str, Any]) -> dict[str, Any]:
    """Axes as a file states them. A direction that is not a letter is read afterwards."""
    return {key: value if isinstance(value, str) else [0, 0, 1] for key, value in axes.items()}


def _joint_coordinate(value: Any, table: str, tables: Mapping[str, Mapping[str, Any]]) -> JointCoordinate | Expression:
    """A mapping with a name, a new name, or an expression of existing coordinates."""
    if isinstance(value, Mapping):
        if "name" not in value:
            raise ModelError([Fault(table, "coordinate", None, tr("its name is missing"))])
        known = ("name", "initial", "speed", "unit", "about")
        for key in value:
            if key not in known:
                message = tr("the key {key!a} is not known{key2}", key=key, key2=nearest(str(key), known))
                raise ModelError([Fault(table, "coordinate", None, message)])
        numbers = {key: scalar(value.get(key), table, "coordinate") for key in ("initial", "speed")}
        initial = numbers["initial"] or expression(0)
        texts = {key: value[key] for key in ("unit", "about") if key in value}
        return JointCoordinate(str(value["name"]), Coordinate(initial, numbers["speed"], **texts))
    if isinstance(value, str) and value.isidentifier() and not any(value in entries for entries in tables.values()):
        return JointCoordinate(value, Coordinate(expression(0)))
    return scalar(value, table, "coordinate")
