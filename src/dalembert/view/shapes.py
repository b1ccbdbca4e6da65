"""What a body is drawn as: the shape that the model states, or one that fits what is known of it.

A box with the principal inertia J and mass m has the edges a_i² = 6 (J_j + J_k − J_i)/m. Of a body that only turns in
a plane one moment is known: its box is twice as long as wide, a² + b² = 12 J/m. A wheel is a disk of its radius, a
ball a ball, and a particle a small ball.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.model.record import Body, Model
from dalembert.model.values import Evaluator

# Names that a shape may have, what it is drawn as, and how many numbers it takes.
KINDS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "sphere": ("sphere", (1,)),
    "ball": ("sphere", (1,)),
    "box": ("box", (1, 3)),
    "cube": ("box", (1,)),
    "cylinder": ("cylinder", (2,)),
    "disk": ("cylinder", (1, 2)),
    "wheel": ("cylinder", (1, 2)),
    "ellipsoid": ("ellipsoid", (3,)),
    "cone": ("cone", (2,)),
    "capsule": ("capsule", (2,)),
    "rod": ("capsule", (1, 2)),
    "ring": ("ring", (1, 2)),
}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
THIN = 0.06  # of a disk, a rod or a ring of which only one size is stated


@dataclass(frozen=True, slots=True)
class Shape:
    """`sizes`: radius; edges; radius and height (of cone, capsule, cylinder); semi-axes; radius and tube.

    `axis` is that of a cylinder, cone, capsule or ring in body axes, `at` its centre seen from the centre of mass, and
    `turn` (rows of a rotation matrix) takes the shape's axes to the body's, for boxes along principal axes.
    """

    kind: str
    sizes: tuple[float, ...]
    axis: tuple[float, float, float] = AXES["z"]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: tuple[tuple[float, ...], ...] | None = None
    stated: bool = False
    colour: str = ""

    @property
    def reach(self) -> float:
        """Radius of a ball about the centre of mass that holds it."""
        match self.kind:
            case "box":
                size = float(np.linalg.norm(self.sizes)) / 2
            case "cylinder" | "cone":
                size = float(np.hypot(self.sizes[0], self.sizes[1] / 2))
            case "capsule":
                size = self.sizes[0] + self.sizes[1] / 2
            case "ring":
                size = sum(self.sizes)
            case _:
                size = max(self.sizes)
        return size + float(np.linalg.norm(self.at))

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": self.kind, "sizes": list(self.sizes)}
        if self.kind in ("cylinder", "cone", "capsule", "ring"):
            found["axis"] = list(self.axis)
        if any(self.at):
            found["at"] = list(self.at)
        if self.turn is not None:
            found["turn"] = [list(row) for row in self.turn]
        if not self.stated and self.kind == "box":
            found["guessed"] = True
        if self.colour:
            found["colour"] = self.colour
        return found


def shapes(record: Model, size: float, start: Evaluator) -> tuple[dict[str, Shape], tuple[str, ...]]:
    """A shape for every body, `size` being that of the scene; and notes on shapes that could not be read."""
    found, notes = {}, []
    masses = {name: abs(start.number(body.mass)) for name, body in record.bodies.items()}
    heaviest = max(masses.values(), default=0.0)
    for name, body in record.bodies.items():
        shape = _stated(body, _axis(body, start)) if body.shape else None
        if body.shape and shape is None:
            notes.append(
                f"The shape of {name} is none of {', '.join(KINDS)} with its sizes; one was chosen from its inertia."
            )
        shape = shape or _rolling(record, name, body, start)
        shape = shape or _from_inertia(body, masses[name], size, start)
        found[name] = shape or Shape("sphere", (_small(masses[name], heaviest, size),))
    return found, tuple(notes)


def _axis(body: Body, start: Evaluator) -> tuple[float, float, float]:
    """The axis of symmetry: that of the spin, else z."""
    if body.spin is None:
        return AXES["z"]
    if isinstance(body.spin.axis, str):
        return AXES[body.spin.axis]
    return _unit([start.number(component) for component in body.spin.axis]) or AXES["z"]


def _unit(values: Sequence[float]) -> tuple[float, float, float] | None:
    length = float(np.linalg.norm(values))
    return tuple(float(v) / length for v in values) if length > 0 else None  # type: ignore[return-value]


def _stated(body: Body, axis: tuple[float, float, float]) -> Shape | None:
    stated = dict(body.shape)
    at = _numbers(stated.pop("at", (0, 0, 0)))
    along = stated.pop("axis", axis)
    along = AXES.get(along) if isinstance(along, str) else _unit(_numbers(along) or (0.0,))
    colour = stated.pop("colour", stated.pop("color", ""))
    if len(stated) != 1 or at is None or len(at) != 3 or along is None or len(along) != 3:
        return None
    ((word, value),) = stated.items()
    sizes = _numbers(value)
    if word not in KINDS or sizes is None or len(sizes) not in KINDS[word][1] or min(sizes) < 0 or max(sizes) <= 0:
        return None
    kind = KINDS[word][0]
    if word == "rod":  # length, and perhaps radius
        sizes = (sizes[1] if len(sizes) == 2 else THIN / 2 * sizes[0], sizes[0])
    elif kind == "box" and len(sizes) == 1:
        sizes *= 3
    elif len(sizes) == 1 and kind in ("cylinder", "ring"):
        sizes = (sizes[0], THIN * sizes[0])
    return Shape(kind, sizes, along, at, stated=True, colour=colour if isinstance(colour, str) else "")  # type: ignore[arg-type]


def _numbers(value: Any) -> tuple[float, ...] | None:
    listed = value if isinstance(value, (list, tuple)) else (value,)
    if not listed or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in listed):
        return None
    return tuple(float(v) for v in listed)


def _rolling(record: Model, name: str, body: Body, start: Evaluator) -> Shape | None:
    for rolling in record.rolling.values():
        if rolling.body == name and rolling.kind != "at":
            radius = abs(start.number(rolling.size))
            if radius > 0:
                axis = _axis(body, start)
                return (
                    Shape("sphere", (radius,))
                    if rolling.kind == "ball"
                    else Shape("cylinder", (radius, THIN * radius), axis)
                )
    return None


def _from_inertia(body: Body, mass: float, size: float, start: Evaluator) -> Shape | None:
    if not body.inertia:
        return None
    xx, yy, zz, xy, yz, xz = [*(start.number(entry) for entry in body.inertia), 0.0, 0.0, 0.0][:6]
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments.max() <= 0:
        return None
    if not mass > 0:
        return Shape("box", (0.14 * size, 0.05 * size, 0.05 * size))
    if moments[1] <= 1e-9 * moments[2]:  # turns in a plane only: one moment is known
        short = float(np.sqrt(12 * moments[2] / (5 * mass)))
        edges = {2: (2 * short, short, short / 4), 1: (2 * short, short / 4, short), 0: (short / 4, 2 * short, short)}
        return Shape("box", _within(edges[int(np.argmax(np.abs(axes[:, 2])))], size))
    squares = 6 * (moments.sum() - 2 * moments) / mass
    edges_along = np.sqrt(np.maximum(squares, 1e-3 * squares.max()))
    straight = np.allclose(np.abs(axes).max(axis=0), 1.0, atol=1e-9)
    if straight:  # along the body's own axes, in their order
        order = np.argsort(np.argmax(np.abs(axes), axis=0))
        return Shape("box", _within(edges_along[order], size))
    if np.linalg.det(axes) < 0:
        axes = -axes
    return Shape("box", _within(edges_along, size), turn=tuple(tuple(row) for row in axes.tolist()))


def _within(edges: Sequence[float] | np.ndarray, size: float) -> tuple[float, ...]:
    """The edges, none so long that it would hide the rest, none too thin to be seen."""
    found = np.asarray(edges, float)
    if size > 0:
        found = found * min(1.0, 1.2 * size / found.max())
        found = found * max(1.0, 0.06 * size / found.max())
    return tuple(np.maximum(found, 0.1 * found.max()).tolist())


def _small(mass: float, heaviest: float, size: float) -> float:
    share = (mass / heaviest) ** (1 / 3) if heaviest > 0 else 1.0
    return 0.045 * size * max(0.5, share)


def support(shape: Shape, rotation: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The place of a shape's surface that is farthest along a direction, seen from the body's centre of mass."""
    turn = rotation if shape.turn is None else rotation @ np.array(shape.turn)
    local = np.einsum("tji,tj->ti", turn, direction)
    if shape.kind == "sphere":
        at = shape.sizes[0] * local
    elif shape.kind == "box":
        at = np.where(np.abs(local) < 1e-6, 0.0, np.sign(local)) * np.array(shape.sizes) / 2
    elif shape.kind == "ellipsoid":
        squares = np.array(shape.sizes) ** 2 * local
        length = np.sqrt(np.sum(squares * local, axis=1, keepdims=True))
        at = np.divide(squares, length, out=np.zeros_like(squares), where=length > 0)
    else:
        at = _support_about_an_axis(shape, local)
    return np.einsum("tij,tj->ti", turn, at) + np.einsum("tij,j->ti", rotation, np.array(shape.at))


def _support_about_an_axis(shape: Shape, local: np.ndarray) -> np.ndarray:
    axis = np.array(shape.axis)
    along = local @ axis
    across = local - along[:, None] * axis
    size = np.linalg.norm(across, axis=1, keepdims=True)
    half = 0.0 if shape.kind == "ring" else shape.sizes[1] / 2
    at = shape.sizes[0] * np.divide(across, size, out=np.zeros_like(across), where=size > 1e-6)
    return at + np.where(np.abs(along) < 1e-6, 0.0, np.sign(along))[:, None] * half * axis
