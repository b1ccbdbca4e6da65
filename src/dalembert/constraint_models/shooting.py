"""The vakonomic boundary value problem: from q₀ at t₀ to a given configuration at t₁, by multiple shooting.

    unknowns:  v₀ with ψ(q₀, v₀) = 0, λ₀, and the states y_k at the seams      y = (q, v, λ)
    equations: y_{k+1} = flow(y_k);  q_i(t₁) as given, and for coordinates left free the natural boundary condition
             p·δq = 0 for every δq that φ allows and that moves no given coordinate,  p = ∂T/∂q̇ + Gᵀλ

The derivatives of the flow are central differences, and `continuation` finds the root. Multipliers and directions on
which nothing depends (integrable constraints, symmetries) do no harm there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dalembert.constraint_models.continuation import SearchEnd, root
from dalembert.motions.initial import consistent
from dalembert.programs.functions import Function, compiled
from dalembert.programs.system import CompiledSystem

DIFFERENCE = 3e-5  # relative step of the central differences

Flow = Callable[[np.ndarray, float, float], np.ndarray]  # y at t₁ from y at t₀; raises MathematicsError


@dataclass(frozen=True)
class Boundary:
    """The boundary conditions: the motion starts at q₀, and its coordinates `places` end at `values`."""

    system: CompiledSystem
    flow: Flow
    start: float
    end: float
    q: np.ndarray
    places: tuple[int, ...]
    values: np.ndarray

    @cached_property
    def momenta(self) -> Function:
        """∂T/∂q̇."""
        eq = self.system.equations
        return compiled(eq.inputs, [eq.kinetic.diff(v) for v in eq.v])

    @property
    def free(self) -> tuple[int, ...]:
        return tuple(i for i in range(self.system.n) if i not in self.places)

    def miss(self, y: np.ndarray) -> np.ndarray:
        """The residual at the end: given coordinates first, then the natural boundary condition."""
        n = self.system.n
        scale = 1.0 + np.abs(self.values)
        reached = (y[list(self.places)] - self.values) / scale
        return np.concatenate([reached, self._natural(y)]) if len(self.places) < n else reached

    def _natural(self, y: np.ndarray) -> np.ndarray:
        system, n = self.system, self.system.n
        q, v, z = y[:n], y[n : 2 * n], y[2 * n :]
        x = system.state(self.end, q, v, z)
        R = system.unpacked(system.dynamics(x))[4]
        p = self.momenta(x) - R[:, : system.k] @ z  # R is −Gᵀ on the first columns
        held = np.eye(n)[list(self.places)]
        if system.mh:
            held = np.vstack([held, system.position(x)[system.mh :].reshape(system.mh, n)])
        return p - np.linalg.pinv(held) @ (held @ p)


def shoot(problem: Boundary, v: np.ndarray, z: np.ndarray, segments: int = 1) -> SearchEnd:
    """Shoot from a guess of speeds and multipliers. Return the root, or the best point if there is none.

    The unknowns are the speeds and multipliers at the start, then the states at the seams.
    """
    return root(partial(_equations, problem, segments), _guess(problem, v, z, segments))


def _guess(problem: Boundary, v: np.ndarray, z: np.ndarray, segments: int) -> np.ndarray:
    """Initial seams: on the straight line to the given coordinates, with the guessed speeds and multipliers."""
    q1 = problem.q.copy()
    q1[list(problem.places)] = problem.values
    parts = [v, z]
    for k in range(1, segments):
        q = problem.q + k / segments * (q1 - problem.q)
        parts += [q, (q1 - problem.q) / (problem.end - problem.start), z]
    return np.concatenate(parts)


def _equations(problem: Boundary, segments: int, unknowns: np.ndarray, slopes: bool) -> tuple[np.ndarray, np.ndarray]:
    """All residuals (the constraint at the start, the seams, the end) and their derivative."""
    system = problem.system
    n, size = system.n, 2 * system.n + system.k
    times = np.linspace(problem.start, problem.end, segments + 1)
    states = [np.concatenate([problem.q, unknowns[: n + system.k]])]
    states += list(unknowns[n + system.k :].reshape(segments - 1, size))
    x = system.state(problem.start, problem.q, unknowns[:n], unknowns[n : n + system.k])
    psi = system.velocity(x) if system.m else np.zeros(0)
    missed = [psi[: system.m]]
    rows = [np.hstack([psi[system.m :].reshape(system.m, n), np.zeros((system.m, len(unknowns) - n))])]
    for k, y in enumerate(states):
        last = k == segments - 1

        def leg(y: np.ndarray, k: int = k, last: bool = last) -> np.ndarray:
            end = problem.flow(_on_constraints(problem, y, times[k], k == 0), times[k], times[k + 1])
            return problem.miss(end) if last else end

        value = leg(y)
        missed.append(value if last else value - states[k + 1])
        if slopes:
            rows.append(_slopes(leg, y, len(value), k, len(unknowns), n, size, last))
    return np.concatenate(missed), np.vstack(rows) if slopes else np.zeros((0, 0))


def _slopes(
    leg: Callable[[np.ndarray], np.ndarray], y: np.ndarray, rows: int, k: int, width: int, n: int, size: int, last: bool
) -> np.ndarray:
    """The rows of one leg: its derivative by its own state, and −1 by the next seam."""
    found = np.zeros((rows, width))
    offset = -n if k == 0 else size - n + (k - 1) * size  # place of y among the unknowns; q₀ is not an unknown
    for j in range(n if k == 0 else 0, size):
        h = DIFFERENCE * max(1.0, abs(y[j]))
        ahead, behind = y.copy(), y.copy()
        ahead[j] += h
        behind[j] -= h
        found[:, offset + j] = (leg(ahead) - leg(behind)) / (2 * h)
    if not last:
        begin = size - n + k * size
        found[:, begin : begin + size] -= np.eye(size)
    return found


def _on_constraints(problem: Boundary, y: np.ndarray, t: float, first: bool) -> np.ndarray:
    """The nearest state that the constraints allow; at the start the configuration is kept."""
    system = problem.system
    if not system.m:
        return y
    n = system.n
    q, v, _ = consistent(system, y[:n], y[n : 2 * n], np.ones(n, dtype=bool), False, t, y[2 * n :])
    return np.concatenate([problem.q if first else q, v, y[2 * n :]])


def guesses(problem: Boundary, v: np.ndarray, z: np.ndarray, count: int) -> Sequence[tuple[np.ndarray, np.ndarray]]:
    """Guesses of speeds and multipliers: the straight line, the model's own speeds, then seeded random ones near the
    line.
    """
    system, duration = problem.system, problem.end - problem.start
    way = np.zeros(system.n)
    way[list(problem.places)] = (problem.values - problem.q[list(problem.places)]) / duration
    pace = max(float(np.abs(way).max()), float(np.abs(v).max()), 0.1)
    chance = np.random.default_rng(11)
    found = [(way, z), (v, z)]
    while len(found) < count:
        strength = (pace, np.pi / duration)[len(found) % 2] * (1 + len(found) // 4)
        found.append((way + pace * chance.normal(size=system.n), strength * chance.normal(size=system.k)))
    return found[: max(count, 1)]
