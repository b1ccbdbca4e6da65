"""Finds the terms in which equations differ from the model's.

Both sides are polynomials in accelerations, speeds and multipliers, whose coefficients are functions of q, t and p
(coefficients.py). The coefficients are compared as numbers, so their form does not matter. An equation may be the
model's times any factor: the factor is the one with which most terms agree. Without multipliers, both are taken on the
constraints, with some speeds eliminated, against the model's rows in the free directions of the constraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import symengine as se

from dalembert.analysis.audit.claims import Claims
from dalembert.analysis.audit.coefficients import REST, Monomial, Values, coefficient, coefficients
from dalembert.language import tr
from dalembert.programs.expressions import written
from dalembert.results.audit import Parting

SAME = 1e-7  # of a coefficient
NOTHING = 1e-12  # coefficients below this are zero
CHOICES = 8  # of speeds to eliminate


@dataclass(frozen=True)
class ModelEquation:
    """An equation of the model: its name and its expression."""

    name: str
    expression: Any


@dataclass(frozen=True)
class Matched:
    """An equation and the most similar one of the model: factors by state, and monomials that differ."""

    row: int
    factor: np.ndarray
    differ: tuple[Monomial, ...]
    agree: int


def lagrange_rows(found: Claims) -> list[ModelEquation]:
    """D a − d − Aᵀ λ, coordinate by coordinate."""
    eq, rows = found.equations, []
    forces = [se.Symbol(f"lambda.{row.name}") for row in eq.constraints]
    for j, name in enumerate(eq.coordinates):
        e = sum((D * a for D, a in zip(eq.D[j], found.a, strict=True)), -se.sympify(eq.d[j]))
        rows.append(
            ModelEquation(
                name, e - sum((row[j] * force for row, force in zip(eq.A, forces, strict=True)), se.Integer(0))
            )
        )
    return rows


def partings(found: Claims, wrong: Sequence[int]) -> tuple[Parting, ...]:
    """The terms of the equations `wrong` that differ from the model's; empty if no comparison is close."""
    best: tuple[Parting, ...] = ()
    score = -np.inf
    for rows, places in _comparisons(found):
        told, agree, differ = _compared(found, rows, places, wrong)
        if agree and agree - 2.0 * differ > score:
            best, score = told, agree - 2.0 * differ
    return best


def _comparisons(found: Claims) -> Iterator[tuple[list[ModelEquation], Mapping[Any, Any]]]:
    """Rows of the model, and substitutions for eliminated speeds and accelerations."""
    eq = found.equations
    rows = lagrange_rows(found)
    yield rows, {}
    used = {s for e in found.E for s in e.free_symbols}
    if not eq.b or any(s in used for s in found.free):
        return
    for dependent in choices(found, used):
        free = [j for j in range(len(eq.q)) if j not in dependent]
        B, places = eliminated(found, dependent, free)
        kept = [
            ModelEquation(rows[j].name, _bare(found, rows[j]) + sum(
                (B[k][i] * _bare(found, rows[d]) for k, d in enumerate(dependent)), se.Integer(0)
            ))
            for i, j in enumerate(free)
        ]  # fmt: skip
        yield kept, places


def _bare(found: Claims, row: ModelEquation) -> Any:
    """The equation without its multipliers, which the free directions remove."""
    return row.expression.subs(dict.fromkeys(found.free, 0))


def choices(found: Claims, used: set[Any]) -> Iterator[tuple[int, ...]]:
    """Speeds to eliminate; first those whose accelerations do not occur in the equations."""
    eq, m = found.equations, len(found.equations.b)
    start, _ = found.samples[0]
    A = start.system.unpacked(start.system.dynamics(start.x))[2]
    good = [d for d in combinations(range(len(eq.q)), m) if abs(np.linalg.det(A[:, d])) > 1e-6]
    good.sort(key=lambda d: sum(found.a[j] in used for j in d))
    yield from good[:CHOICES]


def eliminated(found: Claims, dependent: Sequence[int], free: Sequence[int]) -> tuple[list[list[Any]], dict[Any, Any]]:
    """B with v_dependent = B v_free + …, and the expressions of dependent speeds and accelerations."""
    eq, m = found.equations, len(found.equations.b)
    A = se.DenseMatrix(m, m, [eq.A[r][d] for r in range(m) for d in dependent])
    still = dict.fromkeys(eq.v, 0)

    def solved(right: list[Any]) -> list[Any]:
        return list(A.LUsolve(se.DenseMatrix(m, 1, right)))

    columns = [solved([-eq.A[r][j] for r in range(m)]) for j in free]
    rest = solved([-se.sympify(psi).subs(still) for psi in eq.psi])
    v = {eq.v[d]: rest[k] + sum((c[k] * eq.v[j] for c, j in zip(columns, free, strict=True)), se.Integer(0))
         for k, d in enumerate(dependent)}  # fmt: skip
    right = solved([se.sympify(b).subs(v) for b in eq.b])
    a = {found.a[d]: right[k] + sum((c[k] * found.a[j] for c, j in zip(columns, free, strict=True)), se.Integer(0))
         for k, d in enumerate(dependent)}  # fmt: skip
    return [[c[k] for c in columns] for k in range(m)], a | v


def _compared(
    found: Claims, rows: list[ModelEquation], places: Mapping[Any, Any], wrong: Sequence[int]
) -> tuple[tuple[Parting, ...], int, int]:
    """Differences of the best match, and the numbers of terms that agree and differ."""
    theirs = [found.E[i] for i in wrong]
    numbers = coefficients(found, [*(row.expression for row in rows), *theirs], places)
    model, own = numbers[: len(rows)], dict(zip(wrong, numbers[len(rows) :], strict=True))
    matches = {i: _match(found, values, model) for i, values in own.items()}
    reactions = list(_reactions(found, own, model, matches))
    told: list[Parting] = []
    agree, differ = 0, sum(match is None for match in matches.values())
    for i, match in matches.items():
        if match is not None:
            agree, differ = agree + match.agree, differ + len(match.differ)
            beside = _Beside(found, i, rows[match.row], match, places, own[i], model[match.row])
            told += [beside.told(k) for k in match.differ]
            for force, reaction, ratio in reactions:
                told += beside.reaction(force, reaction, ratio)
    return tuple(told), agree, differ


def _reactions(
    found: Claims, own: Mapping[int, Values], model: Sequence[Values], matches: Mapping[int, Matched | None]
) -> Iterator[tuple[Any, Any, np.ndarray]]:
    """For every multiplier of the equations, the corresponding one of the model and their ratio.

    It is the one with which most equations agree: name, sign and scale are free.
    """
    theirs = [s for s in found.free if any((s,) in values for values in own.values())]
    rows = [s for s in found.free if str(s).startswith("lambda.")]
    for force in theirs:
        best: tuple[int, bool, Any, np.ndarray] | None = None
        for reaction in rows:
            pairs = [
                (
                    own[i].get((force,), 0.0 * match.factor),
                    match.factor * model[match.row].get((reaction,), 0.0 * match.factor),
                )
                for i, match in matches.items()
                if match is not None
            ]
            for stated, expected in pairs:
                with np.errstate(all="ignore"):
                    ratio = stated / expected
                if not np.isfinite(ratio).all() or not ratio.all():
                    continue
                count = sum(_same(a, ratio * b) and bool(b.any()) for a, b in pairs) - sum(
                    not _same(a, ratio * b) for a, b in pairs
                )
                if best is None or (count, force == reaction) > best[:2]:
                    best = (count, bool(force == reaction), reaction, ratio)
        if best is not None:
            yield force, best[2], best[3]


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    size = max(np.abs(a).max(), np.abs(b).max())
    return bool(np.abs(a - b).max() <= SAME * size or size < NOTHING)


def _match(found: Claims, own: Values, model: Sequence[Values]) -> Matched | None:
    """The row of the model and the factor with which most terms agree; the factor one or that of an inertia is best.

    Multipliers count as well, but their names and scales are decided for all equations together.
    """
    best: Matched | None = None
    rank: tuple[int, bool, bool] = (-10_000, False, False)
    for j, row in enumerate(model):
        monomials, pivots = list({**own, **row}), [k for k in own if k in row and k != REST]
        none = np.zeros(len(found.samples))
        stated, expected = (np.array([side.get(k, none) for k in monomials]) for side in (own, row))
        for pivot in pivots:
            with np.errstate(all="ignore"):
                factor = own[pivot] / row[pivot]
            if not np.isfinite(factor).all() or not factor.all():
                continue
            sizes = np.maximum(np.abs(stated), np.abs(factor * expected)).max(axis=1)
            same = (np.abs(stated - factor * expected).max(axis=1) <= SAME * sizes) | (sizes < NOTHING)
            agree = int((same & (sizes >= NOTHING)).sum())
            key = (
                agree - int((~same).sum()),
                bool(np.abs(factor - 1.0).max() < SAME),
                pivot[:1] != () and pivot[0] in found.a,
            )
            if key > rank:
                differ = [k for k, equal in zip(monomials, same, strict=True) if not equal and not _is_force(found, k)]
                best, rank = Matched(j, factor, tuple(sorted(differ, key=str)), agree), key
    return best


def _is_force(found: Claims, monomial: Monomial) -> bool:
    return bool(monomial) and monomial[0] in found.free


@dataclass(frozen=True)
class _Beside:
    """One equation and the model's row that it is compared with."""

    found: Claims
    equation: int
    row: ModelEquation
    match: Matched
    places: Mapping[Any, Any]
    own: Values
    model: Values

    def told(self, monomial: Monomial) -> Parting:
        nothing = 0.0 * self.match.factor
        stated, expected = self.own.get(monomial, nothing), self.match.factor * self.model.get(monomial, nothing)
        return self._parting(monomial, monomial, stated, expected, self.match.factor)

    def reaction(self, force: Any, reaction: Any, ratio: np.ndarray) -> list[Parting]:
        """The difference of a multiplier, if there is one."""
        nothing = 0.0 * self.match.factor
        factor = ratio * self.match.factor
        stated, expected = self.own.get((force,), nothing), factor * self.model.get((reaction,), nothing)
        return [] if _same(stated, expected) else [self._parting((force,), (reaction,), stated, expected, factor)]

    def _parting(
        self, monomial: Monomial, right: Monomial, stated: np.ndarray, expected: np.ndarray, factor: np.ndarray
    ) -> Parting:
        ours = self._expression(self.row.expression, right, self.model)
        constant = np.ptp(factor) <= SAME * np.abs(factor).max()
        if constant and abs(factor[0] - 1.0) > SAME:
            ours = se.expand(_whole(factor[0]) * ours)
        return Parting(
            equation=self.equation + 1,
            of=tr("of {name}", name=self.row.name) if constant else tr("of {name}, times a factor", name=self.row.name),
            term=tr("higher powers of the speeds") if monomial == REST else _named(monomial),
            kind=_kind(self.found, monomial),
            stated=written(self._expression(self.found.E[self.equation], monomial, self.own)),
            expected=written(ours),
            why=_why(stated, expected),
        )

    def _expression(self, e: Any, monomial: Monomial, values: Values) -> Any:
        return coefficient(self.found, e, self.places, monomial, values) if monomial in values else se.Integer(0)


def _whole(value: float) -> Any:
    return se.Integer(round(value)) if abs(value - round(value)) < SAME else se.RealDouble(value)


def _named(monomial: Monomial) -> str:
    if not monomial:
        return "1"
    counted = {str(s): monomial.count(s) for s in monomial}
    return "*".join(name if times == 1 else f"{name}^{times}" for name, times in counted.items())


def _kind(found: Claims, monomial: Monomial) -> str:
    if monomial == REST:
        return tr("not a polynomial of second degree in the speeds")
    if not monomial:
        return tr("force")
    if monomial[0] in found.a:
        return tr("inertia")
    if monomial[0] in found.free:
        return tr("reaction of {name}", name=str(monomial[0]).removeprefix("lambda."))
    return (
        tr("Coriolis and centrifugal")
        if len(monomial) == 2
        else tr("linear in the speeds: damping, gyroscopic or mass that varies")
    )


def _why(stated: np.ndarray, expected: np.ndarray) -> str:
    size = max(np.abs(stated).max(), np.abs(expected).max())
    if np.abs(stated).max() <= SAME * size:
        return tr("the term is missing")
    if np.abs(expected).max() <= SAME * size:
        return tr("the term does not belong there")
    if np.abs(stated + expected).max() <= SAME * size:
        return tr("the sign is opposite")
    with np.errstate(all="ignore"):
        ratio = stated / expected
    if np.isfinite(ratio).all() and np.ptp(ratio) <= SAME * np.abs(ratio).max():
        return tr("it is {ratio:.6g} times the model's", ratio=float(ratio[0]))
    return tr("the factor is another one")
