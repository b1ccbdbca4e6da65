"""Ranks and relations of rows of fifty-digit numbers, by elimination row after row.

At a random point, a true zero is below 1e-40, and a nonzero number is above 1e-12 with overwhelming probability. The
threshold lies in between. At a state that was given in doubles, the threshold is that of doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dalembert.analysis.exact.series import NIL, ONE

CHANCE = Decimal("1e-28")  # zero threshold at random points
GIVEN = Decimal("1e-11")  # zero threshold at a state that was given in doubles

Row = Sequence[Decimal]


@dataclass(frozen=True, slots=True)
class RankRows:
    """The independent rows, their pivot columns, and the coefficients of the dependent rows."""

    kept: tuple[int, ...]
    columns: tuple[int, ...]  # the pivot of each kept row
    relations: dict[int, dict[int, Decimal]]  # dependent row: its coefficients on the kept rows
    contradictions: dict[int, dict[int, Decimal]]  # row: coefficients that cancel all but `last`

    @property
    def rank(self) -> int:
        return len(self.kept)


def eliminated(rows: Sequence[Row], zero: Decimal = CHANCE, last: Sequence[int] = ()) -> RankRows:
    """Eliminate the rows in order, each by those before it. Pivots are never taken from the `last` columns.

    A row that vanishes except in its last columns contradicts the rows before: Σ a_j v_j = 0 and = c ≠ 0.
    """
    kept: list[int] = []
    columns: list[int] = []
    reduced: list[tuple[list[Decimal], dict[int, Decimal]]] = []
    relations: dict[int, dict[int, Decimal]] = {}
    against: dict[int, dict[int, Decimal]] = {}
    for i, stated in enumerate(rows):
        row, made = list(stated), {i: ONE}
        size = max((abs(c) for c in row), default=NIL)
        for (other, parts), column in zip(reduced, columns, strict=True):
            factor = row[column]
            if factor:
                row = [c - factor * o for c, o in zip(row, other, strict=True)]
                row[column] = NIL
                for k, part in parts.items():
                    made[k] = made.get(k, NIL) - factor * part
        free = [j for j in range(len(row)) if j not in last]
        best = max(free, key=lambda j: abs(row[j]), default=None)
        if best is not None and abs(row[best]) > zero * max(size, ONE if zero == GIVEN else NIL):
            pivot = row[best]
            kept.append(i)
            columns.append(best)
            reduced.append(([c / pivot for c in row], {k: part / pivot for k, part in made.items()}))
            continue
        scale = max(size, ONE)
        coefficients = {k: -part for k, part in made.items() if k != i and abs(part) > zero * scale}
        gone = all(abs(row[j]) <= zero * scale for j in last)
        (relations if gone else against)[i] = coefficients
    return RankRows(tuple(kept), tuple(columns), relations, against)


def rank(rows: Sequence[Row], zero: Decimal = CHANCE) -> int:
    """The number of independent rows. Each row is scaled by its largest entry."""
    scaled = []
    for row in rows:
        size = max((abs(c) for c in row), default=NIL)
        if size > (zero if zero == GIVEN else NIL):
            scaled.append([c / size for c in row])
    return eliminated(scaled, zero).rank
