"""SymPy's equations, lambdify(cse=True), SciPy's DOP853."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sm
from scipy.integrate import solve_ivp

from benchmarks.peers import Prepared, each, sympy_models
from benchmarks.systems import System


def prepare(system: System) -> Prepared:
    begin = perf_counter()
    statement = sympy_models.state(system)
    middle = perf_counter()
    slope = compiled(statement)
    end = perf_counter()
    first = np.array(statement.start)
    return Prepared(
        statement.stated - begin,
        middle - statement.stated,
        end - middle,
        scipy_motion(slope, first, system.duration, statement.picks),
        lambda count: each(lambda: slope(0.0, first), count),
    )


def compiled(statement: sympy_models.Statement) -> Callable[[float, Any], Any]:
    """ẋ(t, x) from M and f: lambdified once, the linear system solved by LAPACK at every evaluation."""
    symbols = [parameter for parameter, _ in statement.parameters]
    values = [value for _, value in statement.parameters]
    plain = [sm.Dummy() for _ in (*statement.q, *statement.u)]
    # u first: where speeds are derivatives of q, replacing q would reach into them
    swap = dict(zip([*statement.u, *statement.q], plain[len(statement.q) :] + plain[: len(statement.q)], strict=True))
    mass, forcing = sm.Matrix(statement.mass).xreplace(swap), sm.Matrix(statement.forcing).xreplace(swap)
    function = sm.lambdify([*plain, *symbols], [mass, forcing], modules="numpy", cse=True)
    n, speeds = len(statement.q), list(statement.u)
    where = np.array([n + speeds.index(rate) for rate in statement.rates])
    count = len(speeds)

    def slope(t: float, x: Any) -> Any:
        left, right = function(*x, *values)
        return np.concatenate((x[where], np.linalg.solve(left, right)[:count, 0]))

    return slope


def scipy_motion(
    slope: Callable[[float, Any], Any], first: Any, duration: float, picks: Any
) -> Callable[[float], tuple[float, list[float]]]:
    """The motion by DOP853, as a function of the tolerance."""

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        begin = perf_counter()
        motion = solve_ivp(slope, (0.0, duration), first, method="DOP853", rtol=tolerance, atol=tolerance)
        return perf_counter() - begin, [float(motion.y[k, -1]) for k in picks]

    return integrate
