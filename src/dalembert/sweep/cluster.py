"""A sweep on many machines: tasks of about a second each, on any Dask scheduler.

Every task carries the order (the model, the records) and the values of its motions, and a worker derives and compiles
the order once. This process keeps the results, so that nothing is lost with a worker. Dask gives the tasks of a lost
worker to another one, and a task that Dask gives up on is submitted again. Only a few tasks per thread are under way at
a time, so neither the scheduler nor this process holds more than that.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import cache
from threading import Thread
from time import perf_counter
from typing import Any

from dalembert.errors import DalembertError, ModelError
from dalembert.language import tr
from dalembert.sweep.ensemble import Outcome
from dalembert.sweep.layout import LARGEST
from dalembert.sweep.plan import SweepPlan
from dalembert.sweep.run import GROWTH, PILOT, Results, Workers

TASK_SECONDS = 1.0
AHEAD = 3  # tasks under way for each thread
TRIES = 5  # attempts at a task whose workers are lost
CONNECT, PATIENCE = 15.0, 60.0  # seconds to wait for a scheduler, and for a first worker
Work = Callable[..., Outcome]  # (pickled order, values of the varied quantities) -> the outcome of those motions


class Lost(DalembertError):
    """The cluster, or all workers of a task, are gone. Finished results are kept."""


@contextmanager
def crew(
    cluster: Any, work: Work, chunk: int | None = None, warn: Callable[[str], None] = lambda _: None
) -> Iterator[Workers]:
    """A crew that computes on a cluster: an address, "local", a Dask client or one of Dask's clusters."""
    try:
        import distributed
    except ImportError:
        raise ModelError("a cluster needs the extra 'cluster': pip install 'dalembert[cluster]'") from None
    if isinstance(cluster, distributed.Client):
        yield _crew(cluster, work, chunk, warn)
        return
    with _quiet(), _client(cluster) as client:
        yield _crew(client, work, chunk, warn)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log of lost connections. This module reports them in a sentence."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "distributed.core")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@cache
def messages() -> Any:
    """The event loop of a permanent thread for Dask's messages. Dask itself waits only ten seconds for a thread."""
    from tornado.ioloop import IOLoop

    ready: Future[Any] = Future()

    async def serve() -> None:
        ready.set_result(IOLoop.current())
        await asyncio.Event().wait()

    Thread(target=lambda: asyncio.run(serve()), name="messages of a cluster", daemon=True).start()
    return ready.result()


def _client(cluster: Any) -> Any:
    """A client that is not this process's default, so that other uses of Dask, as in xarray, are not affected."""
    import distributed

    try:
        if cluster == "local":
            return distributed.Client(
                processes=True, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL,
                set_as_default=False, loop=messages(),
            )  # fmt: skip
        return distributed.Client(cluster, timeout=CONNECT, set_as_default=False, loop=messages())
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise ModelError(
            "there is no Dask scheduler at {cluster} ({error}); start one with `dask scheduler`, "
            "and workers with `dask worker`, or take --cluster local",
            cluster=cluster,
            error=error,
        ) from None


def _gone() -> tuple[type[Exception], ...]:
    """The exceptions that Dask raises when the scheduler is gone."""
    from distributed.client import ClosedClientError

    return OSError, CancelledError, ClosedClientError


def _crew(client: Any, work: Work, chunk: int | None, warn: Callable[[str], None]) -> Workers:
    def compute(plan: SweepPlan, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results:
        try:
            yield from _Tasks(client, work, plan, chunk, warn).results(ranges, stop)
        except _gone() as error:
            kind = type(error).__name__
            raise Lost(
                tr("the Dask scheduler is gone ({kind}); what is done is kept, and the same command goes on", kind=kind)
            ) from None

    return compute


class _Tasks:
    """Submits tasks and yields their results as they arrive."""

    def __init__(
        self, client: Any, work: Work, plan: SweepPlan, chunk: int | None, warn: Callable[[str], None]
    ) -> None:
        self.client, self.work, self.plan, self.chunk, self.warn = client, work, plan, chunk, warn
        self.alone = False  # there are no workers now, and the warning was given
        self.order = pickle.dumps(plan.order.without_values())  # once for all tasks
        self.limit = max(1, LARGEST // max(1, plan.columns))
        self.least = plan.at_once()[1]  # a worker's thread takes equally long for fewer motions
        self.size = chunk or max(PILOT, self.least)
        self.running: dict[Any, tuple[int, int, int]] = {}  # future: first, last, tries

    def results(self, ranges: list[tuple[int, int]], stop: Callable[[], bool]) -> Results:
        from distributed import TimeoutError as Slow
        from distributed import wait

        self._await_workers(stop)
        left = list(reversed(ranges))
        try:
            while (left or self.running) and not stop():
                room = AHEAD * max(1, self._watched())
                while left and len(self.running) < room:
                    first, last = left.pop()
                    end = min(last, first + min(self.size, self.limit))
                    self._hand_in(first, end)
                    if end < last:
                        left.append((end, last))
                try:
                    with self.client.as_current():
                        done = wait(list(self.running), timeout=0.5, return_when="FIRST_COMPLETED").done
                except Slow:
                    continue
                for future in done:
                    yield from self._taken(future)
        finally:
            with suppress(*_gone()):
                self.client.cancel(list(self.running), force=True)

    def _watched(self) -> int:
        """The number of threads. A warning is given once if there are none."""
        threads = self._threads()
        if not threads and not self.alone:
            self.warn(tr("the Dask scheduler has no workers left; waiting for some (`dask worker ADDRESS`)"))
        self.alone = not threads
        return threads

    def _hand_in(self, first: int, last: int, tries: int = 1) -> None:
        name = f"motions-{first}-{last}-{self.plan.order.fingerprint[:12]}-{tries}"
        values = self.plan.order.space.values(first, last)
        future = self.client.submit(_timed, self.work, self.order, values, key=name, pure=False)
        self.running[future] = first, last, tries

    def _taken(self, future: Any) -> Results:
        from distributed import KilledWorker

        first, last, tries = self.running.pop(future)
        try:
            outcome, seconds = future.result()
        except (KilledWorker, CancelledError, OSError) as error:
            if self.client.status != "running":
                raise
            if tries >= TRIES:
                raise Lost(
                    tr(
                        "workers were lost {tries} times on the motions {first} to {last} ({name}); what is "
                        "done is kept, and the same command goes on",
                        tries=tries,
                        first=first,
                        last=last - 1,
                        name=type(error).__name__,
                    )
                ) from None
            self._hand_in(first, last, tries + 1)
            return
        if self.chunk is None and tries == 1:
            wanted = max(self.least, int((last - first) / max(seconds, 1e-6) * TASK_SECONDS))
            self.size = min(wanted, self.size * GROWTH)
        yield first, outcome

    def _threads(self) -> int:
        return sum(self.client.nthreads().values())

    def _await_workers(self, stop: Callable[[], bool]) -> None:
        end = perf_counter() + PATIENCE
        while not self._threads():
            if stop():
                return
            if perf_counter() > end:
                raise ModelError("the Dask scheduler has no workers; start some with `dask worker ADDRESS`")
            try:
                self.client.wait_for_workers(1, timeout=1)
            except Exception as error:
                if "TimeoutError" not in type(error).__name__:
                    raise


def _timed(work: Work, order: bytes, values: Any) -> tuple[Outcome, float]:
    """The outcome and its time. The first task of a worker includes the time to derive and compile."""
    began = perf_counter()
    return work(order, values), perf_counter() - began
