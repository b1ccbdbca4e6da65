"""What a peer is: a module with `prepare(system) -> Prepared`, listed in `plan.py` with the systems it can state.

A system is prepared once in a process, so derivations and compilations are never cache hits. The columns state,
derive and compile are measured after a pendulum of one link has been prepared there, so that late imports and
the start of a compiler do not count. They count in the first motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Prepared:
    """A system made ready by a peer; seconds to state the model, derive its equations, compile them.

    `integrate(tolerance)` returns (seconds, final state in the order of `System.compared`); `tolerance` is a step size
    divided by the duration for peers of fixed step. `evaluate(count)` evaluates the right-hand side that many times and
    returns seconds for one.
    """

    state: float | None
    derive: float | None
    compile: float | None
    integrate: Callable[[float], tuple[float, Sequence[float]]]
    evaluate: Callable[[int], float] | None = None
    notes: tuple[str, ...] = ()


def seconds(action: Callable[[], object]) -> float:
    """How long one call of `action` takes."""
    begin = perf_counter()
    action()
    return perf_counter() - begin


def each(action: Callable[[], object], count: int) -> float:
    """Seconds for one of `count` calls of `action` in a row."""
    begin = perf_counter()
    for _ in range(count):
        action()
    return (perf_counter() - begin) / count
