"""Guessed shapes for bodies that state none, from their rolling, contacts and inertia.

A rolling wheel or ball has its own radius. Two particles that touch are balls with half the distance as radius. Three
equal moments J belong to a ball, r² = 5J/2m. Two equal moments A and a third, C, belong to a cylinder, r² = 2C/m and
h² = 12A/m − 3r². A box with the principal moments J and the mass m has the edges a_i² = 6 (J_j + J_k − J_i)/m. A body
that only turns in a plane has one known moment: its box is twice as long as wide, a² + b² = 12 J/m. A particle is a
small ball.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.model.record import Body, ModelRecord
from dalembert.model.values import Evaluator
from dalembert.view.figures import Figure, onto

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def spin_axis(body: Body, start: Evaluator) -> np.ndarray:
    """The axis of symmetry: the spin axis, or z without spin."""
    if body.spin is None:
        return np.array(AXES["z"])
    if isinstance(body.spin.axis, str):
        return np.array(AXES[body.spin.axis])
    found = np.array([start.number(component) for component in body.spin.axis])
    length = float(np.linalg.norm(found))
    return found / length if length > 0 else np.array(AXES["z"])


def guess(record: ModelRecord, name: str, size: float, start: Evaluator, touching: float | None) -> Figure:
    """A figure for a body in a scene of this size. `touching` is the radius that its contacts imply, if any."""
    body = record.bodies[name]
    masses = {other: abs(start.number(one.mass)) for other, one in record.bodies.items()}
    found = _rolling(record, name, body, start) or _from_inertia(body, masses[name], size, start)
    if found is None and touching is not None:
        found = Figure("ball", (touching,))
    return found or Figure("ball", (_small(masses[name], max(masses.values()), size),))


def _rolling(record: ModelRecord, name: str, body: Body, start: Evaluator) -> Figure | None:
    for rolling in record.rolling.values():
        if rolling.body == name and rolling.kind != "at":
            radius = abs(start.number(rolling.size))
            if radius > 0 and rolling.kind == "ball":
                return Figure("ball", (radius,))
            if radius > 0:
                return Figure("wheel", (radius, 0.16 * radius), turn=onto(spin_axis(body, start)[None])[0])
    return None


def _from_inertia(body: Body, mass: float, size: float, start: Evaluator) -> Figure | None:
    if not body.inertia:
        return None
    xx, yy, zz, xy, yz, xz = [*(start.number(entry) for entry in body.inertia), 0.0, 0.0, 0.0][:6]
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments.max() <= 0:
        return None
    if not mass > 0:
        return Figure("box", (0.14 * size, 0.05 * size, 0.05 * size))
    if np.ptp(moments) <= 1e-9 * moments.max():
        return Figure("ball", _within((float(np.sqrt(2.5 * moments[0] / mass)),), size))
    if moments[1] <= 1e-9 * moments[2]:  # it turns in a plane only, and one moment is known
        short = float(np.sqrt(12 * moments[2] / (5 * mass)))
        edges = {2: (2 * short, short, short / 4), 1: (2 * short, short / 4, short), 0: (short / 4, 2 * short, short)}
        return Figure("box", _within(edges[int(np.argmax(np.abs(axes[:, 2])))], size))
    return _symmetric(moments, axes, mass, size) or _box(moments, axes, mass, size)


def _symmetric(moments: np.ndarray, axes: np.ndarray, mass: float, size: float) -> Figure | None:
    """A cylinder with these moments, if two are equal and there is one."""
    for alone, pair in ((0, (1, 2)), (2, (0, 1))):
        A, C = moments[list(pair)].mean(), moments[alone]
        if abs(moments[pair[0]] - moments[pair[1]]) <= 1e-9 * A and C > 0:
            radius = float(np.sqrt(2 * C / mass))
            height = float(np.sqrt(max(12 * A / mass - 3 * radius**2, (0.05 * radius) ** 2)))
            return Figure("cylinder", _within((radius, height), size), turn=onto(axes[:, alone][None])[0])
    return None


def _box(moments: np.ndarray, axes: np.ndarray, mass: float, size: float) -> Figure:
    squares = 6 * (moments.sum() - 2 * moments) / mass
    edges = np.sqrt(np.maximum(squares, 1e-3 * squares.max()))
    if np.allclose(np.abs(axes).max(axis=0), 1.0, atol=1e-9):  # along the body's own axes, in their order
        return Figure("box", _within(edges[np.argsort(np.argmax(np.abs(axes), axis=0))], size))
    return Figure("box", _within(edges, size), turn=axes if np.linalg.det(axes) > 0 else -axes)


def _within(edges: Sequence[float] | np.ndarray, size: float) -> tuple[float, ...]:
    """The edges, limited so that none hides the rest and none is too thin to be seen."""
    found = np.asarray(edges, float)
    if size > 0:
        found = found * min(1.0, 1.2 * size / found.max())
        found = found * max(1.0, 0.06 * size / found.max())
    return tuple(np.maximum(found, 0.1 * found.max()).tolist())


def _small(mass: float, heaviest: float, size: float) -> float:
    share = (mass / heaviest) ** (1 / 3) if heaviest > 0 else 1.0
    return 0.045 * size * max(0.5, share)
