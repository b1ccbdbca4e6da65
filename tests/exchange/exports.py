"""States at which exported slopes are compared with the engine's accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dalembert as da
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import prepared
from dalembert.programs import solve
from dalembert.programs.agreement import reference
from dalembert.programs.expressions import program

EXACT = 1e-12  # of accelerations, relative to the largest


@dataclass(frozen=True)
class States:
    """Four states near the start whose speeds meet the constraints, their parameters, and their accelerations."""

    q: np.ndarray
    v: np.ndarray
    p: np.ndarray
    a: np.ndarray
    t: float

    def same(self, slopes) -> None:
        """`slopes(t, q, v, p)` gives the engine's accelerations."""
        assert len(self.q) >= 2
        for q, v, a in zip(self.q, self.v, self.a, strict=True):
            found = np.asarray(slopes(self.t, q, v, self.p), dtype=float)
            assert np.isfinite(found).all()
            assert np.abs(found - a).max() <= EXACT * (1.0 + np.abs(a).max())


def states_of(name: str, method: str | None = None, settings=None) -> States:
    start = prepared(da.gallery(name).changed(settings).record, method, often=False).at()
    eq, n = start.system.equations, start.system.n
    X = reference(eq, program(eq.inputs, solve.expressions(eq)), start.x).states
    a = np.array([solve_accelerations(start.system, x).a for x in X])
    return States(X[:, 1 : 1 + n], X[:, 1 + n : 1 + 2 * n], start.system.parameters, a, start.time)
