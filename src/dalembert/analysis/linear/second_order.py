"""The linearized equations as engineers write them: mass, damping with gyroscopic terms, and stiffness.

    M δu̇ + C δu + K δq = 0,   M = Lᵀ D E_v,   E_v = ∂v/∂u on the constraints,   L: ∂w/∂v L = 1, Rᵀ L = 0
u are the independent speeds and q the independent coordinates. By Chetaev's rule L = E_v, and M is symmetric. The
dynamic equations are projected first and differentiated then; the constraints are never put into T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.derivatives.gradients import Array
from dalembert.analysis.linear.chart import tangent
from dalembert.analysis.linear.linearize import Linearized
from dalembert.analysis.linear.spectrum import ROUNDING, cleaned
from dalembert.motions.routes import solved


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """M and C over the independent speeds, K by independent coordinates."""

    M: Array
    C: Array
    K: Array


def second_order(found: Linearized) -> SecondOrder | None:
    """M, C and K. None if multipliers are among the states, or if the rule gives another number of equations."""
    local, chart = found.linear.local, found.chart
    n, p, s = len(local.a), len(chart.coordinates), len(chart.speeds)
    columns = local.R[:, local.kept.columns]
    if len(found.place.z) or columns.shape[1] + s != n:
        return None
    E = tangent(local, chart, 0)[n:, p:]
    goal = np.vstack([np.zeros((columns.shape[1], s)), np.eye(s)])
    L = solved(np.vstack([columns.T, local.speed_v[chart.speeds]]), goal)
    M = L.T @ local.D @ E
    rates = cleaned(found.linear.matrix)[0][p : p + s]
    whole, size = M @ rates, np.abs(M) @ np.abs(rates)
    whole = np.where(np.abs(whole) <= ROUNDING * size, 0.0, -whole) + 0.0
    scale = np.abs(L).T @ np.abs(local.D) @ np.abs(E)
    return SecondOrder(np.where(np.abs(M) <= ROUNDING * scale, 0.0, M) + 0.0, whole[:, p:], whole[:, :p])
