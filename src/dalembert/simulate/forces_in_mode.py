"""Accelerations and forces of a motion with contacts and frictions, at many states and their modes. NumPy only.

    D a = d + R ν,  A a = b       rows that are on: constraints, closed contacts, sticking slips, held rows; R = Aᵀ, but
    R_N −= μ Tᵀĉ,  d −= μ N Tᵀĉ   for a friction that slips along c, pressed by the reaction of a row or by a given N
A slip that shares its cone with held rows pulls with S, S² + |h|² = (μN)² (ZhangMei (4.15)–(4.18)). Forces of slips
stand in the places of their rows, so the generalized reactions are Aᵀν in every mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.laws import (
    BY_CONSTRAINT,
    BY_CONTACT,
    GIVEN,
    HELD_COUNT,
    HELD_START,
    PRESS_AT,
    PRESS_KIND,
    SLIP_DIM,
    SLIP_START,
    Laws,
)
from dalembert.motions.unilateral import HybridSystem, still
from dalembert.simulate.complementarity import CLOSED, OFF, SLIP, STICK
from dalembert.simulate.settled import directions_from_rest

SWEEPS = 60  # of several slips that share their cones


@dataclass(frozen=True)
class Pull:
    """One slipping friction at many states: its number, unit vector, tangent row Tᵀĉ, coefficient and given force."""

    j: int
    along: np.ndarray  # states, 2
    tangent: np.ndarray  # states, n
    mu: np.ndarray
    given: np.ndarray
    row: int | None  # whose reaction presses
    two_sided: bool  # by its size, whatever its sign
    held: tuple[int, ...]


def active_rows(laws: Laws, mode: np.ndarray) -> list[int]:
    """The rows of A that hold in a mode."""
    rows = list(range(laws.bilateral))
    rows += [laws.bilateral + i for i in range(laws.contacts) if mode[i] == CLOSED]
    for j, status in enumerate(mode[laws.contacts :].tolist()):
        if status == STICK:
            rows += range(laws.layout[SLIP_START, j], laws.layout[SLIP_START, j] + laws.layout[SLIP_DIM, j])
        if status != OFF:
            rows += held_rows(laws, j)
    return rows


def held_rows(laws: Laws, j: int) -> tuple[int, ...]:
    first = int(laws.layout[HELD_START, j])
    return tuple(range(first, first + int(laws.layout[HELD_COUNT, j])))


def forces_in_mode(hybrid: HybridSystem, X: np.ndarray, modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν of all rows (zero where a row is off), at every row of X in its mode."""
    a, nu = np.zeros((len(X), hybrid.system.n)), np.zeros((len(X), hybrid.laws.rows))
    for mode in np.unique(modes, axis=0):
        chosen = np.flatnonzero((modes == mode).all(axis=1))
        a[chosen], nu[chosen] = _Problem(hybrid, X[chosen], mode).solved()
    return a, nu


class _Problem:
    """The equations of one mode at many states."""

    def __init__(self, hybrid: HybridSystem, X: np.ndarray, mode: np.ndarray):
        self.hybrid, self.X, self.mode, self.laws = hybrid, X, mode, hybrid.laws
        self.active = active_rows(hybrid.laws, mode)
        self.D, self.d, self.A, self.b, _ = hybrid.system.unpacked(hybrid.system.dynamics(X))
        self.values = hybrid.function(X)
        slipping = [j for j, status in enumerate(mode[self.laws.contacts :].tolist()) if status == SLIP]
        self.pulls = [self.pull(j) for j in slipping]

    def pull(self, j: int) -> Pull:
        laws, layout = self.laws, self.laws.layout
        first, dim = int(layout[SLIP_START, j]), int(layout[SLIP_DIM, j])
        further = laws.rows - laws.bilateral
        slip = self.values[:, first - laws.bilateral : first - laws.bilateral + dim]
        length = np.linalg.norm(slip, axis=1)
        along = np.divide(slip, length[:, None], out=np.zeros_like(slip), where=length[:, None] > 0)
        for i in np.flatnonzero(length <= still(self.hybrid.speeds(self.X))):
            along[i] = directions_from_rest(self.hybrid, self.X[i], self.mode)[j, :dim]
        kind, at = layout[PRESS_KIND, j], int(layout[PRESS_AT, j])
        row = None if kind == GIVEN else laws.bilateral + at if kind == BY_CONTACT else at
        return Pull(
            j, along, np.einsum("sk,skn->sn", along, self.A[:, first : first + dim]), self.values[:, further + j],
            np.maximum(self.values[:, further + 2 * laws.frictions + j], 0.0), row, kind == BY_CONSTRAINT,
            held_rows(laws, j),
        )  # fmt: skip

    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """The side on which a constraint presses a slip is the one that its reaction confirms."""
        sides = np.ones((len(self.X), len(self.pulls)))
        a, nu = self.with_shares(sides)
        two_sided = [(k, pull.row) for k, pull in enumerate(self.pulls) if pull.two_sided]
        if any((nu[:, row] < 0).any() for _, row in two_sided):
            for k, row in two_sided:
                sides[:, k] = np.where(nu[:, row] < 0, -1.0, 1.0)
            a, nu = self.with_shares(sides)
        return a, nu

    def with_shares(self, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """S of slips that share their cone: each the positive root of its quadratic, in turn until none changes."""
        shares = np.zeros((len(self.X), len(self.pulls)))
        sharing = [k for k, pull in enumerate(self.pulls) if pull.held]
        for _ in range(SWEEPS if len(sharing) > 1 else len(sharing)):
            before = shares.copy()
            for k in sharing:
                shares[:, k] = self.share(k, shares, sides)
            if np.abs(shares - before).max() <= 1e-15 * np.abs(shares).max():
                break
        a, nu = self.linear(shares, sides)
        for k, pull in enumerate(self.pulls):
            size = shares[:, k] if pull.held else pull.mu * self.press(pull, nu)
            first, dim = self.laws.layout[[SLIP_START, SLIP_DIM], pull.j]
            nu[:, first : first + dim] = -size[:, None] * pull.along
        return a, nu

    def share(self, k: int, shares: np.ndarray, sides: np.ndarray) -> np.ndarray:
        pull = self.pulls[k]
        found = []
        for value in (0.0, 1.0):
            trial = shares.copy()
            trial[:, k] = value
            nu = self.linear(trial, sides)[1]
            found.append((self.press(pull, nu), nu[:, pull.held]))
        (N0, h0), (N1, h1) = found
        N1, h1 = N1 - N0, h1 - h0
        square = 1.0 - (pull.mu * N1) ** 2 + (h1**2).sum(axis=1)
        cross = -(pull.mu**2) * N0 * N1 + (h0 * h1).sum(axis=1)
        rest = -((pull.mu * N0) ** 2) + (h0**2).sum(axis=1)
        possible = (rest < 0) & (square > 0)
        root = (-cross + np.sqrt(np.maximum(cross**2 - square * rest, 0.0))) / np.where(possible, square, 1.0)
        return np.where(possible, np.maximum(root, 0.0), 0.0)

    def press(self, pull: Pull, nu: np.ndarray) -> np.ndarray:
        if pull.row is None:
            return pull.given
        return np.abs(nu[:, pull.row]) if pull.two_sided else nu[:, pull.row]

    def linear(self, shares: np.ndarray, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """a and ν for known shares: one batched solve where that is regular, else state by state."""
        n, active = self.D.shape[1], self.active
        d, R = self.d.copy(), np.swapaxes(self.A, 1, 2).copy()
        for k, pull in enumerate(self.pulls):
            if pull.held:
                d -= shares[:, k, None] * pull.tangent
            elif pull.row is None:
                d -= (pull.mu * pull.given)[:, None] * pull.tangent
            else:
                R[:, :, pull.row] -= (pull.mu * (sides[:, k] if pull.two_sided else 1.0))[:, None] * pull.tangent
        A, b, R = self.A[:, active], self.b[:, active], R[:, :, active]
        K = np.zeros((len(d), n + len(active), n + len(active)))
        K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = self.D, -R, A
        right = np.hstack([d, b])
        scale = np.abs(K).max(axis=2, initial=0.0)
        regular = np.isfinite(K).all(axis=(1, 2)) & (scale > 0).all(axis=1)
        scale[~regular] = 1.0
        regular[regular] = np.linalg.cond(K[regular] / scale[regular, :, None]) < 1e9
        a, nu = np.zeros((len(d), n)), np.zeros((len(d), self.laws.rows))
        found = np.linalg.solve(K[regular] / scale[regular, :, None], (right / scale)[regular][:, :, None])[:, :, 0]
        a[regular] = found[:, :n]
        nu[np.ix_(regular, active)] = found[:, n:]
        for i in np.flatnonzero(~regular).tolist():
            a[i], nu[i, active] = self.irregular(i, d[i], R[i])
        return a, nu

    def irregular(self, i: int, d: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Redundant rows: the smallest multipliers that fit."""
        if not self.pulls:
            solution = solve_accelerations(self.hybrid.system, self.X[i], self.active)
            return solution.a, solution.multipliers[self.active]
        A = self.A[i, self.active]
        K = np.block([[self.D[i], -R], [A, np.zeros((len(A), len(A)))]])
        found = np.linalg.lstsq(K, np.concatenate([d, self.b[i, self.active]]), rcond=1e-11)[0]
        return found[: len(d)], found[len(d) :]
