"""The first and the last moment of a planar slip, where c/|c| has no derivative.

For a short time after the start, the direction is that of the slip's acceleration. For a short time before the end it
is held fixed, and friction removes the rest of δc (`happened`).
"""

from __future__ import annotations

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.sensitivity.answer import states_x
from dalembert.analysis.sensitivity.course import Piece, Traced
from dalembert.analysis.sensitivity.flow import LocalSolution
from dalembert.analysis.sensitivity.mode_flow import STOPPING, ModeFlow
from dalembert.motions.unilateral import still

NEARLY = 1e-3  # part of a piece before its end in which the direction of a slip is nearly constant
ASIDE = 1e-6  # part of a piece at the start and end of a planar slip that is treated separately
FAINT = 1e-6  # a turn by which the last direction of a slip differs at least from its end
NODES = 12  # of the polynomial in the direction


def at_rest(course: Traced, flow: ModeFlow, time: float, after: bool) -> bool:
    """Whether a planar slip of the mode is zero there."""
    laws, hybrid = course.hybrid.laws, course.hybrid
    x = course.x(time, course.raw.dense(np.array([time]), after)[0])
    slips, tiny = hybrid.function(x), 1e4 * float(still(hybrid.speeds(x)))
    places = [laws.of_friction[j].slip_start - laws.bilateral for j in flow.planar]
    return any(np.hypot(slips[at], slips[at + 1]) <= tiny for at in places)


def stopping_direction(course: Traced, piece: Piece, j: int) -> Array:
    """The direction in which a planar slip stops: ĉ = −ċ/|ċ|, the solution nearest to the direction before."""
    laws, system = course.hybrid.laws, course.hybrid.system
    first = laws.of_friction[j].slip_start
    times = piece.last - NEARLY * (piece.last - piece.first) * np.ones(1)
    near = states_x(system, times, course.raw.dense(times))
    flow = course.flow(piece.mode, STOPPING)
    fixed, guess = flow.inputs(near, piece.along)
    X = states_x(system, np.array([piece.last]), course.raw.dense(np.array([piece.last]), False))
    a = flow.flow.at(X, fixed, guess).w[0, : system.n]
    _, _, A, b, _ = system.unpacked(system.dynamics(X[0]))
    rate = A[first : first + 2] @ a - b[first : first + 2]
    return -rate / np.linalg.norm(rate)


def last_direction(course: Traced, piece: Piece, j: int) -> Array:
    """The direction of a planar slip just before it stops, where it still has one."""
    laws = course.hybrid.laws
    first = laws.of_friction[j].slip_start - laws.bilateral
    times = np.array([piece.last - ASIDE * (piece.last - piece.first)])
    slip = course.hybrid.function(states_x(course.hybrid.system, times, course.raw.dense(times)))[0, first : first + 2]
    return slip / np.linalg.norm(slip)


def reached(course: Traced, piece: Piece, flow: ModeFlow, j: int, local: LocalSolution, fixed: Array) -> Array:
    """The gradient of the time that a planar slip still takes, by its components: T ĉ + T' ĉ⊥ at its last direction.

    Near the end ċ = g(θ) depends on the direction ĉ(θ) alone, so this time is |c| T(θ), and it falls by one per unit of
    time: T ĉ·g + T' ĉ⊥·g = −1. The direction tends to θ* with ĉ⊥·g = 0, but slowly, like a small power of |c|. T is
    the solution that is regular at θ*, by collocation at Chebyshev's points from there to the last direction.
    """
    laws, system = course.hybrid.laws, course.hybrid.system
    first, place = laws.of_friction[j].slip_start, 3 * flow.slipping.index(j)
    ends, last = stopping_direction(course, piece, j), fixed[0, place : place + 2]
    turn = np.arctan2(ends[0] * last[1] - ends[1] * last[0], ends @ last)
    turn = turn if abs(turn) > FAINT else FAINT
    nodes, slopes = _chebyshev(NODES)
    angles = np.arctan2(ends[1], ends[0]) + turn * nodes
    along_ = np.column_stack([np.cos(angles), np.sin(angles)])
    across = np.column_stack([-along_[:, 1], along_[:, 0]])
    held = np.repeat(fixed[:1], len(angles), axis=0)
    held[:, place : place + 2] = along_
    a = flow.flow.at(np.repeat(local.X[:1], len(angles), axis=0), held, np.repeat(local.w[:1], len(angles), axis=0)).w
    _, _, A, b, _ = system.unpacked(system.dynamics(local.X[0]))
    g = a[:, : system.n] @ A[first : first + 2].T - b[first : first + 2]
    radial, turning = (along_ * g).sum(axis=1), (across * g).sum(axis=1)
    T = np.linalg.solve(np.diag(radial) + turning[:, None] * slopes / turn, -np.ones(len(angles)))
    return T[-1] * along_[-1] + (slopes[-1] @ T / turn) * across[-1]


def _chebyshev(count: int) -> tuple[Array, Array]:
    """Chebyshev's points on [0, 1], ascending, and the matrix that differentiates a polynomial at them."""
    k = np.arange(count)
    x = (1 - np.cos(np.pi * k / (count - 1))) / 2
    weights = np.where((k == 0) | (k == count - 1), 0.5, 1.0) * (-1.0) ** k
    apart = x[:, None] - x[None, :] + np.eye(count)
    D = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    return x, D


def rate_of(course: Traced, flow: ModeFlow, time: float, after: bool, S: Array, known: dict[int, Array]) -> Array:
    """δẏ just before or after an instant, by the equations of a flow."""
    y = course.raw.dense(np.array([time]), after)[0]
    local = flow.at(course.x(time, y)[None], known)
    return local.rate_x[0] @ course.dx(S)
