"""Contacts and frictions as numbers in the engine's layout, and the statuses of their modes."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.equations import ConstraintRow, Equations, Scalar, Unilateral
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.programs.functions import Function, compiled
from dalembert.programs.modes import CLOSED, OFF, STICK
from dalembert.programs.system import CompiledSystem, system_of

NEWTON, POISSON, ZHANG_MEI = 0, 1, 2
GIVEN, BY_CONSTRAINT, BY_CONTACT = 0, 1, 2


# rows of Laws.layout, by contact and by friction
REVERSE_START, REVERSE_COUNT, LAW, SLIP_START, SLIP_DIM, HELD_START, HELD_COUNT, PRESS_KIND, PRESS_AT, IS_ROUGH = range(
    10
)


class Laws(NamedTuple):
    """The places of the rows of contacts and frictions in A, and the pressing force of each friction.

    The compiled function of the laws gives ψ of the further rows, then the coefficients of all frictions, their static
    coefficients and their given normal forces, then the restitutions of all contacts.
    """

    contacts: int
    frictions: int
    bilateral: int  # rows of A before the gaps
    rows: int  # all rows of A
    holonomic: int  # places of φ before the gaps
    layout: np.ndarray


def extended(eq: Equations) -> Equations:
    """The record with the rows of contacts and frictions after those of the constraints."""
    u = eq.unilateral
    assert u is not None
    names = [*(c.name for c in u.contacts), *(f"row{i}" for i in range(len(u.contacts), len(u.psi)))]
    kinds = ["holonomic"] * len(u.contacts) + ["linear"] * (len(u.psi) - len(u.contacts))
    rows = tuple(ConstraintRow(n, k, r) for n, k, r in zip(names, kinds, u.psi, strict=True))
    return replace(
        eq,
        A=(*eq.A, *u.A),
        b=(*eq.b, *u.b),
        psi=(*eq.psi, *u.psi),
        phi=(*eq.phi, *u.phi),
        phi_q=(*eq.phi_q, *u.phi_q),
        constraints=(*eq.constraints, *rows),
        multipliers=(*eq.multipliers, *names),
    )


def compile_unilateral(eq: Equations) -> tuple[CompiledSystem, Function, Laws]:
    """The extended system, the compiled laws, and their layout."""
    u = eq.unilateral
    assert u is not None
    if eq.R is not None:
        message = tr(
            "contacts and frictions need Chetaev's rule, which {method} does not have; use another method",
            method=eq.method,
        )
        raise ModelError(message)
    system = system_of(extended(eq))
    return system, compiled(eq.inputs, law_expressions(u)), layout(eq, u)


def law_expressions(u: Unilateral) -> list[Scalar]:
    """The outputs of the compiled laws: slips, coefficients, pressing forces, restitutions."""
    return [
        *u.psi,
        *(f.coefficient for f in u.frictions),
        *(f.static for f in u.frictions),
        *(0 if f.normal is None else f.normal for f in u.frictions),
        *(c.restitution for c in u.contacts),
    ]


def layout(eq: Equations, u: Unilateral) -> Laws:
    offset = len(eq.b)

    laws = {"newton": NEWTON, "poisson": POISSON, "zhang-mei": ZHANG_MEI}
    kinds = [
        BY_CONTACT if f.contact is not None else BY_CONSTRAINT if f.constraint is not None else GIVEN
        for f in u.frictions
    ]
    for f in u.frictions:
        if len(f.slips) > 2:
            raise ModelError(
                tr(
                    "the slip of {name} has {count} entries; one or two directions are expected",
                    name=f.name,
                    count=len(f.slips),
                )
            )
        if len(f.held) > 2:
            raise ModelError(
                tr("{name}: held has {count} entries; at most two are expected", name=f.name, count=len(f.held))
            )
    table = np.zeros((10, max(len(u.contacts), len(u.frictions), 1)), dtype=np.int64)
    for i, c in enumerate(u.contacts):
        first = offset + c.reverses[0] if c.reverses else 0
        table[[REVERSE_START, REVERSE_COUNT, LAW], i] = first, len(c.reverses), laws[c.law]
    for j, (f, kind) in enumerate(zip(u.frictions, kinds, strict=True)):
        table[[SLIP_START, SLIP_DIM], j] = offset + f.slips[0], len(f.slips)
        table[[HELD_START, HELD_COUNT], j] = offset + f.held[0] if f.held else 0, len(f.held)
        presser = {BY_CONTACT: f.contact, BY_CONSTRAINT: f.constraint}.get(kind)
        table[[PRESS_KIND, PRESS_AT, IS_ROUGH], j] = kind, presser or 0, int(f.rough)
    return Laws(len(u.contacts), len(u.frictions), offset, offset + len(u.psi), len(eq.phi), table)


def active_rows(laws: Laws, mode: np.ndarray) -> list[int]:
    """The active rows of A in a mode, which has a status for every contact, then for every friction."""
    rows = list(range(laws.bilateral))
    rows += [laws.bilateral + i for i in range(laws.contacts) if mode[i] == CLOSED]
    for j, status in enumerate(mode[laws.contacts :].tolist()):
        if status == STICK:
            rows += range(laws.layout[SLIP_START, j], laws.layout[SLIP_START, j] + laws.layout[SLIP_DIM, j])
        if status != OFF:
            rows += held_rows(laws, j)
    return rows


def held_rows(laws: Laws, j: int) -> tuple[int, ...]:
    """Rows that a friction keeps at zero inside its cone."""
    first = int(laws.layout[HELD_START, j])
    return tuple(range(first, first + int(laws.layout[HELD_COUNT, j])))
