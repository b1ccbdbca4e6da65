"""What one request may cost: how much it may send, how long and how large its computation may grow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one lab; the page is told those that it can keep by itself."""

    body: int = 2_000_000  # bytes of a request
    text: int = 1_000_000  # characters of a model
    settings: int = 1000  # values in place of the model's
    samples: int = 200_000  # of a motion that is downloaded
    seconds: float = 60.0  # of one computation
    memory: int = 3_000_000_000  # bytes that a worker may take beyond what it has when warm
    patience: float = 10.0  # seconds in which a request, headers and body, has to be there
    owing: int = 64  # connections that may owe theirs; one more, and the oldest is closed
    waiting: int = 24  # computations in the queue; beyond them a request is refused
    grace: float = 1.0  # seconds in which a stopped computation may end by itself

    @property
    def page(self) -> dict[str, float]:
        return {"text": self.text, "samples": self.samples, "seconds": self.seconds}
