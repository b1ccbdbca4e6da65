"""Ctrl-C and SIGTERM as requests to stop, for work that can end cleanly."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self


@contextmanager
def interrupting(cease: Callable[[], bool]) -> Iterator[None]:
    """Inside, Ctrl-C first calls `cease()`, which interrupts at a safe place. Else it interrupts."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def take(number: int, frame: FrameType | None) -> None:
        if not cease():
            before(number, frame)

    signal.signal(signal.SIGINT, take)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Signals:
    """Inside `with`, the first signal is remembered (`received`). A second Ctrl-C interrupts at once.

    `cease` ends work that need not be waited for, by an interrupt of its own.
    """

    def __init__(self, cease: Callable[[], bool] = lambda: False) -> None:
        self.received: int | None = None
        self._cease = cease
        self._before: dict[int, Any] = {}

    def _take(self, number: int, _: FrameType | None) -> None:
        if self.received is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.received = number
        self._cease()

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
