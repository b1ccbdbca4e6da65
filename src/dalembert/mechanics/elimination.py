"""The speeds that constraints make dependent, and symbolic inverses of small matrices. For display only, never for
solving.

    A q̇ = …,   A = [A₁ A₂],  det A₂ ≠ 0:   q̇₂ = −A₂⁻¹A₁ q̇₁ + …       (Sun [A₁], [A₂]; Long (5); Qiao (2.17))

Rows that follow from earlier rows are left out. Among the columns, speeds that the model does not give become dependent
before those that it gives, the last one first, as long as the pivot is not small compared with the largest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.mechanics.algebra import ONE, ZERO, Scalar, dot
from dalembert.mechanics.system import System
from dalembert.model.values import initial_values

Matrix = tuple[tuple[Scalar, ...], ...]
Numbers = list[list[float]]

RANK = 1e-9  # relative to rows of unit length
LARGEST_SHOWN = 6  # rows
LONGEST_SHOWN = 2000  # operations
SHORT = 60
LONGEST_PUT_IN = 150  # operations in C and E together; beyond this, letters stand for long entries
SHORT_ENTRY = 6
LONGEST_ENTRY = 300  # operations of an E_s; a longer one is given by A₂⁻¹ and b
COMPARABLE = 0.05  # a pivot smaller than this fraction of the largest is passed over


@dataclass(frozen=True, slots=True)
class Elimination:
    rows: tuple[int, ...]  # the independent constraints
    redundant: tuple[int, ...]
    independent: tuple[int, ...]  # coordinates, in their order
    dependent: tuple[int, ...]

    def split(self, A: Matrix) -> tuple[Matrix, Matrix]:
        """A₁ and A₂ of the independent rows."""
        return (
            tuple(tuple(A[i][j] for j in self.independent) for i in self.rows),
            tuple(tuple(A[i][j] for j in self.dependent) for i in self.rows),
        )


def sample_state(system: System) -> dict[Scalar, float]:
    """The start with its speeds shifted: at rest the gradient of a nonlinear constraint may vanish."""
    chance = random.Random(7)
    moved = {v: system.start[v] + chance.uniform(0.1, 0.9) for v in system.motion.v}
    return {**system.start, **moved}


def numbers(matrix: Matrix, state: Mapping[Scalar, float]) -> Numbers:
    symbols = list(state)
    flat = [e for row in matrix for e in row]
    if not flat:
        return [[] for _ in matrix]
    values = se.Lambdify(symbols, flat, backend="lambda")(list(state.values()))
    width = len(matrix[0])
    return [[float(v) for v in values[i * width : (i + 1) * width]] for i in range(len(matrix))]


def independent_rows(A: Numbers) -> list[int]:
    """The rows that do not follow from earlier rows."""
    kept: list[int] = []
    basis: list[list[float]] = []
    for i, row in enumerate(A):
        rest = _unit(row)
        for _ in range(2):
            for e in basis:
                along = sum(a * b for a, b in zip(e, rest, strict=True))
                rest = [r - along * a for r, a in zip(rest, e, strict=True)]
        if sum(r * r for r in rest) ** 0.5 > RANK:
            kept.append(i)
            basis.append(_unit(rest))
    return kept


def eliminate(system: System) -> Elimination:
    given = initial_values(system.model).speeds
    order = sorted(range(system.size), key=lambda j: (given[system.motion.names[j]] is not None, -j))
    return choose(numbers(system.constraints.A, sample_state(system)), order)


def choose(A: Numbers, order: Sequence[int]) -> Elimination:
    """Choose independent rows of A and the columns that they make dependent, in the preference of `order`."""
    rows = independent_rows(A)
    left = [_unit(A[i]) for i in rows]
    dependent: list[int] = []
    while left:
        sizes = {j: max(abs(row[j]) for row in left) for j in order if j not in dependent}
        column = next(j for j, s in sizes.items() if s >= COMPARABLE * max(sizes.values()))
        pivot = max(left, key=lambda row: abs(row[column]))
        left.remove(pivot)
        left = [[a - row[column] / pivot[column] * b for a, b in zip(row, pivot, strict=True)] for row in left]
        dependent.append(column)
    return Elimination(
        tuple(rows),
        tuple(i for i in range(len(A)) if i not in rows),
        tuple(j for j in range(len(order)) if j not in dependent),
        tuple(sorted(dependent)),
    )


def _unit(row: Sequence[float]) -> list[float]:
    length = sum(r * r for r in row) ** 0.5
    return [r / length for r in row] if length > 0 else list(row)


def inverse(matrix: Matrix, state: Mapping[Scalar, float], simplified: Callable[[Any], Any]) -> Matrix | None:
    """Invert by Gauss–Jordan. Each pivot is the simplest entry that is nonzero at `state`. None if the result gets too
    long.
    """
    n = len(matrix)
    rows = [[*row, *(ONE if i == j else ZERO for j in range(n))] for i, row in enumerate(matrix)]
    for column in range(n):
        if length(rows) > LONGEST_SHOWN:
            return None
        rows = [list(simplified(row)) for row in rows]  # the entries grow with every column
        values = numbers(tuple((row[column],) for row in rows), state)
        usable = [i for i in range(column, n) if abs(values[i][0]) > RANK]
        if not usable:
            return None
        at = min(usable, key=lambda i: se.count_ops(rows[i][column]))
        rows[column], rows[at] = rows[at], rows[column]
        pivot = rows[column][column]
        rows[column] = [e / pivot if e != 0 else ZERO for e in rows[column]]
        for i in range(n):
            factor = rows[i][column]
            if i != column and factor != 0:
                pairs = zip(rows[i], rows[column], strict=True)
                rows[i] = [_merged(a - factor * b) if b != 0 else a for a, b in pairs]
    return tuple(tuple(row[n:]) for row in rows)


def _merged(e: Scalar) -> Scalar:
    """Expand a short expression, so that terms which cancel disappear."""
    return se.expand(e) if se.count_ops(e) < SHORT else e


def length(rows: Sequence[Sequence[Scalar]]) -> int:
    """The number of operations in all entries together."""
    return sum(se.count_ops(e) for row in rows for e in row)


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def transposed(a: Matrix) -> Matrix:
    return tuple(zip(*a, strict=True))


@dataclass(frozen=True, slots=True)
class Reduction:
    """The elimination in symbols: q̇₂ = C q̇₁ + D, q̈₂ = C q̈₁ + E, and k = ∂q̇/∂q̇₁ = [I; C] in the coordinates' order."""

    choice: Elimination
    inverse: Matrix  # A₂⁻¹
    C: Matrix
    E: tuple[Scalar, ...]
    k: Matrix
    speeds: dict[Scalar, Scalar]  # dependent speeds by the others; empty if a constraint is nonlinear
    accelerations: dict[Scalar, Scalar]
    letters: dict[Scalar, Scalar]  # the meaning of the letters C_sr and E_s, if they are long, after letters in them
    written: dict[Scalar, Scalar]  # the dependent speeds written out, for a step of their own

    @property
    def D(self) -> Matrix:
        """[0; A₂⁻¹] in the coordinates' order. A D = I, so Dᵀ(M q̈ + h − Q) are the multipliers."""
        rows = dict(zip(self.choice.dependent, self.inverse, strict=True))
        return tuple(rows.get(j, (ZERO,) * len(self.choice.rows)) for j in range(len(self.k)))

    def combined(self, row: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Σ_j row_j k_js, with the dependent speeds and accelerations substituted."""
        return tuple(self.put_in(dot(row, column)) for column in zip(*self.k, strict=True))

    def put_in(self, e: Scalar) -> Scalar:
        return e.subs(self.accelerations).subs(self.speeds)

    def without_letters(self, e: Scalar) -> Scalar:
        """e with the meaning of every letter. A letter may contain those before it."""
        for symbol, meaning in reversed(self.letters.items()):
            e = e.subs({symbol: meaning})
        return e


def reduction(system: System, simplified: Callable[[Any], Any]) -> Reduction | None:
    """The elimination in symbols, simplified for reading, or None if it would be too long to read."""
    choice = eliminate(system)
    constraints, motion = system.constraints, system.motion
    A1, A2 = choice.split(constraints.A)
    if len(A2) > LARGEST_SHOWN:
        return None
    inverted = inverse(A2, sample_state(system), simplified)
    if inverted is None or length(inverted) > LONGEST_SHOWN:
        return None
    inverted = simplified(inverted)
    first = [motion.v[j] for j in choice.independent]
    last = [motion.v[j] for j in choice.dependent]
    C = simplified(tuple(tuple(-e for e in row) for row in matrix_product(inverted, A1))) if A2 else ()
    speeds: dict[Scalar, Scalar] = {}
    if all(constraints.rows[i].kind != "nonlinear" for i in choice.rows):
        rest = [constraints.psi[i].subs(dict.fromkeys(motion.v, ZERO)) for i in choice.rows]
        D = simplified(tuple(-dot(row, rest) for row in inverted))
        speeds = {v: dot(c, first) + d for v, c, d in zip(last, C, D, strict=True)}
    b = [constraints.b[i] for i in choice.rows]
    E = simplified(tuple(dot(row, b).subs(speeds) for row in inverted))
    written = speeds
    letters: dict[Scalar, Scalar] = {}
    if length([*C, E]) > LONGEST_PUT_IN:
        names = [v.name.rstrip("'") for v in last]
        if any(se.count_ops(e) > LONGEST_ENTRY for e in E):
            rows_of = [constraints.names[i] for i in choice.rows]
            E, letters = _by_rows(inverted, tuple(simplified(b)), names, rows_of)
        C, E, more = _lettered(C, E, [v.name.rstrip("'") for v in first], names)
        letters |= more
        speeds = {}
    ahead = [motion.a[j] for j in choice.independent]
    accelerations = {motion.a[j]: dot(c, ahead) + e for j, c, e in zip(choice.dependent, C, E, strict=True)}
    rows: dict[int, tuple[Scalar, ...]] = dict(zip(choice.dependent, C, strict=True))
    for place, j in enumerate(choice.independent):
        rows[j] = tuple(ONE if i == place else ZERO for i in range(len(first)))
    k = tuple(rows[j] for j in range(system.size))
    return Reduction(choice, inverted, C, E, k, speeds, accelerations, letters, written)


def letter(letters: dict[Scalar, Scalar], name: str, e: Scalar) -> Scalar:
    """The entry itself if it is short, otherwise a symbol whose meaning is added to the letters."""
    if se.count_ops(e) <= SHORT_ENTRY:
        return e
    letters[se.Symbol(name)] = e
    return se.Symbol(name)


def _by_rows(
    inverse: Matrix, b: tuple[Scalar, ...], last: Sequence[str], rows: Sequence[str]
) -> tuple[tuple[Scalar, ...], dict[Scalar, Scalar]]:
    """E_s = Σ_α β_sα b_α in letters: β for the entries of A₂⁻¹, b for the right sides of A q̈ = b."""
    letters: dict[Scalar, Scalar] = {}
    right = [letter(letters, f"b[{row}]", e) for row, e in zip(rows, b, strict=True)]
    beta = [
        [letter(letters, f"beta[{s}, {row}]", e) for row, e in zip(rows, line, strict=True)]
        for s, line in zip(last, inverse, strict=True)
    ]
    return tuple(dot(line, right) for line in beta), letters


def _lettered(
    C: Matrix, E: tuple[Scalar, ...], first: Sequence[str], last: Sequence[str]
) -> tuple[Matrix, tuple[Scalar, ...], dict[Scalar, Scalar]]:
    """C and E with letters for their long entries, so that expressions which contain them stay short."""
    letters: dict[Scalar, Scalar] = {}
    short = tuple(
        tuple(letter(letters, f"C[{s}, {r}]", e) for r, e in zip(first, row, strict=True))
        for s, row in zip(last, C, strict=True)
    )
    return short, tuple(letter(letters, f"E[{s}]", e) for s, e in zip(last, E, strict=True)), letters
