"""Long expressions in terms of named parts that are written once.

An equation that is too long to read is split by its rates: M[r, s] is the coefficient of rate s in row r, and h[r] is
the rest on the other side. Parts that the lines of a step share are compared with quantities of the system: r, v, a of
a body's centre and their derivatives, entries of D and A, energies. A part that is a constant times one of them takes
its name. Other parts are named by their content: K constants, c coordinates, u speeds to the first power, w speeds to
higher powers, s accelerations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

import symengine as se

from dalembert.equations import Equations, Step
from dalembert.language import mark, tr
from dalembert.mechanics.readable import MOST_TERMS, expanded_size, readable
from dalembert.report.letters import in_letters

LARGEST_ROW = 900  # characters; a system with a longer expression counts as large
LARGEST_ALL = 8000
SHORT = 60  # characters; a coefficient up to this length gets no name
SHORT_PART = 6  # operations; a part up to this length gets no name
CLOSE = 1e-9
PLACES = (0.3137, 0.5719, 0.2213)  # states at which parts are compared with known quantities
SHARED = mark(
    "Shared parts are written once, before the lines: r, v, a are the place, velocity and acceleration of a body's "
    "centre, v with a coordinate is its partial velocity, U the acceleration without q̈, n the components of its axes, "
    "D the coefficients of q̈, A those of the constraints. K contains constants, c coordinates, u speeds, w products "
    "of speeds, s accelerations."
)
SPLIT = mark("M are the coefficients of the rates, h the rest.")


def structured(eq: Equations) -> tuple[Step, ...]:
    """The steps of a derivation. A step with expressions that are too long to read begins with their parts."""
    steps = eq.steps
    taken = {symbol.name for step in steps for e in values(step) for symbol in se.sympify(e).free_symbols}
    found, namer, told = [], Namer(eq, taken), set()
    for step in steps:
        if fits(values(step)):
            found.append(step)
            continue
        split = replace(step, results=tuple(_split(step, (*rates(eq), *_chosen_rates(step, eq)))))
        notes = [SPLIT] if len(split.results) > len(step.results) else []
        if not fits(values(split)):
            parts, reduced = namer.named([se.sympify(e) for e in values(split)])
            rest = iter(reduced)
            results = tuple((_rebuilt(left, rest), _rebuilt(value, rest)) for left, value in split.results)
            split = replace(split, results=(*parts, *results))
            notes += [SHARED] if parts else []
        said = [tr(note) for note in notes if note not in told]
        told |= set(notes)
        found.append(replace(split, note=" ".join([*([step.note] if step.note else []), *said])))
    return in_letters(tuple(found), eq.letters())


def fits(flat: Sequence[Any]) -> bool:
    """Whether the expressions are short enough to read."""
    sizes = [len(str(e)) for e in flat]
    return sum(sizes) <= LARGEST_ALL and max(sizes, default=0) <= LARGEST_ROW


def values(step: Step) -> list[Any]:
    """Every expression of a step, including left sides that are expressions."""
    return [e for left, value in step.results for e in (*_scalars(left), *_scalars(value))]


def _scalars(value: Any) -> list[Any]:
    if isinstance(value, str):
        return []
    return [e for part in value for e in _scalars(part)] if isinstance(value, tuple) else [value]


def _rebuilt(value: Any, found: Iterator[Any]) -> Any:
    if isinstance(value, str):
        return value
    return tuple(_rebuilt(part, found) for part in value) if isinstance(value, tuple) else next(found)


def rates(eq: Equations) -> tuple[Any, ...]:
    """The unknowns of equations of motion: accelerations, rates of quasi-velocities and of multipliers."""
    names = [f"{name}''" for name in eq.coordinates]
    names += [f"{name}'" for name in (() if eq.quasi is None else eq.quasi.names)]
    return tuple(se.Symbol(name) for name in (*names, *(f"{z}'" for z in eq.z)))


def _chosen_rates(step: Step, eq: Equations) -> list[Any]:
    """Rates of the quasi-velocities that the model chose, in a method whose record has none."""
    symbols = {s for e in values(step) for s in se.sympify(e).free_symbols} - {*eq.v, *rates(eq)}
    named = [s for s in sorted(symbols, key=str) if str(s).endswith("'") and not str(s).endswith("]'")]
    return [] if eq.quasi is not None else named


def _split(step: Step, unknowns: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Long rows that are linear in the rates, with named coefficients. Other rows are kept."""
    rows = [i for i, (left, value) in enumerate(step.results) if left == "0" or not isinstance(left, str)]
    present = [u for u in unknowns if any(u in se.sympify(e).free_symbols for e in values(step))]
    own = len(rows) == len(present)
    for i, (left, value) in enumerate(step.results):
        short = isinstance(value, tuple) or len(str(left)) + len(str(value)) <= LARGEST_ROW
        if i not in rows or short or not present:
            yield left, value
            continue
        name = str(present[rows.index(i)]).rstrip("'") if own else str(rows.index(i) + 1)
        e = se.sympify(value) if left == "0" else left - value
        zero = dict.fromkeys(present, se.Integer(0))
        coefficients = [(u, e.diff(u)) for u in present]
        if any(c.free_symbols & set(present) for _, c in coefficients):
            yield left, value  # not linear
            continue
        shown = []
        for u, c in coefficients:
            symbol = se.Symbol(f"M[{name}, {str(u).rstrip(chr(39))}]")
            if len(str(c)) > SHORT:
                yield symbol, c
            shown.append((symbol if len(str(c)) > SHORT else c) * u)
        rest = -e.subs(zero)
        h = se.Symbol(f"h[{name}]")
        if len(str(rest)) > SHORT:
            yield h, rest
        yield se.Add(*shown), (h if len(str(rest)) > SHORT else rest)


@dataclass(frozen=True, slots=True)
class Known:
    """A quantity of the system and its values at the states of comparison."""

    symbol: Any
    value: Any
    seen: tuple[float, ...]


class Namer:
    """Names for the parts of one derivation. A part has one name and is written out at its first use."""

    def __init__(self, eq: Equations, taken: Iterable[str] = ()):
        self._eq = eq
        self._taken = set(taken)
        self._known: list[Known] | None = None
        self._names: dict[Any, tuple[Any, Any]] = {}
        self._counts = dict.fromkeys("Kcuws", 0)
        self._values: dict[Any, Any] = {}  # of recognized quantities, by name
        self._told: set[Any] = set()

    def named(self, expressions: Sequence[Any]) -> tuple[tuple[tuple[Any, Any], ...], list[Any]]:
        """The shared parts of the expressions, each with its name, and the expressions in terms of these names."""
        cases = sorted({p for e in expressions for p in e.atoms(se.Piecewise)}, key=str)
        stand_in = {
            p: se.Symbol(f"case {i}") for i, p in enumerate(cases)
        }  # because `cse` would split their conditions
        parts, reduced = se.cse([_shorter(e).xreplace(stand_in) for e in expressions])
        full: dict[Any, Any] = {symbol: p for p, symbol in stand_in.items()}  # in terms of the model's symbols only
        new: dict[Any, Any] = dict(full)
        lines: dict[Any, Any] = {}
        for symbol, part in parts:
            full[symbol] = _shorter(part.subs(full))
            shown = _shorter(part.subs(new))
            if _is_short(shown) or _is_short(full[symbol]):
                new[symbol] = min((shown, full[symbol]), key=_length)
                continue
            factor, name = self._name(full[symbol])
            new[symbol] = factor * name
            lines.setdefault(name, min((shown / factor, self._values.get(name, shown / factor)), key=_length))
        reduced = [se.sympify(e).subs(new) for e in reduced]
        fresh = [name for name in lines if name in _needed(reduced, lines) - self._told]
        self._told |= set(fresh)
        return tuple((name, lines[name]) for name in fresh), reduced

    def _name(self, part: Any) -> tuple[Any, Any]:
        if -part in self._names:
            factor, name = self._names[-part]
            return -factor, name
        if part not in self._names:
            self._names[part] = self._recognized(part) or (se.Integer(1), self._fresh(part))
        return self._names[part]

    def _fresh(self, part: Any) -> Any:
        letter = _kind(part, self._eq)
        while True:
            self._counts[letter] += 1
            name = f"{letter}{self._counts[letter]}"
            if name not in self._taken:
                return se.Symbol(name)

    def _recognized(self, part: Any) -> tuple[Any, Any] | None:
        """The quantity of the system of which the part is a constant multiple, and the constant."""
        if not part.free_symbols <= {*self._eq.inputs, *_accelerations(self._eq)}:
            return None
        if self._known is None:
            self._known = list(_known(self._eq))
        (seen,) = _seen([part], self._eq)
        for known in self._known:
            factor = _factor(seen, known.seen)
            if factor is not None and known.symbol.name not in self._taken:
                self._values[known.symbol] = _shorter(known.value)
                return factor, known.symbol
        return None


def _shorter(e: Any) -> Any:
    return readable(e) if expanded_size(e) <= MOST_TERMS else e


def _length(e: Any) -> int:
    return len(str(e))


def _is_short(part: Any) -> bool:
    """Whether a part is as short as a name, such as sin(x), -c1 or c1*x."""
    return len(part.args) == 1 or se.count_ops(part) <= SHORT_PART


def _needed(expressions: Sequence[Any], lines: dict[Any, Any]) -> set[Any]:
    found: set[Any] = set()
    stack = [symbol for e in expressions for symbol in e.free_symbols]
    while stack:
        symbol = stack.pop()
        if symbol in lines and symbol not in found:
            found.add(symbol)
            stack.extend(lines[symbol].free_symbols)
    return found


def _accelerations(eq: Equations) -> tuple[Any, ...]:
    return tuple(se.Symbol(f"{name}''") for name in eq.coordinates)


def _kind(part: Any, eq: Equations) -> str:
    """The letter for the content of a part."""
    held = part.free_symbols
    if held & set(rates(eq)):
        return "s"
    speeds = [s for s in sorted(held, key=str) if str(s).endswith("'") or s in eq.v]
    if speeds:
        return "u" if all(part.diff(s).free_symbols.isdisjoint(speeds) for s in speeds) else "w"
    return "K" if held <= set(eq.parameters) else "c"


def _known(eq: Equations) -> Iterator[Known]:
    """Motions of the bodies' centres, entries of the equations, energies."""
    a = _accelerations(eq)

    def rate(e: Any) -> Any:
        pairs = [*zip(eq.q, eq.v, strict=True), *zip(eq.v, a, strict=True)]
        return se.Add(e.diff(eq.t), *(e.diff(x) * y for x, y in pairs))

    named: list[tuple[str, Any]] = []
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
