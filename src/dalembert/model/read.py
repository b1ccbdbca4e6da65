"""Reads a model file (TOML) into a checked `Model`, or raises one error with every fault of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, shown
from dalembert.language import mark, tr
from dalembert.model import machine_tables, shapes, tables, toml
from dalembert.model.check import checked
from dalembert.model.forms import Forms, listed
from dalembert.model.record import ModelRecord
from dalembert.model.rows import normals_resolved

Entry = TypeVar("Entry")

NAMED: dict[str, Callable[[Forms, str, Any], Any]] = {  # tables of named entries, each with the reader of one entry
    "parameters": tables.parameter,
    "coordinates": tables.coordinate,
    "definitions": tables.definition,
    "frames": tables.frame,
    "points": tables.point,
    "bodies": tables.body,
    "forces": tables.force,
    "constraints": tables.constraint,
    "rolling": tables.rolling,
    "quasi_velocities": tables.quasi_velocity,
    "multipliers": tables.multiplier,
    "contacts": tables.contact,
    "frictions": tables.friction,
    "events": tables.event,
    "joints": machine_tables.joint,
    "inputs": machine_tables.input_of,
    "states": machine_tables.state,
    "sampled": machine_tables.sampled,
    "outputs": machine_tables.output,
    "drawings": shapes.drawing,
}
SINGLE: dict[str, Callable[[Forms, Any], Any]] = {
    "energy": tables.energy,
    "virtual_displacements": tables.virtual_displacements,
    "simulation": tables.simulation,
    "view": shapes.view,
}
TEXTS = ("title", "reference")
KNOWN = (*TEXTS, "gravity", "speeds", *NAMED, *SINGLE)


def read(path: str | Path) -> ModelRecord:
    """The model in a file."""
    path = Path(path)
    name = shown(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(toml.LARGEST + 1)
    except FileNotFoundError:
        raise ModelError("there is no file {name}", name=name) from None
    except IsADirectoryError:
        raise ModelError("{name} is a directory, and a model file is expected", name=name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError("the file {name} cannot be read: {reason}", name=name, reason=reason) from None
    if len(data) > toml.LARGEST:
        raise ModelError(
            "the file {name} is larger than {largest} MB, the most that is read",
            name=name,
            largest=toml.LARGEST // 1000000,
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(
            "the file {name} is not UTF-8: byte {start} cannot be decoded", name=name, start=error.start + 1
        ) from None
    return read_text(text, path.stem, path.parent)


def read_text(text: str, name: str = "", folder: Path | None = None) -> ModelRecord:
    """The model in a text. `name` is its title unless the text has one; `folder` has the files that it names."""
    return model_of(toml.loads(text), name, folder)


def model_of(data: Mapping[str, Any], name: str = "", folder: Path | None = None) -> ModelRecord:
    """The model that the tables of a file state."""
    forms = Forms(folder)
    for key in data:
        if key not in KNOWN:
            hint = nearest(key, KNOWN) or tr("; known are {known}", known=listed(KNOWN))
            kind = mark("table") if isinstance(data[key], dict) else mark("key")
            forms.fault(
                *((key, "") if kind == "table" else ("", key)),
                tr("the {kind} is not known{hint}", kind=tr(kind), hint=hint),
            )
    stated: dict[str, Any] = {
        key: _entries(forms, key, data[key], reader) for key, reader in NAMED.items() if key in data
    }
    stated |= {key: reader(forms, data[key]) for key, reader in SINGLE.items() if key in data}
    stated |= {key: forms.text(data[key], "", key) for key in TEXTS if key in data}
    if "gravity" in data:
        stated["gravity"] = forms.vector(data["gravity"], "", "gravity")
    tables.add_speeds(forms, stated, data.get("speeds", {}), data.get("coordinates", {}))
    record = ModelRecord(**{"title": name} | {key: value for key, value in stated.items() if value is not None})
    record = normals_resolved(record, lambda text, name: forms.expression(text, f"frictions.{name}", "normal"))
    unread = forms.unread | {entry for key in NAMED for entry in _keys(data, key) if entry not in getattr(record, key)}
    unread |= _unread_coordinates(data, record)
    unread |= {held for name in forms.unread for held in _table(_table(data, "sampled"), name)}
    plain, faults = checked(record, forms.columns, unread)
    if forms.faults or faults:
        raise ModelError(forms.faults + faults)
    return plain


def _entries(
    forms: Forms, table: str, value: Any, reader: Callable[[Forms, str, Any], Entry | None]
) -> Mapping[str, Entry] | None:
    if forms.table(value, table, "") is None:
        return None
    read_entries = {name: reader(forms, name, entry) for name, entry in value.items()}
    return MappingProxyType({name: entry for name, entry in read_entries.items() if entry is not None})


def _keys(data: Mapping[str, Any], table: str) -> tuple[str, ...]:
    return tuple(_table(data, table))


def _unread_coordinates(data: Mapping[str, Any], record: ModelRecord) -> set[str]:
    """The coordinates that joints with a fault would have declared. They count as unread, not as unknown."""
    lost = [entry for name, entry in _table(data, "joints").items() if name not in record.joints]
    stated = [[joint.get("coordinate"), *_list(joint.get("coordinates"))] for joint in lost if isinstance(joint, dict)]
    named = (entry.get("name") for entries in stated for entry in entries if isinstance(entry, dict))
    return {name for name in named if isinstance(name, str)}


def _table(data: Mapping[str, Any], table: str) -> dict[str, Any]:
    value = data.get(table)
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
