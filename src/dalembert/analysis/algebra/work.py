"""Work that is counted and bounded, so that an answer does not depend on the machine."""

from __future__ import annotations

from dataclasses import dataclass


class TooMuchError(Exception):
    """A computation has reached the bound of its work."""


@dataclass(slots=True)
class Work:
    """Operations on terms of polynomials: how many there may be, and how many there were."""

    most: int
    done: int = 0

    def spend(self, operations: int) -> None:
        self.done += operations
        if self.done > self.most:
            raise TooMuchError
