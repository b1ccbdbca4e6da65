"""Small algebra over SymEngine scalars: triples, 3×3 matrices, sparse columns, total derivatives.

SymEngine merges like terms as it builds a sum, but copies the sum at every `+`. Long sums are therefore collected in a
list and added at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import symengine as se

Scalar = Any
Triple = tuple[Scalar, Scalar, Scalar]
Matrix3 = tuple[Triple, Triple, Triple]

ZERO = se.Integer(0)
ONE = se.Integer(1)
HALF = se.Rational(1, 2)
SMALLEST_EXACT, LARGEST_EXACT = 1e-30, 1e30  # outside this range the digits of a fraction are not worth their length
_NOTHING = type(ZERO)  # comparing types is ten times faster than comparing with 0, and zero has its own type
NULL: Triple = (ZERO, ZERO, ZERO)
IDENTITY: Matrix3 = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def number(value: float) -> Scalar:
    """A float in the form that suits SymEngine best. Small integers become exact, so that powers stay powers and zeros
    vanish.
    """
    if abs(value) < 2**20 and value == int(value):
        return se.Integer(int(value))
    return se.RealDouble(value)


def exact(value: float) -> Scalar:
    """A decimal as the rational number that is written. Very large and very small ones stay decimals."""
    if value == 0 or not SMALLEST_EXACT < abs(value) < LARGEST_EXACT:
        return number(value)
    fraction = Fraction(repr(value))
    return se.Rational(fraction.numerator, fraction.denominator)


def is_zero(value: Scalar) -> bool:
    return type(value) is _NOTHING


def total(terms: Iterable[Scalar]) -> Scalar:
    return _sum([term for term in terms if type(term) is not _NOTHING])


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return _sum([x * y for x, y in zip(a, b, strict=True) if type(x) is not _NOTHING and type(y) is not _NOTHING])


def _sum(terms: list[Scalar]) -> Scalar:
    if len(terms) == 2:
        return terms[0] + terms[1]
    return se.Add(*terms) if terms[1:] else terms[0] if terms else ZERO


def cross(a: Triple, b: Triple) -> Triple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def plus(a: Triple, b: Triple) -> Triple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Triple, b: Triple) -> Triple:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scaled(factor: Scalar, a: Triple) -> Triple:
    return (factor * a[0], factor * a[1], factor * a[2])


def apply(matrix: Matrix3, a: Triple) -> Triple:
    return (dot(matrix[0], a), dot(matrix[1], a), dot(matrix[2], a))


def transposed(matrix: Matrix3) -> Matrix3:
    return tuple(zip(*matrix, strict=True))  # type: ignore[return-value]


def product(a: Matrix3, b: Matrix3) -> Matrix3:
    columns = transposed(b)
    return tuple(tuple(dot(row, column) for column in columns) for row in a)  # type: ignore[return-value]


def is_null(a: Triple) -> bool:
    x, y, z = a
    return type(x) is _NOTHING and type(y) is _NOTHING and type(z) is _NOTHING


def merged_cases(expression: Scalar) -> Scalar:
    """The same with case distinctions whose branches are all equal as that branch."""
    if not expression.atoms(se.Piecewise):
        return expression
    while same := {p: p.args[0] for p in expression.atoms(se.Piecewise) if len(set(p.args[::2])) == 1}:
        expression = expression.subs(same)
    changes = {e: shorter for e in expression.atoms(se.Mul, se.Pow) if (shorter := _without_steps(e)) != e}
    return expression.xreplace(changes) if changes else expression


def _without_steps(product: Scalar) -> Scalar:
    """A product without factors of 0 and 1 that another factor implies: max(x, 0) H(x) = max(x, 0), H² = H."""
    factors = [(f.args if isinstance(f, se.Pow) else (f, ONE)) for f in _factors(product)]
    cases = [base for base, _ in factors if isinstance(base, se.Piecewise)]
    kept = []
    for base, power in factors:
        if isinstance(base, se.Piecewise) and set(base.args[::2]) == {ZERO, ONE} and power.is_Integer and power > 0:
            if any(_implies(other, base) for other in cases if other != base):
                continue
            power = ONE
        kept.append(base**power)
    return se.Mul(*kept)


def _factors(e: Scalar) -> Sequence[Scalar]:
    return e.args if isinstance(e, se.Mul) else (e,)


def _implies(case: Scalar, step: Scalar) -> bool:
    """Whether a case distinction vanishes wherever the step does."""
    if case.args[1::2] != step.args[1::2]:
        return False
    return all(on == 1 or value == 0 for value, on in zip(case.args[::2], step.args[::2], strict=True))


def cases_apart(expression: Scalar) -> tuple[Scalar, dict[Scalar, Scalar]]:
    """The expression with symbols in place of its case distinctions, and these by the symbols.

    Rules for smooth expressions, and tests at a few places, hold for the rest only: max(x − 5, 0) is zero at many
    places.
    """
    cases = sorted(expression.atoms(se.Piecewise, se.floor), key=str)
    stand_in = {case: se.Symbol(f"case {i}") for i, case in enumerate(cases)}
    if not stand_in:
        return expression, {}
    return expression.xreplace(stand_in), {symbol: case for case, symbol in stand_in.items()}


def roots_apart(expression: Scalar) -> tuple[Scalar, dict[Scalar, Scalar]]:
    """The expression with letters for roots of sums, which are not to be expanded inside, and the roots by letter."""
    powers = [p for p in expression.atoms(se.Pow) if isinstance(p.args[0], se.Add) and (2 * p.args[1]).is_Integer]
    bases = sorted({p.args[0] for p in powers if not p.args[1].is_Integer}, key=str)
    letters = {base: se.Symbol(f"root {i}") for i, base in enumerate(bases)}
    changes = {p: letters[p.args[0]] ** (2 * p.args[1]) for p in powers if p.args[0] in letters}
    changes |= {se.expand(sign * base): sign * letter**2 for base, letter in letters.items() for sign in (1, -1)}
    whole = expression.xreplace(changes) if changes else expression
    return whole, {letter: base**HALF for base, letter in letters.items()}


class Symbols:
    """The symbols of a motion (t, q, v = q̇, a = q̈) and derivatives along it."""

    names_quantities = False  # whether `named` gives symbols

    def __init__(self, names: Sequence[str]):
        self.names = tuple(names)
        self.t = se.Symbol("t")
        self.q = tuple(se.Symbol(n) for n in names)
        self.v = tuple(se.Symbol(n + "'") for n in names)
        self.a = tuple(se.Symbol(n + "''") for n in names)
        self._place = {s: i for i, s in enumerate(self.q)}
        self.speeds = frozenset(self.v)
        self.rates: dict[Scalar, Scalar] = {}  # ṡ of the first-order states, and of data in constraints
        self.corners = False  # whether abs, sign, min or max occur; `Lowering` sets it

    def named(self, name: str, value: Scalar) -> Scalar:
        """A quantity that has a name. `mechanics.named` gives it a symbol; here it stays its value."""
        return value

    def with_roots(self, name: str, value: Scalar) -> Scalar:
        """A value whose roots are named after it. `mechanics.named` gives them symbols; here it stays as it is."""
        return value

    def triple(self, letter: str, owner: str, vector: Triple) -> Triple:
        """A vector with a name, component by component."""
        return tuple(self.named(f"{letter}[{owner}, {axis}]", c) for axis, c in zip("xyz", vector, strict=True))  # type: ignore[return-value]

    def attitude(self, name: str, attitude: Any) -> Any:
        """The attitude of a frame with a name."""
        return attitude

    def whole(self, expression: Scalar) -> Scalar:
        """The expression without symbols of named quantities."""
        return expression

    def slope(self, expression: Scalar, symbol: Scalar) -> Scalar:
        """∂e/∂s. Parts that do not contain s vanish.

        SymEngine differentiates a Piecewise branch by branch, even with respect to symbols that are not in it. Equal
        branches are merged here, because the derivatives of a constraint decide whether it is linear in the speeds.
        """
        if not self.corners:
            return expression.diff(symbol)
        floors = {f: se.Symbol(f"floor {i}") for i, f in enumerate(expression.atoms(se.floor))}
        found = expression.xreplace(floors).diff(symbol) if floors else expression.diff(symbol)
        if floors:  # steps have no slope
            found = found.xreplace({stand_in: f for f, stand_in in floors.items()})
        return merged_cases(found)

    def has_speeds(self, expression: Scalar) -> bool:
        return not self.speeds.isdisjoint(expression.free_symbols)

    def derivative(self, expression: Scalar) -> Scalar:
        """d/dt without the terms in q̈: ∂e/∂q q̇ + ∂e/∂t."""
        if type(expression) is _NOTHING:
            return ZERO
        symbols = expression.free_symbols
        terms = [self.slope(expression, s) * self.v[self._place[s]] for s in symbols if s in self._place]
        if self.t in symbols:
            terms.append(self.slope(expression, self.t))
        terms += [self.slope(expression, s) * rate for s, rate in self.rates.items() if s in symbols]
        return total(terms)

    def whole_derivative(self, expression: Scalar) -> Scalar:
        """d/dt including the terms in q̈."""
        slopes = self.gradient(expression, self.v)
        return total([self.derivative(expression), *(s * a for s, a in zip(slopes, self.a, strict=True))])

    def gradient(self, expression: Scalar, symbols: Sequence[Scalar]) -> tuple[Scalar, ...]:
        if type(expression) is _NOTHING:
            return (ZERO,) * len(symbols)
        free = expression.free_symbols
        return tuple([self.slope(expression, s) if s in free else ZERO for s in symbols])
