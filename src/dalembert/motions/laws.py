"""Contacts and frictions as numbers in the engine's layout, and the statuses of their modes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from dalembert.engine import interface as engine
from dalembert.engine.interface import BY_CONSTRAINT, BY_CONTACT, GIVEN, NEWTON, POISSON, ZHANG_MEI
from dalembert.equations import ConstraintRow, Equations, FrictionLaw, Scalar, Unilateral
from dalembert.errors import ModelError


class FrictionRows(engine.FrictionLaw):  # type: ignore[misc]
    """The engine's struct of a friction: the places of its rows in A, and what presses it."""

    @property
    def slips(self) -> range:
        return range(self.slip_start, self.slip_start + self.slip_count)

    @property
    def held(self) -> range:
        """Rows that the friction keeps at zero inside its cone."""
        return range(self.held_start, self.held_start + self.held_count)


class Laws(NamedTuple):
    """The numbers of contacts, frictions and rows, and the rows of each contact and friction.

    The compiled function of the laws gives ψ of the further rows, then the coefficients of all frictions, their static
    coefficients and their given normal forces, then the restitutions of all contacts.
    """

    contacts: int
    frictions: int
    bilateral: int  # rows of A before the gaps
    rows: int  # all rows of A
    holonomic: int  # places of φ before the gaps
    of_contact: tuple[engine.ContactLaw, ...]
    of_friction: tuple[FrictionRows, ...]


def appended(eq: Equations, **more: Iterable[Any]) -> Equations:
    """The record with further entries at the end of some of its fields."""
    fields: dict[str, Any] = {name: (*getattr(eq, name), *entries) for name, entries in more.items()}
    return replace(eq, **fields)


def extended(eq: Equations) -> Equations:
    """The record with the rows of contacts and frictions after those of the constraints."""
    u = eq.touching
    names = [*(c.name for c in u.contacts), *(f"row{i}" for i in range(len(u.contacts), len(u.psi)))]
    kinds = ["holonomic"] * len(u.contacts) + ["linear"] * (len(u.psi) - len(u.contacts))
    rows = tuple(ConstraintRow(n, k, r) for n, k, r in zip(names, kinds, u.psi, strict=True))
    return appended(eq, A=u.A, b=u.b, psi=u.psi, phi=u.phi, phi_q=u.phi_q, constraints=rows, multipliers=names)


def law_expressions(u: Unilateral) -> list[Scalar]:
    """The outputs of the compiled laws: slips, coefficients, pressing forces, restitutions."""
    return [
        *u.psi,
        *(f.coefficient for f in u.frictions),
        *(f.static for f in u.frictions),
        *(0 if f.normal is None else f.normal for f in u.frictions),
        *(c.restitution for c in u.contacts),
    ]


def layout(eq: Equations) -> Laws:
    first, u = len(eq.b), eq.touching
    laws = {"newton": NEWTON, "poisson": POISSON, "zhang-mei": ZHANG_MEI}
    for f in u.frictions:
        if len(f.slips) > 2:
            raise ModelError(
                "the slip of {name} has {count} entries; one or two directions are expected",
                name=f.name,
                count=len(f.slips),
            )
        if len(f.held) > 2:
            raise ModelError(
                "{name}: held has {count} entries; at most two are expected", name=f.name, count=len(f.held)
            )

    def rows(places: tuple[int, ...]) -> tuple[int, int]:
        return (first + places[0] if places else 0), len(places)

    contacts = (engine.ContactLaw(first + i, *rows(c.reverses), laws[c.law]) for i, c in enumerate(u.contacts))
    frictions = (FrictionRows(*rows(f.slips), *rows(f.held), *_presser(f), f.rough) for f in u.frictions)
    return Laws(
        len(u.contacts), len(u.frictions), first, first + len(u.psi), len(eq.phi), tuple(contacts), tuple(frictions)
    )


def _presser(friction: FrictionLaw) -> tuple[int, int]:
    if friction.contact is not None:
        return BY_CONTACT, friction.contact
    return (GIVEN, 0) if friction.constraint is None else (BY_CONSTRAINT, friction.constraint)
