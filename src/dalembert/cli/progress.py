"""What is told on stderr while somebody waits: that steppers are compiled, and how far a motion is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Self

from dalembert.cli.signals import interrupting

LONG = 2.0  # seconds of compiling that are worth a word where nobody may be looking


@contextmanager
def compiling() -> Iterator[Callable[[], bool]]:
    """Say that machine code is being made, where it is: at once at a terminal, elsewhere when it takes its time.

    Open it when the model has been read: it loads numba, which a fault of the call need not wait for. Ctrl-C ends the
    compiling between two functions; what is given does so too, and answers whether there was anything to end.
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
    """`show(fraction)` as often as there is something to tell; nothing appears where stderr is no terminal."""

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
