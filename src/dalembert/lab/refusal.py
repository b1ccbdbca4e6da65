"""A request that is refused: its HTTP status, and a sentence for whoever sent it."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """What was met, what is expected; `further` goes into the answer beside the sentence."""

    def __init__(self, status: int, sentence: str, **further: Any) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.further = status, sentence, further

    @property
    def answer(self) -> dict[str, Any]:
        return {"error": self.sentence, **self.further}
