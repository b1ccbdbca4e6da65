"""Linear equations with fifty digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from operator import mul

import numpy as np

from dalembert.analysis.exact.ranks import Row, eliminated
from dalembert.analysis.exact.series import DIGITS, NIL

SMALL = Decimal(10) ** (3 - DIGITS)  # a residual that is only rounding, relative to the right side
FASTER = 4  # a round of refinement must make the residual smaller by this factor


def dot(a: Iterable[Decimal], b: Iterable[Decimal]) -> Decimal:
    return sum(map(mul, a, b), NIL)


def solved(K: Sequence[Row], right: Row) -> list[Decimal] | None:
    """z with K z = right in all digits, or None if K is singular."""
    found, whole = refined(K, right)
    if whole:
        return found
    rows = eliminated([*zip(*K, strict=True), right])
    if rows.rank < len(K) or len(K) not in rows.relations:
        return None
    return [rows.relations[len(K)].get(i, NIL) for i in range(len(K))]


def refined(K: Sequence[Row], right: Row) -> tuple[list[Decimal], bool]:
    """z of least squares, and whether K z = right in all digits.

    The residual is computed in all digits and solved for in double precision: z ← z + K⁺ (right − K z). Every round
    adds the digits by which double precision exceeds the condition of K.
    """
    inverse = np.linalg.pinv(np.array([[float(entry) for entry in row] for row in K]))
    z, left, before = [NIL] * len(K[0]), right, Decimal("inf")
    size = max(map(abs, right))
    small = SMALL * size
    while small < size < before / FASTER:
        step, before = inverse @ [float(e / size) for e in left], size
        z = [e + size * Decimal(float(c)) for e, c in zip(z, step, strict=True)]
        left = [r - dot(row, z) for row, r in zip(K, right, strict=True)]
        size = max(map(abs, left))
    return z, size <= small
