"""Decides whether a motion is steady, and which coordinates are ignorable.

A coordinate is ignorable if only the rates of other ignorable coordinates depend on it, and these never on themselves.
This is read from the matrix, and then tested at another value of the coordinate: all other rates and their derivatives
must be the same there. A motion is steady if all other rates are zero. Ignorable coordinates may change, and time may
pass, without any effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.derivatives.gradients import Gradients, Place
from dalembert.analysis.linear.chart import moved
from dalembert.analysis.linear.linearize import Linear, Linearized, linear_at, linearizations
from dalembert.analysis.linear.spectrum import cleaned
from dalembert.errors import MathematicsError

ELSEWHERE = 0.6180339887  # shift of a coordinate in the test whether it is ignorable
SAME = 1e-8
ZERO = 1e-9


@dataclass(frozen=True, slots=True)
class Steadiness:
    """`rates` are those of quantities that are not ignorable. `moving` names those that are not zero."""

    rates: dict[str, float]
    moving: tuple[str, ...]
    ignorable: tuple[str, ...]
    uniform: tuple[str, ...]  # ignorable coordinates with constant speed
    depends_on_time: bool

    @property
    def holds(self) -> bool:
        return not self.moving and not self.depends_on_time

    @property
    def residual(self) -> float:
        return max((abs(rate) for rate in self.rates.values()), default=0.0)


def linearized(gradients: Gradients, place: Place) -> tuple[Linearized, Steadiness]:
    """The linearization in which the motion is steady, or the first one if it is steady in none."""
    first: tuple[Linearized, Steadiness] | None = None
    for found in linearizations(gradients, place):
        answer = found, steadiness(found)
        if answer[1].holds:
            return answer
        first = first or answer
    assert first is not None
    return first


def steadiness(found: Linearized) -> Steadiness:
    """Ignorable coordinates, and the rates of everything else."""
    gradients, linear, names = found.gradients, found.linear, found.states
    eq = gradients.system.equations
    ignored = ignorable(found)
    others = [i for i in range(len(names)) if i not in ignored]
    # a rate counts as zero if it is small relative to |matrix| times the size of the state
    scale = np.maximum(1.0, np.abs(linear.matrix) @ np.abs(linear.values))
    moving = [i for i in others if abs(linear.rates[i]) > ZERO * scale[i]]
    places = [found.chart.coordinates[i] for i in ignored]
    size = max(1.0, float(np.abs(found.place.v).max(initial=0.0)))
    uniform = [
        j for j in places if abs(found.place.v[j]) > ZERO * size and abs(linear.local.a[j]) <= ZERO * max(1.0, size**2)
    ]
    return Steadiness(
        rates={names[i]: float(linear.rates[i]) for i in others},
        moving=tuple(names[i] for i in moving),
        ignorable=tuple(names[i] for i in ignored),
        uniform=tuple(eq.coordinates[j] for j in uniform),
        depends_on_time=eq.t in gradients.occurring and not _unchanged(found, [], others),
    )


def ignorable(found: Linearized) -> list[int]:
    """The largest set of independent coordinates on which nothing else depends."""
    eq, chart = found.gradients.system.equations, found.chart
    depends = cleaned(found.linear.matrix)[0] != 0
    free = [eq.q[j] not in found.gradients.occurring for j in chart.coordinates]
    ignored = [i for i in range(len(chart.coordinates)) if not _feeds_itself(depends, i)]
    trusted = {i for i in ignored if free[i]}
    while True:
        others = [i for i in range(len(depends)) if i not in ignored]
        bad = [i for i in ignored if depends[others, i].any()]
        if not bad:
            untried = [i for i in ignored if i not in trusted]
            if not untried:
                return ignored
            if len(untried) > 1 and _unchanged(found, untried, others):
                return ignored  # all moved at once, by different lengths
            tried = untried[0]
            if _unchanged(found, [tried], others):
                trusted.add(tried)
            else:
                bad = [tried]
        if bad:
            ignored = [i for i in ignored if i not in bad]
            trusted = {i for i in ignored if free[i]}


def _feeds_itself(depends: np.ndarray, place: int) -> bool:
    """Whether a rate depends on its own quantity, directly or through others."""
    reached = depends[:, place].copy()
    for _ in range(len(depends)):
        reached |= depends[:, reached].any(axis=1)
    return bool(reached[place])


def _unchanged(found: Linearized, coordinates: list[int], rows: list[int]) -> bool:
    """Whether rates and their derivatives stay the same at other values of coordinates (or, for none, another time)."""
    there = _elsewhere(found, coordinates)
    if there is None:
        return False
    here = found.linear
    matrix, scales = cleaned(here.matrix)
    weight = scales[None, :] / scales[:, None]
    size = max(np.abs(matrix * weight).max(initial=0.0), 1e-300)
    change = np.abs((there.matrix - here.matrix) * weight)[rows]
    scale = np.maximum(1.0, np.abs(here.matrix) @ np.abs(here.values))[rows]
    return bool(np.all(change <= SAME * size) and np.all(np.abs(there.rates - here.rates)[rows] <= SAME * scale))


def _elsewhere(found: Linearized, coordinates: list[int]) -> Linear | None:
    """The linearization at changed independent coordinates (or time), with the rest of x held. It may be None."""
    gradients, chart = found.gradients, found.chart
    step = np.zeros(len(chart.coordinates))
    step[coordinates] = ELSEWHERE / np.sqrt(1.0 + np.arange(len(coordinates)))
    place = moved(gradients, chart, found.place, step, 0.0 if coordinates else ELSEWHERE)
    if place is None:
        return None
    try:
        return linear_at(gradients, chart, place)
    except MathematicsError:
        return None
