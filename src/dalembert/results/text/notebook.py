"""Answers as a notebook shows them: a title, tables, formulas, notes. Nothing is fetched and nothing is run.

An answer calls one of these functions in `_repr_html_`. A terminal shows the same numbers as text, in more digits.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

from dalembert.results.text.blocks import Block, Grid, Heading, Sentence, html_lines
from dalembert.results.text.linearization import spectrum_lines

if TYPE_CHECKING:
    from dalembert.model.record import Model
    from dalembert.results.analysis import Analysis
    from dalembert.results.comparison import Comparison
    from dalembert.results.connection import Connection
    from dalembert.results.conserved import Conserved
    from dalembert.results.free import Effort
    from dalembert.results.linearization import Linearization
    from dalembert.results.locus import Locus
    from dalembert.results.motion import Motion
    from dalembert.results.sensitivity import Sensitivities
    from dalembert.results.state import State

MOST_ROWS = 12  # of a table in a notebook
WIDEST = 8  # a larger matrix is not shown
STYLE = """<style>
.dalembert { line-height: 1.45; } .dalembert h4, .dalembert h3 { margin: .6em 0 .2em; font-size: 1em; }
.dalembert p { margin: .2em 0; } .dalembert .line { overflow-x: auto; margin: .3em 0; }
.dalembert table { border-collapse: collapse; margin: 0; } .dalembert tbody tr:nth-child(odd) { background: #8881; }
.dalembert th, .dalembert td { padding: .1em .8em; text-align: right; border: 0; }
.dalembert th:first-child, .dalembert td:first-child, .dalembert .words { text-align: left; }
.dalembert .note, .dalembert .label { opacity: .7; } .dalembert .label { margin-right: 1em; }
.dalembert img { max-width: 100%; }
</style>"""


def fragment(title: str, blocks: Iterable[Block], notes: Iterable[str] = (), picture: bytes = b"") -> str:
    """A piece of a page, with a style that touches nothing around it."""
    head = f"<h4>{escape(title)}</h4>" if title else ""
    drawn = f'<img alt="{escape(title)}" src="data:image/png;base64,{b64encode(picture).decode()}">' if picture else ""
    said = "".join(f"<p class='note'>Note: {escape(note)}</p>" for note in notes)
    return f"{STYLE}<div class='dalembert'>{head}{drawn}{''.join(html_lines(blocks))}{said}</div>"


def model_html(record: Model) -> str:
    """What the model has, table by table."""
    return fragment(record.title or "Model", _model(record))


def _model(record: Model) -> Iterable[Block]:
    if record.reference:
        yield Sentence(record.reference)
    coordinates = [
        (name, str(c.initial), "solved" if c.speed is None else str(c.speed), c.unit, c.about)
        for name, c in record.coordinates.items()
    ]
    parameters = [(name, str(p.value), p.unit, p.about) for name, p in record.parameters.items()]
    bodies = [(name, str(body.mass), str(body.position)) for name, body in record.bodies.items()]
    if coordinates:
        yield _cut(("coordinate", "initial", "speed", "unit", "about"), coordinates)
    if parameters:
        yield _cut(("parameter", "value", "unit", "about"), parameters)
    if bodies:
        yield _cut(("body", "mass", "position"), bodies)
    stated = {
        "constraint": [(name, f"{row.left} = {row.right}") for name, row in record.constraints.items()],
        "rolling": [(name, f"{row.body} on {_plane(row.on)}") for name, row in record.rolling.items()],
        "contact": [(name, f"{row.gap} ≥ 0, {row.law}") for name, row in record.contacts.items()],
        "friction": [(name, f"coefficient {row.coefficient}") for name, row in record.frictions.items()],
        "definition": [(name, str(value)) for name, value in record.definitions.items()],
    }
    for what, rows_of in stated.items():
        if rows_of:
            yield _cut((what, ""), rows_of)


def _plane(on: object) -> str:
    return on if isinstance(on, str) else "a plane"


def state_html(state: State) -> str:
    """One instant: q, q', q'', multipliers and reactions, energy."""
    return fragment(state.title or "State", _state(state), state.notes)


def _state(state: State) -> Iterable[Block]:
    yield Sentence(f"method {state.method}, t = {_short(state.time)}, degrees of freedom {state.degrees_of_freedom}")
    rows = [
        (_with_unit(name, state.units), *map(_short, (q, state.speeds[name], state.accelerations[name])))
        for name, q in state.coordinates.items()
    ]
    yield _cut(("", "q", "q'", "q''"), rows)
    if state.multipliers:
        names = list(state.coordinates)
        rows = [
            (name, _short(value), *(_short(state.reactions.get(name, {}).get(q, 0.0)) for q in names))
            for name, value in state.multipliers.items()
        ]
        yield _cut(("reaction", "multiplier", *(f"on {q}" for q in names)), rows)
    if state.modes:
        yield _cut(("contact or friction", ""), list(state.modes.items()))
    yield Sentence("energy: " + ", ".join(f"{name} {_short(value)}" for name, value in state.energy.items()))


def motion_html(motion: Motion, picture: bytes) -> str:
    """The picture of the motion, its events, and how it was computed."""
    return fragment("", _motion(motion), motion.notes, picture)


def _motion(motion: Motion) -> Iterable[Block]:
    about = motion.diagnostics
    if motion.events:
        rows = [(event.name, event.kind, _short(event.time)) for event in motion.events[:MOST_ROWS]]
        yield Grid(("event", "kind", "time"), tuple(rows))
        if len(motion.events) > MOST_ROWS:
            yield Sentence(f"… and {len(motion.events) - MOST_ROWS} more events")
    yield Sentence(
        f"{about.steps} steps, {about.evaluations} evaluations, energy drift {about.energy_drift:.1e}, "
        f"constraint residual {about.constraint_residual:.1e}"
    )


def comparison_html(comparison: Comparison) -> str:
    """Who agrees with whom, and what the groups say at the start."""
    return fragment(comparison.title or "Comparison", _comparison(comparison), comparison.notes)


def _comparison(comparison: Comparison) -> Iterable[Block]:
    answers = comparison.answers
    rows = [
        (name, answer.model, *map(_difference, (answer.accelerations, answer.control, answer.coordinates)))
        for name, answer in answers.items()
    ]
    yield Sentence(
        f"Largest differences from {comparison.reference}, t = {_short(comparison.start)} to {_short(comparison.end)}"
    )
    yield Grid(("method", "model", "q''", "forces", "motion"), tuple(rows))
    for i, group in enumerate(comparison.groups, 1):
        yield Sentence(f"{i}. {', '.join(group)}: {'agree' if len(group) > 1 else 'stands alone'}")
    shown = [answers[group[0]] for group in comparison.groups if answers[group[0]].state is not None]
    names = list(dict.fromkeys(q for answer in shown if answer.state for q in answer.state.accelerations))
    yield Heading("Accelerations at the start")
    yield _columns(names, {a.method: a.state.accelerations for a in shown if a.state})
    if any(answer.control_forces for answer in shown):
        yield Heading("Control forces at the start")
        yield _columns(names, {answer.method: answer.control_forces for answer in shown})
    for answer in answers.values():
        if answer.error:
            yield Sentence(f"{answer.method}: {answer.error}")


def linearization_html(found: Linearization) -> str:
    """Whether it is steady and stable, eigenvalues, and the matrix."""
    return fragment(found.title or "Linearization", _linearization(found), found.notes)


def _linearization(found: Linearization) -> Iterable[Block]:
    yield _cut(
        ("", "q", "q'"), [(name, _short(q), _short(found.speeds[name])) for name, q in found.coordinates.items()]
    )
    if not found.states:
        yield Sentence("Nothing is free to move.")
        return
    steady = "Steady" if found.steady.holds else "Not steady"
    yield Sentence(f"{steady}, {found.stability}: {found.verdict}.")
    lines = tuple(tuple(line) for line in spectrum_lines(found))
    yield Grid(("eigenvalues", "growth rate", "frequency [rad/s]", "period [s]"), lines)
    if len(found.states) <= WIDEST:
        rows = [(name, *map(_short, row.tolist())) for name, row in zip(found.states, found.matrix, strict=True)]
        yield Grid(("rate of", *found.states), tuple(rows))


def locus_html(locus: Locus, picture: bytes) -> str:
    """The picture, critical values and ranges."""
    return fragment("", _locus(locus), locus.notes, picture)


def _locus(locus: Locus) -> Iterable[Block]:
    rows = [(_short(turn.value), " → ".join(turn.stability), turn.words) for turn in locus.critical]
    if rows:
        yield _cut((f"critical {locus.vary}", "stability", ""), rows)
    for first, last, word in locus.ranges:
        yield Sentence(f"{word} from {_short(first)} to {_short(last)}")
    if locus.failures:
        value, sentence = locus.failures[0]
        yield Sentence(f"no member at {len(locus.failures)} values; at {_short(value)}: {sentence}")


def sensitivities_html(found: Sensitivities) -> str:
    """Derivatives at the end, and of the times of events."""
    return fragment(found.motion.title or "Sensitivities", _sensitivities(found), found.notes)


def _sensitivities(found: Sensitivities) -> Iterable[Block]:
    heads = tuple(f"by {to}" for to in found.to)
    yield Sentence(f"Derivatives at t = {_short(float(found.times[-1]))}, of {len(found.times)} samples")
    yield _cut(("of", *heads), [(of, *(_short(found[of, to][-1]) for to in found.to)) for of in found.of])
    if found.events:
        rows = [
            (f"{event.name}, {event.kind}", _short(event.time), *(_short(event.time_by[to]) for to in found.to))
            for event in found.events
        ]
        yield _cut(("time of", "t", *heads), rows)


def connection_html(found: Connection, picture: bytes) -> str:
    """The picture of the motion, and what it starts with."""
    starts = [(f"{name}'", _short(value)) for name, value in found.initial_speeds.items()]
    starts += [(f"multiplier of {name}", _short(value)) for name, value in found.initial_multipliers.items()]
    said = Sentence(f"action {_short(found.action)}, misses the end by {found.residual:.1e}")
    return fragment("", [_cut(("starts with", ""), starts), said], found.motion.notes, picture)


def effort_html(effort: Effort) -> str:
    """The constraint forces as control forces."""
    rows = [(f.name, *map(_short, (f.largest, f.effort, f.work, f.power))) for f in effort.forces]
    head = ("constraint", "largest |Q|", "effort ∫|Q|² dt", "work ∫Q·q' dt", "largest power")
    return fragment(f"Constraint forces, t = {_short(effort.start)} to {_short(effort.end)}", [Grid(head, tuple(rows))])


def conserved_html(found: Conserved) -> str:
    return fragment(found.title, found.blocks(), found.notes)


def analysis_html(analysis: Analysis) -> str:
    """Every part under its title."""
    parts = analysis.parts.values()
    blocks = chain.from_iterable((Heading(part.title), *part.blocks()) for part in parts)
    return fragment(analysis.title, blocks, [note for part in parts for note in part.notes])


def _cut(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Grid:
    """A table without its empty columns; one that is too long is cut and says so."""
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in rows)]
    shown = [tuple(row[i] for i in kept) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        shown.append((f"… and {len(rows) - MOST_ROWS} more", *("" for _ in kept[1:])))
    return Grid(tuple(head[i] for i in kept), tuple(shown))


def _columns(names: list[str], columns: Mapping[str, Mapping[str, float]]) -> Grid:
    rows = [(name, *(_short(c[name]) if name in c else "" for c in columns.values())) for name in names]
    return _cut(("", *columns), rows)


def _difference(value: float | None) -> str:
    return "–" if value is None else f"{value:.1e}"


def _with_unit(name: str, units: Mapping[str, str]) -> str:
    return f"{name} [{units[name]}]" if units.get(name) else name


def _short(value: float) -> str:
    return f"{value + 0.0:.6g}"
