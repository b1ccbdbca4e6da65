"""Parameters that a motion changes: first-order states, data, and values that controllers hold.

    x = (t, q, v, z, p),  w ⊂ p      ẇ = ṡ(x) for a state; the data's own rate where the model follows it; else anything
Of data and of held values nothing is known in advance: they jump, or follow a curve of any slope. Random states have
random values of w in their ranges, and random rates. So a result holds for every course of the data and of the held
values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.model.signals import RATE, pieces
from dalembert.programs.functions import Function, compiled

SAMPLES = 200  # of data between its first and last time, to find its range


def moving(equations: Equations) -> tuple[Any, ...]:
    """(t, q, v, z, w): the symbols that change along a motion."""
    eq = equations
    return (eq.t, *eq.q, *eq.v, *eq.z, *eq.varying)


@dataclass(frozen=True)
class Varying:
    """w of the equations: places in x, ranges and rates."""

    equations: Equations

    def __len__(self) -> int:
        return len(self.equations.varying)

    @cached_property
    def places(self) -> list[int]:
        inputs = {symbol: place for place, symbol in enumerate(self.equations.inputs)}
        return [inputs[symbol] for symbol in self.equations.varying]

    @cached_property
    def ranges(self) -> np.ndarray:
        """The least and greatest value of each. A state or held value is taken about its start, with the same sign."""
        eq = self.equations
        found = np.zeros((len(self), 2))
        for i, symbol in enumerate(eq.varying):
            start = float(eq.parameters[symbol])
            if symbol in eq.signals:
                signal = eq.signals[symbol]
                times = np.concatenate([signal.times, np.linspace(signal.times[0], signal.times[-1], SAMPLES)])
                values = pieces(signal)(times)
                found[i] = min(start, values.min()), max(start, values.max())
            else:
                found[i] = (0.5 * start, 1.5 * start) if start else (-1.0, 1.0)
        return np.sort(found, axis=1)

    @cached_property
    def known(self) -> dict[int, Any]:
        """The rates that are expressions of x, by their place in w."""
        eq = self.equations
        symbols = {str(symbol): symbol for symbol in eq.signals}
        rates = {**eq.states, **{s: symbols[f"{s}{RATE}"] for s in eq.signals if f"{s}{RATE}" in symbols}}
        rates |= {s: symbols[f"{s}2"] for s in eq.signals if str(s).endswith(RATE) and f"{s}2" in symbols}
        return {i: rates[symbol] for i, symbol in enumerate(eq.varying) if symbol in rates}

    @cached_property
    def _code(self) -> Function:
        return compiled(self.equations.inputs, list(self.known.values()), backend="numpy")

    def drawn(self, start: np.ndarray, spread: float, chance: np.random.Generator) -> np.ndarray:
        """Random values, a row for each of the rows `start` of values at the start."""
        low, high = self.ranges.T
        return (1.0 - spread) * start + spread * chance.uniform(low, high, start.shape)

    def any_rates(self, chance: np.random.Generator) -> np.ndarray:
        """Random rates of everything whose rate is not known. Data that is constant stays so."""
        low, high = self.ranges.T
        return (high - low) * chance.normal(size=len(self))

    def rates(self, x: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        found = np.array([self.any_rates(chance) for _ in x]).reshape(len(x), len(self))
        if self.known:
            found[:, list(self.known)] = self._code(x)
        return found
