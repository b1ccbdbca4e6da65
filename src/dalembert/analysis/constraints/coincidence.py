"""Decides whether Chetaev's and the vakonomic model give the same motion, and for which λ₀.

    Chetaev:    Q^c = Gᵀμ         vakonomic:  Q^c = Σ λ_α E_α − Gᵀλ̇,    E_α = ∂f_α/∂q − d/dt ∂f_α/∂q̇
    equal iff   Cᵀ E λ = 0  (C: the kernel of all rows)   and then   λ̇ = (Aᵀ)⁺ E λ − μ

Along Chetaev's motion this is a linear equation for λ, so that λ(t) = Ψ(t) λ₀ + p(t). The condition at many times is
then a linear system for λ₀, with no solution, one, or a family of them. If Cᵀ E = 0 in every state, every λ₀ fits: for
integrable constraints, and for 1-homogeneous ones with a single degree of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.formalisms.vakonomic import Vakonomic
from dalembert.mechanics.algebra import ONE
from dalembert.mechanics.system import System
from dalembert.motions.accelerations import null_basis, solve_accelerations
from dalembert.programs.functions import FEW_TIMES, Function, compiled
from dalembert.programs.system import CompiledSystem

SMALL = 1e-9  # CᵀE relative to E that counts as zero
FITS = 1e-6  # CᵀEλ along a motion that counts as zero: λ is integrated by Runge and Kutta's method on the samples


@dataclass(frozen=True, slots=True)
class Fit:
    """A λ₀ for which the motions coincide, and directions in which it may change. None if no λ₀ fits."""

    multipliers: np.ndarray | None
    directions: np.ndarray
    residual: float


@dataclass(frozen=True)
class Difference:
    """E of the nonholonomic rows as compiled functions, with the compiled equations of Chetaev's model."""

    system: CompiledSystem
    bent: tuple[int, ...]  # the nonholonomic rows
    parts: Function  # rest (s × n), slope (s × n × n)

    def matrices(self, X: np.ndarray, a: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """CᵀE and (Aᵀ)⁺E of the nonholonomic rows, at every state with its acceleration."""
        n, s = self.system.n, len(self.bent)
        out = self.parts(X)
        rest, slope = out[:, : s * n].reshape(-1, s, n), out[:, s * n :].reshape(-1, s, n, n)
        E = np.swapaxes(rest + np.einsum("tsij,tj->tsi", slope, a), 1, 2)
        A = self.system.unpacked(self.system.dynamics(X))[2]
        across = [null_basis(rows).T @ e for rows, e in zip(A, E, strict=True)]
        return across, (np.linalg.pinv(np.swapaxes(A, 1, 2), rcond=1e-10) @ E)[:, list(self.bent)]

    def vanishes(self, X: np.ndarray) -> bool:
        """CᵀE = 0 at all these states."""
        for x in X:
            a = solve_accelerations(self.system, x).a
            size = max(1.0, float(np.abs(self.parts(x)).max(initial=0.0)))
            if np.abs(self.matrices(x[None], a[None])[0][0]).max(initial=0.0) > SMALL * size:
                return False
        return True


def difference(system: System, chetaev: CompiledSystem) -> Difference:
    """E_α of every nonholonomic row; `system` is numeric."""
    rows, A = system.constraints.rows, system.constraints.A
    bent = tuple(i for i, row in enumerate(rows) if row.kind != "holonomic")
    found = [Vakonomic.control_force(system, rows[i].residual, A[i], ONE) for i in bent]
    entries = [e for _, rest in found for e in rest] + [e for slope, _ in found for row in slope for e in row]
    return Difference(chetaev, bent, compiled(chetaev.equations.inputs, entries, level=FEW_TIMES))


def fitting(about: Difference, times: np.ndarray, X: np.ndarray, a: np.ndarray, mu: np.ndarray) -> Fit:
    """The λ₀ that fit along a motion. It is given at an odd number of evenly spaced times, with a and μ."""
    s = len(about.bent)
    N, P = about.matrices(X, a)
    right = -mu[:, list(about.bent)]
    Y = np.hstack([np.eye(s), np.zeros((s, 1))])
    system, target = [N[0] @ Y[:, :s]], [-(N[0] @ Y[:, s])]
    for k in range(0, len(times) - 2, 2):
        h = times[k + 2] - times[k]

        def slope(i: int, Z: np.ndarray) -> np.ndarray:
            return P[i] @ Z + np.hstack([np.zeros((s, s)), right[i][:, None]])

        k1 = slope(k, Y)
        k2 = slope(k + 1, Y + h / 2 * k1)
        k3 = slope(k + 1, Y + h / 2 * k2)
        k4 = slope(k + 2, Y + h * k3)
        Y = Y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        system.append(N[k + 2] @ Y[:, :s])
        target.append(-(N[k + 2] @ Y[:, s]))
    K, r = np.vstack(system), np.concatenate(target)
    scale = max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in (*N, P)))  # size of E
    U, sizes, V = np.linalg.svd(K / scale, full_matrices=True)
    rank = int((sizes > FITS).sum())
    found = V[:rank].T @ ((U[:, :rank].T @ (r / scale)) / sizes[:rank])
    residual = float(np.abs(K @ found - r).max(initial=0.0)) / max(scale, float(np.abs(r).max(initial=0.0)))
    fits = residual <= FITS
    return Fit(np.where(np.abs(found) < 1e-9, 0.0, found) if fits else None, V[rank:] if fits else V[:0], residual)
