"""Contacts and frictions as shown with the equations: gaps, laws of force, conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.equations import Equations
from dalembert.language import tr
from dalembert.mechanics.readable import readable
from dalembert.mechanics.touching import TouchingContact, TouchingFriction, acceleration, touching_of

ZERO = se.Integer(0)
LONGEST = 300  # characters; longer conditions on accelerations are not written out


@dataclass(frozen=True, slots=True)
class RelationChain:
    """A chain of expressions with relations (<=, >=, =, perp) between them, and when it holds."""

    parts: tuple[Any, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class ShownLaw:
    """left = right, with its name."""

    left: Any
    right: Any
    label: str


def contact_laws(eq: Equations, a: tuple[Any, ...]) -> tuple[tuple[ShownLaw, ...], tuple[RelationChain, ...]]:
    laws: list[ShownLaw] = []
    conditions: list[RelationChain] = []
    for contact in touching_of(eq).contacts:
        name, force = contact.name, contact.line.force
        laws.append(ShownLaw(_entry("g", name), readable(contact.gap), tr("{name}, gap", name=name)))
        conditions.append(RelationChain((ZERO, "<=", force, "perp", _entry("g", name), ">=", ZERO), name))
        closing = readable(acceleration(contact.line, a))
        closing = closing if len(str(closing)) <= LONGEST else se.Symbol(f"g[{name}]''")
        laws.append(ShownLaw(closing, ZERO, tr("{name}, while closed", name=name)))
        laws += _impact(contact)
    return tuple(laws), tuple(conditions)


def _impact(contact: TouchingContact) -> list[ShownLaw]:
    """The rates that the impact reverses, before and after it."""
    e, name = contact.law.restitution, contact.name
    law = tr("{name}, impact", name=name)
    after = se.Symbol(f"gamma_after[{name}]")
    found = [ShownLaw(after, readable(-e * contact.line.rate), law)]
    for i, line in enumerate(contact.reverses, 1):
        place = f"{name}, {i}" if len(contact.reverses) > 1 else name
        found.append(ShownLaw(se.Symbol(f"f_after[{place}]"), readable(-e * line.rate), law))
    return found


def friction_laws(eq: Equations, a: tuple[Any, ...]) -> tuple[tuple[ShownLaw, ...], tuple[RelationChain, ...]]:
    laws: list[ShownLaw] = []
    conditions: list[RelationChain] = []
    for friction in touching_of(eq).frictions:
        slips = [se.Symbol(f"varphi[{_place(friction, i)}]") for i in range(1, len(friction.slips) + 1)]
        rates = [(line, slip) for line, slip in zip(friction.slips, slips, strict=True)]
        laws += [ShownLaw(slip, readable(line.rate), tr("{name}, slip", name=friction.name)) for line, slip in rates]
        for line in friction.held:
            laws.append(ShownLaw(readable(acceleration(line, a)), ZERO, tr("{name}, held", name=friction.name)))
        if not friction.law.rough:
            N = readable(friction.normal)
            mu = readable(friction.law.coefficient)
            if len(str(mu)) > LONGEST // 5:
                laws.append(ShownLaw(_entry("mu", friction.name), mu, tr("{name}, coefficient", name=friction.name)))
                mu = _entry("mu", friction.name)
            for line, slip in rates:
                size = se.sqrt(se.Add(*(s**2 for s in slips)))
                along = se.sign(slip) if len(slips) == 1 else slip / size
                laws.append(
                    ShownLaw(
                        line.force,
                        -_left_over(friction, mu, N) * along,
                        tr("{name}, while it slips", name=friction.name),
                    )
                )
            static = friction.law.static
            cone = N * (mu if static == friction.law.coefficient else readable(static))
            conditions.append(
                RelationChain((friction.force_size, "<=", cone), tr("{name}, while it sticks", name=friction.name))
            )
        for line, _ in rates:
            laws.append(
                ShownLaw(readable(acceleration(line, a)), ZERO, tr("{name}, while it sticks", name=friction.name))
            )
    return tuple(laws), tuple(conditions)


def _left_over(friction: TouchingFriction, mu: Any, N: Any) -> Any:
    if not friction.held:
        return mu * N
    return se.sqrt((mu * N) ** 2 - se.Add(*(line.force**2 for line in friction.held)))


def _place(friction: TouchingFriction, i: int) -> str:
    return friction.name if len(friction.slips) == 1 else f"{friction.name}, {i}"


def _entry(letter: str, name: str) -> Any:
    return se.Symbol(f"{letter}[{name}]")
