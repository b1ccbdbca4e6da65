"""Hearing that numba compiles: the first motion of its kind on a machine waits for machine code, and people wonder.

numba tells of every function that it compiles, and of none that it finds in its cache (numba.core.event).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from numba.core.event import Listener, install_listener


class Ear(Listener):
    """Told whenever a function begins to be compiled; who is to stop does so between two functions.

    An interrupt in the middle of numba's or llvmlite's own work leaves half-made objects, which complain when they go.
    """

    def __init__(self, told: Callable[[float], None]) -> None:
        self._told = told
        self._began: float | None = None
        self._open = 0
        self._stop = False

    def cease(self) -> bool:
        """Ask for the end of what is being compiled; False where nothing is."""
        self._stop = self._open > 0
        return self._stop

    def on_start(self, event: Any) -> None:
        self._open += 1
        if self._stop:
            raise KeyboardInterrupt
        now = monotonic()
        if self._began is None:
            self._began = now
        self._told(now - self._began)

    def on_end(self, event: Any) -> None:
        self._open -= 1
        if self._stop:
            raise KeyboardInterrupt


@contextmanager
def heard(told: Callable[[float], None]) -> Iterator[Ear]:
    """In this block, `told(seconds)` whenever a function begins to be compiled: seconds since the first one did.

    An entry of the steppers has some forty to two hundred functions, so there is a word several times a second.
    """
    ear = Ear(told)
    with install_listener("numba:compile", ear):
        yield ear
