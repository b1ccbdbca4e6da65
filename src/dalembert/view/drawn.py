"""The figures of every body, stated or guessed, and the drawings of a model along a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.model.record import ModelRecord, Shape
from dalembert.model.values import Evaluator
from dalembert.view.figures import Figure, Numbers, figure, placed, reach, support
from dalembert.view.guessed import guess
from dalembert.view.packing import coarse
from dalembert.view.stage import Stage

Figures = tuple[Figure, ...]
LEAVE_TRAILS = ("ball", "wheel", "cylinder")  # kinds of moving drawings


@dataclass(frozen=True, slots=True)
class DrawnPiece:
    """A drawing along the motion: its figure, its places, and its attitudes."""

    name: str
    figure: Figure
    position: np.ndarray
    rotation: np.ndarray
    surface: bool = False  # a surface of [rolling], not a drawing of the model

    @property
    def corners(self) -> np.ndarray:
        """Corners of a box around it at all times."""
        half = np.einsum("tij,j->ti", np.abs(self.rotation), self.figure.half)
        return np.concatenate([self.position - half, self.position + half])

    def lowest(self, up: np.ndarray) -> float:
        """Its lowest place at any time, measured upwards."""
        growth = self.figure.growth
        if growth is None:
            down = np.broadcast_to(-up, self.position.shape)
            return float(((self.position + support((self.figure,), self.rotation, down)) @ up).min())
        half = self.figure.half * growth[:, :3]  # of a box around it, which is enough for tubes and springs
        return float((self.position @ up - np.einsum("ti,ti->t", np.abs(up @ self.rotation), half)).min())

    def to_dict(self) -> dict[str, Any]:
        rotation = quaternions(self.rotation)
        return {
            "name": self.name,
            "shapes": [self.figure.to_dict()],
            "position": coarse(self.position),
            "rotation": coarse(rotation),
            "trail": self.figure.kind in LEAVE_TRAILS and bool(np.ptp(self.position, axis=0).max(initial=0.0) > 0),
            "turns": bool(np.ptp(rotation, axis=0).max(initial=0.0) > 1e-9),
            **({"surface": True} if self.surface else {}),
        }


def drawn_bodies(
    stage: Stage, record: ModelRecord, x: np.ndarray, drawn: Mapping[str, np.ndarray], start: Evaluator
) -> dict[str, Figures]:
    """The figures of every body: the stated ones, or a guess from its rolling, contacts and inertia."""
    stated = {name.removeprefix("body "): tuple(placed(shape, numbers) for shape, numbers in some)
              for name, some in stage.figures(x).items() if name.startswith("body ")}  # fmt: skip
    way, at_once = _spread([values[:, :3] for values in drawn.values()])
    size = max(at_once, reach(stated)) or way or 1.0
    touching = {} if len(stated) == len(record.bodies) else _touching(stage, x, drawn)
    found = {
        name: stated.get(name) or (guess(record, name, size, start, touching.get(name)),) for name in record.bodies
    }
    return found | {name: (Figure("ball", (0.03 * size,)),) for name in stage.dots}


def _spread(places: Sequence[np.ndarray]) -> tuple[float, float]:
    """The radius of all places over time, and the typical radius at one instant."""
    if not places:
        return 1.0, 0.0
    all_ = np.stack(places)  # places × times × 3
    low, high = all_.min(axis=(0, 1)), all_.max(axis=(0, 1))
    at_once = np.linalg.norm(all_ - all_.mean(axis=0), axis=2).max(axis=0)
    return float(np.linalg.norm(high - low)) / 2, float(np.median(at_once))


def _touching(stage: Stage, x: np.ndarray, drawn: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Half the distance at which two bodies touch, if a contact keeps their centres apart."""
    found: dict[str, float] = {}
    pairs = [row for row in stage.rows if row.table == "contacts" and row.gap != 0 and len(row.acts) == 2]
    acting = stage.acting(x) if pairs else {}
    for row in pairs:
        one, two = (act.owner for act in row.acts)
        if f"body {one}" in drawn and f"body {two}" in drawn:
            apart = np.linalg.norm(drawn[f"body {one}"][:, :3] - drawn[f"body {two}"][:, :3], axis=1)
            closed = apart - acting[f"gap {row.label}"][:, 0]
            if closed.min() > 0 and np.ptp(closed) <= 1e-9 * closed.max():
                found.setdefault(one, float(closed[0]) / 2)
                found.setdefault(two, float(closed[0]) / 2)
    return found


def grown(figures: Figures, shown: Sequence[tuple[Shape, Numbers]]) -> Figures:
    """The figures of a body with their sizes at the drawn instants."""
    if not any(numbers.varies for _, numbers in shown):
        return figures
    again = [placed(shape, numbers) for shape, numbers in shown]
    return tuple(
        replace(one, sizes=new.sizes, growth=new.growth) if new.growth is not None else one
        for one, new in zip(figures, again, strict=True)
    )


def drawings(shown: Mapping[str, Sequence[tuple[Shape, Numbers]]]) -> list[DrawnPiece]:
    found = []
    for owner, some in shown.items():
        if owner.startswith("drawing "):
            made, at, turn = figure(*some[0])
            found.append(DrawnPiece(owner.removeprefix("drawing "), made, at, turn))
    return found


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (x, y, z, w) of rotation matrices (Shepperd), each with the sign nearest to the one before."""
    trace = np.trace(R, axis1=1, axis2=2)
    squares = np.stack([*(2 * R[:, i, i] - trace + 1 for i in range(3)), trace + 1], axis=1) / 4  # x², y², z², w²
    largest = np.argmax(squares, axis=1)
    products = np.empty((len(R), 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[:, i, i] = squares[:, i]
        products[:, i, j] = products[:, j, i] = (R[:, i, j] + R[:, j, i]) / 4
        products[:, i, 3] = products[:, 3, i] = (R[:, k, j] - R[:, j, k]) / 4
    products[:, 3, 3] = squares[:, 3]
    q = products[np.arange(len(R)), largest]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    q[1:] *= np.cumprod(np.where(flips < 0, -1.0, 1.0))[:, None]
    return q
