"""What a model moves on and against: the ground, the walls of its contacts, and the places where it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.view.arrows import Arrow, Frames
from dalembert.view.outlook import Outlook
from dalembert.view.packing import coarse, codes
from dalembert.view.shapes import Shape

MODES = ("open", "closed", "sliding", "rolling")  # of a touching place, as it is coloured


@dataclass(frozen=True, slots=True)
class Touch:
    """A place where something touches; `normal` points out of the wall, `gap` is how far it is open."""

    name: str
    body: str
    place: np.ndarray
    normal: np.ndarray | None
    gap: np.ndarray
    mode: np.ndarray  # indices of MODES
    single: bool  # one body against a wall, not two bodies

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "place": coarse(self.place), "modes": list(MODES), "mode": codes(self.mode)}


def contacts(frames: Frames, forces: Sequence[Arrow], shapes: Mapping[str, Shape]) -> list[Touch]:
    """The contacts of the model, and the points of contact of what rolls."""
    found = [_rolling(frames, name) for name in frames.stage.record.rolling]
    return [*found, *_unilateral(frames, shapes)]


def _rolling(frames: Frames, name: str) -> Touch:
    values = frames.drawn[f"rolling {name}"]
    body = frames.stage.record.rolling[name].body
    mode = np.full(len(frames.times), MODES.index("rolling"))
    return Touch(name, body, values[:, :3], values[:, 3:6], np.zeros(len(frames.times)), mode, False)


def _unilateral(frames: Frames, shapes: Mapping[str, Shape]) -> list[Touch]:
    found = []
    modes = frames.motion.modes
    for row in frames.stage.rows:
        if row.table != "contacts" or row.label not in modes or row.gap == 0:
            continue
        mode = _coloured(frames, row.label)
        gap = frames.acting[f"gap {row.label}"][:, 0]
        if not row.acts:
            place = _by_partials(frames, row.label)
            if place is None:
                continue
            body, at, normal = place
        else:
            act = row.acts[0]
            body = act.owner
            at, normal = np.split(frames.acting[f"act 0 {row.label}"], 2, axis=1)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        unit = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
        gap = np.divide(gap, length[:, 0], out=np.zeros_like(gap), where=length[:, 0] > 0)
        if body in shapes and np.abs(at - frames.drawn[f"body {body}"][:, :3]).max(initial=0.0) <= 1e-9 * frames.size:
            rotation = frames.drawn[f"body {body}"][:, 3:].reshape(-1, 3, 3)
            at = at + support(shapes[body], rotation, -unit)
        found.append(Touch(row.label, body, at, unit, gap, mode, len(row.acts) < 2))
    return found


def _by_partials(frames: Frames, label: str) -> tuple[str, np.ndarray, np.ndarray] | None:
    """The body whose centre's velocity alone makes the gap's rate, for a gap that is written in coordinates."""
    row = frames.acting[f"row {label}"]
    partial = frames.stage.partial(frames.x)
    moving = np.any([np.any(J != 0, axis=(0, 1)) for J in partial.values()], axis=0) if partial else np.zeros(0, bool)
    target = np.where(moving, row, 0.0) if partial else row
    best = None
    for name, J in partial.items():
        full = np.swapaxes(J, 1, 2) / np.array([1, 1, 1, frames.size, frames.size, frames.size])
        w = np.einsum("tij,tj->ti", np.linalg.pinv(full, rcond=1e-9), target)
        left = np.abs(np.einsum("tij,tj->ti", full, w) - target).max(initial=0.0)
        if left <= 1e-6 * np.abs(target).max(initial=0.0):
            force, torque = w[:, :3], w[:, 3:] * frames.size
            square = np.sum(force**2, axis=1, keepdims=True)
            if square.min(initial=1.0) <= 0:
                continue
            arm = np.cross(force, torque) / square
            cost = float(np.abs(arm).max(initial=0.0) + np.abs(torque).max(initial=0.0))
            if best is None or cost < best[0]:
                best = cost, (name, frames.drawn[f"body {name}"][:, :3] + arm, force)
    return None if best is None else best[1]


def _coloured(frames: Frames, label: str) -> np.ndarray:
    """open, closed, or by its friction sliding or rolling."""
    words = frames.modes(label)
    mode = np.where(words == "closed", MODES.index("closed"), MODES.index("open"))
    frictions = [f"{label}.slip", *(_frictions_of(frames, label))]
    for name in frictions:
        if name in frames.motion.modes:
            slip = frames.modes(name)
            mode = np.where((mode > 0) & (slip == "slip"), MODES.index("sliding"), mode)
            mode = np.where((mode == 1) & (slip == "stick"), MODES.index("rolling"), mode)
    return mode


def _frictions_of(frames: Frames, label: str) -> list[str]:
    return [name for name, friction in frames.stage.record.frictions.items() if friction.normal == label]


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
        axis = np.array(shape.axis)
        along = local @ axis
        across = local - along[:, None] * axis
        size = np.linalg.norm(across, axis=1, keepdims=True)
        radius = shape.sizes[0]
        half = 0.0 if shape.kind == "ring" else shape.sizes[1] / 2
        at = radius * np.divide(across, size, out=np.zeros_like(across), where=size > 1e-6)
        at = at + np.where(np.abs(along) < 1e-6, 0.0, np.sign(along))[:, None] * half * axis
    return np.einsum("tij,tj->ti", turn, at) + np.einsum("tij,j->ti", rotation, np.array(shape.at))


def ground(frames: Frames, seen: Outlook) -> dict[str, Any] | None:
    """The plane of the grid: what something rolls on, else a fixed wall across the vertical, else none."""
    for name, rolling in frames.stage.record.rolling.items():
        values = frames.drawn[f"rolling {name}"]
        normal = values[:, 3:6]
        if isinstance(rolling.on, str) and rolling.on != "ground":
            continue
        return {"point": values[0, :3].tolist(), "normal": normal[0].tolist(), "rolled_on": True}
    if seen.planar:
        return None
    lowest = min((float((values[:, :3] @ seen.up).min()) for values in frames.drawn.values()), default=0.0)
    return {"point": (lowest * seen.up).tolist(), "normal": seen.up.tolist(), "rolled_on": False}


def walls(frames: Frames, touching: Sequence[Touch], seen: Outlook) -> list[dict[str, Any]]:
    """Flat walls, at rest or moving along their normal; and the lines that a curved one draws in the plane."""
    found = []
    for touch in touching:
        if touch.normal is None or not touch.single or touch.name in frames.stage.record.rolling:
            continue
        normal = touch.normal[0]
        if np.abs(touch.normal - normal).max(initial=0.0) > 1e-6:
            continue
        at = touch.place - touch.gap[:, None] * touch.normal
        level = at @ normal
        along = touch.place - (touch.place @ normal)[:, None] * normal
        middle, half = (along.max(axis=0) + along.min(axis=0)) / 2, np.ptp(along, axis=0).max(initial=0.0) / 2
        found.append(
            {
                "name": touch.name,
                "normal": normal.tolist(),
                "place": coarse(middle + level[:, None] * normal),
                "half": float(max(half + 0.8 * seen.size, 0.8 * seen.size)),
            }
        )
    return found
