"""The first and the last moment of a planar slip, where c/|c| has no derivative.

For a short time after the start, the direction is that of the slip's acceleration. For a short time before the end it
is held fixed, and friction removes the rest of δc (`happened`).
"""

from __future__ import annotations

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.sensitivity.answer import states_x
from dalembert.analysis.sensitivity.course import Piece, Traced
from dalembert.analysis.sensitivity.flow import Local
from dalembert.analysis.sensitivity.mode_flow import STOPPING, ModeFlow
from dalembert.motions.laws import SLIP_START
from dalembert.motions.unilateral import still

NEARLY = 1e-3  # part of a piece before its end in which the direction of a slip is nearly constant
FAINT = 1e-6


def at_rest(course: Traced, flow: ModeFlow, time: float, after: bool) -> bool:
    """Whether a planar slip of the mode is zero there."""
    laws, hybrid = course.hybrid.laws, course.hybrid
    x = course.x(time, course.raw.dense(np.array([time]), after)[0])
    slips, tiny = hybrid.function(x), 1e4 * float(still(hybrid.speeds(x)))
    places = [int(laws.layout[SLIP_START, j]) - laws.bilateral for j in flow.planar]
    return any(np.hypot(slips[at], slips[at + 1]) <= tiny for at in places)


def stopping_direction(course: Traced, piece: Piece, j: int) -> Array:
    """The direction in which a planar slip stops: ĉ = −ċ/|ċ|, the solution nearest to the direction before."""
    laws, system = course.hybrid.laws, course.hybrid.system
    first = int(laws.layout[SLIP_START, j])
    times = piece.last - NEARLY * (piece.last - piece.first) * np.ones(1)
    near = states_x(system, times, course.raw.dense(times))
    flow = course.flow(piece.mode, STOPPING)
    fixed, guess = flow.inputs(near, piece.along)
    X = states_x(system, np.array([piece.last]), course.raw.dense(np.array([piece.last]), False))
    a = flow.flow.at(X, fixed, guess).w[0, : system.n]
    _, _, A, b, _ = system.unpacked(system.dynamics(X[0]))
    rate = A[first : first + 2] @ a - b[first : first + 2]
    return -rate / np.linalg.norm(rate)


def reached(course: Traced, piece: Piece, flow: ModeFlow, j: int, local: Local, fixed: Array) -> Array:
    """The combination of a planar slip's components that tells when it ends: ĉ + κ ĉ⊥.

    Let ċ = −(α, 0) along ĉ, and let it change by (β, γ) with the direction. Then c⊥ fades like c∥^(1+ρ), ρ = −1 − γ/α,
    and it delays the end as κ c⊥ would, κ = β/(α(1 + ρ)).
    """
    laws, system = course.hybrid.laws, course.hybrid.system
    first, place = int(laws.layout[SLIP_START, j]), 3 * flow.slipping.index(j)
    along_ = fixed[0, place : place + 2]
    across = np.array([-along_[1], along_[0]])
    by = flow.flow.by_fixed(local, fixed)[: system.n, place : place + 2] @ across
    _, _, A, b, _ = system.unpacked(system.dynamics(local.X[0]))
    rows = A[first : first + 2]
    alpha = -along_ @ (rows @ local.w[0, : system.n] - b[first : first + 2])
    beta, gamma = along_ @ rows @ by, across @ rows @ by
    kappa = -beta / gamma if abs(gamma) > FAINT * abs(alpha) else 0.0  # α (1 + ρ) = −γ
    return along_ + kappa * across


def rate_of(course: Traced, flow: ModeFlow, time: float, after: bool, S: Array, known: dict[int, Array]) -> Array:
    """δẏ just before or after an instant, by the equations of a flow."""
    y = course.raw.dense(np.array([time]), after)[0]
    local = flow.at(course.x(time, y)[None], known)
    return local.rate_x[0] @ course.dx(S)
