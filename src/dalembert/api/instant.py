"""The answer of `solve`: accelerations, multipliers and reactions at the initial state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dalembert.formalisms.base import selected
from dalembert.model.record import Model
from dalembert.motions.accelerations import Solution, solve_accelerations
from dalembert.motions.reactions import generalized_reactions
from dalembert.prepared import Start, prepare
from dalembert.programs.system import CompiledSystem
from dalembert.results.state import State


def solve(
    record: Model, method: str | None = None, reactions: Iterable[str] | None = None, strict: bool = False
) -> State:
    """Accelerations, multipliers and reactions at the initial state."""
    start = prepare(record, method, strict, often=False)
    if start.hybrid is not None:
        from dalembert.api.unilateral import solve_touching

        return solve_touching(start, start.hybrid, reactions)
    system, names = start.system, start.system.equations.coordinates
    chosen = selected(system.multiplier_names, None if reactions is None else list(reactions))
    wanted = {name: system.multiplier_names.index(name) for name in chosen}
    solution = solve_accelerations(system, start.x)
    forces = generalized_reactions(system, start.x[None], solution.a[None], solution.multipliers[None])[0]
    kinetic, potential = system.outputs(start.x)[:2].tolist()
    multipliers = reported_multipliers(system, solution.multipliers, start.z)
    return State(
        method=system.equations.method,
        time=start.time,
        coordinates=named_numbers(names, start.q),
        speeds=named_numbers(names, start.v),
        accelerations=named_numbers(names, solution.a),
        multipliers={name: float(multipliers[i]) for name, i in wanted.items()},
        reactions={name: named_numbers(names, forces[i]) for name, i in wanted.items()},
        energy={"kinetic": kinetic, "potential": potential, "total": kinetic + potential},
        degrees_of_freedom=solution.degrees_of_freedom,
        corrections=start.corrections,
        notes=(*start.notes, *redundancy_notes(solution.redundant), *route_notes(start, solution)),
        title=record.title,
        units=units(record),
    )


def reported_multipliers(system: CompiledSystem, nu: np.ndarray, z: np.ndarray) -> np.ndarray:
    """λ: the extra states where the method integrates them (vakonomic), ν otherwise; last axis over the multipliers."""
    return np.concatenate([z, nu[..., system.k :]], axis=-1) if system.k else nu


def route_notes(start: Start, solution: Solution) -> tuple[str, ...]:
    if solution.own_way:
        return ()
    route = start.system.equations.route
    return (f"The {route} route loses its accuracy at this state; the accelerations are those of the elimination.",)


def redundancy_notes(redundant: Sequence[str]) -> tuple[str, ...]:
    if not redundant:
        return ()
    names = ", ".join(redundant)
    return (f"Redundant at the initial state: {names}; of all multipliers that fit, the smallest are reported.",)


def units(record: Model) -> dict[str, str]:
    return {name: coordinate.unit for name, coordinate in record.coordinates.items() if coordinate.unit}


def named_numbers(names: Iterable[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
