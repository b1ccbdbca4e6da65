"""A motion as a scene: plain data that the player draws. docs/view.md describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.model.values import at_start
from dalembert.results.motion import Motion
from dalembert.view.arrows import Arrow, arrows
from dalembert.view.drawn import DrawnPiece, drawings, drawn_bodies, grown, quaternions
from dalembert.view.figures import Figure, extent, support
from dalembert.view.frames import Frames
from dalembert.view.instants import MOST, DrawnCourse, course, instants
from dalembert.view.links import links
from dalembert.view.outlook import Extent, Outlook, outlook
from dalembert.view.packing import coarse, exact, single
from dalembert.view.panels import panels
from dalembert.view.relief import reliefs
from dalembert.view.stage import Stage
from dalembert.view.surroundings import contacts, ground, walls

VERSION = 2
MOST_ARROWS = 60
ARROW, LASTING = 0.28, 0.97  # length of the largest lasting force, in radii of the scene, and what counts as lasting


def scene(
    motion: Motion,
    record: ModelRecord,
    stage: Stage | None = None,
    equations: str = "",
    most: int = MOST,
) -> dict[str, Any]:
    """The scene of a motion of the model `record`.

    `stage` has the compiled functions for drawing. It serves every motion of the model, for any values of the
    parameters, which `record` has. `equations` is HTML with MathML to be shown with it.
    """
    stage = stage or Stage.of(record)
    run = course(motion)
    glance = _glance(stage, record, run, motion)
    first = stage.drawn(glance)
    start = at_start(record)
    drawn_as = drawn_bodies(stage, record, glance, first, start)
    seen = _outlook(stage, record, glance, first, drawn_as, start)
    small = {*stage.particles, *stage.dots}
    drawn_as = {name: _from_afar(some, seen.radius) if name in small else some for name, some in drawn_as.items()}
    times = instants(motion, run, lambda t: _numbers(stage, record, run, t, seen.scale), 1e-3 * seen.scale, most)
    q, v = run.at(times)
    x = stage.states(record, times, q, v, motion)
    frames = Frames(stage, motion, times, x, seen.size, stage.drawn(x), stage.acting(x))
    shown = stage.figures(x)
    drawn_as = {name: grown(some, shown.get(f"body {name}", [])) for name, some in drawn_as.items()}
    pieces = [*drawings(shown), *reliefs(frames, seen.size)]
    touching = contacts(frames, drawn_as)
    forces = arrows(frames, {touch.name: touch.place for touch in touching})
    rods, barriers = links(frames), walls(frames, touching, drawn_as, seen)
    ends = [end for rod in rods for end in (rod.start, rod.end)]
    lines = [np.array(wall["line"]) for wall in barriers if "line" in wall]
    around = [*ends, *lines, *_tips(forces, seen), *(piece.corners for piece in pieces)]
    seen = seen.holding(around, _lowest(frames, drawn_as, pieces, seen.up))
    under = ground(frames, barriers, seen, drawn_as)
    if under is not None and "slope" in under:
        seen = seen.holding([np.array(under["slope"]["surface"])], seen.lowest)
    return {
        "version": VERSION,
        "title": tr(record.title or "Motion"),
        "method": motion.method,
        "status": motion.status,
        "reference": record.reference,
        "times": exact(times),
        "outlook": seen.to_dict(),
        "unit": _unit(record),
        "bodies": [_body(frames, name, some) for name, some in drawn_as.items()],
        "drawings": [piece.to_dict() for piece in pieces],
        "points": [{"name": name, "position": coarse(frames.drawn[f"point {name}"])} for name in record.points],
        "links": [rod.to_dict() for rod in rods],
        "ground": under,
        "walls": barriers,
        "contacts": [contact.to_dict() | frames.named(contact.place) for contact in touching],
        "arrows": [_arrow(frames, arrow) for arrow in forces if not arrow.turns][:MOST_ARROWS],
        "couples": [_arrow(frames, arrow) for arrow in forces if arrow.turns][:MOST_ARROWS],
        "events": [{"time": event.time, "name": event.name, "kind": event.kind} for event in motion.events],
        "panels": panels(motion),
        "equations": equations,
        "notes": [*_gaps(shown), *motion.notes],
        "diagnostics": motion.diagnostics.to_dict(),
    }


def _tips(forces: Sequence[Arrow], seen: Outlook) -> list[np.ndarray]:
    """The tips of arrows about as long as the player draws them, so that they are in the picture.

    An arrow that starts outside of it does not count: a line of action may pass far from its body.
    """
    reach = ARROW * seen.radius
    straight = [arrow for arrow in forces if arrow.kind != "weight" and not arrow.turns and len(arrow.vector)]
    lengths = [np.linalg.norm(arrow.vector, axis=1) for arrow in straight]
    greatest = max((float(np.quantile(length, LASTING)) for length in lengths), default=0.0)
    if not greatest > 0:
        return []
    drawn = [np.minimum(length / greatest, 1.0) / np.where(length > 0, length, 1.0) for length in lengths]
    tips = [a.place + reach * part[:, None] * a.vector for a, part in zip(straight, drawn, strict=True)]
    room = 0.2 * reach
    within = [bool(((a.place > seen.low - room) & (a.place < seen.high + room)).all()) for a in straight]
    return [tip for tip, inside in zip(tips, within, strict=True) if inside]


def _gaps(shown: Mapping[str, Any]) -> list[str]:
    """Notes on shapes that have no finite size or place at some times."""
    names = [owner for owner, some in shown.items() if any(numbers.gaps for _, numbers in some)]
    return [
        tr("The shape of {name} has no finite size or place at some times; it is not drawn then.", name=name)
        for name in names
    ]


def _glance(stage: Stage, record: ModelRecord, run: DrawnCourse, motion: Motion) -> np.ndarray:
    times = np.linspace(run.start, run.end, 160 if run.end > run.start else 1)
    return stage.states(record, times, *run.at(times), motion)


def _unit(record: ModelRecord) -> str:
    """The unit of lengths: m if the model states it anywhere, otherwise none."""
    stated = {entry.unit for table in (record.parameters, record.coordinates) for entry in table.values()}
    return "m" if "m" in stated else ""


def _from_afar(figures: tuple[Figure, ...], radius: float) -> tuple[Figure, ...]:
    """Draw the ball of a particle larger if it would be too small on its way. A particle has no size of its own."""
    if len(figures) != 1 or figures[0].kind != "ball" or figures[0].growth is not None:
        return figures
    return (replace(figures[0], sizes=(max(figures[0].sizes[0], 0.012 * radius),)),)


def _outlook(
    stage: Stage,
    record: ModelRecord,
    glance: np.ndarray,
    drawn: Mapping[str, np.ndarray],
    drawn_as: Mapping[str, Sequence[Figure]],
    start: Any,
) -> Outlook:
    rotations = [values[:, 3:].reshape(-1, 3, 3) for name, values in drawn.items() if name.startswith("body ")]
    gravity = None if record.gravity is None else np.array(start.vector(record.gravity), float)
    extended = any(body.inertia or body.spin or body.rotation or body.frame for body in record.bodies.values())
    moving = {name: values[:, :3] for name, values in drawn.items() if "." not in name}  # not the points of joints
    if not moving:
        moving = {piece.name: piece.position for piece in drawings(stage.figures(glance))}
    said = stage.looked(glance)
    gravity = -said["up"] if "up" in said else gravity
    places = list(moving.values())
    boxes = [_box(drawn[f"body {name}"], some) for name, some in drawn_as.items()] or [(one, one) for one in places]
    extent = Extent.of([low for low, _ in boxes], [high for _, high in boxes], places)
    found = outlook(places, rotations, gravity, extent, extended, bool(record.rolling))
    return found.looking(said.get("eye"), record.view.follow)


def _box(values: np.ndarray, figures: Sequence[Figure]) -> tuple[np.ndarray, np.ndarray]:
    """The box of a body at every time."""
    low, high = extent(figures, values[:, 3:].reshape(-1, 3, 3))
    return values[:, :3] + low, values[:, :3] + high


def _lowest(
    frames: Frames, drawn_as: Mapping[str, Sequence[Figure]], pieces: Sequence[DrawnPiece], up: np.ndarray
) -> float:
    """The lowest place of any body or drawing, measured upwards."""
    found = [piece.lowest(up) for piece in pieces]
    for name, some in drawn_as.items():
        values = frames.drawn[f"body {name}"]
        down = np.broadcast_to(-up, (len(values), 3))
        under = support(some, values[:, 3:].reshape(-1, 3, 3), down)
        found.append(float(((values[:, :3] + under) @ up).min()))
    return min(found, default=0.0)


def _numbers(stage: Stage, record: ModelRecord, run: DrawnCourse, times: np.ndarray, size: float) -> np.ndarray:
    """The numbers that instants must resolve: places, and attitudes weighted by 0.05 `size`."""
    x = stage.states(record, times, *run.at(times))
    drawn = stage.drawn(x)
    parts = [np.hstack([piece.position, piece.rotation.reshape(-1, 9) * 0.05 * size])
             for piece in (drawings(stage.figures(x)) if record.drawings else ())]  # fmt: skip
    for name, values in drawn.items():
        parts.append(values[:, :3])
        if name.startswith("body "):
            parts.append(values[:, 3:] * 0.05 * size)
    return np.hstack(parts) if parts else np.zeros((len(times), 0))


def _body(frames: Frames, name: str, figures: Sequence[Figure]) -> dict[str, Any]:
    values = frames.drawn[f"body {name}"]
    rotation = quaternions(values[:, 3:].reshape(-1, 3, 3))
    return {
        "name": name,
        "shapes": [one.to_dict() for one in figures],
        "position": coarse(values[:, :3]),
        "rotation": coarse(rotation),
        "trail": bool(np.ptp(values[:, :3], axis=0).max(initial=0.0) > 1e-3 * frames.size),
        "turns": bool(np.ptp(rotation, axis=0).max(initial=0.0) > 1e-9),
    }


def _arrow(frames: Frames, arrow: Arrow) -> dict[str, Any]:
    return {
        "name": arrow.name,
        "kind": arrow.kind,
        "body": arrow.body,
        "against": arrow.against,
        "parts": [list(part) for part in arrow.parts],
        "pin": arrow.pin,
        "place": coarse(arrow.place),
        "vector": single(arrow.vector),
        **frames.named(arrow.place),
    }
