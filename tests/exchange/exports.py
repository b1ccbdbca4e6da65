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
    """Four states near the start whose speeds meet the constraints, their parameters, and their slopes."""

    q: np.ndarray
    v: np.ndarray
    s: np.ndarray  # first-order states; without columns if there are none
    p: np.ndarray
    u: np.ndarray
    a: np.ndarray  # accelerations, then rates
    t: float

    def given(self):
        """The arguments of `slopes` at each state."""
        for q, v, s in zip(self.q, self.v, self.s, strict=True):
            yield (self.t, q, v, *([s] if len(s) else []), self.p, self.u)

    def same(self, slopes) -> None:
        """`slopes(t, q, v, p, u)` gives the engine's accelerations; with states s after v, their rates too."""
        assert len(self.q) >= 2
        for given, a in zip(self.given(), self.a, strict=True):
            found = np.asarray(slopes(*given), dtype=float).ravel()
            assert np.isfinite(found).all()
            assert np.abs(found - a).max() <= EXACT * (1.0 + np.abs(a).max())


def states_of(name: str, method: str | None = None, settings=None) -> States:
    return states_near(da.gallery(name).changed(settings), method)


def states_near(model: da.Model, method: str | None = None) -> States:
    start = prepared(model.record, method, often=False).at()
    eq, n = start.system.equations, start.system.n
    X = reference(eq, program(eq.inputs, solve.expressions(eq)), start.x).states
    held = {symbol for law in eq.sampled for symbol in law.values}
    first = 1 + 2 * n
    s = [first + i for i, symbol in enumerate(eq.parameters) if symbol in eq.states]
    u = [first + i for i, symbol in enumerate(eq.parameters) if symbol in eq.signals]
    u += [first + i for i, symbol in enumerate(eq.parameters) if symbol in held]
    p = [i for i in range(first, X.shape[1]) if i not in (*s, *u)]
    X[:, s] += np.random.default_rng(1).uniform(-1.0, 1.0, (len(X), len(s)))
    rates = [start.system.rates(x)[: len(s)] if s else [] for x in X]
    a = [[*solve_accelerations(start.system, x).a, *rate] for x, rate in zip(X, rates, strict=True)]
    return States(X[:, 1 : 1 + n], X[:, 1 + n : first], X[:, s], X[0, p], X[0, u], np.array(a), start.time)
