"""The variables of a derivation's equations: independent speeds, or the model's quasi-velocities.

    q̇ = Σ_s k_rs π_s + l_r,   q̈ = Σ_s k_rs π̇_s + …,   k = ∂q̇/∂π,   the constraints held     (Qiao (2.5), (2.20); Kane)
If the model states none, π_s = q̇_s of the independent coordinates and k = [I; C]. If a quasi-velocity is nonlinear, k
is taken at the actual speeds, and the equations stay in q̈.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.equations import QuasiVelocities
from dalembert.mechanics.algebra import ZERO, Scalar, dot
from dalembert.mechanics.elimination import LONGEST_SHOWN, Matrix, Reduction, length, reduction
from dalembert.mechanics.quasi import inverted, quasi_velocities
from dalembert.mechanics.system import System


@dataclass(frozen=True, slots=True)
class Basis:
    names: tuple[str, ...]  # of the independent ones
    rates: tuple[Scalar, ...]  # their derivatives: q̈_s or π̇_s
    values: tuple[Scalar, ...]  # symbols of π_s; () for speeds
    k: Matrix  # ∂q̇/∂π of the independent ones, a row for each coordinate
    speeds: dict[Scalar, Scalar]  # q̇ by π; empty if a constraint or a quasi-velocity is nonlinear
    accelerations: dict[Scalar, Scalar]
    reduced: Reduction | None = None  # if speeds are the basis
    quasi: QuasiVelocities | None = None  # if quasi-velocities are the basis

    def combined(self, row: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Σ_r row_r k_rs, in the variables of the basis."""
        return tuple(self.put_in(dot(row, column)) for column in zip(*self.k, strict=True))

    def put_in(self, e: Scalar) -> Scalar:
        return e.subs(self.accelerations).subs(self.speeds)


def chosen_basis(system: System, simplified: Callable[[Any], Any]) -> Basis | None:
    """The model's quasi-velocities if it states some, otherwise independent speeds. None if the result would be too
    long.
    """
    return _of_quasi(system, simplified) if system.quasi_velocities else _of_speeds(system, simplified)


def _of_speeds(system: System, simplified: Callable[[Any], Any]) -> Basis | None:
    reduced = reduction(system, simplified)
    if reduced is None:
        return None
    chosen = reduced.choice.independent
    return Basis(
        names=tuple(system.motion.names[j] for j in chosen),
        rates=tuple(system.motion.a[j] for j in chosen),
        values=(),
        k=reduced.k,
        speeds=reduced.speeds,
        accelerations=reduced.accelerations,
        reduced=reduced,
    )


def _of_quasi(system: System, simplified: Callable[[Any], Any]) -> Basis | None:
    quasi, _ = quasi_velocities(system)
    turned = inverted(system, quasi, simplified)
    if turned is None:
        return None
    free = len(quasi.names) - quasi.held
    still = dict.fromkeys((*turned.pi[free:], *turned.rates[free:]), ZERO)
    k = tuple(tuple(row[:free]) for row in turned.k)
    if not turned.speeds:
        return Basis(quasi.names[:free], system.motion.a, (), k, {}, {}, quasi=quasi)
    speeds = {v: simplified(e.subs(still)) for v, e in turned.speeds.items()}
    accelerations = {a: e.subs(still) for a, e in turned.accelerations.items()}
    if length([list(speeds.values()), list(accelerations.values())]) > LONGEST_SHOWN:
        return None
    return Basis(quasi.names[:free], turned.rates[:free], turned.pi[:free], k, speeds, accelerations, quasi=quasi)
