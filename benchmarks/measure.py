"""Timing: measured processes, cold commands in turn, and the work that a given accuracy costs."""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, isfinite, log
from typing import Any

from benchmarks import environment


class Failed(Exception):
    """A peer gave up or exceeded its budget; the table shows the text."""


class Worker:
    """A process of `worker.py`."""

    def __init__(self, peer: str, key: str) -> None:
        self.complaints = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 (open as long as the process lives)
        self.process = subprocess.Popen(
            [str(environment.PYTHON), "-m", "benchmarks.worker", peer, key],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints, text=True,
            env=environment.variables(), cwd=environment.ROOT,
        )  # fmt: skip

    def ask(self, budget: float, **question: Any) -> dict[str, Any]:
        """One question, one answer, within `budget` seconds."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self._last_words()) from None
        if not select.select([self.process.stdout], [], [], budget)[0]:
            raise Failed(f"> {budget:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise Failed(self._last_words())
        return json.loads(line)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def _last_words(self) -> str:
        self.process.wait()
        self.complaints.seek(0)
        complaint = self.complaints.read().strip().splitlines()
        return complaint[-1] if complaint else "ended without a word"


@dataclass(slots=True)
class Record:
    """The measurements of one peer on one system; every list has one entry for each repeat."""

    state: list[float] = field(default_factory=list)
    derive: list[float] = field(default_factory=list)
    compile: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)  # from the start of the process to the first motion
    evaluation: list[float] = field(default_factory=list)
    motions: dict[float, list[float]] = field(default_factory=dict)  # tolerance: seconds
    errors: dict[float, float] = field(default_factory=dict)  # tolerance: achieved error
    fault: str = ""

    def work(self, error: float) -> float | None:
        """Seconds to integrate with that achieved error."""
        points = [(self.errors[tolerance], min(seconds)) for tolerance, seconds in self.motions.items()]
        return work_at(points, error)

    def built(self) -> float | None:
        """Seconds to state, derive and compile; None if a peer does not have the step."""
        parts = [min(values) for values in (self.state, self.derive, self.compile) if values]
        return sum(parts) if parts else None


def work_at(points: Sequence[tuple[float, float]], error: float) -> float | None:
    """Interpolate log(seconds) over log(error) on the Pareto front; None if `error` is not reached."""
    front: list[tuple[float, float]] = []
    for e, seconds in sorted((max(e, 1e-16), seconds) for e, seconds in points if isfinite(e)):
        if not front or seconds < front[-1][1]:
            front.append((e, seconds))
    if not front or front[0][0] > error:
        return None
    for (e0, s0), (e1, s1) in pairwise(front):
        if e0 <= error < e1:
            part = (log(error) - log(e0)) / (log(e1) - log(e0))
            return exp(log(s0) + part * (log(s1) - log(s0)))
    return front[-1][1]  # the loosest motion is better than needed; nothing cheaper was measured


def numbers(record: Record, error: float) -> dict[str, float | None]:
    """The columns of one peer on one system, in seconds; the best of the repeats."""
    work, built = record.work(error), record.built()
    return {
        "state": min(record.state, default=None),
        "derive": min(record.derive, default=None),
        "compile": min(record.compile, default=None),
        "first motion": min(record.first, default=None),
        "integrate": work,
        "all together": None if work is None else work + (built or 0.0),
        "evaluation": min(record.evaluation, default=None),
    }


def ratio(theirs: float | None, ours: float | None) -> float | None:
    return theirs / ours if theirs is not None and ours else None


def distance(state: Sequence[float], reference: Sequence[float]) -> float:
    """The largest error of an entry, relative to entries larger than one."""
    return max(abs(a - b) / max(1.0, abs(b)) for a, b in zip(state, reference, strict=True))


def cold(commands: dict[str, list[str]], repeats: int) -> dict[str, list[float]]:
    """CPU seconds of whole processes, run in turn; the first round fills the disk caches and is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(repeats + 1):
        for name, command in commands.items():
            before = os.times()
            try:
                done = subprocess.run(command, capture_output=True, env=environment.variables(), check=False)
            except OSError as fault:
                raise Failed(f"{name}: {fault}") from fault
            if done.returncode:
                lines = done.stderr.decode().strip().splitlines()
                raise Failed(f"{name}: {lines[-1] if lines else 'failed'}")
            after = os.times()
            if turn:
                used = after.children_user - before.children_user + after.children_system - before.children_system
                taken[name].append(used)
    return taken


def middle(values: Sequence[float]) -> float:
    return statistics.median(values)
