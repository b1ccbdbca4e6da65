"""Writes the record to a model file. Reading the file gives the same record."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.nodes import Expression, Name, Negative, Number, Vector
from dalembert.expressions.text import text
from dalembert.model.machine import JointCoordinate
from dalembert.model.record import AxisTurn, Equation, Friction, ModelRecord, Plane, Shape, Surface
from dalembert.model.rows import row_names
from dalembert.model.shapes import written
from dalembert.model.tables import CONVEX

BARE = re.compile(r"[A-Za-z0-9_-]+")
RENAMED = {  # fields of the record, and the file's keys if they differ
    "Parameter": {"least": "min", "greatest": "max"},
    "Input": {"least": "min", "greatest": "max"},
    "Frame": {"origin": "from"},
    "Point": {"origin": "from", "frame": "in"},
}
INLINE = (
    "parameters",
    "coordinates",
    "definitions",
    "frames",
    "points",
    "inputs",
    "states",
    "constraints",
    "quasi_velocities",
    "multipliers",
    "outputs",
)
TABLES = ("bodies", "joints", "sampled", "forces", "rolling", "contacts", "frictions", "events")
LAST = ("drawings",)
FIRST = ("parameters", "coordinates")
SPEEDS = "speeds"


def save(model: ModelRecord, path: str | Path) -> None:
    """Write a temporary file in the same folder and rename it, so that no half-written file is ever left."""
    path = Path(path)
    data = write_text(model).encode("utf-8")
    _meshes(model.stated or model, path.parent)
    try:
        handle, beside = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(beside, 0o644)
            os.replace(beside, path)
        except OSError:
            os.unlink(beside)
            raise
    except OSError as error:
        raise ModelError(
            "the file {path!a} cannot be written: {strerror}", path=str(path), strerror=error.strerror
        ) from None


def _meshes(model: ModelRecord, folder: Path) -> None:
    """Write the meshes of the model's shapes that are not yet in its folder, where the model file needs them."""
    shapes = [shape for body in model.bodies.values() for shape in body.shapes] + list(model.drawings.values())
    for mesh in {shape.mesh.file: shape.mesh for shape in shapes if shape.mesh is not None}.values():
        target = folder / mesh.file
        if target.exists():
            continue
        from dalembert.model.mesh import written  # loads numpy

        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(written(mesh))
        except OSError as error:
            raise ModelError(
                "the file {path!a} cannot be written: {strerror}", path=str(target), strerror=error.strerror
            ) from None


def write_text(model: ModelRecord) -> str:
    """The model as the text of a model file, in the words in which it was stated."""
    model = model.stated or model
    lines = [f"title = {_string(model.title)}"]
    if model.reference:
        lines.append(f"reference = {_string(model.reference)}")
    if model.gravity is not None:
        lines.append(f"gravity = {_value(model.gravity)}")
    for table in FIRST:
        lines += _inline_table(table, getattr(model, table))
    speeds = {name: c.speed for name, c in model.coordinates.items() if c.speed is not None}
    lines += _inline_table(SPEEDS, speeds)
    for table in INLINE:
        if table not in FIRST:
            lines += _inline_table(table, getattr(model, table))
    for table in TABLES:
        for name, entry in getattr(model, table).items():
            lines += ["", f"[{table}.{_key(name)}]", *_assignments(_entry(entry, row_names(model)))]
    for table in LAST:
        lines += _inline_table(table, getattr(model, table))
    for table in ("energy", "virtual_displacements", "simulation", "view"):
        assignments = list(_assignments(_entry(getattr(model, table))))
        lines += ["", f"[{table}]", *assignments] if assignments else []
    return "\n".join(lines) + "\n"


def _inline_table(table: str, entries: Mapping[str, Any]) -> Iterator[str]:
    """A table with one line for each entry."""
    if entries:
        yield from ("", f"[{table}]")
        yield from _assignments(entries)


def _assignments(entries: Mapping[str, Any]) -> Iterator[str]:
    for key, value in entries.items():
        yield f"{_key(key)} = {_value(value)}"


def _entry(record: Any, rows: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a record that differ from their defaults, by the file's keys."""
    kind = type(record).__name__
    stated: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if value is None or (value == field.default and not isinstance(value, Expression)) or value == {}:
            continue
        if kind == "Coordinate" and field.name == "speed":
            continue
        if isinstance(value, Name) and _mistakable(record, field.name, value.name, rows):
            value = f"({value.name})"
        stated[RENAMED.get(kind, {}).get(field.name, field.name)] = value
    if kind == "Body" and len(stated.get("shapes", ())) == 1:
        stated["shape"] = stated.pop("shapes")[0]
    if kind == "Rolling":
        sizes = (stated.pop("size"), *stated.pop("further", ()))
        named = stated.pop("kind")
        stated |= {"convex": {named: sizes}} if named in CONVEX else {named: sizes[0]}
    if kind == "Joint":
        _joint_entry(stated)
    if kind == "Input" and "signal" in stated:
        signal = stated.pop("signal")
        stated |= {"times": signal.times, "values": signal.values, "between": signal.between}
    if kind == "Sampled":
        stated |= stated.pop("values")
    return stated


def _joint_entry(stated: dict[str, Any]) -> None:
    """A list of one entry is written as that entry."""
    for key in ("damping", "stiffness", "motor", "limits"):
        if len(stated.get(key, ())) == 1:
            stated[key] = stated[key][0]
    if len(stated.get("coordinates", ())) == 1:
        stated["coordinate"] = stated.pop("coordinates")[0]


def _mistakable(record: Any, field: str, name: str, rows: tuple[str, ...]) -> bool:
    """Whether a single name would not be read as an expression. It then needs brackets."""
    return (isinstance(record, Friction) and field == "normal" and name in rows) or (
        field == "friction" and name == "rough"
    )


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Number(number):
            return repr(number)
        case Negative(Number(number)):
            return f"-{number!r}"
        case Vector():
            return _list(value.children)
        case Expression():
            return _string(text(value))
        case Equation(left, right) | Surface(left, right):
            return _string(f"{text(left)} = {text(right)}")
        case AxisTurn(axis, angle):
            return _list((axis, angle))
        case JointCoordinate(name, coordinate):
            speed = {} if coordinate.speed is None else {"speed": coordinate.speed}
            return _value({"name": name, **_entry(coordinate), **speed})
        case Shape():
            return _value(written(value))
        case Plane(point, normal):
            return _value({"point": point, "normal": normal})
        case str():
            return _string(value)
        case int() | float():
            return repr(value)
        case tuple():
            return _list(value)
        case Mapping():
            return "{ " + ", ".join(_assignments(value)) + " }" if value else "{}"
    return _value(_shortest(value))


def _shortest(record: Any) -> Any:
    """The value alone if a parameter, coordinate or point states nothing else. Other records are tables."""
    stated = _entry(record)
    main = {"Parameter": "value", "Input": "value", "Coordinate": "initial", "Point": "at"}.get(
        type(record).__name__, ""
    )
    return stated[main] if list(stated) == [main] else stated


def _list(values: tuple[Any, ...]) -> str:
    return "[" + ", ".join(_value(value) for value in values) + "]"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


def _string(value: str) -> str:
    escaped = []
    for character in value:
        code = ord(character)
        if 0xD800 <= code <= 0xDFFF:
            raise ModelError("{value!a} contains half of a character; remove it", value=value[:40])
        if character in '"\\':
            escaped.append("\\" + character)
        elif code < 0x20 or code == 0x7F:
            escaped.append(f"\\u{code:04X}")
        else:
            escaped.append(character)
    return '"' + "".join(escaped) + '"'
