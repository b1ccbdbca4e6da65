"""A record's accelerations and corrections for several states at once, each solved in its lane without pivots.

    D = L Δ Lᵀ,  W = L⁻¹Aᵀ,  y = L⁻¹d,  (WᵀΔ⁻¹W) ν = b − WᵀΔ⁻¹y,  a = L⁻ᵀΔ⁻¹(y + W ν)
    smallest Δx with J Δx = −r:  Δx = −Jᵀ (J Jᵀ)⁻¹ r

Everything is written out for the sizes and the zeros of one model. Where D is not definite, or rows depend on each
other, a lane says so: such a state is left to the loops of `simulate.linear`, which pivot.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.compile.wide import Value, WideFunction, Writer
from dalembert.equations import Equations

LARGEST_N, LARGEST_M = 12, 8
DEFINITE = 1e-13  # of its diagonal entry: the smallest pivot of D, as in `simulate.linear`
INDEPENDENT = 1e-9  # the same of rows: the square of an angle between them


def fits(eq: Equations) -> bool:
    """Whether the lanes' way applies: a symmetric D, Chetaev's rule, no extra states, few rows."""
    plain = eq.symmetric and eq.R is None and not eq.z and eq.unilateral is None
    return plain and 0 < len(eq.q) <= LARGEST_N and len(eq.b) <= LARGEST_M


def slope(eq: Equations) -> WideFunction:
    """x to a, and whether it was found (1 or 0)."""
    n, m = len(eq.q), len(eq.b)
    w = Writer("slope", eq.inputs)
    upper = [e for i, row in enumerate(eq.D) for e in row[i:]]
    values = w.take([*upper, *eq.d, *(e for row in eq.A for e in row), *eq.b])
    place = iter(values)
    D = [[0.0] * i + [next(place) for _ in range(n - i)] for i in range(n)]
    d = [next(place) for _ in range(n)]
    A = [[next(place) for _ in range(n)] for _ in range(m)]
    b = [next(place) for _ in range(m)]
    factor = Factor(w, [[D[j][i] for j in range(i + 1)] for i in range(n)], DEFINITE)
    y, W = factor.forward(d), [factor.forward(row) for row in A]
    scaled = [factor.scaled(row) for row in W]
    S = [[_dot(w, scaled[i], W[j]) for j in range(i + 1)] for i in range(m)]
    right = [w.minus(b[i], _dot(w, scaled[i], y)) for i in range(m)]
    rows = Factor(w, S, INDEPENDENT)
    nu = rows.solved(right)
    for i in range(n):
        for r in range(m):
            y[i] = w.add(y[i], w.times(W[r][i], nu[r]))
    a = factor.backward(factor.scaled(y))
    w.give([*a, w.choose(w.both(factor.fine, rows.fine), 1.0, 0.0)])
    return w.compiled()


def correction(eq: Equations, rates: bool) -> WideFunction:
    """x to the smallest change of q (or of v) that satisfies φ (or ψ) to first order; the worst residual, its scale,
    and whether the change was found."""
    residuals, jacobian, y = (eq.psi, eq.A, eq.v) if rates else (eq.phi, eq.phi_q, eq.q)
    m, n = len(residuals), len(eq.q)
    w = Writer("correction", eq.inputs)
    values = w.take([*residuals, *(e for row in jacobian for e in row), *y])
    r, place = values[:m], iter(values[m:])
    J = [[next(place) for _ in range(n)] for _ in range(m)]
    at = values[m + m * n :]
    worst, scale, total = 0.0, 0.0, 0.0
    for i in range(m):
        terms: Value = 0.0
        for j in range(n):
            terms = w.add(terms, w.size(w.times(J[i][j], at[j])))
        scale, worst = _greater(w, scale, terms), _greater(w, worst, w.size(r[i]))
        total = w.add(total, r[i])
    worst = w.choose(w.compare("==", total, total), worst, float("nan"))
    factor = Factor(w, [[_dot(w, J[i], J[j]) for j in range(i + 1)] for i in range(m)], INDEPENDENT)
    mu = factor.solved(r)
    change: list[Value] = []
    for j in range(n):
        entry: Value = 0.0
        for i in range(m):
            entry = w.minus(entry, w.times(J[i][j], mu[i]))
        change.append(entry)
    w.give([*change, worst, scale, w.choose(factor.fine, 1.0, 0.0)])
    return w.compiled()


def _greater(w: Writer, a: Value, b: Value) -> Value:
    return w.choose(w.compare(">=", a, b), a, b)


def _dot(w: Writer, a: Sequence[Value], b: Sequence[Value]) -> Value:
    total: Value = 0.0
    for p, q in zip(a, b, strict=True):
        total = w.add(total, w.times(p, q))
    return total


class Factor:
    """M = L Δ Lᵀ of a symmetric matrix, by its lower triangle; `fine` where every pivot counts."""

    def __init__(self, w: Writer, M: Sequence[Sequence[Value]], least: float):
        self.w, self.n = w, len(M)
        self.fine: Value = True
        self.inverse: list[Value] = []
        self.L: list[list[Value]] = [[] for _ in M]
        raised: list[list[Value]] = [[] for _ in M]  # L Δ
        for j in range(self.n):
            pivot = w.minus(M[j][j], _dot(w, raised[j], self.L[j]))
            self.fine = w.both(self.fine, w.compare(">", pivot, w.times(least, M[j][j])))
            self.fine = w.both(self.fine, w.compare(">", pivot, 0.0))
            self.inverse.append(w.over(1.0, pivot))
            for i in range(j + 1, self.n):
                entry = w.minus(M[i][j], _dot(w, raised[i], self.L[j]))
                raised[i].append(entry)
                self.L[i].append(w.times(entry, self.inverse[j]))

    def forward(self, b: Sequence[Value]) -> list[Value]:
        found: list[Value] = []
        for i in range(self.n):
            found.append(self.w.minus(b[i], _dot(self.w, self.L[i], found)))
        return found

    def scaled(self, b: Sequence[Value]) -> list[Value]:
        return [self.w.times(entry, inverse) for entry, inverse in zip(b, self.inverse, strict=True)]

    def backward(self, b: Sequence[Value]) -> list[Value]:
        found = list(b)
        for i in reversed(range(self.n)):
            for j in range(i):
                found[j] = self.w.minus(found[j], self.w.times(self.L[i][j], found[i]))
        return found

    def solved(self, b: Sequence[Value]) -> list[Value]:
        return self.backward(self.scaled(self.forward(b)))
