"""Outputs: expressions with accelerations, multipliers, reactions of rolling bodies, and loads of joints.

They are expressions in x, in q̈ (the symbols q'') and in the multipliers (the symbols lambda.ROW), and need not be
linear in either. The load of a joint acts on its child, at the joint, and is given in the axes of its parent:
    closing a loop   F = Σ λ e over the rows along e,   C = Σ λ (m × e) over the rows e·m = const, m of the child
    freed            rows ξ = 0 of displacements ξ along e: F = Σ λ e;   of turns: C = Σ λ ∂ω/∂ξ̇      (after Sun)
"""

from __future__ import annotations

from collections.abc import Iterator

import symengine as se

from dalembert.errors import Fault, ModelError
from dalembert.expressions import nodes as x
from dalembert.language import tr
from dalembert.mechanics.algebra import NULL, Scalar, Triple, cross, dot, plus, scaled, total
from dalembert.mechanics.bodies import world_turning
from dalembert.mechanics.lowering import Lowering, Value, absolute
from dalembert.mechanics.rolling import contact_frame
from dalembert.mechanics.rotations import AXES
from dalembert.mechanics.supports import Supports
from dalembert.model.record import Equation


def multiplier(row: str) -> Scalar:
    return se.Symbol(f"lambda.{row}")


class Measuring(Lowering):
    """Resolves outputs with the names of a model that is already lowered."""

    def __init__(self, lowering: Lowering, supports: Supports):
        self.take_over(lowering)
        self.supports = supports
        self.kinematics = supports.kinematics
        self.bodies = supports.bodies
        self.rows = supports.rows
        self.found: dict[str, Value] = {}
        self.table, self.place = "outputs", ""

    def outputs(self) -> dict[str, Scalar]:
        """Every output; a vector becomes NAME.x, NAME.y, NAME.z."""
        named: dict[str, Scalar] = {}
        for name, node in self.model.outputs.items():
            self.table, self.place = "outputs", name
            value = self.found[name] = self.value(node)
            if isinstance(value, tuple):
                named |= {f"{name}.{axis}": c for axis, c in zip("xyz", value, strict=True)}
            else:
                named[name] = value
        return named

    def guard(self, name: str, node: x.Expression) -> Scalar:
        """The expression that an event watches."""
        self.table, self.place = f"events.{name}", "when"
        return se.sympify(self.scalar(node))

    def ends(self, name: str, grip: x.Expression) -> tuple[Scalar, Scalar]:
        """Two guards, positive while a body presses and does not slip: N, and (grip N)² − |F|² with the sign of N."""
        self.table, self.place = f"rolling.{name}", "grip"
        normal, force = self._reaction(name, "normal"), self._reaction(name, "slip")
        share = self.scalar(grip)
        return normal, share * share * normal * absolute(se.sympify(normal)) - dot(force, force)  # type: ignore[arg-type]

    def _named(self, name: str) -> Value:
        return self.found[name] if name in self.found else super()._named(name)

    def _derivative(self, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(self.motion.whole_derivative(c) for c in value)  # type: ignore[return-value]
        return self.motion.whole_derivative(value)

    def _combined(self, node: x.Expression, parts: tuple[Value, ...]) -> Value:
        match node:
            case x.ResultName("multiplier", path):
                return self._multiplier(".".join(path))
            case x.ResultName("reaction", (name, which)):
                return self._reaction(name, which)
            case x.ResultName("load", (name, which)):
                return self._load(name, which)
        return super()._combined(node, parts)

    def _fault(self, message: str) -> ModelError:
        return ModelError([Fault(self.table, self.place, None, message)])

    def _multiplier(self, row: str) -> Scalar:
        if row in self.rows or row in self.model.contacts:
            return multiplier(row)
        parts = [name for name in self.rows if name.startswith(f"{row}.")]
        if parts:
            raise self._fault(tr("{row} has several rows; name one of {parts}", row=row, parts=", ".join(parts)))
        raise self._fault(tr("the row {row} holds identically, so it has no multiplier", row=row))

    def _reaction(self, name: str, which: str) -> Value:
        if name in self.model.contacts:
            return multiplier(name)
        rolling = self.model.rolling[name]
        if which == "normal":
            return self._along(name, "touch", 0)
        _, normal, *tangents = contact_frame(name, rolling, self, self.kinematics)
        forces = [self._along(name, f"slip{i}", i) for i in (1, 2)]
        force = plus(scaled(forces[0], tangents[0]), scaled(forces[1], tangents[1]))
        if which == "slip":
            return force
        along = tangents[0]
        if rolling.kind in ("wheel", "torus"):
            spin = self.model.bodies[rolling.body].spin
            axle = self.carrier(rolling.body).world(AXES["z"] if spin is None else self.axis(spin))
            heading = cross(axle, normal)
            along = scaled(1 / se.sqrt(dot(heading, heading)), heading)
        return dot(force, along if which == "longitudinal" else cross(normal, along))

    def _along(self, name: str, row: str, place: int) -> Scalar:
        """The force along a row of what rolls; where the row holds identically, what freeing it would show."""
        if row.rstrip("12") not in self.model.rolling[name].rows:
            message = tr(
                "{name} leaves {row} out of its rows, so it has no such force", name=name, row=row.rstrip("12")
            )
            raise self._fault(message)
        if f"{name}.{row}" in self.rows:
            return multiplier(f"{name}.{row}")
        return self.supports.force(name, row, place, self._fault)

    def _load(self, name: str, which: str) -> Triple:
        assert self.model.stated is not None
        joint = self.model.stated.joints[name]
        parent = self.attitude("world" if joint.parent == "ground" else joint.parent)
        freed = any(f"{name}.{letter}1" in self.motion.names for letter in "fc")
        shares = list((self._freed if freed else self._closing)(name, joint.child, which))
        load: Triple = tuple(total(share[i] for share in shares) for i in range(3))  # type: ignore[assignment]
        return parent.local(load)

    def _freed(self, name: str, child: str, which: str) -> Iterator[Triple]:
        """Shares of a joint whose locked directions are coordinates that rows hold at zero."""
        letter = "f" if which == "force" else "c"
        for i in range(1, 4):
            row = f"{name}.{letter}{i}"
            if row not in self.motion.names:
                continue
            place = self.motion.names.index(row)
            body = self.bodies[child]
            columns = body.centre.columns if which == "force" else world_turning(body, self)
            yield scaled(multiplier(row), columns[place] or NULL)

    def _closing(self, name: str, _: str, which: str) -> Iterator[Triple]:
        """Shares of a joint that closes a loop."""
        for row in self.rows:
            if not row.startswith(f"{name}."):
                continue
            end = row.removeprefix(f"{name}.")
            if end in ("x", "y", "z"):
                if which == "force":
                    yield scaled(multiplier(row), AXES[end])
                continue
            equation: Equation = self.model.constraints[row]
            assert isinstance(equation.left, x.Call)
            first, second = (self.vector(side) for side in equation.left.arguments)
            if end.startswith("turn") and which == "couple":
                yield scaled(multiplier(row), cross(second, first))
            elif not end.startswith("turn") and which == "force":
                yield scaled(multiplier(row), first)
