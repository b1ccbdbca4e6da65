"""Messages on stderr while the user waits: steppers are being compiled, or a motion is under way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Self

from dalembert.cli.signals import interrupting

LONG = 2.0  # seconds of compiling before a message, if stderr is not a terminal


@contextmanager
def compiling() -> Iterator[Callable[[], bool]]:
    """Tell that machine code is being compiled: at once at a terminal, elsewhere if it takes long.

    Enter it after the model has been read, because it imports numba, and a bad call should be refused sooner. Ctrl-C
    ends the compilation between two functions. The function that this context yields does the same, and returns whether
    anything was being compiled.
    """
    from dalembert.simulate.compiling import heard

    patience = 0.0 if sys.stderr.isatty() else LONG
    said = False

    def told(seconds: float) -> None:
        nonlocal said
        if not said and seconds >= patience:
            said = True
            sentence = "compiling the steppers for motions of this kind, once on this machine: up to a minute …"
            print(f"dalembert: {sentence}", file=sys.stderr, flush=True)

    with heard(told) as ear, interrupting(ear.cease):
        yield ear.cease


class Bar:
    """A progress bar: call `show(fraction)` as often as you like. It is silent if stderr is not a terminal."""

    def __init__(self, patience: float = 1.0) -> None:
        self._begin = perf_counter() + patience
        self._wanted = sys.stderr.isatty()
        self._shown: Any = None
        self._task: Any = None

    def show(self, fraction: float) -> None:
        if not self._wanted or perf_counter() < self._begin:
            return
        if self._shown is None:
            from rich.console import Console
            from rich.progress import Progress

            self._shown = Progress(console=Console(stderr=True), transient=True)
            self._shown.start()
            self._task = self._shown.add_task("integrating", total=1.0)
        self._shown.update(self._task, completed=fraction)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()
