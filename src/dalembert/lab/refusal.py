"""A refused request: its HTTP status, and a sentence for the sender."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """The sentence says what was met and what is expected. `further` is added to the answer."""

    def __init__(self, status: int, sentence: str, **further: Any) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.further = status, sentence, further

    @property
    def answer(self) -> dict[str, Any]:
        return {"error": self.sentence, **self.further}
