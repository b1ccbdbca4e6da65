"""Answers as a notebook shows them: a title, tables, formulas, notes. Nothing is fetched and nothing is run.

An answer calls one of these functions in `_repr_html_`. A terminal shows the same numbers as text, in more digits.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

from dalembert.language import tr
from dalembert.results.state import labelled
from dalembert.results.text.blocks import Block, Grid, Heading, Sentence, html_lines
from dalembert.results.text.control import control_blocks
from dalembert.results.text.linearization import spectrum_lines

if TYPE_CHECKING:
    from dalembert.model.record import ModelRecord
    from dalembert.results.analysis import Analysis
    from dalembert.results.audit import Audit
    from dalembert.results.comparison import Comparison
    from dalembert.results.connection import Connection
    from dalembert.results.control import Control
    from dalembert.results.events import Event
    from dalembert.results.free import Effort
    from dalembert.results.linearization import Linearization
    from dalembert.results.locus import Locus
    from dalembert.results.motion import Motion
    from dalembert.results.part import Shown
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
    """A piece of a page, with a style that affects nothing around it."""
    head = f"<h4>{escape(title)}</h4>" if title else ""
    drawn = f'<img alt="{escape(title)}" src="data:image/png;base64,{b64encode(picture).decode()}">' if picture else ""
    said = "".join(f"<p class='note'>{escape(tr('Note: {note}', note=note))}</p>" for note in notes)
    return f"{STYLE}<div class='dalembert'>{head}{drawn}{''.join(html_lines(blocks))}{said}</div>"


def model_html(record: ModelRecord) -> str:
    """The contents of the model, table by table."""
    return fragment(record.title or tr("Model"), _model(record))


def _model(record: ModelRecord) -> Iterable[Block]:
    if record.reference:
        yield Sentence(record.reference)
    coordinates = [
        (name, str(c.initial), tr("solved") if c.speed is None else str(c.speed), c.unit, c.about)
        for name, c in record.coordinates.items()
    ]
    parameters = [(name, str(p.value), p.unit, p.about) for name, p in record.parameters.items()]
    bodies = [(name, str(body.mass), str(body.position)) for name, body in record.bodies.items()]
    if coordinates:
        yield _cut((tr("coordinate"), tr("initial"), tr("speed"), tr("unit"), tr("about")), coordinates)
    if parameters:
        yield _cut((tr("parameter"), tr("value"), tr("unit"), tr("about")), parameters)
    if bodies:
        yield _cut((tr("body"), tr("mass"), tr("position")), bodies)
    stated = {
        tr("constraint"): [(name, f"{row.left} = {row.right}") for name, row in record.constraints.items()],
        tr("rolling"): [
            (name, tr("{body} on {on}", body=row.body, on=_plane(row.on))) for name, row in record.rolling.items()
        ],
        tr("contact"): [(name, f"{row.gap} ≥ 0, {row.law}") for name, row in record.contacts.items()],
        tr("friction"): [
            (name, tr("coefficient {coefficient}", coefficient=row.coefficient))
            for name, row in record.frictions.items()
        ],
        tr("definition"): [(name, str(value)) for name, value in record.definitions.items()],
    }
    for what, rows_of in stated.items():
        if rows_of:
            yield _cut((what, ""), rows_of)


def _plane(on: object) -> str:
    return on if isinstance(on, str) else tr("a plane")


def state_html(state: State) -> str:
    """One instant: q, q', q'', multipliers and reactions, energy."""
    return fragment(state.title or tr("State"), _state(state), state.notes)


def _state(state: State) -> Iterable[Block]:
    yield Sentence(
        tr(
            "method {method}, t = {time}, degrees of freedom {degrees_of_freedom}",
            method=state.method,
            time=_short(state.time),
            degrees_of_freedom=state.degrees_of_freedom,
        )
    )
    rows = [
        (labelled(name, state.units), *map(_short, (q, state.speeds[name], state.accelerations[name])))
        for name, q in state.coordinates.items()
    ]
    yield _cut(("", "q", "q'", "q''"), rows)
    if state.multipliers:
        names = list(state.coordinates)
        rows = [
            (name, _short(value), *(_short(state.reactions.get(name, {}).get(q, 0.0)) for q in names))
            for name, value in state.multipliers.items()
        ]
        yield _cut((tr("reaction"), tr("multiplier"), *(tr("on {q}", q=q) for q in names)), rows)
    if state.modes:
        yield _cut((tr("contact or friction"), ""), [(name, tr(word)) for name, word in state.modes.items()])
    yield Sentence(
        tr("energy: {values}", values=", ".join(f"{tr(n)} {_short(value)}" for n, value in state.energy.items()))
    )


def motion_html(motion: Motion, picture: bytes) -> str:
    """The picture of the motion, its events, and how it was computed."""
    return fragment("", _motion(motion), motion.notes, picture)


def _motion(motion: Motion) -> Iterable[Block]:
    about = motion.diagnostics
    if motion.events:
        yield from _events(motion.events)
    yield Sentence(
        tr(
            "{steps} steps, {evaluations} evaluations, energy drift {energy_drift:.1e}, constraint "
            "residual {constraint_residual:.1e}",
            steps=about.steps,
            evaluations=about.evaluations,
            energy_drift=about.energy_drift,
            constraint_residual=about.constraint_residual,
        )
    )


def comparison_html(comparison: Comparison) -> str:
    """The groups of methods that agree, and the values of each group at the start."""
    return fragment(comparison.title or tr("Comparison"), _comparison(comparison), comparison.notes)


def _comparison(comparison: Comparison) -> Iterable[Block]:
    answers = comparison.answers
    rows = [
        (name, tr(answer.model), *map(_difference, (answer.accelerations, answer.control, answer.coordinates)))
        for name, answer in answers.items()
    ]
    yield Sentence(
        tr(
            "Largest differences from {reference}, t = {start} to {end}",
            reference=comparison.reference,
            start=_short(comparison.start),
            end=_short(comparison.end),
        )
    )
    yield Grid((tr("method"), tr("model"), "q''", tr("forces"), tr("motion")), tuple(rows))
    for i, group in enumerate(comparison.groups, 1):
        yield Sentence(f"{i}. {', '.join(group)}: {tr('agree') if len(group) > 1 else tr('stands alone')}")
    shown = [answers[group[0]] for group in comparison.groups if answers[group[0]].state is not None]
    names = list(dict.fromkeys(q for answer in shown if answer.state for q in answer.state.accelerations))
    yield Heading(tr("Accelerations at the start"))
    yield _columns(names, {a.method: a.state.accelerations for a in shown if a.state})
    if any(answer.control_forces for answer in shown):
        yield Heading(tr("Control forces at the start"))
        yield _columns(names, {answer.method: answer.control_forces for answer in shown})
    for answer in answers.values():
        if answer.error:
            yield Sentence(f"{answer.method}: {answer.error}")


def linearization_html(found: Linearization) -> str:
    """Whether it is steady and stable, eigenvalues, and the matrix."""
    return fragment(found.title or tr("Linearization"), _linearization(found), found.notes)


def _linearization(found: Linearization) -> Iterable[Block]:
    q, v = found.state_in_units()
    yield _cut(("", "q", "q'"), [(labelled(name, found.units), _short(q[name]), _short(v[name])) for name in q])
    if not found.states:
        yield Sentence(tr("Nothing is free to move."))
        return
    steady = tr("Steady") if found.steady.holds else tr("Not steady")
    yield Sentence(f"{steady}, {tr(found.stability)}: {found.verdict}.")
    lines = tuple(tuple(line) for line in spectrum_lines(found))
    yield Grid((tr("eigenvalues"), tr("growth rate"), tr("frequency [rad/s]"), tr("period [s]")), lines)
    if len(found.states) <= WIDEST:
        rows = [(name, *map(_short, row.tolist())) for name, row in zip(found.states, found.matrix, strict=True)]
        yield Grid((tr("rate of"), *found.states), tuple(rows))


def control_html(found: Control, picture: bytes) -> str:
    """Bode diagram and step responses, and the transfer functions."""
    return fragment("", control_blocks(found), (), picture)


def locus_html(locus: Locus, picture: bytes) -> str:
    """The picture, critical values and ranges."""
    return fragment("", _locus(locus), locus.notes, picture)


def _locus(locus: Locus) -> Iterable[Block]:
    rows = [(_short(turn.value), " → ".join(map(tr, turn.stability)), turn.words) for turn in locus.critical]
    if rows:
        yield _cut((tr("critical {vary}", vary=locus.vary), tr("stability"), ""), rows)
    for first, last, word in locus.ranges:
        yield Sentence(tr("{word} from {first} to {last}", word=tr(word), first=_short(first), last=_short(last)))
    if locus.failures:
        value, sentence = locus.failures[0]
        yield Sentence(
            tr(
                "no member at {count} values; at {short}: {sentence}",
                count=len(locus.failures),
                short=_short(value),
                sentence=sentence,
            )
        )


def sensitivities_html(found: Sensitivities) -> str:
    """Derivatives at the end, and of the times of events."""
    return fragment(found.motion.title or tr("Sensitivities"), _sensitivities(found), found.notes)


def _sensitivities(found: Sensitivities) -> Iterable[Block]:
    heads = tuple(tr("by {to}", to=to) for to in found.to)
    yield Sentence(
        tr(
            "Derivatives at t = {times}, of {count} samples",
            times=_short(float(found.times[-1])),
            count=len(found.times),
        )
    )
    yield _cut((tr("of"), *heads), [(of, *(_short(found[of, to][-1]) for to in found.to)) for of in found.of])
    if found.events:
        rows = [
            (f"{event.name}, {tr(event.kind)}", _short(event.time), *(_short(event.time_by[to]) for to in found.to))
            for event in found.events
        ]
        yield _cut((tr("time of"), "t", *heads), rows)


def connection_html(found: Connection, picture: bytes) -> str:
    """The picture of the motion, and its initial values."""
    starts = [(f"{name}'", _short(value)) for name, value in found.initial_speeds.items()]
    starts += [
        (tr("multiplier of {name}", name=name), _short(value)) for name, value in found.initial_multipliers.items()
    ]
    said = Sentence(
        tr("action {action}, misses the end by {residual:.1e}", action=_short(found.action), residual=found.residual)
    )
    return fragment("", [_cut((tr("starts with"), ""), starts), said], found.motion.notes, picture)


def effort_html(effort: Effort) -> str:
    """The constraint forces as control forces."""
    rows = [(f.name, *map(_short, (f.largest, f.effort, f.work, f.power))) for f in effort.forces]
    head = (tr("constraint"), tr("largest |Q|"), tr("effort ∫|Q|² dt"), tr("work ∫Q·q' dt"), tr("largest power"))
    return fragment(
        tr("Constraint forces, t = {start} to {end}", start=_short(effort.start), end=_short(effort.end)),
        [Grid(head, tuple(rows))],
    )


def part_html(found: Shown) -> str:
    """A part of an analysis."""
    return fragment(tr(found.title), found.blocks(), found.notes)


def audit_html(found: Audit) -> str:
    """The verdict, the wrong terms, and a state at which an equation does not hold."""
    return fragment("", _audit(found), found.notes)


def _audit(found: Audit) -> Iterable[Block]:
    yield Sentence(found.verdict)
    if found.mistake:
        yield Sentence(found.mistake)
    if found.partings:
        rows = [(str(one.equation), one.term, one.kind, one.stated, one.expected, one.why) for one in found.partings]
        yield _cut((tr("equation"), tr("term"), tr("kind"), tr("stated"), tr("the model's"), ""), rows)
    if found.state:
        yield _cut((tr("at this state"), ""), [(name, _short(value)) for name, value in found.state.items()])


def events_html(events: Sequence[Event]) -> str:
    """Name, kind, time, impulse and energy of the events."""
    return fragment("", _events(events))


def _events(events: Sequence[Event]) -> Iterable[Block]:
    def known(value: float | None) -> str:
        return "" if value is None else _short(value)

    head = (tr("event"), tr("kind"), tr("time"), tr("impulse"), tr("energy"))
    rows = [(e.name, tr(e.kind), _short(e.time), known(e.impulse), known(e.energy)) for e in events[:MOST_ROWS]]
    yield _cut(head, rows)
    if len(events) > MOST_ROWS:
        yield Sentence(tr("… and {count} more events", count=len(events) - MOST_ROWS))


def analysis_html(analysis: Analysis) -> str:
    """Every part under its title."""
    parts = analysis.parts.values()
    blocks = chain.from_iterable((Heading(tr(part.title)), *part.blocks()) for part in parts)
    return fragment(analysis.title, blocks, [note for part in parts for note in part.notes])


def _cut(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Grid:
    """A table without its empty columns. A table that is too long is cut, with a note."""
    kept = [i for i in range(len(head)) if i == 0 or any(row[i] for row in rows)]
    shown = [tuple(row[i] for i in kept) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        shown.append((tr("… and {count} more", count=len(rows) - MOST_ROWS), *("" for _ in kept[1:])))
    return Grid(tuple(head[i] for i in kept), tuple(shown))


def _columns(names: list[str], columns: Mapping[str, Mapping[str, float]]) -> Grid:
    rows = [(name, *(_short(c[name]) if name in c else "" for c in columns.values())) for name in names]
    return _cut(("", *columns), rows)


def _difference(value: float | None) -> str:
    return "–" if value is None else f"{value:.1e}"


def _short(value: float) -> str:
    return f"{value + 0.0:.6g}"
