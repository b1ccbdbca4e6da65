"""What is shown of a record of equations, before any dialect: sections of lines, each a left side and a right side.

A small system is shown row by row, Σ D q̈ = d + Σ R λ. A large one would fill pages that way: there the entries of D, d,
A and b are listed, over named parts that are written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import symengine as se

from dalembert.equations import Equations, Step
from dalembert.mechanics.touching import touching_of
from dalembert.report.dialects import Terminal
from dalembert.report.simplify import expanded_size, readable
from dalembert.report.unilateral import Condition, contact_laws, friction_laws

TERMINAL = Terminal()

LARGEST_ROW = 900  # characters of one expression beyond which a system counts as large
LARGEST_ALL = 8000
SHORT_PART = 4  # operations up to which a part is as short as a name for it


@dataclass(frozen=True, slots=True)
class Line:
    """left = right, both expressions, and a name for it."""

    left: Any
    right: Any
    label: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    lines: tuple[Line, ...]
    conditions: tuple[Condition, ...] = ()

    @property
    def labels(self) -> list[str]:
        return [*(line.label for line in self.lines), *(condition.label for condition in self.conditions)]


@dataclass(frozen=True, slots=True)
class Content:
    unknowns: tuple[Any, ...]  # accelerations, multipliers, forces of contacts and frictions
    sections: tuple[Section, ...]
    by_entries: bool  # a large system, as entries of D, d, A and b
    notes: tuple[str, ...]


def multipliers(eq: Equations) -> tuple[Any, ...]:
    """ν as symbols: λ of the constraints, or λ̇ of those that the method integrates."""
    names = eq.multipliers or tuple(row.name for row in eq.constraints)
    return tuple(se.Symbol(f"lambda[{name}]" + ("'" if i < len(eq.z) else "")) for i, name in enumerate(names))


def accelerations(eq: Equations) -> tuple[Any, ...]:
    return tuple(se.Symbol(f"{name}''") for name in eq.coordinates)


def content(eq: Equations) -> Content:
    a, nu, forces = accelerations(eq), multipliers(eq), touching_of(eq).forces
    large = is_large(eq)
    sections = [*(_large(eq) if large else _small(eq, a, nu)), *_outside(eq)]
    shown = tuple(section for section in sections if section.lines or section.conditions)
    return Content((*a, *nu, *forces), shown, large, (*eq.notes, *data_notes(eq), *region_note(eq)))


def _outside(eq: Equations) -> list[Section]:
    """First-order states by their rates, and what controllers compute at their instants."""
    states = [Line(se.Symbol(f"{symbol}'"), readable(rate), str(symbol)) for symbol, rate in eq.states.items()]
    computed = [
        Line(symbol, readable(value), f"{law.name}, every {law.every:.10g} s from t = {law.offset:.10g}")
        for law in eq.sampled
        for symbol, value in law.values.items()
    ]
    return [Section("First-order states", tuple(states)), Section("Sampled controllers", tuple(computed))]


def data_notes(eq: Equations) -> tuple[str, ...]:
    """Which symbols are data."""
    return tuple(
        f"{symbol} comes from data: {len(signal.times)} values from t = {signal.times[0]:.10g} to "
        f"{signal.times[-1]:.10g}, {signal.between} between them"
        for symbol, signal in eq.signals.items()
    )


def region_note(eq: Equations) -> tuple[str, ...]:
    """Where the equations hold as they are written, as a sentence for people."""
    if not eq.region:
        return ()
    signs = ", ".join(f"{TERMINAL(e)} {sign} 0" for e, sign in eq.region)
    return (f"written for {signs}, as at the start",)


def is_large(eq: Equations) -> bool:
    """Whether the rows, expanded and gathered, would still be too long to read."""
    size = 0
    for expression in _everything(eq):
        length = len(str(expression)) if expanded_size(expression) > 200 else len(str(readable(expression)))
        size += length
        if length > LARGEST_ROW or size > LARGEST_ALL:
            return True
    return False


def structured(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of a derivation; one whose expressions are too long to read has what they share written before them."""
    taken = {symbol.name for step in steps for e in _values(step) for symbol in se.sympify(e).free_symbols}
    count, found = 0, []
    for step in steps:
        flat = _values(step)
        if sum(len(str(e)) for e in flat) <= LARGEST_ALL and all(len(str(e)) <= LARGEST_ROW for e in flat):
            found.append(step)
            continue
        parts, reduced = _named_parts([se.sympify(e) for e in flat], taken, count)
        count += len(parts)
        rest = iter(reduced)
        results = tuple((_rebuilt(left, rest), _rebuilt(value, rest)) for left, value in step.results)
        named = tuple((symbol.name, part) for symbol, part in parts)
        note = f"{step.note} {SHARED}".strip() if parts else step.note
        found.append(replace(step, results=(*named, *results), note=note))
    return tuple(found)


SHARED = "What the lines of this step share is written once, before them."


def _values(step: Step) -> list[Any]:
    """Every expression of a step, left sides that are expressions included."""
    return [e for left, value in step.results for e in (*_scalars(left), *_scalars(value))]


def _scalars(value: Any) -> list[Any]:
    if isinstance(value, str):
        return []
    return [e for part in value for e in _scalars(part)] if isinstance(value, tuple) else [value]


def _rebuilt(value: Any, found: Iterator[Any]) -> Any:
    if isinstance(value, str):
        return value
    return tuple(_rebuilt(part, found) for part in value) if isinstance(value, tuple) else next(found)


def _everything(eq: Equations) -> list[Any]:
    rows = [*eq.d, *eq.b, *(e for row in (*eq.D, *eq.A, *(eq.R or ())) for e in row)]
    return sorted(rows, key=lambda e: -len(str(e)))


def reactions(eq: Equations) -> tuple[tuple[Any, ...], ...]:
    if eq.R is not None:
        return eq.R
    return tuple(tuple(row[i] for row in eq.A) for i in range(len(eq.q)))


def _combined(row: Any, unknowns: Any) -> Any:
    return se.Add(*(readable(e) * u for e, u in zip(row, unknowns, strict=True)))


def _small(eq: Equations, a: tuple[Any, ...], nu: tuple[Any, ...]) -> list[Section]:
    motion = [
        Line(_combined(row, a), readable(right) + _combined(reaction, nu) + touch, name)
        for row, right, reaction, touch, name in zip(
            eq.D, eq.d, reactions(eq), touching_forces(eq), eq.coordinates, strict=True
        )
    ]
    rates = [
        Line(_combined(row, a), readable(b), constraint.name)
        for row, b, constraint in zip(eq.A, eq.b, eq.constraints, strict=True)
    ]
    return [
        Section("Equations of motion", tuple(motion)),
        _constraints(eq),
        Section("Constraints, differentiated to accelerations", tuple(rates)),
        *_touching(eq, a),
        _energy(eq),
    ]


def touching_forces(eq: Equations) -> tuple[Any, ...]:
    """What contacts and frictions add to every row, by the names of their forces."""
    lines = touching_of(eq).lines
    return tuple(se.Add(*(readable(line.gradient[j]) * line.force for line in lines)) for j in range(len(eq.q)))


def _touching(eq: Equations, a: tuple[Any, ...]) -> list[Section]:
    found = []
    for title, laws in (("Contacts", contact_laws(eq, a)), ("Frictions", friction_laws(eq, a))):
        lines = tuple(Line(law.left, law.right, law.label) for law in laws[0])
        found.append(Section(title, lines, laws[1]))
    return found


def _constraints(eq: Equations) -> Section:
    lines = [Line(readable(row.residual), se.Integer(0), f"{row.name}, {row.kind}") for row in eq.constraints]
    return Section("Constraints", tuple(lines))


def _energy(eq: Equations) -> Section:
    lines = [
        Line(se.Symbol("T"), readable(eq.kinetic), "kinetic"),
        Line(se.Symbol("V"), readable(eq.potential), "potential"),
    ]
    return Section("Energy", tuple(line for line in lines if line.right != 0))


def _entry(letter: str, *index: str) -> Any:
    return se.Symbol(f"{letter}[{', '.join(index)}]")


def _large(eq: Equations) -> list[Section]:
    names = eq.coordinates
    rows = [row.name for row in eq.constraints]
    groups: list[tuple[str, list[tuple[Any, Any]]]] = [
        ("Coefficients of the accelerations, D", _entries("D", names, names, eq.D, eq.symmetric)),
        ("Right sides, d", [(_entry("d", name), e) for name, e in zip(names, eq.d, strict=True)]),
        ("Rows of the constraints, A", _entries("A", rows, names, eq.A)),
        ("Right sides of the constraints, b", [(_entry("b", name), e) for name, e in zip(rows, eq.b, strict=True)]),
    ]
    if eq.R is not None:
        groups.append(("Reactions, R", _entries("R", names, eq.multipliers, eq.R)))
    named = [(_entry("Q", name), e) for name, e in zip(names, touching_forces(eq), strict=True)]
    groups.append(("Forces of contacts and frictions, Q", named if eq.unilateral is not None else []))
    groups.append(("Residuals of the constraints", [(_entry("f", row.name), row.residual) for row in eq.constraints]))
    groups.append(("Energy", [(se.Symbol("T"), eq.kinetic), (se.Symbol("V"), eq.potential)]))
    flat = [(left, right) for _, lines in groups for left, right in lines]
    parts, reduced = _named_parts([right for _, right in flat])
    found = iter(reduced)
    sections = [Section("Named parts", tuple(Line(symbol, part) for symbol, part in parts))]
    for title, lines in groups:
        made = [Line(left, next(found)) for left, _ in lines]
        sections.append(Section(title, tuple(line for line in made if line.right != 0)))
    return [*sections, *_touching(eq, accelerations(eq))]


def _entries(letter: str, rows: Any, columns: Any, matrix: Any, symmetric: bool = False) -> list[tuple[Any, Any]]:
    return [
        (_entry(letter, row, column), e)
        for i, (row, line) in enumerate(zip(rows, matrix, strict=True))
        for j, (column, e) in enumerate(zip(columns, line, strict=True))
        if not (symmetric and j < i)
    ]


def _named_parts(
    expressions: list[Any], taken: set[str] | None = None, first: int = 0
) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Common sub-expressions under names that no symbol of the model has, numbered after the `first` ones."""
    parts, reduced = se.cse(expressions)
    if taken is None:
        taken = {symbol.name for e in expressions for symbol in se.sympify(e).free_symbols}
    letter = next(c for c in "eksuwh" if not any(re.fullmatch(rf"{c}\d+", name) for name in taken))
    new: dict[Any, Any] = {}
    kept: list[tuple[Any, Any]] = []
    for symbol, part in parts:
        part = part.subs(new)
        if len(part.args) == 1 or se.count_ops(part) <= SHORT_PART:  # sin(x), -e1, e1*x: as short as a name
            new[symbol] = part
        else:
            new[symbol] = se.Symbol(f"{letter}{first + len(kept) + 1}")
            kept.append((new[symbol], part))
    return kept, [se.sympify(e).subs(new) for e in reduced]
