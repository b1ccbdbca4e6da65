"""The forces along a motion that a controller would need in place of the constraints.

Q^c is the generalized force of a constraint (λ ∂f/∂q̇, or the force that the model of constraint gives):

    power Q^c·q̇,  work ∫ Q^c·q̇ dt,  effort ∫ |Q^c|² dt                                      (WangGao, section 2)
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from dalembert.results.free import ControlForce, Effort
from dalembert.results.motion import Motion


def effort(motion: Motion) -> Effort:
    """The effort of each constraint along a motion, and of all of them together."""
    forces = {name: parts for name, parts in motion.reactions.items() if name in motion.multipliers}
    rows = [_force(name, _table(motion, parts), motion) for name, parts in forces.items()]
    if len(rows) > 1:
        whole = sum(_table(motion, parts) for parts in forces.values())
        rows.append(_force("together", np.asarray(whole), motion))
    return Effort(float(motion.times[0]), float(motion.times[-1]), motion.method, tuple(rows))


def _table(motion: Motion, parts: Mapping[str, np.ndarray]) -> np.ndarray:
    """The force of one constraint: a row for each time, a column for each coordinate."""
    still = np.zeros(len(motion.times))
    return np.column_stack([parts.get(name, still) for name in motion.coordinates])


def _force(name: str, Q: np.ndarray, motion: Motion) -> ControlForce:
    v = np.column_stack([*motion.speeds.values()])
    power, square = (Q * v).sum(axis=1), (Q * Q).sum(axis=1)
    return ControlForce(
        name,
        largest=float(np.sqrt(square.max(initial=0.0))),
        effort=float(_integral(square, motion.times)),
        work=float(_integral(power, motion.times)),
        power=float(np.abs(power).max(initial=0.0)),
    )


def _integral(y: np.ndarray, t: np.ndarray) -> float:
    """∫ y dt by Simpson's rule: a parabola over every two intervals, and one through the last three points.

    An interval of length zero, where a motion jumps, ends the parabolas on both sides.
    """
    ends = [0, *(np.flatnonzero(np.diff(t) <= 0) + 1), len(t)]
    return float(sum(_smooth_integral(y[a:b], t[a:b]) for a, b in pairwise(ends)))


def _smooth_integral(y: np.ndarray, t: np.ndarray) -> float:
    h, slope = np.diff(t), np.diff(y) / np.diff(t)
    found = np.sum(h * (y[1:] + y[:-1])) / 2
    if len(t) < 3:
        return float(found)
    bend = np.diff(slope) / (h[1:] + h[:-1])  # half the second derivative about each inner point
    each = np.append(np.repeat(bend[::2], 2), bend[-1])[: len(h)]
    return float(found - np.sum(h**3 * each) / 6)
