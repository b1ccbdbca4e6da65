"""Quantities watched over every step of a motion, in machine code: greatest and least values, and first crossings.

A quantity is seen at Chebyshev points of the step's interpolant, the step halved until the polynomial through them is
the quantity (`roots.resolved`). Extrema are then refined on the motion by Brent's method (Algorithms for Minimization
without Derivatives, 1973, chapter 5) wherever they may exceed what is known; crossings are isolated by Bernstein's sign
rule and bisected. Nothing here touches what the stepper goes on with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulate.core import (
    FROM_DYNAMICS,
    NEW,
    RANK_PHI,
    RANK_PSI,
    RESIDUAL,
    SEEN,
    accelerate,
    apart,
    call,
    kernel,
    load,
    project,
)  # fmt: skip
from dalembert.simulate.dop853 import dense_at
from dalembert.simulate.linear import DONE, IN_NU, IN_SLOPE
from dalembert.simulate.roots import NODES, PLACES, isolate, resolved

GREATEST, LEAST, PASSES = 0, 1, 2
KIND, PLACE, DIRECTION = 0, 1, 2  # columns of Watch.what
NARROWEST = 2.0**-12  # part of a step below which what its polynomial does not follow is taken as it is
DEPTH = 64
GOLDEN = 0.3819660112501051
ROUNDING = 1e-13
SHARP = 1e-8  # of the place of an extremum, in steps: its value is then known to rounding


class Watch(NamedTuple):
    """What is watched: a C function of x, accelerations and multipliers, and for every watch its kind and place."""

    function: int
    data: int
    forces: bool  # it looks at accelerations or multipliers
    what: np.ndarray  # kind, place among the function's values, direction of a crossing
    level: np.ndarray  # that a crossing passes


class Seen(NamedTuple):
    """Room for watching one motion, and what was seen."""

    x: np.ndarray  # t, q, v, z, p, accelerations, multipliers
    out: np.ndarray
    values: np.ndarray  # of every watch at the nodes
    best: np.ndarray  # the extremum so far, or the time of the crossing
    spans: np.ndarray
    brackets: np.ndarray


def seen_of(watch: Watch, inputs: int, values: int) -> Seen:
    count = max(len(watch.what), 1)
    return Seen(
        np.zeros(inputs), np.zeros(max(values, 1)), np.zeros((count, NODES + 2)), np.zeros(count),
        np.zeros((DEPTH, 2)), np.zeros((NODES, 3)),
    )  # fmt: skip


@kernel
def extended(surface, calls, mem, x, forces, fixed, t, y):
    """t, y and parameters into x; with `forces` also accelerations and multipliers. False where there are none."""
    load(calls, mem, t, y)
    inputs, n, k = mem.x.shape[0], calls.shape.n, calls.k
    for i in range(inputs):
        x[i] = mem.x[i]
    if surface is not None:
        if forces:
            out = mem.outs[FROM_DYNAMICS]
            call(calls.dynamics, out.ctypes.data, mem.x.ctypes.data, calls.dynamics_data)
            status, _ = accelerate(calls, mem, fixed, True)
            if status != DONE:
                return False
            for i in range(n):
                x[inputs + i] = mem.w.vectors[IN_SLOPE, i]
            for i in range(x.shape[0] - inputs - n):
                x[inputs + n + i] = y[2 * n + i] if i < k else mem.w.vectors[IN_NU, i]
    return True


@kernel
def look_at(surface, calls, mem, watch, seen, t, y):
    """All watched quantities at a state, into seen.out; NaN where they have no value."""
    apart()
    if extended(surface, calls, mem, seen.x, watch.forces, True, t, y):
        call(watch.function, seen.out.ctypes.data, seen.x.ctypes.data, watch.data)
    else:
        for i in range(seen.out.shape[0]):
            seen.out[i] = np.nan


@kernel
def look_between(surface, calls, mem, real, whole, watch, seen, t, h, s):
    """The same at the fraction s of the step just made, on the constraints where there is a surface to be on."""
    apart()
    y = mem.bank[SEEN]
    if s >= 1.0:
        for i in range(calls.size):
            y[i] = mem.bank[NEW, i]
    else:
        dense_at(mem, s, calls.size, y)
        if surface is not None:
            project(calls, mem, real, whole, t + s * h, y)
    look_at(surface, calls, mem, watch, seen, t + s * h, y)


@kernel
def value_between(surface, calls, mem, real, whole, watch, seen, t, h, s, w):
    look_between(surface, calls, mem, real, whole, watch, seen, t, h, s)
    return seen.out[watch.what[w, PLACE]] - watch.level[w]


@kernel
def count_in(watch, seen):
    """The quantities just looked at, at an end of a step, among the greatest and least."""
    for w in range(watch.what.shape[0]):
        value, kind = seen.out[watch.what[w, PLACE]], watch.what[w, KIND]
        if (kind == GREATEST and value > seen.best[w]) or (kind == LEAST and value < seen.best[w]):
            seen.best[w] = value


@kernel
def begin_watch(surface, calls, mem, watch, seen, t, y):
    """At the start of a motion."""
    for w in range(watch.what.shape[0]):
        kind = watch.what[w, KIND]
        seen.best[w] = -np.inf if kind == GREATEST else np.inf if kind == LEAST else np.nan
    look_at(surface, calls, mem, watch, seen, t, y)
    count_in(watch, seen)


@kernel
def vertex(s0, s1, s2, v0, v1, v2):
    """Place and height of the parabola through three points; the place is NaN where it has no summit."""
    slope, second = (v1 - v0) / (s1 - s0), (v2 - v1) / (s2 - s1)
    bend = (second - slope) / (s2 - s0)
    if not bend < 0.0:
        return np.nan, v1
    at = 0.5 * (s0 + s1) - 0.5 * slope / bend
    return at, v0 + slope * (at - s0) + bend * (at - s0) * (at - s1)


@kernel
def summit(surface, calls, mem, real, whole, watch, seen, t, h, w, sign, low, high):
    """The greatest of sign × watch w between two fractions of the step: parabolas watched by golden sections."""
    apart()
    x = low + GOLDEN * (high - low)
    fx = -sign * value_between(surface, calls, mem, real, whole, watch, seen, t, h, x, w)
    u, v, fu, fv, move, before = x, x, fx, fx, 0.0, 0.0
    second, f_second = x, fx
    for _ in range(80):
        middle, sharp = 0.5 * (low + high), SHARP * (1e-3 + abs(x)) + 1e-12
        if abs(x - middle) <= 2.0 * sharp - 0.5 * (high - low):
            break
        golden = True
        if abs(before) > sharp:
            r, q = (x - second) * (fx - fv), (x - v) * (fx - f_second)
            p, q = (x - v) * q - (x - second) * r, 2.0 * (q - r)
            p = -p if q > 0.0 else p
            q = abs(q)
            if abs(p) < abs(0.5 * q * before) and p > q * (low - x) and p < q * (high - x):
                before, move, golden = move, p / q, False
                if x + move - low < 2.0 * sharp or high - x - move < 2.0 * sharp:
                    move = sharp if x < middle else -sharp
        if golden:
            before = (high if x < middle else low) - x
            move = GOLDEN * before
        u = x + (move if abs(move) >= sharp else (sharp if move > 0.0 else -sharp))
        fu = -sign * value_between(surface, calls, mem, real, whole, watch, seen, t, h, u, w)
        if fu <= fx:
            low, high = (x, high) if u >= x else (low, x)
            v, second, x, fv, f_second, fx = second, x, u, f_second, fx, fu
        else:
            low, high = (u, high) if u < x else (low, u)
            if fu <= f_second or second == x:
                v, second, fv, f_second = second, u, f_second, fu
            elif fu <= fv or v in (x, second):
                v, fv = u, fu
    return -sign * fx


@kernel
def extremum(surface, calls, mem, real, whole, watch, seen, t, h, w, a, b):
    """Refine what may exceed the extremum so far between the fractions a and b."""
    sign = 1.0 if watch.what[w, KIND] == GREATEST else -1.0
    values, best = seen.values[w], sign * seen.best[w]
    low, high = np.inf, -np.inf
    for k in range(NODES):
        low, high = min(low, values[k]), max(high, values[k])
    if not high - low > ROUNDING * max(abs(low), abs(high)):
        return  # constant: there is nothing between the ends but rounding
    for k in range(NODES):
        first, last = max(k - 1, 0), min(k + 1, NODES - 1)
        here = sign * values[k]
        if not (here >= sign * values[first] and here >= sign * values[last]):
            continue
        i = min(max(k, 1), NODES - 2)
        at, height = vertex(
            PLACES[i - 1], PLACES[i], PLACES[i + 1], sign * values[i - 1], sign * values[i], sign * values[i + 1]
        )
        if not (at > PLACES[first] and at < PLACES[last]) and (k == 0 or k == NODES - 1):
            continue  # it goes on beyond: the neighbour's, or the end that is counted anyway
        if max(height, here) + 0.5 * abs(height - here) + 1e-7 * (high - low) > best:
            left, right = a + PLACES[first] * (b - a), a + PLACES[last] * (b - a)
            found = summit(surface, calls, mem, real, whole, watch, seen, t, h, w, sign, left, right)
            if sign * found > best:
                best = sign * found
                seen.best[w] = found


@kernel
def crossing(surface, calls, mem, real, whole, watch, seen, t, h, w, a, b, first):
    """The first root of watch w in its direction between the fractions a and b, as a time."""
    values, direction = seen.values[w], watch.what[w, DIRECTION]
    size = 0.0
    for k in range(NODES):
        size = max(size, abs(values[k]))
    if not size > 0.0:
        return
    found = isolate(values, first and values[0] == 0.0, mem.stack, seen.brackets)
    for r in range(found):
        left, right = a + seen.brackets[r, 0] * (b - a), a + seen.brackets[r, 1] * (b - a)
        at_right = value_between(surface, calls, mem, real, whole, watch, seen, t, h, right, w)
        rises = at_right >= 0.0
        begins = first and left == 0.0 and values[0] == 0.0
        at_left = -at_right if begins else value_between(surface, calls, mem, real, whole, watch, seen, t, h, left, w)
        if (at_left >= 0.0) == rises or (direction != 0 and rises != (direction > 0)):
            continue
        while True:
            middle = left + 0.5 * (right - left)
            if not (middle > left and middle < right and t + left * h < t + right * h):
                break
            value = value_between(surface, calls, mem, real, whole, watch, seen, t, h, middle, w)
            if (value >= 0.0) == rises:
                right = middle
            else:
                left = middle
        seen.best[w] = t + right * h
        return


@kernel
def see_nodes(surface, calls, mem, real, whole, watch, seen, t, h, a, b):
    """Every watch at every node between two fractions; whether the polynomials through them are the quantities."""
    apart()
    for k in range(NODES):
        s = a + PLACES[k] * (b - a)
        if s >= 1.0:
            look_between(surface, calls, mem, real, whole, watch, seen, t, h, 1.0)
        else:
            dense_at(mem, s, calls.size, mem.bank[SEEN])
            look_at(surface, calls, mem, watch, seen, t + s * h, mem.bank[SEEN])
        for w in range(watch.what.shape[0]):
            seen.values[w, k] = seen.out[watch.what[w, PLACE]] - watch.level[w]
    follows = True
    for w in range(watch.what.shape[0]):
        if watch.what[w, KIND] == PASSES:
            follows = follows and (not np.isnan(seen.best[w]) or resolved(seen.values[w]))
            continue
        if np.isfinite(seen.best[w]):  # as for a root, of what would have to rise above the extremum so far
            for k in range(NODES):
                seen.values[w, k] -= seen.best[w]
            follows = follows and resolved(seen.values[w])
            for k in range(NODES):
                seen.values[w, k] += seen.best[w]
    return follows


@kernel
def watch_step(surface, calls, mem, real, whole, watch, seen, t, h, end, first):
    """The step of length h from t, up to the fraction `end`, whose states are in the bank still."""
    apart()
    ranks = whole[RANK_PHI], whole[RANK_PSI]
    residuals = real[RESIDUAL], real[RESIDUAL + 1]
    seen.spans[0, 0], seen.spans[0, 1] = 0.0, end
    top = 1
    while top > 0:
        top -= 1
        a, b = seen.spans[top, 0], seen.spans[top, 1]
        follows = see_nodes(surface, calls, mem, real, whole, watch, seen, t, h, a, b)
        if not follows and b - a > NARROWEST * end and top + 2 <= DEPTH:
            middle = a + 0.5 * (b - a)
            seen.spans[top, 0], seen.spans[top, 1] = middle, b
            seen.spans[top + 1, 0], seen.spans[top + 1, 1] = a, middle
            top += 2
            continue
        for w in range(watch.what.shape[0]):
            if watch.what[w, KIND] != PASSES:
                extremum(surface, calls, mem, real, whole, watch, seen, t, h, w, a, b)
            elif np.isnan(seen.best[w]):
                crossing(surface, calls, mem, real, whole, watch, seen, t, h, w, a, b, first and a == 0.0)
    look_between(surface, calls, mem, real, whole, watch, seen, t, h, end)
    count_in(watch, seen)
    whole[RANK_PHI], whole[RANK_PSI] = ranks
    real[RESIDUAL], real[RESIDUAL + 1] = residuals
