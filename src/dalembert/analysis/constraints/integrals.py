"""Integrals of constraints in closed form: functions g(t, q) with dg in the span of the forms, on φ = 0.

    g = Σ c_k b_k,    Σ_k c_k (db_k · X) = 0 for every X in the kernel of the rows, at many random points

The c are the null space of this linear system, decided by a clear gap of singular values. Functions of φ and of
integrals already found are left out. Coefficients are recognized as fractions and as products of powers of parameters,
by solving again with other parameters. Each integral is verified with fifty digits before it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.constraints.ansatz import ladders, written
from dalembert.analysis.constraints.forms import Pfaffian, Point, numbers, points
from dalembert.analysis.constraints.quadrature import quadratures
from dalembert.analysis.constraints.recognize import recognized
from dalembert.analysis.exact.ranks import eliminated
from dalembert.analysis.exact.series import Expansion, value
from dalembert.analysis.question import Limit
from dalembert.mechanics.readable import readable
from dalembert.mechanics.system import System
from dalembert.programs.functions import compiled
from dalembert.report.dialects import Language, Latex, Terminal
from dalembert.results.constraints import Integral

Scalar = Any
GAP = 1e5  # gap between singular values that count as zero and the others
ZERO = 1e-10  # relative to the largest singular value


def integrals(
    found: Pfaffian, system: System, chosen: Sequence[int], at: Point, wanted: int, limit: Limit
) -> tuple[tuple[Integral, ...], tuple[str, ...]]:
    """Find up to `wanted` integrals within the limit. They are independent of each other and of φ."""
    if not wanted:
        return (), ()
    rows = found.only(chosen)
    search = _Search(found, system, rows, at)
    got: list[Scalar] = []
    for functions in ladders(rows, found.variables):
        if len(got) == wanted or limit.over:
            break
        for g in search.candidates(functions):
            if len(got) < wanted and search.independent([*got, g]):
                got.append(g)
    notes: tuple[str, ...] = ()
    if len(got) < wanted and not limit.over:
        more, notes = quadratures(found, rows, at, limit.part(0.6))
        for g in more:
            if len(got) < wanted and search.holds(g) and search.independent([*got, g]):
                got.append(g)
    shown = tuple(
        Integral(Language()(g), Terminal()(g), Latex()(g), float(value(Expansion((), at, 0)(g)))) for g in got
    )
    return shown, notes


class _Search:
    """Random points on φ = 0 with the kernel of the rows, for several values of the parameters."""

    def __init__(self, found: Pfaffian, system: System, rows: Sequence[Sequence[Scalar]], at: Point):
        self.found, self.rows, self.at = found, rows, at
        self.q = system.motion.q
        held = set().union(*(e.free_symbols for row in rows for e in row), *(f.free_symbols for f in found.phi))
        self.parameters = [p for p in system.parameters if p in held]
        self.inputs = (*found.variables, *self.parameters)
        self.entries = compiled(self.inputs, [e for row in rows for e in row], backend="numpy")
        self.exactly = points(found, self.q, at, 3, seed=29)

    def candidates(self, functions: Sequence[Scalar]) -> list[Scalar]:
        """Sparse solutions in this family, simplest first, verified."""
        values = [float(self.at[p]) for p in self.parameters]
        chance = np.random.default_rng(17)
        tables: list[tuple[list[float], Any]] = []
        for trial in range(3 if self.parameters else 1):
            changed = [v * (1 + 0.3 * chance.uniform(0.2, 1) * (trial > 0)) for v in values]
            space = self._null_space(functions, changed, trial)
            if space is None or (tables and space[0] != tables[0][1][0]):
                break
            tables.append((changed, space))
        if not tables:
            return []
        supports = tables[0][1][0]
        made = []
        for i, support in enumerate(supports):
            samples = [
                (dict(zip(self.parameters, changed, strict=True)), vectors[i]) for changed, (_, vectors) in tables
            ]
            coefficients = recognized(samples)
            g = readable(written([functions[k] for k in support], coefficients))
            if self.holds(g):
                made.append((len(str(g)), g))
        return [g for _, g in sorted(made, key=lambda pair: pair[0])]

    def _null_space(
        self, functions: Sequence[Scalar], parameters: Sequence[float], seed: int
    ) -> tuple[Sequence[tuple[int, ...]], Sequence[np.ndarray]] | None:
        """Supports and coefficients of sparse null vectors (reduced echelon form). None without a clear gap."""
        matrix = self._matrix(functions, parameters, seed)
        if matrix is None:
            return None
        scale = np.linalg.norm(matrix, axis=0)
        scale[scale < 1e-12 * scale.max(initial=1.0)] = 1.0  # a column that vanishes on the kernel stays zero
        sizes, V = np.linalg.svd(matrix / scale, full_matrices=True)[1:]
        sizes = np.append(sizes, np.zeros(len(functions) - len(sizes)))
        small = sizes < ZERO * sizes[0]
        d = int(small.sum())
        if not d:
            return (), ()
        if d < len(sizes) and sizes[len(sizes) - d - 1] < GAP * max(sizes[-d], 1e-300) and sizes[-d] > 1e-14 * sizes[0]:
            return None
        return _sparse(V[len(sizes) - d :] / scale)

    def _matrix(self, functions: Sequence[Scalar], parameters: Sequence[float], seed: int) -> np.ndarray | None:
        N, r = len(self.found.variables), len(self.rows)
        count = max(12, 2 * len(functions) // max(1, N - r) + 4)
        X = self._points(parameters, count, seed)
        if X is None:
            return None
        A = self.entries(X).reshape(len(X), r, N)
        slopes = compiled(self.inputs, [b.diff(s) for b in functions for s in self.found.variables], backend="numpy")(X)
        slopes = slopes.reshape(len(X), len(functions), N)
        good = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(slopes).all(axis=(1, 2))
        if good.sum() < 0.7 * len(X):
            return None
        kernel = np.linalg.svd(A[good])[2][:, r:]
        return np.einsum("pkn,pmn->pmk", slopes[good], kernel).reshape(-1, len(functions))

    def _points(self, parameters: Sequence[float], count: int, seed: int) -> np.ndarray | None:
        """Random points near the start, moved onto φ = 0 by Newton's method, all at once."""
        chance = np.random.default_rng(100 + seed)
        N = len(self.found.variables)
        base = np.array([float(self.at[s]) for s in self.found.variables])
        X = np.hstack(
            [base + chance.uniform(-0.7, 0.7, (count, N)), np.broadcast_to(parameters, (count, len(parameters)))]
        )
        if not self.found.phi:
            return X
        first = int(self.found.extended)
        slopes = [f.diff(s) for f in self.found.phi for s in self.q]
        F = compiled(self.inputs, [*self.found.phi, *slopes], backend="numpy")
        m, n = len(self.found.phi), len(self.q)
        for _ in range(30):
            values = F(X)
            r, J = values[:, :m], values[:, m:].reshape(-1, m, n)
            if not np.isfinite(values).all():
                keep = np.isfinite(values).all(axis=1)
                X = X[keep]
                continue
            if np.abs(r).max(initial=0.0) < 1e-13:
                break
            X[:, first : first + n] -= (np.linalg.pinv(J, rcond=1e-9) @ r[:, :, None])[:, :, 0]
        keep = np.abs(F(X)[:, :m]).max(axis=1) < 1e-11
        return X[keep] if keep.sum() > count // 2 else None

    def holds(self, g: Scalar) -> bool:
        """Whether dg lies in the span of the rows at exact points, to the precision of its coefficients."""
        tolerance = Decimal("1e-9") if _has_doubles(g) else Decimal("1e-28")
        slopes = [g.diff(s) for s in self.found.variables]
        for place in self.exactly:
            table = numbers([*self.rows, slopes], place)
            size = max(map(abs, table[-1]))
            if size < Decimal("1e-30"):  # a constant
                return False
            table[-1] = [c / size for c in table[-1]]
            if len(self.rows) not in eliminated(table, tolerance).relations:
                return False
        return bool(self.exactly)

    def independent(self, functions: Sequence[Scalar]) -> bool:
        """Whether their differentials and those of φ are independent at an exact point."""
        place = self.exactly[0]
        rows = [[f.diff(s) for s in self.found.variables] for f in self.found.phi]
        known = eliminated(numbers(rows, place)).rank
        more = [[g.diff(s) for s in self.found.variables] for g in functions]
        table = []
        for row in numbers([*rows, *more], place):
            size = max(map(abs, row)) or Decimal(1)
            table.append([c / size for c in row])
        return eliminated(table, Decimal("1e-7")).rank == known + len(functions)


def _sparse(vectors: np.ndarray) -> tuple[tuple[tuple[int, ...], ...], tuple[np.ndarray, ...]]:
    """Null vectors in reduced echelon form, counted from the last function: each has its own leading function."""
    M = vectors[:, ::-1].copy()
    row = 0
    for column in range(M.shape[1]):
        if row == len(M):
            break
        best = row + int(np.abs(M[row:, column]).argmax())
        if abs(M[best, column]) < 1e-7 * np.abs(M).max():
            continue
        M[[row, best]] = M[[best, row]]
        M[row] /= M[row, column]
        others = [i for i in range(len(M)) if i != row]
        M[others] -= np.outer(M[others, column], M[row])
        row += 1
    M = M[:row, ::-1]
    supports, parts = [], []
    for vector in M:
        support = tuple(int(k) for k in np.flatnonzero(np.abs(vector) > 1e-8 * np.abs(vector).max()))
        supports.append(support)
        parts.append(vector[list(support)])
    return tuple(supports), tuple(parts)


def _has_doubles(g: Scalar) -> bool:
    stack, seen = [g], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, se.RealDouble):
            return True
        stack.extend(node.args)
    return False
