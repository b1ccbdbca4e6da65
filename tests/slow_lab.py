"""A lab on a new machine: its workers compile until a file appears. Arguments: that file, then those of a lab."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from dalembert.lab import pool, tasks, worker

WAITED_FOR = "DALEMBERT_TEST_COMPILED"


def main(pipe: Connection, memory: int) -> None:
    """A worker whose steppers take their time."""
    warm = tasks.warm

    def slowly(compiling: Callable[[float], None]) -> None:
        began = time.monotonic()
        while not Path(os.environ[WAITED_FOR]).exists():
            compiling(time.monotonic() - began)
            time.sleep(0.05)
        warm(lambda seconds: None)

    tasks.warm = slowly
    worker.main(pipe, memory)


if __name__ == "__main__":
    from dalembert.cli.main import run

    os.environ[WAITED_FOR] = sys.argv[1]
    pool.main = main
    sys.exit(run(["lab", *sys.argv[2:]]))
