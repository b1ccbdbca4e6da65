"""The child's side of a worker process: one task after another, with bounds on memory, until the pipe closes.

Messages in: ("job", id, task, arguments, language), ("stop", id, keep). Messages out: ("ready",), then for each job
("began", id) when its modules are loaded, ("progress", id, fraction), ("done", id, answer), ("refused", id, kind,
sentence, further). If a task does not stop, the pool ends its process.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from dalembert.language import speaking, tr
from dalembert.processes import one_thread

QUIET = 0.1  # seconds between messages of progress
REST = 2.0  # seconds without a task before the modules for formulas are loaded
PLAIN = ("check", "motion", "laboratory", "picture")  # tasks that need no formulas


class Abandoned(Exception):
    """The answer is no longer wanted."""


class WorkerPipe:
    """The worker's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self._said = 0.0

    def progress(self, job: str) -> Callable[[float], None]:
        """A function that reports progress and obeys stop requests. The task keeps its partial answer or ends."""

        def told(fraction: float) -> None:
            while self.pipe.poll():
                word, which, *rest = self.pipe.recv()
                if word == "stop" and which == job:
                    if rest[0]:
                        raise KeyboardInterrupt  # a motion then ends with the samples so far
                    raise Abandoned
            if monotonic() - self._said > QUIET:
                self._said = monotonic()
                self.pipe.send(("progress", job, fraction))

        return told


def main(pipe: Connection, memory: int, folder: Path | None = None) -> None:
    """Serve tasks until the other end closes."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole process group, and the server ends its workers
    one_thread(always=True)  # one worker uses one core, and threads would reserve address space
    from dalembert.lab import cache, tasks

    cache.look_beside(folder)
    line = WorkerPipe(pipe)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        tasks.load()
        _bound_memory(memory)
        pipe.send(("ready",))
        formulas = False
        while True:
            waits = formulas or pipe.poll(REST)
            word, *rest = pipe.recv() if waits else ("rest",)
            if not formulas and (word == "rest" or (word == "job" and rest[1] not in PLAIN)):
                tasks.load_formulas()
                _bound_memory(memory)  # the modules do not count as memory of a computation
                formulas = True
            if word == "job" and not _done(line, *rest):
                return  # the process is unreliable after a failure of memory, and the pool starts another


def _done(line: WorkerPipe, job: str, task: str, arguments: Mapping[str, Any], language: str) -> bool:
    """Run one task and send its answer in the language of the request. Return whether the process can continue."""
    line.pipe.send(("began", job))
    with speaking(language):
        return _answered(line, job, task, arguments)


def _answered(line: WorkerPipe, job: str, task: str, arguments: Mapping[str, Any]) -> bool:
    from dalembert.errors import MathematicsError, ModelError
    from dalembert.lab import tasks

    refused: tuple[str, str, dict[str, Any]]
    try:
        answer = tasks.TASKS[task](arguments, line.progress(job))
        line.pipe.send(("done", job, answer))
        return True
    except ModelError as error:
        refused = "model", str(error), tasks.faults_in(arguments, error)
    except MathematicsError as error:
        refused = "mathematics", str(error), {}
    except (Abandoned, KeyboardInterrupt):
        refused = "stopped", tr("the computation was stopped."), {}
    except RecursionError:
        refused = "model", tr("the model is nested too deeply; use definitions for its parts."), {}
    except MemoryError:
        line.pipe.send(("refused", job, "memory", "", {}))
        return False
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # noqa: BLE001 - our own faults get a sentence, too
        refused = (
            "fault",
            tr("a fault inside dalembert ({name}: {error}). Please report it.", name=type(error).__name__, error=error),
            {},
        )
    line.pipe.send(("refused", job, *refused))
    return True


def _bound_memory(more: int) -> None:
    """Limit the address space to `more` bytes beyond its present size, if the system allows it."""
    if sys.platform == "win32":
        return
    import resource

    highest = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        used = 8_000_000_000  # of address space, most of it unused
    with suppress(ValueError, OSError):  # the present limit may be lower
        resource.setrlimit(resource.RLIMIT_AS, (used + more, highest))
