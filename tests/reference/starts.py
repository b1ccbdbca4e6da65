"""A consistent initial state, by NumPy alone: what the engine's starts are compared with.

Positions come first: least |Δq| with φ(q, t) = 0. For speeds, the given ones are held and the rest take the least-norm
solution of ψ(q, v, t) = 0. Only if there is none are the given ones changed, in the sense of least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.errors import MathematicsError
from dalembert.motions.routes import scaled, scaled_right
from dalembert.motions.scales import natural_sizes
from dalembert.programs.system import CompiledSystem

Residual = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # residual and Jacobian

ACCEPTED = 1e-11


def consistent(
    system: CompiledSystem, q: Any, v: Any, given: Any, t: float = 0.0, z: Any = ()
) -> tuple[np.ndarray, np.ndarray]:
    """The initial q and v. `given` marks the given speeds."""
    q0, v0 = np.array(q, dtype=float), np.array(v, dtype=float)
    given = np.asarray(given, dtype=bool)
    v0[~given] = 0.0
    z = np.zeros(system.k) if len(z) == 0 else np.asarray(z, dtype=float)
    sizes = natural_sizes(system, system.state(t, q0, v0, z), np.zeros(system.n), 1.0)
    q1 = _position(system, t, q0, v0, z, sizes[: system.n])
    return q1, _speeds(system, t, q1, v0, given, z, sizes[system.n : 2 * system.n])


def _position(
    system: CompiledSystem, t: float, q0: np.ndarray, v: np.ndarray, z: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    if not system.mh:
        return q0
    function, mh, n = system.position, system.mh, system.n

    def residual(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out = function(system.state(t, q, v, z))
        return out[:mh], out[mh:].reshape(mh, n)

    q, left = nearest(_evened(residual), q0, sizes=sizes)
    if left is not None:
        raise MathematicsError("no position")
    return q


def _speeds(
    system: CompiledSystem,
    t: float,
    q: np.ndarray,
    v0: np.ndarray,
    given: np.ndarray,
    z: np.ndarray,
    sizes: np.ndarray,
) -> np.ndarray:
    if not system.m:
        return v0
    function, m, n = system.velocity, system.m, system.n

    def residual(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out = function(system.state(t, q, v, z))
        return out[:m], out[m:].reshape(m, n)

    starts = _starts(v0, ~given, sizes)
    for search in (_held, _changed, _nearby):
        for start in starts if search is not _held or not given.all() else starts[:1]:
            v, left = search(_evened(residual), start, v0, given, sizes)
            if left is None:
                return v
    raise MathematicsError("no speeds")


def _starts(v0: np.ndarray, free: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """Starting points of the search for speeds: the given ones, then others nearby (at rest a constraint may have no
    gradient).
    """
    pattern = np.where(free if free.any() else True, 1.0 / (1.0 + np.arange(len(v0))), 0.0)
    size = np.maximum(sizes, float(np.abs(v0).max(initial=0.0)))
    return [v0, *(v0 + scale * size * pattern for scale in (1.0, -1.0, 0.01, 10.0))]


def _held(
    residual: Residual, start: np.ndarray, v0: np.ndarray, given: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Hold the given speeds; the rest have least norm."""
    v, free = np.where(given, v0, start), ~given

    def part(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        v[free] = u
        r, J = residual(v)
        return r, J[:, free]

    u, left = nearest(part, v[free], np.zeros(int(free.sum())), sizes[free])
    v[free] = u
    return v, left


def _nearby(
    residual: Residual, start: np.ndarray, v0: np.ndarray, given: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Find the smallest change of all speeds together, for cases in which the rest alone have no gradient at the
    solution.
    """
    return nearest(residual, start, v0, sizes)


def _changed(
    residual: Residual, start: np.ndarray, v0: np.ndarray, given: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Minimize the change of the given speeds, then the norm of the rest: two least-norm problems per iteration."""
    v = start.copy()
    for _ in range(100):
        r, J = residual(v)
        if not np.all(np.isfinite(r)) or not np.all(np.isfinite(J)):
            return v, r
        Jg, Jf = J[:, given], J[:, ~given]
        basis = np.linalg.svd(Jf)[0][:, np.linalg.matrix_rank(Jf) :] if Jf.size else np.eye(len(r))
        goal = Jg @ (v[given] - v0[given]) - r + Jf @ v[~given]
        change = np.linalg.lstsq(basis.T @ Jg, basis.T @ goal, rcond=1e-10)[0]
        new = v.copy()
        new[given] = v0[given] + change
        if Jf.size:
            new[~given] = np.linalg.lstsq(Jf, goal - Jg @ change, rcond=1e-10)[0]
        step, v = np.abs(new - v).max(), new
        if step <= 1e-15 * max(float(sizes.max(initial=0.0)), np.abs(v).max()):
            break
    r, J = residual(v)
    return v, None if is_small(r, J, v, sizes) else r


def nearest(
    residual: Residual, start: np.ndarray, goal: np.ndarray | None = None, sizes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The x nearest to `goal` (default: the start) with zero residual, and None; or the last x, and its residual.

    x ← goal + J⁺ (J (x - goal) - r) keeps the change in the range of Jᵀ, so that x is the nearest solution.
    Gauss-Newton steps with halving follow: they take over if this does not converge, and refine the result if it does.
    `sizes` are the natural sizes of x, by default one.
    """
    sizes = np.ones(len(start)) if sizes is None else sizes
    least = float(sizes.max(initial=0.0))
    goal = start if goal is None else goal
    r, J = residual(start)
    if is_small(r, J, start, sizes) and np.array_equal(goal, start):
        return start, None
    x = start
    for _ in range(60):
        if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
            x = start
            break
        new = goal + np.linalg.lstsq(J, J @ (x - goal) - r, rcond=1e-10)[0]
        step, x = np.abs(new - x).max(initial=0.0), new
        r, J = residual(x)
        if step <= 1e-14 * max(least, np.abs(x).max(initial=0.0)):
            break
    else:
        if not np.all(np.abs(r) < 1e-3 * (np.abs(J) @ np.maximum(np.abs(x), sizes))):
            x = start
    return _newton(residual, x, sizes)


def _newton(residual: Residual, x: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    r, J = residual(x)
    for _ in range(60):
        if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))) or not np.any(r):
            break
        delta = np.linalg.lstsq(J, -r, rcond=1e-10)[0]
        scale = 1.0
        while scale > 1e-4:
            r_new, J_new = residual(x + scale * delta)
            if np.linalg.norm(r_new) < np.linalg.norm(r):
                break
            scale /= 2
        else:
            break
        x, r, J = x + scale * delta, r_new, J_new
    return x, None if is_small(r, J, x, sizes) else r


def _evened(residual: Residual) -> Residual:
    """The residual with rows scaled to a largest entry of one, so that units do not decide which rows count."""

    def even(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r, J = residual(x)
        return scaled_right(J, r), scaled(J)

    return even


def is_small(r: np.ndarray, J: np.ndarray, x: np.ndarray, sizes: np.ndarray | None = None) -> bool:
    """Whether all residuals are rounding errors, row by row, relative to the size of the row's terms.

    Terms count at least with a hundredth of their value at natural `sizes`, by default one.
    """
    if sizes is None:
        sizes = np.ones(x.size)
    scale = np.abs(J) @ np.maximum(np.abs(x), 1e-2 * sizes) if x.size else np.zeros(len(r))
    vanishing = 1e-2 * np.all(J == 0.0, axis=1) if x.size else 1e-2  # a row without a gradient has no terms
    return bool(np.all(np.abs(r) <= ACCEPTED * np.maximum(scale, vanishing)))
