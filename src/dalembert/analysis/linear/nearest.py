"""The point nearest to a start at which equations hold, for residuals that are computed in Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Residual = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # residual and Jacobian
Alone = Callable[[np.ndarray], np.ndarray]  # the residual without its Jacobian, which may cost less
ACCEPTED = 1e-11  # of the terms of a row: a smaller residual counts as zero
WATCHED, STUCK = 10, 0.8  # steps that together leave more than this part of the residual lead nowhere


def nearest(
    residual: Residual, start: np.ndarray, alone: Alone | None = None, refined: bool = True
) -> tuple[np.ndarray, np.ndarray | None]:
    """The x nearest to the start with zero residual, and None; or the last x, and its residual.

    x ← start + J⁺ (J (x − start) − r) keeps the change in the range of Jᵀ, so that x is the nearest solution.
    Gauss-Newton steps with halving follow: they take over if this does not converge, and refine the result if it does.
    If it need not be `refined` to the last digit, the first x with a small residual is taken.
    """
    r, J = residual(start)
    if is_small(r, J, start):
        return start, None
    x = start
    for _ in range(60):
        if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
            x = start
            break
        new = start + np.linalg.lstsq(J, J @ (x - start) - r, rcond=1e-10)[0]
        step, x = np.abs(new - x).max(initial=0.0), new
        r, J = residual(x)
        if not refined and is_small(r, J, x):
            return x, None
        if step <= 1e-14 * max(1.0, np.abs(x).max(initial=0.0)):
            break
    else:
        if not np.all(np.abs(r) < 1e-3 * (np.abs(J) @ np.maximum(np.abs(x), 1.0))):
            x = start
    return _newton(residual, x, alone)


def _newton(residual: Residual, x: np.ndarray, alone: Alone | None) -> tuple[np.ndarray, np.ndarray | None]:
    r, J = residual(x)
    norms: list[float] = []
    for _ in range(60):
        if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))) or not np.any(r):
            break
        norms.append(float(np.linalg.norm(r)))
        if len(norms) > WATCHED and norms[-1] > STUCK * norms[-1 - WATCHED] and not is_small(r, J, x):
            break
        delta = np.linalg.lstsq(J, -r, rcond=1e-10)[0]
        scale = 1.0
        while scale > 1e-4:
            if alone is None or np.linalg.norm(alone(x + scale * delta)) < np.linalg.norm(r):
                r_new, J_new = residual(x + scale * delta)
                if np.linalg.norm(r_new) < np.linalg.norm(r):  # not where it has no derivative
                    break
            scale /= 2
        else:
            break
        x, r, J = x + scale * delta, r_new, J_new
    return x, None if is_small(r, J, x) else r


def is_small(r: np.ndarray, J: np.ndarray, x: np.ndarray) -> bool:
    """Whether all residuals are rounding errors, row by row, relative to the size of the row's terms. Unknowns count at
    least with a hundredth.
    """
    scale = np.abs(J) @ np.maximum(np.abs(x), 1e-2) if x.size else np.zeros(len(r))
    vanishing = 1e-2 * np.all(J == 0.0, axis=1) if x.size else 1e-2  # a row without a gradient has no terms
    return bool(np.all(np.abs(r) <= ACCEPTED * np.maximum(scale, vanishing)))
