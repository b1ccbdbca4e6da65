"""Worker processes. Each computes one thing at a time, and is ended and replaced if that exceeds its limits.

A computation goes to a worker that has its model compiled, if there is one. A lane is one part of one page: only its
newest computation counts, and an older one is abandoned. Pictures have the lowest priority.

A worker loads the modules for motions before it reports that it is ready, and those for formulas when it rests or when
a task needs them. The time limit of a task counts from its beginning, after this.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dalembert.lab.limits import Limits
from dalembert.lab.refusal import Refusal
from dalembert.lab.worker import main
from dalembert.language import language, mark, tr

REMEMBERED = 8  # models that a worker presumably has compiled
KEEPING = ("motion", "file")  # tasks that can end early with a partial answer
LATER = 3.0  # seconds after which a further worker is hired
SOON = 0.4  # the same while a computation waits: a short one before it ends sooner than a process starts
STILLBORN = 3  # consecutive workers that may die before they are ready
LESS = mark("ask for less, or start the lab with a larger")
STATUS = {"model": 422, "mathematics": 422, "limit": 422, "memory": 422, "stopped": 409, "fault": 500}


@dataclass(eq=False)
class Job:
    """A computation: its state, and a queue of its messages.

    These are ("progress", x), ("limit", seconds) when its time is over, and at the end ("done", …) or a refusal.
    """

    task: str
    arguments: Mapping[str, Any]
    lane: str | None = None  # of one page; if None, no other job supersedes it
    key: str = ""  # of the compiled model that it needs
    low: bool = False
    language: str = field(default_factory=language)  # of the request
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    told: asyncio.Queue = field(default_factory=asyncio.Queue)
    worker: Worker | None = None
    over: bool = False
    stopping: bool = False
    alarm: asyncio.TimerHandle | None = None

    def end(self, *message: Any) -> None:
        if not self.over:
            self.over = True
            self.told.put_nowait(message)
        if self.alarm is not None:
            self.alarm.cancel()

    def refuse(self, kind: str, sentence: str, further: Mapping[str, Any] | None = None) -> None:
        self.end("refused", Refusal(STATUS[kind], sentence, kind=kind, **(further or {})))


@dataclass(eq=False)
class Worker:
    """The server's side of a worker process."""

    process: Any
    pipe: Connection
    ready: bool = False
    leaving: bool = False
    job: Job | None = None
    compiled: OrderedDict[str, None] = field(default_factory=OrderedDict)
    gone: bool = False

    def tell(self, *message: Any) -> None:
        try:
            self.pipe.send(message)
        except (OSError, ValueError):  # it has just died, and `_listen` will report it
            return


class Pool:
    """A fixed number of workers. Start it inside the event loop that will serve.

    The first worker may be hired before that. Another is hired when a computation has waited for a moment, or some
    seconds after the last one was ready, because the first page needs the processor.
    """

    def __init__(self, limits: Limits, size: int = 2, folder: Path | None = None) -> None:
        self.limits, self.size, self.folder = limits, max(size, 1), folder
        self.workers: list[Worker] = []
        self.jobs: list[Job] = []  # waiting, oldest first
        self._context = multiprocessing.get_context("spawn")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stillborn = 0
        self._hiring = False  # a hire is being considered
        self._closed = False

    def hire(self) -> None:
        if not self.workers:
            self._hire()

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        for worker in self.workers:
            self._hear(worker)
        self.hire()

    def close(self) -> None:
        """End every worker and every computation. A second call has no effect."""
        if self._closed:
            return
        self._closed = True
        for job in [*self.jobs, *(worker.job for worker in self.workers if worker.job)]:
            job.refuse("stopped", tr("the lab was closed."))
        self.jobs.clear()
        for worker in self.workers:
            worker.gone = True
            worker.process.kill()
        for worker in self.workers:
            worker.process.join(2)
            worker.pipe.close()

    def submit(self, job: Job) -> Job:
        """Accept a computation, or refuse it if too many wait."""
        if self._closed or self._stillborn >= STILLBORN:
            raise Refusal(503, tr("no worker process can be started; read the lab's own output."))
        if job.lane is not None:
            for other in [j for j in self.jobs if j.lane == job.lane]:
                self.stop(other)
            for worker in self.workers:
                if worker.job is not None and worker.job.lane == job.lane:
                    self.stop(worker.job)
        if len(self.jobs) >= self.limits.waiting:
            raise Refusal(503, tr("{count} computations wait already; try again in a moment.", count=len(self.jobs)))
        self.jobs.append(job)
        self._dispatch()
        return job

    def stop(self, job: Job, keep: bool = False) -> None:
        """Ask a computation to end: with a partial answer (`keep`, by force after the grace time), or without any."""
        if job.over:
            return
        if job in self.jobs:
            self.jobs.remove(job)
            job.refuse("stopped", tr("the computation was stopped before it began."))
            return
        worker = job.worker
        if worker is None or worker.job is not job:
            return
        job.stopping = True
        worker.tell("stop", job.name, keep)
        if keep and self._loop is not None:
            self._loop.call_later(
                self.limits.grace, self._end, worker, job, "stopped", tr("the computation was stopped.")
            )

    def find(self, name: str) -> Job | None:
        running = [worker.job for worker in self.workers if worker.job is not None]
        return next((job for job in [*self.jobs, *running] if job.name == name), None)

    def _dispatch(self) -> None:
        for job in sorted(self.jobs, key=lambda job: job.low):  # stable: the oldest first, pictures last
            worker = self._worker_for(job)
            if worker is None:
                self._hire_soon()
                continue
            self.jobs.remove(job)
            worker.job, job.worker = job, worker
            if job.key:
                worker.compiled[job.key] = None
                worker.compiled.move_to_end(job.key)
                while len(worker.compiled) > REMEMBERED:
                    worker.compiled.popitem(last=False)
            worker.tell("job", job.name, job.task, job.arguments, job.language)

    def _worker_for(self, job: Job) -> Worker | None:
        idle = [w for w in self.workers if w.ready and w.job is None and not w.leaving]
        if job.low:
            busy = any(worker.job is not None and worker.job.low for worker in self.workers)
            return None if busy or not idle else idle[-1]
        holders = [worker for worker in self.workers if job.key and job.key in worker.compiled]
        for worker in holders:
            if worker in idle:
                return worker
        if any(worker.job is not None and worker.job.lane == job.lane for worker in holders):
            return None  # its worker is about to end the job that this one supersedes
        return idle[0] if idle else None

    def _hire_soon(self) -> None:
        """Hire another worker if a computation still waits after a moment, and no worker is about to be ready."""

        def waited() -> None:
            self._hiring = False
            if self.jobs and all(one.ready for one in self.workers):
                self._hire_more()

        if not self._hiring and self._loop is not None:
            self._hiring = True
            self._loop.call_later(SOON, waited)

    def _hire_more(self) -> None:
        if len(self.workers) < self.size and not self._closed:
            self._hire()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=main, args=(theirs, self.limits.memory, self.folder), daemon=True)
        process.start()
        theirs.close()
        worker = Worker(process, ours)
        self.workers.append(worker)
        if self._loop is not None:
            self._hear(worker)

    def _hear(self, worker: Worker) -> None:
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()

    def _listen(self, worker: Worker) -> None:
        """Pass a worker's messages to the loop. Runs in a separate thread."""
        assert self._loop is not None
        try:
            while True:
                message = worker.pipe.recv()
                self._loop.call_soon_threadsafe(self._heard, worker, message)
        except (EOFError, OSError, RuntimeError):  # it died, or the loop has closed
            if not self._closed:
                self._loop.call_soon_threadsafe(self._lost, worker)

    def _heard(self, worker: Worker, message: tuple[Any, ...]) -> None:
        word, *rest = message
        if word == "ready":
            worker.ready, self._stillborn = True, 0
            assert self._loop is not None
            self._loop.call_later(LATER, self._hire_more)
        elif worker.job is not None and rest[0] == worker.job.name:
            job = worker.job
            if word == "began":
                assert self._loop is not None
                job.alarm = self._loop.call_later(self.limits.seconds, self._late, worker, job)
                return
            if word == "progress":
                if not job.over:
                    job.told.put_nowait(("progress", rest[1]))
                return
            worker.job = None
            if word == "done":
                job.end("done", rest[1])
            elif rest[1] == "memory":
                worker.leaving = True
                job.refuse("memory", self._too_large())
            else:
                job.refuse(*rest[1:])
        if not self._closed:
            self._dispatch()

    def _late(self, worker: Worker, job: Job) -> None:
        """At the time limit a motion keeps its partial answer, as if stopped by hand. Other tasks are ended."""
        if worker.job is not job or worker.gone or self._loop is None:
            return
        sentence = tr(
            "the computation was ended after {seconds:g} s, the limit; {less} --seconds.",
            seconds=self.limits.seconds,
            less=tr(LESS),
        )
        if job.task not in KEEPING:
            self._end(worker, job, "limit", sentence)
            return
        job.told.put_nowait(("limit", self.limits.seconds))
        worker.tell("stop", job.name, True)
        self._loop.call_later(self.limits.grace, self._end, worker, job, "limit", sentence)

    def _end(self, worker: Worker, job: Job, kind: str, sentence: str) -> None:
        """End a computation by ending its process."""
        if worker.job is not job or worker.gone:
            return
        job.refuse(kind, sentence)
        self._replace(worker)

    def _lost(self, worker: Worker) -> None:
        if worker.gone or self._closed:
            return
        if not worker.ready:
            self._stillborn += 1
        if worker.job is not None:
            worker.job.refuse(
                "memory", tr("the computation's process ended unexpectedly. ") + self._too_large().capitalize()
            )
        self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        worker.gone, worker.job = True, None
        worker.process.kill()
        self.workers.remove(worker)
        worker.process.join(1)
        if self._stillborn < STILLBORN and not self._closed:
            self._hire()
        elif not self.workers:
            for job in self.jobs:
                job.refuse("fault", tr("no worker process can be started; read the lab's own output."))
            self.jobs.clear()
        self._dispatch()

    def _too_large(self) -> str:
        size = self.limits.memory / 1e9
        return tr(
            "the computation needed more than {size:.2g} GB of memory, the limit; {less} --memory.",
            size=size,
            less=tr(LESS),
        )
