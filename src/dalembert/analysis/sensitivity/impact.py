"""The change of speeds in an impact and its exact derivative, by the law of `contacts` in the case that it chose.

    D Δv = Bᵀν + Cᵀf;   bilateral and held rows B Δv = −ρ;   a contact that collides C Δv = −(1 + e) ρ, or f = 0;
    reversed rows likewise; slips that stop C Δv = −ρ, or f = −μ N ŵ along the remaining slip ŵ
ρ are the rates before. Poisson's law applies this twice: compression with e = 0, then the impulses e f and the
additional impulses of the held rows. Rows that change with the speeds are integrated along dv/ds = Δv(v), s from 0 to
1, together with the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian, total, unknown
from dalembert.engine.interface import BY_CONTACT, POISSON
from dalembert.errors import MathematicsError
from dalembert.motions.laws import Laws
from dalembert.motions.touching import Group, Impact, ModeSolver
from dalembert.motions.unilateral import HybridSystem
from dalembert.programs.functions import Function, compiled
from dalembert.programs.modes import SLIP, STICK

PATH = 64  # steps of that integration


@dataclass(frozen=True, slots=True)
class Case:
    """The case of an impact: bilateral rows, rows with impulses, contacts that collide, and groups."""

    bilateral: tuple[int, ...]
    rows: tuple[int, ...]
    which: tuple[int, ...]  # the model's contacts of the first rows
    closed: tuple[bool, ...]
    groups: tuple[Group, ...]

    @property
    def apart(self) -> Case:
        """The case without the directions of planar slips, which are computed again."""
        return replace(self, groups=tuple(replace(g, direction=(0.0, 0.0)) if g.dim == 2 else g for g in self.groups))


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of an impact: its case, the speeds' change by its end, and the impulses until then."""

    case: Case
    change: Array
    impulses: Array


@dataclass(frozen=True, slots=True)
class Decided:
    """The engine's decision. `first` is the compression phase of Poisson's law."""

    whole: Phase
    first: Phase | None


def decided(hybrid: HybridSystem, x: Array, mode: Array, involved: list[int], inelastic: bool) -> Decided:
    """The case in which the engine solves the impact of the contacts `involved`, at x before it."""
    instant = ModeSolver(hybrid)
    poisson = any(hybrid.laws.of_contact[i].law == POISSON for i in involved) and not inelastic
    first = _phase(instant.impact(x, mode, involved, True, True), x) if poisson else None
    return Decided(_phase(instant.impact(x, mode, involved, inelastic), x), first)


def _phase(found: Impact | None, x: Array) -> Phase:
    if found is None:
        raise MathematicsError("at t = {x:.9g} the impact has no derivative; end the motion before", x=x[0])
    case = Case(found.bilateral, found.rows, found.which, found.closed, found.groups)
    return Phase(case, found.change, found.impulses)


def impact_map(hybrid: HybridSystem, found: Decided, inelastic: bool) -> ImpactMap:
    """The map of a case. It is compiled once for all impacts of that case."""
    phases = (found.whole, *([] if found.first is None else [found.first]))
    name = ("impact", inelastic, *(phase.case.apart for phase in phases))
    kept = copy(hybrid.system.once(name, lambda: ImpactMap(hybrid, found, inelastic)))
    kept.hybrid, kept.decided = hybrid, found
    return kept


class ImpactMap:
    """Δv as a function of (x at which rows are taken, rates ρ of all rows, laws), with its derivatives."""

    def __init__(self, hybrid: HybridSystem, found: Decided, inelastic: bool) -> None:
        eq, laws, u = hybrid.system.equations, hybrid.laws, hybrid.unilateral
        self.hybrid, self.decided, self.size = hybrid, found, hybrid.system.n
        self.rates = unknown("rate", laws.rows)
        self.laws = unknown("law", laws.frictions + laws.contacts)  # coefficients, then restitutions
        restitution = [0 if inelastic else self.laws[laws.frictions + i] for i in range(laws.contacts)]
        builder = _Equations(self, eq.D, eq.A, restitution, laws)
        if found.first is None:
            builder.add(found.whole.case, "", None)
        else:
            f = builder.add(found.first.case, "compression ", None, 0)
            builder.add(found.whole.case, "", f)
        self.unknowns = tuple(builder.unknowns)
        inputs = [*eq.inputs, *self.rates, *self.laws]
        r_w, r_in = jacobian(builder.rows, self.unknowns), jacobian(builder.rows, inputs)
        outputs = [*builder.rows, *(e for row in r_w for e in row), *(e for row in r_in for e in row)]
        self.code = compiled([*inputs, *self.unknowns], outputs, backend="numpy")
        self.change = builder.change  # places of Δv among the unknowns
        values = [*eq.psi, *(f.coefficient for f in u.frictions), *(c.restitution for c in u.contacts)]
        self.before: Function = compiled(
            eq.inputs, [*values, *(e for row in jacobian(values, eq.inputs) for e in row)], backend="numpy"
        )

    def linear(self, x: Array, given: Array, guess: Array | None = None) -> tuple[Array, Array]:
        """The unknowns and their derivatives by (x, ρ, laws). The rows are evaluated at x."""
        count, inputs = len(self.unknowns), np.concatenate([x, given])
        w = np.zeros(count) if guess is None else guess
        for _ in range(30):
            out = self.code(np.concatenate([inputs, w]))
            r, K = out[:count], out[count : count + count * count].reshape(count, count)
            step = np.linalg.lstsq(K, r, rcond=1e-12)[0]
            w = w - step
            if np.abs(step).max(initial=0.0) <= 1e-14 * max(1e-3, np.abs(w).max(initial=0.0)):
                break
        return w, -np.linalg.lstsq(K, out[count + count * count :].reshape(count, -1), rcond=1e-12)[0]

    def derivative(self, x: Array, dx: Array) -> tuple[Array, Array]:
        """Δv at x, and its derivative along the columns of dx."""
        laws, n = self.hybrid.laws, self.size
        out, count = self.before(x), laws.rows + laws.frictions + laws.contacts
        given, by = out[:count], out[count:].reshape(count, len(x))
        w, w_in = self.linear(x, given, self._start(x, given[laws.rows + laws.frictions :]))
        change = w[self.change]
        after = x.copy()
        after[1 + n : 1 + 2 * n] += change
        rates = self.hybrid.system.velocity(after)[: laws.rows]
        A = self.hybrid.system.unpacked(self.hybrid.system.dynamics(x))[2]
        if np.all(np.abs(rates - given[: laws.rows] - A @ change) <= 1e-10 * (1e-3 + np.abs(A) @ np.abs(change))):
            return change, w_in[self.change] @ np.vstack([dx, by @ dx])
        return self._turning(x, dx, given, by @ dx, w)

    def _start(self, x: Array, restitution: Array) -> Array:
        """Find the directions of slips by Newton's method, from the engine's solution."""
        whole, first = self.decided.whole, self.decided.first
        D, _, A, _, _ = self.hybrid.system.unpacked(self.hybrid.system.dynamics(x))
        found, earlier = [], np.zeros(len(whole.impulses))
        for phase in (first, whole) if first is not None else (whole,):
            forces = D @ phase.change - phase.impulses @ A[list(phase.case.rows)]
            nu = np.linalg.lstsq(A[list(phase.case.bilateral)].T, forces, rcond=1e-12)[0]
            found += [phase.change, nu, phase.impulses - earlier]
            earlier = phase.impulses * (1 + np.array(shares(phase.case, restitution.tolist())))
        return np.concatenate(found)

    def _turning(self, x: Array, dx: Array, given: Array, d_given: Array, guess: Array) -> tuple[Array, Array]:
        laws, n = self.hybrid.laws, self.size
        given, d_given = given.copy(), d_given.copy()
        given[: laws.bilateral], d_given[: laws.bilateral] = 0.0, 0.0
        v, dv = x[1 + n : 1 + 2 * n].copy(), dx[1 + n : 1 + 2 * n].copy()
        here, d_here = x.copy(), dx.copy()
        h = 1.0 / PATH

        def slope(speeds: Array, d_speeds: Array) -> tuple[Array, Array]:
            here[1 + n : 1 + 2 * n], d_here[1 + n : 1 + 2 * n] = speeds, d_speeds
            w, w_in = self.linear(here, given, guess)
            return w[self.change], w_in[self.change] @ np.vstack([d_here, d_given])

        for _ in range(PATH):
            k1 = slope(v, dv)
            k2 = slope(v + h / 2 * k1[0], dv + h / 2 * k1[1])
            k3 = slope(v + h / 2 * k2[0], dv + h / 2 * k2[1])
            k4 = slope(v + h * k3[0], dv + h * k3[1])
            v = v + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
            dv = dv + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
        return v - x[1 + n : 1 + 2 * n], dv - dx[1 + n : 1 + 2 * n]


def shares(case: Case, restitution: Sequence[Any]) -> list[Any]:
    """The restitution of each row; zero for slips."""
    found = [restitution[i] for i in case.which]
    for group in case.groups:
        found += [restitution[-1 - group.who] if group.who < 0 else 0] * group.dim
    return found


@dataclass(frozen=True, slots=True)
class _Terms:
    """The unknowns of one phase (Δv, reactions, impulses), and its restitution."""

    case: Case
    dv: Any
    nu: Any
    f: Any
    rebounds: list[Any]  # Newton's restitution of each row
    again: Any | None  # e times the impulses of the compression, in the phase of restitution


class _Equations:
    """The rows of an impact's equations, phase by phase."""

    def __init__(self, of: ImpactMap, D: Any, A: Any, restitution: list[Any], laws: Laws) -> None:
        self.of, self.D, self.A, self.restitution, self.laws = of, D, A, restitution, laws
        self.unknowns: list[Any] = []
        self.rows: list[Any] = []
        self.change: list[int] = []

    def add(self, case: Case, word: str, before: tuple[Any, ...] | None, e: Any = None) -> tuple[Any, ...]:
        """Add one phase. `before` are the impulses of the compression; e times as much acts in the restitution."""
        rates, n = self.of.rates, self.of.size
        dv = unknown(f"{word}change", n)
        nu, f = unknown(f"{word}reaction", len(case.bilateral)), unknown(f"{word}impulse", len(case.rows))
        earlier = before or (0,) * len(f)
        again = tuple(e * p for e, p in zip(shares(case, self.restitution), earlier, strict=True))
        whole = tuple(p + q + r for p, q, r in zip(f, again, earlier, strict=True))
        self.change = list(range(len(self.unknowns), len(self.unknowns) + n))
        self.unknowns += [*dv, *nu, *f]
        for c in range(n):
            forces = [self.A[i][c] for i in (*case.bilateral, *case.rows)]
            self.rows.append(total(self.D[c], dv) - total(forces, (*nu, *whole)))
        for i in case.bilateral:
            kept = rates[i] if i < self.laws.bilateral else 0
            self.rows.append(total(self.A[i], dv) + kept)
        rebounds = shares(case, self.restitution) if before is None and e is None else [0] * len(f)
        for k, closed in enumerate(case.closed):
            row = case.rows[k]
            self.rows.append(total(self.A[row], dv) + (1 + rebounds[k]) * rates[row] if closed else f[k])
        for group in case.groups:
            self._group(group, _Terms(case, dv, nu, f, rebounds, None if before is None else again))
        return f

    def _group(self, group: Group, terms: _Terms) -> None:
        import symengine as se

        case, f, places = terms.case, terms.f, range(group.start, group.start + group.dim)
        rates = [(1 + terms.rebounds[k]) * self.of.rates[case.rows[k]] for k in places]
        after = [total(self.A[case.rows[k]], terms.dv) + rate for k, rate in zip(places, rates, strict=True)]
        if group.status == STICK:
            self.rows += after
            return
        if group.status != SLIP or group.who < 0:
            self.rows += [f[k] for k in places]
            return
        at = self.laws.of_friction[group.who].pressed_by
        if self.laws.of_friction[group.who].presser == BY_CONTACT:
            owner = case.which.index(at)
            N = f[owner] + (0 if terms.again is None else terms.again[owner])
        elif terms.again is not None:
            raise MathematicsError(
                "a friction that a constraint presses slips in an impact by Poisson's law, which is not "
                'differentiated; use law = "newton", or end the motion before'
            )
        else:
            N = terms.nu[case.bilateral.index(at)]
        direction: list[Any] = list(group.direction[: group.dim])
        if group.dim == 2:
            length = se.sqrt(after[0] ** 2 + after[1] ** 2)
            direction = [component / length for component in after]
        mu = self.of.laws[group.who]
        self.rows += [f[k] + mu * N * group.sign * d for k, d in zip(places, direction, strict=True)]
