"""Memory for the results of a motion, and the loop that runs the engine chunk by chunk."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import EVENT_KINDS, Status
from dalembert.language import tr
from dalembert.motions.native import EngineMotion, Native, vector
from dalembert.motions.raw import Dense, EventTable, Raw
from dalembert.motions.series import FIRST
from dalembert.motions.span import TimeSpan
from dalembert.programs.functions import PAYS_AFTER

CHUNK_SECONDS = 0.2
TERMS = engine.TERMS  # of an interpolant
CROSSING = EVENT_KINDS.index("crossing")


@dataclass
class Buffers:
    """Samples, events and records of a motion, and the struct that hands them to the engine."""

    times: np.ndarray
    samples: np.ndarray
    events: np.ndarray
    before: np.ndarray
    after: np.ndarray
    record: np.ndarray | None
    desk: engine.Desk
    modes: np.ndarray  # of contacts and frictions at the samples
    forces: np.ndarray  # a, then the multipliers of all rows, at the samples
    seconds: float = 0.0  # time that the engine has taken

    @staticmethod
    def of(native: Native, span: TimeSpan) -> Buffers:
        """Memory for a motion. Modes and forces are kept with kinks, contacts and frictions only."""
        times, size, counts = np.ascontiguousarray(span.samples, dtype=float), native.size, native.struct.counts
        modes = counts.contacts + counts.frictions
        forces = counts.n + counts.reactions if modes or counts.switches else 0
        events = 64 + 60 * counts.guards + (1024 + 8 * modes if modes else 0)
        record = span.dense and span.stepper != "gauss"
        buffers = Buffers(
            times, np.zeros((len(times), max(size, 1))),
            np.zeros(events, engine.Event), np.zeros((events, size)), np.zeros((events, size)),
            np.zeros((64, 2 + TERMS * size)) if record else None, engine.Desk(sample_count=len(times)),
            np.zeros((len(times), max(modes, 1)), np.int32), np.zeros((len(times), forces)),
        )  # fmt: skip
        buffers.connect()
        return buffers

    def connect(self) -> None:
        """Give the engine the addresses of the buffers."""
        desk = self.desk
        desk.sample_times, desk.samples = self.times.ctypes.data, self.samples.ctypes.data
        desk.events, desk.before, desk.after = (part.ctypes.data for part in (self.events, self.before, self.after))
        desk.event_room = len(self.events)
        if self.record is not None:
            desk.record, desk.record_room = self.record.ctypes.data, len(self.record)
        if self.forces.shape[1]:
            desk.modes, desk.forces = self.modes.ctypes.data, self.forces.ctypes.data

    def grow(self) -> None:
        """Double the memory for events, and for records if they are full."""
        self.events, self.before, self.after = (
            np.concatenate([part, np.zeros_like(part)]) for part in (self.events, self.before, self.after)
        )
        if self.record is not None and self.desk.recorded >= len(self.record):
            self.record = np.concatenate([self.record, np.zeros_like(self.record)])
        self.connect()


def run(motion: EngineMotion, buffers: Buffers, span: TimeSpan) -> Status | None:
    """Run until the motion ends or fails, or until an interrupt, which leaves the motion intact: None."""
    try:
        return _run(motion, buffers, span)
    except KeyboardInterrupt:
        return None


def _run(motion: EngineMotion, buffers: Buffers, span: TimeSpan) -> Status | None:
    chunk, optimized = 2000, False
    while True:
        if span.most_steps is not None:
            left = span.most_steps - motion.report().steps
            if left <= 0:
                return None
            chunk = min(chunk, left)
        began = clock.perf_counter()
        status = motion.run(buffers.desk, chunk)
        took = clock.perf_counter() - began
        buffers.seconds += took
        if status == Status.NEED_ROOM:
            buffers.grow()
            continue
        if status != Status.CONTINUE:
            return status
        if not optimized and motion.report().evaluations > PAYS_AFTER:
            motion.native.optimize()
            optimized = True
        chunk = int(np.clip(chunk * CHUNK_SECONDS / max(took, 1e-6), 1, 2 * chunk))
        if span.progress is not None:
            span.progress(float((motion.report().t - span.start) / span.length))


def followed(motion: EngineMotion, span: TimeSpan, why: Callable[[engine.Report, Status], str]) -> Raw:
    """The motion from its start until it ends, fails or is interrupted. `why` tells a failure."""
    native, buffers = motion.native, Buffers.of(motion.native, span)
    status = run(motion, buffers, span)
    report, desk = motion.report(), buffers.desk
    word, message = _ended(native, buffers, report, status, why)
    automatic = span.stepper == "auto"
    series = automatic and native.struct.counts.jet_order and report.steps > FIRST
    steppers = ("dop853" if automatic else span.stepper, "taylor" if series else "", "radau" if report.switches else "")
    dense = None
    if buffers.record is not None:
        kept = buffers.record[: desk.recorded].copy()
        dense = Dense(kept[:, 0], kept[:, 1], kept[:, 2:].reshape(len(kept), TERMS, native.size))
    end_mode, forces = motion.modes(), buffers.forces[: desk.sampled]
    return Raw(
        status=word, message=message, times=buffers.times[: desk.sampled],
        states=buffers.samples[: desk.sampled, : native.size], end=report.t,
        end_state=vector(report.y, native.size), steps=report.steps, evaluations=report.evaluations,
        residual=report.residual, rate_residual=report.rate_residual,
        steppers=tuple(name for name in steppers if name), seconds=buffers.seconds,
        events=EventTable(*(part[: desk.event_count] for part in (buffers.events, buffers.before, buffers.after))),
        dense=dense, modes=buffers.modes[: desk.sampled, : len(end_mode)].astype(np.int64), end_mode=end_mode,
        accelerations=forces[:, : native.system.n], multipliers=forces[:, native.system.n :],
        slides=report.sliding > 0,
    )  # fmt: skip


def _ended(
    native: Native, buffers: Buffers, report: engine.Report, status: Status | None,
    why: Callable[[engine.Report, Status], str],
) -> tuple[str, str]:  # fmt: skip
    """How a motion ended, in a word and in a sentence."""
    if status is None:
        return "interrupted", tr("interrupted at t = {t:.9g}", t=report.t)
    if status == Status.FINISHED:
        return "finished", ""
    if status != Status.STOPPED_BY_EVENT:
        return "failed", why(report, status)
    found = buffers.events[: buffers.desk.event_count]
    last = found[found["kind"] == CROSSING][-1]
    name = list(native.system.equations.events)[last["index"]]
    return "stopped", tr("the event {name} ended the motion at t = {time:.9g}", name=name, time=float(last["time"]))
