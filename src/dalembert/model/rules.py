"""What may stand where: every expression of a model against the place that it stands in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from dalembert.errors import Fault, ModelError
from dalembert.expressions.limits import examine
from dalembert.expressions.nodes import Expression, Number, Prime, Time, walk
from dalembert.expressions.parse import nearest, shown
from dalembert.expressions.text import text
from dalembert.model.forms import printable
from dalembert.model.kinds import NONLINEAR, SCALAR, UNKNOWN, Kind, Scope
from dalembert.model.order import Key
from dalembert.model.record import Body, Contact, Equation, Force, Friction, Model, Plane, Turn
from dalembert.model.rows import row_names


def expressions(model: Model, order: list[Key], columns: Mapping[int, int], lost: Collection[str]) -> list[Fault]:
    """The faults of all expressions and of all references by name."""
    rules = _Rules(model, columns, lost)
    rules.values()
    rules.named(order)
    for table in (
        rules.frames_and_points,
        rules.bodies,
        rules.forces_and_energy,
        rules.constraints,
        rules.rolling,
        rules.displacements,
        rules.contacts,
        rules.frictions,
        rules.rest,
    ):
        table()
    return rules.faults


@dataclass(slots=True)
class _Rules:
    model: Model
    columns: Mapping[int, int]
    lost: Collection[str]
    faults: list[Fault] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)

    def fault(self, table: str, key: str, message: str, node: Expression | None = None) -> None:
        column = None if node is None else self.columns.get(id(node))
        found = Fault(printable(table), printable(key), column, message)
        if found not in self.faults:
            self.faults.append(found)

    def kind(self, root: Expression, table: str, key: str, scope: Scope | None = None) -> Kind:
        try:
            examine(root, self.columns)
        except ModelError as error:
            self.faults += [Fault(printable(table), printable(key), f.column, f.message) for f in error.faults]
            return UNKNOWN
        return (scope or self.scope).kind(root, lambda node, message: self.fault(table, key, message, node))

    def expect(self, what: str, root: Expression | None, table: str, key: str, *, speeds: bool = True) -> Kind:
        """A scalar or a vector, with or without speeds."""
        if root is None:
            return UNKNOWN
        kind = self.kind(root, table, key)
        if kind.what is not None and kind.what != what:
            self.fault(table, key, f"{_short(root)} is a {kind.what}, and a {what} is expected here", root)
            return UNKNOWN
        if not speeds and kind.what is not None and kind.degree:
            holder = next((node for node in walk(root) if isinstance(node, Prime)), root)
            self.fault(table, key, f"{_short(root)} holds speeds, and here only coordinates and time may stand", holder)
        return kind

    def scalar(self, root: Expression | None, table: str, key: str, *, speeds: bool = True) -> Kind:
        return self.expect("scalar", root, table, key, speeds=speeds)

    def vector(self, root: Expression | None, table: str, key: str, *, speeds: bool = True) -> Kind:
        return self.expect("vector", root, table, key, speeds=speeds)

    def known(self, name: str | None, among: Collection[str], what: str, table: str, key: str) -> bool:
        """Whether a reference by name finds its target."""
        if name is None or name in among or name in self.lost:
            return True
        self.fault(table, key, f"there is no {what} {shown(name)}{nearest(name, among)}")
        return False

    def values(self) -> None:
        """Parameters hold those above them; initial values hold parameters; neither holds time or speeds."""
        model = self.model
        apart = {
            name: f"{name} is no parameter, and a value holds parameters only"
            for table in (model.coordinates, model.definitions, model.quasi_velocities, model.points, model.bodies)
            for name in table
        }
        apart |= {name: f"{name} stands below; a value holds parameters above it" for name in model.parameters}
        above = Scope(unread=self.lost, apart=apart)
        for name, parameter in model.parameters.items():
            self._value(parameter.value, "parameters", name, above)
            above.values[name] = SCALAR
        for name, parameter in model.parameters.items():
            for bound in (parameter.least, parameter.greatest):
                self._value(bound, "parameters", name, above)
        for name, coordinate in model.coordinates.items():
            self._value(coordinate.initial, "coordinates", name, above)
            self._value(coordinate.speed, "speeds", name, above)
        for name, multiplier in model.multipliers.items():
            self._value(multiplier, "multipliers", name, above)

    def _value(self, root: Expression | None, table: str, key: str, scope: Scope) -> None:
        if root is None:
            return
        kind = self.kind(root, table, key, scope)
        for node in walk(root):
            if isinstance(node, (Prime, Time)):
                self.fault(table, key, f"{_short(node)} was met, and a value holds numbers and parameters only", node)
                return
        if kind.what not in ("scalar", None):
            self.fault(table, key, f"{_short(root)} is a {kind.what}, and a scalar is expected here", root)

    def named(self, order: list[Key]) -> None:
        """The kind of every named thing, each after what it rests on."""
        model, scope = self.model, self.scope
        scope.unread = self.lost
        scope.values.update(dict.fromkeys(model.parameters, SCALAR))
        scope.values.update(dict.fromkeys(model.coordinates, Kind(coordinates=True)))
        for name, part in order:
            if name in self.lost:
                continue
            if name in model.definitions or name in model.quasi_velocities:
                table = "definitions" if name in model.definitions else "quasi_velocities"
                scope.values[name] = self.kind(getattr(model, table)[name], table, name)
                if scope.values[name].what == "frame":
                    self.fault(table, name, "it is a frame, and a scalar or vector is expected")
            elif part == "value":
                place = model.points[name].at if name in model.points else model.bodies[name].position
                moving = self._quietly(place, name, "value")
                scope.values[name] = Kind("vector", moving.coordinates, 0, moving.growth, moving.time)
            else:
                moving = self._quietly(None, name, "axes")
                scope.axes[name] = Kind("frame", moving.coordinates, 0, moving.growth, moving.time)
        for name, expression in model.quasi_velocities.items():
            kind = self.scalar(expression, "quasi_velocities", name)
            if kind.what and kind.degree != 1:
                met = "is not linear in them" if kind.degree == NONLINEAR else "holds none"
                self.fault(
                    "quasi_velocities", name, f"it is to be linear in the speeds, and {_short(expression)} {met}"
                )

    def _quietly(self, place: Expression | None, name: str, part: str) -> Kind:
        """Whether a point, frame or body moves with the coordinates or time; its faults are told in its own table."""
        model, parts = self.model, []
        if place is not None:
            parts.append(place)
        kinds = []
        if part == "axes":
            holder = model.frames.get(name) or model.bodies[name]
            turns = holder.turn if name in model.frames else _turns(holder)  # type: ignore[union-attr, arg-type]
            parts += [turn.angle for turn in turns]
            parts += [entry for turn in turns if not isinstance(turn.axis, str) for entry in turn.axis]
            origin = model.frames[name].origin if name in model.frames else model.bodies[name].frame
            kinds.append(self.scope.axes.get(origin or "world", UNKNOWN))
        elif name in model.points:
            point = model.points[name]
            kinds.append(self.scope.axes.get(point.frame or "world", UNKNOWN))
            kinds.append(self.scope.values.get(point.origin or "", UNKNOWN))
        kinds += [self.scope.kind(root, lambda node, message: None) for root in parts]
        return Kind(
            coordinates=any(k.coordinates for k in kinds),
            growth=max((k.growth for k in kinds), default=1),
            time=any(k.time for k in kinds),
        )

    def turns(self, turns: Iterable[Turn], table: str, key: str) -> None:
        for turn in turns:
            self.scalar(turn.angle, table, key, speeds=False)
            if not isinstance(turn.axis, str):
                for entry in turn.axis:
                    self.scalar(entry, table, key, speeds=False)

    def frames_and_points(self) -> None:
        model = self.model
        turning = ("world", *model.frames, *model.bodies)
        for name, frame in model.frames.items():
            self.known(frame.origin, turning, "frame or body", f"frames.{name}", "from")
            self.turns(frame.turn, f"frames.{name}", "turn")
        for name, point in model.points.items():
            self.known(point.origin, (*model.points, *model.bodies), "point or body", f"points.{name}", "from")
            self.known(point.frame, turning, "frame or body", f"points.{name}", "in")
            self.vector(point.at, "points", name, speeds=False)

    def bodies(self) -> None:
        for name, body in self.model.bodies.items():
            self._body(f"bodies.{name}", body)

    def _body(self, table: str, body: Body) -> None:
        self.scalar(body.mass, table, "mass")
        self.vector(body.position, table, "position", speeds=False)
        self.turns(body.rotation, table, "rotation")
        self.turns([body.spin] if body.spin else [], table, "spin")
        self.vector(body.ejection, table, "ejection")
        for entry in body.inertia:
            self.scalar(entry, table, "inertia")
        if len(body.inertia) not in (0, 3, 6):
            self.fault(table, "inertia", f"{len(body.inertia)} entries were met, and 3 or 6 are expected")
        if body.frame is not None:
            self.known(body.frame, ("world", *self.model.frames, *self.model.bodies), "frame or body", table, "frame")
            if body.rotation:
                self.fault(table, "rotation", "it is given besides frame; one of the two is expected")

    def forces_and_energy(self) -> None:
        model = self.model
        self.vector(model.gravity, "", "gravity")
        self.scalar(model.energy.kinetic, "energy", "kinetic")
        self.scalar(model.energy.potential, "energy", "potential", speeds=False)
        self.scalar(model.energy.dissipation, "energy", "dissipation")
        for name, force in model.forces.items():
            self._force(f"forces.{name}", force)
        if not (model.bodies or model.energy.kinetic or self.lost):
            self.fault(
                "",
                "",
                "the model has no body and no kinetic energy, so nothing in it has mass; give [bodies] or [energy] kinetic",
            )
        if not (model.coordinates or self.lost):
            self.fault("coordinates", "", "the model has no coordinates; at least one is expected")

    def _force(self, table: str, force: Force) -> None:
        for key in ("at", "force", "torque"):
            self.vector(getattr(force, key), table, key)
        if force.body is not None:
            self.known(force.body, self.model.bodies, "body", table, "body")
        elif force.at or force.force or force.torque:
            self.fault(table, "body", "it is missing; a force or torque acts on a body")
        if not (force.force or force.torque or force.generalized):
            self.fault(table, "", "nothing acts here; force, torque or generalized is expected")
        for name, entry in force.generalized.items():
            self.known(name, self.model.coordinates, "coordinate", f"{table}.generalized", name)
            self.scalar(entry, f"{table}.generalized", name)

    def constraints(self) -> None:
        for name, equation in self.model.constraints.items():
            self._constraint(name, equation)

    def _constraint(self, name: str, equation: Equation) -> None:
        left, right = (self.kind(side, "constraints", name) for side in (equation.left, equation.right))
        zeros = [side == Number(0) for side in (equation.left, equation.right)]
        if left.what is None or right.what is None:
            return
        if "frame" in (left.what, right.what):
            self.fault("constraints", name, "a frame was met, and a scalar or vector equation is expected")
        elif left.what != right.what and not any(zeros):
            self.fault(
                "constraints",
                name,
                f"{_short(equation.left)} is a {left.what} and {_short(equation.right)} a {right.what}; the two sides are to be alike",
                equation.right,
            )
        elif not (left.coordinates or right.coordinates or left.degree or right.degree):
            self.fault("constraints", name, "it holds no coordinate and no speed, so it constrains nothing")

    def rolling(self) -> None:
        model = self.model
        for name, rolling in model.rolling.items():
            table = f"rolling.{name}"
            self.known(rolling.body, model.bodies, "body", table, "body")
            if rolling.kind == "at":
                self.vector(rolling.size, table, "at", speeds=False)
            else:
                self.scalar(rolling.size, table, rolling.kind, speeds=False)
            body = model.bodies.get(rolling.body)
            if rolling.kind == "wheel" and body is not None and not (body.frame or body.spin or body.rotation):
                self.fault(table, "body", f"a wheel turns, and the body {rolling.body} has no rotation, frame or spin")
            if isinstance(rolling.on, Plane):
                self.vector(rolling.on.point, f"{table}.on", "point", speeds=False)
                self.vector(rolling.on.normal, f"{table}.on", "normal", speeds=False)
            elif rolling.on != "ground":
                self.known(rolling.on, ("ground", *model.bodies), "body", table, "on")
                if rolling.on == rolling.body:
                    self.fault(table, "on", "a body cannot roll on itself")
            if not rolling.rows or len(set(rolling.rows)) != len(rolling.rows):
                self.fault(table, "rows", "touch, slip or both are expected, each once")

    def displacements(self) -> None:
        model, table = self.model, "virtual_displacements"
        displacements = model.virtual_displacements
        if displacements.rule == "rows" and not displacements.rows:
            self.fault(table, "rows", 'it is missing; rule = "rows" needs it')
        if displacements.rule != "rows" and displacements.rows:
            self.fault(table, "rows", f'rows belong to rule = "rows", and the rule here is "{displacements.rule}"')
        for i, row in enumerate(displacements.rows, 1):
            if not row:
                self.fault(f"{table}.rows[{i}]", "", "the row is empty; coordinates and coefficients are expected")
            for name, coefficient in row.items():
                self.known(name, model.coordinates, "coordinate", f"{table}.rows[{i}]", name)
                self.scalar(coefficient, f"{table}.rows[{i}]", name)
        for name in model.multipliers:
            self.known(name, row_names(model), "constraint", "multipliers", name)

    def contacts(self) -> None:
        for name, contact in self.model.contacts.items():
            self._contact(f"contacts.{name}", contact)

    def _contact(self, table: str, contact: Contact) -> None:
        gap = self.scalar(contact.gap, table, "gap", speeds=False)
        if gap.what and not gap.coordinates:
            self.fault(table, "gap", "it holds no coordinate, so it can never close")
        self.scalar(contact.restitution, table, "restitution")
        self._speeds(contact.reverses, table, "reverses")
        self._speeds(contact.slip, table, "slip")
        if contact.slip and contact.friction is None:
            self.fault(table, "friction", "it is missing; slip is given, and friction says how the contact resists it")
        if contact.friction is not None and not contact.slip:
            self.fault(table, "slip", "it is missing; friction is given, and slip says what it resists")
        if isinstance(contact.friction, Expression):
            self.scalar(contact.friction, table, "friction")

    def _speeds(self, rows: Iterable[Expression], table: str, key: str) -> None:
        for row in rows:
            kind = self.scalar(row, table, key)
            if kind.what and not kind.degree:
                self.fault(
                    table, key, f"{_short(row)} holds no speed, and a quantity linear in the speeds is expected", row
                )

    def frictions(self) -> None:
        for name, friction in self.model.frictions.items():
            self._friction(f"frictions.{name}", friction)

    def _friction(self, table: str, friction: Friction) -> None:
        if not friction.slip:
            self.fault(table, "slip", "it is empty; at least one expression is expected")
        self._speeds(friction.slip, table, "slip")
        self._speeds(friction.held, table, "held")
        self.scalar(friction.coefficient, table, "coefficient")
        self.scalar(friction.static, table, "static")
        if isinstance(friction.normal, Expression):
            self.scalar(friction.normal, table, "normal")
        elif self.known(friction.normal, row_names(self.model), "constraint or contact", table, "normal"):
            if friction.normal in self.model.constraints and friction.normal in self.model.contacts:
                self.fault(table, "normal", f"{friction.normal} is a constraint and a contact; rename one of them")

    def rest(self) -> None:
        for name, event in self.model.events.items():
            self.scalar(event.when, f"events.{name}", "when")
        simulation, table = self.model.simulation, "simulation"
        if simulation.duration is not None and not 0 < simulation.duration < float("inf"):
            self.fault(table, "duration", f"{simulation.duration} was met, and a positive time is expected")
        if simulation.samples is not None and not 2 <= simulation.samples <= 10_000_000:
            self.fault(table, "samples", f"{simulation.samples} was met, and a number from 2 to 10 million is expected")
        if not 0 < simulation.tolerance <= 1e-2:
            self.fault(table, "tolerance", f"{simulation.tolerance} was met, and a number in (0, 0.01] is expected")
        if simulation.step is not None and not 0 < simulation.step < float("inf"):
            self.fault(table, "step", f"{simulation.step} was met, and a positive time is expected")


def _turns(body: Body) -> tuple[Turn, ...]:
    return (*body.rotation, *([body.spin] if body.spin else []))


def _short(node: Expression) -> str:
    written = text(node)
    return written if len(written) <= 30 else written[:14] + "…" + written[-14:]
