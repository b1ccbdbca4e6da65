"""All roots of a guard inside a step, isolated on a polynomial through many nodes by Bernstein's sign rule.

The number of sign changes of the Bernstein coefficients bounds the number of roots and has its parity. No change means
no root, one change means one root, and more are split (de Casteljau) until the roots are separated. A root that only
touches zero has no sign change.
"""

from __future__ import annotations

from math import comb

import numpy as np

NODES = 15
UNRESOLVED = 1e-5  # last coefficients, relative to a guard's range, below which its polynomial represents the guard
SPLIT = 0.4871  # not a half, since a symmetric guard would have its root there


def _nodes(count: int) -> np.ndarray:
    """Chebyshev-Lobatto points on [0, 1]."""
    return (1 - np.cos(np.pi * np.arange(count) / (count - 1))) / 2


def from_values(s: np.ndarray) -> np.ndarray:
    """The matrix that maps values at s to Bernstein coefficients."""
    p = len(s) - 1
    return np.linalg.inv(np.array([[comb(p, i) * x**i * (1 - x) ** (p - i) for i in range(p + 1)] for x in s]))


PLACES = _nodes(NODES)
TO_BERNSTEIN = from_values(PLACES)
TO_BERNSTEIN_DEFLATED = from_values(PLACES[1:]) / PLACES[1:]  # with the root at zero divided out
TAIL = np.array([[np.cos(np.pi * j * k / (NODES - 1)) for j in range(NODES)] for k in range(NODES - 3, NODES)])
TAIL[:, [0, -1]] /= 2


def _rounding(values):
    """A bound of the errors of a guard's values. For a smooth guard the last Chebyshev coefficients are only such
    errors.
    """
    most = 0.0
    for k in range(3):
        entry = 0.0
        for j in range(NODES):
            entry += TAIL[k, j] * values[j]
        most = max(most, abs(entry))
    return 10.0 * most


def _clear(values):
    """Whether the values lie too close together, compared with their distance from zero, for a root. The polynomial
    stays within three times their spread, as the Lebesgue constant of these nodes is 2.7.
    """
    low, high = values[0], values[0]
    for k in range(1, NODES):
        low, high = min(low, values[k]), max(high, values[k])
    return 2.0 * low > high or 2.0 * high < low


def isolate(values, deflate, stack, found):
    """Write brackets [s0, s1] of the roots in (0, 1] into `found`, in order, and return their number.

    With `deflate` the root at s = 0 is divided out first, because it belongs to the event that began this motion.
    """
    if not deflate and _clear(values):
        return 0
    top, count = 0, 0
    if deflate:
        p = NODES - 2
        for i in range(p + 1):
            entry = 0.0
            for j in range(p + 1):
                entry += TO_BERNSTEIN_DEFLATED[i, j] * values[j + 1]
            stack[0, i] = entry
        if abs(stack[0, 0]) <= _rounding(values) / PLACES[1]:  # the root was double, and this is its rounding
            stack[0, 0] = stack[0, 1]
    else:
        p = NODES - 1
        for i in range(p + 1):
            entry = 0.0
            for j in range(p + 1):
                entry += TO_BERNSTEIN[i, j] * values[j]
            stack[0, i] = entry
    stack[0, NODES], stack[0, NODES + 1] = 0.0, 1.0
    top = 1
    while top > 0:
        top -= 1
        c, left, right = stack[top], stack[top, NODES], stack[top, NODES + 1]
        changes = 0
        for i in range(p):
            if (c[i] >= 0.0) != (c[i + 1] >= 0.0):
                changes += 1
        if changes == 0:
            continue
        if changes > 1 and (right - left < 1e-13 or top + 2 >= stack.shape[0]):
            if (c[0] >= 0.0) == (c[p] >= 0.0):
                continue
            changes = 1
        if changes == 1:
            if count < found.shape[0]:
                found[count, 0], found[count, 1] = left, right
                count += 1
            continue
        # The right part stays at `top`. The left part goes above it and is examined first.
        middle = left + SPLIT * (right - left)
        for i in range(p + 1):
            stack[top + 1, i] = c[i]
        for level in range(1, p + 1):
            for i in range(p - level + 1):
                c[i] += SPLIT * (c[i + 1] - c[i])
            # After `level` rounds c[0] is the left part's coefficient of that index; c[p-level:] is the right part's.
            stack[top + 1, level] = c[0]
        stack[top, NODES], stack[top, NODES + 1] = middle, right
        stack[top + 1, NODES], stack[top + 1, NODES + 1] = left, middle
        top += 2
    return count


def resolved(values):
    """Whether the polynomial through the nodes represents the guard: its last coefficients are small, or no root is
    near.
    """
    low, high, nearest = np.inf, -np.inf, np.inf
    for k in range(NODES):
        low, high = min(low, values[k]), max(high, values[k])
        nearest = min(nearest, abs(values[k]))
    tail = _rounding(values) / NODES
    return tail <= UNRESOLVED * (high - low) or nearest > 10.0 * tail
