"""Controllers in the derivative of a motion: at their instants what they hold takes new values.

s⁺ = g(x⁻),   S⁺ = g_x δx⁻ in the rows of what is held;   the instants themselves depend on nothing
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.derivatives.symbolic import jacobian
from dalembert.programs.functions import Function, compiled
from dalembert.programs.system import CompiledSystem

SAME_TICK = 1e-9  # of a period: an instant so near to the start is the start


@dataclass(frozen=True, slots=True)
class ClockInstant:
    """An instant at which some controllers compute: rows of y that change, and g_x as a function of x."""

    time: float
    rows: tuple[int, ...]
    slopes: Function

    def passed(
        self, system: CompiledSystem, states: Callable[[Array], Array], S: Array, p: Array, aside: float
    ) -> Array:
        """S after the instant. Coordinates and speeds are continuous; what is held is seen from before it."""
        n = system.n
        y, before = states(np.array([self.time])), states(np.array([self.time - aside]))
        x = system.state(np.array([self.time]), y[:, :n], y[:, n : 2 * n], before[:, 2 * n :])[0]
        dx = np.vstack([np.zeros((1, S.shape[1])), S, p])
        found = S.copy()
        found[list(self.rows)] = self.slopes(x).reshape(len(self.rows), -1) @ dx
        return found


def clocks_of(system: CompiledSystem, start: float, end: float) -> list[ClockInstant]:
    """The instants from `start` to `end`, in order; controllers of the same instant see what was held before it."""
    eq = system.equations
    due: dict[float, list[Any]] = {}
    for law in eq.sampled:
        first = int(np.ceil((start - law.offset) / law.every - SAME_TICK))
        last = int(np.floor((end - law.offset) / law.every + SAME_TICK))
        for count in range(max(first, 0), last + 1):
            due.setdefault(float(np.clip(law.offset + count * law.every, start, end)), []).append(law)
    place = {symbol: 2 * system.n + system.k + i for i, symbol in enumerate(eq.followed)}
    made: dict[tuple[str, ...], tuple[tuple[int, ...], Function]] = {}
    found = []
    for time, laws in sorted(due.items()):
        names = tuple(law.name for law in laws)
        if names not in made:
            values = {symbol: value for law in laws for symbol, value in law.values.items()}
            rows = [e for row in jacobian(list(values.values()), eq.inputs) for e in row]
            made[names] = tuple(place[symbol] for symbol in values), compiled(eq.inputs, rows, backend="numpy")
        found.append(ClockInstant(time, *made[names]))
    return found
