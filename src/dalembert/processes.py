"""Processes: the computing time that they have used and may use, and the threads of linear algebra."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from signal import Signals
from time import monotonic, process_time

try:
    import resource
except ImportError:  # Windows has no such counts and limits
    resource = None  # type: ignore[assignment]

LIMITED = resource is not None  # whether the system ends a process that has computed long enough
BLAS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def computed() -> float:
    """The seconds that this process and its ended children have computed."""
    if resource is None:
        return monotonic()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def limit_computing(seconds: int) -> None:
    """Let the system end this process after so many seconds of computing, if it can."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def ended_by_limit(status: int) -> bool:
    """Whether an exit status, as `subprocess` gives it, is that of a process that has computed too long."""
    return LIMITED and status == -Signals["SIGXCPU"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of reference cycles.

    Expressions and programs are many small objects that live long and hold no cycles. The collector would go through
    all of them again and again.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def one_thread(environment: MutableMapping[str, str] = os.environ, always: bool = False) -> None:
    """One thread for linear algebra. Matrices are small: more threads would only wait for each other."""
    for name in BLAS:
        if always or name not in environment:
            environment[name] = "1"
