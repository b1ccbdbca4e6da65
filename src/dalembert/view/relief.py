"""The surfaces on which bodies roll, as meshes around the contact: z = g(x, y) in a disk, f(x, y, z) = 0 in a box.

A level set is found on a lattice. Each cell is divided into six tetrahedra about its diagonal. In each, the surface is
one or two triangles between points on the edges where f changes its sign (interpolated along the edge).
"""

from __future__ import annotations

import numpy as np

from dalembert.model.record import Mesh, Surface
from dalembert.view.drawn import DrawnPiece
from dalembert.view.figures import Figure
from dalembert.view.frames import Frames

RINGS, AROUND = 14, 40  # of a disk
CELLS = 22  # along each edge of a box
COLOUR = "#5b8fb5"
ROOM = 0.35  # margin around the contact points, relative to their extent
# corners 0 to 7 of a cell are x + 2y + 4z; six tetrahedra share the diagonal 0–7
TETRAHEDRA = np.array([[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]])


def reliefs(frames: Frames, size: float) -> list[DrawnPiece]:
    """A drawing for each surface of [rolling]. `size` is that of the model."""
    found = []
    for name, rolling in frames.stage.record.rolling.items():
        if not isinstance(rolling.on, Surface):
            continue
        touched = frames.drawn[f"rolling {name}"][:, :3]
        middle = (touched.max(axis=0) + touched.min(axis=0)) / 2
        reach = float(np.linalg.norm(touched - middle, axis=1).max(initial=0.0))
        reach += max(ROOM * reach, 0.6 * size)
        made = (_disk if rolling.on.explicit else _level)(frames, name, middle, reach)
        if made is not None:
            found.append(_piece(name, *made, len(frames.times)))
    return found


def _piece(name: str, corners: np.ndarray, faces: np.ndarray, count: int) -> DrawnPiece:
    centre = (corners.max(axis=0) + corners.min(axis=0)) / 2
    mesh = Mesh("", (corners - centre).astype("<f4").tobytes(), faces.astype("<u4").tobytes())
    figure = Figure("mesh", (1.0,), stated=True, colour=COLOUR, clear=True, mesh=mesh)
    return DrawnPiece(name, figure, np.tile(centre, (count, 1)), np.tile(np.eye(3), (count, 1, 1)), surface=True)


def _disk(frames: Frames, name: str, middle: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray] | None:
    angle = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
    radius = reach * np.arange(1, RINGS + 1) / RINGS
    x, y = (np.append(0.0, np.outer(radius, part(angle)).ravel()) for part in (np.cos, np.sin))
    places = np.column_stack([middle[0] + x, middle[1] + y, np.zeros(len(x))])
    places[:, 2] = -frames.stage.off(name, frames.x[0], places)
    inner = [[0, 1 + j, 1 + (j + 1) % AROUND] for j in range(AROUND)]
    faces = np.array(inner + [face for i in range(RINGS - 1) for j in range(AROUND) for face in _two(i, j)])
    whole = np.isfinite(places[:, 2])
    return (np.where(whole[:, None], places, 0.0), faces[whole[faces].all(axis=1)]) if whole.any() else None


def _two(i: int, j: int) -> list[list[int]]:
    a, b = 1 + i * AROUND + j, 1 + i * AROUND + (j + 1) % AROUND
    return [[a, a + AROUND, b + AROUND], [a, b + AROUND, b]]


def _level(frames: Frames, name: str, middle: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray] | None:
    axis = np.linspace(-reach, reach, CELLS + 1)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    places = middle + np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    f = frames.stage.off(name, frames.x[0], places)
    side = CELLS + 1
    low = np.arange(CELLS)
    first = (low[:, None, None] * side * side + low[None, :, None] * side + low[None, None, :]).ravel()
    corner = np.array([(k & 1) + side * ((k >> 1) & 1) + side * side * (k >> 2) for k in range(8)])
    cells = (first[:, None] + corner)[:, TETRAHEDRA].reshape(-1, 4)
    cells = cells[np.isfinite(f[cells]).all(axis=1)]
    inside = f[cells] > 0
    count = inside.sum(axis=1)
    triangles = []
    for most in (1, 3):  # one corner is alone on its side
        some, alone = cells[count == most], (inside == (most == 1))[count == most]
        order = np.argsort(~alone, axis=1, kind="stable")
        a, *rest = np.take_along_axis(some, order, axis=1).T
        triangles.append(np.stack([_between(places, f, a, other) for other in rest], axis=1))
    some = cells[count == 2]
    order = np.argsort(~inside[count == 2], axis=1, kind="stable")
    a, b, c, d = np.take_along_axis(some, order, axis=1).T
    ac, ad, bc, bd = (_between(places, f, one, two) for one, two in ((a, c), (a, d), (b, c), (b, d)))
    triangles += [np.stack([ac, ad, bd], axis=1), np.stack([ac, bd, bc], axis=1)]
    found = np.concatenate(triangles)
    if not len(found):
        return None
    corners, which = np.unique(np.round(found.reshape(-1, 3) / (1e-9 * reach)), axis=0, return_inverse=True)
    return corners * 1e-9 * reach, _turned(frames, name, corners * 1e-9 * reach, which.reshape(-1, 3))


def _turned(frames: Frames, name: str, corners: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """The faces, oriented outwards to the side f > 0, where the body is."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    step = 0.1 * normal / np.sqrt(np.linalg.norm(normal, axis=1, keepdims=True) + 1e-300)
    ahead, behind = (frames.stage.off(name, frames.x[0], (a + b + c) / 3 + sign * step) for sign in (1, -1))
    return np.where((ahead > behind)[:, None], faces, faces[:, ::-1])


def _between(places: np.ndarray, f: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    share = f[one] / (f[one] - f[two])
    return places[one] + share[:, None] * (places[two] - places[one])
