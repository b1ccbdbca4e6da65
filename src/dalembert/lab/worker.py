"""The child's side of a worker process: one task after another, with bounds on memory, until the pipe closes.

Messages in: ("job", id, task, arguments, language), ("stop", id, keep). Messages out: ("ready",), then of a job
("progress", id, fraction), ("done", id, answer), ("refused", id, kind, sentence, further). A task that cannot be
stopped from within is ended from without, by the pool.
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

QUIET = 0.1  # seconds between words on progress
REST = 2.0  # seconds without a task, after which what formulas need is loaded
PLAIN = ("check", "motion", "laboratory", "picture")  # tasks that write no formula


class Abandoned(Exception):
    """Nobody waits for this answer any more."""


class WorkerPipe:
    """The worker's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self._said = 0.0

    def progress(self, job: str) -> Callable[[float], None]:
        """Tells how far a task is, and hears whether it is to stop: kept as far as it is, or abandoned."""

        def told(fraction: float) -> None:
            while self.pipe.poll():
                word, which, *rest = self.pipe.recv()
                if word == "stop" and which == job:
                    if rest[0]:
                        raise KeyboardInterrupt  # what a motion ends on, with all that it has
                    raise Abandoned
            if monotonic() - self._said > QUIET:
                self._said = monotonic()
                self.pipe.send(("progress", job, fraction))

        return told


def main(pipe: Connection, memory: int, folder: Path | None = None) -> None:
    """Serve tasks until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the server ends its workers
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # one worker is one core, and threads reserve address space
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
                _bound_memory(memory)  # its size is not that of a computation
                formulas = True
            if word == "job" and not _done(line, *rest):
                return  # after a failure of memory the heap is not to be trusted: the pool starts another


def _done(line: WorkerPipe, job: str, task: str, arguments: Mapping[str, Any], language: str) -> bool:
    """One task, answered in any case and in the language of whoever asks; whether the process can go on."""
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
        refused = "model", tr("the model is nested too deeply to be worked on."), {}
    except MemoryError:
        line.pipe.send(("refused", job, "memory", "", {}))
        return False
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # noqa: BLE001 - our own faults, too, are told in a sentence
        refused = (
            "fault",
            tr("a fault inside dalembert ({name}: {error}). Please report it.", name=type(error).__name__, error=error),
            {},
        )
    line.pipe.send(("refused", job, *refused))
    return True


def _bound_memory(more: int) -> None:
    """At most `more` bytes of address space beyond what is in use now, where that can be bounded."""
    if sys.platform == "win32":
        return
    import resource

    highest = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        used = 8_000_000_000  # of address space, most of it never touched
    with suppress(ValueError, OSError):  # a bound that is set already may be lower
        resource.setrlimit(resource.RLIMIT_AS, (used + more, highest))
