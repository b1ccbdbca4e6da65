"""Contacts and frictions as arrays, for the loops that numba compiles, and the mode a motion is in."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dalembert.compile.functions import Function, compiled
from dalembert.compile.system import CompiledSystem, compile_equations
from dalembert.equations import ConstraintRow, Equations, Unilateral
from dalembert.errors import ModelError
from dalembert.simulate.complementarity import Room, room_for
from dalembert.simulate.linear import Shape

NEWTON, POISSON, ZHANG_MEI = 0, 1, 2
GIVEN, BY_CONSTRAINT, BY_CONTACT = 0, 1, 2


class Laws(NamedTuple):
    """Where the rows of contacts and frictions stand in A, and what presses what.

    The compiled function of the laws gives ψ of the further rows, then for every friction its coefficient, its static
    one and its given normal force, then for every contact its restitution.
    """

    contacts: int
    frictions: int
    bilateral: int  # rows of A before the gaps
    rows: int  # all rows of A
    holonomic: int  # places of φ before the gaps
    reverse_start: np.ndarray
    reverse_count: np.ndarray
    law: np.ndarray
    slip_start: np.ndarray
    slip_dim: np.ndarray
    held_start: np.ndarray
    held_count: np.ndarray
    press_kind: np.ndarray
    press_at: np.ndarray  # the row of the constraint, or the number of the contact
    rough: np.ndarray


class Mode(NamedTuple):
    """Which contacts are closed, and whether each friction is off, sticks or slips, and which way."""

    contact: np.ndarray
    friction: np.ndarray
    direction: np.ndarray
    sign: np.ndarray  # side on which a constraint's reaction presses


class Scratch(NamedTuple):
    """Room for the problems of contact at one state."""

    F: np.ndarray
    rows: np.ndarray
    U: np.ndarray
    NU: np.ndarray
    nu: np.ndarray
    W: np.ndarray
    w0: np.ndarray
    start: np.ndarray
    dim: np.ndarray
    owner: np.ndarray
    rough: np.ndarray
    may_stick: np.ndarray
    forced: np.ndarray
    given: np.ndarray
    two_sided: np.ndarray
    kinetic: np.ndarray
    static: np.ndarray
    normal: np.ndarray
    lever: np.ndarray
    held: np.ndarray
    held_rest: np.ndarray
    held_lever: np.ndarray
    who: np.ndarray  # the friction a group stands for; −1 − contact for what a contact reverses
    which: np.ndarray  # the contact behind each contact of the problem
    place: np.ndarray  # and the other way round, or −1
    active: np.ndarray
    before: np.ndarray
    impulses: np.ndarray
    d: np.ndarray
    tangents: np.ndarray
    pulls: np.ndarray
    best: Room
    room: Room


def extended(eq: Equations) -> Equations:
    """The record with the rows of contacts and frictions behind those of the constraints."""
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
        message = f"contacts and frictions go with Chetaev's rule only, and the method {eq.method} has another"
        raise ModelError(message)
    system = compile_equations(extended(eq))
    function = compiled(
        eq.inputs,
        [
            *u.psi,
            *(f.coefficient for f in u.frictions),
            *(f.static for f in u.frictions),
            *(0 if f.normal is None else f.normal for f in u.frictions),
            *(c.restitution for c in u.contacts),
        ],
    )
    return system, function, layout(eq, u)


def layout(eq: Equations, u: Unilateral) -> Laws:
    offset = len(eq.b)

    def wholes(values: list[int]) -> np.ndarray:
        return np.array(values or [0], dtype=np.int64)

    laws = {"newton": NEWTON, "poisson": POISSON, "zhang-mei": ZHANG_MEI}
    kinds = [GIVEN if f.normal is not None else (BY_CONSTRAINT if f.constraint is not None else BY_CONTACT) for f in u.frictions]
    kinds = [BY_CONTACT if f.contact is not None else k for f, k in zip(u.frictions, kinds, strict=True)]
    for f in u.frictions:
        if len(f.slips) > 2:
            raise ModelError(f"the slip of {f.name} has {len(f.slips)} entries; a contact slips in one or two directions")
        if len(f.held) > 2:
            raise ModelError(f"{f.name} holds {len(f.held)} entries; two are the most")
    return Laws(
        contacts=len(u.contacts),
        frictions=len(u.frictions),
        bilateral=offset,
        rows=offset + len(u.psi),
        holonomic=len(eq.phi),
        reverse_start=wholes([offset + (c.reverses[0] if c.reverses else 0) for c in u.contacts]),
        reverse_count=wholes([len(c.reverses) for c in u.contacts]),
        law=wholes([laws[c.law] for c in u.contacts]),
        slip_start=wholes([offset + f.slips[0] for f in u.frictions]),
        slip_dim=wholes([len(f.slips) for f in u.frictions]),
        held_start=wholes([offset + (f.held[0] if f.held else 0) for f in u.frictions]),
        held_count=wholes([len(f.held) for f in u.frictions]),
        press_kind=wholes(kinds),
        press_at=wholes([_press(f.constraint, f.contact) for f in u.frictions]),
        rough=wholes([int(f.rough) for f in u.frictions]),
    )


def _press(constraint: int | None, contact: int | None) -> int:
    return contact if contact is not None else (constraint if constraint is not None else 0)


def mode_for(laws: Laws) -> Mode:
    nc, nf = max(laws.contacts, 1), max(laws.frictions, 1)
    return Mode(np.zeros(nc, dtype=np.int64), np.zeros(nf, dtype=np.int64), np.zeros((nf, 2)), np.ones(nf))


def scratch_for(laws: Laws, n: int, outputs: int) -> Scratch:
    nc, nf = max(laws.contacts, 1), max(laws.frictions, 1)
    forces = nc + int(laws.slip_dim.sum() + laws.reverse_count.sum()) + 1
    groups = nf + int(laws.reverse_count.sum())
    m = laws.rows + 1

    def reals(*shape: int) -> np.ndarray:
        return np.zeros(tuple(max(s, 1) for s in shape))

    def wholes(count: int) -> np.ndarray:
        return np.zeros(max(count, 1), dtype=np.int64)

    return Scratch(
        F=reals(outputs + n * m), rows=wholes(forces), U=reals(forces + 1, n), NU=reals(forces + 1, m), nu=reals(m),
        W=reals(forces, forces), w0=reals(forces), start=wholes(groups), dim=wholes(groups), owner=wholes(groups),
        rough=wholes(groups), may_stick=wholes(groups), forced=wholes(groups), given=reals(groups, 2),
        two_sided=wholes(groups), kinetic=reals(groups), static=reals(groups), normal=reals(groups),
        lever=reals(groups, forces), held=wholes(groups), held_rest=reals(groups, 2),
        held_lever=reals(groups, 2, forces), who=wholes(groups), which=wholes(nc), place=wholes(nc), active=wholes(m),
        before=reals(m), impulses=reals(forces), d=reals(n), tangents=reals(nf, n), pulls=reals(nf),
        best=room_for(forces, nc, groups), room=room_for(forces, nc, groups),
    )  # fmt: skip


def shape_in(laws: Laws, n: int, symmetric: bool, active: np.ndarray) -> Shape:
    return Shape(n, laws.rows, laws.rows, symmetric, False, active, active)
