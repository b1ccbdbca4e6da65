"""Integrals of constraints by quadrature, if no sum of known functions is one: Mayer's method, within a time limit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any

import symengine as se

from dalembert.analysis.algebra.child import bounded
from dalembert.analysis.algebra.mayer import answers
from dalembert.analysis.constraints.forms import SPREAD, Pfaffian, Point, numbers
from dalembert.analysis.exact.series import exact
from dalembert.analysis.question import Limit
from dalembert.errors import MathematicsError
from dalembert.language import english, tr
from dalembert.mechanics.readable import readable

Scalar = Any
LONGEST = 400  # largest number of characters of a form
CLOSE = Decimal("1e-20")  # difference of derivatives that counts as rounding of forty digits, or of decimals given


def quadratures(
    found: Pfaffian, rows: Sequence[Sequence[Scalar]], at: Point, limit: Limit
) -> tuple[list[Scalar], tuple[str, ...]]:
    """Candidates for integrals, each from one row alone. The caller must verify them."""
    import sympy

    candidates: list[Scalar] = []
    reasons: set[str] = set()
    for row, entries in zip(rows, numbers(rows, at), strict=True):
        if limit.over:
            break
        held = [i for i, e in enumerate(row) if e != 0]
        fit = [i for i in held if i not in found.last and abs(entries[i]) > 0]
        if len(held) < 2 or not fit or sum(len(str(e)) for e in row) > LONGEST:
            continue
        pivot = min(fit, key=lambda i: (len(str(row[i])), -abs(entries[i])))
        z = found.variables[pivot]
        x = [found.variables[i] for i in held if i != pivot]
        B = [readable(-row[i] / row[pivot]) for i in held if i != pivot]
        if set(found.variables) & set().union(*(b.free_symbols for b in B)) - {z, *x}:
            continue
        if not _integrable(z, x, B, at):
            continue
        asked = (sympy.sympify(z), [sympy.sympify(s) for s in x], [sympy.sympify(b) for b in B])
        answer, reason = bounded(answers, *asked, seconds=limit.left)
        if answer is not None:
            candidates.append(se.sympify(answer))
        elif english(reason).startswith(("it took", "there was")):
            reasons.add(reason)
    notes = tuple(
        tr("A quadrature of the constraints was given up: {reason}.", reason=reason) for reason in sorted(reasons)
    )
    return candidates, notes


def _integrable(z: Scalar, x: Sequence[Scalar], B: Sequence[Scalar], at: Point) -> bool:
    """Whether dz = Σ B_j dx_j can have an integral: ∂B_i/∂x_j + B_j ∂B_i/∂z is symmetric, at a point near by."""

    def mixed(i: int, j: int) -> Scalar:
        return B[i].diff(x[j]) + B[j] * B[i].diff(z)

    pairs = list(combinations(range(len(x)), 2))
    chance = random.Random(11)
    near = {**at, **{s: at[s] + exact(round(chance.uniform(-SPREAD, SPREAD), 12)) for s in (z, *x)}}
    try:
        one, other = numbers([[mixed(i, j) for i, j in pairs], [mixed(j, i) for i, j in pairs]], near)
    except MathematicsError:  # there is no value at this point; the method itself decides
        return True
    return all(abs(a - b) <= CLOSE * (abs(a) + abs(b)) for a, b in zip(one, other, strict=True))
