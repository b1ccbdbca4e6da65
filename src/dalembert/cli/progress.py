"""The progress of a motion on stderr."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Self

from dalembert.language import tr


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
            self._task = self._shown.add_task(tr("integrating"), total=1.0)
        self._shown.update(self._task, completed=fraction)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()
