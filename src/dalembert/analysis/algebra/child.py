"""Runs calls of SymPy that may never end in a child process, which the system ends when it has computed long enough.

A process of one thread is forked, so that its child has all modules at once. Otherwise another one is started: the
parent writes (module, function, arguments) to its stdin. Answers are pickled by this package; the text of a model gets
there as expressions only. A failure in the child counts as no answer.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from math import ceil
from select import select
from time import monotonic
from typing import Any, BinaryIO

from dalembert.analysis.algebra.work import TooMuchError
from dalembert.language import tr
from dalembert.processes import LIMITED, ended_by_limit, limit_computing

SOONEST = 1.5  # with fewer seconds left, no child is started
LONGEST = 30.0  # times the limit: a child that computes nothing for so long is killed, too
THREADS = "/proc/self/task"  # Linux: a folder for each thread of this process
TOO_MUCH = "too much"  # what a child says in place of an answer


def bounded(function: Callable[..., Any], *arguments: Any, seconds: float) -> tuple[Any, str]:
    """The last answer that a generator function yields within the time, or None. Also the reason why it ended early."""
    if seconds < SOONEST:
        return None, tr("there was no time left for it")
    run = _forked if _alone() else _started
    said, status = run(function, arguments, seconds)
    answers = _answers(said)
    much = bool(answers) and answers[-1] == TOO_MUCH
    if much:
        answers.pop()
    if status is None or ended_by_limit(status):
        why = tr("it took more than {seconds:.0f} s", seconds=seconds)
    elif much:
        why = tr("it needs too many operations")
    else:
        why = tr("SymPy could not do it") if status or not answers else ""
    return (answers[-1] if answers else None), why


def _alone() -> bool:
    """Whether this process has one thread, and may be forked."""
    return LIMITED and os.path.isdir(THREADS) and len(os.listdir(THREADS)) == 1


def _forked(function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> tuple[bytes, int | None]:
    """What a copy of this process says, and its status: None if it was killed because nothing came for too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.close(reading)
            limit_computing(ceil(seconds))
            with os.fdopen(writing, "wb") as stream:
                _say(function(*arguments), stream)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    said, late, end = bytearray(), False, monotonic() + LONGEST * seconds
    with os.fdopen(reading, "rb", buffering=0) as stream:
        try:
            while not (late := not select([stream], [], [], max(0.0, end - monotonic()))[0]):
                part = stream.read(1 << 16)
                if not part:
                    break
                said += part
        finally:
            if late or sys.exc_info()[0] is not None:
                os.kill(child, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return bytes(said), None if late else status


def _started(function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> tuple[bytes, int | None]:
    """The same from another process."""
    question = pickle.dumps((function.__module__, function.__name__, arguments, ceil(seconds)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        said, _ = child.communicate(question, timeout=LONGEST * seconds if LIMITED else seconds)
        return said, child.returncode
    except subprocess.TimeoutExpired:
        child.kill()
        return child.communicate()[0], None
    except BaseException:
        child.kill()
        child.communicate()
        raise


def _answers(said: bytes) -> list[Any]:
    """All complete answers. One that was cut off by the limit is dropped."""
    stream, found = io.BytesIO(said), []
    while True:
        try:
            found.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return found


def _say(answers: Iterator[Any], stream: BinaryIO) -> None:
    try:
        for answer in answers:
            pickle.dump(answer, stream)
            stream.flush()
    except TooMuchError:
        pickle.dump(TOO_MUCH, stream)


def main() -> None:
    module, name, arguments, seconds = pickle.load(sys.stdin.buffer)
    limit_computing(seconds)
    _say(getattr(import_module(module), name)(*arguments), sys.stdout.buffer)


if __name__ == "__main__":
    main()
