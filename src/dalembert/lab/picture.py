"""Small drawings of motions for the gallery, as SVG from the player's scene: paths, and the bodies at a few instants.

Of a model without bodies its coordinates are drawn, over time.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

WIDTH, HEIGHT, MARGIN = 240, 150, 14
LEAST = 5.0  # pixels that the largest body has from its centre to its edge
INSTANTS = 240
GHOSTS = (0.0, 0.22, 0.42)  # of the time until the instant that is drawn in full
FULL = 0.6
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # as the player has them
TYPES = {"f64": "<f8", "f32": "<f4", "u16": "<u2", "u8": "u1"}
ROUND = np.linspace(0, 2 * np.pi, 25)[:-1]


def drawn(scene: Mapping[str, Any]) -> str:
    """The picture of a scene."""
    parts = _moving(scene) if scene["bodies"] else _plotted(scene)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )


def _plotted(scene: Mapping[str, Any]) -> list[str]:
    panel = next((panel for panel in scene["panels"] if panel["key"] == "coordinates"), {"lines": ()})
    parts = []
    for line, colour in zip(panel["lines"], COLOURS, strict=False):
        curve = np.hstack([unpacked(line["times"], 0), unpacked(line["values"], 0)])
        low, high = curve.min(axis=0), curve.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
        inside = (curve - low) / np.where(high > low, high - low, 1.0) * room + MARGIN
        parts.append(_path(inside * [1, -1] + [0, HEIGHT], colour))
    return parts


def _moving(scene: Mapping[str, Any]) -> list[str]:
    times = len(unpacked(scene["times"], 0))
    view = _View.of(scene["outlook"])
    bodies = [_Body.of(body, times) for body in scene["bodies"]]
    links = [(unpacked(link["from"], times), unpacked(link["to"], times)) for link in scene["links"]]
    paths = [view.flat(body.position) for body in bodies]
    at = [int(FULL * share * (times - 1)) for share in GHOSTS] + [int(FULL * (times - 1))]
    outlines = [[view.flat(body.outline(i)) for body in bodies] for i in at]
    rods = [[view.flat(np.stack([one[i], two[i]])) for one, two in links] for i in at]
    place = _fitted(np.vstack([*paths, *(points for drawn in (*outlines, *rods) for points in drawn)]))
    reach = max(float(np.linalg.norm(o - o.mean(axis=0), axis=1).max()) for o in outlines[-1])
    grown = max(1.0, LEAST / max(reach * place.scale, 1e-9))
    parts = [_path(place(path), COLOURS[i % len(COLOURS)]) for i, path in enumerate(paths)]
    for k in range(len(at)):
        opacity = 1.0 if k == len(at) - 1 else 0.14 + 0.1 * k
        shapes = [_line(place(rod)) for rod in rods[k]]
        shapes += [
            _polygon(_larger(place(hull(outline)), grown), COLOURS[i % len(COLOURS)])
            for i, outline in enumerate(outlines[k])
        ]
        parts.append(f'<g opacity="{opacity:.2f}">{"".join(shapes)}</g>')
    return parts


def unpacked(packed: Mapping[str, Any], times: int) -> np.ndarray:
    """What `view.packing` packed, a row for each time."""
    if packed["type"] == "constant":
        return np.tile(np.array(packed["value"], float), (times, 1))
    values = np.frombuffer(b64decode(packed["data"]), TYPES[packed["type"]]).astype(float)
    values = values.reshape(-1, packed["width"])
    if packed["type"] == "u16":
        low, high = np.array(packed["low"]), np.array(packed["high"])
        values = low + (high - low) * values / 65535
    return values


@dataclass(frozen=True, slots=True)
class _View:
    """What is to the right and what is up on the paper."""

    right: np.ndarray
    up: np.ndarray

    @classmethod
    def of(cls, outlook: Mapping[str, Any]) -> _View:
        eye = np.array(outlook["eye"], float)
        right = np.cross(np.array(outlook["up"], float), eye)
        right /= np.linalg.norm(right)
        return cls(right, np.cross(eye, right))

    def flat(self, places: np.ndarray) -> np.ndarray:
        return np.stack([places @ self.right, places @ self.up], axis=1)


@dataclass(frozen=True, slots=True)
class _Body:
    position: np.ndarray
    rotation: np.ndarray  # quaternions x, y, z, w
    points: np.ndarray  # of its surface, in body axes

    @classmethod
    def of(cls, body: Mapping[str, Any], times: int) -> _Body:
        return cls(unpacked(body["position"], times), unpacked(body["rotation"], times), _surface(body["shape"]))

    def outline(self, i: int) -> np.ndarray:
        x, y, z, w = self.rotation[i] / np.linalg.norm(self.rotation[i])
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        return self.points @ R.T + self.position[i]


def _surface(shape: Mapping[str, Any]) -> np.ndarray:
    """Points whose hull is the shape, in body axes."""
    kind, sizes = shape["kind"], shape["sizes"]
    ball = np.array([[np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)]
                     for a in ROUND for b in np.linspace(-np.pi / 2, np.pi / 2, 9)])  # fmt: skip
    circle = np.stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND], axis=1)
    if kind == "box":
        points = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]) * sizes
        return _at(points @ np.array(shape["turn"], float).T if "turn" in shape else points, shape)
    if kind in ("sphere", "ellipsoid"):
        return _at(ball * (sizes if kind == "ellipsoid" else sizes[0]), shape)
    half = np.array([0, 0, sizes[1] / 2])
    if kind == "cylinder":
        points = np.vstack([sizes[0] * circle - half, sizes[0] * circle + half])
    elif kind == "cone":
        points = np.vstack([sizes[0] * circle - half, [half]])
    elif kind == "capsule":
        points = np.vstack([sizes[0] * ball - half, sizes[0] * ball + half])
    else:  # a ring
        points = sum(sizes) * circle
    return _at(points @ _onto(np.array(shape["axis"], float)).T, shape)


def _at(points: np.ndarray, shape: Mapping[str, Any]) -> np.ndarray:
    return points + np.array(shape.get("at", (0, 0, 0)), float)


def _onto(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to the axis."""
    other = np.array([1.0, 0, 0]) if abs(axis[0]) < 0.9 else np.array([0, 1.0, 0])
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def hull(points: np.ndarray) -> np.ndarray:
    """The convex hull in the plane, by Andrew's monotone chain."""
    ordered = np.unique(points.round(12), axis=0)
    if len(ordered) < 3:
        return ordered

    def chain(rows: Sequence[np.ndarray]) -> list[np.ndarray]:
        found: list[np.ndarray] = []
        for p in rows:
            while len(found) > 1 and _turn(found[-2], found[-1], p) <= 0:
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(chain(list(ordered)) + chain(list(ordered[::-1])))


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@dataclass(frozen=True, slots=True)
class _Fit:
    scale: float
    centre: np.ndarray

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return (points - self.centre) * [self.scale, -self.scale] + [WIDTH / 2, HEIGHT / 2]


def _fitted(points: np.ndarray) -> _Fit:
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    reach = np.maximum(high - low, 1e-9 * max(1.0, float(np.abs(points).max())))
    return _Fit(float((room / reach).min()), (low + high) / 2)


def _larger(points: np.ndarray, factor: float) -> np.ndarray:
    centre = points.mean(axis=0)
    return centre + factor * (points - centre)


def _written(points: np.ndarray) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _path(points: np.ndarray, colour: str) -> str:
    thin = points[:: max(1, len(points) // INSTANTS)]
    return (
        f'<polyline points="{_written(thin)}" fill="none" stroke="{colour}" stroke-opacity=".45" stroke-width="1.3" '
        'stroke-linejoin="round"/>'
    )


def _line(points: np.ndarray) -> str:
    (x1, y1), (x2, y2) = points
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#808a98" stroke-width="1.6"/>'


def _polygon(points: np.ndarray, colour: str) -> str:
    return (
        f'<polygon points="{_written(points)}" fill="{colour}" fill-opacity=".75" stroke="{colour}" stroke-width="1.4" '
        'stroke-linejoin="round"/>'
    )
