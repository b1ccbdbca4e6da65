"""Many motions as a user would write them: SymPy's equations, lambdify(cse=True), SciPy's DOP853, joblib on all cores.

The seconds are those of one motion on one core: of a part of the motions, with the processes started before, times the
cores.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import joblib
from scipy.integrate import solve_ivp

from benchmarks import systems
from benchmarks.peers import Prepared, sympy_models
from benchmarks.peers.sympy_scipy import compiled
from benchmarks.systems import System


def prepare(system: System) -> Prepared:
    one, angle, _, _ = systems.MANY[system.key]
    statement = sympy_models.state(systems.system(one))
    slope = compiled(statement)
    place = systems.system(one).compared.index(angle)
    starts = []
    for value in systems.varied(system.key)[:: systems.EVERY]:
        start = list(statement.start)
        start[place] = value
        starts.append(start)
    cores = joblib.cpu_count()
    pool = joblib.Parallel(n_jobs=cores)
    picks = list(statement.picks)
    pool(joblib.delayed(motion)(slope, start, 0.01, 1e-6, picks) for start in starts)

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        begin = perf_counter()
        found = pool(joblib.delayed(motion)(slope, start, system.duration, tolerance, picks) for start in starts)
        return (perf_counter() - begin) * cores / len(starts), [value for state in found for value in state]

    return Prepared(None, None, None, integrate)


def motion(slope: Any, start: list[float], duration: float, tolerance: float, picks: list[int]) -> list[float]:
    found = solve_ivp(slope, (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance)
    return [float(found.y[k, -1]) for k in picks]


def warm() -> None:
    """Its processes are started by `prepare`."""
