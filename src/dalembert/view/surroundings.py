"""The surroundings of a model: the ground, the walls of its contacts, and the places where it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.view.acting import RowOfForce
from dalembert.view.figures import Figure, support
from dalembert.view.frames import Frames
from dalembert.view.outlook import Outlook
from dalembert.view.packing import coarse, codes
from dalembert.view.wrench import carried

MODES = ("open", "closed", "sliding", "rolling")  # of a contact; each has a colour
GRID = 140  # points along each side of the grid on which a curved wall is found


@dataclass(frozen=True, slots=True)
class Touch:
    """A place of contact. `normal` points out of the wall, and `gap` is the distance."""

    name: str
    body: str
    place: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    mode: np.ndarray  # indices of MODES
    row: RowOfForce | None = None  # None for rolling

    @property
    def single(self) -> bool:
        """Whether one body touches a wall, not another body."""
        return self.row is not None and len(self.row.acts) < 2

    def to_dict(self) -> dict[str, Any]:
        told = {"name": self.name, "body": self.body, "place": coarse(self.place)}
        return {**told, "modes": list(MODES), "mode": codes(self.mode)}


def contacts(frames: Frames, shapes: Mapping[str, Sequence[Figure]]) -> list[Touch]:
    """The contacts of the model, and the contact points of rolling."""
    found = [_rolling(frames, name) for name in frames.stage.record.rolling]
    for row in frames.stage.rows:
        if row.table == "contacts" and row.gap != 0 and row.label in frames.motion.modes:
            touched = _touched(frames, row, shapes)
            if touched is not None:
                body, place, normal, gap = touched
                found.append(Touch(row.label, body, place, normal, gap, _coloured(frames, row.label), row))
    return found


def _rolling(frames: Frames, name: str) -> Touch:
    values = frames.drawn[f"rolling {name}"]
    body = frames.stage.record.rolling[name].body
    mode = np.full(len(frames.times), MODES.index("rolling"))
    return Touch(name, body, values[:, :3], values[:, 3:6], np.zeros(len(frames.times)), mode)


def _touched(
    frames: Frames, row: RowOfForce, shapes: Mapping[str, Sequence[Figure]]
) -> tuple[str, np.ndarray, np.ndarray, np.ndarray] | None:
    """Body, place, unit normal and gap as a length, at the place that the gap names or where its force acts."""
    gap = frames.acting[f"gap {row.label}"][:, 0]
    if row.acts:
        body = row.acts[0].owner
        at, normal = np.split(frames.acting[f"act 0 {row.label}"], 2, axis=1)
    else:
        found = carried(frames.bodies, frames.acting[f"row {row.label}"])
        if found is None:
            return None
        body, normal = found.body, found.force
        at = frames.centres[body] + found.arm
        if np.abs(found.arm).max(initial=0.0) > 1e-9 * frames.size:
            named = frames.on_line(at, normal, normal)
            at = at if named is None else named
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    unit = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    gap = np.divide(gap, length[:, 0], out=np.zeros_like(gap), where=length[:, 0] > 0)
    if body in shapes and np.abs(at - frames.centres[body]).max(initial=0.0) <= 1e-9 * frames.size:
        at = at + support(shapes[body], _attitudes(frames, body), -unit)
    return body, at, unit, gap


def _coloured(frames: Frames, label: str) -> np.ndarray:
    """The mode at every instant: open or closed, or from its friction sliding or rolling."""
    mode = np.where(frames.modes(label) == "closed", MODES.index("closed"), MODES.index("open"))
    own = [name for name, friction in frames.stage.record.frictions.items() if friction.normal == label]
    for name in (f"{label}.slip", *own):
        if name in frames.motion.modes:
            slip = frames.modes(name)
            mode = np.where((mode > 0) & (slip == "slip"), MODES.index("sliding"), mode)
            mode = np.where((mode == 1) & (slip == "stick"), MODES.index("rolling"), mode)
    return mode


def ground(
    frames: Frames, barriers: list[dict[str, Any]], seen: Outlook, shapes: Mapping[str, Sequence[Figure]]
) -> dict[str, Any] | None:
    """The plane of the grid: the plane of rolling, or else a floor at rest, which is then removed from the walls.

    A plane that is neither level nor upright is a slope. It has the corners of its surface and of its foot, and the
    grid is level at the foot. Without any of these, the grid is a level plane below the motion. A motion that is seen
    face-on has no ground.
    """
    for name, rolling in frames.stage.record.rolling.items():
        if isinstance(rolling.on, str) and rolling.on != "ground":
            continue
        values = frames.drawn[f"rolling {name}"]
        if np.ptp(values[:, 3:6], axis=0).max(initial=0.0) > 1e-6:
            continue  # it does not roll on a plane
        return _plane(frames, values[0, :3], values[0, 3:6], seen, shapes)
    if seen.planar:
        return None
    for wall in barriers:
        if "normal" in wall and wall["place"]["type"] == "constant" and np.dot(wall["normal"], seen.up) > 1 - 1e-9:
            barriers.remove(wall)
            return {"point": wall["place"]["value"], "normal": wall["normal"], "rolled_on": True}
    kept = _kept_plane(frames, seen, shapes)
    if kept is not None:
        return _plane(frames, *kept, seen, shapes)
    return {"point": (seen.lowest * seen.up).tolist(), "normal": seen.up.tolist(), "rolled_on": False}


def _kept_plane(
    frames: Frames, seen: Outlook, shapes: Mapping[str, Sequence[Figure]]
) -> tuple[np.ndarray, np.ndarray] | None:
    """A slope: a plane across an axis in which every body moves, if gravity acts both along it and into it."""
    for normal in np.eye(3):
        upright = float(normal @ seen.up)
        level = [centre @ normal for centre in frames.centres.values()]
        still = bool(level) and all(np.ptp(values) <= 1e-7 * seen.radius for values in level)
        if still and 0.1 < abs(upright) < 1 - 1e-6:
            out = np.sign(upright) * normal
            under = [support(shapes[name], _attitudes(frames, name), np.broadcast_to(-out, centre.shape))
                     for name, centre in frames.centres.items()]  # fmt: skip
            places = [centre + foot for centre, foot in zip(frames.centres.values(), under, strict=True)]
            lowest = min((place for some in places for place in some), key=lambda place: float(place @ out))
            return lowest, out
    return None


def _plane(
    frames: Frames, point: np.ndarray, normal: np.ndarray, seen: Outlook, shapes: Mapping[str, Sequence[Figure]]
) -> dict[str, Any]:
    upright = float(normal @ seen.up)
    if upright > 1 - 1e-4 or upright < 0.05:
        return {"point": point.tolist(), "normal": normal.tolist(), "rolled_on": True}
    down = upright * normal - seen.up
    down /= np.linalg.norm(down)
    across = np.cross(normal, down)
    centres = np.concatenate(list(frames.centres.values())) - point
    corners = []
    for axis in (down, across):
        reach = centres @ axis
        room = 0.9 * seen.size + 0.08 * np.ptp(reach)
        corners.append((reach.min() - room, reach.max() + room))
    (top, bottom), (left, right) = corners
    surface = [point + a * down + b * across for a, b in ((top, left), (top, right), (bottom, right), (bottom, left))]
    foot = min(float(corner @ seen.up) for corner in surface) - 0.12 * seen.size
    base = [corner + (foot - corner @ seen.up) * seen.up for corner in surface]
    slope = {"surface": np.array(surface).tolist(), "foot": np.array(base).tolist(), "normal": normal.tolist()}
    return {"point": base[0].tolist(), "normal": seen.up.tolist(), "rolled_on": True, "slope": slope}


def _attitudes(frames: Frames, name: str) -> np.ndarray:
    return frames.drawn[f"body {name}"][:, 3:].reshape(-1, 3, 3)


def walls(
    frames: Frames, touching: Sequence[Touch], shapes: Mapping[str, Sequence[Figure]], seen: Outlook
) -> list[dict[str, Any]]:
    """Flat walls, at rest or moving along their normal. A curved wall is its line in a plane."""
    found: list[dict[str, Any]] = []
    for touch in touching:
        if not touch.single:
            continue
        normal = touch.normal[0]
        if np.abs(touch.normal - normal).max(initial=0.0) > 1e-6:
            across = seen.eye if seen.planar else np.eye(3)[2]
            strip = {"across": across.tolist(), "depth": 0.3 * seen.size}
            found += [{"name": touch.name, "line": line, **strip} for line in _outline(frames, touch, shapes)]
            continue
        level = (touch.place - touch.gap[:, None] * touch.normal) @ normal
        places = touch.place
        if seen.planar and abs(normal @ seen.up) > 0.99:  # a floor or a ceiling is below or above the whole motion
            places = np.vstack([places, seen.low, seen.high])
        along = places - (places @ normal)[:, None] * normal
        middle = (along.max(axis=0) + along.min(axis=0)) / 2
        wall = {"name": touch.name, "normal": normal.tolist(), "place": coarse(middle + level[:, None] * normal)}
        found.append({**wall, **_extent(along - middle, normal, seen)})
    return found


def _extent(places: np.ndarray, normal: np.ndarray, seen: Outlook) -> dict[str, Any]:
    """The extent of a wall around the middle of its contact points: `half` along one direction, `depth` across it.

    If a wall is seen edge-on in a planar motion, the direction lies in that plane, and the wall is not deep.
    """
    along = np.cross(normal, seen.eye) if seen.planar else np.cross(normal, seen.up)
    if np.linalg.norm(along) < (0.5 if seen.planar else 1e-6):
        wide = float(max(np.abs(places).max(initial=0.0) + 0.8 * seen.size, 0.45 * seen.radius))
        return {"half": wide, "depth": wide}
    along /= np.linalg.norm(along)
    half = float(np.abs(places @ along).max(initial=0.0))
    across = float(np.abs(places @ np.cross(normal, along)).max(initial=0.0))
    wide = max(half + 0.8 * seen.size, 0.45 * seen.radius)
    deep = min(wide, 0.5 * seen.size) if seen.planar else across + 0.9 * seen.size
    return {"half": wide, "depth": deep, "along": along.tolist()}


def _outline(frames: Frames, touch: Touch, shapes: Mapping[str, Sequence[Figure]]) -> list[list[list[float]]]:
    """The curve on which a gap of two coordinates is zero, mapped to the places of contact."""
    from contourpy import contour_generator

    motion, row = frames.stage.system.motion, touch.row
    assert row is not None
    free = row.gap.free_symbols
    which = [i for i, q in enumerate(motion.q) if q in free]
    if len(which) != 2 or motion.t in free or motion.has_speeds(row.gap):
        return []
    axes = []
    for i in which:
        low, high = float(frames.x[:, 1 + i].min()), float(frames.x[:, 1 + i].max())
        room = 0.35 * max(high - low, 1e-3 * frames.size)
        axes.append(np.linspace(low - room, high + room, GRID))
    across, up = np.meshgrid(*axes)
    gaps = frames.stage.acting(_with(frames.x[0], which, across.ravel(), up.ravel()))[f"gap {row.label}"][:, 0]
    level = contour_generator(across, up, np.where(np.isfinite(gaps), gaps, 1.0).reshape(across.shape))
    found = []
    for line in map(np.asarray, level.lines(0.0)):
        x = _with(frames.x[0], which, line[:, 0], line[:, 1])
        there = replace(frames, x=x, drawn=frames.stage.drawn(x), acting=frames.stage.acting(x))
        touched = _touched(there, row, shapes)
        if touched is not None and np.isfinite(touched[1]).all():
            places = touched[1]
            steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
            kept = np.append(True, steps > 1e-4 * frames.size)  # at a corner many states share one place
            if kept.sum() > 1:
                found.append(np.round(places[kept], 9).tolist())
    return found


def _with(state: np.ndarray, which: Sequence[int], *values: np.ndarray) -> np.ndarray:
    """Copies of the state with other values of some coordinates, one row each."""
    rows = np.repeat(state[None], len(values[0]), 0)
    for i, column in zip(which, values, strict=True):
        rows[:, 1 + i] = column
    return rows
