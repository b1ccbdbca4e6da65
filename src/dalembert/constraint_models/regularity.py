"""Whether a vakonomic motion is an initial value problem at a state: G of full rank, and W regular on the kernel of G.

    [W Gᵀ; G 0] [v̇; λ̇] = …,  W = M + Σ λ_α f_α,vv           regular iff rank G = r and ZᵀWZ is regular, Z = ker G

A nonholonomic row may follow from the others in every state. Then only a combination of the multipliers acts, and the
smallest rates are taken. If it follows from them in this state alone, λ̇ is undetermined, and the state is refused.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraint_models.samples import Initial, samples
from dalembert.errors import MathematicsError
from dalembert.motions.accelerations import null_basis, redundant_rows
from dalembert.programs.system import CompiledSystem

SINGULAR = 1e-10


def require_regular(system: CompiledSystem, start: Initial) -> None:
    """Refuse, with a sentence, an initial state at which the vakonomic equations are singular."""
    x = system.state(start.time, start.q, start.v, start.z)
    F = system.dynamics(x)
    if not np.isfinite(F).all():
        return  # `solve` reports which operation has no value
    W, _, G, _, _ = system.unpacked(F)
    _full_rank(system, start, G)
    Z = null_basis(G)
    T = Z.T @ W @ Z
    if not T.size:
        return
    _, sizes, directions = np.linalg.svd(T)
    if sizes[-1] > SINGULAR * max(sizes[0], np.abs(W).max(), 1e-300):
        return
    direction = Z @ directions[-1]
    direction = direction / np.abs(direction).max()
    names = [c for c, part in zip(system.equations.coordinates, direction, strict=True) if abs(part) > 1e-6]
    values = ", ".join(f"{name} = {value:.9g}" for name, value in zip(system.multiplier_names, start.z, strict=False))
    raise MathematicsError(
        "at t = {time:.9g} the vakonomic model is singular: W = M + Σ λ ∂²f/∂q'² vanishes "
        "along {names}, a direction that the constraints allow, for the multipliers {values}; "
        "give others in [multipliers]",
        time=start.time,
        names=", ".join(names),
        values=values,
    )


def _full_rank(system: CompiledSystem, start: Initial, G: np.ndarray) -> None:
    rows = system.equations.constraints
    order = [i for i, row in enumerate(rows) if row.kind == "holonomic"]
    order += [i for i, row in enumerate(rows) if row.kind != "holonomic"]
    lost = [order[k] for k in redundant_rows(G[order]) if rows[order[k]].kind != "holonomic"]
    if not lost:
        return
    rank = len(rows) - len(redundant_rows(G))
    elsewhere = [system.unpacked(system.dynamics(x))[2] for x in samples(system, start)[1:]]
    if all(len(rows) - len(redundant_rows(A)) == rank for A in elsewhere):
        return
    names = ", ".join(rows[i].name for i in lost)
    raise MathematicsError(
        "at t = {time:.9g} the vakonomic model is singular: the rate of the multiplier of "
        "{names} is not determined, since the {count} rows ∂f/∂q' have rank {rank} in this "
        "state alone; start elsewhere",
        time=start.time,
        names=names,
        count=len(rows),
        rank=rank,
    )
