"""Contacts and frictions in symbols: rows that the motion switches on and off (ZhangMei (1.2)–(1.4)).

gap g(q, t) ≥ 0:     γ = ġ = g_q q̇ + g_t,   A = g_q,       g̈ = A q̈ − b
slip, held, reversed c(q, q̇, t):            A = ∂c/∂q̇,    ċ = A q̈ − b
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.equations import ContactLaw, FrictionLaw, Unilateral
from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Expression
from dalembert.language import tr
from dalembert.mechanics.algebra import ZERO, Scalar, Symbols
from dalembert.mechanics.constraints import ConstraintRows
from dalembert.mechanics.lowering import Lowering
from dalembert.model.record import Contact, Friction, ModelRecord


class _Rows:
    """Rows of contacts and frictions, numbered in the order in which they are added."""

    def __init__(self, motion: Symbols):
        self.motion = motion
        self.A: list[tuple[Scalar, ...]] = []
        self.b: list[Scalar] = []
        self.psi: list[Scalar] = []

    def add(self, rate: Scalar, gradient: tuple[Scalar, ...]) -> int:
        self.A.append(gradient)
        self.b.append(-self.motion.derivative(rate))
        self.psi.append(rate)
        return len(self.psi) - 1

    def speeds(self, table: str, key: str, rates: Iterable[Scalar]) -> tuple[int, ...]:
        """Add rows of expressions in the speeds. An expression without speeds cannot be slipped along or reversed."""
        found = []
        for rate in rates:
            gradient = self.motion.gradient(rate, self.motion.v)
            if all(g == 0 for g in gradient):
                message = tr(
                    "{key} has an entry that holds no speed, so no force can act along it; give a velocity", key=key
                )
                raise ModelError([Fault(table, key, None, message)])
            found.append(self.add(rate, gradient))
        return tuple(found)


def unilateral(model: ModelRecord, lowering: Lowering, constraints: ConstraintRows) -> Unilateral | None:
    if not model.contacts and not model.frictions:
        return None
    motion = lowering.motion
    rows = _Rows(motion)
    gaps = [lowering.scalar(contact.gap) for contact in model.contacts.values()]
    phi_q = tuple(motion.gradient(gap, motion.q) for gap in gaps)
    for name, gradient in zip(model.contacts, phi_q, strict=True):
        if all(g == 0 for g in gradient):
            raise ModelError(
                [Fault("contacts", f"{name}.gap", None, tr("the gap holds no coordinate, so nothing can close it"))]
            )
    for gap, gradient in zip(gaps, phi_q, strict=True):
        rows.add(motion.derivative(gap), gradient)
    sliding = [(name, c) for name, c in model.contacts.items() if c.slip]
    slips = {name: rows.speeds("contacts", f"{name}.slip", map(lowering.scalar, c.slip)) for name, c in sliding}
    slips |= {
        f"friction {name}": rows.speeds("frictions", f"{name}.slip", map(lowering.scalar, f.slip))
        for name, f in model.frictions.items()
    }
    held = {
        name: rows.speeds("frictions", f"{name}.held", map(lowering.scalar, f.held))
        for name, f in model.frictions.items()
    }
    contacts = tuple(
        ContactLaw(
            name,
            place,
            rows.speeds("contacts", f"{name}.reverses", map(lowering.scalar, c.reverses)),
            lowering.scalar(c.restitution),
            c.law,
        )
        for place, (name, c) in enumerate(model.contacts.items())
    )
    places = {name: place for place, name in enumerate(model.contacts)}
    frictions = [_of_contact(name, c, slips[name], places[name], lowering) for name, c in sliding]
    frictions += [
        _of_friction(name, f, slips[f"friction {name}"], held[name], places, constraints, lowering)
        for name, f in model.frictions.items()
    ]
    return Unilateral(contacts, tuple(frictions), tuple(rows.A), tuple(rows.b), tuple(rows.psi), tuple(gaps), phi_q)


def _of_contact(name: str, contact: Contact, slips: tuple[int, ...], place: int, lowering: Lowering) -> FrictionLaw:
    rough = contact.friction == "rough"
    friction: Any = contact.friction
    coefficient = ZERO if rough or friction is None else lowering.scalar(friction)
    return FrictionLaw(name, slips, (), coefficient, coefficient, None, None, place, rough)


def _of_friction(
    name: str,
    friction: Friction,
    slips: tuple[int, ...],
    held: tuple[int, ...],
    contacts: dict[str, int],
    constraints: ConstraintRows,
    lowering: Lowering,
) -> FrictionLaw:
    coefficient = lowering.scalar(friction.coefficient)
    static = coefficient if friction.static is None else lowering.scalar(friction.static)
    normal, constraint, contact = None, None, None
    if isinstance(friction.normal, Expression):
        normal = lowering.scalar(friction.normal)
    elif friction.normal in contacts:
        contact = contacts[friction.normal]
    elif friction.normal in constraints.names:
        constraint = constraints.names.index(friction.normal)
    else:
        message = tr(
            "{normal} holds identically and has no reaction, so it cannot press; give the normal force",
            normal=friction.normal,
        )
        raise ModelError([Fault("frictions", f"{name}.normal", None, message)])
    return FrictionLaw(name, slips, held, coefficient, static, normal, constraint, contact)
