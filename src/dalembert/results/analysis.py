"""What `analyze` answers: one record for each part of the analysis, each able to say itself as text, HTML and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar, Protocol

from dalembert.results.blocks import Block, Sentence, html_lines, text_lines

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


class Part(Protocol):
    """A part of the analysis: `title` and `source` head it, `notes` say what was cut short and what stood in for it."""

    @property
    def title(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def blocks(self) -> Iterable[Block]: ...
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A part that has no answer for this model, and why."""

    name: str
    reason: str
    notes: tuple[str, ...] = ()
    source: ClassVar[str] = ""

    @property
    def title(self) -> str:
        return self.name.capitalize()

    def blocks(self) -> Iterable[Block]:
        yield Sentence(f"No answer: {self.reason.rstrip('.')}.")

    def to_dict(self) -> dict[str, Any]:
        return {"error": self.reason}


@dataclass(frozen=True, slots=True)
class Analysis:
    """The parts by name: `analysis["constraints"]`, or as attributes of what each of them is."""

    parts: Mapping[str, Part]
    title: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.parts[name]

    def to_dict(self) -> dict[str, Any]:
        """The answer of `analyze --json`: an object for each part, with its `notes`."""
        parts = {name: {**part.to_dict(), "notes": list(part.notes)} for name, part in self.parts.items()}
        return {"title": self.title, **parts, "seconds": dict(self.seconds)}

    def __str__(self) -> str:
        lines = [self.title] if self.title else []
        for part in self.parts.values():
            lines += ["", part.title.upper(), *text_lines(part.blocks()), *(f"note: {note}" for note in part.notes)]
        return "\n".join(lines).lstrip("\n")

    def html(self) -> str:
        """One page: no script, nothing fetched."""
        name = escape(self.title or "Analysis")
        body = [f"<h1>{name}</h1>"]
        for part in self.parts.values():
            body += [f"<h2>{escape(part.title)}</h2>", *html_lines(part.blocks())]
            body += [f"<p class='note'>Note: {escape(note)}</p>" for note in part.notes]
            body += [f"<p class='source'>{escape(part.source)}</p>"] if part.source else []
        head = f"<meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>{name}</title>"
        return "\n".join(
            [
                "<!doctype html>",
                f"<html lang='en'><head>{head}<style>{STYLE}</style></head><body>",
                *body,
                "</body></html>",
            ]
        )

    def _repr_html_(self) -> str:
        return self.html()
