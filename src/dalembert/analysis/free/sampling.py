"""Finds real states that satisfy equations, by Newton's method from random starts, and the dimension of their set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.analysis.exact.series import Expansion, double
from dalembert.analysis.free.chain import State, Unforced
from dalembert.analysis.question import Limit
from dalembert.equations import Equations, Scalar
from dalembert.programs.functions import compiled

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


def is_free(rows: Unforced, y: np.ndarray, time: float) -> bool:
    """Whether the chain vanishes at a state, in doubles."""
    n = len(rows.equations.q)
    time = float(y[2 * n]) if len(y) > 2 * n else time
    off = np.abs(_chains(rows, y[None, : 2 * n], time, FURTHER)).max()
    return bool(off < CLOSE * (1 + np.abs(y).max()) ** FURTHER)


def sampled(rows: Unforced, places: Sequence[State], limit: Limit) -> tuple[tuple[Mapping[str, float], ...], int]:
    """States whose chain vanishes, and the number of starts. All starts are iterated at once, in doubles."""
    eq = rows.equations
    symbols, chance = (*eq.q, *eq.v), np.random.default_rng(31)
    base = np.array([[float(place[s]) for s in symbols] for place in places])
    Y = base[chance.integers(len(base), size=STARTS)] + chance.uniform(-1, 1, (STARTS, len(symbols)))
    Y[0] = base[0]
    time = float(places[0][eq.t])
    for _ in range(STEPS):
        if limit.over:
            break
        Y = _newton(rows, Y, time)
    r = np.abs(_chains(rows, Y, time, ORDER)).max(axis=1)
    found: list[dict[str, float]] = []
    names = [*eq.coordinates, *(f"{name}'" for name in eq.coordinates)]
    for y, miss in zip(Y, r, strict=True):
        if not miss < CLOSE or not np.abs(y).max() < FAR or len(found) == MOST:
            continue
        if is_free(rows, y, time):
            found.append({name: float(c) for name, c in zip(names, y, strict=True)})
    return tuple(found), STARTS


def _newton(rows: Unforced, Y: np.ndarray, time: float) -> np.ndarray:
    """One step of least norm at every state, with difference quotients. A step that is too long is shortened."""
    count, width = Y.shape
    ahead = np.repeat(Y, width, axis=0) + np.tile(DIFFERENCE * np.eye(width), (count, 1))
    every = _chains(rows, np.vstack([Y, ahead]), time, ORDER)
    r = every[:count]
    J = (every[count:].reshape(count, width, -1) - r[:, None]) / DIFFERENCE
    good = np.isfinite(r).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
    step = -np.einsum("bmr,br->bm", np.linalg.pinv(np.swapaxes(J[good], 1, 2), rcond=1e-6), r[good])
    longest = np.abs(step).max(axis=1, keepdims=True)
    Y = Y.copy()
    Y[good] += step * np.minimum(1.0, 1.0 / np.maximum(longest, 1e-300))
    return Y


def _chains(rows: Unforced, Y: np.ndarray, time: float, order: int) -> np.ndarray:
    """Φ₀ … Φ_order at every row of Y, as in `chain`, in doubles."""
    eq, n = rows.equations, len(rows.equations.q)
    count = len(Y)
    q = [[Y[:, i], Y[:, n + i]] for i in range(n)]
    v = [[Y[:, n + i]] for i in range(n)]
    a: list[np.ndarray] = []

    def expanded(order: int) -> Expansion:
        local = Expansion((), eq.parameters, order, double)
        local.given(eq.t, [np.full(count, time), np.ones(count)])
        for symbol, series in (*zip(eq.q, q, strict=True), *zip(eq.v, v, strict=True)):
            local.given(symbol, series)
        return local

    def table(local: Expansion, e: Scalar, order: int) -> list[np.ndarray]:
        return [np.broadcast_to(level.get(k, 0.0), (count,)) for k, level in enumerate(local(e)[: order + 1])]

    with np.errstate(all="ignore"):
        for k in range(order):
            local = expanded(k)
            K = np.array([[table(local, e, k) for e in row] for row in rows.rows])  # n, n, order, count
            r = np.array([table(local, e, k) for e in rows.right])[:, k]
            for p in range(k):
                r = r - np.einsum("ijb,bj->ib", K[:, :, k - p], a[p])
            first = np.moveaxis(K[:, :, 0], 2, 0)
            regular = np.isfinite(first).all(axis=(1, 2))
            regular[regular] &= np.linalg.cond(first[regular]) < 1e14
            fresh = np.full((count, n), np.nan)
            fresh[regular] = np.linalg.solve(first[regular], r.T[regular][:, :, None])[:, :, 0]
            a.append(fresh)
            for i in range(n):
                v[i].append(fresh[:, i] / (k + 1))
                q[i].append(fresh[:, i] / ((k + 1) * (k + 2)))
        local = expanded(order)
        conditions = [c for e in eq.psi for c in table(local, e, order)]
        conditions += [table(local, e, order)[0] for e in eq.phi]
        for row, right in zip(rows.spare, rows.spare_right, strict=True):
            entries = [table(local, e, order) for e in row]
            off = table(local, right, order)
            for k in range(order):
                pairs = ((p, j) for p in range(k + 1) for j in range(n))
                conditions.append(sum(entries[j][k - p] * a[p][:, j] for p, j in pairs) - off[k])
    return np.array(conditions).T
