"""The constrained solve written out for a model's sizes and zeros: accelerations as programs.

    D a = d + Aᵀ ν,  A a = b
    D = L Δ Lᵀ,  W = L⁻¹Aᵀ,  y = L⁻¹d,  (WᵀΔ⁻¹W) ν = b − WᵀΔ⁻¹y,  a = L⁻ᵀΔ⁻¹(y + W ν)

There is no pivoting. Each pivot is compared with the entry before elimination: a much smaller one means that D is not
definite, or that rows depend on each other. Then the output `fine` is 0, and the caller solves with pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.programs.expressions import program
from dalembert.programs.maker import Maker, Place
from dalembert.programs.products import begun, names
from dalembert.programs.program import Program

DEFINITE = 1e-13  # the smallest pivot of D relative to its diagonal entry, as in the pivoted solve
INDEPENDENT = 1e-9  # the same for rows: the square of an angle between them


def applies(eq: Equations) -> bool:
    """Whether the solve can be written out: a symmetric D, reactions along the constraints, no extra states."""
    return bool(eq.symmetric and eq.R is None and not eq.z and eq.q)


class SystemPlaces:
    """D (by its lower triangle), d, A and b of a record as places of a program."""

    def __init__(self, maker: Maker, eq: Equations, outputs: Sequence[Place]):
        n, m = len(eq.q), len(eq.b)
        self.maker, self.n, self.m = maker, n, m
        place = iter(outputs)
        self.D: list[list[Place]] = [[] for _ in range(n)]
        for i in range(n):
            for j in range(i, n):
                self.D[j].append(next(place))
        self.d = [next(place) for _ in range(n)]
        self.A = [[next(place) for _ in range(n)] for _ in range(m)]
        self.b = [next(place) for _ in range(m)]


def expressions(eq: Equations) -> list[Any]:
    """D (its upper triangle by rows if it is symmetric, else all rows), d, A, b, and R if it is given."""
    D = [e for i, row in enumerate(eq.D) for e in row[i if eq.symmetric else 0 :]]
    A, R = ([e for row in rows for e in row] for rows in (eq.A, eq.R or ()))
    return [*D, *eq.d, *A, *eq.b, *R]


def unpacked(eq: Equations, out: np.ndarray) -> tuple[np.ndarray, ...]:
    """D, d, A, b, R (n by the multipliers) from the values of `expressions`, for one state or for rows of states."""
    n, m, lead = len(eq.q), len(eq.b), out.shape[:-1]
    size = n * (n + 1) // 2 if eq.symmetric else n * n
    rows, end = size + n, size + n + m * n
    first, d, b, R = out[..., :size], out[..., size:rows], out[..., end : end + m], out[..., end + m :]
    A = out[..., rows:end].reshape(*lead, m, n)
    if eq.symmetric:
        D = np.zeros((*lead, n, n))
        i, j = _upper(n)
        D[..., i, j] = D[..., j, i] = first
    else:
        D = first.reshape(*lead, n, n)
    if eq.R is None:
        return D, d, A, b, np.swapaxes(A, -1, -2)
    return D, d, A, b, R.reshape(*lead, n, R.shape[-1] // max(n, 1))


_upper = lru_cache(np.triu_indices)


class Factored:
    """The factors of D a = d + R ν, A a = b, and whether every pivot counts. R is Aᵀ, or has `columns` of its own."""

    def __init__(
        self, w: Maker, mass: Factor, A: Sequence[Sequence[Place]], columns: Sequence[Sequence[Place]] | None = None
    ):
        self.w, self.mass = w, mass
        forward = [mass.forward(row) for row in A]
        self.scaled = [mass.scaled(row) for row in forward]
        self.moved = forward if columns is None else [mass.forward(column) for column in columns]
        every = len(A) if columns is not None else 0
        S = [[w.dot(row, other) for other in self.moved[: every or i + 1]] for i, row in enumerate(self.scaled)]
        self.rows = Factor(w, S, INDEPENDENT) if columns is None else Lower(w, S)
        self.fine = w.both(mass.fine, self.rows.fine)

    def answer(self, d: Sequence[Place], b: Sequence[Place]) -> tuple[list[Place], list[Place]]:
        """a and ν."""
        w, y = self.w, self.mass.forward(d)
        nu = self.rows.solved([w.sub(entry, w.dot(row, y)) for entry, row in zip(b, self.scaled, strict=True)])
        for i in range(len(y)):
            for column, force in zip(self.moved, nu, strict=True):
                y[i] = w.add(y[i], w.mul(column[i], force))
        return self.mass.backward(self.mass.scaled(y)), nu


def factored(w: Maker, record: SystemPlaces) -> Factored:
    """The factors of a record."""
    return Factored(w, Factor(w, record.D, DEFINITE), record.A)


def accelerations(maker: Maker, record: SystemPlaces) -> tuple[list[Place], Place]:
    """a, and whether every pivot counts."""
    found = factored(maker, record)
    return found.answer(record.d, record.b)[0], found.fine


def slopes(eq: Equations) -> Program:
    """The program from x to a and `fine`, from the record's expressions unchanged."""
    maker, places = begun(eq)
    values = maker.copied(program(eq.inputs, expressions(eq)), list(places.values()))
    record = SystemPlaces(maker, eq, values)
    a, fine = accelerations(maker, record)
    return maker.program([*a, fine], names(eq))


class Factor:
    """M = L Δ Lᵀ of a symmetric matrix, given by its lower triangle. `fine` holds if every pivot counts."""

    def __init__(self, w: Maker, M: Sequence[Sequence[Place]], least: float):
        self.w, self.n = w, len(M)
        self.fine = w.truth(True)
        self.inverse: list[Place] = []
        self.L: list[list[Place]] = [[] for _ in M]
        raised: list[list[Place]] = [[] for _ in M]  # L Δ
        one, zero = w.number(1.0), w.number(0.0)
        for j in range(self.n):
            pivot = w.sub(M[j][j], w.dot(raised[j], self.L[j]))
            bound = zero if pivot == M[j][j] else w.mul(w.number(least), w.abs(M[j][j]))
            self.fine = w.both(self.fine, w.compare("lt", bound, pivot))
            self.inverse.append(w.div(one, pivot))
            for i in range(j + 1, self.n):
                entry = w.sub(M[i][j], w.dot(raised[i], self.L[j]))
                raised[i].append(entry)
                self.L[i].append(w.mul(entry, self.inverse[j]))

    def forward(self, b: Sequence[Place]) -> list[Place]:
        found: list[Place] = []
        for i in range(self.n):
            found.append(self.w.sub(b[i], self.w.dot(self.L[i][:i], found)))
        return found

    def scaled(self, b: Sequence[Place]) -> list[Place]:
        return [self.w.mul(entry, inverse) for entry, inverse in zip(b, self.inverse, strict=True)]

    def backward(self, b: Sequence[Place]) -> list[Place]:
        found = list(b)
        for i in reversed(range(self.n)):
            for j in range(i):
                found[j] = self.w.sub(found[j], self.w.mul(self.L[i][j], found[i]))
        return found

    def solved(self, b: Sequence[Place]) -> list[Place]:
        return self.backward(self.scaled(self.forward(b)))


class Lower:
    """M = L U of a square matrix without pivoting; `fine` if every pivot is far above its rounding."""

    def __init__(self, w: Maker, M: Sequence[Sequence[Place]]):
        self.w, self.n = w, len(M)
        self.rows = [list(row) for row in M]
        self.fine = w.truth(True)
        self.inverse: list[Place] = []
        for j in range(self.n):
            pivot, bound = self.rows[j][j], w.mul(w.number(INDEPENDENT), w.abs(M[j][j]))
            self.fine = w.both(self.fine, w.compare("lt", bound, w.abs(pivot)))
            self.inverse.append(w.div(w.number(1.0), pivot))
            for i in range(j + 1, self.n):
                self.rows[i][j] = factor = w.mul(self.rows[i][j], self.inverse[j])
                for k in range(j + 1, self.n):
                    self.rows[i][k] = w.sub(self.rows[i][k], w.mul(factor, self.rows[j][k]))

    def solved(self, b: Sequence[Place]) -> list[Place]:
        w, found = self.w, list(b)
        for i in range(self.n):
            found[i] = w.sub(found[i], w.dot(self.rows[i][:i], found[:i]))
        for i in reversed(range(self.n)):
            rest = w.dot(self.rows[i][i + 1 :], found[i + 1 :])
            found[i] = w.mul(w.sub(found[i], rest), self.inverse[i])
        return found
