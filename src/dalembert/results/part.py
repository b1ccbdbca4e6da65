"""How a part of an analysis shows itself: as text, as one line, and in a notebook."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dalembert.results.text.blocks import Block

LONGEST = 120  # letters of the sentence in a `repr`


class Shown:
    """A record with a title, notes and blocks of text."""

    __slots__ = ()
    title: ClassVar[str]
    notes: tuple[str, ...]

    @abstractmethod
    def blocks(self) -> Iterable[Block]:
        """The sentences, formulas and tables of this part."""

    def __str__(self) -> str:
        from dalembert.results.text.blocks import text_lines
        from dalembert.results.text.layout import noted

        return "\n".join([*text_lines(self.blocks()), *noted(self.notes)])

    def __repr__(self) -> str:
        from dalembert.results.text.blocks import Sentence

        said = next((block.text for block in self.blocks() if isinstance(block, Sentence)), "")
        cut = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
        return f"<{type(self).__name__}: {cut}>" if cut else f"<{type(self).__name__}>"

    def _repr_html_(self) -> str:
        from dalembert.results.text.notebook import part_html

        return part_html(self)
