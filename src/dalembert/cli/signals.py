"""Ctrl-C and SIGTERM as requests to stop, for work that can end cleanly."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self


class Signals:
    """Inside `with`, the first signal is remembered (`received`). A second Ctrl-C interrupts at once."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._before: dict[int, Any] = {}

    def _take(self, number: int, _: FrameType | None) -> None:
        if self.received is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.received = number

    def __call__(self) -> bool:
        return self.received is not None

    @property
    def status(self) -> int:
        """The exit status of a program that the signal ended."""
        return 128 + (self.received or 0)

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
