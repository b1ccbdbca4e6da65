"""Extended precision without symbols: an extrapolation integrator and an elimination, in long double."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Real = np.longdouble


def vector(*values: float | str) -> np.ndarray:
    return np.array([Real(v) for v in values], dtype=Real)


def solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """matrix · x = right, by Gauss's elimination with row pivoting."""
    a = np.column_stack([matrix, right]).astype(Real)
    n = len(right)
    for i in range(n):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, p]] = a[[p, i]]
        a[i + 1 :] -= np.outer(a[i + 1 :, i] / a[i, i], a[i])
    x = np.zeros(n, dtype=Real)
    for i in reversed(range(n)):
        x[i] = (a[i, n] - a[i, i + 1 : n] @ x[i + 1 :]) / a[i, i]
    return x


def motion(
    rate: Callable[[Real, np.ndarray], np.ndarray], start: np.ndarray, times: Sequence[float], step: float
) -> list[np.ndarray]:
    """The states at `times`, from `start` at 0: Gragg's midpoint rule, extrapolated eight times (order 16)."""
    t, y, states = Real(0), start.astype(Real), []
    for end in times:
        count = max(1, int(np.ceil(float((Real(end) - t) / Real(step)))))
        h, t0 = (Real(end) - t) / count, t
        for k in range(count):
            y = _extrapolated(rate, t0 + k * h, y, h)
        t = Real(end)
        states.append(y.copy())
    return states


def _extrapolated(rate: Callable, t: Real, y: np.ndarray, h: Real, levels: int = 8) -> np.ndarray:
    first = rate(t, y)
    table: list[np.ndarray] = []
    for level in range(levels):
        n = 2 * (level + 1)
        s = h / n
        before, now = y, y + s * first
        for i in range(1, n):
            before, now = now, before + 2 * s * rate(t + i * s, now)
        row = [(before + now + s * rate(t + h, now)) / 2]
        for j in range(level):
            ratio = (Real(n) / Real(2 * (level - j))) ** 2
            row.append(row[j] + (row[j] - table[j]) / (ratio - 1))
        table = row
    return table[-1]
