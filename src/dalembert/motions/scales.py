"""Natural sizes of a motion's components, so that no tolerance is a number of metres: engine/scales.hpp has their
definition, and finds them here for a state in Python."""

from __future__ import annotations

import ctypes as c

import numpy as np

from dalembert.engine import library as engine
from dalembert.programs.expressions import program
from dalembert.programs.system import CompiledSystem


def natural_sizes(system: CompiledSystem, x: np.ndarray, a: np.ndarray, duration: float) -> np.ndarray:
    """Of every component of y = (q, v, z), at the initial state x with the accelerations a."""
    size = 2 * system.n + system.k
    counts = engine.Counts(n=system.n, m=system.m, symmetric=bool(system.equations.symmetric), extra=system.k)
    angle = np.ascontiguousarray(system.once("angles", lambda: angles(system)), dtype=np.int32)
    y, F, a, out = np.array(x[1 : 1 + size]), np.array(system.dynamics(x)), np.array(a, dtype=float), np.zeros(size)
    asked = engine.Sizing(*(part.ctypes.data for part in (angle, y, F, a)), duration, out.ctypes.data)
    engine.library().dalembert_natural(c.byref(counts), c.byref(asked))
    return out


def angles(system: CompiledSystem) -> np.ndarray:
    """Which coordinates stand inside a sine or cosine of the equations of motion."""
    eq = system.equations
    expressions = [*(e for row in eq.D for e in row), *eq.d, *(e for row in eq.A for e in row), *eq.b]
    code = program(eq.inputs, expressions)
    holds: list[frozenset[int]] = []
    found: set[int] = set()
    none: frozenset[int] = frozenset()
    for operation in code.operations:
        if operation.kind == "input":
            place = operation.arguments[0] - 1
            holds.append(frozenset([place]) if 0 <= place < system.n else none)
            continue
        own = none.union(*(holds[i] for i in operation.arguments)) if operation.arguments else none
        if operation.kind in ("sin", "cos"):
            found |= own
        holds.append(own)
    marks = np.zeros(system.n, dtype=bool)
    marks[sorted(found)] = True
    return marks
