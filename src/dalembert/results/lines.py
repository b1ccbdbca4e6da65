"""Lines over time as they are drawn: the samples, with both sides of every jump between them."""

from __future__ import annotations

import numpy as np

from dalembert.results.motion import Motion

CHANGE = "E − E(start)"


def with_jumps(motion: Motion, panel: str, name: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The samples with both sides of every jump between them, and a break of the line; a side not known is left out."""
    jumps = motion.jumps
    if jumps is None or np.any(np.diff(motion.times) < 0):
        return motion.times, values
    column, from_start = (f"energy.{name}", 0.0) if panel == "energy" else (name, 0.0)
    if name == CHANGE:
        column, from_start = "energy.total", float(motion.energy["total"][0])
    inside = (jumps.times > motion.times[0]) & (jumps.times <= motion.times[-1])
    when = jumps.times[inside]
    at = np.searchsorted(motion.times, when, "left")
    same = values[at - 1] == values[at]  # what is at rest on both sides did not jump
    broken = np.full(len(when), np.nan)
    sides = [
        side[column][inside] - from_start if column in side else np.where(same, values[at], np.nan)
        for side in (jumps.before, jumps.after)
    ]
    what = np.column_stack([sides[0], np.where(same, sides[0], broken), sides[1]])
    at = np.repeat(at, 3)
    return np.insert(motion.times, at, np.repeat(when, 3)), np.insert(values, at, what.ravel())
