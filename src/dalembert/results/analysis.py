"""The answer of `analyze`: one record for each part. A part has text, HTML and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from dalembert.language import Sentences, tr

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block


NAMES: Sentences = {
    "constraints": "constraints", "free": "free", "models": "models", "stability": "stability",
    "conserved": "conserved",
}  # fmt: skip


class Part(Protocol):
    """A part of the analysis. `notes` say what was left out for lack of time, and what replaces it."""

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
        return tr(NAMES[self.name]).capitalize()

    def blocks(self) -> Iterable[Block]:
        from dalembert.results.text.blocks import Sentence

        yield Sentence(tr("No answer: {reason}.", reason=self.reason.rstrip(".")))

    def to_dict(self) -> dict[str, Any]:
        return {"error": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """The parts by name: `analysis["constraints"].integrals`."""

    parts: Mapping[str, Part]  # by name
    title: str = ""  # of the model
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.parts[name]

    def to_dict(self) -> dict[str, Any]:
        """The answer of `analyze --json`: an object for each part, with its `notes`."""
        parts = {name: {**part.to_dict(), "notes": list(part.notes)} for name, part in self.parts.items()}
        return {"title": self.title, **parts, "seconds": dict(self.seconds)}

    def __str__(self) -> str:
        from dalembert.results.text.analysis import analysis_text

        return analysis_text(self)

    def html(self) -> str:
        """One page, without scripts or external files."""
        from dalembert.results.text.analysis import analysis_page

        return analysis_page(self)

    def __repr__(self) -> str:
        return f"<Analysis of {self.title!r}: {', '.join(self.parts)}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import analysis_html

        return analysis_html(self)
