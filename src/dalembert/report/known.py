"""Names for parts of expressions that are quantities of the system: places, velocities, entries of matrices, roots.

A part and a quantity are compared by their values at three states. A part that is a constant times a quantity takes its
name. Any other part is written out where it occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import symengine as se

from dalembert.equations import ConstraintRow, Equations
from dalembert.report.lines import in_order, length, needed, rebuilt, scalars, shorter

SHORT_PART = 6  # operations; a part up to this length gets no name
CLOSE = 1e-9
PLACES = (0.3137, 0.5719, 0.2213)  # states at which parts are compared with known quantities
HALF = se.Rational(1, 2)
POWERS = (1, 2, -1, -2, 3, 4, 6)  # of a root ρ, as which a part is recognized


@dataclass(frozen=True, slots=True)
class Known:
    """A quantity of the system and its values at the states of comparison."""

    symbol: Any
    value: Any
    seen: tuple[float, ...]


class Namer:
    """Names for the parts of one derivation. A part has one name and is written out at its first use."""

    def __init__(self, eq: Equations, taken: Iterable[str] = (), numbered: bool = False):
        self._eq = eq
        self._numbered = numbered  # other parts are p[1], p[2] …, for lists that would be too long otherwise
        self._taken = set(taken)
        self._known: list[Known] | None = None
        self._names: dict[Any, tuple[Any, Any] | None] = {}
        self._values: dict[Any, Any] = {}  # of recognized quantities, by name
        self._told: set[Any] = set()

    def put_in(self, results: Sequence[tuple[Any, Any]]) -> tuple[tuple[Any, Any], ...]:
        """The lines in terms of known quantities, each of which stands before its first use."""
        flat = [se.sympify(e) for left, value in results for e in (*scalars(left), *scalars(value))]
        parts, reduced = self.named(flat)
        rest = iter(reduced)
        lines = [(rebuilt(left, rest), rebuilt(value, rest)) for left, value in results]
        lines = [(left, self._values[left] if left == value else value) for left, value in lines]
        return in_order([*parts, *lines])

    def forget(self, results: Sequence[tuple[Any, Any]]) -> None:
        """Lines that are not shown after all tell nothing."""
        self._told -= {left for left, _ in results if not isinstance(left, str) and left.is_Symbol}

    def named(self, expressions: Sequence[Any]) -> tuple[tuple[tuple[Any, Any], ...], list[Any]]:
        """The shared parts of the expressions, each with its name, and the expressions in terms of these names."""
        cases = sorted({p for e in expressions for p in e.atoms(se.Piecewise)}, key=str)
        stand_in = {
            p: se.Symbol(f"case {i}") for i, p in enumerate(cases)
        }  # because `cse` would split their conditions
        parts, reduced = se.cse([shorter(e).xreplace(stand_in) for e in expressions])
        full: dict[Any, Any] = {symbol: p for p, symbol in stand_in.items()}  # in terms of the model's symbols only
        new: dict[Any, Any] = dict(full)
        lines: dict[Any, Any] = {}
        for symbol, part in parts:
            full[symbol] = shorter(part.subs(full))
            shown = shorter(part.subs(new))
            if _is_short(shown) or _is_short(full[symbol]):
                new[symbol] = min((shown, full[symbol]), key=length)
                continue
            if (found := self._name(full[symbol])) is None:
                new[symbol] = shown
                continue
            factor, power = found
            new[symbol] = factor * power
            name = next(iter(power.free_symbols))
            options = [self._values[name], *([shown / factor] if name == power else [])]
            lines.setdefault(name, min(options, key=length))
        reduced = [_without_roots(se.sympify(e).subs(new)) for e in reduced]
        lines = {name: _without_roots(e) for name, e in lines.items()}
        fresh = [name for name in lines if name in needed(reduced, lines) - self._told]
        self._told |= set(fresh)
        return tuple((name, lines[name]) for name in fresh), reduced

    def known(self, part: Any) -> tuple[Any, Any, list[tuple[Any, Any]]] | None:
        """The factor and the name of a part that is a known quantity, with its line if it was not told before."""
        if (found := self._name(part)) is None:
            return None
        factor, power = found
        name = next(iter(power.free_symbols))
        line = [] if name in self._told else [(name, self._values[name])]
        self._told.add(name)
        return factor, power, line

    def _name(self, part: Any) -> tuple[Any, Any] | None:
        """The known quantity of which the part is a multiple, and the factor."""
        if part not in self._names:
            self._names[part] = self._recognized(part)
            if self._names[part] is None and self._numbered:
                name = se.Symbol(f"p[{1 + sum(str(symbol).startswith('p[') for symbol in self._values)}]")
                self._names[part], self._values[name] = (se.Integer(1), name), part
        return self._names[part]

    def _recognized(self, part: Any) -> tuple[Any, Any] | None:
        """The quantity of the system of which the part is a constant multiple, and the constant."""
        if not part.free_symbols <= {*self._eq.inputs, *_accelerations(self._eq)}:
            return None
        if self._known is None:
            self._known = list(_known(self._eq))
        (seen,) = _seen([part], self._eq)
        for known in self._known:
            if known.symbol.name in self._taken:
                continue
            for power in POWERS if known.symbol.name.startswith("rho[") else (1,):
                factor = _factor(seen, [value**power for value in known.seen])
                if factor is not None:
                    self._values[known.symbol] = shorter(known.value)
                    return factor, known.symbol**power
        return None


def _without_roots(e: Any) -> Any:
    """√(ρ²) = ρ, since ρ is a root itself."""
    nested = [p for p in e.atoms(se.Pow) if str(p.args[0]).startswith("rho[") and isinstance(p.args[0], se.Pow)]
    changes = {p: p.args[0].args[0] ** (p.args[0].args[1] * p.args[1]) for p in nested}
    return e.xreplace(changes) if changes else e


def _is_short(part: Any) -> bool:
    """Whether a part is as short as a name, such as sin(x), -c1 or c1*x."""
    return len(part.args) == 1 or se.count_ops(part) <= SHORT_PART


def _accelerations(eq: Equations) -> tuple[Any, ...]:
    return tuple(se.Symbol(f"{name}''") for name in eq.coordinates)


def _known(eq: Equations) -> Iterator[Known]:
    """Motions of the bodies' centres, entries of the equations, energies."""
    a = _accelerations(eq)

    def rate(e: Any) -> Any:
        pairs = [*zip(eq.q, eq.v, strict=True), *zip(eq.v, a, strict=True)]
        return se.Add(e.diff(eq.t), *(e.diff(x) * y for x, y in pairs))

    named: list[tuple[str, Any]] = []
    for constraint in eq.constraints:
        named += [(f"rho[{constraint.name}{f', {i}' if i else ''}]", e) for i, e in enumerate(_radii(constraint))]
    for body, (position, turned) in eq.poses.items():
        entries = [
            (f"n[{body}, {i}{j}]", e)
            for i, row in zip("xyz", turned, strict=True)
            for j, e in zip("xyz", row, strict=True)
        ]
        named += entries
        for axis, r in zip("xyz", position, strict=True):
            v = rate(se.sympify(r))
            full = rate(v)
            named += [(f"r[{body}, {axis}]", r), (f"v[{body}, {axis}]", v), (f"a[{body}, {axis}]", full)]
            named += [(f"U[{body}, {axis}]", full.subs(dict.fromkeys(a, 0)))]
            named += [(f"v[{body}, {axis}, {q}]", se.sympify(r).diff(q)) for q in eq.q]
    rows = [row.name for row in eq.constraints]
    for letter, sides, matrix in (("D", eq.coordinates, eq.D), ("A", rows, eq.A)):
        for row, line in zip(sides, matrix, strict=True):
            named += [(f"{letter}[{row}, {q}]", e) for q, e in zip(eq.coordinates, line, strict=True)]
    named += [(f"d[{q}]", e) for q, e in zip(eq.coordinates, eq.d, strict=True)]
    named += [("T", eq.kinetic), ("V", eq.potential), *eq.outputs.items()]
    varying = [(name, se.sympify(e)) for name, e in named]
    varying = [(name, e) for name, e in varying if e.free_symbols - set(eq.parameters) and not _is_short(e)]
    for (name, value), seen in zip(varying, _seen([e for _, e in varying], eq), strict=True):
        if all(map(isfinite, seen)):
            yield Known(se.Symbol(name), value, seen)


def _radii(constraint: ConstraintRow) -> list[Any]:
    """Roots in a constraint of coordinates. Without any, the root of its sum of squares: the norm of a quaternion."""
    residual = se.sympify(constraint.residual)
    if constraint.kind != "holonomic":
        return []
    bases = [p.args[0] for p in residual.atoms(se.Pow) if p.args[1] in (HALF, -HALF)]
    if not bases and isinstance(residual, se.Add):
        squares = [e for e in residual.args if not e.is_Number]
        bases = [se.Add(*squares)] if all(isinstance(e, se.Pow) and e.args[1] == 2 for e in squares) else []
    return [base**HALF for base in sorted(set(bases), key=str)]


def _seen(expressions: Sequence[Any], eq: Equations) -> list[tuple[float, ...]]:
    """Values at the states of comparison."""
    if not expressions:
        return []
    symbols = [*eq.inputs, *_accelerations(eq)]
    evaluate = se.Lambdify(symbols, list(expressions), backend="lambda")
    columns = []
    for start in PLACES:
        columns.append([float(v) for v in evaluate([start + 0.617 * (i * start % 1.0) for i in range(len(symbols))])])
    return list(zip(*columns, strict=True))


def _factor(part: Sequence[float], known: Sequence[float]) -> Any | None:
    """The small rational number that is the ratio of the two at every state, or None."""
    if any(abs(k) < CLOSE or not isfinite(p) for p, k in zip(part, known, strict=True)):
        return None
    ratios = [p / k for p, k in zip(part, known, strict=True)]
    number = Fraction(ratios[0]).limit_denominator(100)
    if number == 0 or any(abs(ratio - float(number)) > CLOSE * abs(ratio) for ratio in ratios):
        return None
    return se.Rational(number.numerator, number.denominator)
