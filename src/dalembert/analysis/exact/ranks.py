"""Ranks and relations of rows of fifty-digit numbers, decided row after row by elimination.

At a random point what is zero is zero to 1e-40 and what is not is larger than 1e-12 unless chance is very unkind; the
line is drawn between. At a state that was given in doubles the line is that of doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dalembert.analysis.exact.series import NIL, ONE

CHANCE = Decimal("1e-28")  # below is zero, at random points
GIVEN = Decimal("1e-11")  # below is zero, at a state given in doubles

Row = Sequence[Decimal]


@dataclass(frozen=True, slots=True)
class Elimination:
    """Which rows are independent, by which columns, and how the others follow from them."""

    kept: tuple[int, ...]
    columns: tuple[int, ...]  # the pivot of each kept row
    relations: dict[int, dict[int, Decimal]]  # dependent row: its coefficients on kept rows
    contradictions: dict[int, dict[int, Decimal]]  # row: coefficients that leave nothing but its `last` columns

    @property
    def rank(self) -> int:
        return len(self.kept)


def eliminated(rows: Sequence[Row], zero: Decimal = CHANCE, last: Sequence[int] = ()) -> Elimination:
    """The rows in their order, each reduced by those before; a pivot is never taken from the `last` columns.

    A row that vanishes but for its last columns contradicts those it was reduced by: Σ a_j v_j = 0 and = c ≠ 0.
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
    return Elimination(tuple(kept), tuple(columns), relations, against)


def rank(rows: Sequence[Row], zero: Decimal = CHANCE) -> int:
    """The number of independent rows, each measured by its largest entry where it has one."""
    scaled = []
    for row in rows:
        size = max((abs(c) for c in row), default=NIL)
        if size > (zero if zero == GIVEN else NIL):
            scaled.append([c / size for c in row])
    return eliminated(scaled, zero).rank
