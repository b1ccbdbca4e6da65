"""The auxiliary system of the whole-course description, in numbers (ZhangMei (3.1)–(3.3)).

    state Y = (q*, π*),  s = sgn q₁* and σ = sgn q̇₁ frozen:
    q₁ = s q₁*,   ψ_gap = s (1 − kσ) π₁*,   ψ_reversed = s (1 − kθ) π*,   ψ_B = π*,   Zᵀ D q̇ = π*
    RHS* = s^V ∘ RHS

k = (1 − e)/(1 + e): Ivanov's substitution, trivial for e = 1. Other reversed rates need a factor that is 1 ± k at the
impact and continuous in flight: θ = q̇₁/√(q̇₁² + 2α q₁), in a fall with the acceleration α linear in time.
"""

from __future__ import annotations

import numpy as np

from dalembert.language import tr
from dalembert.mechanics.whole_course import auxiliary
from dalembert.motions.accelerations import redundant_rows
from dalembert.motions.routes import pivoted, solved
from dalembert.motions.unilateral import HybridSystem
from dalembert.motions.whole_course.modes import Fails, Modes
from dalembert.programs.modes import STICK

WORN = 30.0  # largest accepted entry of Z; complete pivoting leaves entries near one


class AuxiliarySystem:
    """Only s, σ, the kept rows, and the columns that Z is solved for change between events."""

    def __init__(self, hybrid_system: HybridSystem, modes: Modes, restitution: float):
        eq, self.system, self.modes = hybrid_system.equations, hybrid_system.system, modes
        self.parts = auxiliary(eq)
        flat = [e for matrix in (self.parts.A, self.parts.D) for row in matrix for e in row]
        rates = [e for matrix in (self.parts.A_rate, self.parts.D_rate) for row in matrix for e in row]
        self._place = self.system.compiled("course place", lambda: [self.parts.factor, self.parts.rest])
        self._matrices = self.system.compiled("course matrices", lambda: [*self.parts.offset, *flat])
        self._rates = self.system.compiled("course rates", lambda: rates)
        self.n, self.count = self.system.n, len(self.parts.rows)
        self.first = len(self.parts.reversed_rows)
        self.k = (1.0 - restitution) / (1.0 + restitution)
        self.s, self.sigma, self.alpha = 1.0, -1.0, 1.0
        self.rolling = False
        self.failure = ""  # sentence of the last slope that could not be computed
        self.kept: list[int] = []  # indices among the rows, the reversed ones first
        self.dependent: list[int] = []
        self.free: list[int] = list(range(self.n))

    def x(self, t: float, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        return np.concatenate([[t], q, np.zeros(self.n) if v is None else v, self.system.parameters])

    def choose(self, t: float, q: np.ndarray, rolling: bool = False) -> None:
        """Choose independent rows, and pivots for Z. They only rename the same motion, so nothing jumps.

        With `rolling`, the rows of rolling contacts are among those that an impact keeps.
        """
        _, A, _ = self.matrices(t, q)
        self.rolling = rolling
        at = self.first + len(self.parts.kept_rows)
        places = list(range(self.first, at))
        for j, rows in self.parts.rolling_rows.items():
            places += range(at, at + len(rows)) if rolling and self.modes.friction(j) == STICK else ()
            at += len(rows)
        order = [*places, *range(self.first)]
        redundant = {order[i] for i in redundant_rows(A[order])} if order else set()
        if any(i < self.first for i in redundant):
            name = self.system.equations.unilateral.contacts[0].name  # type: ignore[union-attr]
            raise Fails(
                tr(
                    "at t = {t:.9g} the contact {name} contradicts the constraints: they leave it no motion; "
                    "leave one of them out",
                    t=t,
                    name=name,
                )
            )
        self.kept = [*range(self.first), *(i for i in places if i not in redundant)]
        self.dependent = pivoted(A[self.kept])[1]
        self.free = [j for j in range(self.n) if j not in self.dependent]

    def matrices(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ψ at q̇ = 0, the rows A, and D."""
        out, m, n = self._matrices(self.x(t, q)), self.count, self.n
        return out[:m], out[m : m + m * n].reshape(m, n), out[m + m * n :].reshape(n, n)

    def null_space(self, C: np.ndarray) -> np.ndarray:
        """Z with Z[free] = I."""
        Z = np.zeros((self.n, len(self.free)))
        Z[self.free] = np.eye(len(self.free))
        Z[self.dependent] = -solved(C[:, self.dependent], C[:, self.free])
        return Z

    def worn(self, t: float, q: np.ndarray) -> bool:
        """Whether other pivots would now be much better."""
        C = self.matrices(t, q)[1][self.kept]
        return bool(np.abs(self.null_space(C)).max(initial=0.0) > WORN)

    def factors(self, gap: float, rate: float) -> np.ndarray:
        """1 − kθ for the rows that are reversed with the gap, or NaN if a step went too far beyond the impact."""
        if self.first == 1 or self.k == 0.0:
            return np.ones(self.first - 1)
        square = rate**2 + 2.0 * self.alpha * gap
        theta = rate / np.sqrt(square) if square > 0.0 else np.nan
        return np.full(self.first - 1, 1.0 - self.k * theta)

    def position(self, t: float, Y: np.ndarray) -> tuple[np.ndarray, float]:
        """q, and q₁."""
        q, gap = Y[: self.n].copy(), self.s * Y[self.parts.place]
        factor, rest = self._place(self.x(t, q))
        q[self.parts.place] = (gap - rest) / factor
        return q, gap

    def decoded(self, t: float, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and q̇."""
        q, gap = self.position(t, Y)
        offset, A, D = self.matrices(t, q)
        return q, self._speeds(Y, gap, offset[self.kept], A[self.kept], D)[0]

    def _speeds(
        self, Y: np.ndarray, gap: float, offset: np.ndarray, C: np.ndarray, D: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q̇, Z, and the factors of the reversed rows."""
        pi = Y[self.n :].copy()
        pi[0] *= self.s * (1.0 - self.k * self.sigma)
        factors = self.factors(gap, pi[0])
        pi[1 : self.first] *= self.s * factors
        pi[: len(C)] -= offset
        Z = self.null_space(C)
        return solved(np.vstack([C, Z.T @ D]), pi), Z, factors

    def encoded(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Y, with the present s and σ."""
        factor, rest = self._place(self.x(t, q))
        gap = float(factor * q[self.parts.place] + rest)
        offset, A, D = self.matrices(t, q)
        C = A[self.kept]
        psi = C @ v + offset[self.kept]
        psi[1 : self.first] *= self.s / self.factors(gap, psi[0])
        psi[0] *= self.s / (1.0 - self.k * self.sigma)
        positions = q.copy()
        positions[self.parts.place] = self.s * gap
        return np.concatenate([positions, psi, self.null_space(C).T @ (D @ v)])

    def slope(self, t: float, Y: np.ndarray) -> np.ndarray:
        """RHS* = s^V ∘ RHS, or NaN if it does not exist; steppers then shorten the step."""
        n, m = self.n, len(self.kept)
        if not np.all(np.isfinite(Y)):
            return np.full(2 * n, np.nan)
        q, gap = self.position(t, Y)
        offset, A, D = self.matrices(t, q)
        C = A[self.kept]
        v, Z, factors = self._speeds(Y, gap, offset[self.kept], C, D)
        if not np.all(np.isfinite(v)):
            return np.full(2 * n, np.nan)
        x = self.x(t, q, v)
        try:
            a, _, b = self.modes.accelerations(x)
        except Fails as failure:
            self.failure = str(failure)
            return np.full(2 * n, np.nan)
        rates = self._rates(x)
        C_rate = rates[: self.count * n].reshape(self.count, n)[self.kept]
        D_rate = rates[self.count * n :].reshape(n, n)
        Z_rate = np.zeros_like(Z)  # C Ż = −Ċ Z
        Z_rate[self.dependent] = -solved(C[:, self.dependent], C_rate @ Z)
        psi_rate = C @ a - b[[self.parts.rows[i] for i in self.kept]]
        rate = float(C[0] @ v + offset[0])
        out = np.concatenate([v, np.zeros(n)])
        out[self.parts.place] = self.s * rate
        out[n] = self.s * psi_rate[0] / (1.0 - self.k * self.sigma)
        theta_rate = self._theta_rate(gap, rate, float(psi_rate[0]))
        own = Y[n + 1 : n + self.first]
        out[n + 1 : n + self.first] = (self.s * psi_rate[1 : self.first] + self.k * theta_rate * own) / factors
        out[n + self.first : n + m] = psi_rate[self.first :]
        out[n + m :] = Z_rate.T @ (D @ v) + Z.T @ (D_rate @ v + D @ a)
        return out

    def _theta_rate(self, gap: float, rate: float, acceleration: float) -> float:
        if self.first == 1 or self.k == 0.0:
            return 0.0
        length = np.sqrt(rate**2 + 2.0 * self.alpha * gap)
        return self.alpha * (2.0 * gap * acceleration - rate**2) / length**3
