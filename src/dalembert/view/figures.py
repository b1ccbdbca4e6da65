"""Figures: the shapes of a model with their numbers, as the player draws them.

`turn` takes the figure's own axes to those of its body. The figure's z axis is the axis of a cylinder, wheel, cone,
tube, spring, …; a blade lies along x. If sizes change along the motion, a figure has the largest ones, and `growth` has
the factors along its own three axes. If its place in the body moves, `growth` has three more columns: the displacement,
in body axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from dalembert.model.record import Mesh, Shape
from dalembert.view.packing import coarse, texts

THIN = 0.06  # relative thickness of a disk, rod or ring with only one stated size
SAME = {"sphere": "ball", "cube": "box", "disk": "cylinder", "rod": "tube", "ring": "torus"}
ROUND = ("cylinder", "wheel", "tube", "capsule", "cone", "pipe", "spring", "chain")  # radius, and a length along z


@dataclass(frozen=True, slots=True)
class Figure:
    """`sizes`, by kind: radius; edges; semi-axes; radius and length; radius and tube of a torus; edges of a blade."""

    kind: str
    sizes: tuple[float, ...]
    at: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))
    stated: bool = False
    colour: str = ""
    clear: bool = False
    count: float | None = None
    text: str = ""
    mesh: Mesh | None = None
    growth: np.ndarray | None = None  # times × 3, at most 1; or × 6

    @property
    def half(self) -> np.ndarray:
        """Half the edges of a box around it, along its own axes."""
        a, *rest = self.sizes
        match self.kind:
            case "box":
                return np.array(self.sizes) / 2
            case "ellipsoid":
                return np.array(self.sizes)
            case "torus":
                return np.array([a + rest[0], a + rest[0], rest[0]])
            case "capsule":
                return np.array([a, a, a + rest[0] / 2])
            case "blade":
                return np.array([a / 2, 0.02 * a, rest[0] / 2])
            case "arrow":
                return np.array([3 * rest[0], 3 * rest[0], a / 2])
            case "mesh":
                return a * np.abs(self.corners).max(axis=0)
            case kind if kind in ROUND:
                return np.array([a, a, rest[0] / 2])
        return np.full(3, a)

    @property
    def corners(self) -> np.ndarray:
        """The corners of a mesh."""
        assert self.mesh is not None
        return np.frombuffer(self.mesh.corners, "<f4").reshape(-1, 3).astype(float)

    @property
    def reach(self) -> float:
        """The radius of a ball around the centre of mass that contains it."""
        half = self.half
        within = (
            float(half.max()) if self.kind in ("ball", "ellipsoid", "bowl", "text") else float(np.linalg.norm(half))
        )
        if self.kind in ROUND:
            within = float(np.hypot(half[0], half[2]))
        return within + float(np.linalg.norm(self.at))

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": self.kind, "sizes": list(self.sizes)}
        if np.any(self.at):
            found["at"] = self.at.tolist()
        if not np.array_equal(self.turn, np.eye(3)):
            found["turn"] = self.turn.tolist()
        if not self.stated and self.kind == "box":
            found["guessed"] = True
        for key in ("colour", "clear", "count", "text"):
            if getattr(self, key) not in ("", False, None):
                found[key] = getattr(self, key)
        if self.mesh is not None:
            found["mesh"] = {"corners": texts(self.mesh.corners), "faces": texts(self.mesh.faces)}
        if self.growth is not None:
            found["growth"] = coarse(self.growth)
        return found


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a shape along the motion, a row for each time."""

    sizes: np.ndarray
    count: np.ndarray
    at: np.ndarray
    axis: np.ndarray
    start: np.ndarray
    to: np.ndarray
    turn: np.ndarray  # times × 3 × 3
    gaps: bool = False  # at some times a number is not finite, and the sizes are zero then

    @property
    def first(self) -> Numbers:
        """The numbers at the first time alone."""
        return Numbers(*(getattr(self, part.name)[:1] for part in fields(self) if part.name != "gaps"))

    @property
    def varies(self) -> bool:
        """Whether the sizes or the place change along the motion."""
        return any(bool(np.any(values != values[:1])) for values in (self.sizes, self.at))

    @classmethod
    def of(cls, shape: Shape, values: np.ndarray) -> Numbers:
        n = len(shape.sizes)
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            good = values[~bad]
            values = np.where(bad[:, None], good[0] if len(good) else 0.0, values)
            values[bad, :n] = 0.0
        cuts = np.cumsum([n, 1, 3, 3, 3, 3])
        sizes, count, at, axis, start, to, turn = np.split(values, cuts, axis=1)
        return cls(sizes, count, at, axis, start, to, turn.reshape(-1, 3, 3), bool(bad.any()))


def figure(shape: Shape, numbers: Numbers) -> tuple[Figure, np.ndarray, np.ndarray]:
    """The figure, and its places and attitudes over the times. The caller sets `at` and `turn`."""
    kind = SAME.get(shape.kind, shape.kind)
    sizes = _completed(shape.kind, numbers.sizes)
    at, axis = numbers.at, numbers.axis
    if shape.to is not None:
        way = numbers.to - numbers.start
        length = np.linalg.norm(way, axis=1, keepdims=True)
        at = (numbers.to + numbers.start) / 2
        axis = np.divide(way, length, out=np.tile([0.0, 0, 1.0], (len(way), 1)), where=length > 0)
        radius = numbers.sizes[:, :1]
        length = np.where(radius > 0, length, 0.0)
        sizes = np.hstack([length, radius]) if kind == "arrow" else np.hstack([radius, length])
    most = np.maximum(sizes.max(axis=0), 1e-12)
    varies = np.ptp(sizes, axis=0).max(initial=0.0) > 1e-9 * most.max()
    made = Figure(
        kind, tuple(most.tolist()), stated=True, colour=shape.colour, clear=shape.clear, text=shape.text,
        mesh=shape.mesh,
        count=None if shape.count is None else float(numbers.count[0, 0]),
        growth=along_axes(kind, np.maximum(sizes, 0.0) / most) if varies else None,
    )  # fmt: skip
    return made, at, numbers.turn @ onto(axis)


def _completed(word: str, sizes: np.ndarray) -> np.ndarray:
    """All sizes of a figure of which only one may be stated."""
    one = sizes[:, :1]
    if word == "rod":  # length, and perhaps radius
        return np.hstack([sizes[:, 1:] if sizes.shape[1] == 2 else THIN / 2 * one, one])
    if sizes.shape[1] > 1:
        return sizes
    if word in ("box", "cube"):
        return np.repeat(one, 3, axis=1)
    if word in ("disk", "ring", "torus"):
        return np.hstack([one, (THIN if word == "disk" else 2 * THIN) * one])
    if word == "wheel":
        return np.hstack([one, 0.16 * one])
    return np.hstack([one, 0.02 * one]) if word == "arrow" else sizes


def along_axes(kind: str, factors: np.ndarray) -> np.ndarray:
    """Factors of the sizes, as factors along x, y and z of the figure."""
    order = {"arrow": (1, 1, 0), "blade": (0, 0, 1), "torus": (0, 0, 1), "box": (0, 1, 2), "ellipsoid": (0, 1, 2)}
    chosen = order.get(kind, (0, 0, 1) if kind in ROUND else (0, 0, 0))
    return factors[:, list(chosen)]


def onto(axis: np.ndarray) -> np.ndarray:
    """The smallest rotations that take z to the axes, a row for each.

    R = 1 + [v] + [v]²/(1 + c) with v = z × n and c = z·n; half a turn about x where n = −z.
    """
    n = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
    x, y, c = n.T
    k = 1 / np.maximum(1 + c, 1e-12)
    rows = [[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, c]]
    found = np.moveaxis(np.array(rows), 2, 0)
    found[1 + c < 1e-12] = np.diag([1.0, -1.0, -1.0])
    return found


def placed(shape: Shape, numbers: Numbers) -> Figure:
    """A figure at its place in its body's axes. Its ends and its attitude do not depend on coordinates."""
    made, at, turn = figure(shape, numbers.first)
    if not numbers.varies:
        return replace(made, at=at[0], turn=turn[0])
    if np.ptp(numbers.sizes, axis=0).max(initial=0.0) > 0:
        made = figure(shape, numbers)[0]
    moved = numbers.at - numbers.at[0]
    if np.any(moved):
        growth = np.ones_like(moved) if made.growth is None else made.growth
        made = replace(made, growth=np.hstack([growth, moved]))
    return replace(made, at=at[0], turn=turn[0])


def support(figures: Sequence[Figure], rotation: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The point of a body's surface farthest along a direction, from the centre of mass. A row for each time."""
    found = [_support(one, rotation, direction) for one in figures if one.kind != "text"]
    if not found:
        return np.zeros_like(direction)
    best = np.argmax([np.sum(place * direction, axis=1) for place in found], axis=0)
    return np.stack(found)[best, np.arange(len(direction))]


def extent(figures: Sequence[Figure], rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest coordinates of a body's surface, from the centre of mass. A row for each time."""
    lows, highs = [], []
    for one in (figure for figure in figures if figure.kind != "text"):
        turn, centre = rotation @ one.turn, rotation @ one.at
        high = _along_axes(one, turn)
        lows.append(centre - (high if one.kind != "mesh" else _along_axes(one, -turn)))  # others are symmetric
        highs.append(centre + high)
    if not lows:
        return np.zeros((len(rotation), 3)), np.zeros((len(rotation), 3))
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _along_axes(figure: Figure, turn: np.ndarray) -> np.ndarray:
    """How far a figure reaches along the three axes, whose directions in its own axes are the rows of `turn`."""
    local = turn.reshape(-1, 3)
    return np.einsum("ti,ti->t", local, _farthest(figure, local)).reshape(-1, 3)


def _support(figure: Figure, rotation: np.ndarray, direction: np.ndarray) -> np.ndarray:
    turn = rotation @ figure.turn
    at = _farthest(figure, np.einsum("tji,tj->ti", turn, direction))
    return np.einsum("tij,tj->ti", turn, at) + np.einsum("tij,j->ti", rotation, figure.at)


def _farthest(figure: Figure, local: np.ndarray) -> np.ndarray:
    """The point of a figure farthest along a direction, both in the figure's own axes."""
    half = figure.half
    if figure.kind in ("ball", "ellipsoid", "bowl"):
        squares = half**2 * local
        length = np.sqrt(np.sum(squares * local, axis=1, keepdims=True))
        return np.divide(squares, length, out=np.zeros_like(squares), where=length > 0)
    if figure.kind in (*ROUND, "torus", "arrow"):
        size = np.hypot(local[:, :1], local[:, 1:2])
        at = np.zeros_like(local)
        np.divide(half[0] * local[:, :2], size, out=at[:, :2], where=size > 1e-6)
        at[:, 2] = np.where(np.abs(local[:, 2]) < 1e-6, 0.0, np.sign(local[:, 2])) * half[2]
        return at
    if figure.kind == "mesh":
        corners = figure.sizes[0] * figure.corners
        rows = local[:1] if np.all(local == local[:1]) else local  # a drawing that stands still is looked at once
        return np.broadcast_to(corners[np.argmax(rows @ corners.T, axis=1)], local.shape)
    return np.where(np.abs(local) < 1e-6, 0.0, np.sign(local)) * half


def reach(figures: Mapping[str, Sequence[Figure]]) -> float:
    return max((one.reach for some in figures.values() for one in some), default=0.0)
