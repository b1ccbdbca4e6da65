"""Finds real states that satisfy equations, by Newton's method from random starts, and the dimension of their set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.analysis.free.chain import State, Unforced
from dalembert.analysis.question import Limit
from dalembert.equations import Equations, Scalar
from dalembert.programs.expressions import program
from dalembert.programs.functions import FEW_TIMES, Function, compiled, function
from dalembert.programs.jets import orders
from dalembert.programs.program import Program

TRIES = 60
STARTS, STEPS = 24, 20  # number of starts, and of Newton's steps
ORDER = 3  # order of the chain whose root is sought …
FURTHER = 6  # … and of the chain that a root must satisfy
DIFFERENCE = 1e-7
CLOSE = 1e-8
FAR = 1e3  # larger states are discarded
MOST = 3  # states that are shown


def placed(eq: Equations, generators: Sequence[Scalar], limit: Limit) -> tuple[int, np.ndarray | None]:
    """The dimension of the set on which all expressions vanish, and one real state of it (q, v, and t if it occurs)."""
    symbols = [*eq.q, *eq.v]
    if any(eq.t in e.free_symbols for e in generators):
        symbols.append(eq.t)
    slopes = [e.diff(s) for e in generators for s in symbols]
    function = compiled([*symbols, *eq.parameters], [*generators, *slopes], backend="numpy")
    chance, m = np.random.default_rng(23), len(generators)
    numbers = np.array(list(eq.parameters.values()), dtype=float)
    for _ in range(TRIES):
        if limit.over:
            break
        y = chance.uniform(-2, 2, len(symbols))
        for _ in range(40):
            values = function(np.concatenate([y, numbers]))
            if not np.isfinite(values).all():
                break
            r, J = values[:m], values[m:].reshape(m, -1)
            size = np.abs(r).max(initial=0.0)
            if size < 1e-12:
                sizes = np.linalg.svd(J, compute_uv=False) if m else np.zeros(0)
                return len(symbols) - int((sizes > 1e-8 * max(1.0, sizes.max(initial=0.0))).sum()), y
            step = np.linalg.lstsq(J, -r, rcond=1e-12)[0]
            y = y + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
    return -1, None


def is_free(chains: Chains, y: np.ndarray, time: float) -> bool:
    """Whether the chain vanishes at a state, in doubles."""
    n = chains.n
    time = float(y[2 * n]) if len(y) > 2 * n else time
    off = np.abs(chains.at(y[None, : 2 * n], time, FURTHER)).max()
    return bool(off < CLOSE * (1 + np.abs(y).max()) ** FURTHER)


def sampled(rows: Unforced, places: Sequence[State], limit: Limit) -> tuple[tuple[Mapping[str, float], ...], int]:
    """States whose chain vanishes, and the number of starts. All starts are iterated at once, in doubles."""
    eq, chains = rows.equations, Chains(rows)
    symbols, chance = (*eq.q, *eq.v), np.random.default_rng(31)
    base = np.array([[float(place[s]) for s in symbols] for place in places])
    Y = base[chance.integers(len(base), size=STARTS)] + chance.uniform(-1, 1, (STARTS, len(symbols)))
    Y[0] = base[0]
    time = float(places[0][eq.t])
    for _ in range(STEPS):
        if limit.over:
            break
        Y = _newton(chains, Y, time)
    r = np.abs(chains.at(Y, time, ORDER)).max(axis=1)
    found: list[dict[str, float]] = []
    names = [*eq.coordinates, *(f"{name}'" for name in eq.coordinates)]
    for y, miss in zip(Y, r, strict=True):
        if not miss < CLOSE or not np.abs(y).max() < FAR or len(found) == MOST:
            continue
        if is_free(chains, y, time):
            found.append({name: float(c) for name, c in zip(names, y, strict=True)})
    return tuple(found), STARTS


def _newton(chains: Chains, Y: np.ndarray, time: float) -> np.ndarray:
    """One step of least norm at every state, with difference quotients. A step that is too long is shortened."""
    count, width = Y.shape
    ahead = Y[:, None] + DIFFERENCE * np.eye(width)[chains.involved]
    every = chains.at(np.vstack([Y, ahead.reshape(-1, width)]), time, ORDER)
    r = every[:count]
    J = np.zeros((count, width, r.shape[1]))
    J[:, chains.involved] = (every[count:].reshape(count, -1, r.shape[1]) - r[:, None]) / DIFFERENCE
    good = np.isfinite(r).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
    step = -np.einsum("bmr,br->bm", np.linalg.pinv(np.swapaxes(J[good], 1, 2), rcond=1e-6), r[good])
    longest = np.abs(step).max(axis=1, keepdims=True)
    Y = Y.copy()
    Y[good] += step * np.minimum(1.0, 1.0 / np.maximum(longest, 1e-300))
    return Y


class Chains:
    """Φ₀ … Φ_order at many states at once, as in `chain`, in doubles."""

    def __init__(self, rows: Unforced):
        eq = rows.equations
        self.n, self.parameters = len(eq.q), list(eq.parameters.values())
        parts = [
            [e for row in rows.rows for e in row], rows.right, eq.psi,
            [e for row in rows.spare for e in row], rows.spare_right, eq.phi,
        ]  # fmt: skip
        self.ends = np.cumsum([len(part) for part in parts])[:-1]
        code = program([eq.t, *eq.q, *eq.v, *eq.parameters], [e for part in parts for e in part])
        self.moving = 1 + 2 * self.n
        occurs = np.isin(np.arange(1, self.moving), list(code.reads())).reshape(2, self.n)
        # the entries of (q, v) on which Φ depends; a coordinate that occurs changes by its speed
        self.involved = np.flatnonzero([occurs[0], occurs[0] | occurs[1]])
        self._orders = orders(code, self.n, FURTHER)
        self._programs: list[Program] = []
        self._functions: dict[tuple[int, bool], Function] = {}

    def _order(self, k: int, last: bool, x: np.ndarray) -> np.ndarray:
        """Order k of everything, or of ψ alone: if it is the last order, the accelerations there are not needed."""
        while len(self._programs) <= k:
            self._programs.append(next(self._orders))
        if (k, last) not in self._functions:
            whole = self._programs[k]
            code = whole.selected(range(self.ends[1], self.ends[2])) if last else whole
            self._functions[k, last] = function(code, FEW_TIMES)
        found = self._functions[k, last]
        return found.by_machine(x) if len(x) > 1 else found(x)  # Newton's method asks again and again

    def at(self, Y: np.ndarray, time: float, order: int) -> np.ndarray:
        """A row for every state (q, v)."""
        n, count, width = self.n, len(Y), self.moving + len(self.parameters)
        x = np.zeros((count, width + FURTHER * self.moving))
        x[:, 0], x[:, 1 : self.moving], x[:, self.moving : width] = time, Y, self.parameters
        later = x[:, width:].reshape(count, FURTHER, self.moving)  # a view
        later[:, 0, 0], later[:, 0, 1 : 1 + n] = 1.0, Y[:, n:]
        K: list[np.ndarray] = []
        a: list[np.ndarray] = []
        spare: list[np.ndarray] = []
        conditions: list[np.ndarray] = []
        with np.errstate(all="ignore"):
            for k in range(order):
                rows, right, psi, more, off, phi = np.split(self._order(k, False, x), self.ends, axis=1)
                conditions += [psi, phi] if k == 0 else [psi]
                K.append(rows.reshape(count, n, n))
                spare.append(more.reshape(count, -1, n))
                if k == 0:
                    regular = np.isfinite(K[0]).all(axis=(1, 2))
                    regular[regular] &= np.linalg.cond(K[0][regular]) < 1e14
                r = right - sum(np.einsum("bij,bj->bi", K[k - p], a[p]) for p in range(k))
                fresh = np.full((count, n), np.nan)
                fresh[regular] = np.linalg.solve(K[0][regular], r[regular][:, :, None])[:, :, 0]
                a.append(fresh)
                conditions.append(sum(np.einsum("bij,bj->bi", spare[k - p], a[p]) for p in range(k + 1)) - off)
                later[:, k, 1 + n :] = fresh / (k + 1)
                if k + 1 < FURTHER:
                    later[:, k + 1, 1 : 1 + n] = fresh / ((k + 1) * (k + 2))
            conditions.append(self._order(order, True, x))
        return np.hstack(conditions)
