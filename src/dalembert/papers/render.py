"""A paper gone through, for people: as text, as a page, as a LaTeX document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from dalembert.papers import Paper
from dalembert.papers.sheet import Line
from dalembert.report.html import POLICY, STYLE
from dalembert.report.latex import PREAMBLE, escaped

WIDTH = 118


def overview(papers: Sequence[Paper]) -> str:
    """The list of papers."""
    width = max(len(paper.name) for paper in papers)
    lines = []
    for paper in papers:
        lines.append(f"{paper.name.ljust(width)}   {paper.authors}: {paper.title}")
        lines.append(f"{' ' * width}   {paper.chinese}; models {', '.join(paper.examples)}")
    return "\n".join(lines)


def summary(lines: Sequence[Line]) -> str:
    counts = {
        verdict: sum(line.verdict == verdict for line in lines) for verdict in ("as printed", "erratum", "unreadable")
    }
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    failed = [line.number for line in lines if not line.holds]
    return (
        f"{len(lines)} lines: {told}" + (f"; these do not hold: {', '.join(failed)}" if failed else "; all hold") + "."
    )


def text(paper: Paper, lines: Sequence[Line]) -> str:
    found = [paper.title, f"{paper.authors}, {paper.chinese}", ""]
    for line in lines:
        found.append(f"{_number(line)}  {line.title}   [{line.verdict}{'' if line.holds else ', DOES NOT HOLD'}]")
        for word, content in _parts(line):
            found += wrap(f"{word}: {content}", WIDTH, initial_indent="    ", subsequent_indent=" " * (6 + len(word)))
    return "\n".join([*found, "", summary(lines)])


def _number(line: Line) -> str:
    return f"({line.number})" if line.number[:1].isdigit() or len(line.number) == 1 else line.number


def _parts(line: Line) -> list[tuple[str, str]]:
    right = [("right is", line.right)] if line.right else []
    return [("printed", line.printed), *right, ("computed", line.computed)]


def html(paper: Paper, lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        kind = "bad" if not line.holds else line.verdict.split()[0]
        cells = "".join(f"<dt>{word}</dt><dd>{escape(content)}</dd>" for word, content in _parts(line))
        name = f"<span>{escape(_number(line))} {escape(line.title)}</span>"
        title = f"<h2>{name}<span class='locator {kind}'>{escape(line.verdict)}</span></h2>"
        rows.append(f"<section>{title}<dl>{cells}</dl></section>")
    style = STYLE + (
        "dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; margin: .2rem 0; } dt { color: "
        "var(--soft); } dd { margin: 0; overflow-wrap: anywhere; } h2 .erratum { color: #b3541e; } h2 .bad { color: "
        "#c00; font-weight: bold; }"
    )
    head = [
        "<meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(paper.title)}</title><style>{style}</style>",
    ]
    body = [
        f"<h1>{escape(paper.title)}</h1>",
        f"<p class='method'>{escape(paper.authors)}, <span lang='zh'>{escape(paper.chinese)}</span></p>",
        f"<div class='system'><p>{escape(summary(lines))}</p></div>",
        *rows,
        "<footer>Worked through by dalembert.</footer>",
    ]
    return "\n".join(
        ["<!doctype html>", "<html lang='en'><head>", *head, "</head><body><main>", *body, "</main></body></html>"]
    )


def latex(paper: Paper, lines: Sequence[Line]) -> str:
    found = [
        rf"\section*{{{escaped(paper.title)}}}",
        escaped(paper.authors.split(" ")[0]) + ". " + escaped(summary(lines)),
    ]
    for line in lines:
        found.append(
            rf"\paragraph{{{escaped(_number(line))} {escaped(line.title)}}} \emph{{{escaped(line.verdict)}}}\\"
        )
        found += [rf"{word}: {escaped(content)}\\" for word, content in _parts(line)]
    return PREAMBLE + "\n".join(found) + "\n\\end{document}"
