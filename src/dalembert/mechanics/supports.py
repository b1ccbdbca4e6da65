"""Normal forces of wheels whose position fixes the contact, by d'Alembert's principle.

If `touch` holds identically there is no row and no multiplier. Then all bodies that move with the wheel are displaced
as one rigid body, δr = h N + u × (r − c), u across N, which no coordinate allows. In d'Alembert's principle for such
a displacement (k = h, or u = a × N for a along the plane) everything else is known,
    G_k = Σ (m a − F)·δr + (J α + ω × Jω − T)·u − ṁ u_e·δr + ∂V/∂ξ_k + ∂Φ/∂ξ̇_k − Σ λ ∂ψ/∂ξ̇_k,
and on the other side the normal forces, at x_j from their centroid c:   Σ N_j = G_h,   Σ N_j x_j·a = G_{a×N}.
For n wheels in a row, the position takes up the couple about the row. If there are more wheels than equations, the
smallest solution is affine in the place:   N_j = G_h/n + x_j·S⁻¹ m,   S = Σ x_j x_jᵀ,   m·a = G_{a×N}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import symengine as se

from dalembert.expressions.nodes import ResultName, walk
from dalembert.language import tr
from dalembert.mechanics.algebra import (
    NULL,
    ZERO,
    Scalar,
    Symbols,
    Triple,
    apply,
    cross,
    dot,
    is_null,
    minus,
    plus,
    scaled,
    total,
)
from dalembert.mechanics.bodies import Bodies, BodyMotion
from dalembert.mechanics.constraints import equation_rows
from dalembert.mechanics.forces import loads
from dalembert.mechanics.lowering import Lowering
from dalembert.mechanics.rolling import contact_frame
from dalembert.mechanics.rotations import Attitude
from dalembert.model.record import ModelRecord

FLAT = 1e-9  # of the ratio of det S to (trace S)², below which wheels stand in a row

Refusal = Callable[[str], Exception]


@dataclass(frozen=True, slots=True)
class Displacement:
    """A small displacement of a rigid body: `along`, and a turn about an axis through `centre`."""

    along: Triple
    axis: Triple = NULL
    centre: Triple = NULL

    def at(self, place: Triple) -> Triple:
        return self.along if is_null(self.axis) else plus(self.along, cross(self.axis, minus(place, self.centre)))


class Displaced(Lowering):
    """A model whose machine is displaced by ξ: for rows and potentials that are stated by points, bodies and frames."""

    def __init__(self, lowering: Lowering, parts: frozenset[str], by: Displacement):
        self.take_over(lowering)
        self.motion = Symbols((*lowering.motion.names, "freed"))
        self.motion.rates, self.motion.corners = lowering.motion.rates, lowering.motion.corners
        self.before, self.parts, self.by = lowering, parts, by
        self.xi, self.rate = self.motion.q[-1], self.motion.v[-1]
        self._definitions = {}

    def position(self, name: str) -> Triple:
        place = self.before.position(name)
        return plus(place, scaled(self.xi, self.by.at(place))) if name in self.parts else place

    def attitude(self, name: str) -> Attitude:
        before = self.before.attitude(name)
        if name not in self.parts or is_null(self.by.axis):
            return before
        columns = [before.axis(letter) for letter in "xyz"]
        columns = [plus(column, scaled(self.xi, cross(self.by.axis, column))) for column in columns]
        turning = plus(before.omega, scaled(self.rate, before.local(self.by.axis)))
        return Attitude(tuple(zip(*columns, strict=True)), turning)  # type: ignore[arg-type]

    def slope(self, value: Scalar) -> Scalar:
        """∂/∂ξ̇ of a row of speeds, ∂/∂ξ of another, where nothing is displaced."""
        value = se.sympify(value)
        by = self.rate if self.motion.has_speeds(value) else self.xi
        return self.motion.slope(value, by).subs({self.xi: ZERO, self.rate: ZERO})


class Supports:
    """The wheels of a model that touch by placement, and their normal forces."""

    def __init__(
        self,
        lowering: Lowering,
        kinematics: Bodies,
        bodies: dict[str, BodyMotion],
        rows: tuple[str, ...],
        start: Mapping[Scalar, float],
    ):
        self.model: ModelRecord = lowering.model
        self.lowering, self.kinematics, self.bodies, self.rows, self.start = lowering, kinematics, bodies, rows, start
        self.placed = self._lacking("touch")

    def _lacking(self, row: str) -> list[str]:
        """The names of rolling bodies without this row, because it holds identically."""
        kind = row.rstrip("12")
        return [
            n for n, rolling in self.model.rolling.items() if kind in rolling.rows and f"{n}.{row}" not in self.rows
        ]

    def machine(self, name: str) -> frozenset[str]:
        """Bodies, points and frames that move with what rolls: they share coordinates, but not with what carries it."""
        moving = set(self.lowering.motion.q)
        on = self.model.rolling[name].on
        carrier = on if isinstance(on, str) and on in self.bodies else ""
        held = self._symbols(carrier) if carrier else set()
        used = {body: (self._symbols(body) & moving) - held for body in self.bodies if body != carrier}
        taken, shared = {self.model.rolling[name].body}, used[self.model.rolling[name].body]
        while more := {body for body, symbols in used.items() if body not in taken and symbols & shared}:
            taken |= more
            shared = shared.union(*(used[body] for body in more))
        beside = [part for part in (*self.model.points, *self.model.frames) if self._symbols(part) & shared]
        return frozenset({*taken, *beside})

    def _symbols(self, name: str) -> set[Scalar]:
        entries: list[Scalar] = []
        if name not in self.model.frames:
            entries += self.lowering.position(name)
        if name not in self.model.points:
            entries += [entry for row in self.lowering.attitude(name).matrix for entry in row]
        return set().union(*(entry.free_symbols for entry in entries))

    def together(self, parts: frozenset[str]) -> list[str]:
        """The wheels that carry a machine by placement."""
        return [other for other in self.placed if self.model.rolling[other].body in parts]

    def notes(self) -> tuple[str, ...]:
        """A note if rigid bodies do not determine the requested normal forces."""
        told: dict[str, None] = {}
        for name in self._asked():
            wheels = self.together(self.machine(name))
            if len(wheels) > 3 or (len(wheels) == 3 and self._in_a_row(self._contacts(wheels))):
                sentence = tr(
                    "how the wheels {wheels} share the load is not determined by rigid bodies; the smallest "
                    "normal forces are answered",
                    wheels=", ".join(wheels),
                )
                told[sentence] = None
        return tuple(told)

    def _asked(self) -> list[str]:
        roots = [*self.model.outputs.values(), *(event.when for event in self.model.events.values())]
        nodes = [node for root in roots for node in walk(root) if isinstance(node, ResultName)]
        asked = {node.path[0] for node in nodes if node.kind == "reaction" and node.path[-1] == "normal"}
        return [name for name in self.placed if name in asked or self.model.rolling[name].grip is not None]

    def _contacts(self, wheels: list[str]) -> list[tuple[Triple, Triple, Triple, Triple]]:
        return [contact_frame(w, self.model.rolling[w], self.lowering, self.kinematics) for w in wheels]

    def force(self, name: str, row: str, place: int, refusal: Refusal) -> Scalar:
        """The force along a row that holds identically, in x, q̈ and the multipliers.

        A machine that moves in a plane has no row across it; its wheels share what holds it there equally.
        """
        if row == "touch":
            return self._normal(name, refusal)
        parts = self.machine(name)
        direction = self._contacts([name])[0][1 + place]
        sharing = [other for other in self._lacking(row) if self.model.rolling[other].body in parts]
        return self._residual(parts, Displacement(direction), refusal) / len(sharing)

    def _normal(self, name: str, refusal: Refusal) -> Scalar:
        parts = self.machine(name)
        wheels = self.together(parts)
        contacts = self._contacts(wheels)
        own = contacts[wheels.index(name)]
        if any(self.model.rolling[w].on != self.model.rolling[name].on for w in wheels):
            raise refusal(
                tr(
                    "the wheels {wheels} of one machine are placed on different planes; place one of "
                    "them by a coordinate, so that its touching is a row",
                    wheels=", ".join(wheels),
                )
            )
        centre = scaled(se.Rational(1, len(wheels)), _sum([point for point, *_ in contacts]))
        _, normal, *tangents = own
        force = self._residual(parts, Displacement(normal), refusal)
        if len(wheels) == 1:
            return force
        if self._in_a_row(contacts):
            line = minus(contacts[-1][0], contacts[0][0])
            couple = self._residual(parts, Displacement(NULL, cross(line, normal), centre), refusal)
            lengths = [dot(line, minus(point, centre)) for point, *_ in contacts]
            arm = dot(line, minus(own[0], centre))
            return force / len(wheels) + arm * couple / total(s * s for s in lengths)
        first, second = (self._residual(parts, Displacement(NULL, cross(e, normal), centre), refusal) for e in tangents)
        places = [tuple(dot(e, minus(point, centre)) for e in tangents) for point, *_ in contacts]
        xx, xy, yy = (total(p[i] * p[j] for p in places) for i, j in ((0, 0), (0, 1), (1, 1)))
        x, y = places[wheels.index(name)]
        share = x * (yy * first - xy * second) + y * (xx * second - xy * first)
        return force / len(wheels) + share / (xx * yy - xy * xy)

    def _in_a_row(self, contacts: list[tuple[Triple, Triple, Triple, Triple]]) -> bool:
        if len(contacts) < 3:
            return True
        flat = [[float(se.sympify(dot(e, c[0])).subs(self.start)) for e in contacts[0][2:]] for c in contacts]
        means = [sum(column) / len(flat) for column in zip(*flat, strict=True)]
        xx, xy, yy = (sum((p[i] - means[i]) * (p[j] - means[j]) for p in flat) for i, j in ((0, 0), (0, 1), (1, 1)))
        return xx * yy - xy * xy <= FLAT * (xx + yy) ** 2

    def _residual(self, parts: frozenset[str], by: Displacement, refusal: Refusal) -> Scalar:
        """G_k: what the normal forces have to do in a displacement of the whole machine."""
        low, motion, model = self.lowering, self.lowering.motion, self.model
        terms: list[Scalar] = []
        for body in (body for name, body in self.bodies.items() if name in parts):
            moved = by.at(body.centre.position)
            terms.append(body.mass * dot(moved, body.centre.acceleration(motion)))
            if body.turning is not None:
                spin = plus(apply(body.turning.inertia, body.turning.acceleration(motion)), body.turning.gyroscopic())
                terms.append(dot(by.axis, body.turning.attitude.world(spin)))
            if body.thrusts:
                lost = total([body.mass_drift, *(s * a for s, a in zip(body.mass_slopes, motion.a, strict=True))])
                terms.append(-lost * dot(body.ejection, moved))
        for load in loads(model, self.bodies, low):
            if load.body.name in parts:
                terms.append(-dot(load.force, by.at(plus(load.body.centre.position, load.arm))))
                terms.append(-dot(load.torque, by.axis))
        displaced = Displaced(low, parts, by)
        for name, equation in model.constraints.items():
            rows = [(row, r) for row, r in equation_rows(name, equation, displaced) if row in self.rows]
            terms += [-_multiplier(row) * displaced.slope(r) for row, r in rows]
        terms += [-_multiplier(name) * displaced.slope(displaced.scalar(c.gap)) for name, c in model.contacts.items()]
        terms += [displaced.slope(displaced.scalar(e)) for e in (model.energy.potential, model.energy.dissipation) if e]
        terms += self._rolling(parts, by)
        for table in (model.contacts, model.frictions):
            for name, law in table.items():
                if any(displaced.slope(displaced.scalar(slip)) != 0 for slip in law.slip):
                    raise refusal(
                        tr(
                            "the friction {name} may carry part of the load, so the normal force is not known",
                            name=name,
                        )
                    )
        return total(terms)

    def _rolling(self, parts: frozenset[str], by: Displacement) -> list[Scalar]:
        """The virtual work of rolling rows, on displaced bodies and on the bodies that carry them."""
        terms = []
        for name, rolling in self.model.rolling.items():
            sides = int(rolling.body in parts) - int(isinstance(rolling.on, str) and rolling.on in parts)
            if not sides:
                continue
            point, *directions = contact_frame(name, rolling, self.lowering, self.kinematics)
            for row, direction in zip(("touch", "slip1", "slip2"), directions, strict=True):
                if f"{name}.{row}" in self.rows:
                    terms.append(-sides * _multiplier(f"{name}.{row}") * dot(direction, by.at(point)))
        return terms


def _multiplier(row: str) -> Scalar:
    return se.Symbol(f"lambda.{row}")


def _sum(triples: list[Triple]) -> Triple:
    return tuple(total(t[i] for t in triples) for i in range(3))  # type: ignore[return-value]
