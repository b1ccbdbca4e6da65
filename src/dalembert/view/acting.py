"""The places and directions in which reactions act: the row of a constraint as forces at places.

The expression of a row names places P. A displacement δ of P alone changes the residual f by g·δ, where g = ∂f/∂ṙ_P, or
∂φ/∂r_P for a holonomic φ. By virtual work the multiplier λ is then the force λ g at P. The rows of rolling have a known
place and direction. The named places carry the whole row if Σ_P (∂r_P/∂q)ᵀ g = ∂f/∂q̇.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import symengine as se

from dalembert.equations import Unilateral
from dalembert.expressions import nodes as x
from dalembert.mechanics.algebra import ZERO, Scalar, Triple, dot, is_null, plus
from dalembert.mechanics.lowering import Lowering, Value
from dalembert.mechanics.rolling import contact_frame
from dalembert.mechanics.system import System
from dalembert.model.record import ModelRecord
from dalembert.motions.unilateral import labels, numbered


@dataclass(frozen=True, slots=True)
class Act:
    """The force of a unit multiplier: `direction` at `place`, which belongs to `owner` (a point or body)."""

    owner: str
    place: Triple
    direction: Triple


@dataclass(frozen=True, slots=True)
class RowOfForce:
    """A multiplier under its reported name: its row ∂f/∂q̇, its acts, and the rest of the row beyond these acts."""

    label: str
    table: str  # constraints, rolling, contacts, frictions
    owner: str  # the entry of that table
    row: tuple[Scalar, ...]
    rest: tuple[Scalar, ...]
    acts: tuple[Act, ...]
    gap: Scalar = ZERO  # of a contact


def _symbols(place: str, of: str) -> Triple:
    return tuple(se.Symbol(f"{place} {of} {axis}") for axis in "xyz")  # type: ignore[return-value]


class _Displaced(Lowering):
    """Lowers an expression, with every place that it names moved by ε at the rate ε′."""

    def __init__(self, system: System):
        places = [*system.model.points, *system.model.bodies]
        self.moved: dict[str, Triple] = {p: _symbols(p, "moved") for p in places}
        self.rates: dict[str, Triple] = {p: _symbols(p, "rate") for p in places}
        self._pairs = {e: r for p in places for e, r in zip(self.moved[p], self.rates[p], strict=True)}
        self._still = 0
        super().__init__(system.model, system.motion)

    def _place(self, name: str) -> Triple:
        self._still += 1  # only the mention of a place in a row is moved, not the definition of the place
        before, self._values = self._values, x.Results()
        try:
            return super()._place(name)
        finally:
            self._still -= 1
            self._values = before

    def _combined(self, node: x.Expression, parts: tuple[Value, ...]) -> Value:
        value = super()._combined(node, parts)
        if isinstance(node, x.Name) and node.name in self.moved and not self._still:
            return plus(value, self.moved[node.name])
        return value

    def _derivative(self, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(self._rate(c) for c in value)
        return self._rate(value)

    def _rate(self, c: Scalar) -> Scalar:
        moving = [c.diff(s) * self._pairs[s] for s in c.free_symbols if s in self._pairs]
        return se.Add(self.motion.derivative(c), *moving)

    def directions(self, residual: Scalar, holonomic: bool) -> dict[str, Triple]:
        """The direction g of every place that the residual names."""
        here = {s: 0 for pair in (self.moved, self.rates) for triple in pair.values() for s in triple}
        free = residual.free_symbols
        found: dict[str, Triple] = {}
        for place, symbols in (self.moved if holonomic else self.rates).items():
            if not free.isdisjoint(symbols):
                g: Triple = tuple(residual.diff(s).subs(here) for s in symbols)  # type: ignore[assignment]
                if not is_null(g):
                    found[place] = g
        return found


def rows_of_force(system: System) -> tuple[RowOfForce, ...]:
    """Every multiplier that a motion of this system reports, constraints first, then contacts and frictions."""
    displaced = _Displaced(system)
    found = [*_constraint_rows(system, displaced)]
    if system.unilateral is not None:
        found += _touching_rows(system, system.unilateral, displaced)
    return tuple(found)


def _constraint_rows(system: System, displaced: _Displaced) -> Iterator[RowOfForce]:
    rows = system.constraints
    for constraint, row in zip(rows.rows, rows.A, strict=True):
        owner, _, part = constraint.name.partition(".")
        if owner in system.model.rolling and part in ("touch", "slip1", "slip2"):
            yield _rolling_row(system, constraint.name, owner, part, row)
            continue
        if constraint.name in system.model.constraints:  # the row of a joint or attitude has a dot in its name
            owner, part = constraint.name, ""
        elif owner in system.model.rolling:  # a row of a contact point acts on no body
            yield RowOfForce(constraint.name, "rolling", owner, row, row, ())
            continue
        equation = system.model.constraints[owner]
        residual = _component(displaced, equation.left, part) - _component(displaced, equation.right, part)
        yield _acted(system, displaced, constraint.name, "constraints", owner, row, residual)


def _component(lowering: Lowering, node: x.Expression, part: str) -> Scalar:
    value = lowering.value(node)
    return value["xyz".index(part)] if isinstance(value, tuple) else value


def _rolling_row(system: System, label: str, owner: str, part: str, row: tuple[Scalar, ...]) -> RowOfForce:
    rolling = system.model.rolling[owner]
    place, *axes = contact_frame(owner, rolling, system.lowering, system.kinematics)
    act = Act(rolling.body, place, axes[("touch", "slip1", "slip2").index(part)])
    return RowOfForce(label, "rolling", owner, row, (ZERO,) * len(row), (act,))


def _acted(
    system: System, displaced: _Displaced, label: str, table: str, owner: str, row: tuple[Scalar, ...], residual: Scalar
) -> RowOfForce:
    holonomic = not system.motion.has_speeds(residual)
    acts, rest = [], list(row)
    for place, g in displaced.directions(residual, holonomic).items():
        point = system.kinematics.point(place)
        acts.append(Act(place, point.position, g))
        rest = [r if c is None else r - dot(c, g) for r, c in zip(rest, point.columns, strict=True)]
    here = {s: 0 for triple in displaced.moved.values() for s in triple}
    gap = residual.subs(here) if holonomic else ZERO
    return RowOfForce(label, table, owner, row, tuple(rest), tuple(acts), gap)


def _touching_rows(system: System, u: Unilateral, displaced: _Displaced) -> Iterator[RowOfForce]:
    model = system.model
    taken = set(system.constraints.names)
    contacts, frictions = labels(taken, u)
    for contact, label in zip(u.contacts, contacts, strict=True):
        gap = displaced.scalar(model.contacts[contact.name].gap)
        yield _acted(system, displaced, label, "contacts", contact.name, u.A[contact.gap], gap)
    for friction, label in zip(u.frictions, frictions, strict=True):
        own = label.endswith(".slip")
        table = "contacts" if own else "frictions"
        slips, held = _stated(model, table, friction.name)
        kinds = ((friction.slips, slips, label, "" if own else "."), (friction.held, held, f"{label}.held", ""))
        for rows, nodes, stem, point in kinds:
            for i, (row, node) in enumerate(zip(rows, nodes, strict=True)):
                name = numbered(stem, point, i, len(rows))
                yield _acted(system, displaced, name, table, friction.name, u.A[row], displaced.scalar(node))


def _stated(model: ModelRecord, table: str, name: str) -> tuple[Iterable[x.Expression], Iterable[x.Expression]]:
    if table == "contacts":
        return model.contacts[name].slip, ()
    return model.frictions[name].slip, model.frictions[name].held
