"""Long expressions in terms of named parts that are written once. Every name has a meaning.

An expression that is too long to read is split by the rates, M[r, s] q̈_s, then by the speeds and their products,
Γ[r, s, k] q̇_s q̇_k; h[r] is an equation's rest on the other side. Parts that the lines of a step share are compared with
quantities of the system: r, v, a of a body's centre and their derivatives, entries of D and A, energies, roots in the
constraints. A part that is a constant times one of them takes its name. Any other part is written out where it
occurs. An expression that would still fill half a page is left to the formula of its step, with a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

import symengine as se

from dalembert.equations import ConstraintRow, Equations, Step
from dalembert.formalisms.display import is_speed, vanishes
from dalembert.language import mark, tr
from dalembert.mechanics.readable import MOST_TERMS, expanded_size, readable
from dalembert.report.letters import in_letters

LARGEST_ROW = 900  # characters; a system with a longer expression counts as large
LARGEST_ALL = 8000
SHORT = 60  # characters; a coefficient up to this length gets no name
SHORT_PART = 6  # operations; a part up to this length gets no name
CLOSE = 1e-9
PLACES = (0.3137, 0.5719, 0.2213)  # states at which parts are compared with known quantities
LONGEST_LINE = 3000  # characters; a longer expression is left to its formula
LONGEST_STEP = 16_000  # characters; in a longer step, every long expression is left to its formula
HOPELESS = 40_000  # characters; an expression that long is not even split
MOST_PRODUCTS = 24  # of speeds; more are left in one expression
SHARED = mark(
    "Shared parts are written once, before the lines: r, v, a are the place, velocity and acceleration of a body's "
    "centre, v with a coordinate is its partial velocity, U the acceleration without q̈, n the components of its axes, "
    "D the coefficients of q̈, A those of the constraints, ρ a root in a constraint or the norm of a quaternion."
)
SPLIT = mark("M are the coefficients of the rates, Γ those of the speeds and of their products, h the rest.")
LEFT_OUT = mark(
    "A part that is named but not written, and an expression in whose place … stands, would fill half a page or more. "
    "The formula of the step defines it, and the answer in JSON has the equations in full."
)
FORCES = ("lambda[", "mu[", "friction[")  # names of reactions, in which equations are linear
HALF = se.Rational(1, 2)
POWERS = (1, 2, -1, -2, 3, 4, 6)  # of a root ρ, as which a part is recognized
DOTS = se.Symbol("…")


def structured(eq: Equations) -> tuple[Step, ...]:
    """The steps of a derivation. A step with expressions that are too long to read begins with their parts."""
    steps = eq.steps
    taken = {symbol.name for step in steps for e in values(step) for symbol in se.sympify(e).free_symbols}
    found, namer, told = [], Namer(eq, taken), set()
    splitter = Splitter(eq, namer)
    for step in steps:
        if fits(values(step)):
            found.append(step)
            continue
        notes, whole = [], sum(map(_length, values(step))) <= LARGEST_ALL
        results = namer.put_in(step.results) if whole else step.results
        if fits([e for line in results for e in (*_scalars(line[0]), *_scalars(line[1]))]):
            split = replace(step, results=results)
            notes.append(SHARED)
        else:
            namer.forget(results)
            split = replace(step, results=splitter.split(step))
            notes += [SPLIT] if len(split.results) > len(step.results) else []
            if not fits(values(split)):
                named = namer.put_in(split.results)
                notes += [SHARED] if len(named) > len(split.results) else []
                split = replace(split, results=named)
        sizes = [_length(e) for e in values(split)]
        longest = LONGEST_LINE if sum(sizes) <= LONGEST_STEP else LARGEST_ROW
        if max(sizes) > longest or any(e == DOTS for e in values(split)):
            split = replace(split, results=_left_out(split.results, longest))
            notes.append(LEFT_OUT)
        said = [tr(note) for note in notes if note not in told]
        told |= set(notes)
        found.append(replace(split, note=" ".join([*([step.note] if step.note else []), *said])))
    return in_letters(tuple(found), eq.letters())


def _in_order(results: Sequence[tuple[Any, Any]]) -> tuple[tuple[Any, Any], ...]:
    """The results, with every part before the lines that contain it."""
    lines = {left: value for left, value in results if not isinstance(left, str) and left.is_Symbol}
    found: dict[Any, tuple[Any, Any]] = {}

    def place(key: Any, left: Any, value: Any) -> None:
        held = {s for e in (*_scalars(left), *_scalars(value)) for s in se.sympify(e).free_symbols}
        for symbol in sorted(held & set(lines) - set(found) - {left}, key=str):
            later = lines.pop(symbol)
            place(symbol, symbol, later)
        found[key] = (left, value)

    for i, (left, value) in enumerate(results):
        key = left if not isinstance(left, str) and left.is_Symbol else i
        if key not in found:
            lines.pop(key, None)
            place(key, left, value)
    return tuple(found.values())


def _left_out(results: Sequence[tuple[Any, Any]], longest: int) -> tuple[tuple[Any, Any], ...]:
    """The results with dots for those that are too long, without the lines of parts that are too long or not used."""

    def short(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(short(part) for part in value)
        return value if isinstance(value, str) or _length(value) <= longest else DOTS

    shown = [(short(left), short(value)) for left, value in results]
    lines = {left: se.sympify(value) for left, value in shown if not isinstance(left, str) and left.is_Symbol}
    others = [e for left, value in shown if left not in lines for e in (*_scalars(left), *_scalars(value))]
    needed = _needed([se.sympify(e) for e in others], lines)
    return tuple(
        (left, value) for left, value in shown if left not in lines or (left in needed and lines[left] != DOTS)
    )


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
    return tuple(se.Symbol(name) for name in dict.fromkeys((*names, *(f"{z}'" for z in eq.z))))  # x' may be both


def _chosen_rates(step: Step, eq: Equations) -> list[Any]:
    """Rates of the quasi-velocities that the model chose, in a method whose record has none."""
    symbols = {s for e in values(step) for s in se.sympify(e).free_symbols} - {*eq.v, *rates(eq)}
    named = [s for s in sorted(symbols, key=str) if str(s).endswith("'") and not str(s).endswith("]'")]
    return [] if eq.quasi is not None else named


class Splitter:
    """Splits long expressions by rates and speeds. A coefficient that is a known quantity takes its name."""

    def __init__(self, eq: Equations, namer: Namer):
        self._eq, self._namer = eq, namer
        self._meaning: dict[Any, Any] = {}  # of the coefficients named so far

    def split(self, step: Step) -> tuple[tuple[Any, Any], ...]:
        """The results, with the coefficients of a long one before it."""
        held = {s for e in values(step) for s in se.sympify(e).free_symbols}
        unknowns = (*rates(self._eq), *_chosen_rates(step, self._eq))
        present = [u for u in unknowns if u in held]
        forces = sorted((s for s in held if str(s).startswith(FORCES)), key=str)
        speeds = _speeds(held, present, self._eq)
        rows = [i for i, (left, _) in enumerate(step.results) if left == "0" or not isinstance(left, str)]
        own = [str(u).rstrip("'") for u in present] if len(rows) == len(present) else []
        found: list[tuple[Any, Any]] = []
        for i, (left, value) in enumerate(step.results):
            if _length(left) + _length(value) <= LARGEST_ROW:
                found.append((left, value))
                continue
            if i in rows:
                row = own[rows.index(i)] if own else str(rows.index(i) + 1)
                found += self._equation(left, value, row, present, (forces, speeds))
                continue
            names = self._eq.coordinates
            row = names[i % len(names)] if len(step.results) == len(names) else str(i + 1)
            new: list[tuple[Any, Any]] = []
            value = self._each(value, row, ([*present, *forces], speeds), new)
            found += [*new, (left, value)]
        return tuple(found)

    def _each(self, value: Any, row: str, symbols: tuple[list[Any], list[Any]], new: list[tuple[Any, Any]]) -> Any:
        if isinstance(value, tuple):
            return tuple(self._each(part, f"{row}, {i}", symbols, new) for i, part in enumerate(value, 1))
        if isinstance(value, str) or _length(value) <= LARGEST_ROW:
            return value
        if _length(value) > HOPELESS:
            return DOTS
        first, rest = self._linear(se.sympify(value), row, symbols[0], new)
        return se.Add(*first) + self._products(rest, row, symbols[1], new)

    def _equation(
        self, left: Any, value: Any, row: str, present: list[Any], others: tuple[list[Any], list[Any]]
    ) -> list[tuple[Any, Any]]:
        """Σ M ż = h + Σ A λ, with M, Γ and h before it."""
        new: list[tuple[Any, Any]] = []
        e = se.sympify(value) if left == "0" else left - value
        shown, rest = self._linear(e, row, present, new)
        forces, rest = self._linear(-rest, row, others[0], new)
        right = DOTS if _length(rest) > HOPELESS else self._products(rest, row, others[1], new)
        if _length(right) > SHORT or right == DOTS:
            right = self._symbol(f"h[{row}]", right, new)
        return [*new, (se.Add(*shown), se.Add(right, *forces))]

    def _linear(self, e: Any, row: str, present: list[Any], new: list[tuple[Any, Any]]) -> tuple[list[Any], Any]:
        """The terms with rates, and the rest. No terms if e is not linear in the rates."""
        coefficients = [(u, e.diff(u)) for u in present]
        if any(c.free_symbols & set(present) for _, c in coefficients):
            return [], e
        shown = [self._named("M", row, (u,), c, new) * u for u, c in coefficients if c != 0]
        return shown, e.subs(dict.fromkeys(present, se.Integer(0)))

    def _products(self, e: Any, row: str, speeds: list[Any], new: list[tuple[Any, Any]]) -> Any:
        """A polynomial of second degree in the speeds, coefficient by coefficient. Any other expression is kept."""
        held = [s for s in speeds if s in e.free_symbols]
        if _length(e) <= LARGEST_ROW or not held:
            return e
        zero = dict.fromkeys(held, se.Integer(0))
        found: list[tuple[tuple[Any, ...], Any]] = []
        terms = [e.subs(zero)]
        for i, s in enumerate(held):
            slope = e.diff(s)
            found.append(((s,), slope.subs(zero)))
            for r in held[i:]:
                c = slope.diff(r)
                if c.free_symbols & set(held):
                    return e  # not of second degree
                found.append(((s, r), c / (2 if r == s else 1)))
        found = [(pair, c) for pair, c in found if c != 0 and not vanishes(c)]
        if len(found) > MOST_PRODUCTS:
            return e
        for pair, c in found:
            terms.append(self._named("Gamma", row, pair, c, new) * se.Mul(*pair))
        return se.Add(*terms)

    def _named(self, letter: str, row: str, of: tuple[Any, ...], c: Any, new: list[tuple[Any, Any]]) -> Any:
        """A coefficient: itself if it is short, a known quantity, or a new symbol."""
        c = _shorter(c)
        if _length(c) <= SHORT or not c.free_symbols:
            return c
        if (known := self._namer.known(c)) is not None:
            factor, power, first = known
            new += first
            return factor * power
        if _length(c) > HOPELESS:
            c = DOTS
        index = ", ".join(str(s).rstrip("'") for s in of)
        return self._symbol(f"{letter}[{row}, {index}]", c, new)

    def _symbol(self, name: str, value: Any, new: list[tuple[Any, Any]]) -> Any:
        symbol, number = se.Symbol(name), 1
        while self._meaning.get(symbol, value) != value or (
            value == DOTS and symbol in self._meaning
        ):  # another step has this name for something else
            number += 1
            symbol = se.Symbol(f"{name[:-1]}; {number}]")
        if symbol not in self._meaning:
            self._meaning[symbol] = value
            new.append((symbol, value))
        return symbol


def _speeds(held: set[Any], present: Sequence[Any], eq: Equations) -> list[Any]:
    """Speeds and quasi-velocities among these symbols."""
    own = {str(u)[:-1] for u in present} | set(() if eq.quasi is None else eq.quasi.names)
    found = [s for s in held if s in eq.v or is_speed(s) or str(s) in own or str(s).startswith("pi[")]
    return sorted((s for s in found if s not in present and not str(s).endswith("''")), key=str)


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
        flat = [se.sympify(e) for left, value in results for e in (*_scalars(left), *_scalars(value))]
        parts, reduced = self.named(flat)
        rest = iter(reduced)
        lines = [(_rebuilt(left, rest), _rebuilt(value, rest)) for left, value in results]
        lines = [(left, self._values[left] if left == value else value) for left, value in lines]
        return _in_order([*parts, *lines])

    def forget(self, results: Sequence[tuple[Any, Any]]) -> None:
        """Lines that are not shown after all tell nothing."""
        self._told -= {left for left, _ in results if not isinstance(left, str) and left.is_Symbol}

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
            if (found := self._name(full[symbol])) is None:
                new[symbol] = shown
                continue
            factor, power = found
            new[symbol] = factor * power
            name = next(iter(power.free_symbols))
            options = [self._values[name], *([shown / factor] if name == power else [])]
            lines.setdefault(name, min(options, key=_length))
        reduced = [_without_roots(se.sympify(e).subs(new)) for e in reduced]
        lines = {name: _without_roots(e) for name, e in lines.items()}
        fresh = [name for name in lines if name in _needed(reduced, lines) - self._told]
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
                    self._values[known.symbol] = _shorter(known.value)
                    return factor, known.symbol**power
        return None


def _without_roots(e: Any) -> Any:
    """√(ρ²) = ρ, since ρ is a root itself."""
    nested = [p for p in e.atoms(se.Pow) if str(p.args[0]).startswith("rho[") and isinstance(p.args[0], se.Pow)]
    changes = {p: p.args[0].args[0] ** (p.args[0].args[1] * p.args[1]) for p in nested}
    return e.xreplace(changes) if changes else e


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
