"""Redundant and contradictory rows by name: blade = 2·no_skid − roll.

At every point, a dependent row has numerical coefficients on the others. If they are the same everywhere, they are
shown as fractions. Otherwise Cramer's rule on the pivots gives them in symbols, and they are verified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import symengine as se

from dalembert.analysis.constraints.forms import Pfaffian, Point
from dalembert.analysis.exact.ranks import RankRows
from dalembert.analysis.exact.series import Expansion, value
from dalembert.mechanics.algebra import ONE
from dalembert.mechanics.readable import readable
from dalembert.report.dialects import Latex, Terminal
from dalembert.results.constraints import Relation

LONGEST = 160  # characters of a coefficient in symbols
LARGEST = 3  # largest number of rows for Cramer's rule
SAME = Decimal("1e-30")


def relations(found: Pfaffian, generic: Sequence[tuple[Point, RankRows]], here: RankRows) -> tuple[Relation, ...]:
    """Relations that hold at every point, then those that hold at this state only."""
    made: list[Relation] = []
    points = [p for p, _ in generic]
    first = generic[0][1] if generic else here
    for row, numbers in first.relations.items():
        if all(set(e.relations.get(row, {None: 0})) == set(numbers) for _, e in generic):
            at = [e.relations[row] for _, e in generic]
            coefficients = {i: _coefficient(found, row, i, first, at, points) for i in numbers}
            made.append(_relation(found.names, row, coefficients, False, False))
    for row, numbers in first.contradictions.items():
        made.append(_relation(found.names, row, {i: _plain(c) for i, c in numbers.items()}, False, True))
    for against, table in ((False, here.relations), (True, here.contradictions)):
        known = first.contradictions if against else first.relations
        for row, numbers in table.items():
            if row not in known:
                made.append(_relation(found.names, row, {i: _plain(c) for i, c in numbers.items()}, True, against))
    return tuple(made)


def _coefficient(
    found: Pfaffian, row: int, other: int, first: RankRows, at: Sequence[Mapping[int, Decimal]], points: Sequence[Point]
) -> Any:
    numbers = [table[other] for table in at]
    if all(abs(c - numbers[0]) < SAME for c in numbers):
        fraction = Fraction(numbers[0]).limit_denominator(1000)
        if abs(Decimal(fraction.numerator) / Decimal(fraction.denominator) - numbers[0]) < SAME:
            return se.Rational(fraction.numerator, fraction.denominator)
    return _symbolic(found, row, other, first, at[0], points, numbers) or _plain(numbers[0])


def _symbolic(
    found: Pfaffian,
    row: int,
    other: int,
    first: RankRows,
    support: Mapping[int, Decimal],
    points: Sequence[Point],
    numbers: Sequence[Decimal],
) -> Any:
    """Cramer: the determinant with `other` replaced by the row, over that of the supporting rows."""
    rows = list(support)
    if len(rows) > LARGEST:
        return None
    columns = [first.columns[first.kept.index(i)] for i in rows]
    whole = se.DenseMatrix([[found.rows[i][j] for j in columns] for i in rows])
    replaced = se.DenseMatrix([[found.rows[row if i == other else i][j] for j in columns] for i in rows])
    below = whole.det()
    if below == 0:
        return None
    ratio = readable(readable(replaced.det()) / readable(below))
    if len(str(ratio)) > LONGEST:
        return None
    shown = [value(Expansion((), p, 0)(ratio)) for p in points]
    right = all(abs(a - b) < SAME for a, b in zip(shown, numbers, strict=True))
    return ratio if right else None


def _plain(number: Decimal) -> Any:
    fraction = Fraction(number).limit_denominator(100)
    near = abs(float(fraction) - float(number)) < 1e-12
    return se.Rational(fraction.numerator, fraction.denominator) if near else se.RealDouble(float(f"{number:.6g}"))


def combination(names: Sequence[str], row: int, parts: Mapping[int, Decimal]) -> str:
    """row − Σ c·other, as text."""
    return _sum([(names[row], ONE), *((names[i], -_plain(c)) for i, c in parts.items())])


def _sum(parts: Sequence[tuple[str, Any]]) -> str:
    written = []
    for name, c in parts:
        text = Terminal()(c)
        text = f"({text})" if type(c).__name__ == "Add" else text
        written.append({"1": name, "-1": f"-{name}"}.get(text, f"{text}·{name}"))
    return " + ".join(written).replace("+ -", "− ") or "0"


def _relation(names: Sequence[str], row: int, parts: Mapping[int, Any], here: bool, against: bool) -> Relation:
    latex = []
    for i, c in parts.items():
        tex, mathrm = Latex()(c), _upright(names[i])
        tex = rf"\left({tex}\right)" if type(c).__name__ == "Add" else tex
        latex.append({"1": mathrm, "-1": f"-{mathrm}"}.get(tex, rf"{tex}\,{mathrm}"))
    sign, tex_sign = ("≠", r"\ne") if against else ("=", "=")
    right, head = _sum([(names[i], c) for i, c in parts.items()]), _upright(names[row])
    right_tex = " + ".join(latex).replace("+ -", "- ") or "0"
    return Relation(names[row], f"{names[row]} {sign} {right}", f"{head} {tex_sign} {right_tex}", here, against)


def _upright(name: str) -> str:
    return rf"\mathrm{{{name}}}".replace("_", r"\_")
