"""Instants at which the equations themselves switch: conditions of abs, sign, min and max.

At such an instant the state is continuous and its rate may jump. Hence the derivative jumps: S⁺ = S⁻ + (ẏ⁻ − ẏ⁺) δτ,
with δτ from the zero of left − right. Zeros are bracketed on parts of every step of the known motion, and found by
Brent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.equations import Equations
from dalembert.programs.expressions import program
from dalembert.programs.functions import Function, compiled
from dalembert.programs.program import COMPARISONS

PARTS = 4  # parts of a step in which a change of sign is sought


@dataclass(frozen=True, slots=True)
class Switches:
    """Expressions whose zeros are the switches."""

    expressions: tuple[Any, ...]
    function: Function | None

    def between(
        self, states: Callable[[Array], Array], edges: Array, first: float, last: float
    ) -> list[tuple[float, Any]]:
        """Instants between two times at which an expression changes its sign, with its index. `states` gives x."""
        if self.function is None:
            return []
        from scipy.optimize import brentq

        within = np.array([first, *(edge for edge in edges.tolist() if first < edge < last), last])
        times = np.unique(np.concatenate([np.linspace(a, b, PARTS + 1) for a, b in pairwise(within.tolist())]))
        values = self.function(states(times))
        found = []
        for place, expression in enumerate(self.expressions):
            signs = np.sign(values[:, place])
            for i in np.flatnonzero(signs[:-1] * signs[1:] < 0).tolist():
                time = brentq(
                    lambda t, place=place: float(self.function(states(np.array([t])))[0, place]),  # type: ignore[misc]
                    times[i], times[i + 1], xtol=1e-15, rtol=1e-14,
                )  # fmt: skip
                found.append((float(time), expression))
            zeros = [i for i in np.flatnonzero(signs == 0).tolist() if 0 < i < len(signs) - 1]
            found += [(float(times[i]), expression) for i in zeros if signs[i - 1] * signs[i + 1] < 0]
        return sorted(found, key=lambda pair: pair[0])


def switches_of(eq: Equations, further: Sequence[Any] = ()) -> Switches:
    """The switches of the equations of motion and of further expressions."""
    rows = [*eq.D, eq.d, *eq.A, eq.b, *(eq.R or ()), tuple(further)]
    code = program(eq.inputs, [e for row in rows for e in row], sources=True)
    found: dict[Any, None] = {}
    for place, operation in enumerate(code.operations):
        if operation.kind in COMPARISONS:
            left, right = code.sources[place].args
            if (right - left) not in found:
                found[left - right] = None
    return Switches(tuple(found), compiled(eq.inputs, list(found), backend="numpy") if found else None)
