"""The impact of one contact, written out, while every other contact is open.

Errata to ZhangMei (2.1), as in engine/contact/impact.hpp:

    D Δv = Bᵀ ν + Cᵀ P        B: rows that hold in both directions; C: the gap's row, reversed rows, slips
    B Δv = −ψ for constraints, 0 for the rows that a friction holds (and, by the paper's law, for every slip)
    γ⁺ = −e γ⁻,  r⁺ = −e r⁻ for the rates that the contact reverses
    slip: c⁺ = 0 while |P_c| ≤ μ_s P_γ, otherwise P_c = −μ P_γ s on a line, s the side on which c stays

There is no pivoting, and the output `fine` watches pivots, the cone, the sides and the energy. If it is 0, the engine
solves the impact as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.equations import Equations
from dalembert.programs.expressions import take_each
from dalembert.programs.maker import Place
from dalembert.programs.modes import OPEN, ContactMode
from dalembert.programs.products import begun
from dalembert.programs.program import Program
from dalembert.programs.solve import DEFINITE, Factor, Factored

GAIN = 1e-9  # of the work of the gap's impulse: a larger gain of energy is left to the engine
NEGLIGIBLE = 1e-12  # of its terms: a slip this small has no side


def can_strike(eq: Equations, mode: ContactMode, i: int) -> bool:
    """Whether the impact of contact i in this mode can be written out."""
    u = eq.touching
    law, own = u.contacts[i].law, [f for f in u.frictions if f.contact == i]
    by_constraint = any(f.constraint is not None for f in u.frictions)  # a constraint's impulse presses it
    alone = all(status == OPEN for status in mode.contacts)
    simple = law != "poisson" or not (own or u.contacts[i].reverses)  # phases of compression and restitution differ
    return alone and simple and len(own) <= 1 and not by_constraint


def strike(eq: Equations, i: int) -> Program:
    """The program from (x, ρ) to Δv, the row of the gap, its rate before the impact, and `fine`.

    The restitution is ρ e. ρ is 0 for an impact that ends a cascade, otherwise 1.
    """
    return _Impact(eq, i).program()


class _Impact:
    def __init__(self, eq: Equations, i: int):
        u = eq.touching
        self.eq, self.n = eq, len(eq.q)
        contact, offset, n = u.contacts[i], len(eq.b), self.n
        w, places = begun(eq, more=["rebound"])
        self.maker = w
        own = next((f for f in u.frictions if f.contact == i), None)
        paper = contact.law == "zhang-mei"
        touching = [f for f in u.frictions if f.contact is None]
        kept = [row for f in touching for row in (*f.held, *(f.slips if paper else ()))]
        self.base = [*range(offset), *(offset + row for row in kept)]
        self.gap, self.reversed = offset + contact.gap, [offset + row for row in contact.reverses]
        self.slips = [] if own is None or paper else [offset + row for row in own.slips]
        rows, psi = [*eq.A, *u.A], [*eq.psi, *u.psi]
        used = [*self.base, self.gap, *self.reversed, *self.slips]
        laws = contact.restitution, *((0, 0) if own is None else (own.coefficient, own.static))
        lower = [[eq.D[r][c] for c in range(r + 1)] for r in range(n)]
        self.D, A, rates, (e, self.mu, self.static), self.v = take_each(
            w, places, lower, [rows[row] for row in used], [psi[row] for row in used], laws, eq.v
        )
        self.A, self.psi = dict(zip(used, A, strict=True)), dict(zip(used, rates, strict=True))
        self.restitution = w.mul(w.input(len(places)), e)
        self.rough, self.offset, self.checked = own is not None and own.rough, offset, not paper

    def program(self) -> Program:
        w = self.maker
        self.mass = Factor(w, self.D, DEFINITE)
        change, fine = self._stuck() if self.slips else self._solved(())
        gap = self.psi[self.gap]
        fine = w.both(fine, w.compare("lt", gap, w.number(0.0)))
        outputs = [*change, *self.A[self.gap], gap, fine]
        names = [*(f"change of {c}" for c in self.eq.coordinates), *(f"row {c}" for c in self.eq.coordinates)]
        return w.program(outputs, [*names, "rate", "fine"])

    def _target(self, row: int) -> Place:
        """The change of a row's rate."""
        w = self.maker
        if row < self.offset or row in self.slips:
            return w.neg(self.psi[row])
        if row == self.gap or row in self.reversed:
            return w.neg(w.mul(w.add(w.number(1.0), self.restitution), self.psi[row]))
        return w.number(0.0)

    def _solved(self, slips: Sequence[int], pull: Place | None = None) -> tuple[list[Place], Place]:
        """Δv, with these slips brought to rest. With `pull`, a slip goes on against `pull` times the gap's impulse."""
        w, on = self.maker, [*self.base, self.gap, *self.reversed, *slips]
        rows, columns = [self.A[row] for row in on], None
        if pull is not None:
            gap, slip = self.A[self.gap], self.A[self.slips[0]]
            column = [w.sub(entry, w.mul(pull, t)) for entry, t in zip(gap, slip, strict=True)]
            columns = [column if row == self.gap else self.A[row] for row in on]
        factors = Factored(w, self.mass, rows, columns)
        change, forces = factors.answer([w.number(0.0)] * self.n, [self._target(row) for row in on])
        nu = dict(zip(on, forces, strict=True))
        fine = w.both(factors.fine, w.compare("lt", w.number(0.0), nu[self.gap]))
        self.impulses = nu
        if self.checked:
            fine = w.both(fine, self._loses(change, nu, pull))
        return change, fine

    def _loses(self, change: Sequence[Place], nu: dict[int, Place], pull: Place | None) -> Place:
        """Whether the impulses gain no energy: their work at the mean of the rates before and after."""
        w = self.maker
        impulses = {row: nu[row] for row in (self.gap, *self.reversed, *self.slips) if row in nu}
        if pull is not None:
            impulses[self.slips[0]] = w.neg(w.mul(pull, nu[self.gap]))
        work = w.number(0.0)
        for row, impulse in impulses.items():
            mean = w.add(self.psi[row], w.mul(w.number(0.5), w.dot(self.A[row], change)))
            work = w.add(work, w.mul(impulse, mean))
        level = w.abs(w.mul(nu[self.gap], self.psi[self.gap]))
        return w.compare("le", work, w.mul(w.number(GAIN), level))

    def _stuck(self) -> tuple[list[Place], Place]:
        """Δv with the contact's own friction: its slip stops inside the cone, or goes on along a line."""
        w = self.maker
        change, fine = self._solved(self.slips)
        if self.rough:
            return change, fine
        pulls, normal = [self.impulses[row] for row in self.slips], self.impulses[self.gap]
        limit = w.mul(self.static, normal)
        inside = w.compare("le", w.dot(pulls, pulls), w.mul(limit, limit))
        if len(self.slips) > 1:
            return change, w.both(fine, inside)
        slip = self.slips[0]
        before = self.psi[slip]
        side = w.select(w.compare("lt", before, w.number(0.0)), w.number(-1.0), w.number(1.0))
        slid, fine_slid = self._solved((), w.mul(self.mu, side))
        terms = w.sum([w.abs(w.mul(entry, v)) for entry, v in zip(self.A[slip], self.v, strict=True)])
        after = w.mul(side, w.add(before, w.dot(self.A[slip], slid)))
        clear = w.compare("lt", w.mul(w.number(NEGLIGIBLE), terms), w.abs(before))
        fine_slid = w.both(fine_slid, w.both(clear, w.compare("lt", w.mul(w.number(NEGLIGIBLE), terms), after)))
        chosen = [w.select(inside, a, b) for a, b in zip(change, slid, strict=True)]
        both = w.logic("or", w.both(inside, fine), w.both(w.opposite(inside), fine_slid))
        return chosen, both
