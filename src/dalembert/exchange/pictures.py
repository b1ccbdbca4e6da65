"""Shapes of the links in a robot's file: boxes, cylinders, spheres, capsules, ellipsoids, and meshes.

A mesh is named as package://PACKAGE/PATH or by a path. It is searched for only in the folder of the file and, for a
package, in those above it: paths with .. and absolute paths are not followed. STL and OBJ are read. A mesh that cannot
be drawn gives a note.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np

from dalembert.errors import ModelError
from dalembert.exchange.robot import number
from dalembert.expressions.limits import constant
from dalembert.expressions.nodes import Number, Vector
from dalembert.language import tr
from dalembert.model.mesh import ENDINGS, read_mesh
from dalembert.model.record import AxisTurn, Shape
from dalembert.model.shapes import MOST_SHAPES

STILL = 1e-9  # smallest angle that counts as a turn


def part(kind: str, sizes: list[float], place: np.ndarray, R: np.ndarray, colour: str = "") -> Shape:
    """A shape with axes R at a place of the link. Cylinders and capsules are along their z."""
    axis = "z" if kind in ("cylinder", "capsule") else None
    stated = tuple(map(number, sizes))
    return Shape(kind, stated, at=_vector(place), axis=axis, turn=turn_of(R), colour=colour)


def turn_of(R: np.ndarray) -> tuple[AxisTurn, ...]:
    """A rotation as one turn about its axis."""
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_matrix(R).as_rotvec()
    angle = float(np.linalg.norm(turned))
    if angle < STILL:
        return ()
    x, y, z = (number(float(entry) / angle) for entry in turned)
    return (AxisTurn((x, y, z), number(angle)),)


def seen_from(shapes: list[Shape], centre: np.ndarray) -> tuple[Shape, ...]:
    """Shapes with places relative to the centre of mass, as a body has them, from places in the link's frame."""
    found = []
    for shape in shapes[:MOST_SHAPES]:
        assert isinstance(shape.at, Vector)
        place = np.array([constant(entry) for entry in shape.at.children], float)
        found.append(replace(shape, at=_vector(place - centre)))
    return tuple(found)


def colour_of(rgba: np.ndarray) -> str:
    return "#" + "".join(f"{round(255 * min(max(float(c), 0.0), 1.0)):02x}" for c in rgba[:3])


@dataclass
class Meshes:
    """The meshes named in one file, and notes on those that cannot be drawn."""

    path: Path
    notes: list[str] = field(default_factory=list)

    def shape(self, name: str, scale: np.ndarray, place: np.ndarray, R: np.ndarray, colour: str = "") -> Shape | None:
        """The mesh `name` as a shape, or None if it cannot be drawn."""
        file = self._file(name)
        if file is None:
            message = tr("the mesh {name} was not found near the file, and is left out", name=name)
        elif file.suffix.lower() not in ENDINGS:
            message = tr("the mesh {name} is neither STL nor OBJ, and is left out of the picture", name=name)
        else:
            try:
                mesh = read_mesh(file.name, file.parent)
            except ModelError as error:
                message = tr("{message}; it is left out of the picture", message=error.faults[0].message)
            else:
                corners = np.frombuffer(mesh.corners, "<f4").reshape(-1, 3) * scale
                saved = f"{self.path.stem}_meshes/{'_'.join(f'{s:g}' for s in scale)}_{file.stem}.stl"
                saved = saved.replace("1_1_1_", "")
                mesh = replace(mesh, file=saved, corners=corners.astype("<f4").tobytes())
                shape = Shape("mesh", (Number(1),), at=_vector(place), turn=turn_of(R), colour=colour, text=saved)
                return replace(shape, mesh=mesh)
        if message not in self.notes:
            self.notes.append(message)
        return None

    def _file(self, name: str) -> Path | None:
        package, _, rest = name.removeprefix("package://").partition("/")
        inside = PurePosixPath(rest if name.startswith("package://") else name.removeprefix("file://"))
        if inside.is_absolute() or ".." in inside.parts:
            return None
        home = self.path.resolve().parent
        places = [home / inside]
        if name.startswith("package://"):
            places += [found for above in (home, *home.parents) for found in (above / package / inside, above / inside)]
        return next((place for place in places if place.is_file()), None)


def _vector(place: np.ndarray) -> Vector:
    x, y, z = (number(float(entry)) for entry in place)
    return Vector(x, y, z)
