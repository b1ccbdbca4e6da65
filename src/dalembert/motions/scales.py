"""Natural sizes of a motion's components, so that no tolerance depends on units. engine/scales.hpp defines them; here
they are computed for a state in Python.
"""

from __future__ import annotations

import ctypes as c

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.library import library
from dalembert.programs.system import CompiledSystem


def natural_sizes(system: CompiledSystem, x: np.ndarray, a: np.ndarray, duration: float) -> np.ndarray:
    """The natural size of every component of y = (q, v, z, s), at the initial state x with accelerations a."""
    symmetric = bool(system.equations.symmetric)
    counts = engine.Counts(n=system.n, m=system.m, symmetric=symmetric, extra=system.k, states=system.s)
    F, rates = np.array(system.dynamics(x)), np.array(system.rates(x) if system.s else ())
    y, a, out = np.array(x[1 : 1 + system.size]), np.array(a, dtype=float), np.zeros(system.size)
    asked = engine.Sizing(*(part.ctypes.data for part in (angles(system), y, F, rates, a)), duration, out.ctypes.data)
    library().dalembert_sizes(c.byref(counts), c.byref(asked))
    return out


def angles(system: CompiledSystem) -> np.ndarray:
    """Marks the coordinates that turn something, or occur inside a sine or cosine of the equations of motion."""
    return system.once("angles", lambda: _angles(system))


def _angles(system: CompiledSystem) -> np.ndarray:
    eq = system.equations
    holds: list[frozenset[int]] = []
    found: set[int] = set()
    none: frozenset[int] = frozenset()
    for operation in system.dynamics.program.operations:
        if operation.kind == "input":
            place = operation.arguments[0] - 1
            holds.append(frozenset([place]) if 0 <= place < system.n else none)
            continue
        own = none.union(*(holds[i] for i in operation.arguments)) if operation.arguments else none
        if operation.kind in ("sin", "cos"):
            found |= own
        holds.append(own)
    marks = np.array([name in eq.angles for name in eq.coordinates], dtype=np.int32)
    marks[sorted(found)] = 1
    return marks
