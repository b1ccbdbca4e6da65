"""The plain form of a model: joints become coordinates, frames, points, forces, contacts and rows.

All later stages read the plain form alone and need not know joints. The plain model keeps the stated one, because that
one is saved, changed by settings and extended. Names made here contain a dot, which a user's name cannot. A fault in
something made here is reported at the place where the user stated it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dalembert.errors import Fault
from dalembert.expressions.nodes import Axis, Expression, Number, Prime, Sum, Time, Vector, names, walk
from dalembert.model.record import Body, Coordinate, ModelRecord, read_only
from dalembert.model.values import parameter_values

Place = tuple[str, str]  # a table and a key
ORIGIN = Vector(Number(0), Number(0), Number(0))


@dataclass(slots=True)
class Writing:
    """The tables of the plain model while they are written, the faults, and the place where each thing was stated."""

    stated: ModelRecord
    tables: dict[str, dict[str, Any]]
    energy: dict[str, list[Expression]] = field(default_factory=dict)  # terms to be added
    faults: list[Fault] = field(default_factory=list)
    origins: dict[Place, Place] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    unread: Collection[str] = ()  # names of entries that a reader refused

    def fault(self, table: str, key: str, message: str) -> None:
        self.faults.append(Fault(table, key, None, message))

    def add(self, table: str, name: str, entry: Any, place: Place) -> None:
        self.tables[table][name] = entry
        self.origins[table, name] = self.origins[f"{table}.{name}", ""] = place

    def coordinate(self, name: str, entry: Coordinate, place: Place) -> None:
        """Add a coordinate after those before, with the start that a setting states, if there is one."""
        table = self.tables["coordinates"]
        if name in table:
            table[name] = table.pop(name)
        else:
            self.add("coordinates", name, entry, place)

    def constant(self, entry: Expression) -> bool:
        """Whether an expression contains numbers and parameters only."""
        moving = any(isinstance(node, (Prime, Time, Axis)) for node in walk(entry))
        return not moving and names([entry]) <= self.stated.parameters.keys()

    def told(self, fault: Fault) -> Fault:
        """A fault of the plain model, moved to the place where the user stated the thing."""
        made = (fault.table, fault.key), (fault.table, ""), (".".join(fault.table.split(".")[:-1]), "")
        found = next((self.origins[place] for place in made if place in self.origins), None)
        return fault if found is None else replace(fault, table=found[0], key=found[1])

    def model(self) -> ModelRecord:
        bodies = self.tables["bodies"]
        bodies |= {name: replace(body, position=ORIGIN) for name, body in bodies.items() if body.position is None}
        energy = self.stated.energy
        for name, terms in self.energy.items():
            before = getattr(energy, name)
            whole = tuple(terms) if before is None else (before, *terms)
            energy = replace(energy, **{name: whole[0] if len(whole) == 1 else Sum(whole)})
        still: dict[str, Any] = {"attitude": "angles", "orientation": (), "angular_velocity": None}
        bodies |= {name: replace(body, **still) for name, body in bodies.items()}
        written = {table: read_only(entries) for table, entries in self.tables.items()}
        return replace(self.stated, **written | {"joints": read_only({})}, energy=energy, stated=self.stated)  # type: ignore[arg-type]


def is_plain(model: ModelRecord) -> bool:
    from dalembert.model.conversions import has_units
    from dalembert.model.surfaces import on_surfaces

    tables = (model.joints, model.inputs, model.states, model.sampled, on_surfaces(model))
    words = any(tables) or has_units(model) or any(map(_has_words, model.bodies.values()))
    return model.stated is not None or not words


def _has_words(body: Body) -> bool:
    words = body.attitude == "quaternion" or body.orientation or body.angular_velocity is not None
    return body.position is None or bool(words)


def written_out(stated: ModelRecord, unread: Collection[str] = ()) -> tuple[ModelRecord, Writing]:
    """The plain model of a stated one, as far as it can be made, and the writing with its faults."""
    if is_plain(stated):
        return stated, Writing(stated, {}, unread=unread)
    from dalembert.model.attitudes import write_attitudes
    from dalembert.model.control import write_control
    from dalembert.model.conversions import write_units
    from dalembert.model.joints import write_joints
    from dalembert.model.lookups import expanded
    from dalembert.model.surfaces import write_surfaces

    written, faults = expanded(stated)
    tables = {f.name: dict(getattr(written, f.name)) for f in fields(written) if str(f.type).startswith("Mapping")}
    writing = Writing(written, tables, faults=faults, unread=unread)
    write_units(writing)
    write_control(writing)
    writing.parameters = parameter_values(writing.tables["parameters"])
    write_attitudes(writing)
    write_joints(writing)
    write_surfaces(writing)
    return replace(writing.model(), stated=stated), writing
