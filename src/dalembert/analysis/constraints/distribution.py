"""The distribution of admissible speeds: Lie brackets, growth vector and derived flag at points.

    D = span X_j,   X_j = ∂_j + Σ_b B_bj ∂_b        j independent, b dependent; B from the forms by elimination
    [X_i, X_j]^b = X_i B_bj − X_j B_bi,   [X_i, Z]^b = X_i Z^b − Σ_c Z^c ∂_c B_bi      brackets have no ∂_j
    D¹ = D, D^{k+1} = D^k + [D, D^k]                growth vector: dim D^k (small flag)
    D⁽⁰⁾ = D, D⁽ᵏ⁺¹⁾ = D⁽ᵏ⁾ + [D⁽ᵏ⁾, D⁽ᵏ⁾]              derived flag (big flag)

Derivatives are exact: B is a Taylor series of the order that the brackets need. Near a random point ranks are constant,
so that fields which are dependent there can be dropped. At a given state nothing is dropped.
Montgomery, A Tour of Subriemannian Geometries, 2.1–2.4; Bryant and others, Exterior Differential Systems, II.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dalembert.analysis.constraints.forms import Point
from dalembert.analysis.exact.ranks import CHANCE, GIVEN, eliminated
from dalembert.analysis.exact.series import NIL, Expansion, Series, derivative, is_nil, scaled, times, total, value
from dalembert.analysis.question import Limit

Scalar = Any
MOST = 400  # largest number of fields of one length at a given state
Field = list[Series]  # components along the dependent directions
MINUS = Decimal(-1)


@dataclass(frozen=True, slots=True)
class FieldFrame:
    """Fields X_j in graph form about a point, as series in the variables that occur in the forms."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    B: dict[int, Field]  # for each independent j
    places: dict[int, int]  # variable: its place in the series
    order: int
    zero: Decimal

    def along(self, j: int, f: Series) -> Series:
        """X_j f."""
        parts = []
        if j in self.places:
            parts.append(derivative(f, self.places[j]))
        parts += [
            times(c, derivative(f, self.places[b]))
            for b, c in zip(self.dependent, self.B[j], strict=True)
            if b in self.places and not is_nil(c)
        ]
        return total(parts, len(f) - 2) if parts else [{} for _ in f[1:]]

    def across(self, Z: Field, f: Series) -> Series:
        """Z f for a field along dependent directions."""
        parts = [
            times(c, derivative(f, self.places[b]))
            for b, c in zip(self.dependent, Z, strict=True)
            if b in self.places and not is_nil(c)
        ]
        return total(parts, len(f) - 2) if parts else [{} for _ in f[1:]]

    def first(self, i: int, j: int) -> Field:
        """[X_i, X_j]."""
        pairs = zip(self.B[i], self.B[j], strict=True)
        return [_minus(self.along(i, there), self.along(j, here)) for here, there in pairs]

    def next(self, i: int, Z: Field) -> Field:
        """[X_i, Z]."""
        return [_minus(self.along(i, z), self.across(Z, b)) for z, b in zip(Z, self.B[i], strict=True)]

    def both(self, Z: Field, W: Field) -> Field:
        """[Z, W]."""
        return [_minus(self.across(Z, w), self.across(W, z)) for z, w in zip(Z, W, strict=True)]


def frame(
    rows: Sequence[Sequence[Scalar]],
    variables: Sequence[Scalar],
    last: Sequence[int],
    at: Point,
    order: int,
    zero: Decimal,
    also: Iterable[Scalar] = (),
) -> FieldFrame:
    """The kernel of independent rows about a point. Dependent columns are chosen by pivoting, never from the `last`.

    The series are in the variables that occur in the rows, and in those of `also`.
    """
    held = set(also).union(*(e.free_symbols for row in rows for e in row))
    moving = [i for i, s in enumerate(variables) if s in held]
    local = Expansion([variables[i] for i in moving], at, order)
    matrix = [[local(e) for e in row] for row in rows]
    pivots: list[int] = []
    for i, row in enumerate(matrix):
        free = [j for j in range(len(row)) if j not in last and j not in pivots]
        best = max(free, key=lambda j: abs(value(row[j])))
        pivots.append(best)
        inverse = local.inverse(row[best])
        matrix[i] = [c if is_nil(c) else times(inverse, c) for c in row]
        for k, other in enumerate(matrix):
            if k != i and not is_nil(other[best]):
                factor = scaled(MINUS, other[best])
                matrix[k] = [
                    c if is_nil(p) else total([c, times(factor, p)], order)
                    for c, p in zip(other, matrix[i], strict=True)
                ]
    independent = tuple(j for j in range(len(variables)) if j not in pivots)
    B = {j: [scaled(MINUS, row[j]) for row in matrix] for j in independent}
    places = {i: place for place, i in enumerate(moving)}
    return FieldFrame(independent, tuple(pivots), B, places, order, zero)


@dataclass(frozen=True, slots=True)
class Flag:
    """The dimensions of a flag, and the components of its brackets along the dependent directions at the point."""

    dimensions: tuple[int, ...]
    brackets: tuple[tuple[Decimal, ...], ...]
    complete: bool  # it has stopped growing, or fills the tangent space of φ = 0


def growth(found: FieldFrame, length: int, room: int, drop: bool, limit: Limit) -> Flag:
    """dim D, D², …, with brackets of at most `length` fields. `room` is the largest possible dimension."""
    m = len(found.independent)
    dimensions = [m]
    layer: list[Field] = []
    values: list[list[Decimal]] = []
    for k in range(2, length + 1):
        if m == room or limit.over:
            break
        if k == 2:
            pairs = [(i, j) for p, i in enumerate(found.independent) for j in found.independent[p + 1 :]]
            layer = [found.first(i, j) for i, j in pairs]
        else:
            layer = [found.next(i, Z) for Z in layer for i in found.independent]
        layer = [Z for Z in layer if not all(is_nil(z) for z in Z)]
        at = [[value(z) for z in Z] for Z in layer]
        before = len(values)
        chosen = _independent([*values, *at], found.zero)
        new = [i - before for i in chosen if i >= before]
        values = [([*values, *at])[i] for i in chosen]
        dimensions.append(m + len(values))
        if drop:
            layer = [layer[i] for i in new]
        if len(layer) > MOST:
            break
        if dimensions[-1] == room or not layer or (drop and not new):
            return Flag(tuple(dimensions), tuple(map(tuple, values)), True)
    return Flag(tuple(dimensions), tuple(map(tuple, values)), m == room)


def derived(found: FieldFrame, steps: int, room: int, limit: Limit) -> tuple[int, ...]:
    """dim D⁽⁰⁾, D⁽¹⁾, … at a random point, until it stops growing."""
    m = len(found.independent)
    dimensions, fields = [m], list[Field]()
    for k in range(steps):
        if dimensions[-1] == room or limit.over:
            break
        if k == 0:
            fresh = [found.first(i, j) for p, i in enumerate(found.independent) for j in found.independent[p + 1 :]]
        else:
            fresh = [found.next(i, Z) for Z in fields for i in found.independent]
            fresh += [found.both(Z, W) for p, Z in enumerate(fields) for W in fields[p + 1 :]]
        every = [*fields, *fresh]
        chosen = _independent([[value(z) for z in Z] for Z in every], found.zero)
        fields = [every[i] for i in chosen]
        if m + len(fields) == dimensions[-1]:
            break
        dimensions.append(m + len(fields))
    return tuple(dimensions)


def _independent(rows: Sequence[Sequence[Decimal]], zero: Decimal) -> tuple[int, ...]:
    """Which rows, each scaled by its largest entry, are independent of the rows before."""
    sized, places = [], []
    for i, row in enumerate(rows):
        size = max((abs(c) for c in row), default=NIL)
        if size > (zero if zero == GIVEN else CHANCE):
            sized.append([c / size for c in row])
            places.append(i)
    return tuple(places[i] for i in eliminated(sized, zero).kept)


def _minus(a: Series, b: Series) -> Series:
    return total([a, scaled(MINUS, b)], min(len(a), len(b)) - 1)
