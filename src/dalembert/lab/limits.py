"""Limits of one request: the size of its body, and the time and memory of its computation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one lab. The page receives those that it can check by itself."""

    body: int = 2_000_000  # bytes of a request
    text: int = 1_000_000  # characters of a model
    settings: int = 1000  # values that replace the model's
    samples: int = 200_000  # of a downloaded motion
    seconds: float = 60.0  # of one computation
    memory: int = 3_000_000_000  # bytes of a worker beyond those it uses when ready
    patience: float = 10.0  # seconds for a whole request, headers and body
    owing: int = 64  # connections with an incomplete request; one more closes the oldest
    waiting: int = 24  # computations in the queue; further requests are refused
    grace: float = 1.0  # seconds for a stopped computation to end by itself

    @property
    def page(self) -> dict[str, float]:
        return {"text": self.text, "samples": self.samples, "seconds": self.seconds}
