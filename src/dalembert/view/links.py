"""Rods drawn between places at a constant distance: a pendulum's rod, the arms of a mechanism, points of one frame.

Places are joined if the model relates them: a point and the point `from` which it starts, two places in one holonomic
constraint, a particle and the particle before it, or a particle and the fixed centre about which one coordinate swings
it. Their distance must be constant throughout. Bodies with stated shapes need no rods between their own points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.view.frames import Frames
from dalembert.view.packing import coarse

SAME = 1e-6  # of the size; by this much a constant distance may change


@dataclass(frozen=True, slots=True)
class Link:
    name: str
    start: np.ndarray
    end: np.ndarray
    ends: tuple[str, str]  # names of places; "" is a fixed place

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "ends": list(self.ends), "from": coarse(self.start), "to": coarse(self.end)}


def links(frames: Frames) -> list[Link]:
    found: dict[frozenset[str], Link] = {}
    places, samples = _places(frames, frames.drawn), _places(frames, frames.at_samples)
    whole = _need_no_rods(frames)
    for one, two in _joined(frames):
        if whole and not ({one, two} & _particles(frames, samples)):
            continue
        key = frozenset((_same(samples, one, frames), _same(samples, two, frames)))
        if len(key) == 2 and key not in found and _rigid(samples[one], samples[two], frames.size):
            found[key] = Link(f"{one} – {two}", places[one], places[two], (one, two))
    for name in frames.stage.record.bodies:
        if not any(_same(samples, name, frames) in key for key in found):
            centre = _swung_about(frames, name)
            if centre is not None:
                anchor = np.broadcast_to(centre, places[name].shape)
                link = Link(tr("rod of {name}", name=name), anchor, places[name], ("", name))
                found[frozenset((name, "anchor"))] = link
    return list(found.values())


def _need_no_rods(frames: Frames) -> bool:
    """Whether every extended body states its shape. Its own points then need no rods between them."""
    record = frames.stage.record
    known = {rolling.body for rolling in record.rolling.values()}  # wheels and balls have a known shape
    extended = {name for name, body in record.bodies.items() if body.inertia or body.frame or body.rotation}
    return all(record.bodies[name].shapes for name in extended - known)


def _particles(frames: Frames, samples: dict[str, np.ndarray]) -> set[str]:
    """The particles, and the points that coincide with them."""
    record = frames.stage.record
    found = {name for name, body in record.bodies.items() if not (body.inertia or body.frame or body.rotation)}
    first = {_same(samples, name, frames) for name in found}
    return found | first


def _places(frames: Frames, drawn: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    record = frames.stage.record
    found = {name: drawn[f"point {name}"] for name in record.points}
    found |= {name: drawn[f"body {name}"][:, :3] for name in record.bodies}
    return {"origin": np.zeros((len(next(iter(found.values()), ())), 3)), **found}


def _same(places: dict[str, np.ndarray], name: str, frames: Frames) -> str:
    """The first name of a place. A body has the name of a point that coincides with it."""
    for other, values in places.items():
        if np.abs(values - places[name]).max(initial=0.0) <= 1e-9 * frames.size:
            return other
    return name


def _joined(frames: Frames) -> Iterator[tuple[str, str]]:
    record = frames.stage.record
    for name, point in record.points.items():
        if point.origin is not None:
            yield point.origin, name
    for row in frames.stage.rows:
        if row.table == "constraints" and row.acts and row.gap != 0:
            names = [act.owner for act in row.acts]
            yield from combinations(names, 2)
            if len(names) == 1:
                yield "origin", names[0]
    particles = [name for name, body in record.bodies.items() if not body.inertia]
    moved = {name: _movers(frames, name) for name in particles}
    for row in frames.stage.rows:
        if row.table == "constraints" and not row.acts and row.gap != 0:  # written in coordinates: x^2 + y^2 = l^2
            acts = {j for j, e in enumerate(row.row) if e != 0}
            held = [name for name in particles if moved[name] & acts]
            yield from [tuple(held)] if len(held) == 2 else [("origin", name) for name in held[:1]]  # type: ignore[misc]
    for one, two in pairwise(particles):
        if (
            moved[one] < moved[two] and len(moved[two] - moved[one]) == 1
        ):  # one more coordinate swings the next particle about this one
            yield one, two
    for name in particles[:1]:
        if len(moved[name]) == 1:
            yield "origin", name


def _movers(frames: Frames, name: str) -> frozenset[int]:
    columns = frames.stage.system.bodies[name].centre.columns
    return frozenset(j for j, column in enumerate(columns) if column is not None)


def _rigid(one: np.ndarray, two: np.ndarray, size: float) -> bool:
    apart = np.linalg.norm(two - one, axis=1)
    moves = np.ptp(two - one, axis=0).max(initial=0.0) > SAME * size or np.ptp(two, axis=0).max(initial=0.0) > 0
    return bool(np.ptp(apart) <= SAME * size and apart.mean() > 1e-3 * size and moves)


def _swung_about(frames: Frames, name: str) -> np.ndarray | None:
    """The fixed centre of a particle that one coordinate moves on a circle: solve |r|² = 2 c·r + const for c."""
    body = frames.stage.record.bodies[name]
    if body.inertia or len(_movers(frames, name)) != 1:
        return None
    r = frames.at_samples[f"body {name}"][:, :3]
    middle = r.mean(axis=0)
    _, s, vt = np.linalg.svd(r - middle, full_matrices=False)
    if len(s) < 2 or s[1] < 1e-7 * s[0] or (len(s) == 3 and s[2] > 1e-6 * s[0]):
        return None  # a straight line, or not in a plane
    flat = (r - middle) @ vt[:2].T
    A = np.column_stack([2 * flat, np.ones(len(flat))])
    solution, *_ = np.linalg.lstsq(A, np.sum(flat**2, axis=1), rcond=None)
    centre = middle + solution[:2] @ vt[:2]
    return centre if np.ptp(np.linalg.norm(r - centre, axis=1)) <= SAME * frames.size else None
