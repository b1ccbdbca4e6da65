"""Expressions in their places: each must be the scalar or vector that is expected there, and its names must be known.

The scope of names is built first: parameters and initial values in a scope of their own, then every named thing after
those that it depends on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from dalembert.errors import Fault, ModelError
from dalembert.expressions.limits import Size, examine
from dalembert.expressions.nodes import Expression, Prime, Results, Time, walk
from dalembert.expressions.parse import nearest, shown
from dalembert.language import mark, tr
from dalembert.model.forms import listed, printable
from dalembert.model.kinds import FRAME, SCALAR, UNKNOWN, VECTOR, Kind, Scope, moving, short
from dalembert.model.order import Key, makeup, turn_expressions
from dalembert.model.record import AxisTurn, ModelRecord
from dalembert.model.signals import RATE, RATE2

FEW = 6  # names that a message lists
STILL = {"vector": VECTOR, "frame": FRAME}  # places and axes that do not move
COORDINATE, STATE = Kind(coordinates=True), Kind(state=True)
LINEAR, CUBIC, OTHER_DATA = Kind(data=True, bent=True), Kind(data=True), Kind(data=True, rough=True)


@dataclass(slots=True)
class Places:
    """Checks a model's expressions in their places, and collects the faults."""

    model: ModelRecord
    columns: Mapping[int, int]
    lost: Collection[str]
    scope: Scope = field(default_factory=Scope)
    _found: dict[Fault, None] = field(default_factory=dict)
    _sizes: Results[Size] = field(default_factory=Results)

    @property
    def faults(self) -> list[Fault]:
        """The faults, each once, in order."""
        return list(self._found)

    def fault(self, table: str, key: str, message: str, node: Expression | None = None) -> None:
        column = None if node is None else self.columns.get(id(node))
        found = Fault(printable(table), printable(key), column, message)
        self._found.setdefault(found)

    def kind(self, root: Expression, table: str, key: str, scope: Scope | None = None) -> Kind:
        try:
            examine(root, self.columns, self._sizes)
        except ModelError as error:
            for met in error.faults:
                self._found.setdefault(Fault(printable(table), printable(key), met.column, met.message))
            return UNKNOWN
        return (scope or self.scope).kind(root, lambda node, message: self.fault(table, key, message, node))

    def expect(
        self, what: str, root: Expression | None, table: str, key: str, *, speeds: bool = True, varying: str = "any"
    ) -> Kind:
        """Check that an expression is a scalar or vector. `varying`: "any", "states" (no data) or "none" (neither)."""
        if root is None:
            return UNKNOWN
        kind = self.kind(root, table, key)
        if kind.what is not None and kind.what != what:
            self.fault(
                table,
                key,
                tr(
                    "{root} is a {what}, and a {what2} is expected here",
                    root=short(root),
                    what=kind.told,
                    what2=tr(what),
                ),
                root,
            )
            return UNKNOWN
        if not speeds and kind.what is not None and kind.degree:
            holder = next((node for node in walk(root) if isinstance(node, Prime)), root)
            self.fault(
                table,
                key,
                tr("{root} contains speeds, and only coordinates and time are allowed here", root=short(root)),
                holder,
            )
        self.steady(kind, root, table, key, varying)
        return kind

    def steady(self, kind: Kind, root: Expression, table: str, key: str, varying: str) -> None:
        """Refuse data (no derivative) and states (their derivative contains speeds) unless `varying` allows them."""
        if kind.what is None or varying == "any":
            return
        if kind.data:
            what = tr("data or a sampled value, which have no derivative")
            self.fault(
                table,
                key,
                tr("{root} contains {what}, and the motion needs one here", root=short(root), what=what),
                root,
            )
        elif kind.state and varying == "none":
            what = tr("a first-order state, and only coordinates and time are allowed here")
            self.fault(
                table,
                key,
                tr("{root} contains {what}; make it a coordinate with a constraint", root=short(root), what=what),
                root,
            )

    def scalar(
        self, root: Expression | None, table: str, key: str, *, speeds: bool = True, varying: str | None = None
    ) -> Kind:
        return self.expect("scalar", root, table, key, speeds=speeds, varying=varying or ("any" if speeds else "none"))

    def vector(self, root: Expression | None, table: str, key: str, *, speeds: bool = True) -> Kind:
        return self.expect("vector", root, table, key, speeds=speeds, varying="any" if speeds else "none")

    def known(self, name: str | None, among: Collection[str], what: str, table: str, key: str) -> bool:
        """Whether a reference by name finds its target."""
        if name is None or name in among or name in self.lost:
            return True
        few = tr("; there is {among}", among=listed(among)) if 0 < len(among) <= FEW else ""
        self.fault(
            table,
            key,
            tr("there is no {what} {name}{name2}", what=tr(what), name=shown(name), name2=nearest(name, among) or few),
        )
        return False

    def values(self) -> None:
        """Parameters may contain those above them, initial values all of them. Neither may contain time or speeds."""
        model = self.model
        apart = {
            name: mark("{name} is not a parameter; a value may contain parameters only")
            for table in (model.coordinates, model.definitions, model.quasi_velocities, model.points, model.bodies)
            for name in table
        }
        apart |= {
            name: mark("{name} is stated below; a value may contain parameters above it only")
            for name in model.parameters
        }
        above = Scope(unread=self.lost, hints=model.parameters, apart=apart)
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
                self.fault(
                    table,
                    key,
                    tr("{node} was met; a value may contain numbers and parameters only", node=short(node)),
                    node,
                )
                return
        if kind.what not in ("scalar", None):
            self.fault(
                table,
                key,
                tr("{root} is a {what}, and a scalar is expected here", root=short(root), what=kind.told),
                root,
            )

    def named(self, order: list[Key]) -> None:
        """The kind of every named thing, each after those that it depends on."""
        model, scope = self.model, self.scope
        scope.unread = self.lost
        scope.hints = (*model.parameters, *model.coordinates, *(name for name, _ in order), "world")
        scope.apart = {
            name: mark("{name} is an output, computed after the motion; use a definition here")
            for name in model.outputs
        }
        scope.values.update(dict.fromkeys(model.parameters, SCALAR))
        scope.values.update(dict.fromkeys(model.coordinates, COORDINATE))
        scope.values.update(dict.fromkeys(model.varying, OTHER_DATA))
        followed = [name for name in model.inputs if name + RATE in model.inputs]
        scope.values.update({name: CUBIC if name + RATE2 in model.inputs else LINEAR for name in followed})
        scope.values.update(dict.fromkeys(model.states, STATE))
        for name, part in order:
            if name in self.lost:
                continue
            if name in model.definitions or name in model.quasi_velocities:
                table = "definitions" if name in model.definitions else "quasi_velocities"
                scope.values[name] = self.kind(getattr(model, table)[name], table, name)
                if scope.values[name].what == "frame":
                    self.fault(table, name, tr("it is a frame, and a scalar or vector is expected"))
            elif part == "value":
                scope.values[name] = self._motion(name, part, "vector")
            else:
                scope.axes[name] = self._motion(name, part, "frame")
        for name, expression in model.quasi_velocities.items():
            kind = self.scalar(expression, "quasi_velocities", name, varying="none")
            if kind.what and kind.degree == 0:
                told = tr("it must contain speeds, and {expression} contains none", expression=short(expression))
                self.fault("quasi_velocities", name, told)

    def _motion(self, name: str, part: str, what: str) -> Kind:
        """Whether a point, frame or body moves with coordinates or time. Its faults are reported in its own table."""
        roots, uses = makeup(self.model, name, part)
        kinds = [self._kind_alone(root) for root in roots]
        for other, which in uses:
            kinds.append((self.scope.axes if which == "axes" else self.scope.values).get(other, UNKNOWN))
        return moving(what, tuple(kinds)) if kinds else STILL[what]

    def _kind_alone(self, root: Expression) -> Kind:
        """The kind of an expression whose faults are reported in another place."""
        try:
            examine(root, self.columns, self._sizes)
        except ModelError:
            return UNKNOWN
        return self.scope.kind(root, lambda node, message: None)

    def turns(self, turns: Iterable[AxisTurn], table: str, key: str) -> None:
        for expression in turn_expressions(turns):
            self.scalar(expression, table, key, speeds=False)
