"""The equations of one mode of contacts and frictions in symbols, for `flow`, and their numerical inputs.

A slip c pulls along −ĉ. While it moves, ĉ = c/|c|; in one dimension this is a sign. In the plane, c/|c| is not smooth
at rest. So ĉ = ċ/|ċ| just after rest and −ċ/|ċ| just before it, with ċ = A a − b, or ĉ is held fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import total, unknown
from dalembert.analysis.sensitivity.flow import (
    CompiledFlow,
    Implicit,
    LocalSolution,
    compiled_flow,
    state_rates,
)
from dalembert.engine.interface import BY_CONSTRAINT, BY_CONTACT, GIVEN
from dalembert.motions.touching import ModeSolver
from dalembert.motions.unilateral import HybridSystem, still
from dalembert.programs.modes import SLIP

MOVING, STARTING, STOPPING, FIXED = "moving", "starting", "stopping", "fixed"


@dataclass(frozen=True)
class ModeFlow:
    """A compiled mode: its `flow`, and the indices of frictions that slip and of those that share their cone."""

    hybrid: HybridSystem
    mode: Array
    flow: CompiledFlow
    slipping: tuple[int, ...]
    sharing: tuple[int, ...]
    pulls: Mapping[int, Any]  # forces of slips by their rows of A, as expressions in x and w

    def inputs(self, X: Array, along_of: Mapping[int, Array] | None = None) -> tuple[Array, Array]:
        """The fixed inputs at each row of X, and the engine's own w as a first guess.

        `along_of` has directions of slips that are known from elsewhere, since the slip itself may be zero.
        """
        laws = self.hybrid.laws
        a, nu = ModeSolver(self.hybrid).all_forces(X, np.broadcast_to(self.mode, (len(X), len(self.mode))))
        held, shares, slow = [], [], np.zeros(len(X), dtype=bool)
        values = self.hybrid.function(X)
        further = laws.rows - laws.bilateral + 2 * laws.frictions
        for j in self.slipping:
            first, dim = laws.of_friction[j].slip_start, laws.of_friction[j].slip_count
            pull = -nu[:, first : first + dim]
            size = np.linalg.norm(pull, axis=1)
            slip = values[:, first - laws.bilateral : first - laws.bilateral + dim]
            along = np.where(size[:, None] > 0, pull / np.maximum(size, 1e-300)[:, None], slip)
            length = np.linalg.norm(along, axis=1)[:, None]
            along = along / np.where(length > 0, length, 1.0)
            if along_of is not None and j in along_of:
                along = np.broadcast_to(along_of[j][:dim], along.shape)
                slow |= np.linalg.norm(slip, axis=1) <= 10 * still(self.hybrid.speeds(X))
            kind, at = laws.of_friction[j].presser, laws.of_friction[j].pressed_by
            side = np.ones(len(X))
            if kind == BY_CONSTRAINT:
                side = np.where(nu[:, at] < 0, -1.0, 1.0)
            elif kind == GIVEN:
                side = (values[:, further + j] > 0).astype(float)
            held += [along[:, 0], along[:, 1] if dim == 2 else np.zeros(len(X)), side]
            if j in self.sharing:
                shares.append(size)
        pulls, rates = np.array(shares).T.reshape(len(X), -1), self.hybrid.system.rates(X).reshape(len(X), -1)
        w = np.hstack([a, nu[:, list(self.flow.problem.multipliers)], pulls, rates])
        if slow.any() and not slow.all():  # the engine treated them as beginning: use the nearest other answer
            w[slow] = w[~slow][0]
        return np.array(held).T.reshape(len(X), 3 * len(self.slipping)), w

    def at(self, X: Array, along_of: Mapping[int, Array] | None = None) -> LocalSolution:
        return self.flow.at(X, *self.inputs(X, along_of))

    def multiplier(self, row: int) -> Any:
        """The multiplier of an active row of A."""
        place = self.flow.problem.multipliers.index(row)
        return self.flow.problem.unknowns[self.hybrid.system.n + place]

    @property
    def answers(self) -> dict[Any, Any]:
        """The symbols q'' and lambda.ROW of events, in terms of w: forces of rows that are off are zero."""
        import symengine as se

        eq, problem, n = self.hybrid.equations, self.flow.problem, self.hybrid.system.n
        rows = {row.name: i for i, row in enumerate(eq.constraints)} | self.hybrid.forces
        on = dict(zip(problem.multipliers, problem.unknowns[n:], strict=False)) | dict(self.pulls)
        forces = {se.Symbol(f"lambda.{name}"): on.get(row, se.S.Zero) for name, row in rows.items()}
        return dict(zip(eq.answers, problem.unknowns[:n], strict=False)) | forces

    @property
    def planar(self) -> tuple[int, ...]:
        return tuple(j for j in self.slipping if self.hybrid.laws.of_friction[j].slip_count == 2)


def mode_flow(hybrid: HybridSystem, mode: Array, direction: str = MOVING) -> ModeFlow:
    """The equations of a mode. `direction` tells how planar slips point (see above)."""
    import symengine as se

    system, laws, u = hybrid.system, hybrid.laws, hybrid.unilateral
    eq = system.equations  # the rows of contacts and frictions follow those of the constraints
    active = hybrid.active_rows(mode)
    slipping = tuple(j for j, status in enumerate(mode[laws.contacts :].tolist()) if status == SLIP)
    sharing = tuple(j for j in slipping if laws.of_friction[j].held)
    a, nu, S = unknown("acceleration", system.n), unknown("multiplier", len(active)), unknown("pull", len(sharing))
    fixed = unknown("direction", 3 * len(slipping))
    rows = [
        total(D, a) - d - total([eq.A[i][c] for i in active], nu)
        for c, (D, d) in enumerate(zip(eq.D, eq.d, strict=True))
    ]
    cones: list[Any] = []
    pulls: dict[int, Any] = {}
    for place, j in enumerate(slipping):
        law = u.frictions[j]
        first, dim = laws.of_friction[j].slip_start, laws.of_friction[j].slip_count
        along = list(fixed[3 * place : 3 * place + dim])
        if dim == 2 and direction != FIXED:
            rates = [total(eq.A[first + c], a) - eq.b[first + c] for c in (0, 1)]
            vector = {MOVING: eq.psi[first : first + 2], STARTING: rates, STOPPING: [-rate for rate in rates]}[
                direction
            ]
            length = se.sqrt(vector[0] ** 2 + vector[1] ** 2)
            along = [component / length for component in vector]
        N = fixed[3 * place + 2] * _pressing(hybrid, j, active, nu)
        if j in sharing:
            pull = S[sharing.index(j)]
            squares = sum((nu[active.index(row)] ** 2 for row in laws.of_friction[j].held), se.S.Zero)
            cones.append(pull**2 + squares - (law.coefficient * N) ** 2)
        else:
            pull = law.coefficient * N
        pulls |= {first + k: -pull * along[k] for k in range(dim)}
        for c in range(system.n):
            rows[c] += pull * sum((along[k] * eq.A[first + k][c] for k in range(dim)), se.S.Zero)
    rows += [total(eq.A[i], a) - eq.b[i] for i in active]
    turns = direction in (STARTING, STOPPING) and any(laws.of_friction[j].slip_count == 2 for j in slipping)
    linear = not sharing and not turns
    state_slopes, states = state_rates(system)
    problem = Implicit(
        (*a, *nu, *S, *state_slopes), tuple(active), (*states, *rows, *cones), len(active), fixed, linear
    )
    return ModeFlow(hybrid, np.asarray(mode), compiled_flow(system, problem), slipping, sharing, pulls)


def _pressing(hybrid: HybridSystem, j: int, active: list[int], nu: tuple[Any, ...]) -> Any:
    laws, law = hybrid.laws, hybrid.unilateral.frictions[j]
    kind, at = laws.of_friction[j].presser, laws.of_friction[j].pressed_by
    if kind == GIVEN:
        return law.normal
    return nu[active.index(laws.bilateral + at if kind == BY_CONTACT else at)]


def cone(flow: ModeFlow, j: int) -> Any:
    """(μ_s N)² − |R|² − |h|² of a friction that sticks."""
    import symengine as se

    laws = flow.hybrid.laws
    law, problem = flow.hybrid.unilateral.frictions[j], flow.flow.problem
    nu = problem.unknowns[flow.hybrid.system.n : flow.hybrid.system.n + len(problem.multipliers)]
    N = _pressing(flow.hybrid, j, list(problem.multipliers), nu)
    rows = [*laws.of_friction[j].slips, *laws.of_friction[j].held]
    return (law.static * N) ** 2 - sum((flow.multiplier(row) ** 2 for row in rows), se.S.Zero)
