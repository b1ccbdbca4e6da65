"""Roots of F(u) = 0 from a poor guess: Newton's method, continuation of the right side, and paths around folds.

    F(u) = (1 − s) F(u₀)          s = 0 at the guess, s = 1 at the root

Newton's steps have least norm, so that directions on which F does not depend do no harm. If s cannot grow, because the
path turns back at a conjugate point, the path is followed by its arc length in (u, s).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.errors import MathematicsError

ACCEPTED = 1e-9
STEPS = 12  # iterations of Newton's method for one right side
STUCK = 0.9  # relative residual of the linear equations at which no step helps
SHORTEST = 1 / 64  # smallest step of s
ARCS = 40  # largest number of steps along the path
FARTHEST = -2.0  # smallest s on the way around a fold
RANK = 1e-8

Equations = Callable[[np.ndarray, bool], tuple[np.ndarray, np.ndarray]]  # (u, with slopes?) -> F, ∂F/∂u


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """The end of a search, and the largest |F| there."""

    unknowns: np.ndarray
    missed: float
    stuck: bool = False  # no step reduces F: it does not depend on the unknowns

    @property
    def hit(self) -> bool:
        return self.missed <= ACCEPTED


def root(F: Equations, guess: np.ndarray) -> SearchEnd:
    """The root that the guess leads to. If none is found, the best point on the way."""
    first = _value(F, guess)
    if not np.isfinite(first).all():
        return SearchEnd(guess, np.inf)
    u, reached, step = guess, 0.0, 1.0
    while reached < 1.0:
        asked = min(1.0, reached + step)
        found = newton(F, u, (1.0 - asked) * first)
        if found.stuck:
            return found
        if found.hit:
            u, reached, step = found.unknowns, asked, 2 * step
        elif step > SHORTEST:
            step /= 4
        else:
            return _along(F, u, reached, first)
    return found


def newton(F: Equations, u: np.ndarray, shift: np.ndarray) -> SearchEnd:
    """Newton's method for F = shift. A step that does not reduce the residual is halved."""
    try:
        value, slopes = F(u, True)
    except MathematicsError:
        return SearchEnd(u, np.inf)
    size, stuck = float(np.abs(value - shift).max()), False
    for _ in range(STEPS):
        if size <= 1e-12:
            break
        step = np.linalg.lstsq(slopes, shift - value, rcond=RANK)[0]
        stuck = bool(np.abs(value + slopes @ step - shift).max() > STUCK * size)
        if stuck:
            break
        scale = 1.0
        while scale > 1e-2:
            trial = float(np.abs(_value(F, u + scale * step) - shift).max())
            if trial < (1 - 0.2 * scale) * size:
                break
            scale /= 2
        else:
            break
        u, size = u + scale * step, trial
        value, slopes = F(u, True)
    return SearchEnd(u, size, stuck)


def _along(F: Equations, u: np.ndarray, s: float, first: np.ndarray) -> SearchEnd:
    """Follow the path by its arc length until s passes 1 or the steps are used up."""
    best = SearchEnd(u, (1 - s) * float(np.abs(first).max()))
    tangent = np.append(np.zeros_like(u), 1.0)
    arc = 0.05 * (1.0 + float(np.linalg.norm(u)))
    for _ in range(ARCS):
        try:
            _, slopes = F(u, True)
        except MathematicsError:
            return best
        tangent = _tangent(slopes, first, tangent)
        while arc > 1e-4:
            ahead = _corrected(F, np.append(u, s) + arc * tangent, first, tangent)
            if ahead is not None:
                break
            arc /= 4
        else:
            return best
        u, s, arc = ahead[:-1], float(ahead[-1]), 1.5 * arc
        if s < FARTHEST:  # the path leads away
            return best
        if s >= 1.0:
            found = newton(F, u, np.zeros_like(first))
            return found if found.hit else best
        if (1 - s) * np.abs(first).max() < best.missed:
            best = SearchEnd(u, float((1 - s) * np.abs(first).max()))
    return best


def _tangent(slopes: np.ndarray, first: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The unit tangent of the path F(u) = (1 − s) F(u₀) in (u, s), oriented as before."""
    system = np.column_stack([slopes, first])
    sizes, directions = np.linalg.svd(system)[1:]
    null = directions[int((sizes > RANK * sizes[0]).sum()) :]
    tangent = null.T @ (null @ before)
    return tangent / np.linalg.norm(tangent) if np.linalg.norm(tangent) > 0 else before


def _corrected(F: Equations, point: np.ndarray, first: np.ndarray, tangent: np.ndarray) -> np.ndarray | None:
    """Correct a point back onto the path, perpendicular to the tangent. None if that fails."""
    for _ in range(6):
        try:
            value, slopes = F(point[:-1], True)
        except MathematicsError:
            return None
        miss = value - (1 - point[-1]) * first
        if np.abs(miss).max() <= 1e-7:
            return point
        system = np.vstack([np.column_stack([slopes, first]), tangent])
        point = point + np.linalg.lstsq(system, -np.append(miss, 0.0), rcond=RANK)[0]
    return None


def _value(F: Equations, u: np.ndarray) -> np.ndarray:
    try:
        return F(u, False)[0]
    except MathematicsError:
        return np.array([np.inf])
