"""Equations and derivations as one HTML page with MathML, without scripts or other files.

The layout is that of a printed paper: left sides, equals signs and right sides in columns, long right sides over
several lines, a running number at the margin. The head of every step names the place in the paper that it follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import count

from dalembert.equations import Equations, Erratum
from dalembert.formalisms import METHODS, method
from dalembert.formalisms.head import KINDS
from dalembert.formalisms.telling import cited
from dalembert.language import language, tr
from dalembert.report.content import Content, content, remarks
from dalembert.report.dialects import Latex
from dalembert.report.latex import broken, result
from dalembert.report.mathml import mathematics
from dalembert.report.parts import structured
from dalembert.results.words import described

WRITE = Latex()
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
CONTENTS_FROM = 5  # a page with this many steps begins with a list of them
STYLE = """
:root { color-scheme: light dark; --ink: #1c1f26; --soft: #5d6573; --rule: #d9dde3; --paper: #fff; --wash: #f5f6f9; --accent: #0b63a5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --soft: #a1aab8; --rule: #353d49; --paper: #14181f; --wash: #1d232d; --accent: #7cc0f5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1.06rem/1.6 "STIX Two Text", "Latin Modern Roman", "Cambria", "Georgia", "Noto Serif", serif; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.2rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; text-wrap: balance; }
h2 { font-size: 1.22rem; margin: 2.4rem 0 .5rem; display: flex; flex-wrap: wrap; gap: 0 1.2rem; align-items: baseline; }
h2 .locator { margin-left: auto; font-size: .86rem; font-weight: normal; color: var(--soft); }
.method { margin: 0; color: var(--soft); font-style: italic; }
.system { margin: 1.4rem 0 0; padding: .7rem 1.1rem; border-left: 3px solid var(--accent); background: var(--wash); }
.system p { margin: .25rem 0; }
nav { margin: 1.6rem 0 0; font-size: .95rem; } nav ol { columns: 2 16rem; margin: .3rem 0 0; padding-left: 1.6rem; }
nav a { color: var(--accent); text-decoration: none; } nav a:hover { text-decoration: underline; }
.law { overflow-x: auto; margin: .6rem 0 .9rem; padding: .55rem 1rem; background: var(--wash); border-radius: 6px; text-align: center; }
.equations { display: grid; grid-template-columns: auto auto 1fr; gap: .42rem .35rem; align-items: baseline; overflow: auto hidden; padding-bottom: .25rem; margin: .6rem 0; }
.equations.labelled { grid-template-columns: auto auto auto 1fr; }
.equations > .left { text-align: right; } .equations > .whole { grid-column: span 2; } .equations > span { white-space: nowrap; }
.equations > .label { color: var(--soft); font-size: .86rem; padding-right: .6rem; }
.equations > .number { color: var(--soft); font-size: .92rem; text-align: right; padding-left: .8rem; position: sticky; right: 0; background: var(--paper); font-variant-numeric: tabular-nums; }
math { font-size: 1.06em; font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", math; }
aside.erratum { margin: .8rem 0; padding: .6rem 1rem; border: 1px solid var(--rule); border-left: 3px solid #b3541e; border-radius: 6px; overflow-x: auto; }
.note { color: var(--soft); font-style: italic; }
footer { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: .6rem; font-size: .86rem; color: var(--soft); }
@media (max-width: 40rem) { main { padding-top: 1.4rem; } h1 { font-size: 1.5rem; }
  .equations, .equations.labelled { grid-template-columns: minmax(0, 1fr) auto; }
  .equations > .label, .equations > .left { grid-column: 1 / -1; text-align: left; }
  .equations > .label { padding-top: .4rem; } .equations > :empty { display: none; }
  .equations > .right, .equations > .whole { grid-column: 1; } .equations > .right { padding-left: 1.4rem; } }
@media print { body { font-size: 10.5pt; } main { max-width: none; padding: 0; } .law, .system { background: none; border: 1px solid #ccc; }
  h2 { break-after: avoid; } }
"""  # noqa: E501


def page(eq: Equations, title: str, steps: bool = False) -> str:
    name = escape(title or tr("Equations of motion"))
    way = method(eq.method) if eq.method in METHODS else None
    told = tr("{title}, after {paper}", title=tr(way.title), paper=cited(way.paper)) if way else eq.method
    used = ", ".join(filter(None, (eq.method, described(eq.description))))
    body = [
        f"<h1>{name}</h1>",
        f"<p class='method'>{escape(tr('{told} (method {method})', told=told, method=used))}</p>",
        *_system(eq, steps),
    ]
    body += _steps(eq) if steps else _equations(eq)
    body += [f"<p class='note'>{escape(tr('Note: {note}.', note=n.rstrip('.。')))}</p>" for n in remarks(eq)]
    head = [
        "<meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{name}</title><style>{STYLE}</style>",
    ]
    made = ["<main>", *body, f"<footer>{tr('Derived by dalembert.')}</footer>", "</main>"]
    return "\n".join(
        ["<!doctype html>", f"<html lang='{language()}'><head>", *head, "</head><body>", *made, "</body></html>"]
    )


def equations_fragment(eq: Equations) -> str:
    """The equations alone, as plain sections of MathML, to be embedded in other pages."""
    shown = content(eq)
    lines = [f"<p>{tr('Solved for {unknowns}.', unknowns=_listed(shown.unknowns))}</p>"]
    lines += _form(shown)
    for section in shown.sections:
        lines.append(f"<h3>{escape(section.title)}</h3>")
        lines += [f"<div>{mathematics(WRITE.chain(c.parts))}</div>" for c in section.conditions]
        for line in section.lines:
            rows = [latex.replace("&", " ", 1) for latex in broken(WRITE(line.left), WRITE(line.right))]
            lines += [f"<div>{mathematics(row)}</div>" for row in rows]
    return "\n".join(lines)


def _system(eq: Equations, steps: bool) -> Iterator[str]:
    """Coordinates, constraints and parameters. With steps, the first step has the constraints."""
    yield "<div class='system'>"
    yield f"<p>{tr('Coordinates {names}.', names=_listed(eq.q))}</p>"
    if eq.constraints and not steps:
        kinds = [f"{escape(row.name)} ({tr(KINDS[row.kind])})" for row in eq.constraints]
        yield f"<p>{tr('Constraints: {kinds}.', kinds=', '.join(kinds))}</p>"
    if eq.parameters:
        values = [mathematics(f"{WRITE(symbol)} = {WRITE.number(float(v))}") for symbol, v in eq.parameters.items()]
        yield f"<p>{tr('Parameters {values}.', values=', '.join(values))}</p>"
    yield "</div>"


def _listed(symbols: Iterable[object]) -> str:
    return ", ".join(mathematics(WRITE(symbol)) for symbol in symbols)


def _equations(eq: Equations) -> Iterator[str]:
    shown = content(eq)
    yield f"<p>{tr('Solved for {unknowns}.', unknowns=_listed(shown.unknowns))}</p>"
    yield from _form(shown)
    numbers = count(1)
    for section in shown.sections:
        yield f"<h2>{escape(section.title)}</h2>"
        labelled = any(section.labels)
        yield f"<div tabindex='0' class='equations{' labelled' if labelled else ''}'>"
        for condition in section.conditions:
            label = f"<span class='label'>{escape(condition.label)}</span>"
            yield from _rows([f"& {WRITE.chain(condition.parts)}"], next(numbers), label)
        for line in section.lines:
            label = f"<span class='label'>{escape(line.label)}</span>" if labelled else ""
            yield from _rows(broken(WRITE(line.left), WRITE(line.right)), next(numbers), label)
        yield "</div>"


def _form(shown: Content) -> Iterator[str]:
    """The equations of which a large system has the entries, and the meaning of its letters."""
    if shown.form:
        law = mathematics(r",\qquad ".join(shown.form), block=True)
        yield f"<div class='law' tabindex='0'>{law}</div><p>{escape(shown.letters)}</p>"


def _steps(eq: Equations) -> Iterator[str]:
    found = structured(eq)
    numbers = count(1)
    if len(found) >= CONTENTS_FROM:
        items = [f"<li><a href='#step{i}'>{escape(step.title)}</a></li>" for i, step in enumerate(found, 1)]
        yield f"<nav aria-label='{tr('Steps')}'><ol>{''.join(items)}</ol></nav>"
    for i, step in enumerate(found, 1):
        place = f"<span class='locator'>{escape(cited(step.locator))}</span>" if step.locator else ""
        yield f"<section id='step{i}'><h2><span>{i}. {escape(step.title)}</span>{place}</h2>"
        if step.why:
            yield f"<p>{escape(step.why)}</p>"
        if step.formula:
            yield f"<div class='law' tabindex='0'>{mathematics(step.formula, block=True)}</div>"
        if step.results:
            yield "<div tabindex='0' class='equations'>"
            for left, value in step.results:
                yield from _rows(result(left, value), next(numbers))
            yield "</div>"
        if step.note:
            yield f"<p>{escape(step.note)}</p>"
        yield from map(_box, step.errata)
        yield "</section>"


def _box(erratum: Erratum) -> str:
    told = [
        f"<b>{tr('Erratum, {place}.', place=escape(cited(erratum.place)))}</b>",
        tr("In print: {formula}.", formula=prose(erratum.printed)),
        tr("Right is: {formula}.", formula=prose(erratum.right)),
        tr("Because {formula}.", formula=prose(erratum.because)),
    ]
    return f"<aside class='erratum' tabindex='0'>{' '.join(told)}</aside>"


def prose(text: str) -> str:
    """Words with formulas between dollar signs, as HTML and MathML."""
    pieces = text.split("$")
    return "".join(mathematics(piece) if i % 2 else escape(piece) for i, piece in enumerate(pieces))


def _rows(rows: Sequence[str], number: int, label: str = "") -> Iterator[str]:
    """LaTeX rows `left &= right` as cells of a grid. The last row has the number."""
    blank = "<span class='label'></span>" if label else ""
    whole = rows[0].startswith("&")  # the left side fills a whole line, so there are no columns
    for i, row in enumerate(rows):
        left, _, right = row.partition("&")
        yield label if i == 0 else blank
        if not whole:
            yield f"<span class='left'>{mathematics(left.strip()) if left.strip() else ''}</span>"
        yield f"<span class='{'whole' if whole else 'right'}'>{mathematics(right.strip())}</span>"
        yield f"<span class='number'>{f'({number})' if i == len(rows) - 1 else ''}</span>"
