"""A motion as a scene: plain data that the player draws. docs/view.md says what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.model.record import Model
from dalembert.model.values import at_start
from dalembert.results.motion import Motion
from dalembert.view.arrows import Arrow, arrows
from dalembert.view.frames import Frames
from dalembert.view.instants import MOST, Course, course, instants
from dalembert.view.links import links
from dalembert.view.outlook import Outlook, outlook
from dalembert.view.packing import coarse, exact, single
from dalembert.view.panels import panels
from dalembert.view.shapes import Shape, shapes, support
from dalembert.view.stage import Stage
from dalembert.view.surroundings import contacts, ground, walls

VERSION = 1
MOST_ARROWS = 60


def scene(
    motion: Motion,
    record: Model,
    stage: Stage | None = None,
    equations: str = "",
    most: int = MOST,
) -> dict[str, Any]:
    """The scene of a motion of the model `record`.

    `stage` is what of the model is drawn, compiled; the same one serves every motion of the model, whatever the
    values of its parameters (`record` has them). `equations` is HTML with MathML to be shown with it.
    """
    stage = stage or Stage.of(record)
    run = course(motion)
    first = _glance(stage, record, run)
    start = at_start(record)
    size = _rough_size(first, record, start)
    drawn_as, notes = shapes(record, size, start)
    drawn_as |= {name: Shape("sphere", (0.03 * size,)) for name in stage.dots}
    seen = _outlook(stage, first, drawn_as, start)
    drawn_as = {name: _seen_from_afar(record, name, shape, seen.radius) for name, shape in drawn_as.items()}
    times = instants(motion, run, lambda t: _numbers(stage, record, run, t, seen.scale), 1e-3 * seen.scale, most)
    q, v = run.at(times)
    x = stage.states(record, times, q, v)
    frames = Frames(stage, motion, times, x, seen.size, stage.drawn(x), stage.acting(x))
    touching = contacts(frames, drawn_as)
    forces = arrows(frames, {touch.name: touch.place for touch in touching})
    rods, barriers = links(frames), walls(frames, touching, drawn_as, seen)
    ends = [end for rod in rods for end in (rod.start, rod.end)]
    lines = [np.array(wall["line"]) for wall in barriers if "line" in wall]
    seen = seen.holding([*ends, *lines], _lowest(frames, drawn_as, seen.up))
    return {
        "version": VERSION,
        "title": record.title or "Motion",
        "method": motion.method,
        "status": motion.status,
        "reference": record.reference,
        "times": exact(times),
        "outlook": seen.to_dict(),
        "bodies": [_body(frames, name, shape) for name, shape in drawn_as.items()],
        "points": [{"name": name, "position": coarse(frames.drawn[f"point {name}"])} for name in record.points],
        "links": [rod.to_dict() for rod in rods],
        "ground": ground(frames, barriers, seen),
        "walls": barriers,
        "contacts": [contact.to_dict() for contact in touching],
        "arrows": [_arrow(arrow) for arrow in forces if not arrow.turns][:MOST_ARROWS],
        "couples": [_arrow(arrow) for arrow in forces if arrow.turns][:MOST_ARROWS],
        "events": [{"time": event.time, "name": event.name, "kind": event.kind} for event in motion.events],
        "panels": panels(motion),
        "equations": equations,
        "notes": [*notes, *motion.notes],
        "diagnostics": motion.diagnostics.to_dict(),
    }


def _glance(stage: Stage, record: Model, run: Course) -> dict[str, np.ndarray]:
    times = np.linspace(run.start, run.end, 160 if run.end > run.start else 1)
    return stage.drawn(stage.states(record, times, *run.at(times)))


def _seen_from_afar(record: Model, name: str, shape: Shape, radius: float) -> Shape:
    """A particle has no size of its own: a ball that would be a speck on its way is drawn larger."""
    body = record.bodies.get(name)
    extended = body is not None and (body.inertia or body.spin or body.rotation or body.frame)
    if extended or shape.kind != "sphere":
        return shape
    return replace(shape, sizes=(max(shape.sizes[0], 0.012 * radius),))


def _places(drawn: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    return [values[:, :3] for values in drawn.values()]


def _rough_size(drawn: Mapping[str, np.ndarray], record: Model, start: Any) -> float:
    """The size by which shapes are chosen: that of the places of one instant and of the stated shapes."""
    from dalembert.view.outlook import spread

    _, way, at_once = spread(_places(drawn))
    stated, _ = shapes(record, 0.0, start)
    reach = max((shape.reach for shape in stated.values() if shape.stated), default=0.0)
    return max(at_once, reach) or way or 1.0


def _outlook(stage: Stage, drawn: Mapping[str, np.ndarray], drawn_as: Mapping[str, Shape], start: Any) -> Outlook:
    record = stage.record
    rotations = [values[:, 3:].reshape(-1, 3, 3) for name, values in drawn.items() if name.startswith("body ")]
    gravity = None if record.gravity is None else np.array(start.vector(record.gravity), float)
    reach = max((shape.reach for shape in drawn_as.values()), default=0.0)
    extended = any(body.inertia or body.spin or body.rotation or body.frame for body in record.bodies.values())
    return outlook(_places(drawn), rotations, gravity, reach, extended, bool(record.rolling))


def _lowest(frames: Frames, drawn_as: Mapping[str, Shape], up: np.ndarray) -> float:
    """The lowest place of any body, measured upwards."""
    found = []
    for name, shape in drawn_as.items():
        values = frames.drawn[f"body {name}"]
        down = np.broadcast_to(-up, (len(values), 3))
        under = support(shape, values[:, 3:].reshape(-1, 3, 3), down)
        found.append(float(((values[:, :3] + under) @ up).min()))
    return min(found, default=0.0)


def _numbers(stage: Stage, record: Model, run: Course, times: np.ndarray, size: float) -> np.ndarray:
    """What must not be missed between two instants: places, and attitudes so weighted that 0.02 rad count as a step."""
    drawn = stage.drawn(stage.states(record, times, *run.at(times)))
    parts = []
    for name, values in drawn.items():
        parts.append(values[:, :3])
        if name.startswith("body "):
            parts.append(values[:, 3:] * 0.05 * size)
    return np.hstack(parts) if parts else np.zeros((len(times), 0))


def _body(frames: Frames, name: str, shape: Shape) -> dict[str, Any]:
    values = frames.drawn[f"body {name}"]
    rotation = quaternions(values[:, 3:].reshape(-1, 3, 3))
    return {
        "name": name,
        "shape": shape.to_dict(),
        "position": coarse(values[:, :3]),
        "rotation": coarse(rotation),
        "trail": bool(np.ptp(values[:, :3], axis=0).max(initial=0.0) > 1e-3 * frames.size),
        "turns": bool(np.ptp(rotation, axis=0).max(initial=0.0) > 1e-9),
    }


def _arrow(arrow: Arrow) -> dict[str, Any]:
    return {
        "name": arrow.name,
        "kind": arrow.kind,
        "body": arrow.body,
        "place": coarse(arrow.place),
        "vector": single(arrow.vector),
    }


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (x, y, z, w) of rotation matrices, each on the side of the one before it (Shepperd's choice)."""
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
