"""A lab on a new machine: its workers compile until a file appears. Arguments: that file, then those of a lab.

The smooth stepper is there as soon as a second file is, FILE.some; a model with a comment `# contacts` needs another.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numba

from dalembert.lab import pool, tasks, worker

WAITED_FOR = "DALEMBERT_TEST_COMPILED"


def main(pipe: Connection, memory: int, folder: Path | None = None) -> None:
    """A worker whose steppers take their time."""
    warm, motion = tasks.warm, tasks.motion
    file = Path(os.environ[WAITED_FOR])

    def slowly(compiling: Callable[[float], None], some: Callable[[], None]) -> None:
        began = time.monotonic()
        while not file.exists():
            compiling(time.monotonic() - began)
            if file.with_suffix(".some").exists():
                some()
            time.sleep(0.05)
        warm(lambda seconds: None, some)

    def moved(arguments: tasks.Arguments, told: tasks.Told) -> bytes:
        if "# contacts" in arguments["text"]:
            numba.njit(lambda x: x + 1.0)(1.0)
        return motion(arguments, told)

    tasks.warm, tasks.TASKS["motion"] = slowly, moved
    worker.main(pipe, memory, folder)


if __name__ == "__main__":
    from dalembert.cli.main import run

    os.environ[WAITED_FOR] = sys.argv[1]
    pool.main = main
    sys.exit(run(["lab", *sys.argv[2:]]))
