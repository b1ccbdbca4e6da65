"""The linearized equations about a state: ẋ = F(x) on the states that the constraints allow, M = ∂F/∂x.

    x = (q_i, u, e): independent coordinates, independent speeds, extra states;   δX = E δx (see `chart`)
    M = (rows of q_i in v; ∂u̇/∂X; ∂ė/∂X) E
The derivatives are exact, although F is never formed in symbols. An entry that is smaller than the rounding error of
its own sum is set to zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dalembert.analysis.derivatives.gradients import Array, Gradients, Local, Place
from dalembert.analysis.linear.chart import Chart, charts, require_manifold, tangent
from dalembert.analysis.linear.spectrum import ROUNDING


@dataclass(frozen=True, slots=True)
class Linear:
    """M and F at a state; the first `coordinates` entries of x are coordinates."""

    matrix: Array
    rates: Array
    values: Array  # x itself
    local: Local


@dataclass(frozen=True, slots=True)
class Linearized:
    """The system, the choice of x, and the linearization at one state."""

    gradients: Gradients
    chart: Chart
    place: Place
    linear: Linear

    @property
    def states(self) -> tuple[str, ...]:
        """Names of x: coordinates, speeds, multipliers that are states (vakonomic), first-order states."""
        eq, system = self.gradients.system.equations, self.gradients.system
        speeds = list(self.gradients.speeds)
        return (
            *(eq.coordinates[i] for i in self.chart.coordinates),
            *(speeds[i] for i in self.chart.speeds),
            *(f"multiplier.{name}" for name in system.multiplier_names[: system.k]),
            *map(str, eq.states),
        )


def linearizations(gradients: Gradients, place: Place, steady: bool = True) -> Iterator[Linearized]:
    """Linearize at a state that satisfies the constraints, for each choice of x in turn (see `charts`)."""
    local = gradients.at(place)
    for chart in charts(gradients, local, steady):
        require_manifold(gradients, chart, local.kept, place)
        yield Linearized(gradients, chart, place, _reduced(local, chart, place))


def linear_at(gradients: Gradients, chart: Chart, place: Place) -> Linear:
    """The same linearization at another state, in the same x."""
    return _reduced(gradients.at(place), chart, place)


def _reduced(local: Local, chart: Chart, place: Place) -> Linear:
    n, extra = len(local.a), len(place.z)
    E = tangent(local, chart, extra)
    coordinates, speeds = chart.coordinates, chart.speeds
    below = np.vstack([local.rate_X[speeds], local.extra_X]) @ E
    size = np.vstack([local.rate_size[speeds], local.extra_size]) @ np.abs(E)
    M = np.vstack([E[n : 2 * n][coordinates], np.where(np.abs(below) <= ROUNDING * size, 0.0, below)])
    rates = np.concatenate([place.v[coordinates], local.rate[speeds], local.extra])
    values = np.concatenate([place.q[coordinates], local.speed[speeds], place.z])
    return Linear(M, rates, values, local)
