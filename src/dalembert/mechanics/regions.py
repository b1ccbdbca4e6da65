"""Constraints that hold throughout a region of states: `abs(x) = x` says x ≥ 0, and nothing keeps a motion there.

If a residual is constant, its derivatives vanish, so it has no reaction and cannot guide a motion. An expression of
analytic functions that vanishes on an open set vanishes wherever it is connected (the identity theorem). So only
corners (abs, sign, min, max) and functions with branches (roots, logarithms, inverse functions) can vanish in part of
the states.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import symengine as se

from dalembert.language import mark, tr
from dalembert.mechanics.algebra import Scalar, Symbols

BRANCHED = (se.asin, se.acos, se.atan, se.atan2, se.log)
STATES = 2000  # number of random states that are drawn to find the pieces
NEAREST, FARTHEST = -6.0, 6.0  # powers of ten of their distance from the start, in units of its own sizes
NEAR, FAR = 0.7, 10.0  # distances at which values decide: exp(−x²) is zero far away, to rounding
FEW = 20  # number of states that decide whether a piece is constant
ROUNDING = 1e-12

ONE_SIDED = mark(
    "holds throughout a region of states and constrains nothing there, so no motion can be "
    "kept to it; a condition on one side is a contact: [contacts.NAME] with the gap that "
    "stays positive"
)
STEPS = mark(
    "only takes constant values, with jumps between them, so no motion can be led by it; state what it stands for"
)


def may_hold_in_parts(residual: Scalar) -> bool:
    """Whether the residual contains a corner or a function with branches."""
    if residual.atoms(se.Piecewise, *BRANCHED):
        return True
    return any(not power.args[1].is_Integer and power.args[0].free_symbols for power in residual.atoms(se.Pow))


def fault(residual: Scalar, motion: Symbols, start: Mapping[Scalar, float]) -> str | None:
    """Return the fault of a constraint with this residual, worded to follow its name, or None."""
    levels = [level for piece in _pieces(residual, motion, start) for level in _levels(piece, motion, start)]
    if 0.0 in levels and any(level != 0.0 for level in levels):
        return tr(ONE_SIDED)
    return tr(STEPS) if None not in levels and len(set(levels)) > 1 else None


def _pieces(residual: Scalar, motion: Symbols, start: Mapping[Scalar, float]) -> list[Scalar]:
    """The residual without its corners: one piece for every combination of branches that a random state was in."""
    corners = list(residual.atoms(se.Piecewise))
    if not corners:
        return [residual]
    tests = [corner.args[1::2] for corner in corners]
    asked = [se.Piecewise((1, test), (0, True)) if test != True else se.Integer(1) for row in tests for test in row]  # noqa: E712
    chance = np.random.default_rng(20)
    size = 10.0 ** chance.uniform(NEAREST, FARTHEST, (STATES, 1))
    true = _values(asked, motion, start, size * chance.uniform(-1.0, 1.0, (STATES, len(_moving(motion))))) > 0.0
    ends = np.cumsum([len(row) for row in tests])[:-1]
    taken = np.column_stack([part.argmax(axis=1) for part in np.split(true, ends, axis=1)])
    found = []
    for branches in np.unique(taken, axis=0).tolist():
        chosen = {corner: corner.args[2 * branch] for corner, branch in zip(corners, branches, strict=True)}
        piece = residual
        while piece.atoms(se.Piecewise):  # a branch may contain corners of its own
            piece = piece.xreplace(chosen)
        found.append(piece)
    return found


def _levels(piece: Scalar, motion: Symbols, start: Mapping[Scalar, float]) -> list[float | None]:
    """Return the constant value of a piece, or None if it varies. A piece with branches is tried near and far from the
    start.

    A sum counts as zero if it is zero to the rounding of its terms.
    """
    if piece.is_Number:
        return [float(piece)]
    chance = np.random.default_rng(20)
    terms = piece.args if piece.is_Add else (piece,)
    found: list[float | None] = []
    reaches = (NEAR, FAR) if may_hold_in_parts(piece) else (NEAR,)
    for reach in reaches:
        values = _values(terms, motion, start, chance.uniform(-reach, reach, (FEW, len(_moving(motion)))))
        values = values[np.isfinite(values).all(axis=1)]
        zero = np.abs(values.sum(axis=1)) <= ROUNDING * np.abs(values).sum(axis=1)
        total = np.where(zero, 0.0, values.sum(axis=1))
        if zero.any():
            found += [0.0] if zero.all() else [0.0, None]
        elif len(total):
            constant = np.ptp(total) <= ROUNDING * np.abs(values).sum(axis=1).max()
            found.append(float(total[0]) if constant else None)
    return found


def _moving(motion: Symbols) -> tuple[Scalar, ...]:
    return (motion.t, *motion.q, *motion.v)


def _values(
    expressions: list[Scalar] | tuple[Scalar, ...], motion: Symbols, start: Mapping[Scalar, float], away: np.ndarray
) -> np.ndarray:
    """The values of the expressions, in columns, at states `away` from the start, measured by its own lengths and
    speeds.
    """
    moving = _moving(motion)
    fixed = sorted(set().union(*(one.free_symbols for one in expressions)) - set(moving), key=str)
    sizes = [
        1.0,
        *(max((abs(start[x]) for x in kind), default=0.0) or 1.0 for kind in (motion.q, motion.v) for _ in kind),
    ]
    at = np.array([start[symbol] for symbol in moving]) + away * sizes
    inputs = np.hstack([at, np.broadcast_to([start[symbol] for symbol in fixed], (len(at), len(fixed)))])
    with np.errstate(all="ignore"):
        return np.asarray(se.Lambdify([*moving, *fixed], list(expressions), backend="lambda")(inputs), float)
