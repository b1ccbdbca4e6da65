"""Decides whether equations hold on the model's motions, and whether they determine them.

At states on the constraints, with the model's own accelerations a:
    min over λ of |E(a, λ)| = 0            the equations hold, for any names and scales of their multipliers
    E_a ȧ + E_λ λ̇ = 0, A ȧ = 0 ⇒ ȧ = 0     with the constraints they leave no other acceleration
    λ = ± the model's                      if they use its names, with either sign
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.audit.claims import Claims
from dalembert.prepared import Start
from dalembert.programs.evaluate import magnitudes

HOLDS = 1e-8  # relative to the terms of an equation: a smaller residual is rounding


@dataclass(frozen=True, slots=True)
class Decision:
    residuals: np.ndarray  # by state and equation, relative to the size of its terms
    complete: bool
    other: tuple[str, ...] = ()  # multipliers with names of the model but other values

    @property
    def holds(self) -> bool:
        return bool((self.residuals <= HOLDS).all())

    @property
    def sided(self) -> bool:
        """Whether an equation holds at some states and not at others."""
        good = self.residuals <= HOLDS
        return bool((good.any(axis=0) & ~good.all(axis=0)).any())

    @property
    def worst(self) -> tuple[int, int]:
        """The state and the equation with the largest residual."""
        state, equation = np.unravel_index(int(np.argmax(self.residuals)), self.residuals.shape)
        return int(state), int(equation)


def decided(found: Claims) -> Decision:
    x = np.array([found.x(start, a) for start, a in found.samples])
    answers = _answers(found, x)
    slopes = zip(found.samples, *found.evaluated(x)[1:], strict=True)
    complete = all(_complete(start, E_a, G) for (start, _), E_a, G in slopes)
    return Decision(np.array([left for left, _ in answers]), complete, _other(found, [forces for _, forces in answers]))


def residual(found: Claims, start: Start, a: np.ndarray) -> np.ndarray:
    """The residual of every equation with the best multipliers, relative to the size of its terms."""
    return _answers(found, found.x(start, a)[None])[0][0]


def _answers(found: Claims, x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """At every row of x the residuals, and the multipliers; NaN for those that the equations do not determine."""
    E, _, G = found.evaluated(x)
    moving = slice(x.shape[1] - len(found.a) - len(found.free), x.shape[1] - len(found.free))
    usual = x.copy()  # a vanishing acceleration has the rounding of the others
    usual[:, moving] = np.abs(x[:, moving]).max(axis=1, initial=1e-3)[:, None]
    sizes = magnitudes(found.code, usual)
    return [_answer(*one) for one in zip(E, G, np.where(sizes > 0.0, sizes, 1.0), strict=True)]


def _answer(E: np.ndarray, G: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    forces = np.full(G.shape[1], np.nan)
    columns = np.abs(G).max(axis=0, initial=0.0) > 0.0
    if not columns.any():
        return np.abs(E) / sizes, forces
    rows = G[:, columns] / sizes[:, None]
    scale = np.linalg.norm(rows, axis=0)
    fit = np.linalg.lstsq(rows / scale, -E / sizes, rcond=1e-11)[0]
    parts = rows / scale * fit
    if _rank(rows / scale) == rows.shape[1]:
        forces[columns] = fit / scale
    return np.abs(E / sizes + parts.sum(axis=1)) / (1.0 + np.abs(parts).sum(axis=1)), forces


def _other(found: Claims, forces: list[np.ndarray]) -> tuple[str, ...]:
    """Multipliers with names of the model whose values are neither the model's nor their negatives."""
    told = []
    right = np.array([solution.multipliers for _, solution in found.solutions])
    size = np.abs(right).max(initial=1e-300)
    for r, row in enumerate(found.equations.constraints):
        own = np.array([one[r] for one in forces])
        if (
            np.isfinite(own).all()
            and min(np.abs(own - right[:, r]).max(), np.abs(own + right[:, r]).max()) > 1e-6 * size
        ):
            told.append(row.name)
    return tuple(told)


def _complete(start: Start, E_a: np.ndarray, G: np.ndarray) -> bool:
    """Whether no other acceleration satisfies the equations and the constraints."""
    n = E_a.shape[1]
    A = start.system.unpacked(start.system.dynamics(start.x))[2]
    rows = np.block([[E_a, G], [A, np.zeros((len(A), G.shape[1]))]])
    size = np.abs(rows).max(axis=1, initial=0.0)
    rows = rows[size > 0.0] / size[size > 0.0][:, None]
    width = np.linalg.norm(rows, axis=0)
    rows = rows / np.where(width > 0.0, width, 1.0)
    return _rank(rows) == n + _rank(rows[:, n:])


def _rank(rows: np.ndarray) -> int:
    if 0 in rows.shape:
        return 0
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > 1e-10 * max(sizes[0], 1e-300)).sum())
