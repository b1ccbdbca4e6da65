"""A force, or a couple, on one body that has the effect of a generalized force.

    J_vᵀ F + J_ωᵀ M = ρ       J: the body's partial velocities, ρ: the generalized force
The solution has the smallest F and M/size. It is drawn on the axis of the wrench, at c + F × M/F² from the centre c. M
alone is a couple, which has no place. For a joint between two bodies, J is the difference of theirs, both at the first
one's centre.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

GLANCES = 6
FITS = 1e-6  # relative difference allowed between two ways of computing a row


@dataclass(frozen=True, slots=True)
class Wrench:
    """A force, and the arm from the body's centre to its line of action, or a couple alone. A row for each instant."""

    body: str
    force: np.ndarray
    arm: np.ndarray
    against: str = ""  # the body of the counterforce, if the force is that of a joint
    couple: np.ndarray | None = None  # instead of a force

    @property
    def cost(self) -> float:
        """The body with the least cost is chosen. A long arm is costly."""
        if self.couple is not None:
            return float(np.linalg.norm(self.couple, axis=1).sum())
        return float(np.linalg.norm(self.force, axis=1).sum() * (1 + np.abs(self.arm).max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class Lever:
    """Partial velocities of a body at all instants, with torques as forces at the arm `size`, and their inverse."""

    scaled: np.ndarray  # times × n × 6
    inverse: np.ndarray

    @classmethod
    def of(cls, J: np.ndarray, size: float) -> Lever:
        scaled = np.swapaxes(J / _scale(size)[:, None], 1, 2)
        rows, columns = (np.flatnonzero(np.any(scaled != 0, axis=(0, other))) for other in (2, 1))
        inverse = np.zeros((len(scaled), 6, scaled.shape[1]))  # zero rows and columns stay zero in the pseudoinverse
        part = scaled[:, rows[:, None], columns]
        inverse[:, columns[:, None], rows] = np.linalg.pinv(part, rcond=1e-9)
        return cls(scaled, inverse)

    def solved(self, target: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray] | None:
        """The smallest F and M that fit, or None."""
        solution = np.einsum("tij,tj->ti", self.inverse, target)
        left = np.abs(np.einsum("tij,tj->ti", self.scaled, solution) - target).max(initial=0.0)
        if left > FITS * np.abs(target).max(initial=0.0):
            return None
        return solution[:, :3], solution[:, 3:] / _scale(size)[3:]


def _scale(size: float) -> np.ndarray:
    return np.array([1.0, 1.0, 1.0, size, size, size])


def wrench(
    body: str, J: np.ndarray, target: np.ndarray, size: float, known: dict[str, Lever] | None = None
) -> Wrench | None:
    """The wrench on this body that gives `target`, or None. A few instants are tried first, because most bodies fail.

    `known` keeps the levers of all instants, by body, for other forces.
    """
    known = {} if known is None else known
    few = np.unique(np.linspace(0, len(target) - 1, GLANCES).astype(int))
    worth_a_glance = body not in known and len(target) > len(few) and np.any(target[few] != 0)
    if worth_a_glance and Lever.of(J[few], size).solved(target[few], size) is None:
        return None
    if body not in known:
        known[body] = Lever.of(J, size)
    solution = known[body].solved(target, size)
    if solution is None:
        return None
    force, torque = solution
    square = np.sum(force**2, axis=1, keepdims=True)
    if square.max(initial=0.0) * size**2 <= 1e-12 * np.sum(torque**2, axis=1).max(initial=0.0):
        return Wrench(body, np.zeros_like(force), np.zeros_like(force), couple=torque)
    arm = np.divide(np.cross(force, torque), square, out=np.zeros_like(force), where=square > 1e-12 * square.max())
    far = np.linalg.norm(arm, axis=1)
    if np.median(far) > 4 * size:
        return None
    return Wrench(body, force, np.where((far > 8 * size)[:, None], 0.0, arm))


@dataclass(frozen=True, slots=True)
class Levers:
    """Partial velocities and centres of all bodies at the instants, and the levers found so far."""

    partial: dict[str, np.ndarray]
    centres: dict[str, np.ndarray]
    size: float
    levers: dict[str, Lever] = field(default_factory=dict)


def carried(bodies: Levers, target: np.ndarray) -> Wrench | None:
    """The wrench on one body with this generalized force, or on two bodies as force and counterforce of a joint.

    Coordinates that move no body are left out, because their forces cannot be drawn.
    """
    partial, centres, size = bodies.partial, bodies.centres, bodies.size
    if not partial or not np.any(target != 0):
        return None
    movers = {name: np.any(J != 0, axis=(0, 1)) for name, J in partial.items()}  # the coordinates that move a body
    seen = np.where(np.any(list(movers.values()), axis=0), target, 0.0)
    acts = np.any(seen != 0, axis=0)
    if not acts.any():
        return None
    alone = [name for name in partial if not (acts & ~movers[name]).any()]
    found = [w for name in alone if (w := wrench(name, partial[name], seen, size, bodies.levers)) is not None]
    if not found:
        for one, two in combinations(partial, 2):
            if (acts & ~(movers[one] | movers[two])).any():
                continue
            relative = partial[one] - moved(partial[two], centres[one] - centres[two])
            turning = relative * np.array([0, 0, 0, 1, 1, 1])[:, None]
            joint = wrench(one, turning, seen, size) or wrench(one, relative, seen, size)
            if joint is not None:
                found.append(replace(joint, against=two))
    couples = [
        w for w in found if w.couple is not None
    ]  # if a couple fits, a force on other bodies fits only by chance
    return min(couples or found, key=lambda w: w.cost, default=None)


def moved(J: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Partial velocities of the point of a body that is `arm` away from its centre: v + ω × arm."""
    there = J[:, :3] + np.cross(J[:, 3:], arm[:, :, None], axis=1)
    return np.concatenate([there, J[:, 3:]], axis=1)


def crossing(one: np.ndarray, along: np.ndarray, two: np.ndarray, other: np.ndarray) -> np.ndarray | None:
    """The point where two lines cross at every instant, or None if they are parallel or skew."""
    normal = np.cross(along, other)
    square = np.sum(normal**2, axis=1)
    sizes = np.sum(along**2, axis=1) * np.sum(other**2, axis=1)
    if (square <= 1e-6 * sizes).any():
        return None
    apart = two - one
    s = np.sum(np.cross(apart, other) * normal, axis=1) / square
    u = np.sum(np.cross(apart, along) * normal, axis=1) / square
    first, second = one + s[:, None] * along, two + u[:, None] * other
    missed = np.abs(first - second).max(initial=0.0)
    return first if missed <= 1e-6 * (np.abs(apart).max(initial=0.0) + np.abs(first - one).max(initial=0.0)) else None
