"""Accelerations, multipliers and residuals at many states at once."""

from __future__ import annotations

import numpy as np

from dalembert.engine.interface import Status
from dalembert.errors import MathematicsError
from dalembert.motions.accelerations import explained, solved
from dalembert.programs.system import CompiledSystem


def accelerations(system: CompiledSystem, X: np.ndarray, F: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and ν at every row of X. Raise MathematicsError with a sentence if a state has no unique q̈.

    `F` are the values of the dynamics there, if they are known.
    """
    found = solved(system, X, system.dynamics(X) if F is None else F)
    for i in np.flatnonzero(found.status != Status.DONE):
        raise MathematicsError(explained(system, X[i], int(found.status[i]), int(found.row[i])))
    return found.a, found.nu


def residuals(system: CompiledSystem, X: np.ndarray) -> dict[str, np.ndarray]:
    """The residual of every constraint as the model states it: φ of holonomic rows, f of the others."""
    rows = system.equations.constraints
    phi = iter(system.position(X)[:, : system.mh].T) if system.mh else iter(())
    psi = system.velocity(X)[:, : system.m].T if system.m else ()
    return {row.name: next(phi) if row.kind == "holonomic" else f for row, f in zip(rows, psi, strict=True)}
