"""The answer of `linearize`: the matrix of the linearized equations, its eigenvalues, and whether it is steady."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.results.control import Control
from dalembert.results.state import Numbers, in_units

NEUTRAL = 1e-7  # relative to the largest eigenvalue; smaller real parts count as zero, the accuracy of a double zero


@dataclass(frozen=True, slots=True)
class Steady:
    """Whether the motion is steady. `rates` are those of all quantities that are not ignorable."""

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
    """M δu̇ + C δu + K δq = 0. Rows, and columns of M and C, are `speeds`; columns of K are `coordinates`."""

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


@dataclass(frozen=True, slots=True)
class Mode:
    """The complex amplitudes of one eigenvalue. Of a conjugate pair, the one with positive imaginary part is kept."""

    eigenvalue: complex
    coordinates: Mapping[str, complex]  # complex amplitudes; the largest is 1
    speeds: Mapping[str, complex]  # complex amplitudes

    def to_dict(self) -> dict[str, Any]:
        def pairs(amplitudes: Mapping[str, complex]) -> dict[str, list[float]]:
            return {name: [value.real, value.imag] for name, value in amplitudes.items()}

        value = self.eigenvalue
        return {
            "eigenvalue": [value.real, value.imag],
            "coordinates": pairs(self.coordinates),
            "speeds": pairs(self.speeds),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Linearization:
    """δẋ = M δx about a state; x are the independent coordinates and speeds named in `states`."""

    method: str  # id of the method of derivation
    time: float  # t of the state
    coordinates: Numbers  # of the state, by name
    speeds: Numbers  # of the state, by coordinate
    states: tuple[str, ...]  # names of x: independent coordinates and speeds, multipliers, first-order states
    matrix: np.ndarray  # of δẋ = matrix δx
    eigenvalues: np.ndarray  # complex; the fastest growing come first
    steady: Steady  # whether the motion is steady, and what changes if it is not
    degrees_of_freedom: int
    family: int = 0  # dimension of the steady motions around this one, to first order
    matrices: Matrices | None = None  # M, C, K of the second-order form, if there is one
    modes: tuple[Mode, ...] = ()  # one for each nonzero eigenvalue
    corrections: tuple[Mapping[str, Any], ...] = ()  # of the initial state: quantity, given, used
    notes: tuple[str, ...] = ()  # sentences about the answer
    title: str = ""
    control: Control | None = None  # inputs and outputs, if the model has inputs
    units: Mapping[str, str] = field(default_factory=dict)  # of the coordinates, as the model states them
    scales: Numbers = field(default_factory=dict)  # size of a coordinate's unit in SI, if it is not one

    @property
    def stability(self) -> str:
        """ "unstable" if some disturbance grows, "stable" if all fade, "neutral" if some neither grow nor fade.

        Some zero eigenvalues are expected and do not count: shifts of ignorable coordinates, and directions to
        neighbouring steady motions. If no disturbance fades, the motion is neutral.
        """
        return stability(self.eigenvalues, len(self.steady.ignorable) + self.family)

    def kind(self, value: complex) -> str:
        """ "stable", "neutral" or "unstable", for one eigenvalue."""
        return "neutral" if self.is_small(value.real) else "unstable" if value.real > 0 else "stable"

    @property
    def verdict(self) -> str:
        """A sentence: what the eigenvalues decide about stability, and what remains open."""
        zeros = sum(self.is_small(abs(value)) for value in self.eigenvalues)
        shifts, near = len(self.steady.ignorable), min(self.family, zeros)
        more = zeros - shifts - near
        turning = any(self.is_small(value.real) and not self.is_small(abs(value)) for value in self.eigenvalues)
        words = {
            "unstable": tr("disturbances grow"),
            "stable": tr("disturbances fade"),
            "neutral": tr("disturbances do not fade"),
        }
        parts = [words[self.stability]]
        if self.stability == "neutral" and turning:
            parts.append(tr("an eigenvalue on the imaginary axis leaves the decision to nonlinear terms"))
        if more > 0:
            parts.append(
                tr(
                    "{more} zero eigenvalue{s} beyond those below: first-order terms do not decide",
                    more=more,
                    s=_s(more),
                )
            )
        if shifts:
            parts.append(tr("{shifts} zero eigenvalue{s} of ignorable coordinates", shifts=shifts, s=_s(shifts)))
        if near:
            parts.append(tr("{near} zero eigenvalue{s} of neighbouring steady motions", near=near, s=_s(near)))
        return "; ".join(parts)

    def state_in_units(self) -> tuple[dict[str, float], dict[str, float]]:
        """Coordinates and speeds in the model's units. Matrices, modes and gains are in SI, like the fields here.

        >>> import dalembert as da
        >>> q, v = da.gallery("simple-pendulum").linearize(settings={"theta": 0}).state_in_units()
        >>> q
        {'theta': 0.0}
        """
        return in_units(self.coordinates, self.scales), in_units(self.speeds, self.scales)

    def to_dict(self) -> dict[str, Any]:
        """The answer of `linearize --json`."""
        q, v = self.state_in_units()
        return {
            "method": self.method,
            "time": self.time,
            "coordinates": q,
            "speeds": v,
            **({"units": dict(self.units)} if self.units else {}),
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
            **self._from_inputs(),
        }

    def _from_inputs(self) -> dict[str, Any]:
        """A, B, C and D, with the names of inputs and outputs; the rest of it under `control`."""
        if self.control is None:
            A = self.matrix.tolist()
            return {"inputs": [], "outputs": [], "A": A, "B": [[] for _ in A], "C": [], "D": []}
        told = self.control.to_dict()
        return {**{key: told[key] for key in ("inputs", "outputs", "A", "B", "C", "D")}, "control": told}

    def is_small(self, value: float) -> bool:
        """Whether a part of an eigenvalue counts as zero, relative to the largest eigenvalue."""
        return abs(value) <= NEUTRAL * float(np.abs(self.eigenvalues).max(initial=0.0))

    def __str__(self) -> str:
        from dalembert.results.text.linearization import linearization_text

        return linearization_text(self)

    def __repr__(self) -> str:
        steady = "steady" if self.steady.holds else "not steady"
        return f"<Linearization by {self.method}: {steady}, {self.stability}, {len(self.eigenvalues)} eigenvalues>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import linearization_html

        return linearization_html(self)


def stability(eigenvalues: np.ndarray, expected_zeros: int) -> str:
    """stable, neutral or unstable. `expected_zeros` zero eigenvalues do not count."""
    small = NEUTRAL * float(np.abs(eigenvalues).max(initial=0.0))
    zeros = int((np.abs(eigenvalues) <= small).sum())
    if np.any(eigenvalues.real > small):
        return "unstable"
    if zeros > expected_zeros or np.any((np.abs(eigenvalues.real) <= small) & (np.abs(eigenvalues) > small)):
        return "neutral"
    return "stable" if np.any(eigenvalues.real < -small) else "neutral"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
