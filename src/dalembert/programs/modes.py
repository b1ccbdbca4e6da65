"""Accelerations and guards of a system with contacts and frictions in one mode, written out.

    active rows:  A a = b      bilateral rows, closed contacts, sticking slips, rows that a friction holds
    D a = d + R ν,  R = Aᵀ except for the columns of rows that press a slip
    a slip d̂ pressed by a given force N:        d loses μ N Tᵀd̂
    a slip pressed by the reaction λ of a row:  the column of that row loses μ s Tᵀd̂,  s the side on which it presses
    a slip pressed by N that shares its cone with held reactions h(p) = h₀ + p h₁:
        its pull p ≥ 0 satisfies  p² + |h(p)|² = (μ N)²

If D is singular where the bilateral rows are not, as that of a quaternion along itself, D + c AᵀA and d + c Aᵀb of
these rows take the place of D and d: a and ν are the same, since A a = b.

A slip on a line goes along ±1, which is an input of the program. A slip in a plane goes along its own velocity. As in
`solve`, there is no pivoting, and the output `fine` watches every pivot. Guards are those of engine/contact/watch.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import product
from typing import Any

import numpy as np

from dalembert.equations import Equations, FrictionLaw
from dalembert.programs.corrections import correction_of
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program, take_each
from dalembert.programs.maker import Place
from dalembert.programs.products import begun, names
from dalembert.programs.program import Program
from dalembert.programs.solve import DEFINITE, Factor, Factored, applies

OPEN, CLOSED = 0, 1  # of contacts
OFF, STICK, SLIP = 0, 1, 2  # of frictions
SINGULAR = 1e-12  # the smallest eigenvalue of D, with ones on its diagonal
STATES = 3
USUAL = 1e-2  # of its natural size: a component counts at least this much, as in engine/contact/law.hpp


@dataclass(frozen=True, slots=True)
class ContactMode:
    """A status for every contact and for every friction."""

    contacts: tuple[int, ...]
    frictions: tuple[int, ...]


def modes(eq: Equations) -> Iterator[ContactMode]:
    """All modes of a model, those with fewer closed contacts first."""
    u = eq.touching

    def choices(friction: FrictionLaw, contacts: Sequence[int]) -> tuple[int, ...]:
        if friction.contact is not None and contacts[friction.contact] == OPEN:
            return (OFF,)
        return (STICK,) if friction.rough else (SLIP, STICK)

    for contacts in product((OPEN, CLOSED), repeat=len(u.contacts)):
        for frictions in product(*(choices(friction, contacts) for friction in u.frictions)):
            yield ContactMode(contacts, frictions)


def slopes_in(eq: Equations, mode: ContactMode) -> Program:
    """The program from x, with a direction and a side for every friction, to (a, fine), in a plain mode."""
    solved = _Solved(eq, mode)
    return solved.maker.program([*solved.a, solved.fine], names(eq))


def guards_in(eq: Equations, mode: ContactMode) -> Program:
    """The program from (x, directions) to one guard for every contact, three for every friction, then `fine`."""
    solved = _Solved(eq, mode)
    found = [*solved.guards(), solved.fine]
    return solved.maker.program(found, [*(f"guard {i}" for i in range(len(found) - 1)), "fine"])


def survey_in(eq: Equations, mode: ContactMode) -> Program:
    """The program from (x, directions, natural sizes) to everything that decides what follows an event.

    Its outputs are the guards of `guards_in` without `fine`; for every friction its slip (squared in a plane), then for
    every friction the force that sticks or the change of the slip's rate, then the size of the terms of every slip and
    of every gap; `fine` is last.
    """
    solved = _Solved(eq, mode)
    w, u, n = solved.maker, solved.u, solved.n
    guards = solved.guards()
    slips, forces = [], []
    for j, friction in enumerate(u.frictions):
        rates, first = [solved.psi[row] for row in friction.slips], solved.offset + friction.slips[0]
        slips.append(rates[0] if len(rates) == 1 else w.dot(rates, rates))
        forces.append(solved.nu[first] if mode.frictions[j] == STICK else solved.change(first))
    natural = [solved.extra(k) for k in range(2 * n)]
    largest = partial(w.function, "max")

    def size(row: Sequence[Place], value: int) -> Place:
        """Σ |A_j| max(|y_j|, a small part of its natural size), of q (0) or v (1), as in engine/contact/law.hpp."""
        places = range(n * value, n * value + n)
        usual = [w.mul(w.number(USUAL), natural[k]) for k in places]
        sizes = [largest(w.abs(w.input(1 + k)), part) for k, part in zip(places, usual, strict=True)]
        return w.dot([w.abs(entry) for entry in row], sizes)

    of_slips = [reduce(largest, [size(solved.A[solved.offset + row], 1) for row in f.slips]) for f in u.frictions]
    of_gaps = [size(solved.A[solved.offset + contact.gap], 0) for contact in u.contacts]
    return w.program([*guards, *slips, *forces, *of_slips, *of_gaps, solved.fine])


def series_in(eq: Equations, mode: ContactMode) -> Program:
    """The program from (x, directions) to a, then three coefficients in time of every contact's and friction's guard.

    It is for modes with constant accelerations and rows: gap φ + ψ τ + ½ (A a − b) τ², slip s (ψ + (A a − b) τ), and
    constant forces. `fine` is last.
    """
    solved = _Solved(eq, mode)
    w, zero, series = solved.maker, solved.maker.number(0.0), []
    for i, contact in enumerate(solved.u.contacts):
        is_open, row = mode.contacts[i] == OPEN, solved.offset + contact.gap
        half = w.mul(w.number(0.5), solved.change(row))
        series += [solved.of_contact(i), solved.psi[contact.gap] if is_open else zero, half if is_open else zero]
    for j, friction in enumerate(solved.u.frictions):
        along = w.mul(solved.signs[j], solved.change(solved.offset + friction.slips[0]))
        series += [solved.of_friction(j)[0], along if mode.frictions[j] == SLIP else zero, zero]
    return w.program([*solved.a, *series, solved.fine])


def kept_in(eq: Equations, mode: ContactMode, rates: bool) -> Program | None:
    """The correction of q (or v) onto the rows that are active in a mode, or None if there are none."""
    u = eq.touching
    if rates:
        residuals, jacobian = [*eq.psi, *u.psi], [*eq.A, *u.A]
        rows = rows_in(eq, mode)
    else:
        residuals, jacobian = [*eq.phi, *u.phi], [*eq.phi_q, *u.phi_q]
        closed = [i for i, status in enumerate(mode.contacts) if status == CLOSED]
        rows = [*range(len(eq.phi)), *(len(eq.phi) + u.contacts[i].gap for i in closed)]
    return correction_of(eq, rates, [residuals[r] for r in rows], [jacobian[r] for r in rows]) if rows else None


def rows_in(eq: Equations, mode: ContactMode) -> list[int]:
    """Active rows of A in a mode, in the engine's order."""
    u, first = eq.touching, len(eq.b)
    rows = list(range(first))
    rows += [first + u.contacts[i].gap for i, status in enumerate(mode.contacts) if status == CLOSED]
    for friction, status in zip(u.frictions, mode.frictions, strict=True):
        rows += [first + row for row in friction.slips if status == STICK]
        rows += [first + row for row in friction.held if status != OFF]
    return rows


def is_plain(eq: Equations, mode: ContactMode) -> bool:
    """Whether the solve of a mode can be written out."""
    u = eq.unilateral
    if u is None or not applies(eq) or eq.varying:
        return False
    slipping = [f for f, status in zip(u.frictions, mode.frictions, strict=True) if status == SLIP]
    sharing = [f for f in slipping if f.held]
    return len(sharing) <= 1 and all(f.normal is not None for f in sharing)


@lru_cache(maxsize=64)
def _is_singular(D: tuple[tuple[Any, ...], ...], symbols: tuple[Any, ...], values: tuple[float, ...]) -> bool:
    """Whether a symmetric D is singular at random states. The parameters are the last symbols."""
    free = len(symbols) - len(values)
    x = np.hstack([np.random.default_rng(7).uniform(0.2, 1.2, (STATES, free)), np.tile(np.array(values), (STATES, 1))])
    entries = values_of(program(symbols, [e for row in D for e in row]), x).reshape(STATES, len(D), len(D))
    scale = np.sqrt(np.abs(np.einsum("sii->si", entries)))
    with np.errstate(all="ignore"):
        scaled = entries / scale[:, :, None] / scale[:, None, :]
    return not np.isfinite(scaled).all() or bool(np.all(np.linalg.eigvalsh(scaled)[:, 0] < SINGULAR))


class _Solved:
    """The constrained solve of a mode as places of a program."""

    def __init__(self, eq: Equations, mode: ContactMode):
        u = eq.touching
        self.mode, self.u, self.n, self.offset = mode, u, len(eq.q), len(eq.b)
        directions = [f"{kind} of {f.name}" for kind in ("along", "side") for f in u.frictions]
        sizes = [f"size of {name}" for name in (*eq.q, *eq.v)]
        w, places = begun(eq, more=[*directions, *sizes])
        self.maker, self.inputs = w, len(places) + len(directions)
        self.signs = [w.input(len(places) + k) for k in range(len(directions))]
        lower = [[eq.D[j][i] for j in range(i + 1)] for i in range(self.n)]
        laws = [(f.coefficient, f.static, 0 if f.normal is None else f.normal) for f in u.frictions]
        self.D, self.d, self.A, self.b, self.psi, self.phi, self.laws = take_each(
            w, places, lower, eq.d, (*eq.A, *u.A), (*eq.b, *u.b), u.psi, u.phi, laws
        )
        self.on = rows_in(eq, mode)
        if eq.b and _is_singular(eq.D, tuple(places), tuple(eq.parameters.values())):
            self._strengthen(len(eq.b))
        self._solve()

    def _strengthen(self, rows: int) -> None:
        """D + Σ c AᵀA and d + Σ c Aᵀb, where c |A|² is the mean of D's diagonal."""
        w, n = self.maker, self.n
        mean = w.mul(w.number(1.0 / n), w.sum([self.D[i][i] for i in range(n)]))
        for A, b in zip(self.A[:rows], self.b[:rows], strict=True):
            c = w.div(mean, w.dot(A, A))
            part = [w.mul(c, entry) for entry in A]
            self.D = [[w.add(self.D[i][j], w.mul(part[i], A[j])) for j in range(i + 1)] for i in range(n)]
            self.d = [w.add(entry, w.mul(one, b)) for entry, one in zip(self.d, part, strict=True)]

    def extra(self, k: int) -> Place:
        """An input after the directions: the natural size of a component."""
        return self.maker.input(self.inputs + k)

    def change(self, row: int) -> Place:
        """A a − b of a row."""
        return self.maker.sub(self.maker.dot(self.A[row], self.a), self.b[row])

    def presser(self, j: int) -> int | None:
        """The row whose reaction presses a friction; None if the force is given."""
        friction = self.u.frictions[j]
        if friction.contact is not None:
            return self.offset + self.u.contacts[friction.contact].gap
        return friction.constraint

    def direction(self, j: int) -> list[Place]:
        """The unit vector of a slip."""
        w, rates = self.maker, [self.psi[row] for row in self.u.frictions[j].slips]
        if len(rates) == 1:
            return [self.signs[j]]
        size = w.sqrt(w.dot(rates, rates))
        return [w.div(rate, size) for rate in rates]

    def tangent(self, j: int) -> list[Place]:
        """Tᵀd̂ of a slip."""
        w, along = self.maker, self.direction(j)
        rows = [self.A[self.offset + row] for row in self.u.frictions[j].slips]
        return [w.sum([w.mul(along[k], row[i]) for k, row in enumerate(rows)]) for i in range(self.n)]

    def _solve(self) -> None:
        w, d, shared = self.maker, list(self.d), None
        columns = {row: self.A[row] for row in self.on}
        for j, status in enumerate(self.mode.frictions):
            if status != SLIP:
                continue
            tangent, mu, by = self.tangent(j), self.laws[j][0], self.presser(j)
            if self.u.frictions[j].held:
                shared = j
            elif by is None:
                pull = w.mul(mu, self.given(j))
                d = [w.sub(entry, w.mul(pull, t)) for entry, t in zip(d, tangent, strict=True)]
            else:
                side = w.number(1.0) if self.u.frictions[j].contact is not None else self.signs[len(self.laws) + j]
                pull = w.mul(mu, side)
                columns[by] = [w.sub(entry, w.mul(pull, t)) for entry, t in zip(columns[by], tangent, strict=True)]
        rows = [self.A[row] for row in self.on]
        other = list(columns.values()) if any(columns[row] is not self.A[row] for row in self.on) else None
        factors = Factored(w, Factor(w, self.D, DEFINITE), rows, other)
        self.fine = factors.fine

        def answer(force: Sequence[Place], b: Sequence[Place]) -> tuple[list[Place], dict[int, Place]]:
            a, nu = factors.answer(force, b)
            return a, dict(zip(self.on, nu, strict=True))

        self.a, self.nu = answer(d, [self.b[row] for row in self.on])
        if shared is None:
            return
        pulled = [w.neg(t) for t in self.tangent(shared)]
        by_unit, reaction = answer(pulled, [w.number(0.0)] * len(self.on))
        p = self._pull(shared, reaction)
        self.a = [w.add(entry, w.mul(p, unit)) for entry, unit in zip(self.a, by_unit, strict=True)]
        self.nu = {row: w.add(entry, w.mul(p, reaction[row])) for row, entry in self.nu.items()}

    def _pull(self, j: int, reaction: dict[int, Place]) -> Place:
        """The root p ≥ 0 of (1 + |h₁|²) p² + 2 h₀·h₁ p = (μ N)² − |h₀|²; it exists if the right side is positive."""
        w, held = self.maker, [self.offset + row for row in self.u.frictions[j].held]
        h0, h1 = [self.nu[row] for row in held], [reaction[row] for row in held]
        limit = w.mul(self.laws[j][0], self.given(j))
        right = w.sub(w.mul(limit, limit), w.dot(h0, h0))
        self.fine = w.both(self.fine, w.compare("lt", w.number(0.0), right))
        half, lead = w.dot(h0, h1), w.add(w.number(1.0), w.dot(h1, h1))
        root = w.sqrt(w.add(w.mul(half, half), w.mul(lead, right)))
        return w.div(w.sub(root, half), lead)

    def given(self, j: int) -> Place:
        return self.maker.function("max", self.laws[j][2], self.maker.number(0.0))

    def normal(self, j: int) -> Place:
        """N, as in engine/contact/law.hpp."""
        by = self.presser(j)
        if by is None:
            return self.given(j)
        return self.nu[by] if self.u.frictions[j].contact is not None else self.maker.abs(self.nu[by])

    def guards(self) -> list[Place]:
        """One quantity for every contact, three for every friction, which stay positive in the mode."""
        of_frictions = [self.of_friction(j) for j in range(len(self.mode.frictions))]
        parts = [part[k] for k in range(3) for part in of_frictions]
        return [*(self.of_contact(i) for i in range(len(self.mode.contacts))), *parts]

    def of_contact(self, i: int) -> Place:
        row = self.u.contacts[i].gap
        return self.phi[row] if self.mode.contacts[i] == OPEN else self.nu[self.offset + row]

    def of_friction(self, j: int) -> tuple[Place, Place, Place]:
        """The guard of the mode, of the side on which a constraint presses it, and of the cone left by held rows."""
        w, friction, status = self.maker, self.u.frictions[j], self.mode.frictions[j]
        own = side = cone = w.number(1.0)
        held = [self.nu[self.offset + row] for row in friction.held] if status != OFF else []
        if status == STICK and not friction.rough:
            N, slips = self.normal(j), [self.nu[self.offset + row] for row in friction.slips]
            limit = w.mul(w.mul(self.laws[j][1], self.laws[j][1]), w.mul(N, w.abs(N)))
            own = w.sub(w.sub(limit, w.dot(held, held)), w.dot(slips, slips))
        elif status == SLIP:
            slips = [self.psi[row] for row in friction.slips]
            own = w.mul(slips[0], self.signs[j]) if len(slips) == 1 else w.dot(slips, slips)
            if friction.constraint is not None:
                side = w.mul(self.nu[friction.constraint], self.signs[len(self.laws) + j])
            if held:
                limit = w.mul(self.laws[j][0], self.normal(j))
                cone = w.sub(w.mul(limit, limit), w.dot(held, held))
        return own, side, cone
