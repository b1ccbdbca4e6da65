"""What `linearize` answers: the matrix of the linearized equations, its eigenvalues, and how steady the motion is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from dalembert.results.text import number, table

Numbers = Mapping[str, float]
NEUTRAL = 1e-7  # real parts smaller than this, beside the largest eigenvalue, are zero: a double zero is no better
WIDEST = 8  # a larger matrix is not printed


@dataclass(frozen=True, slots=True)
class Steady:
    """Whether the motion is steady, and what of it is not: `rates` are those of all that is not ignorable."""

    holds: bool
    residual: float
    rates: Numbers
    ignorable: tuple[str, ...]
    uniform: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "residual": self.residual,
            "rates": dict(self.rates),
            "ignorable": list(self.ignorable),
            "uniform": list(self.uniform),
        }


@dataclass(frozen=True, slots=True)
class Linearization:
    """δẋ = M δx about a state; x are the independent coordinates and speeds named in `states`."""

    method: str
    time: float
    coordinates: Numbers
    speeds: Numbers
    states: tuple[str, ...]
    matrix: np.ndarray
    eigenvalues: np.ndarray  # complex, those that grow fastest first
    steady: Steady
    degrees_of_freedom: int
    corrections: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""

    @property
    def stability(self) -> str:
        """unstable: some disturbance grows; stable: all fade; neutral: some neither grow nor fade."""
        kinds = {self.kind(value) for value in self.eigenvalues}
        return next((kind for kind in ("unstable", "neutral") if kind in kinds), "stable")

    def kind(self, value: complex) -> str:
        """Of one eigenvalue."""
        return "neutral" if self._small(value.real) else "unstable" if value.real > 0 else "stable"

    def to_dict(self) -> dict[str, Any]:
        """The answer of `linearize --json`."""
        return {
            "method": self.method,
            "time": self.time,
            "coordinates": dict(self.coordinates),
            "speeds": dict(self.speeds),
            "states": list(self.states),
            "matrix": self.matrix.tolist(),
            "eigenvalues": [[value.real, value.imag] for value in self.eigenvalues.tolist()],
            "stability": self.stability,
            "steady": self.steady.to_dict(),
            "degrees_of_freedom": self.degrees_of_freedom,
            "corrections": [dict(change) for change in self.corrections],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [*([self.title] if self.title else []), f"method {self.method}, t = {number(self.time)}", ""]
        rows = [[name, number(self.coordinates[name]), number(self.speeds[name])] for name in self.coordinates]
        lines += table(["", "q", "q'"], rows)
        if not self.states:
            return "\n".join([*lines, "", "nothing is free to move", *(f"note: {note}" for note in self.notes)])
        lines += ["", self._about(), ""]
        lines += table(["eigenvalues", "growth rate", "frequency [rad/s]", "period [s]"], self._modes())
        if len(self.states) <= WIDEST:
            entries = [
                [name, *(f"{e + 0.0:.6g}" for e in row)] for name, row in zip(self.states, self.matrix, strict=True)
            ]
            lines += ["", *table(["rate of", *self.states], entries)]
        else:
            lines += ["", f"the matrix, {len(self.states)} by {len(self.states)}, is in the answer of --json"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _about(self) -> str:
        what = "no steady motion"
        if self.steady.holds:
            what = "steady motion" if any(self.speeds.values()) else "equilibrium"
        zeros = sum(self._small(abs(value)) for value in self.eigenvalues)
        words = [what, self.stability, *([f"zero eigenvalues: {zeros} of {len(self.states)}"] if zeros else [])]
        ignorable = ", ".join(self.steady.ignorable)
        return ", ".join(words) + (f"; ignorable: {ignorable}" if ignorable else "")

    def _small(self, value: float) -> bool:
        return abs(value) <= NEUTRAL * float(np.abs(self.eigenvalues).max(initial=0.0))

    def _modes(self) -> list[list[str]]:
        """A line for each real eigenvalue and each pair; equal ones are counted."""
        counts: dict[tuple[str, ...], int] = {}
        for value in self.eigenvalues.tolist():
            growth, turn = (0.0 if self._small(part) else part for part in (value.real, value.imag))
            if turn >= 0:
                cells = (number(turn), number(2 * pi / turn)) if turn else ("", "")
                line = (self.kind(value), number(growth), *cells)
                counts[line] = counts.get(line, 0) + 1
        return [[kind + (f" ({count})" if count > 1 else ""), *line] for (kind, *line), count in counts.items()]
