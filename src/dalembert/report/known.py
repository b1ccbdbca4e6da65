"""Names for parts of expressions that are quantities of the system: places, velocities, entries of matrices, roots.

A part and a quantity are compared by their values at three states. A part that is a constant times a quantity takes its
name. Any other part is written out where it occurs. `mechanics.named` has the quantities, each in terms of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any
from zlib import crc32

import symengine as se

from dalembert.equations import ConstraintRow, Equations
from dalembert.mechanics.readable import MOST_TERMS, expanded_size
from dalembert.report.dialects import Terminal
from dalembert.report.lines import in_order, length, needed, rebuilt, scalars, shorter

ENTRIES = ("D[", "d[", "A[", "b[", "f[", "T", "V")  # of the record
SAVED = 6  # characters that a name must save
SHORT_PART = 6  # operations; a part up to this length gets no name
WRITE = Terminal()
CLOSE = 1e-9
PLACES = (0.3137, 0.5719, 0.2213)  # states at which parts are compared with known quantities
HALF = se.Rational(1, 2)
POWERS = (1, 2, -1, -2, 3, 4, 6)  # of a root ρ, as which a part is recognized
DIGITS = 7  # of the ratio of two values, by which quantities are found
Seen = tuple[float, ...]  # values at the states of comparison


@dataclass(frozen=True, slots=True)
class Known:
    """A power of a quantity of the system, and its values at the states of comparison."""

    power: Any
    seen: Seen


class Namer:
    """Names for the parts of one derivation. A part has one name and is written out at its first use."""

    def __init__(self, eq: Equations, taken: Iterable[str] = ()):
        self._eq = eq
        self._taken = set(taken)
        self._told: set[Any] = set()
        self._being_told: set[Any] = set()  # left sides of the lines at hand
        self._values: dict[Any, Any] | None = None  # of the quantities, by name, each in terms of those before it
        self._seen: dict[Any, Seen | None] = {}  # values of the quantities
        self._found: dict[str, list[Known]] = {}  # by the ratio of their first two values

    @property
    def has_told(self) -> bool:
        """Whether a line before has given a quantity its name."""
        return bool(self._told)

    def put_in(self, results: Sequence[tuple[Any, Any]]) -> tuple[tuple[Any, Any], ...]:
        """The lines in terms of known quantities, each of which stands before its first use."""
        own = {left for left, value in results if self._is_own(left, value)}  # such as D[x, y]
        others = [(left, value) for left, value in results if left not in own]
        flat = [se.sympify(e) for left, value in others for e in (*scalars(left), *scalars(value))]
        self._being_told = {left for left, _ in results if not isinstance(left, str)}
        reduced = iter(self._named(flat))
        self._being_told = set()
        lines = []
        for left, value in results:
            known = self._quantities()[left] if left in own else None
            lines.append((left, known) if known is not None else (rebuilt(left, reduced), rebuilt(value, reduced)))
        held = [se.sympify(e) for left, value in lines for e in (*scalars(left), *scalars(value))]
        parts = [part for part in self._fresh(held) if part[0] not in own]
        shown = _defined(parts, lines)
        self._told -= set(dict(parts)) - {left for left, _ in shown}
        return in_order(shown)

    def _is_own(self, left: Any, value: Any) -> bool:
        """Whether a line has a quantity of the system on its left side, with that quantity's value."""
        if isinstance(left, str) or isinstance(value, tuple) or left not in self._quantities():
            return False
        known = self._quantities()[left]
        return bool(known == value) or _agree(_value(se.sympify(value), self._seen), self._seen.get(left))

    def forget(self, results: Sequence[tuple[Any, Any]]) -> None:
        """Lines that are not shown after all tell nothing."""
        self._told -= {left for left, _ in results if not isinstance(left, str) and left.is_Symbol}

    def _named(self, expressions: Sequence[Any]) -> list[Any]:
        """The expressions in terms of known quantities."""
        cases = sorted({p for e in expressions for p in e.atoms(se.Piecewise)}, key=str)
        stand_in = {p: se.Symbol(f"case {i}") for i, p in enumerate(cases)}  # `cse` would split their conditions
        parts, reduced = se.cse([shorter(e).xreplace(stand_in) for e in expressions])
        self._quantities()
        seen, new = dict(self._seen), {symbol: p for p, symbol in stand_in.items()}
        seen |= {symbol: _value(p, seen) for symbol, p in new.items()}
        for symbol, part in parts:
            seen[symbol] = _value(part, seen)
            new[symbol] = self._shown(part, new, seen)
        return [self._shown(se.sympify(e), new, seen) for e in reduced]

    def known(self, part: Any) -> tuple[Any, list[tuple[Any, Any]]] | None:
        """A part that is a known quantity, by its name, with the lines that were not told before."""
        self._quantities()
        found = self._recognized(_value(part, self._seen))
        return None if found is None else (found, list(self._fresh([found])))

    def learn(self, symbol: Any, value: Any) -> None:
        """A coefficient with a name of its own is recognized where it occurs again, times a number."""
        seen = self._seen[symbol] = _value(value, self._seen)
        if seen is not None and not any(abs(n) < CLOSE for n in seen):
            self._found.setdefault(_ratio(seen), []).append(Known(symbol, seen))

    def _shown(self, part: Any, new: Mapping[Any, Any], seen: Mapping[Any, Seen | None]) -> Any:
        """A part in terms of known quantities."""
        known = {}
        for inner in part.atoms(se.Add) - {part}:
            found = self._recognized(_value(inner, seen))
            if found is not None and not _is_short(inner.xreplace(new)):
                known[inner] = found
        shown = _without_roots(shorter(part.xreplace(known).xreplace(new)))
        if _is_short(shown):
            return shown
        found = self._recognized(_value(part, seen))
        return shown if found is None else found

    def _fresh(self, expressions: Sequence[Any]) -> tuple[tuple[Any, Any], ...]:
        """The quantities in the expressions that were not told before, in order."""
        values = self._quantities()
        used = needed(expressions, values) - self._told
        self._told |= used
        return tuple((symbol, values[symbol]) for symbol in values if symbol in used)

    def _recognized(self, seen: Seen | None) -> Any | None:
        """The constant times the quantity that has these values, or None."""
        if seen is None or any(abs(value) < CLOSE for value in seen):
            return None
        for known in self._found.get(_ratio(seen), ()):
            told = known.power in self._being_told  # a line does not say that a quantity is itself
            if not told and (factor := _factor(seen, known.seen)) is not None:
                return factor * known.power
        return None

    def _quantities(self) -> Mapping[Any, Any]:
        if self._values is None:
            self._values = _quantities(self._eq, self._taken)
            self._seen, plain = {}, dict(_entries(self._eq))
            moving = {self._eq.t, *self._eq.q, *self._eq.v, *_accelerations(self._eq)}
            for symbol, value in self._values.items():
                numbers = self._seen[symbol] = _value(value, self._seen)
                entry = plain.get(symbol)
                if entry is not None and length(entry) <= length(value) and _agree(_value(entry, self._seen), numbers):
                    self._values[symbol] = value = entry
                if value.free_symbols & moving:
                    moving.add(symbol)
                if numbers is None or symbol not in moving or any(abs(n) < CLOSE for n in numbers):
                    continue
                shown = self._values[symbol] if _saves_little(symbol, self._values[symbol], self._values) else symbol
                for power in POWERS if symbol.name.startswith("rho[") else (1,):
                    raised = tuple(n**power for n in numbers)
                    self._found.setdefault(_ratio(raised), []).append(Known(shown**power, raised))
        return self._values


def _defined(parts: Sequence[tuple[Any, Any]], lines: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Parts and lines. A line whose value is a part that no other line has is that part's own line."""
    fresh, used = dict(parts), dict.fromkeys(dict(parts), 0)
    for left, value in (*parts, *lines):
        for symbol in {s for e in (*scalars(left), *scalars(value)) for s in se.sympify(e).free_symbols} - {left}:
            used[symbol] = used.get(symbol, 0) + 1
    single = {value for _, value in lines if not isinstance(value, tuple | str) and value in fresh and used[value] == 1}
    kept = [(left, value) for left, value in parts if left not in single]
    return [*kept, *((left, fresh[value] if value in single else value) for left, value in lines)]


def _quantities(eq: Equations, taken: set[str]) -> dict[Any, Any]:
    """The quantities of the system, and norms in the constraints."""
    norms = {se.Symbol(f"rho[{row.name}]"): norm for row in eq.constraints for norm in _norm(row)}
    found = {symbol: se.sympify(e) for symbol, e in {**norms, **eq.quantities()}.items()}
    spare = {s for s, e in found.items() if _saves_little(s, e, found) and not s.name.startswith(ENTRIES)}
    hidden = {s: e for s, e in found.items() if s.name in taken or s in spare}
    shown: dict[Any, Any] = {}
    for symbol, e in found.items():  # without names that mean something else here, or that save nothing
        whole = e.xreplace(hidden)
        if symbol in hidden:
            hidden[symbol] = whole
        else:
            shown[symbol] = whole
    return shown


def _saves_little(symbol: Any, value: Any, quantities: Mapping[Any, Any]) -> bool:
    """Whether a quantity is hardly longer than its name, and contains no others."""
    short = se.count_ops(value) <= 1 or len(WRITE(value)) <= len(WRITE(symbol)) + SAVED
    return short and value.free_symbols.isdisjoint(quantities) and not symbol.name.startswith("rho[")


def _entries(eq: Equations) -> Iterator[tuple[Any, Any]]:
    """The short entries of the record by the names of the quantities, as they are without names."""
    rows = [row.name for row in eq.constraints]
    named: list[tuple[str, Any]] = [("T", eq.kinetic), ("V", eq.potential)]
    for letter, sides, matrix in (("D", eq.coordinates, eq.D), ("A", rows, eq.A)):
        for row, line in zip(sides, matrix, strict=True):
            named += [(f"{letter}[{row}, {q}]", e) for q, e in zip(eq.coordinates, line, strict=True)]
    named += [(f"d[{q}]", e) for q, e in zip(eq.coordinates, eq.d, strict=True)]
    named += [(f"b[{row}]", e) for row, e in zip(rows, eq.b, strict=True)]
    named += [(f"f[{row.name}]", row.residual) for row in eq.constraints]
    for name, e in named:
        e = se.sympify(e)
        if expanded_size(e) <= MOST_TERMS:
            yield se.Symbol(name), shorter(e)


def _agree(one: Seen | None, two: Seen | None) -> bool:
    if one is None or two is None:
        return False
    return all(abs(a - b) <= CLOSE * (1 + abs(a)) for a, b in zip(one, two, strict=True))


def _without_roots(e: Any) -> Any:
    """√(ρ²) = ρ, since ρ is a root itself."""
    nested = [p for p in e.atoms(se.Pow) if str(p.args[0]).startswith("rho[") and isinstance(p.args[0], se.Pow)]
    changes = {p: p.args[0].args[0] ** (p.args[0].args[1] * p.args[1]) for p in nested}
    return e.xreplace(changes) if changes else e


def _is_short(part: Any) -> bool:
    """Whether a part is as short as a name, such as sin(x), -c1 or c1*x."""
    return len(part.args) <= 1 or se.count_ops(part) <= SHORT_PART


def _accelerations(eq: Equations) -> tuple[Any, ...]:
    return tuple(se.Symbol(f"{name}''") for name in eq.coordinates)


def _norm(constraint: ConstraintRow) -> list[Any]:
    """The root of a constraint's sum of squares: the norm of a quaternion. Roots in constraints are quantities."""
    residual = se.sympify(constraint.residual)
    if constraint.kind != "holonomic" or not isinstance(residual, se.Add):
        return []
    squares = [e for e in residual.args if not e.is_Number]
    return [se.Add(*squares) ** HALF] if all(isinstance(e, se.Pow) and e.args[1] == 2 for e in squares) else []


def _value(e: Any, seen: Mapping[Any, Seen | None]) -> Seen | None:
    """The values of an expression at the states of comparison, or None if it has functions without values, such as
    R_z(ψ). Letters of the derivation count as independent, and case distinctions too."""
    cases = {p: se.Symbol(str(p)) for p in e.atoms(se.Piecewise)}
    e = e.xreplace(cases) if cases else e
    free = [(s, seen[s] if s in seen else _letter(s.name)) for s in e.free_symbols]
    if e.atoms(se.FunctionSymbol) or any(numbers is None for _, numbers in free):
        return None
    if not free:
        return (float(e),) * len(PLACES)
    evaluate = se.Lambdify([s for s, _ in free], [e], backend="lambda")
    found = [float(evaluate(state)[0]) for state in zip(*(numbers or () for _, numbers in free), strict=True)]
    return tuple(found) if all(map(isfinite, found)) else None


def _letter(name: str) -> Seen:
    """The values of a symbol of the model, or of a letter of the derivation such as k[x, y], by its name alone."""
    return tuple(start + 0.617 * (crc32(f"{name} at {start}".encode()) % 9973) / 9973 for start in PLACES)


def _ratio(seen: Seen) -> str:
    return f"{seen[1] / seen[0]:.{DIGITS}g}"


def _factor(part: Sequence[float], known: Sequence[float]) -> Any | None:
    """The small rational number that is the ratio of the two at every state, or None."""
    ratios = [p / k for p, k in zip(part, known, strict=True)]
    number = Fraction(ratios[0]).limit_denominator(100)
    if number == 0 or any(abs(ratio - float(number)) > CLOSE * abs(ratio) for ratio in ratios):
        return None
    return se.Rational(number.numerator, number.denominator)
