"""The lines of a paper as text, as a page, and as a LaTeX document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from dalembert import columns
from dalembert.formalisms.telling import cited
from dalembert.language import language, marked, tr
from dalembert.papers import Paper
from dalembert.papers.sheet import SheetLine
from dalembert.report.html import POLICY, STYLE
from dalembert.report.latex import document, escaped
from dalembert.report.mathml import mathematics

WIDTH = 118
VERDICTS = marked("as printed", "erratum", "unreadable")


def overview(papers: Sequence[Paper]) -> str:
    """The list of papers."""
    width = max(len(paper.name) for paper in papers)
    lines = []
    for paper in papers:
        named = tr("{authors}: {title}", authors=tr(paper.authors), title=tr(paper.title))
        lines.append(f"{paper.name.ljust(width)}   {named}")
        examples = tr("{chinese}; models {examples}", chinese=paper.chinese, examples=", ".join(paper.examples))
        lines.append(f"{' ' * width}   {examples}")
    return "\n".join(lines)


def summary(lines: Sequence[SheetLine]) -> str:
    counts = {verdict: sum(line.verdict == verdict for line in lines) for verdict in VERDICTS}
    told = ", ".join(f"{count} {tr(verdict)}" for verdict, count in counts.items() if count)
    failed = ", ".join(line.number for line in lines if not line.holds)
    if failed:
        return tr("{count} lines: {told}; these do not hold: {failed}.", count=len(lines), told=told, failed=failed)
    return tr("{count} lines: {told}; all hold.", count=len(lines), told=told)


def text(paper: Paper, lines: Sequence[SheetLine]) -> str:
    found = [tr(paper.title), _authors(paper), ""]
    for line in lines:
        found.append(
            f"{_number(line)}  {line.title}   [{tr(line.verdict)}{'' if line.holds else tr(', DOES NOT HOLD')}]"
        )
        for word, content in _parts(line):
            indent = " " * (6 + columns.width(word))
            plain = re.sub(r"([_^])\{([^}]*)\}", r"\1(\2)", content)
            found += columns.lines(tr("{word}: {content}", word=word, content=plain), WIDTH, "    ", indent)
    return "\n".join([*found, "", summary(lines)])


def _number(line: SheetLine) -> str:
    return f"({line.number})" if line.number[:1].isdigit() or len(line.number) == 1 else cited(line.number)


def _authors(paper: Paper) -> str:
    return tr("{authors}, {chinese}", authors=tr(paper.authors), chinese=paper.chinese)


def _forms(line: SheetLine) -> list[tuple[str, str, str]]:
    """Name, word and text of the printed form, the correct one if it differs, and the computed one."""
    right = [("right", tr("right is"), line.right)] if line.right else []
    return [("printed", tr("printed"), line.printed), *right, ("computed", tr("computed"), line.computed)]


def _parts(line: SheetLine) -> list[tuple[str, str]]:
    return [(word, content) for _, word, content in _forms(line)]


def html(paper: Paper, lines: Sequence[SheetLine]) -> str:
    rows = []
    for line in lines:
        kind = "bad" if not line.holds else line.verdict.split()[0]
        cells = "".join(
            f"<dt>{word}</dt><dd>{_shown(content, line.typeset.get(name, ()))}</dd>"
            for name, word, content in _forms(line)
        )
        name = f"<span>{escape(_number(line))} {escape(line.title)}</span>"
        title = f"<h2>{name}<span class='locator {kind}'>{escape(tr(line.verdict))}</span></h2>"
        rows.append(f"<section>{title}<dl>{cells}</dl></section>")
    style = STYLE + (
        "dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2rem 1rem; margin: .2rem 0; } "
        "dt { color: var(--soft); } dd { margin: 0; overflow: auto hidden; overflow-wrap: anywhere; } "
        ".row { display: inline-block; max-width: 100%; overflow: auto hidden; padding: .2rem 0; "
        "margin-right: 1.6rem; vertical-align: middle; } "
        "sub, sup { font-size: .75em; line-height: 0; } "
        "h2 .erratum { color: #b3541e; } h2 .bad { color: #c00; font-weight: bold; }"
    )
    head = [
        "<meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(tr(paper.title))}</title><style>{style}</style>",
    ]
    body = [
        f"<h1>{escape(tr(paper.title))}</h1>",
        f"<p class='method'>{escape(tr(paper.authors))}, <span lang='zh'>{escape(paper.chinese)}</span></p>",
        f"<div class='system'><p>{escape(summary(lines))}</p></div>",
        *rows,
        f"<footer>{tr('Worked through by dalembert.')}</footer>",
    ]
    return "\n".join(
        [
            "<!doctype html>",
            f"<html lang='{language()}'><head>",
            *head,
            "</head><body><main>",
            *body,
            "</main></body></html>",
        ]
    )


def _shown(content: str, rows: Sequence[str]) -> str:
    """The rows of a formula in MathML, or a sentence with its indices below and above the line."""
    if not rows:
        return INDEX.sub(_raised, escape(content))
    each = (mathematics(row.replace("&", "", 1).strip()) for row in rows)  # the first & is where rows are aligned
    return "".join(f"<div class='row' tabindex='0'>{one}</div>" for one in each)


INDEX = re.compile(r"(?<=[^\s(])((?<![A-Za-z]{2})_|\^)(?:\{([^}]*)\}|([A-Za-zα-ω\d]+′?\d*))")  # not that of first_wheel


def _raised(match: re.Match[str]) -> str:
    tag = "sub" if match[1] == "_" else "sup"
    return f"<{tag}>{match[2] or match[3]}</{tag}>"


def latex(paper: Paper, lines: Sequence[SheetLine]) -> str:
    found = [
        rf"\section*{{{escaped(tr(paper.title))}}}",
        escaped(_authors(paper).split(" ")[0]) + ". " + escaped(summary(lines)),
    ]
    for line in lines:
        found.append(
            rf"\paragraph{{{escaped(_number(line))} {escaped(line.title)}}} \emph{{{escaped(tr(line.verdict))}}}\\"
        )
        found += [_formula(word, content, line.typeset.get(name, ())) for name, word, content in _forms(line)]
    return document(found)


def _formula(word: str, content: str, rows: Sequence[str]) -> str:
    if not rows:
        return rf"{word}: {escaped(content)}\\"
    return f"{word}:\n\\begin{{align*}}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"
