"""Forces of contacts and frictions under their names, with the laws that close the equations (ZhangMei (1.2)–(1.4)).

    D q̈ = d + Aᵀλ + Σ_c λ_c ∂g_c/∂q + Σ_f R_f ∂c_f/∂q̇
    contact     0 ≤ λ ⟂ g ≥ 0;   closed: g = ġ = 0 and 0 ≤ λ ⟂ g̈ ≥ 0
    friction    slip, c ≠ 0:  R = −S c/|c|,  S² = (μN)² − |R_held|²;      stick: c = 0, ċ = 0, |R| ≤ μ₀N
N is the pressing force: a given expression, the contact's λ, or |λ| of a constraint.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.equations import ContactLaw, Equations, FrictionLaw, Row, Scalar, Unilateral
from dalembert.mechanics.algebra import dot, total


@dataclass(frozen=True, slots=True)
class TouchRow:
    """One row of a contact or friction: a rate ψ, its gradient A and A q̈ − b = ψ̇, and the force along it."""

    rate: Scalar
    gradient: Row
    rest: Scalar  # b
    force: Scalar = None


@dataclass(frozen=True, slots=True)
class TouchingContact:
    law: ContactLaw
    gap: Scalar
    line: TouchRow
    reverses: tuple[TouchRow, ...]

    @property
    def name(self) -> str:
        return self.law.name


@dataclass(frozen=True, slots=True)
class TouchingFriction:
    law: FrictionLaw
    slips: tuple[TouchRow, ...]
    held: tuple[TouchRow, ...]
    normal: Scalar
    pressed_by: str  # the name of a contact or constraint; "" if the force is given

    @property
    def name(self) -> str:
        return self.law.name

    @property
    def sliding_force(self) -> Scalar:
        """S: the force that Coulomb's cone leaves for the slip after the reactions of the held rows."""
        if not self.held:
            return self.law.coefficient * self.normal
        held = total(line.force**2 for line in self.held)
        return se.sqrt((self.law.coefficient * self.normal) ** 2 - held)

    @property
    def sliding(self) -> Row:
        """R while the contact slips along c."""
        if len(self.slips) == 1:
            return (-self.sliding_force * se.sign(self.slips[0].rate),)
        size = se.sqrt(total(line.rate**2 for line in self.slips))
        return tuple(-self.sliding_force * line.rate / size for line in self.slips)

    @property
    def cone(self) -> Scalar:
        """The largest force without slip."""
        return self.law.static * self.normal

    @property
    def force_size(self) -> Scalar:
        """|R| including the held reactions. It must stay in the cone while the contact sticks."""
        forces = [line.force for line in (*self.slips, *self.held)]
        return se.Abs(forces[0]) if len(forces) == 1 else se.sqrt(total(f**2 for f in forces))


@dataclass(frozen=True, slots=True)
class Touching:
    contacts: tuple[TouchingContact, ...]
    frictions: tuple[TouchingFriction, ...]

    @property
    def lines(self) -> tuple[TouchRow, ...]:
        """Every row along which a force acts."""
        contacts = [contact.line for contact in self.contacts]
        return (*contacts, *(line for friction in self.frictions for line in (*friction.slips, *friction.held)))

    @property
    def forces(self) -> Row:
        return tuple(line.force for line in self.lines)

    def generalized(self, size: int) -> Row:
        """Σ forces times gradients, by coordinate."""
        return tuple(total(line.force * line.gradient[j] for line in self.lines) for j in range(size))


NOTHING = Touching((), ())


def touching_of(eq: Equations) -> Touching:
    return touching(eq.unilateral, [row.name for row in eq.constraints])


def touching(u: Unilateral | None, constraints: Sequence[str]) -> Touching:
    if u is None:
        return NOTHING
    contacts = tuple(_contact(u, law, constraints) for law in u.contacts)
    return Touching(contacts, tuple(_friction(u, law, contacts, constraints) for law in u.frictions))


def contact_force(name: str, constraints: Collection[str]) -> Scalar:
    """λ of a contact. Its table is added to the symbol if a constraint has the same name."""
    return se.Symbol(f"lambda[{'contacts.' if name in constraints else ''}{name}]")


def friction_force(name: str, place: int) -> Scalar:
    return se.Symbol(f"friction[{name}, {place}]")


def _line(u: Unilateral, row: int, force: Scalar | None = None) -> TouchRow:
    return TouchRow(u.psi[row], u.A[row], u.b[row], force)


def _contact(u: Unilateral, law: ContactLaw, constraints: Sequence[str]) -> TouchingContact:
    line = _line(u, law.gap, contact_force(law.name, constraints))
    return TouchingContact(law, u.phi[law.gap], line, tuple(_line(u, row) for row in law.reverses))


def _friction(
    u: Unilateral, law: FrictionLaw, contacts: tuple[TouchingContact, ...], constraints: Sequence[str]
) -> TouchingFriction:
    rows = (*law.slips, *law.held)
    lines = tuple(_line(u, row, friction_force(law.name, i)) for i, row in enumerate(rows, 1))
    normal, pressed_by = law.normal, ""
    if law.contact is not None:
        normal, pressed_by = contacts[law.contact].line.force, contacts[law.contact].name
    elif law.constraint is not None:
        pressed_by = constraints[law.constraint]
        normal = se.Abs(se.Symbol(f"lambda[{pressed_by}]"))
    return TouchingFriction(law, lines[: len(law.slips)], lines[len(law.slips) :], normal, pressed_by)


def acceleration(line: TouchRow, accelerations: Row) -> Scalar:
    """ψ̇ = A q̈ − b."""
    return dot(line.gradient, accelerations) - line.rest
