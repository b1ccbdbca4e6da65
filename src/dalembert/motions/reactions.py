"""The generalized reaction of every constraint, regarded as the control force that maintains it.

    M q̈ + h = Q + Σ Q^c                     WangGao (1)
Q^c_i = R_i ν_i + rest_i + E_i q̈       rest and E are zero except for a vakonomic motion: λ (f_q − d/dt f_q̇) − λ̇ f_q̇

In its corner, a row of a constraint lies between the normals of both sides, as the reaction there does:
    D a = d + Aᵀν + w (Δd + ΔAᵀν)     w in [0, 1] where a motion rests at a kink or slides along it (branches.hpp)
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.kinked import Kinked, kinked
from dalembert.programs.system import CompiledSystem

CLEARLY = 1e-7  # of the forces: a larger residual on one side of a kink is significant


def generalized_reactions(
    system: CompiledSystem, X: np.ndarray, a: np.ndarray, nu: np.ndarray, F: np.ndarray
) -> np.ndarray:
    """The reactions at every row of X, with accelerations a, multipliers ν and values F of the dynamics: samples ×
    multipliers × coordinates.
    """
    n, named = system.n, len(system.multiplier_names)
    R = system.unpacked(F)[4][:, :, :named]
    kinks = kinked(system)
    if kinks is not None and system.equations.R is None:
        R = np.swapaxes(rows_between(system, kinks, X, a, nu), 1, 2)[:, :, :named]
    found = np.swapaxes(R * nu[:, None, :named], 1, 2)
    if not named or (system.equations.reaction_rest is None and system.equations.reaction_slope is None):
        return found
    parts = system.reaction_parts(X)
    rest = parts[:, : n * named].reshape(-1, n, named)
    slope = parts[:, n * named :].reshape(-1, named, n, n)
    return found + np.swapaxes(rest, 1, 2) + np.einsum("sijk,sk->sij", slope, a)


def rows_between(
    system: CompiledSystem, kinks: Kinked | None, X: np.ndarray, a: np.ndarray, nu: np.ndarray
) -> np.ndarray:
    """A at every row of X, samples × rows × coordinates; `nu` are the multipliers of its rows."""
    D, d, A, *_ = system.unpacked(system.dynamics(X))
    if kinks is None or not A.shape[1]:
        return A
    missing = np.einsum("sij,sj->si", D, a) - d - np.einsum("sri,sr->si", A, nu)
    size = np.abs(d).max(axis=1, initial=0.0) + np.abs(nu).max(axis=1, initial=0.0)
    for i in np.flatnonzero(np.abs(missing).max(axis=1, initial=0.0) > CLEARLY * size):
        A[i] = _between(kinks, X[i], a[i], nu[i])
    return A


def _between(kinks: Kinked, x: np.ndarray, a: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """A at x. The kink nearest to its zero is the one that holds."""
    sides, first = np.ones(kinks.branches), len(x)
    whole = np.concatenate([x, sides])
    for _ in range(2):  # kinks inside of kinks
        guards = np.array([kinks.rows(whole)[place * (len(a) + 3)] for place in range(len(kinks.kinks))])
        for kink, guard in zip(kinks.kinks, guards, strict=True):
            whole[first + kink.branch] = 1.0 if guard >= 0 else -1.0
    at = first + kinks.kinks[int(np.abs(guards).argmin())].branch
    whole[at] = -1.0
    D, d, A, *_ = kinks.system.unpacked(kinks.system.dynamics(whole))
    whole[at] = 1.0
    _, d_plus, A_plus, *_ = kinks.system.unpacked(kinks.system.dynamics(whole))
    change = d_plus - d + (A_plus - A).T @ nu
    weight = change @ (D @ a - d - A.T @ nu) / max(change @ change, 1e-300)
    return A + np.clip(weight, 0.0, 1.0) * (A_plus - A)
