"""Models built in Python from handles, numbers, texts and SymPy's expressions. They can state all that a file can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Name, Number
from dalembert.expressions.parse import nearest, parse_equation
from dalembert.language import tr
from dalembert.model import given, tables
from dalembert.model.check import checked
from dalembert.model.machine import FirstOrderState, Input, JointCoordinate, Sampled, joint_coordinates, with_coordinate
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
    ModelRecord,
    Parameter,
    Point,
    Rolling,
    Shape,
    Simulation,
    View,
)
from dalembert.model.rows import normals_resolved
from dalembert.model.signals import BETWEEN
from dalembert.model.signals import checked as checked_signal
from dalembert.model.write import save

TABLES = tuple(field.name for field in fields(ModelRecord) if str(field.type).startswith("Mapping"))


class Builder:
    """A model under construction. `record` is the frozen, checked model as stated so far."""

    def __init__(self, title: str = "", reference: str = "") -> None:
        self._stated: dict[str, Any] = {"title": title, "reference": reference}
        self._tables: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
        self._checked: tuple[list[Any], ModelRecord] | None = None  # the entries of the last check, and its model

    @classmethod
    def of(cls, record: ModelRecord) -> Self:
        """A builder that continues a model, in the words in which it was stated."""
        record = record.stated or record
        builder = cls(record.title, record.reference)
        for field in fields(record):
            value = getattr(record, field.name)
            if field.name in TABLES:
                builder._tables[field.name] = dict(value)
            else:
                builder._stated[field.name] = value
        return builder

    @property
    def record(self) -> ModelRecord:
        """The checked model. If it has faults, a ModelError lists all of them."""
        entries = self._entries
        if self._checked is not None and list(map(id, entries)) == list(map(id, self._checked[0])):
            return self._checked[1]
        tables: dict[str, Any] = {table: MappingProxyType(dict(entries)) for table, entries in self._tables.items()}
        record = normals_resolved(
            ModelRecord(**self._stated, **tables), lambda text, name: given.scalar(text, f"frictions.{name}", "normal")
        )
        plain, faults = checked(record)
        if faults:
            raise ModelError(faults)
        self._checked = entries, plain
        return plain

    @classmethod
    def _of_checked(cls, record: ModelRecord) -> Self:
        """A builder that continues a model which was checked, so that it is not checked again before a change."""
        builder = cls.of(record)
        builder._checked = builder._entries, record
        return builder

    @property
    def _entries(self) -> list[Any]:
        return [part for table in (self._stated, *self._tables.values()) for item in table.items() for part in item]

    def save(self, path: str | Path) -> None:
        """Write the model to a file. Reading the file gives the same model."""
        save(self.record, path)

    def _add(self, table: str, name: str, entry: Any) -> Name:
        if name in self._tables[table]:
            raise ModelError([Fault(table, name, None, tr("it is given twice; names are unique"))])
        self._tables[table][name] = entry
        return Name(name)

    def gravity(self, vector: Any) -> None:
        """The acceleration of gravity, which acts on every body."""
        self._stated["gravity"] = given.vector(vector, "", "gravity")

    def parameters(self, **values: Any) -> Any:
        """Add parameters by name. Return their handles in that order; a single one is returned alone."""
        handles = tuple(self.parameter(name, value) for name, value in values.items())
        return handles[0] if len(handles) == 1 else handles

    def parameter(
        self, name: str, value: Any, unit: str = "", about: str = "", least: Any = None, greatest: Any = None
    ) -> Name:
        value, least, greatest = (given.scalar(v, "parameters", name) for v in (value, least, greatest))
        return self._add("parameters", name, Parameter(value, unit, about, least, greatest))

    def coordinates(self, names: str, **initial: Any) -> Any:
        """Add coordinates from a list like "x y theta", with initial values by name. Return their handles, as above."""
        listed = names.replace(",", " ").split()
        for name in initial:
            if name not in listed:
                raise ModelError(
                    "an initial value of {name} was given, which is not among {names}{name2}",
                    name=name,
                    names=names,
                    name2=nearest(name, listed),
                )
        handles = tuple(self.coordinate(name, initial.get(name, 0)) for name in listed)
        return handles[0] if len(handles) == 1 else handles

    def coordinate(self, name: str, initial: Any = 0, speed: Any = None, unit: str = "", about: str = "") -> Name:
        stated = given.scalar(initial, "coordinates", name)
        return self._add("coordinates", name, Coordinate(stated, given.scalar(speed, "speeds", name), unit, about))

    def speeds(self, **values: Any) -> None:
        """Initial speeds by coordinate. Speeds that are left out are solved from the constraints."""
        coordinates, joints = self._tables["coordinates"], self._tables["joints"]
        for name, value in values.items():
            known = {**coordinates, **joint_coordinates(joints)}
            if name not in known:
                message = tr("there is no coordinate of this name{name}", name=nearest(name, known))
                raise ModelError([Fault("speeds", name, None, message)])
            changed = replace(known[name], speed=given.scalar(value, "speeds", name))
            if name in coordinates:
                coordinates[name] = changed
            else:
                joints.update(with_coordinate(joints, {name: changed}))

    def define(self, name: str, value: Any) -> Name:
        """A named expression, recorded as an output."""
        return self._add("definitions", name, given.quantity(value, "definitions", name))

    def quasi_velocity(self, name: str, value: Any) -> Name:
        return self._add("quasi_velocities", name, given.scalar(value, "quasi_velocities", name))

    def frame(self, name: str, turn: Iterable[Any], origin: Any = "world") -> Name:
        """A frame turned from another by a body-fixed sequence of (axis, angle); its handle has axes x, y, z."""
        return self._add("frames", name, Frame(given.turns(turn, "frames", name), given.reference(origin) or "world"))

    def point(self, name: str, at: Any, origin: Any = None, frame: Any = None) -> Name:
        """Inertial components, or the place `at` in a frame, seen from another point."""
        places = (given.reference(place) for place in (origin, frame))
        stated = (None if place == "world" else place for place in places)
        return self._add("points", name, Point(given.vector(at, "points", name), *stated))

    def body(
        self,
        name: str,
        mass: Any,
        position: Any = None,
        rotation: Iterable[Any] = (),
        frame: Any = None,
        spin: Any = None,
        inertia: Iterable[Any] = (),
        ejection: Any = None,
        shape: Mapping[str, Any] | None = None,
        shapes: Iterable[Mapping[str, Any] | Shape] = (),
        attitude: Literal["angles", "quaternion"] = "angles",
        orientation: Iterable[Any] = (),
        angular_velocity: Any = None,
    ) -> Name:
        """Add a body. Its handle is its position and has axes x, y, z. Without a position, a joint must carry it."""
        table = f"bodies.{name}"
        body = Body(
            given.scalar(mass, table, "mass"),
            given.vector(position, table, "position"),
            given.turns(rotation, table, "rotation"),
            given.reference(frame),
            None if spin is None else given.turns([spin], table, "spin")[0],
            given.scalars(inertia, table, "inertia"),
            given.vector(ejection, table, "ejection"),
            given.shapes([shape] if shape else shapes, table),
            given.choices([attitude], ("angles", "quaternion"), table, "attitude")[0],  # type: ignore[arg-type]
            given.turns(orientation, table, "orientation"),
            given.vector(angular_velocity, table, "angular_velocity"),
        )
        return self._add("bodies", name, body)

    def input(
        self,
        name: str,
        value: Any = None,
        *,
        times: Iterable[float] | None = None,
        values: Iterable[float] | None = None,
        between: Literal["hold", "linear", "cubic"] = "linear",
        least: Any = None,
        greatest: Any = None,
        unit: str = "",
        about: str = "",
    ) -> Name:
        """A quantity from outside: a number, an expression of time and state, or data at `times`."""
        if (value is None) == (times is None):
            message = tr("exactly one of value and times is expected")
            raise ModelError([Fault("inputs", name, None, message)])
        signal = None
        if times is not None:
            chosen = given.choices([between], BETWEEN, f"inputs.{name}", "between")[0]
            numbers = [float(entry) for entry in times], [float(entry) for entry in (() if values is None else values)]
            signal = given.told("inputs", name, lambda: checked_signal(*numbers, chosen))
        value, least, greatest = (given.scalar(entry, "inputs", name) for entry in (value, least, greatest))
        return self._add("inputs", name, Input(value, least, greatest, unit, about, signal))

    def state(self, name: str, rate: Any, initial: Any = 0, unit: str = "", about: str = "") -> Name:
        """A first-order state: a filter, a tank, the integral of an error."""
        rate, initial = (given.scalar(entry, "states", name) for entry in (rate, initial))
        return self._add("states", name, FirstOrderState(initial, rate, unit, about))

    def sample(self, name: str, every: Any, offset: Any = None, **values: Any) -> None:
        """A digital controller: `values` are computed at offset, offset + every, … and held in between."""
        table = f"sampled.{name}"
        stated = {key: given.scalar(value, table, key) for key, value in values.items()}
        period, first = given.scalar(every, table, "every"), given.scalar(offset, table, "offset")
        self._add("sampled", name, Sampled(period, MappingProxyType(stated), first))

    def output(self, name: str, value: Any) -> None:
        """A measured quantity. It may contain accelerations, multipliers, reactions and loads."""
        self._add("outputs", name, given.measured(value, "outputs", name))

    def joint(
        self,
        name: str,
        type: str,
        parent: Any,
        child: Any,
        *,
        coordinate: Any = None,
        coordinates: Any = None,
        at: Any = None,
        in_child: Any = None,
        axis: Any = None,
        second_axis: Any = None,
        turn: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        limits: Any = None,
        restitution: Any = None,
        motor: Any = None,
    ) -> Any:
        """Add a joint. Return the handles of the coordinates that it declares; a single one is returned alone.

        The words are those of a file. A coordinate is a name, an expression, or a mapping with name, initial, speed,
        unit and about.
        """
        stated = {
            "coordinate": coordinate, "coordinates": coordinates, "at": at, "in_child": in_child, "axis": axis,
            "second_axis": second_axis, "turn": turn, "damping": damping, "stiffness": stiffness, "limits": limits,
            "restitution": restitution, "motor": motor,
        }  # fmt: skip
        words = {word: value for word, value in stated.items() if value is not None}
        entry = given.joint(name, {"type": type, "parent": parent, "child": child, **words}, self._tables)
        self._add("joints", name, entry)
        handles = tuple(Name(c.name) for c in entry.coordinates if isinstance(c, JointCoordinate))
        return handles[0] if len(handles) == 1 else handles

    def drawing(self, name: str, **shape: Any) -> None:
        """A drawing in inertial axes that is no body: `model.drawing("s", spring=0.05, from_=…, to=…)`."""
        stated = {key.rstrip("_"): value for key, value in shape.items()}
        self._add("drawings", name, given.shapes([stated], f"drawings.{name}")[0])

    def view(self, up: Any = None, eye: Any = None, follow: bool | None = None) -> None:
        """The direction that is up in the picture, and the place of the eye."""
        self._stated["view"] = View(given.vector(up, "view", "up"), given.vector(eye, "view", "eye"), follow)

    def energy(self, kinetic: Any = None, potential: Any = None, dissipation: Any = None) -> None:
        """Energies in addition to those of the bodies. Each may be given once."""
        stated = {"kinetic": kinetic, "potential": potential, "dissipation": dissipation}
        parts = {k: given.scalar(v, "energy", k) for k, v in stated.items() if v is not None}
        self._stated["energy"] = replace(self._stated.get("energy", Energy()), **parts)

    def force(
        self,
        name: str,
        body: Any = None,
        force: Any = None,
        torque: Any = None,
        at: Any = None,
        generalized: Mapping[Any, Any] | None = None,
    ) -> None:
        """A force at a point of a body, a torque on it, or generalized forces by coordinate."""
        table = f"forces.{name}"
        place, force, torque = (
            given.vector(v, table, k) for k, v in (("at", at), ("force", force), ("torque", torque))
        )
        by_name = given.by_name(generalized or {}, f"{table}.generalized")
        self._add("forces", name, Force(given.reference(body), place, force, torque, by_name))

    def constraint(self, name: str, left: Any, right: Any = 0) -> None:
        """left = right, as two expressions, as a residual (right is 0), or as one text with "="."""
        if isinstance(left, str) and "=" in left:
            sides = given.told("constraints", name, lambda: parse_equation(left))
        else:
            sides = tuple(given.quantity(side, "constraints", name) for side in (left, right))
        self._add("constraints", name, Equation(*sides))

    def rolling(
        self,
        name: str,
        body: Any,
        wheel: Any = None,
        ball: Any = None,
        at: Any = None,
        on: Any = "ground",
        rows: Iterable[Literal["touch", "slip"]] = ("touch", "slip"),
        convex: Mapping[str, Any] | None = None,
        centre: Any = None,
        grip: Any = None,
    ) -> None:
        """A wheel, ball, convex body or material point that rolls without slipping on the ground, a plane, a body or a
        surface "z = g(x, y)" or "f(x, y, z) = 0"; `convex` is {"ellipsoid": [a, b, c]} or {"torus": [R, r]}."""
        table = f"rolling.{name}"
        stated = (("wheel", wheel), ("ball", ball), ("at", at), ("convex", convex))
        sizes = [(kind, size) for kind, size in stated if size is not None]
        if len(sizes) != 1:
            raise ModelError([Fault(table, "", None, tr("exactly one of wheel, ball, at and convex is expected"))])
        kind, size = sizes[0]
        further: tuple[Any, ...] = ()
        if kind == "convex":
            kind, (size, *others) = given.convex(size, table)
            further = tuple(others)
        read = given.vector if kind == "at" else given.scalar
        entry = Rolling(
            given.reference(body) or "",
            kind,  # type: ignore[arg-type]
            read(size, table, kind),
            given.plane(on, f"{table}.on"),
            given.choices(rows, ("touch", "slip"), table, "rows"),
            further,
            given.vector(centre, table, "centre"),
            given.scalar(grip, table, "grip"),
        )
        self._add("rolling", name, entry)

    def virtual_displacements(
        self, rule: Literal["chetaev", "vakonomic", "rows"] | None = None, rows: Iterable[Mapping[Any, Any]] = ()
    ) -> None:
        """The rule of virtual displacements; rows are Σ h δq = 0, coefficients by coordinate."""
        table = "virtual_displacements"
        stated = tuple(given.by_name(row, f"{table}.rows[{i}]") for i, row in enumerate(rows, 1))
        chosen = given.choices([rule or ("rows" if stated else "chetaev")], given.RULES, table, "rule")[0]
        self._stated[table] = DisplacementRule(chosen, stated)  # type: ignore[arg-type]

    def multipliers(self, **values: Any) -> None:
        """Initial multipliers of a vakonomic motion, by constraint."""
        for name, value in values.items():
            self._add("multipliers", name, given.scalar(value, "multipliers", name))

    def contact(
        self,
        name: str,
        gap: Any,
        restitution: Any = 1,
        reverses: Iterable[Any] = (),
        slip: Iterable[Any] = (),
        friction: Any = None,
        law: Literal["newton", "poisson", "zhang-mei"] = "newton",
    ) -> None:
        """A gap that stays at zero or above."""
        table = f"contacts.{name}"
        resistance = friction if friction == "rough" else given.scalar(friction, table, "friction")
        entry = Contact(
            given.scalar(gap, table, "gap"),
            given.scalar(restitution, table, "restitution") or Number(1),
            given.scalars(reverses, table, "reverses"),
            given.scalars(slip, table, "slip"),
            resistance,
            given.choices([law], given.LAWS, table, "law")[0],  # type: ignore[arg-type]
        )
        self._add("contacts", name, entry)

    def friction(
        self,
        name: str,
        slip: Iterable[Any],
        normal: Any,
        coefficient: Any,
        static: Any = None,
        held: Iterable[Any] = (),
    ) -> None:
        """Isotropic Coulomb friction; `normal` is an expression, or the name of the constraint that presses."""
        table = f"frictions.{name}"
        entry = Friction(
            given.scalars(slip, table, "slip"),
            given.normal(normal, table),
            given.scalar(coefficient, table, "coefficient"),
            given.scalar(static, table, "static"),
            given.scalars(held, table, "held"),
        )
        self._add("frictions", name, entry)

    def event(self, name: str, when: Any, stop: bool = False) -> None:
        """Instants at which an expression crosses zero. It may contain accelerations and reactions, as outputs may."""
        self._add("events", name, EventRule(given.measured(when, f"events.{name}", "when"), stop))

    def simulation(
        self,
        *,
        duration: Any = None,
        samples: int | None = None,
        tolerance: float | None = None,
        method: str | None = None,
        description: Literal["segmented", "whole-course"] | None = None,
        start: Any = None,
        stepper: str | None = None,
        step: Any = None,
    ) -> None:
        """The settings of a simulation that a call does not give."""
        asked = {
            "duration": duration, "samples": samples, "tolerance": tolerance, "method": method,
            "description": description, "start": start, "stepper": stepper, "step": step,
        }  # fmt: skip
        settings = {name: value for name, value in asked.items() if value is not None}
        before = self._stated.get("simulation", Simulation())
        stated = {field.name: getattr(before, field.name) for field in fields(before)} | settings
        plain = {name: value for name, value in stated.items() if value is not None}
        self._stated["simulation"] = given.read(lambda forms: tables.simulation(forms, plain))
