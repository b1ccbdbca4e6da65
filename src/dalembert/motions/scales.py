"""Natural sizes of a motion's components, so that no tolerance is a number of metres.

An angle (what turns a body, or stands inside a sine or cosine) has the natural size 1. All others share one length L:
the largest of |q|, and of the radius of gyration √(I/m) between angles and lengths. A model at rest at its origin has
none of them; then |v| T and |a| T² count, T the duration. Speeds have the size of a coordinate times one rate ω, the
largest of |v|/L, √(|a|/L) and, if the system is at rest, 1/T. A first-order state has its own size at the start, or
|ṡ|/ω. The same problem in other units has the same sizes in those units.
"""

from __future__ import annotations

import numpy as np

from dalembert.programs.expressions import program
from dalembert.programs.system import CompiledSystem

HELD_STILL = 1e-9  # of the free acceleration: where reactions hold all still, less is rounding


def natural_sizes(system: CompiledSystem, x: np.ndarray, a: np.ndarray, duration: float) -> np.ndarray:
    """Of every component of y = (q, v, z, s), at the initial state x with the accelerations a."""
    n = system.n
    v = np.abs(x[1 + n : 1 + 2 * n])
    if a.any():
        a = np.where(np.abs(a) <= HELD_STILL * _free_acceleration(system, x), 0.0, a)
    angle = system.once("angles", lambda: angles(system))
    size = np.ones(n)
    if not angle.all():
        size[~angle] = _length(system, x, np.abs(a), duration)
    rates = np.concatenate([v / size, np.sqrt(np.abs(a) / size)])
    rate = float(rates[np.isfinite(rates)].max(initial=0.0))
    if not rate > 0.0:
        rate = 1.0 / duration if duration > 0.0 else 1.0
    z, s = np.split(np.abs(x[1 + 2 * n : 1 + system.size]), [system.k])
    if system.s:
        s = np.where(s > 0.0, s, np.abs(system.rates(x)) / rate)
        s = np.where(np.isfinite(s) & (s > 0.0), s, 1.0)
    return np.concatenate([np.maximum(size, 1e-300), rate * np.maximum(size, 1e-300), np.maximum(z, 1.0), s])


def _free_acceleration(system: CompiledSystem, x: np.ndarray) -> float:
    """The largest |d_i| / D_ii: what forces alone would do."""
    D, d, *_ = system.unpacked(system.dynamics(x))
    inertia = np.diag(D)
    counts = inertia > 0.0
    return float((np.abs(d[counts]) / inertia[counts]).max(initial=0.0))


def _length(system: CompiledSystem, x: np.ndarray, a: np.ndarray, duration: float) -> float:
    n = system.n
    angle = system.once("angles", lambda: angles(system))
    q, v = np.abs(x[1 : 1 + n])[~angle], np.abs(x[1 + n : 1 + 2 * n])[~angle]
    inertia = np.abs(np.diag(system.unpacked(system.dynamics(x))[0]))
    mass = float(inertia[~angle].max(initial=0.0))
    found = [float(q.max(initial=0.0))]
    if mass > 0.0:
        found.append(float(np.sqrt(inertia[angle].max(initial=0.0) / mass)))
    found = [one for one in found if np.isfinite(one) and one > 0.0]
    if not found:
        found = [float(one) for one in (v.max() * duration, a[~angle].max() * duration**2) if 0.0 < one < np.inf]
    return max(found, default=1.0)


def angles(system: CompiledSystem) -> np.ndarray:
    """Which coordinates turn something, or stand inside a sine or cosine of the equations of motion."""
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
    marks = np.array([name in eq.angles for name in eq.coordinates], dtype=bool)
    marks[sorted(found)] = True
    return marks
