"""heyoka: Taylor series of high order, compiled for one system by LLVM.

heyoka wants an explicit right-hand side, so the pendulum's mass matrix is written down and eliminated symbolically
(LDLᵀ without expansion, so that its common subexpressions stay common). Building the expressions counts as deriving.
Systems with constraints are not stated: heyoka has no elimination of its own, nor a pivoted one.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import heyoka as hy
import numpy as np

from benchmarks import systems
from benchmarks.peers import Prepared
from benchmarks.systems import FIRST_TOLERANCE, System

# heyoka caches compiled code on disk. With the cache, every run after the first would only time a look-up.
if hasattr(hy.llvm_state, "set_diskcache_enabled"):
    hy.llvm_state.set_diskcache_enabled(False)
COMPACT_FROM = 4  # unrolled code of smaller systems compiles quickly and runs faster


def prepare(system: System) -> Prepared:
    n, begin = system.links, perf_counter()
    equations = chain(n)
    middle = perf_counter()
    start = [*systems.pendulum_start(n), *[0.0] * n]
    compact = n >= COMPACT_FROM
    # the order of the series, and with it the tolerance, is compiled in
    built = {FIRST_TOLERANCE: hy.taylor_adaptive(equations, start, compact_mode=compact, tol=FIRST_TOLERANCE)}
    end = perf_counter()

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        if tolerance not in built:
            built[tolerance] = hy.taylor_adaptive(equations, start, compact_mode=compact, tol=tolerance)
        return motion(built[tolerance], start, system.duration)

    return Prepared(None, middle - begin, end - middle, integrate)


def motion(integrator: Any, start: list[float], duration: float) -> tuple[float, list[float]]:
    integrator.time = 0.0
    integrator.state[:] = start
    begin = perf_counter()
    integrator.propagate_until(duration)
    return perf_counter() - begin, [float(value) for value in integrator.state]


def reference(system: System) -> list[float]:
    """The final state in extended precision (or quadruple, where long double is only double)."""
    n = system.links
    kind = np.longdouble if np.finfo(np.longdouble).eps < 1e-18 else float
    start = [kind(value) for value in (*systems.pendulum_start(n), *[0.0] * n)]
    integrator = hy.taylor_adaptive(chain(n), start, compact_mode=True, fp_type=kind)
    integrator.propagate_until(kind(system.duration))
    return [float(value) for value in integrator.state]


def chain(n: int) -> list[tuple[Any, Any]]:
    """q̇ = u, M(q) u̇ = f(q, u) with M_ij = (n - max(i, j)) m l² cos(q_i - q_j), solved by LDLᵀ."""
    q, u = ([hy.expression(f"{letter}{i}") for i in range(n)] for letter in "qu")
    m, length, g = systems.LINK_MASS, systems.LINK_LENGTH, systems.GRAVITY
    below = [[m * length**2 * (n - max(i, j)) for j in range(n)] for i in range(n)]
    mass = [
        [below[i][j] * hy.cos(q[i] - q[j]) if i != j else hy.expression(below[i][i]) for j in range(n)]
        for i in range(n)
    ]
    force = [
        -hy.sum([below[i][j] * hy.sin(q[i] - q[j]) * u[j] ** 2.0 for j in range(n) if j != i])
        - m * g * length * (n - i) * hy.sin(q[i])
        for i in range(n)
    ]
    rates = eliminated(mass, force)
    return list(zip([*q, *u], [*u, *rates], strict=True))


def eliminated(mass: list[list[Any]], force: list[Any]) -> list[Any]:
    n = len(force)
    lower: list[list[Any]] = [[0.0] * n for _ in range(n)]
    pivots: list[Any] = []
    for j in range(n):
        terms = [lower[j][k] * lower[j][k] * pivots[k] for k in range(j)]
        pivots.append(mass[j][j] - hy.sum(terms) if terms else mass[j][j])
        for i in range(j + 1, n):
            terms = [lower[i][k] * lower[j][k] * pivots[k] for k in range(j)]
            lower[i][j] = (mass[i][j] - hy.sum(terms) if terms else mass[i][j]) / pivots[j]
    forward: list[Any] = []
    for i in range(n):
        terms = [lower[i][k] * forward[k] for k in range(i)]
        forward.append(force[i] - hy.sum(terms) if terms else force[i])
    result: list[Any] = [None] * n
    for i in reversed(range(n)):
        terms = [lower[k][i] * result[k] for k in range(i + 1, n)]
        result[i] = forward[i] / pivots[i] - hy.sum(terms) if terms else forward[i] / pivots[i]
    return result
