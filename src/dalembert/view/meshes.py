"""Figures as corners and flat faces, for films drawn by Python. The meshes are coarse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

AROUND = 20  # sides of a round figure
RUBBER, STEEL = (79, 84, 92), (153, 161, 171)  # as in the player


class Faces(NamedTuple):
    """Corners (a row each) in the body's axes, and four of them for every face. `dark` marks faces in a darker tone.

    `own` has the colours of the faces, if they are not those of the body.
    """

    corners: np.ndarray
    faces: np.ndarray
    dark: np.ndarray
    own: np.ndarray | None = None


def _of(corners: np.ndarray, faces: list[list[int]], dark: list[bool] | None = None) -> Faces:
    return Faces(corners, np.array(faces, int), np.zeros(len(faces), bool) if dark is None else np.array(dark))


def mesh(shape: Mapping[str, Any]) -> Faces | None:
    """The mesh of a shape of a scene, or None for a text."""
    kind, sizes = shape["kind"], shape["sizes"]
    if kind == "text":
        return None
    made = _mesh(kind, sizes, shape)
    corners = made.corners
    if "turn" in shape:
        corners = corners @ np.array(shape["turn"]).T
    if "at" in shape:
        corners = corners + np.array(shape["at"])
    return made._replace(corners=corners)


def _mesh(kind: str, sizes: Sequence[float], shape: Mapping[str, Any]) -> Faces:
    a, *rest = sizes
    match kind:
        case "box":
            return _box(np.array(sizes) / 2)
        case "blade":
            return _box(np.array([a / 2, 0.02 * a, rest[0] / 2]))
        case "ball" | "ellipsoid" | "bowl":
            u = np.linspace(-np.pi / 2, 0.0 if kind == "bowl" else np.pi / 2, 9)
            made = _revolved(np.cos(u), np.sin(u))
            return made._replace(corners=made.corners * (sizes if kind == "ellipsoid" else a))
        case "torus":
            u = np.linspace(-np.pi, np.pi, 9)
            return _revolved(a + rest[0] * np.cos(u), rest[0] * np.sin(u))
        case "wheel":
            return _wheel(a, rest[0], int(shape.get("count") or 8))
        case "cone":
            return _revolved([0, a, 0], [-rest[0] / 2, -rest[0] / 2, rest[0] / 2])
        case "capsule":
            u = np.linspace(0, np.pi / 2, 4)
            r, z = a * np.cos(u), rest[0] / 2 + a * np.sin(u)
            return _revolved([*r[::-1], *r], [*-z[::-1], *z])
        case "arrow":
            thin, h = rest[0], a / 2
            return _revolved([0, thin, thin, 3 * thin, 0], [-h, -h, h - 6 * thin, h - 6 * thin, h])
        case "spring" | "chain":
            return _coil(a, rest[0], int(shape.get("count") or 8))
        case "mesh":
            return _given(a, shape["mesh"])
    half = rest[0] / 2 if rest else a  # cylinder, tube, pipe
    return _revolved([0, a, a, 0], [-half, -half, half, half])


def _box(half: np.ndarray) -> Faces:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return _of(corners, faces)


def _revolved(radius: Sequence[float] | np.ndarray, height: Sequence[float] | np.ndarray) -> Faces:
    """A profile turned about z. Its quarters have two tones, which show that it turns."""
    angle = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
    r, z = np.asarray(radius, float), np.asarray(height, float)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(AROUND)])
    rings = [ri * ring + [0, 0, zi] for ri, zi in zip(r, z, strict=True)]
    faces, dark = [], []
    for i in range(len(r) - 1):
        for j in range(AROUND):
            k = (j + 1) % AROUND
            faces.append([i * AROUND + j, i * AROUND + k, (i + 1) * AROUND + k, (i + 1) * AROUND + j])
            dark.append(bool((4 * j // AROUND) % 2))
    return _of(np.concatenate(rings), faces, dark)


def _wheel(radius: float, width: float, spokes: int) -> Faces:
    """A tyre and spokes."""
    u = np.linspace(-np.pi, np.pi, 7)
    tyre = _revolved(radius - width / 2 + width / 2 * np.cos(u), width / 2 * np.sin(u))
    corners, faces = [tyre.corners], tyre.faces.tolist()
    count, thin = len(tyre.corners), 0.025 * radius
    for angle in np.arange(spokes) * 2 * np.pi / spokes:
        along, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        corners.append(np.array([s * thin * across + r * along for r in (0, radius - width) for s in (-1, 1)]))
        faces.append([count, count + 1, count + 3, count + 2])
        count += 4
    own = np.array([RUBBER] * len(tyre.faces) + [STEEL] * spokes, float)
    return _of(np.concatenate(corners), faces)._replace(own=own)


def _coil(radius: float, length: float, turns: int) -> Faces:
    """A ribbon that winds about z."""
    count = 12 * turns + 1
    angle, z = np.linspace(0, 2 * np.pi * turns, count), np.linspace(-length / 2, length / 2, count)
    way = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    wide = np.array([0, 0, 0.12 * radius])
    faces = [[i, i + 1, count + i + 1, count + i] for i in range(count - 1)]
    return _of(np.concatenate([way - wide, way + wide]), faces)


def _given(scale: float, packed: Mapping[str, str]) -> Faces:
    from base64 import b64decode

    corners = np.frombuffer(b64decode(packed["corners"]), "<f4").reshape(-1, 3).astype(float)
    faces = np.frombuffer(b64decode(packed["faces"]), "<u4").reshape(-1, 3)
    return _of(scale * corners, [[*face, face[-1]] for face in faces.tolist()])
