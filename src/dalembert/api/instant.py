"""`solve`: accelerations, multipliers and reactions at the initial state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import symengine as se

from dalembert.api.redundancy import redundancy_notes
from dalembert.api.released import question, release, rows_of, with_loads
from dalembert.equations import Equations
from dalembert.formalisms.base import selected
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.model.units import scales, stated_units
from dalembert.motions.accelerations import Solution, redundant_rows, solve_accelerations
from dalembert.motions.kinked import kinked
from dalembert.motions.one import between_sides
from dalembert.motions.reactions import generalized_reactions
from dalembert.prepared import Start, prepare
from dalembert.programs.functions import Function, compiled
from dalembert.programs.system import CompiledSystem
from dalembert.results.release import Release
from dalembert.results.state import State


def solve(
    record: ModelRecord, method: str | None = None, reactions: Iterable[str] | None = None, strict: bool = False
) -> State:
    """Accelerations, multipliers and reactions at the initial state."""
    reactions = None if reactions is None else list(reactions)
    start = prepare(with_loads(record, reactions or ()), method, strict, often=False)
    if start.hybrid is not None:
        from dalembert.api.unilateral import solve_touching

        return solve_touching(start, start.hybrid, reactions)
    system, names = start.system, start.system.equations.coordinates
    chosen = selected(system.multiplier_names, reactions)
    wanted = {name: system.multiplier_names.index(name) for name in chosen}
    solution, at_kink, freed = _solved(system, start.x, None if reactions is None else chosen)
    x = start.x[None]
    forces = generalized_reactions(system, x, solution.a[None], solution.multipliers[None], system.dynamics(x))[0]
    kinetic, potential = system.outputs(start.x)[:2].tolist()
    multipliers = reported_multipliers(system, solution.multipliers, start.z[: system.k])
    by_name = dict(zip(system.multiplier_names, multipliers.tolist(), strict=False))  # hidden rows have no multiplier
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
        notes=(*start.notes, *_redundancy(system, start.x, solution), *route_notes(start, solution), *at_kink),
        title=tr(record.title),
        **units(record),
        outputs=outputs(system.equations, start.x, solution.a, by_name),
        **carried(start),
        released=freed,
    )


def _solved(
    system: CompiledSystem, x: np.ndarray, asked: Sequence[str] | None
) -> tuple[Solution, tuple[str, ...], Release | None]:
    """The solution at x, notes on it, and how the reactions asked for were found. Those alone are solved for, unless
    they take all rows or a kink is near.
    """
    if asked is None:
        return *between_sides(system, x, solve_accelerations(system, x)), None
    rows, places = rows_of(system, x[None]), {name: i for i, name in enumerate(system.multiplier_names)}
    names = question(system.equations, system.multiplier_names, asked)
    a, nu, freed = np.zeros((1, system.n)), np.zeros((1, system.reactions)), None
    if kinked(system) is None:
        freed, left = release(rows, a, nu, places, names, known=False)
        if freed is not None and not left[0]:
            found = rows(0)[0]
            redundant = tuple(system.equations.constraints[i].name for i in redundant_rows(found.A))
            free = freed.size - len(names)
            return Solution(a[0], nu[0], (found.R * nu[0]).T, redundant, system.n - free, free), (), freed
    solution, at_kink = between_sides(system, x, solve_accelerations(system, x))
    if kinked(system) is None:
        return solution, at_kink, freed
    nu = solution.multipliers[None].copy()
    freed, _ = release(rows, solution.a[None], nu, places, names)
    return replace(solution, multipliers=nu[0]), at_kink, freed


def _redundancy(system: CompiledSystem, x: np.ndarray, solution: Solution) -> tuple[str, ...]:
    if not solution.redundant:
        return ()
    return redundancy_notes(solution.redundant, rows_of(system, x[None])(0)[0].R, system.multiplier_names)


def carried(start: Start) -> dict[str, Any]:
    """First-order states, and inputs (data and values held by controllers), at the start."""
    equations = start.system.equations
    values = dict(zip(equations.inputs, start.x.tolist(), strict=True))
    found: dict[str, dict[str, float]] = {"states": {}, "inputs": {}}
    for symbol in equations.varying:
        found["states" if symbol in equations.states else "inputs"][str(symbol)] = values[symbol]
    return found


def outputs(equations: Equations, x: np.ndarray, a: np.ndarray, multipliers: Mapping[str, float]) -> dict[str, float]:
    """The outputs of one state, from its accelerations and multipliers."""
    found = measured(equations, x[None], a[None], {name: np.array([value]) for name, value in multipliers.items()})
    return {name: float(values[0]) for name, values in found.items()}


def measured(
    equations: Equations, X: np.ndarray, a: np.ndarray, multipliers: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The outputs at states, with one row of X and of a for each."""
    if not equations.measured:
        return {}
    symbols = [*equations.inputs, *(se.Symbol(f"{q}''") for q in equations.coordinates)]
    symbols += [se.Symbol(f"lambda.{name}") for name in multipliers]
    function = _measuring(tuple(symbols), tuple(equations.measured.values()))
    values = function(np.column_stack([X, a, *multipliers.values()]))
    return {name: values[:, i] for i, name in enumerate(equations.measured)}


@lru_cache(maxsize=16)
def _measuring(symbols: tuple[Any, ...], outputs: tuple[Any, ...]) -> Function:
    """The function for outputs, made once: every motion of a dragged slider needs it."""
    return compiled(symbols, outputs, backend="numpy")


def reported_multipliers(system: CompiledSystem, nu: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The multipliers to report: the extra states of a vakonomic method, else ν. The last axis runs over names."""
    return np.concatenate([z, nu[..., system.k :]], axis=-1) if system.k else nu


def route_notes(start: Start, solution: Solution) -> tuple[str, ...]:
    if solution.own_way:
        return ()
    route = start.system.equations.route
    return (
        tr(
            "The {route} route loses its accuracy at this state; the accelerations are those of the elimination.",
            route=route,
        ),
    )


def units(record: ModelRecord) -> dict[str, Any]:
    """The units of an answer as the model states them, and their scales."""
    return {"units": stated_units(record), "scales": scales(record)}


def named_numbers(names: Iterable[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
