"""Masses and inertias of MuJoCo's geoms, and of bodies composed of them.

capsule of radius r and half-length h:  I_zz = m_c r²/2 + 2 m_s r²/5,
I_xx = m_c (3 r² + 4 h²)/12 + m_s (2 r²/5 + h² + 3 h r/4),   m_c of the cylinder, m_s of both halves of a ball
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalembert.errors import ModelError


@dataclass(frozen=True)
class Solid:
    """A mass with its centre and its inertia about the centre, in the axes of a body."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray

    def scaled(self, factor: float) -> Solid:
        return Solid(self.mass * factor, self.centre, self.inertia * factor)


EMPTY = Solid(0.0, np.zeros(3), np.zeros((3, 3)))
PI = math.pi
MASSLESS = ("plane", "hfield")


def volume_and_inertia(kind: str, size: np.ndarray) -> tuple[float, np.ndarray]:
    """The volume, and the principal moments for a density of one."""
    if kind == "sphere":
        r = size[0]
        m = 4 / 3 * PI * r**3
        return m, np.full(3, 0.4 * m * r**2)
    if kind == "box":
        a, b, c = size
        m = 8 * a * b * c
        return m, m / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    if kind == "ellipsoid":
        a, b, c = size
        m = 4 / 3 * PI * a * b * c
        return m, m / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    r, h = size[:2]
    cylinder, balls = 2 * PI * r * r * h, 4 / 3 * PI * r**3
    across, along = cylinder * (3 * r * r + 4 * h * h) / 12, cylinder * r * r / 2
    if kind == "cylinder":
        return cylinder, np.array([across, across, along])
    if kind == "capsule":
        across += balls * (0.4 * r * r + h * h + 0.75 * h * r)
        return cylinder + balls, np.array([across, across, along + 0.4 * balls * r * r])
    raise ModelError("the mass of a geom of type {kind} is not known; give the body an <inertial>", kind=kind)


def together(solids: list[Solid]) -> Solid:
    """Several solids as one, about their common centre of mass."""
    mass = sum(solid.mass for solid in solids)
    if mass == 0:
        return EMPTY
    centre = sum((solid.mass * solid.centre for solid in solids), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for solid in solids:
        way = solid.centre - centre
        inertia += solid.inertia + solid.mass * (way @ way * np.eye(3) - np.outer(way, way))
    return Solid(mass, centre, inertia)
