"""The generalized reaction of every constraint, regarded as the control force that maintains it.

    M q̈ + h = Q + Σ Q^c                     WangGao (1)
Q^c_i = R_i ν_i + rest_i + E_i q̈       rest and E are zero except for a vakonomic motion: λ (f_q − d/dt f_q̇) − λ̇ f_q̇
"""

from __future__ import annotations

import numpy as np

from dalembert.motions.kinked import kinked
from dalembert.programs.system import CompiledSystem


def generalized_reactions(system: CompiledSystem, X: np.ndarray, a: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """The reactions at every row of X, with accelerations a and multipliers ν: samples × multipliers × coordinates."""
    n, named = system.n, len(system.multiplier_names)
    R = system.unpacked(system.dynamics(X))[4][:, :, :named]
    kinks = kinked(system)
    if kinks is not None and system.equations.R is None:
        from dalembert.motions.corners import rows_between  # which few motions need

        R = np.swapaxes(rows_between(system, kinks, X, a, nu), 1, 2)[:, :, :named]
    found = np.swapaxes(R * nu[:, None, :named], 1, 2)
    if not named or (system.equations.reaction_rest is None and system.equations.reaction_slope is None):
        return found
    parts = system.reaction_parts(X)
    rest = parts[:, : n * named].reshape(-1, n, named)
    slope = parts[:, n * named :].reshape(-1, named, n, n)
    return found + np.swapaxes(rest, 1, 2) + np.einsum("sijk,sk->sij", slope, a)
