"""An analysis as text and as a page: its parts, one after the other."""

from __future__ import annotations

from html import escape

from dalembert.language import language, tr
from dalembert.results.analysis import Analysis
from dalembert.results.text.blocks import html_lines, text_lines
from dalembert.results.text.layout import noted

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1f; --page: #fff; --faint: #667; --rule: #ddd; --tint: #f6f6f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6ea; --page: #16161a; --faint: #9aa; --rule: #3a3a42; --tint: #222228; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: var(--ink); background: var(--page); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; } p { margin: .5rem 0; }
.line { overflow-x: auto; margin: .4rem 0; padding: 0 .8rem; } .label { color: var(--faint); margin-right: 1rem; }
math { font-size: 1.12rem; } .source, .note { color: var(--faint); font-size: .85rem; }
table { border-collapse: collapse; } th, td { padding: .15rem .8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 1px solid var(--rule); }
tbody tr:nth-child(odd) { background: var(--tint); }
"""


def analysis_text(analysis: Analysis) -> str:
    lines = [analysis.title] if analysis.title else []
    for part in analysis.parts.values():
        lines += ["", tr(part.title).upper(), *text_lines(part.blocks()), *noted(part.notes)]
    return "\n".join(lines).lstrip("\n")


def analysis_page(analysis: Analysis) -> str:
    """One page, without scripts or external files."""
    name = escape(analysis.title or tr("Analysis"))
    body = [f"<h1>{name}</h1>"]
    for part in analysis.parts.values():
        body += [f"<h2>{escape(tr(part.title))}</h2>", *html_lines(part.blocks())]
        body += [f"<p class='note'>{escape(tr('Note: {note}', note=note))}</p>" for note in part.notes]
        body += [f"<p class='source'>{escape(tr(part.source))}</p>"] if part.source else []
    head = f"<meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>{name}</title>"
    return "\n".join(
        [
            "<!doctype html>",
            f"<html lang='{language()}'><head>{head}<style>{STYLE}</style></head><body>",
            *body,
            "</body></html>",
        ]
    )
