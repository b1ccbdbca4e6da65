"""Symmetries of the Lagrangian and of the constraints, and the equations of their momenta (nonholonomic Noether).

    δL = ξ·L_q + ξ̇·L_v = 0 everywhere,   δψ = ξ·ψ_q + ξ̇·ψ_v = 0 where ψ = 0,   ξ = Σ C_bj f_b(q) ∂_j
are linear in C: a null space gives all symmetries of that form. Along the distribution δL = Ḟ(q) is enough: then
ξ·∂L/∂q̇ − F is conserved (Bessel-Hagen). With J_a = ξ_a·∂L/∂q̇, c_a(q) such that
ξ = Σ c_a ξ_a lies in the distribution (A ξ = 0), and Q forces without potential,

    d/dt Σ c_a J_a = Σ ċ_a J_a + ξ·Q        (Bloch, Krishnaprasad, Marsden and Murray, 1996, theorem 4.5)
If the c_a can be constants and ξ·Q = 0, this is a conserved momentum. Otherwise it is the momentum equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import symengine as se

from dalembert.analysis.conserved.basis import angles, found_waves, momenta
from dalembert.analysis.conserved.coefficients import fraction
from dalembert.analysis.conserved.flow import Array, Flow, Home, States
from dalembert.analysis.conserved.quantities import FlowQuantities
from dalembert.analysis.conserved.search import GAP, ROUNDING, VANISHES, independent, null_vectors, reduced
from dalembert.equations import Equations
from dalembert.mechanics.algebra import Scalar, dot, total
from dalembert.mechanics.readable import readable
from dalembert.programs.functions import compiled

LARGEST = 160  # unknowns C
LARGEST_MINOR = 3
WIDEST = 8  # largest number of fields from which sections are formed
KEEPS = 1e-9


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry ξ of L and the constraints. `breaking` are the constraints whose reactions change its momentum."""

    field: tuple[Scalar, ...]
    momentum: Scalar
    breaking: tuple[str, ...]

    @property
    def horizontal(self) -> bool:
        return not self.breaking


@dataclass(frozen=True, slots=True)
class MomentumEquation:
    """d/dt momentum = rate, along a field of the distribution with coefficients that change."""

    field: tuple[Scalar, ...]
    momentum: Scalar
    rate: Scalar

    @property
    def operations(self) -> int:
        return int(se.count_ops(self.momentum) + se.count_ops(self.rate))


@dataclass(frozen=True, slots=True)
class Symmetries:
    """Symmetries of L along the distribution (Noether), and symmetries of L and the constraints."""

    horizontal: tuple[Symmetry, ...]
    group: tuple[Symmetry, ...]


def symmetries(flow: Flow, home: Home, seed: int = 7) -> Symmetries:
    """All fields in the span of 1, coordinates, sines and cosines."""
    eq = flow.equations
    if len(eq.z) or eq.R is not None:
        return Symmetries((), ())
    chance = np.random.default_rng(seed)
    states = flow.states(home, LARGEST, chance)
    functions = _functions(eq, states)
    n, count = len(eq.q), len(functions) * len(eq.q)
    anywhere = states.x.copy()  # L is invariant at all states, not only at admissible ones
    anywhere[:, 1 : 1 + 2 * n] += chance.normal(size=(len(anywhere), 2 * n))
    invariant = _variations(eq, [se.sympify(eq.kinetic) - eq.potential], functions, anywhere)
    kept = _variations(eq, list(eq.psi), functions, states.x)
    along = _along(eq, functions, states)
    changes = -_rates(eq, functions[1:], anywhere)
    beside = np.zeros((len(along), len(functions) - 1))
    horizontal = _null_rows(np.block([[invariant, changes], [along, beside]]), count + len(functions) - 1)
    group = _null_rows(np.vstack([invariant, kept]), count)
    return Symmetries(
        tuple(_symmetry(eq, functions, row, states) for row in horizontal),
        tuple(_symmetry(eq, functions, row, states) for row in group),
    )


def _functions(eq: Equations, states: States) -> list[Scalar]:
    """The independent ones among 1, coordinates that are not angles, sines and cosines."""
    turning = angles(eq)
    wanted = [*(q for q in eq.q if q not in turning), *found_waves(eq)]
    kept = independent(FlowQuantities(eq, wanted).at(states)) if wanted else []
    return [se.S.One, *(wanted[k] for k in kept)][: max(1, LARGEST // max(1, len(eq.q)))]


def _variations(eq: Equations, expressions: Sequence[Scalar], functions: Sequence[Scalar], x: Array) -> Array:
    """f_b e_qj + ḟ_b e_vj for every state and expression, a column for every (b, j)."""
    n = len(eq.q)
    if not expressions:
        return np.zeros((0, len(functions) * n))
    gradient = FlowQuantities(eq, expressions).gradient(x)
    rates = _rates(eq, functions, x)
    values = compiled(eq.inputs, list(functions), backend="numpy")(x)
    by_q, by_v = gradient[:, :, 1 : 1 + n], gradient[:, :, 1 + n : 1 + 2 * n]
    terms = np.einsum("sb,sej->sebj", values, by_q) + np.einsum("sb,sej->sebj", rates, by_v)
    return terms.reshape(-1, len(functions) * n)


def _rates(eq: Equations, functions: Sequence[Scalar], x: Array) -> Array:
    """∂f_b/∂q·v."""
    n = len(eq.q)
    return np.einsum("sbn,sn->sb", FlowQuantities(eq, functions).gradient(x)[:, :, 1 : 1 + n], x[:, 1 + n : 1 + 2 * n])


def _null_rows(matrix: Array, count: int) -> Array:
    """The null space in echelon form. Empty if there is no clear gap."""
    size = np.abs(matrix).max(axis=1, initial=0.0)
    matrix = matrix[size > 0] / size[size > 0, None]
    if not len(matrix):
        return np.eye(count)
    s, vectors = null_vectors(matrix / np.sqrt(len(matrix)))
    none = s < VANISHES
    if s[~none].min(initial=np.inf) < GAP * max(float(s[none].max(initial=0.0)), ROUNDING):
        return np.zeros((0, count))
    return reduced(vectors)


def _along(eq: Equations, functions: Sequence[Scalar], states: States) -> Array:
    """(A ξ)_i as a linear function of C, over all states."""
    values = compiled(eq.inputs, list(functions), backend="numpy")(states.x)
    return np.einsum("smj,sb->smbj", _rows(eq, states.x), values).reshape(-1, len(functions) * len(eq.q))


def _rows(eq: Equations, x: Array) -> Array:
    flat = compiled(eq.inputs, [e for row in eq.A for e in row], backend="numpy")(x)
    return flat.reshape(len(x), len(eq.A), len(eq.q))


def _symmetry(eq: Equations, functions: Sequence[Scalar], row: Array, states: States) -> Symmetry:
    """The field of a null vector, and its momentum ξ·∂L/∂q̇ − F. The last entries of the vector give F."""
    n = len(eq.q)
    count = len(functions) * n
    C = row[:count].reshape(len(functions), n)
    change = total(_number(c) * f for c, f in zip(row[count:], functions[1:], strict=False))
    field = tuple(total(_number(c) * f for c, f in zip(C[:, j], functions, strict=True)) for j in range(n))
    along = compiled(eq.inputs, list(field), backend="numpy")(states.x)
    breaking = []
    if eq.A:
        A = _rows(eq, states.x)
        work = np.abs(np.einsum("smj,sj->sm", A, along))
        size = np.einsum("smj,sj->sm", np.abs(A), np.abs(along))
        broken = (work > KEEPS * (size + 1e-9)).any(axis=0)
        breaking = [row.name for row, lost in zip(eq.constraints, broken, strict=True) if lost]
    return Symmetry(field, dot(field, momenta(eq)) - change, tuple(breaking))


def _number(value: float) -> Scalar:
    found = fraction(float(value))
    return se.RealDouble(float(value)) if found is None else se.Rational(found.numerator, found.denominator)


def momentum_equations(
    flow: Flow, home: Home, found: Sequence[Symmetry], forces: Sequence[Scalar], longest: int, seed: int = 8
) -> tuple[MomentumEquation, ...]:
    """Sections of the distribution along the symmetries whose coefficients cannot be constants.

    `forces` are the generalized forces without a potential. Equations of more than `longest` operations are left out.
    """
    eq = flow.equations
    moved = [s for s in found if not s.horizontal][:WIDEST]
    if not moved or len(eq.z):
        return ()
    G = [[dot(row, s.field) for s in moved] for row in eq.A]
    states = flow.states(home, 12, np.random.default_rng(seed))
    values = compiled(eq.inputs, [e for row in G for e in row], backend="numpy")(states.x).reshape(
        len(states), len(G), -1
    )
    rank = int(np.linalg.matrix_rank(values[0], tol=1e-9 * max(1.0, np.abs(values[0]).max())))
    if rank == len(moved) or not 0 < rank <= LARGEST_MINOR:
        return ()
    rows, columns = _minor(values, rank)
    equations = []
    for free in (i for i in range(len(moved)) if i not in columns):
        c = _cofactors(G, rows, columns, free, len(moved))
        equation = _equation(eq, moved, c, forces)
        if equation is not None and equation.operations <= longest and _holds(flow, equation, states):
            equations.append(equation)
    return tuple(equations)


def _minor(values: Array, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows and columns of the minor that is best conditioned over all states."""
    choices = [
        (rows, columns)
        for rows in combinations(range(values.shape[1]), rank)
        for columns in combinations(range(values.shape[2]), rank)
    ]
    worst = [np.abs(np.linalg.det(values[:, list(r)][:, :, list(c)])).min() for r, c in choices]
    return choices[int(np.argmax(worst))]


def _cofactors(
    G: list[list[Scalar]], rows: Sequence[int], columns: Sequence[int], free: int, count: int
) -> list[Scalar]:
    """The null vector of G with c_free the minor itself: Cramer's rule without division."""
    c = [se.S.Zero] * count
    c[free] = readable(_determinant([[G[r][k] for k in columns] for r in rows]))
    for place in columns:
        replaced = [[G[r][free if k == place else k] for k in columns] for r in rows]
        c[place] = readable(-_determinant(replaced))
    return _without_common_factor(c)


def _determinant(matrix: list[list[Scalar]]) -> Scalar:
    if len(matrix) == 1:
        return matrix[0][0]
    rest = [[row[:j] + row[j + 1 :] for row in matrix[1:]] for j in range(len(matrix))]
    return total((-1) ** j * matrix[0][j] * _determinant(rest[j]) for j in range(len(matrix)) if matrix[0][j] != 0)


def _without_common_factor(c: list[Scalar]) -> list[Scalar]:
    """Divide by the factors that all entries share, and by a common number."""
    parts = [set(e.args if type(e).__name__ == "Mul" else (e,)) for e in c if e != 0]
    common = [e for e in set.intersection(*parts) if e.free_symbols] if parts else []
    c = [e / se.Mul(*common) if e != 0 and common else e for e in c]
    numbers = {abs(_leading(e)) for e in c if e != 0}
    factor = numbers.pop() if len(numbers) == 1 else se.S.One
    return [e / factor for e in c]


def _leading(e: Scalar) -> Scalar:
    """The numerical factor of a product, or of the first term of a sum."""
    e = e.args[0] if type(e).__name__ == "Add" else e
    return e.args[0] if type(e).__name__ == "Mul" and e.args[0].is_Number else se.S.One


def _equation(
    eq: Equations, moved: Sequence[Symmetry], c: Sequence[Scalar], forces: Sequence[Scalar]
) -> MomentumEquation | None:
    field = tuple(total(a * s.field[j] for a, s in zip(c, moved, strict=True)) for j in range(len(eq.q)))
    momentum = total(a * s.momentum for a, s in zip(c, moved, strict=True))
    rate = total(
        a.diff(q) * v * s.momentum for a, s in zip(c, moved, strict=True) for q, v in zip(eq.q, eq.v, strict=True)
    )
    rate += total(a.diff(eq.t) * s.momentum for a, s in zip(c, moved, strict=True)) + dot(field, forces)
    rate += total(a.diff(w) * r * s.momentum for a, s in zip(c, moved, strict=True) for w, r in eq.states.items())
    return None if momentum == 0 else MomentumEquation(field, momentum, rate)


def _holds(flow: Flow, equation: MomentumEquation, states: States) -> bool:
    """Whether the momentum has this rate. If the rate vanishes on the constraints, it is reported as an integral."""
    eq = flow.equations
    found = FlowQuantities(eq, [equation.momentum]).at(states)
    rate = compiled(eq.inputs, [equation.rate], backend="numpy")(states.x)
    conserved = np.all(np.abs(found.rate) <= KEEPS * found.size)
    return bool(np.all(np.abs(found.rate - rate) <= KEEPS * (found.size + np.abs(rate))) and not conserved)
