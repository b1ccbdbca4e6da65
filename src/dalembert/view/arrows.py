"""Forces as arrows: where they act and how great they are along a motion.

A multiplier λ with acts (place P, direction g) is the force λ g at P. Where a row names no place, or where the
reaction is not λ ∂f/∂q̇ (vakonomic motions, general virtual displacements), a single body is looked for on which a
wrench does the same:
    J_vᵀ F + J_ωᵀ M = ρ        with the body's partial velocities J and the generalized reaction ρ
of smallest F, M/size; it is drawn on its axis, at c + F × M/F². Coordinates that move no body are left out of the
comparison: nothing of them can be drawn. Where no single body takes the reaction it is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dalembert.results.motion import Motion
from dalembert.view.acting import RowOfForce
from dalembert.view.instants import Course
from dalembert.view.stage import Stage

FITS = 1e-6  # relative, of what two ways of computing a row may differ by


@dataclass(frozen=True, slots=True)
class Arrow:
    """A force at a place, at every instant; `body` is what it acts on, and `group` what of its table it belongs to."""

    name: str
    kind: str  # reaction, contact, force, weight
    place: np.ndarray
    vector: np.ndarray
    body: str = ""
    through_centre: bool = False


@dataclass(frozen=True)
class Frames:
    """A motion at the instants at which it is drawn."""

    stage: Stage
    motion: Motion
    course: Course
    times: np.ndarray
    x: np.ndarray
    size: float
    drawn: dict[str, np.ndarray]
    acting: dict[str, np.ndarray] = field(default_factory=dict)

    def sampled(self, values: np.ndarray) -> np.ndarray:
        """What is known at the samples, at the instants."""
        order = np.argsort(self.motion.times, kind="stable")
        return np.interp(self.times, self.motion.times[order], np.asarray(values, float)[order])

    def modes(self, name: str) -> np.ndarray:
        """The mode of a contact or friction at every instant, in words."""
        order = np.argsort(self.motion.times, kind="stable")
        times, words = self.motion.times[order], self.motion.modes[name][order]
        at = np.clip(np.searchsorted(times, self.times, "right") - 1, 0, len(times) - 1)
        owner = name.removesuffix(".slip").rpartition(".")[2]
        events = np.sort([e.time for e in self.motion.events if e.name == owner and e.kind != "impact"])
        since = np.searchsorted(events, times[at], "right") < np.searchsorted(events, self.times, "right")
        return np.asarray(words[np.minimum(at + since, len(times) - 1)])


def arrows(frames: Frames) -> list[Arrow]:
    """Every force and reaction of the motion that has a place."""
    return [*_loads(frames), *_reactions(frames)]


def _loads(frames: Frames) -> list[Arrow]:
    found = []
    for i, load in enumerate(frames.stage.system.loads):
        place, force = np.split(frames.acting[f"load {i}"], 2, axis=1)
        if np.any(force != 0):
            kind = "weight" if load.name == "gravity" else "force"
            name = f"weight of {load.body.name}" if kind == "weight" else load.name
            found.append(Arrow(name, kind, place, force, load.body.name))
    return found


def _reactions(frames: Frames) -> list[Arrow]:
    chetaev = frames.stage.record.virtual_displacements.rule == "chetaev" and frames.motion.method != "vakonomic"
    groups: dict[tuple[str, str, str], list[Arrow]] = {}
    for row in frames.stage.rows:
        if row.label not in frames.motion.multipliers:
            continue
        whole = chetaev and row.acts and _carried(frames, row)
        made = _by_places(frames, row) if whole else _by_a_body(frames, row, chetaev)
        for arrow in made:
            groups.setdefault((_group(row), arrow.kind, arrow.body), []).append(arrow)
    found = []
    for (name, kind, body), parts in groups.items():
        for cluster in _together(parts, frames.size):
            vector = np.sum([arrow.vector for arrow in cluster], axis=0)
            found.append(Arrow(name, kind, cluster[0].place, vector, body, cluster[0].through_centre))
    return _once(found, frames.size)


def _group(row: RowOfForce) -> str:
    """Rows that are shown as one arrow: the components of a vector equation, the two slips of rolling, friction."""
    stem, _, part = row.label.rpartition(".")
    if row.table == "rolling":
        return stem if part == "touch" else f"{stem}, no slip"
    if row.table == "constraints":
        return stem or row.label
    if row.label.endswith(tuple("0123456789")) and row.label not in (row.owner, f"contacts.{row.owner}"):
        return row.label.rstrip("0123456789").removesuffix(".")
    return row.label


def _carried(frames: Frames, row: RowOfForce) -> bool:
    """Whether the places that the row names carry all of it."""
    rest, all_ = np.abs(frames.acting[f"rest {row.label}"]), np.abs(frames.acting[f"row {row.label}"])
    return bool(rest.max(initial=0.0) <= FITS * all_.max(initial=0.0))


def _by_places(frames: Frames, row: RowOfForce) -> list[Arrow]:
    multiplier = _multiplier(frames, row)
    found = []
    for i, act in enumerate(row.acts):
        place, direction = np.split(frames.acting[f"act {i} {row.label}"], 2, axis=1)
        through = act.owner in frames.stage.record.bodies
        found.append(Arrow(row.label, _kind(row), place, multiplier[:, None] * direction, act.owner, through))
    return found


def _kind(row: RowOfForce) -> str:
    return "contact" if row.table in ("contacts", "frictions") else "reaction"


def _multiplier(frames: Frames, row: RowOfForce) -> np.ndarray:
    values = frames.sampled(frames.motion.multipliers[row.label])
    mode = next((m for m in (row.label, row.owner) if m in frames.motion.modes), None)
    if mode is not None and row.table == "contacts":  # between two samples a contact opens at once, not along a ramp
        values = np.where(np.isin(frames.modes(mode), ("open", "off")), 0.0, values)
    return values


def _by_a_body(frames: Frames, row: RowOfForce, chetaev: bool) -> list[Arrow]:
    if chetaev:
        multiplier = _multiplier(frames, row)
        target = multiplier[:, None] * frames.acting[f"row {row.label}"]
    else:
        parts = frames.motion.reactions.get(row.label, {})
        zero = np.zeros(len(frames.times))
        target = np.stack([frames.sampled(parts[q]) if q in parts else zero for q in frames.stage.names], axis=1)
    partial = frames.stage.partial(frames.x)
    if not partial or not np.any(target != 0):
        return []
    moving = np.any([np.any(J != 0, axis=(0, 1)) for J in partial.values()], axis=0)
    target = np.where(moving, target, 0.0)
    found = [answer for name in partial if (answer := _wrench(frames, row, name, partial[name], target)) is not None]
    if not found:
        return []
    return [min(found, key=lambda arrow: float(np.linalg.norm(arrow.vector, axis=1).sum()))]


def _wrench(frames: Frames, row: RowOfForce, name: str, J: np.ndarray, target: np.ndarray) -> Arrow | None:
    scale = np.array([1.0, 1.0, 1.0, frames.size, frames.size, frames.size])  # a torque counts as a force at that arm
    scaled = np.swapaxes(J / scale[:, None], 1, 2)  # times × n × 6
    solution = np.einsum("tij,tj->ti", np.linalg.pinv(scaled, rcond=1e-9), target)
    left = np.abs(np.einsum("tij,tj->ti", scaled, solution) - target).max(initial=0.0)
    if left > FITS * np.abs(target).max(initial=0.0):
        return None
    force, torque = solution[:, :3], solution[:, 3:] / scale[3:]
    square = np.sum(force**2, axis=1, keepdims=True)
    if square.max(initial=0.0) * frames.size**2 < 1e-12 * np.sum(torque**2, axis=1).max(initial=0.0):
        return None  # a couple has no place
    arm = np.divide(np.cross(force, torque), square, out=np.zeros_like(force), where=square > 1e-12 * square.max())
    far = np.linalg.norm(arm, axis=1)
    if np.median(far) > 4 * frames.size:
        return None
    arm = np.where((far > 8 * frames.size)[:, None], 0.0, arm)
    centre = frames.drawn[f"body {name}"][:, :3]
    through = bool(far.max(initial=0.0) < 1e-6 * frames.size)
    return Arrow(row.label, _kind(row), centre + arm, force, name, through)


def _together(parts: Sequence[Arrow], size: float) -> list[list[Arrow]]:
    """Arrows of one group at one and the same place are one arrow."""
    clusters: list[list[Arrow]] = []
    for arrow in parts:
        for cluster in clusters:
            if np.abs(cluster[0].place - arrow.place).max(initial=0.0) < 1e-5 * size:
                cluster.append(arrow)
                break
        else:
            clusters.append([arrow])
    return clusters


def _once(found: list[Arrow], size: float) -> list[Arrow]:
    """Of a force and its counterforce at one place only the first is drawn; none is drawn that is always zero."""
    kept: list[Arrow] = []
    for arrow in found:
        greatest = np.abs(arrow.vector).max(initial=0.0)
        opposite = any(
            other.name == arrow.name
            and np.abs(other.vector + arrow.vector).max(initial=0.0) <= 1e-6 * greatest
            and np.abs(other.place - arrow.place).max(initial=0.0) <= 1e-5 * size
            for other in kept
        )
        if greatest > 0 and not opposite:
            kept.append(arrow)
    return kept
