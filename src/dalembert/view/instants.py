"""The instants at which a motion is drawn, and its coordinates there.

Between samples the coordinates follow the quintic through q, q̇ and q̈ at both ends, or the stepper's own interpolant if
the motion kept it. Speeds may jump at events, so each piece ends there. Intervals between instants are halved until a
screen cannot show the difference from straight lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.results.motion import Motion

MOST = 6000  # instants


@dataclass(frozen=True, slots=True)
class DrawnCourse:
    """q and q̇ as functions of time, in pieces between jumps."""

    times: np.ndarray  # nodes, non-decreasing; twice where a piece ends and the next begins
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray  # NaN at the ends of pieces, where it is unknown
    dense: Callable[[np.ndarray, bool], tuple[np.ndarray, np.ndarray]] | None = None

    @property
    def start(self) -> float:
        return float(self.times[0])

    @property
    def end(self) -> float:
        return float(self.times[-1])

    def at(self, times: np.ndarray, after: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """q and q̇, a row for each time. At a jump, those after it, or before it."""
        if self.dense is not None:
            return self.dense(times, after)
        if len(self.times) == 1:
            return np.repeat(self.q, len(times), 0), np.repeat(self.v, len(times), 0)
        right = np.clip(np.searchsorted(self.times, times, "right" if after else "left"), 1, len(self.times) - 1)
        left = right - 1
        h = self.times[right] - self.times[left]
        s = np.where(h > 0, (times - self.times[left]) / np.where(h > 0, h, 1.0), 1.0)[:, None]
        c = self._coefficients(left, right, h[:, None])
        q = self.q[left] + s * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4]))))
        rate = c[0] + s * (2 * c[1] + s * (3 * c[2] + s * (4 * c[3] + s * 5 * c[4])))
        return q, np.where(h[:, None] > 0, rate / np.where(h > 0, h, 1.0)[:, None], self.v[right])

    def _coefficients(self, left: np.ndarray, right: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, ...]:
        """The coefficients of s … s⁵: the quintic through q, q̇ and q̈ at both ends, or a cubic if a q̈ is unknown."""
        v, a = h * self.v[left], h * h * self.a[left] / 2
        D, V = self.q[right] - self.q[left] - v, h * self.v[right] - v
        A = h * h * self.a[right] - 2 * a
        quintic = a, 10 * (D - a) - 4 * (V - 2 * a) + A / 2, 7 * (V - 2 * a) - 15 * (D - a) - A
        last = 6 * (D - a) - 3 * (V - 2 * a) + A / 2
        known = np.isfinite(last)
        zero = np.zeros_like(D)
        cubic = 3 * D - V, V - 2 * D, zero
        parts = [np.where(known, five, three) for five, three in zip(quintic, cubic, strict=True)]
        return v, *parts, np.where(known, last, zero)


def course(motion: Motion) -> DrawnCourse:
    """The course of a motion from its samples and from both sides of its jumps."""
    names = list(motion.coordinates)
    order = np.argsort(motion.times, kind="stable")
    t = motion.times[order]
    order = order[np.append(True, np.diff(t) > 0)] if len(t) else order
    t = motion.times[order]
    rows = [motion.coordinates, motion.speeds, motion.accelerations]
    q, v, a = (np.array([values[name][order] for name in names]).reshape(len(names), -1).T for values in rows)
    jumps = motion.jumps
    if motion.dense is None and jumps is not None and len(t) > 1:
        inside = (jumps.times > t[0]) & (jumps.times < t[-1])
        when = jumps.times[inside]
        free = ~np.isin(t, when)
        both = [
            np.array([side[f"{name}{prime}"][inside] for name in names]).T.reshape(-1, len(names))
            for prime in ("", "'")
            for side in (jumps.before, jumps.after)
        ]
        t = np.concatenate([t[free], when, when])
        q, v = np.concatenate([q[free], *both[:2]]), np.concatenate([v[free], *both[2:]])
        a = np.concatenate([a[free], np.full((2 * len(when), len(names)), np.nan)])
        turn = np.arange(len(when))
        order = np.lexsort((np.concatenate([np.zeros(free.sum()), 2 * turn, 2 * turn + 1]), t))
        t, q, v, a = t[order], q[order], v[order], a[order]
    return DrawnCourse(t, q, v, a, motion.dense)


def instants(
    motion: Motion, run: DrawnCourse, drawn: Callable[[np.ndarray], np.ndarray], size: float, most: int = MOST
) -> np.ndarray:
    """Times at which to draw. `drawn` gives the drawn numbers at given times, and `size` is the allowed error.

    It starts from an even division and the events. An interval is halved while the middle of its straight line is more
    than `size` away from the motion, until there are `most` instants or the interval is very short.
    """
    if run.end <= run.start:
        return np.array([run.start])
    times = np.linspace(run.start, run.end, 121)
    glance = 1e-6 * (run.end - run.start)
    rate = np.abs(drawn(times[:-1] + glance) - drawn(times[:-1])).max(initial=0.0) / glance
    turns = rate * (run.end - run.start) / (60 * size)  # a wheel that turns once in an interval would seem at rest
    times = np.linspace(run.start, run.end, 1 + int(np.clip(turns, 120, most // 2)))
    events = np.array([event.time for event in motion.events if run.start < event.time < run.end])
    if len(events) <= most // 4:
        times = np.union1d(times, events)
    values = drawn(times)
    open_ = np.arange(len(times) - 1)
    while len(open_) and len(times) < most:
        middles = (times[open_] + times[open_ + 1]) / 2
        fresh = drawn(middles)
        off = np.abs(fresh - (values[open_] + values[open_ + 1]) / 2).max(axis=1, initial=0.0)
        wanted = (off > size) & (times[open_ + 1] - times[open_] > glance)  # at a jump, no line is near enough
        chosen = open_[wanted]
        room = most - len(times)
        if len(chosen) > room:
            worst = np.argsort(-off[wanted])[:room]
            chosen = np.sort(chosen[worst])
        if not len(chosen):
            break
        picked = np.isin(open_, chosen)
        times = np.insert(times, chosen + 1, middles[picked])
        values = np.insert(values, chosen + 1, fresh[picked], axis=0)
        at = chosen + np.arange(len(chosen))
        open_ = np.sort(np.concatenate([at, at + 1]))
    return times
