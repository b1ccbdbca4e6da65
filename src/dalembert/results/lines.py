"""Lines over time for pictures: the samples, and both sides of every jump."""

from __future__ import annotations

import numpy as np

from dalembert.results.motion import Motion

CHANGE = "E − E₀"


def with_jumps(motion: Motion, panel: str, name: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Insert both sides of every jump into the samples, with a break of the line. An unknown side is left out."""
    jumps = motion.jumps
    if jumps is None or np.any(np.diff(motion.times) < 0):
        return motion.times, values
    column, from_start = (f"energy.{name}", 0.0) if panel == "energy" else (name, 0.0)
    if name == CHANGE:
        column, from_start = "energy.total", float(motion.energy["total"][0])
    inside = (jumps.times > motion.times[0]) & (jumps.times <= motion.times[-1])
    when = jumps.times[inside]
    at = np.searchsorted(motion.times, when, "left")
    same = values[at - 1] == values[at]  # equal samples on both sides: no jump
    broken = np.full(len(when), np.nan)
    sides = [
        side[column][inside] - from_start if column in side else np.where(same, values[at], np.nan)
        for side in (jumps.before, jumps.after)
    ]
    what = np.column_stack([sides[0], np.where(same, sides[0], broken), sides[1]])
    at = np.repeat(at, 3)
    return np.insert(motion.times, at, np.repeat(when, 3)), np.insert(values, at, what.ravel())
