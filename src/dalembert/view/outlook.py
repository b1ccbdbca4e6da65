"""The view of a motion: the upward direction, whether the motion is planar, its size, and the target.

Up is against gravity. Without gravity it is z, or y for a motion in the plane z = const. A motion is planar if every
place stays in a plane across x, y or z and no body turns out of it. It is then seen face-on, unless gravity acts across
that plane: a motion on a table is seen from the side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

TINY = 1e-7
ROUNDED = 0.75  # of the half diagonal of a box, because corners are mostly empty
FAR = 3.2  # if the way is this many times the model's size, the eye follows


@dataclass(frozen=True, slots=True)
class Outlook:
    up: np.ndarray
    eye: np.ndarray  # from the middle of the scene to the eye, a unit vector
    planar: bool
    centre: np.ndarray
    radius: float  # of everything that moves
    size: float  # of the model itself
    follow: bool  # the way is much longer than the model, and the eye follows
    low: np.ndarray  # corners of a box around everything
    high: np.ndarray
    lowest: float = 0.0  # the lowest place of any body, measured upwards

    @property
    def scale(self) -> float:
        """The length scale of details: that of the model, or of its way if all of it is in the picture."""
        return self.size if self.follow else max(self.size, 0.4 * self.radius)

    def to_dict(self) -> dict[str, Any]:
        return {
            "up": self.up.tolist(),
            "eye": self.eye.tolist(),
            "planar": self.planar,
            "centre": self.centre.tolist(),
            "radius": self.radius,
            "size": self.size,
            "follow": self.follow,
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    def looking(self, eye: np.ndarray | None, follow: bool | None) -> Outlook:
        """The same with the eye and `follow` that the model states."""
        if eye is not None and np.linalg.norm(np.cross(eye, self.up)) > 1e-9 * np.linalg.norm(eye):
            unit = eye / np.linalg.norm(eye)
            self = replace(self, eye=unit, planar=self.planar and bool(abs(unit @ self.eye) > 0.9))
        return self if follow is None else replace(self, follow=follow)

    def holding(self, places: Sequence[np.ndarray], lowest: float) -> Outlook:
        """The same, with its box extended to these places and with the lowest place."""
        low = np.minimum(self.low, np.min([place.min(axis=0) for place in places], axis=0)) if places else self.low
        high = np.maximum(self.high, np.max([place.max(axis=0) for place in places], axis=0)) if places else self.high
        centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-9)
        return replace(self, low=low, high=high, centre=centre, radius=radius, lowest=lowest)


@dataclass(frozen=True, slots=True)
class Extent:
    """A box around the whole motion, and the size of the model at one instant."""

    low: np.ndarray
    high: np.ndarray
    size: float

    @staticmethod
    def of(lows: Sequence[np.ndarray], highs: Sequence[np.ndarray], also: Sequence[np.ndarray] = ()) -> Extent:
        """From the boxes of the bodies over time (times × 3 each). `also` extends the whole box only."""
        if not lows:
            return Extent(-np.ones(3), np.ones(3), 0.0)
        low, high = np.min(lows, axis=0), np.max(highs, axis=0)
        size = ROUNDED * float(np.median(np.linalg.norm(high - low, axis=1))) / 2
        all_low, all_high = [low.min(axis=0)], [high.max(axis=0)]
        for place in also:
            all_low.append(place.min(axis=0))
            all_high.append(place.max(axis=0))
        return Extent(np.min(all_low, axis=0), np.max(all_high, axis=0), size)


def outlook(
    places: Sequence[np.ndarray],
    rotations: Sequence[np.ndarray],
    gravity: np.ndarray | None,
    extent: Extent,
    extended: bool,
    grounded: bool = False,
) -> Outlook:
    """`extent` is that of the drawn bodies; `extended` says that some body is not a particle.

    A planar motion on a ground is seen slightly from above, so that the ground is visible.
    """
    box = extent.low, extent.high
    centre, radius = (extent.low + extent.high) / 2, max(float(np.linalg.norm(extent.high - extent.low)) / 2, 1e-9)
    size = extent.size if extent.size > 0 else radius
    way = radius - size
    weighs = gravity is not None and bool(np.linalg.norm(gravity) > 0)
    up = -gravity / np.linalg.norm(gravity) if weighs and gravity is not None else None
    flat = [axis for axis in (2, 1, 0) if _in_plane(axis, places, rotations, radius)]
    seen = _face(flat, up)
    follow = extended and way > FAR * size
    if seen is not None:
        up, eye = seen
        eye = (0.97 * eye + 0.24 * up) if grounded else eye
        return Outlook(up, eye / np.linalg.norm(eye), True, centre, radius, size, follow, *box)
    up = np.array([0.0, 0.0, 1.0]) if up is None else up
    right = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = right - (right @ up) * up
    right /= np.linalg.norm(right)
    toward = np.cross(right, up)
    eye = 0.45 * right + 0.78 * toward + 0.42 * up
    return Outlook(up, eye / np.linalg.norm(eye), False, centre, radius, size, follow, *box)


def _in_plane(axis: int, places: Sequence[np.ndarray], rotations: Sequence[np.ndarray], radius: float) -> bool:
    still = all(np.ptp(place[:, axis]) <= TINY * radius for place in places)
    spans = np.array([place[:, axis].mean() for place in places]) if places else np.zeros(1)
    level = bool(np.ptp(spans) <= 0.5 * radius)
    turning = all(np.abs(R[:, axis] - R[:1, axis]).max(initial=0.0) <= 1e-6 for R in rotations)
    return still and level and turning


def _face(flat: Sequence[int], up: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
    """Up and the direction of the eye for a planar motion, or None if it is not seen face-on."""
    axes = np.eye(3)
    for axis in flat if up is None else sorted(flat, key=lambda a: (abs(up[a]) > TINY, (1, 2, 0).index(a))):
        if up is None:
            upward = axes[1] if axis == 2 else axes[2]
        elif abs(up[axis]) > TINY:
            continue
        else:
            upward = up
        across = axes[axis]
        right = np.cross(upward, across)
        first = np.argmax(np.abs(right))  # x, or else y, to the right
        return upward, across if right[first] > 0 else -across
    return None


def screen(ways: Sequence[np.ndarray]) -> tuple[int, int]:
    """The two axes in which paths are drawn: those of their largest extents."""
    if not ways:
        return 0, 1
    reach = np.ptp(np.concatenate(ways), axis=0)
    first, second = sorted(np.argsort(-reach, kind="stable")[:2].tolist())
    return first, second
