"""Meshes of shapes: the corners and triangles in STL (binary or text) and OBJ files of the model's folder.

A path is relative to the model's folder and must stay inside it after links are resolved. Nothing in a file is executed
or followed: only the lines `v` and `f` of an OBJ file are read.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import shown
from dalembert.model.record import Mesh

LARGEST = 20_000_000  # bytes of a file
MOST = 20_000  # triangles that a page can hold and a canvas can draw
ENDINGS = (".stl", ".obj")


def read_mesh(name: str, folder: Path | None) -> Mesh:
    """The mesh in a file of the model's folder. A fault raises a ModelError."""
    path = _place(name, folder)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ModelError(
            "the mesh {name} cannot be read: {strerror}", name=shown(name), strerror=error.strerror or error
        ) from None
    if len(data) > LARGEST:
        raise ModelError(
            "the mesh {name} is larger than {largest} MB, the most that is read",
            name=shown(name),
            largest=LARGEST // 1000000,
        )
    try:
        triangles = _obj(data) if path.suffix.lower() == ".obj" else _stl(data)
    except (ValueError, IndexError, UnicodeDecodeError):
        raise ModelError("{name} is not a mesh that can be read: STL or OBJ is expected", name=shown(name)) from None
    if not 1 <= len(triangles) <= MOST:
        raise ModelError(
            "the mesh {name} has {count} triangles; 1 to {most} are drawn",
            name=shown(name),
            count=len(triangles),
            most=MOST,
        )
    if not np.isfinite(triangles).all():
        raise ModelError("the mesh {name} contains numbers that are not finite; export it again", name=shown(name))
    corners, faces = np.unique(triangles.reshape(-1, 3).astype("<f4"), axis=0, return_inverse=True)
    return Mesh(name, corners.tobytes(), faces.reshape(-1).astype("<u4").tobytes())


def _place(name: str, folder: Path | None) -> Path:
    if folder is None:
        raise ModelError("a mesh is read from the model's folder, and this model has none; save it to a folder first")
    if Path(name).suffix.lower() not in ENDINGS:
        raise ModelError("{name} was met; the name of an .stl or .obj file is expected", name=shown(name))
    if "\0" in name or "\\" in name or Path(name).is_absolute():
        raise ModelError("{name} was met; a path relative to the model's folder is expected, with /", name=shown(name))
    home = folder.resolve()
    try:
        path = (home / name).resolve()
    except (OSError, RuntimeError):
        raise ModelError("{name} is not the path of a file in the model's folder", name=shown(name)) from None
    if not path.is_relative_to(home):
        raise ModelError("{name} is outside the model's folder; copy it there", name=shown(name))
    if not path.is_file():
        raise ModelError("there is no file {name} in the model's folder", name=shown(name))
    return path


def _stl(data: bytes) -> np.ndarray:
    """Triangles × corners × 3. A binary file has 80 bytes, a count, and 12 floats and two bytes for each triangle."""
    count = int(np.frombuffer(data, "<u4", 1, 80)[0]) if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        rows = np.frombuffer(data, np.dtype([("f", "<f4", 12), ("rest", "<u2")]), count, 84)
        return rows["f"][:, 3:].reshape(-1, 3, 3).astype(float)
    lines = (line.split() for line in data.decode("utf-8").splitlines())
    corners = [[float(word) for word in words[1:4]] for words in lines if words[:1] == ["vertex"]]
    return np.array(corners, float).reshape(-1, 3, 3)


def _obj(data: bytes) -> np.ndarray:
    """Polygons are cut into fans. Corners count from 1, or from the end with a negative number."""
    corners: list[list[float]] = []
    triangles: list[list[list[float]]] = []
    for line in data.decode("utf-8").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            corners.append([float(part) for part in rest[:3]])
        elif word == "f":
            places = [int(part.split("/")[0]) for part in rest]
            if 0 in places or max(map(abs, places)) > len(corners):
                raise IndexError
            named = [corners[place - 1 if place > 0 else place] for place in places]
            triangles += [[named[0], one, two] for one, two in pairwise(named[1:])]
        if len(triangles) > MOST:
            break
    return np.array(triangles, float).reshape(-1, 3, 3)


def written(mesh: Mesh) -> bytes:
    """The bytes of a file with this mesh: OBJ if its name ends so, otherwise binary STL."""
    corners = np.frombuffer(mesh.corners, "<f4").reshape(-1, 3)
    faces = np.frombuffer(mesh.faces, "<u4").reshape(-1, 3)
    if mesh.file.lower().endswith(".obj"):
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.astype(float).tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (faces.astype(int) + 1).tolist()]
        return ("\n".join(lines) + "\n").encode()
    rows = np.zeros(len(faces), np.dtype([("f", "<f4", 12), ("rest", "<u2")]))
    rows["f"][:, 3:] = corners[faces].reshape(-1, 9)
    return b"\0" * 80 + np.array([len(faces)], "<u4").tobytes() + rows.tobytes()
