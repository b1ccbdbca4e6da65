"""heyoka with terminal events whose callbacks reflect the state; equations and impacts written by hand."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import heyoka as hy

from benchmarks import impacts
from benchmarks.impacts import BALL, BALL_START, BILLIARD_START, ELLIPSE, PENDULUM
from benchmarks.peers import Prepared
from benchmarks.systems import FIRST_TOLERANCE, System

if hasattr(hy.llvm_state, "set_diskcache_enabled"):
    hy.llvm_state.set_diskcache_enabled(False)


def prepare(system: System) -> Prepared:
    begin = perf_counter()
    equations, gap, struck, start = STATEMENTS[system.key]()
    event = hy.t_event(gap, callback=struck, direction=hy.event_direction.negative)
    middle = perf_counter()
    built = {FIRST_TOLERANCE: hy.taylor_adaptive(equations, start, tol=FIRST_TOLERANCE, t_events=[event])}
    end = perf_counter()

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        if tolerance not in built:
            built[tolerance] = hy.taylor_adaptive(equations, start, tol=tolerance, t_events=[event])
        integrator = built[tolerance]
        integrator.time = 0.0
        integrator.state[:] = start
        integrator.reset_cooldowns()
        moved = perf_counter()
        integrator.propagate_until(system.duration)
        return perf_counter() - moved, compared(system, [float(value) for value in integrator.state])

    return Prepared(None, middle - begin, end - middle, integrate)


def warm() -> None:
    """Start the compiler with another system than the measured ones."""
    x, v = hy.make_vars("x", "v")
    hy.taylor_adaptive([(x, v), (v, -x)], [1.0, 0.0])


def compared(system: System, state: list[float]) -> list[float]:
    if system.key != "ball":
        return state
    x, speed, p2, p3, p4 = state
    return [x, speed, (p2 + BALL["a2"] * p3) / (1 + 2 * BALL["a2"]), speed - p4]


def billiard() -> tuple[Any, Any, Any, list[float]]:
    x, y, u, v = hy.make_vars("x", "y", "u", "v")
    a2, b2 = ELLIPSE["a"] ** 2, ELLIPSE["b"] ** 2

    def struck(integrator: Any, side: int) -> bool:
        px, py, vx, vy = integrator.state
        nx, ny = px / a2, py / b2
        back = 2 * (vx * nx + vy * ny) / (nx * nx + ny * ny)
        integrator.state[2:] = vx - back * nx, vy - back * ny
        return True

    equations = [(x, u), (y, v), (u, hy.expression(0.0)), (v, hy.expression(0.0))]
    return equations, 1.0 - x * x / a2 - y * y / b2, struck, list(BILLIARD_START.values())


def ball() -> tuple[Any, Any, Any, list[float]]:
    variables = hy.make_vars("x", "u", "p2", "p3", "p4")
    rates = [hy.expression(rate) for rate in impacts.ball_numbers().values()]

    def struck(integrator: Any, side: int) -> bool:
        integrator.state[1] *= -1
        integrator.state[3] *= -1
        return True

    equations = list(zip(variables, [variables[1], *rates], strict=True))
    return equations, variables[0], struck, list(BALL_START.values())


def wall_pendulum() -> tuple[Any, Any, Any, list[float]]:
    q, w = hy.make_vars("q", "w")

    def struck(integrator: Any, side: int) -> bool:
        integrator.state[1] *= -1
        return True

    equations = [(q, w), (w, -PENDULUM["g"] / PENDULUM["l"] * hy.sin(q))]
    return equations, PENDULUM["wall"] - q, struck, [PENDULUM["start"], 0.0]


STATEMENTS = {"billiard": billiard, "ball": ball, "wall-pendulum": wall_pendulum}
