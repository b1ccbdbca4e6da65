"""From a model's record to a compiled system at a consistent initial state, and to the answer of `solve`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from dalembert.compile.functions import FEW_TIMES, OFTEN
from dalembert.compile.system import CompiledSystem, compile_equations
from dalembert.formalisms import derive
from dalembert.formalisms.base import selected
from dalembert.model.record import Model
from dalembert.model.values import at_start, initial_values
from dalembert.results.state import State
from dalembert.simulate.accelerations import Solution, solve_accelerations
from dalembert.simulate.initial import Correction, consistent
from dalembert.simulate.reactions import generalized_reactions
from dalembert.simulate.unilateral import HybridSystem


@dataclass(frozen=True, slots=True)
class Start:
    """A compiled system at its consistent initial state."""

    record: Model
    system: CompiledSystem
    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    changes: tuple[Correction, ...]
    seconds: Mapping[str, float]  # derive, compile
    hybrid: HybridSystem | None = None  # the same with contacts and frictions, where there are any

    @property
    def x(self) -> np.ndarray:
        return self.system.state(self.time, self.q, self.v, self.z)

    @property
    def corrections(self) -> tuple[dict, ...]:
        return tuple(asdict(change) for change in self.changes)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.system.equations.notes, *(f"{change}." for change in self.changes))


def prepare(
    record: Model, method: str | None = None, strict: bool = False, often: bool = True, whole: bool = True
) -> Start:
    """Derive with numbers for parameters, compile, and make the initial state consistent.

    `often` says that the functions will be called many times, and are worth optimizing; `whole` asks that the equations
    determine the motion: hidden constraints are added, and a singular model of constraint is refused.
    """
    began = perf_counter()
    equations = derive(record, method, numeric=True)
    derived = perf_counter()
    level = OFTEN if often else FEW_TIMES
    system = compile_equations(equations, level=level)
    hybrid = None if equations.unilateral is None else HybridSystem(equations, level)
    _ = system.dynamics if hybrid is None else hybrid.system.dynamics
    seconds = {"derive": derived - began, "compile": perf_counter() - derived}
    values = initial_values(record)
    names = equations.coordinates
    q = np.array([values.coordinates[name] for name in names])
    given = np.array([values.speeds[name] is not None for name in names])
    v = np.array([values.speeds[name] or 0.0 for name in names])
    z = _extra_states(record, system)
    time = float(record.simulation.start)
    if whole and equations.method == "virtual-displacements":
        from dalembert.constraint_models.hidden import Initial, with_hidden

        system = with_hidden(system, Initial(time, q, v, given), lambda: derive(record, method))
    stated = v
    q, v, changes = consistent(system, q, stated, given, strict, time, z)
    kept = None if hybrid is None else hybrid.checked(system.state(time, q, v))
    if kept is not None:  # frictions hold rows from the start
        moved = [change for change in changes if not change.quantity.endswith("'")]
        _, v, changes = consistent(kept, q, stated, given, strict, time)
        changes = [*moved, *changes]
    if whole and system.k:
        from dalembert.constraint_models.regularity import Initial, require_regular

        require_regular(system, Initial(time, q, v, given, z))
    return Start(record, system, time, q, v, z, tuple(changes), seconds, hybrid)


def _extra_states(record: Model, system: CompiledSystem) -> np.ndarray:
    """The initial multipliers of a vakonomic motion; zero where none is given."""
    if not system.k:
        return np.zeros(0)
    given, start = record.multipliers, at_start(record)
    names = system.multiplier_names[: system.k]
    return np.array([start.number(given[name]) if name in given else 0.0 for name in names])


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
