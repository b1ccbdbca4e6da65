"""SciPy's DOP853 with events, started again at every impact: right-hand sides and impacts written by hand in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from math import sin
from time import perf_counter
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from benchmarks import impacts
from benchmarks.impacts import BALL, BALL_START, BILLIARD_START, ELLIPSE, PENDULUM
from benchmarks.peers import Prepared, each
from benchmarks.systems import System

Statement = tuple[Callable[[float, Any], Any], Callable[[float, Any], float], Callable[[Any], Any], list[float]]


def prepare(system: System) -> Prepared:
    slope, gap, struck, start = {"billiard": billiard, "ball": ball, "wall-pendulum": wall_pendulum}[system.key]()
    gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        begin = perf_counter()
        t, state = 0.0, np.array(start)
        while t < system.duration:
            part = solve_ivp(
                slope, (t, system.duration), state, method="DOP853", rtol=tolerance, atol=tolerance, events=gap
            )
            t, state = part.t[-1], part.y[:, -1]
            if part.status == 1:
                state = struck(state)
        return perf_counter() - begin, compared(system, state)

    return Prepared(None, None, None, integrate, lambda count: each(lambda: slope(0.0, np.array(start)), count))


def warm() -> None:
    """Nothing is compiled."""


def reference(system: System) -> list[float]:
    return impacts.closed_form(system.key, system.duration)


def compared(system: System, state: Any) -> list[float]:
    if system.key != "ball":
        return [float(value) for value in state]
    x, speed, p2, p3, p4 = state
    return [float(x), float(speed), float((p2 + BALL["a2"] * p3) / (1 + 2 * BALL["a2"])), float(speed - p4)]


def billiard() -> Statement:
    a2, b2 = ELLIPSE["a"] ** 2, ELLIPSE["b"] ** 2

    def slope(t: float, s: Any) -> Any:
        return np.array([s[2], s[3], 0.0, 0.0])

    def gap(t: float, s: Any) -> float:
        return 1 - s[0] ** 2 / a2 - s[1] ** 2 / b2

    def struck(s: Any) -> Any:
        normal = s[:2] / (a2, b2)
        return np.concatenate((s[:2], s[2:] - 2 * (normal @ s[2:]) / (normal @ normal) * normal))

    return slope, gap, struck, list(BILLIARD_START.values())


def ball() -> Statement:
    """In the quasi-velocities of the paper: x, ẋ, p₂, p₃, p₄."""
    rates = np.array(list(impacts.ball_numbers().values()))

    def slope(t: float, s: Any) -> Any:
        return np.concatenate((s[1:2], rates))

    def gap(t: float, s: Any) -> float:
        return s[0]

    def struck(s: Any) -> Any:
        return s * (1, -1, 1, -1, 1)

    return slope, gap, struck, list(BALL_START.values())


def wall_pendulum() -> Statement:
    rate = PENDULUM["g"] / PENDULUM["l"]

    def slope(t: float, s: Any) -> Any:
        return np.array([s[1], -rate * sin(s[0])])

    def gap(t: float, s: Any) -> float:
        return PENDULUM["wall"] - s[0]

    def struck(s: Any) -> Any:
        return s * (1, -1)

    return slope, gap, struck, [PENDULUM["start"], 0.0]
