"""What `linearize` answers: the matrix of the linearized equations, its eigenvalues, and how steady the motion is."""

from __future__ import annotations

from cmath import phase
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import degrees, pi
from typing import Any

import numpy as np

from dalembert.results.text import number, table

MOST_MODES = 6  # in one table
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
class Matrices:
    """M δu̇ + C δu + K δq = 0: rows and columns of M and C are `speeds`, the columns of K `coordinates`."""

    speeds: tuple[str, ...]
    coordinates: tuple[str, ...]
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        return {
            "speeds": list(self.speeds),
            "coordinates": list(self.coordinates),
            **{name: getattr(self, name).tolist() for name in "MCK"},
        }

    def text(self, ignorable: Collection[str]) -> list[str]:
        """The three, side by side under their heads; columns of ignorable coordinates are zero and left out."""
        lines = ["M δu̇ + C δu + K δq = 0, u the independent speeds"]
        shown = [i for i, name in enumerate(self.coordinates) if name not in ignorable]
        for name, matrix, heads in (
            ("M", self.M, list(self.speeds)),
            ("C", self.C, list(self.speeds)),
            ("K", self.K[:, shown], [self.coordinates[i] for i in shown]),
        ):
            rows = [
                [row, *(f"{e + 0.0:.6g}" for e in entries)] for row, entries in zip(self.speeds, matrix, strict=True)
            ]
            lines += table([name, *heads], rows)
        return lines


@dataclass(frozen=True, slots=True)
class Mode:
    """How coordinates and speeds move under one eigenvalue: complex amplitudes; of a pair, the upper one's."""

    eigenvalue: complex
    coordinates: Mapping[str, complex]
    speeds: Mapping[str, complex]

    def to_dict(self) -> dict[str, Any]:
        def pairs(amplitudes: Mapping[str, complex]) -> dict[str, list[float]]:
            return {name: [value.real, value.imag] for name, value in amplitudes.items()}

        value = self.eigenvalue
        return {
            "eigenvalue": [value.real, value.imag],
            "coordinates": pairs(self.coordinates),
            "speeds": pairs(self.speeds),
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
    family: int = 0  # dimension of the steady motions around this one, to first order
    matrices: Matrices | None = None
    modes: tuple[Mode, ...] = ()
    corrections: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""

    @property
    def stability(self) -> str:
        """unstable: some disturbance grows; stable: all fade; neutral: some neither grow nor fade.

        Zeros that must be there do not count: a shift of an ignorable coordinate, and the way to neighbouring steady
        motions. Where nothing fades, a motion is neutral all the same.
        """
        return stability(self.eigenvalues, len(self.steady.ignorable) + self.family)

    def kind(self, value: complex) -> str:
        """Of one eigenvalue."""
        return "neutral" if self._small(value.real) else "unstable" if value.real > 0 else "stable"

    @property
    def verdict(self) -> str:
        """What the eigenvalues say about stability, and what they cannot say."""
        zeros = sum(self._small(abs(value)) for value in self.eigenvalues)
        shifts, near = len(self.steady.ignorable), min(self.family, zeros)
        more = zeros - shifts - near
        turning = any(self._small(value.real) and not self._small(abs(value)) for value in self.eigenvalues)
        words = {"unstable": "disturbances grow", "stable": "disturbances fade", "neutral": "disturbances do not fade"}
        parts = [words[self.stability]]
        if self.stability == "neutral" and turning:
            parts.append("an eigenvalue on the imaginary axis leaves the decision to nonlinear terms")
        if more > 0:
            parts.append(f"{_counted(more, 'zero eigenvalue')} beyond those below: first-order terms do not decide")
        if shifts:
            parts.append(f"{_counted(shifts, 'zero eigenvalue')} of ignorable coordinates")
        if near:
            parts.append(f"{_counted(near, 'zero eigenvalue')} of neighbouring steady motions")
        return "; ".join(parts)

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
            "verdict": self.verdict,
            "family": self.family,
            "matrices": None if self.matrices is None else self.matrices.to_dict(),
            "modes": [mode.to_dict() for mode in self.modes],
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
        lines += ["", self._about(), self.verdict, ""]
        lines += table(["eigenvalues", "growth rate", "frequency [rad/s]", "period [s]"], self.spectrum_lines())
        lines += self._mode_table()
        if len(self.states) <= WIDEST:
            entries = [
                [name, *(f"{e + 0.0:.6g}" for e in row)] for name, row in zip(self.states, self.matrix, strict=True)
            ]
            lines += ["", *table(["rate of", *self.states], entries)]
        else:
            lines += ["", f"the matrix, {len(self.states)} by {len(self.states)}, is in the answer of --json"]
        if self.matrices is not None and len(self.matrices.speeds) <= WIDEST:
            lines += ["", *self.matrices.text(self.steady.ignorable)]
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

    def _mode_table(self) -> list[str]:
        """Amplitude and phase of the coordinates in every mode, a column for each."""
        shown = self.modes[:MOST_MODES]
        if not shown:
            return []
        heads = [_written(mode.eigenvalue) for mode in shown]
        rows = [[name, *(_polar(mode.coordinates[name]) for mode in shown)] for name in self.coordinates]
        rows = [row for row in rows if any(cell != "0" for cell in row[1:])]
        return ["", *table(["mode", *heads], rows)] if rows else []

    def spectrum_lines(self) -> list[list[str]]:
        """A line for each real eigenvalue and each pair; equal ones are counted."""
        counts: dict[tuple[str, ...], int] = {}
        for value in self.eigenvalues.tolist():
            growth, turn = (0.0 if self._small(part) else part for part in (value.real, value.imag))
            if turn >= 0:
                cells = (number(turn), number(2 * pi / turn)) if turn else ("", "")
                line = (self.kind(value), number(growth), *cells)
                counts[line] = counts.get(line, 0) + 1
        return [[kind + (f" ({count})" if count > 1 else ""), *line] for (kind, *line), count in counts.items()]


def stability(eigenvalues: np.ndarray, expected_zeros: int) -> str:
    """stable, neutral or unstable, where so many zero eigenvalues are no matter of stability."""
    small = NEUTRAL * float(np.abs(eigenvalues).max(initial=0.0))
    zeros = int((np.abs(eigenvalues) <= small).sum())
    if np.any(eigenvalues.real > small):
        return "unstable"
    if zeros > expected_zeros or np.any((np.abs(eigenvalues.real) <= small) & (np.abs(eigenvalues) > small)):
        return "neutral"
    return "stable" if np.any(eigenvalues.real < -small) else "neutral"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _written(value: complex) -> str:
    turn = f" ± {abs(value.imag):.4g}i" if value.imag else ""
    return f"{value.real + 0.0:.4g}{turn}"


def _polar(value: complex) -> str:
    """Amplitude and phase in degrees; of a real one its value."""
    if value.imag == 0 or abs(value.imag) <= 1e-9 * abs(value):
        return f"{value.real + 0.0:.4g}"
    return f"{abs(value):.4g} ∠ {degrees(phase(value)):.1f}°"
