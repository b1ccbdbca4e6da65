"""Values with units written out in SI: parameters, initial values and speeds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.machine import joint_coordinates
from dalembert.model.plain import Writing
from dalembert.model.record import Coordinate, ModelRecord, Parameter
from dalembert.model.units import Unit, in_si, unit


def has_units(model: ModelRecord) -> bool:
    """Whether a value has a unit that is not coherent or not known."""
    return any(not _coherent(text) for text in _texts(model))


def _texts(model: ModelRecord) -> set[str]:
    entries: list[Any] = [*model.parameters.values(), *model.coordinates.values()]
    return {entry.unit for entry in [*entries, *joint_coordinates(model.joints).values()]}


def _coherent(text: str) -> bool:
    try:
        return unit(text).coherent
    except ModelError:
        return False


def write_units(writing: Writing) -> None:
    """Convert parameters and coordinates to SI. `joints` converts the coordinates of joints."""
    for table, convert in (("parameters", parameter), ("coordinates", coordinate)):
        entries = writing.tables[table]
        for name, entry in entries.items():
            found = unit_of(writing, entry.unit, table, name)
            if found is not None:
                entries[name] = convert(writing, name, entry, found)


def unit_of(writing: Writing, text: str, table: str, key: str) -> Unit | None:
    try:
        return unit(text)
    except ModelError as error:
        writing.fault(table, key, error.faults[0].message)
        return None


def parameter(writing: Writing, name: str, entry: Parameter, of: Unit) -> Parameter:
    ends = (None if end is None else in_si(end, of) for end in (entry.least, entry.greatest))
    return Parameter(in_si(entry.value, of), _si(entry.unit, of), entry.about, *ends)


def coordinate(writing: Writing, name: str, entry: Coordinate, of: Unit) -> Coordinate:
    if of.offset:
        message = tr(
            "{unit} has an offset, and a coordinate cannot have one; use a unit without offset, such as K",
            unit=entry.unit,
        )
        writing.fault("coordinates", name, message)
    speed = None if entry.speed is None else in_si(entry.speed, of, rate=True)
    return replace(entry, initial=in_si(entry.initial, of), speed=speed, unit=_si(entry.unit, of))


def _si(stated: str, of: Unit) -> str:
    return stated if of.coherent else of.si
