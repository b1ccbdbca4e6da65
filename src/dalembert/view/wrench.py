"""A force on one body that does what a generalized force does.

    J_vᵀ F + J_ωᵀ M = ρ       J the body's partial velocities, ρ the generalized force
of smallest F and M/size. It is drawn on the axis of the wrench, at c + F × M/F² from the centre c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FITS = 1e-6  # relative, of what two ways of computing a row may differ by


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force, and where its line of action passes the body's centre; rows over instants."""

    body: str
    force: np.ndarray
    arm: np.ndarray

    @property
    def cost(self) -> float:
        """By this the body is chosen on which a force is told with the least effort: no detour by a long arm."""
        return float(np.linalg.norm(self.force, axis=1).sum() * (1 + np.abs(self.arm).max(initial=0.0)))


def wrench(body: str, J: np.ndarray, target: np.ndarray, size: float) -> Wrench | None:
    """None where no wrench on this body does it, or only a couple, which has no place."""
    scale = np.array([1.0, 1.0, 1.0, size, size, size])  # a torque counts as a force at that arm
    scaled = np.swapaxes(J / scale[:, None], 1, 2)  # times × n × 6
    solution = np.einsum("tij,tj->ti", np.linalg.pinv(scaled, rcond=1e-9), target)
    left = np.abs(np.einsum("tij,tj->ti", scaled, solution) - target).max(initial=0.0)
    if left > FITS * np.abs(target).max(initial=0.0):
        return None
    force, torque = solution[:, :3], solution[:, 3:] / scale[3:]
    square = np.sum(force**2, axis=1, keepdims=True)
    if square.max(initial=0.0) * size**2 <= 1e-12 * np.sum(torque**2, axis=1).max(initial=0.0):
        return None
    arm = np.divide(np.cross(force, torque), square, out=np.zeros_like(force), where=square > 1e-12 * square.max())
    far = np.linalg.norm(arm, axis=1)
    if np.median(far) > 4 * size:
        return None
    return Wrench(body, force, np.where((far > 8 * size)[:, None], 0.0, arm))


def carried(partial: dict[str, np.ndarray], target: np.ndarray, size: float) -> Wrench | None:
    """The body that takes the generalized force; coordinates that move no body are left out: they cannot be drawn."""
    if not partial or not np.any(target != 0):
        return None
    moving = np.any([np.any(J != 0, axis=(0, 1)) for J in partial.values()], axis=0)
    seen = np.where(moving, target, 0.0)
    if not np.any(seen != 0):
        return None
    found = [w for name, J in partial.items() if (w := wrench(name, J, seen, size)) is not None]
    return min(found, key=lambda w: w.cost) if found else None
