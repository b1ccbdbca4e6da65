"""A progress bar on stderr, for work that takes longer than a second in front of somebody."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Any, Self


def machine_code() -> Path:
    """Where numba keeps what it compiled of the steppers."""
    return Path(__file__).parents[1] / "simulate" / "__pycache__"


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
        if self._wanted and not any(machine_code().glob("*.nbi")):
            print("compiling the steppers for this machine: once, for half a minute or less", file=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()
