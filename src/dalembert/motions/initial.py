"""A consistent initial state: the smallest change of the given values that satisfies the constraints. NumPy only.

Positions come first: least |Δq| with φ(q, t) = 0. For speeds, the given ones are held and the rest take the least-norm
solution of ψ(q, v, t) = 0. Only if there is none are the given ones changed, in the sense of least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import MathematicsError, ModelError
from dalembert.language import tr
from dalembert.motions.routes import scaled, scaled_right
from dalembert.motions.scales import natural_sizes
from dalembert.programs.system import CompiledSystem

Residual = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # residual and Jacobian

SAME = 1e-12  # a change smaller than this is no correction
ACCEPTED = 1e-11


class NoPosition(MathematicsError):
    """No position near the given one satisfies the holonomic constraints; `rows` are the ones that it breaks."""

    def __init__(self, sentence: str, rows: list[str]):
        self.rows = rows
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Correction:
    """A given initial value that the constraints changed. A speed is written with its prime."""

    quantity: str
    given: float
    used: float

    def __str__(self) -> str:
        return tr(
            "{quantity} starts at {used!r} instead of {given!r}, to satisfy the constraints",
            quantity=self.quantity,
            used=self.used,
            given=self.given,
        )


def consistent(
    system: CompiledSystem,
    q: np.ndarray,
    v: np.ndarray,
    given: np.ndarray,
    strict: bool = False,
    t: float = 0.0,
    z: Any = (),
) -> tuple[np.ndarray, np.ndarray, list[Correction]]:
    """The initial q and v, and the changes. `given` marks the given speeds. `strict` refuses changes."""
    q0, v0 = np.array(q, dtype=float), np.array(v, dtype=float)
    given = np.asarray(given, dtype=bool)
    v0[~given] = 0.0
    z = np.zeros(system.k) if len(z) == 0 else np.asarray(z, dtype=float)
    sizes = natural_sizes(system, system.state(t, q0, v0, z), np.zeros(system.n), 1.0)
    places, speeds = sizes[: system.n], sizes[system.n : 2 * system.n]
    q1 = _position(system, t, q0, v0, z, places)
    v1 = _speeds(system, t, q1, v0, given, z, speeds)
    names = system.equations.coordinates
    corrections = [
        Correction(c, a, b)
        for c, a, b, size in zip(names, q0.tolist(), q1.tolist(), places.tolist(), strict=True)
        if _moved(a, b, size)
    ]
    corrections += [
        Correction(c + "'", a, b)
        for c, a, b, held, size in zip(names, v0.tolist(), v1.tolist(), given.tolist(), speeds.tolist(), strict=True)
        if held and _moved(a, b, size)
    ]
    if strict and corrections:
        changes = "; ".join(
            tr("{quantity} = {given!r} would have to be {used!r}", quantity=c.quantity, given=c.given, used=c.used)
            for c in corrections
        )
        raise ModelError(tr("the initial state does not satisfy the constraints: {changes}", changes=changes))
    return q1, v1, corrections


def _moved(a: float, b: float, size: float) -> bool:
    return abs(a - b) > SAME * max(size, abs(a))


def position(system: CompiledSystem, t: float, q: np.ndarray) -> np.ndarray:
    """The nearest coordinates that satisfy the holonomic constraints, at rest."""
    v, z = np.zeros(system.n), np.zeros(system.k)
    return _position(system, t, q, v, z, natural_sizes(system, system.state(t, q, v, z), v, 1.0)[: system.n])


def _position(
    system: CompiledSystem, t: float, q0: np.ndarray, v: np.ndarray, z: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    if not system.mh:
        return q0
    function, mh, n = system.position, system.mh, system.n

    def residual(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out = function(system.state(t, q, v, z))
        return out[:mh], out[mh:].reshape(mh, n)

    names = [row.name for row in system.equations.constraints if row.kind == "holonomic"]
    q, left = nearest(_evened(residual), q0, sizes=sizes)
    if left is not None:
        raise no_position(t, residual(q)[0], names)
    return q


def no_position(t: float, left: np.ndarray, names: list[str]) -> NoPosition:
    """The refusal if holonomic constraints cannot be satisfied."""
    sentence = tr(
        "at t = {t:.9g} no position near the given one satisfies {left}; give coordinates that do",
        t=t,
        left=_worst(left, names),
    )
    return NoPosition(sentence, [names[i] for i in _broken(left)])


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
    names = [row.name for row in system.equations.constraints]
    left = residual(v0)[0]
    raise MathematicsError(
        tr(
            "at t = {t:.9g} no speeds were found that satisfy {left}; give speeds that do",
            t=t,
            left=_worst(left, names),
        )
    )


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


def _broken(left: np.ndarray) -> list[int]:
    """The rows with a residual that counts: the first without a value, or all that are near the largest."""
    if not np.all(np.isfinite(left)):
        return [int(np.flatnonzero(~np.isfinite(left))[0])]
    return np.flatnonzero(np.abs(left) > 1e-3 * np.abs(left).max()).tolist()


def _worst(left: np.ndarray, names: list[str]) -> str:
    most_left = _broken(left)
    if not np.all(np.isfinite(left)):
        return tr("the constraint {names}, whose residual has no value there", names=names[most_left[0]])
    rests = ", ".join(f"{left[i]:.3g}" for i in most_left)
    if len(most_left) == 1:
        return tr("the constraint {names} (its residual is {rests})", names=names[most_left[0]], rests=rests)
    listed = tr(
        "{most_left} and {names}", most_left=", ".join(names[i] for i in most_left[:-1]), names=names[most_left[-1]]
    )
    return tr("the constraints {listed} together (their residuals are {rests})", listed=listed, rests=rests)
