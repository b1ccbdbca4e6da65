"""The arrays of a result: their columns among all kept numbers, their dimensions and their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import ModelError
from dalembert.model.record import ModelRecord
from dalembert.model.units import stated_units
from dalembert.sweep.ensemble import Record
from dalembert.sweep.records import Wish
from dalembert.sweep.space import Space


@dataclass(frozen=True)
class Variable:
    """One array of the result: its columns among all, and its dimensions besides the varied ones."""

    name: str
    first: int
    columns: int
    beyond: tuple[tuple[str, tuple[float, ...]], ...] = ()  # (dimension, its coordinate)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(values) for _, values in self.beyond)


def variables(
    model: ModelRecord, space: Space, records: Sequence[Record], near: Sequence[tuple[Wish, int]]
) -> tuple[Variable, ...]:
    """The variables of the records, then of the wishes `near` a start, each with its number of columns."""
    taken = set(space.names) | set(space.dimensions)
    found: list[Variable] = []
    grids: dict[tuple[float, ...], str] = {}
    first = 0
    units = stated_units(model)
    for record in records:
        about: dict[str, Any] = {"record": record.name}
        beyond: tuple[tuple[str, tuple[float, ...]], ...] = ()
        if record.kind == "at":
            name = grids.setdefault(record.times, _time_name(len(grids), taken))
            beyond = ((name, record.times),)
        if record.kind == "crossing":
            about["units"] = "s"
        elif record.quantity is not None:
            about |= _unit(record.quantity.name, units)
        found.append(Variable(record.name, first, record.columns, beyond, about))
        first += record.columns
    for wish, columns in near:
        found += _near_start(wish, first, columns, grids, taken)
        first += columns
    for variable in found:
        if variable.name in taken or variable.name in ("status", "message"):
            raise ModelError(
                "{name!r} is recorded, and is the name of something else; choose another", name=variable.name
            )
    return tuple(found)


def _near_start(
    wish: Wish, first: int, columns: int, grids: dict[tuple[float, ...], str], taken: set[str]
) -> list[Variable]:
    about: dict[str, Any] = {"record": wish.name}
    if wish.kind == "derivative":
        name = grids.setdefault(wish.times, _time_name(len(grids), taken)) if wish.times else ""
        return [Variable(wish.name, first, columns, ((name, wish.times),) if name else (), about)]
    if wish.kind == "growth":
        more = {"units": "1/s", "long_name": "greatest real part of the eigenvalues"}
        return [Variable(wish.name, first, columns, (), about | more)]
    if wish.kind == "critical":
        return [Variable(wish.name, first, columns, (("crossing", tuple(map(float, range(columns)))),), about)]
    size = columns // 2
    modes = (("mode", tuple(map(float, range(size)))),)
    return [
        Variable(f"{wish.name} {part}", first + i * size, size, modes, about | {"units": "1/s"})
        for i, part in enumerate(("real", "imaginary"))
    ]


def _time_name(number: int, taken: set[str]) -> str:
    name = "t" if not number else f"t{number + 1}"
    while name in taken:
        name += "_"
    return name


def _unit(name: str, units: Mapping[str, str]) -> dict[str, str]:
    bare = name.rstrip("'")
    unit = units.get(bare, "")
    return {"units": unit + ("", "/s", "/s^2")[len(name) - len(bare)]} if unit else {}
