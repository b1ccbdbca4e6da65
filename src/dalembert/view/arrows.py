"""Forces as straight arrows and couples as turning arrows: their places and vectors along a motion.

A multiplier λ with acts (place P, direction g) is the force λ g at P. A row may name no place, or its reaction may not
be λ ∂f/∂q̇ (vakonomic motions, general virtual displacements). Then `wrench` looks for a single body on which one force,
or one couple, has the same effect. A couple is drawn at the body's centre. Without either, the reaction is not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from dalembert.language import tr
from dalembert.view.acting import RowOfForce
from dalembert.view.frames import Frames
from dalembert.view.wrench import FITS, carried, crossing

ON_A_BODY = -1  # instead of an act: the effect of a row on the arrow's body, from `wrench`


@dataclass(frozen=True, slots=True)
class Arrow:
    """A force at a place, or a couple, at every instant. It acts on `body`."""

    name: str
    kind: str  # reaction, contact, force, weight
    place: np.ndarray
    vector: np.ndarray
    body: str = ""
    against: str = ""  # the body of its counterforce, if that is known and not drawn
    line: np.ndarray | None = None  # its direction, if the place is only known to lie on that line
    turns: bool = False  # a couple: the vector is its moment
    parts: tuple[tuple[str, int], ...] = ()  # the parts of its sum: acts (label of a row, index), loads ("", index)
    pin: str = ""  # the row whose line of action crosses its own at this place


def arrows(frames: Frames, touching: Mapping[str, np.ndarray]) -> list[Arrow]:
    """Every force, couple and reaction of the motion. `touching` has the places of contacts by name."""
    found = _reactions(frames)
    return [*_loads(frames), *(_at_the_surface(frames, arrow, touching) for arrow in found)]


def _at_the_surface(frames: Frames, arrow: Arrow, touching: Mapping[str, np.ndarray]) -> Arrow:
    """If the force of a contact is known at a body's centre only, it is drawn where the body touches."""
    place = touching.get(arrow.name.removesuffix(".slip"))
    if arrow.turns or arrow.kind != "contact" or place is None or arrow.body not in frames.stage.record.bodies:
        return arrow
    off = arrow.place - frames.drawn[f"body {arrow.body}"][:, :3]
    return replace(arrow, place=place) if np.abs(off).max(initial=0.0) <= 1e-9 * frames.size else arrow


def _loads(frames: Frames) -> list[Arrow]:
    found = []
    for i, load in enumerate(frames.stage.system.loads):
        place, force, torque = np.split(frames.acting[f"load {i}"], 3, axis=1)
        kind = "weight" if load.name == "gravity" else "force"
        name = tr("weight of {name}", name=load.body.name) if kind == "weight" else load.name
        if np.any(force != 0):
            found.append(Arrow(name, kind, place, force, load.body.name, parts=(("", i),)))
        if np.any(torque != 0):
            centre = frames.centres[load.body.name]
            found.append(Arrow(name, kind, centre, torque, load.body.name, turns=True, parts=(("", i),)))
    return found


def _reactions(frames: Frames) -> list[Arrow]:
    chetaev = frames.stage.record.virtual_displacements.rule == "chetaev" and frames.motion.method != "vakonomic"
    groups: dict[tuple[str, str, str, bool], list[Arrow]] = {}
    for row in frames.stage.rows:
        if row.label not in frames.motion.multipliers:
            continue
        whole = chetaev and row.acts and _carried(frames, row)
        made = _by_places(frames, row) if whole else _by_a_body(frames, row, chetaev)
        for arrow in made:
            groups.setdefault((_group(row), arrow.kind, arrow.body, arrow.turns), []).append(arrow)
    found = []
    for (name, kind, body, turns), parts in groups.items():
        for cluster in _together(parts, frames.size):
            vector = np.sum([arrow.vector for arrow in cluster], axis=0)
            line = cluster[0].line if len(cluster) == 1 else None
            own = tuple(part for arrow in cluster for part in arrow.parts) if all(a.parts for a in cluster) else ()
            found.append(Arrow(name, kind, cluster[0].place, vector, body, cluster[0].against, line, turns, own))
    return _once(_pinned(frames, found), frames.size)


def _group(row: RowOfForce) -> str:
    """The name that joins rows into one arrow: components of a vector equation, the two slips of rolling, friction."""
    stem, _, part = row.label.rpartition(".")
    if row.table == "rolling":
        return stem if part == "touch" else tr("{stem}, no slip", stem=stem)
    if row.table == "constraints":
        return stem or row.label
    if row.label.endswith(tuple("0123456789")) and row.label not in (row.owner, f"contacts.{row.owner}"):
        return row.label.rstrip("0123456789").removesuffix(".")
    return row.label


def _carried(frames: Frames, row: RowOfForce) -> bool:
    """Whether the places that the row names carry the whole row."""
    rest, all_ = np.abs(frames.acting[f"rest {row.label}"]), np.abs(frames.acting[f"row {row.label}"])
    return bool(rest.max(initial=0.0) <= FITS * all_.max(initial=0.0))


def _by_places(frames: Frames, row: RowOfForce) -> list[Arrow]:
    multiplier = _multiplier(frames, row)
    found = []
    for i, act in enumerate(row.acts):
        place, direction = np.split(frames.acting[f"act {i} {row.label}"], 2, axis=1)
        vector = multiplier[:, None] * direction
        found.append(Arrow(row.label, _kind(row), place, vector, act.owner, parts=((row.label, i),)))
    return found


def _kind(row: RowOfForce) -> str:
    return "contact" if row.table in ("contacts", "frictions") else "reaction"


def _multiplier(frames: Frames, row: RowOfForce) -> np.ndarray:
    values = frames.sampled(frames.motion.multipliers[row.label])
    mode = next((m for m in (row.label, row.owner) if m in frames.motion.modes), None)
    if mode is not None and row.table == "contacts":  # a contact opens at once, not gradually between two samples
        values = np.where(np.isin(frames.modes(mode), ("open", "off")), 0.0, values)
    return values


def _by_a_body(frames: Frames, row: RowOfForce, chetaev: bool) -> list[Arrow]:
    if chetaev:  # the row itself determines the place, even if the reaction vanishes for an instant
        found = carried(frames.bodies, frames.acting[f"row {row.label}"])
        strength = _multiplier(frames, row)[:, None]
    else:
        parts = frames.motion.reactions.get(row.label, {})
        zero = np.zeros(len(frames.times))
        target = np.stack([frames.sampled(parts[q]) if q in parts else zero for q in frames.stage.names], axis=1)
        found, strength = carried(frames.bodies, target), np.ones((len(zero), 1))
    if found is None:
        return []
    own = ((row.label, ON_A_BODY),) if chetaev else ()
    if found.couple is not None:
        centre, moment = frames.centres[found.body], strength * found.couple
        return [Arrow(row.label, _kind(row), centre, moment, found.body, found.against, turns=True, parts=own)]
    place, force, kind = frames.centres[found.body] + found.arm, strength * found.force, _kind(row)
    line: np.ndarray | None = found.force
    if np.abs(found.arm).max(initial=0.0) > 1e-9 * frames.size:
        named = frames.on_line(place, found.force, force)
        place, line = (place, line) if named is None else (named, None)
    if found.against and not frames.stage.record.bodies[found.against].inertia:  # on a particle it acts at the particle
        there = Arrow(row.label, kind, frames.centres[found.against], -force, found.against)
        return [Arrow(row.label, kind, place, force, found.body), there]
    return [Arrow(row.label, kind, place, force, found.body, found.against, line, parts=own)]


def _pinned(frames: Frames, found: list[Arrow]) -> list[Arrow]:
    """Place forces that are known by their line of action only: two that cross at one place of their body act there."""
    placed = list(found)
    for i, j in combinations(range(len(found)), 2):
        one, two = placed[i], placed[j]
        if one.line is None or two.line is None or (one.body, one.against) != (two.body, two.against):
            continue
        pin = crossing(one.place, one.line, two.place, two.line)
        if pin is None:
            continue
        body = frames.drawn[f"body {one.body}"]
        local = np.einsum("tji,tj->ti", body[:, 3:].reshape(-1, 3, 3), pin - body[:, :3])
        if np.ptp(local, axis=0).max(initial=0.0) <= 1e-6 * frames.size:
            placed[i] = replace(one, place=pin, line=None, pin=two.parts[0][0] if two.parts else "")
            placed[j] = replace(two, place=pin, line=None, pin=one.parts[0][0] if one.parts else "")
    return placed


def _together(parts: Sequence[Arrow], size: float) -> list[list[Arrow]]:
    """Join arrows of one group that act at the same place."""
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
    """Leave out counterforces at the place of their force, and arrows that are always zero."""
    kept: list[Arrow] = []
    for arrow in found:
        greatest = np.abs(arrow.vector).max(initial=0.0)
        opposite = any(
            (other.name, other.turns) == (arrow.name, arrow.turns)
            and np.abs(other.vector + arrow.vector).max(initial=0.0) <= 1e-6 * greatest
            and np.abs(other.place - arrow.place).max(initial=0.0) <= 1e-5 * size
            for other in kept
        )
        if greatest > 0 and not opposite:
            kept.append(arrow)
    return kept
