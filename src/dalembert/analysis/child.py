"""Calls of SymPy that may never end, in a process of their own that is ended at the limit.

The parent writes (module, function, arguments) to the child's stdin and reads the answer from its stdout, both pickled
by this package itself; model text never gets there but as expressions. A fault in the child counts as no answer.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

SOONEST = 1.5  # seconds below which it is not worth starting


def bounded(function: Callable[..., Any], *arguments: Any, seconds: float) -> tuple[Any, str]:
    """What the function of a module returns, or None and the reason why there is no answer within the time."""
    if seconds < SOONEST:
        return None, "there was no time left for it"
    question = pickle.dumps((function.__module__, function.__name__, arguments))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=question,
            capture_output=True,
            timeout=seconds,
            env=environment,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return None, f"it took more than {seconds:.0f} s"
    except (subprocess.CalledProcessError, OSError):
        return None, "SymPy could not do it"
    return pickle.loads(done.stdout), ""


def main() -> None:
    module, name, arguments = pickle.load(sys.stdin.buffer)
    answer = getattr(import_module(module), name)(*arguments)
    sys.stdout.buffer.write(pickle.dumps(answer))


if __name__ == "__main__":
    main()
