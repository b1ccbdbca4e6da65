"""The sections and lines in which a record of equations is shown, the same for every dialect.

A small system is shown row by row, Σ D q̈ = d + Σ R λ. The rows of a large one would fill pages. Instead, the entries of
D, d, A and b are listed, in terms of named parts that are written once.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.equations import Equations
from dalembert.formalisms.head import KINDS
from dalembert.language import language, tr
from dalembert.mechanics.readable import expanded_size, readable
from dalembert.mechanics.touching import touching_of
from dalembert.report.dialects import Terminal
from dalembert.report.known import Namer
from dalembert.report.lines import LARGEST_ALL, LARGEST_ROW
from dalembert.report.meanings import Explained
from dalembert.report.unilateral import RelationChain, contact_laws, friction_laws

TERMINAL = Terminal()


@dataclass(frozen=True, slots=True)
class Line:
    """left = right, both expressions, and its name."""

    left: Any
    right: Any
    label: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    lines: tuple[Line, ...]
    conditions: tuple[RelationChain, ...] = ()

    @property
    def labels(self) -> list[str]:
        return [*(line.label for line in self.lines), *(condition.label for condition in self.conditions)]


@dataclass(frozen=True, slots=True)
class Content:
    unknowns: tuple[Any, ...]  # accelerations, multipliers, forces of contacts and frictions
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    form: tuple[str, ...] = ()  # of a large system, whose sections have the entries of D, d, A and b: in LaTeX
    letters: str = ""  # what the letters of its named parts mean


def multipliers(eq: Equations) -> tuple[Any, ...]:
    """ν as symbols: λ of the constraints, or λ̇ of those that the method integrates."""
    names = eq.multipliers or tuple(row.name for row in eq.constraints)
    return tuple(se.Symbol(f"lambda[{name}]" + ("'" if i < len(eq.z) else "")) for i, name in enumerate(names))


def accelerations(eq: Equations) -> tuple[Any, ...]:
    return tuple(se.Symbol(f"{name}''") for name in eq.coordinates)


_recent: deque[tuple[Equations, str, Content]] = deque(maxlen=2)


def content(eq: Equations) -> Content:
    """What is written of the equations. A page writes the same in two notations, so the last contents are kept."""
    spoken = language()
    for known, words, found in tuple(_recent):
        if known is eq and words == spoken:
            return found
    found = _content(eq)
    _recent.append((eq, spoken, found))
    return found


def _content(eq: Equations) -> Content:
    a, nu, forces = accelerations(eq), multipliers(eq), touching_of(eq).forces
    large = is_large(eq)
    sections = [*(_large(eq) if large else _small(eq, a, nu)), *_outside(eq)]
    shown = tuple(section for section in sections if section.lines or section.conditions)
    unknowns = (*a, *nu, *forces)
    return (
        Content(unknowns, shown, remarks(eq), _form(eq), _letters(eq, shown))
        if large
        else Content(unknowns, shown, remarks(eq))
    )


def _form(eq: Equations) -> tuple[str, ...]:
    """The equations of which a large system has the entries."""
    reactions = rf" + \sum_i {'A_{ir}' if eq.R is None else 'R_{ri}'}\lambda_i" if eq.constraints else ""
    touching = " + Q_r" if eq.unilateral is not None else ""
    rows = (r"\sum_s A_{is}\,\ddot q_s = b_i",) if eq.constraints else ()
    return (rf"\sum_s D_{{rs}}\,\ddot q_s = d_r{reactions}{touching}", *rows)


def _letters(eq: Equations, sections: tuple[Section, ...]) -> str:
    """Sentences about the letters in the sections of a large system, whose titles explain D, d, A and b."""
    sides = [side for section in sections for line in section.lines for side in (line.left, line.right)]
    held = {symbol for side in sides for symbol in side.free_symbols}
    return " ".join(Explained().about(held, eq.coordinates))


def remarks(eq: Equations) -> tuple[str, ...]:
    """Notes of the record, and sentences about data and about the region in which the equations hold."""
    return (*eq.notes, *data_notes(eq), *region_note(eq))


def _outside(eq: Equations) -> list[Section]:
    """First-order states by their rates, and the values that controllers compute at their instants."""
    states = [Line(se.Symbol(f"{symbol}'"), readable(rate), str(symbol)) for symbol, rate in eq.states.items()]
    computed = [
        Line(
            symbol,
            readable(value),
            tr(
                "{name}, every {every:.10g} s from t = {offset:.10g}", name=law.name, every=law.every, offset=law.offset
            ),
        )
        for law in eq.sampled
        for symbol, value in law.values.items()
    ]
    return [Section(tr("First-order states"), tuple(states)), Section(tr("Sampled controllers"), tuple(computed))]


def data_notes(eq: Equations) -> tuple[str, ...]:
    """Sentences about the symbols that are data."""
    return tuple(
        tr(
            "{symbol} comes from data: {count} values from t = {times:.10g} to {times2:.10g}, {between} between them",
            symbol=symbol,
            count=len(signal.times),
            times=signal.times[0],
            times2=signal.times[-1],
            between=signal.between,
        )
        for symbol, signal in eq.signals.items()
    )


def region_note(eq: Equations) -> tuple[str, ...]:
    """A sentence about the region in which the equations hold as written."""
    if not eq.region:
        return ()
    signs = ", ".join(f"{TERMINAL(e)} {sign} 0" for e, sign in eq.region)
    return (tr("written for {signs}, as at the start", signs=signs),)


def is_large(eq: Equations) -> bool:
    """Whether the rows, expanded and simplified, would still be too long to read."""
    size = 0
    for expression in _everything(eq):
        length = len(str(expression)) if expanded_size(expression) > 200 else len(str(readable(expression)))
        size += length
        if length > LARGEST_ROW or size > LARGEST_ALL:
            return True
    return False


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
        Section(tr("Equations of motion"), tuple(motion)),
        _constraints(eq),
        Section(tr("Constraints, differentiated to accelerations"), tuple(rates)),
        *_touching(eq, a),
        _energy(eq),
    ]


def touching_forces(eq: Equations) -> tuple[Any, ...]:
    """The terms of contacts and frictions in every row, with their forces by name."""
    lines = touching_of(eq).lines
    return tuple(se.Add(*(readable(line.gradient[j]) * line.force for line in lines)) for j in range(len(eq.q)))


def _touching(eq: Equations, a: tuple[Any, ...]) -> list[Section]:
    found = []
    for title, laws in ((tr("Contacts"), contact_laws(eq, a)), (tr("Frictions"), friction_laws(eq, a))):
        lines = tuple(Line(law.left, law.right, law.label) for law in laws[0])
        found.append(Section(title, lines, laws[1]))
    return found


def _constraints(eq: Equations) -> Section:
    lines = [
        Line(readable(row.residual), se.Integer(0), f"{row.name}, {tr(KINDS[row.kind])}") for row in eq.constraints
    ]
    return Section(tr("Constraints"), tuple(lines))


def _energy(eq: Equations) -> Section:
    lines = [
        Line(se.Symbol("T"), readable(eq.kinetic), tr("kinetic")),
        Line(se.Symbol("V"), readable(eq.potential), tr("potential")),
    ]
    return Section(tr("Energy"), tuple(line for line in lines if line.right != 0))


def _entry(letter: str, *index: str) -> Any:
    return se.Symbol(f"{letter}[{', '.join(index)}]")


def _large(eq: Equations) -> list[Section]:
    names = eq.coordinates
    rows = [row.name for row in eq.constraints]
    groups: list[tuple[str, list[tuple[Any, Any]]]] = [
        (tr("Coefficients of the accelerations, D"), _entries("D", names, names, eq.D, eq.symmetric)),
        (tr("Right sides, d"), [(_entry("d", name), e) for name, e in zip(names, eq.d, strict=True)]),
        (tr("Rows of the constraints, A"), _entries("A", rows, names, eq.A)),
        (tr("Right sides of the constraints, b"), [(_entry("b", name), e) for name, e in zip(rows, eq.b, strict=True)]),
    ]
    if eq.R is not None:
        groups.append((tr("Reactions, R"), _entries("R", names, eq.multipliers, eq.R)))
    named = [(_entry("Q", name), e) for name, e in zip(names, touching_forces(eq), strict=True)]
    groups.append((tr("Forces of contacts and frictions, Q"), named if eq.unilateral is not None else []))
    groups.append(
        (tr("Residuals of the constraints"), [(_entry("f", row.name), row.residual) for row in eq.constraints])
    )
    groups.append((tr("Energy"), [(se.Symbol("T"), eq.kinetic), (se.Symbol("V"), eq.potential)]))
    flat = [(left, se.sympify(right)) for _, lines in groups for left, right in lines]
    taken = {symbol.name for _, e in flat for symbol in e.free_symbols}
    shown = dict(Namer(eq, taken).put_in(flat))
    parts = tuple(Line(left, value) for left, value in shown.items() if left not in dict(flat))
    sections = [Section(tr("Named parts"), parts)]
    for title, lines in groups:
        made = [Line(left, shown[left]) for left, _ in lines]
        sections.append(Section(title, tuple(line for line in made if line.right != 0)))
    return [*sections, *_touching(eq, accelerations(eq))]


def _entries(letter: str, rows: Any, columns: Any, matrix: Any, symmetric: bool = False) -> list[tuple[Any, Any]]:
    return [
        (_entry(letter, row, column), e)
        for i, (row, line) in enumerate(zip(rows, matrix, strict=True))
        for j, (column, e) in enumerate(zip(columns, line, strict=True))
        if not (symmetric and j < i)
    ]
