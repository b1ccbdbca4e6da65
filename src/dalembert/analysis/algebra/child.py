"""Runs calls of SymPy that may never end in a child process, which the system ends when it has computed long enough.

The parent writes (module, function, arguments) to the child's stdin and reads the answer from its stdout. Both are
pickled by this package; the text of a model gets there as expressions only. A failure in the child counts as no answer.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from math import ceil
from typing import Any

from dalembert.language import tr

try:
    import resource
    from signal import SIGXCPU
except ImportError:  # Windows does not limit the computing time of a process
    resource = None  # type: ignore[assignment]

SOONEST = 1.5  # with fewer seconds left, no child is started
LONGEST = 30.0  # times the limit: a child that computes nothing for so long is killed, too


def bounded(function: Callable[..., Any], *arguments: Any, seconds: float) -> tuple[Any, str]:
    """The last answer that a generator function yields within the time, or None. Also the reason why it ended early."""
    if seconds < SOONEST:
        return None, tr("there was no time left for it")
    question = pickle.dumps((function.__module__, function.__name__, arguments, ceil(seconds)))
    late = tr("it took more than {seconds:.0f} s", seconds=seconds)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment
    )
    why = ""
    try:
        said, _ = child.communicate(question, timeout=seconds if resource is None else LONGEST * seconds)
        if child.returncode:
            why = late if resource is not None and child.returncode == -SIGXCPU else tr("SymPy could not do it")
    except subprocess.TimeoutExpired:
        child.kill()
        said, _ = child.communicate()
        why = late
    except BaseException:
        child.kill()
        child.communicate()
        raise
    answers = _answers(said)
    return (answers[-1], why) if answers else (None, why or tr("SymPy could not do it"))


def _answers(said: bytes) -> list[Any]:
    """All complete answers. One that was cut off by the limit is dropped."""
    stream, found = io.BytesIO(said), []
    while True:
        try:
            found.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            return found


def main() -> None:
    module, name, arguments, seconds = pickle.load(sys.stdin.buffer)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for answer in getattr(import_module(module), name)(*arguments):
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
