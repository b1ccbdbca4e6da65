"""PyDy: KanesMethod's equations as generated C, built by Cython and the system's compiler; SciPy's DOP853."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import sympy as sm
from pydy.codegen.ode_function_generators import generate_ode_function

from benchmarks.peers import Prepared, each, sympy_models
from benchmarks.peers.sympy_scipy import scipy_motion
from benchmarks.systems import System


def prepare(system: System) -> Prepared:
    begin = perf_counter()
    statement = sympy_models.state(system)
    middle = perf_counter()
    symbols = [symbol for symbol, _ in statement.parameters]
    values = np.array([value for _, value in statement.parameters])
    function = generate_ode_function(
        statement.forcing,
        list(statement.q),
        list(statement.u),
        symbols,
        mass_matrix=statement.mass,
        coordinate_derivatives=sm.Matrix(list(statement.rates)),
        generator="cython",
        constants_arg_type="array",
        time_first=True,
    )
    end = perf_counter()
    first = np.array(statement.start)

    def slope(t: float, x: Any) -> Any:
        return function(t, x, values).copy()  # its result is a buffer that the next call overwrites

    return Prepared(
        statement.stated - begin,
        middle - statement.stated,
        end - middle,
        scipy_motion(slope, first, system.duration, statement.picks),
        lambda count: each(lambda: slope(0.0, first), count),
    )
