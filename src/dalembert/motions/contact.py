"""Computes a motion with contacts and frictions by the engine: events, modes and forces at the samples, and its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dalembert.engine.interface import EVENT_KINDS, Status
from dalembert.motions.buffers import TERMS, Buffers, computed, run
from dalembert.motions.kinked import SENTENCES
from dalembert.motions.native import EngineMotion
from dalembert.motions.raw import Dense, Raw
from dalembert.motions.series import no_series
from dalembert.motions.settled import contact_failure
from dalembert.motions.span import TimeSpan
from dalembert.motions.touching import NativeTouching, of_flights
from dalembert.motions.unilateral import HybridSystem
from dalembert.results.events import MadeOnRead


class HybridEvent(NamedTuple):
    """An event. `which` is the index of the contact, friction or model event; `energy` is the gain in the whole impact.

    `side` is the direction of a crossing, or the first component of a slip. `before` and `after` are states (q, v).
    """

    time: float
    kind: str
    which: int
    impulse: float
    energy: float
    side: float
    before: np.ndarray
    after: np.ndarray


class EventTable(MadeOnRead[HybridEvent]):
    """Events by time, kept as the engine's columns: the fields of its struct `Event`."""

    def __init__(self, columns: np.ndarray, before: np.ndarray, after: np.ndarray):
        order = np.argsort(columns["time"], kind="stable")
        self.columns, self.before, self.after = (part[order] for part in (columns, before, after))

    @property
    def kinds(self) -> np.ndarray:
        """The kinds in words, as in EVENT_KINDS."""
        return np.array(EVENT_KINDS)[self.columns["kind"]]

    @property
    def which(self) -> np.ndarray:
        return self.columns["index"]

    @property
    def times(self) -> np.ndarray:
        return self.columns["time"]

    def __len__(self) -> int:
        return len(self.columns)

    def one(self, place: int) -> HybridEvent:
        event = self.columns[place]
        kind, which = EVENT_KINDS[event["kind"]], int(event["index"])
        reals = {name: float(event[name]) for name in ("time", "impulse", "energy", "side")}
        return HybridEvent(kind=kind, which=which, **reals, before=self.before[place], after=self.after[place])


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridMotion(Raw):
    """A motion with contacts and frictions. A mode has a status for every contact, then for every friction (`laws`)."""

    modes: np.ndarray  # at the samples, as the accelerations, and the multipliers of all rows
    accelerations: np.ndarray
    multipliers: np.ndarray
    end_mode: np.ndarray
    events: EventTable


def run_hybrid(hybrid: HybridSystem, y0: np.ndarray, span: TimeSpan, whole: bool = False) -> HybridMotion:
    """The motion from y0 = (q, v, s) at the start of `span`, at its samples, through every event.

    With `whole` it follows the auxiliary system of the whole-course description, by DOP853. If the mathematics fails,
    the status is "failed", with a sentence and all samples up to that time.
    """
    system, laws = hybrid.system, hybrid.laws
    y0 = np.asarray(y0, dtype=float)
    x = system.along(span.start, y0)
    if whole:
        span = replace(span, stepper="auto")
    else:
        hybrid.check_start(x)
    parts, jet = of_flights(hybrid, span.stepper, span.tolerance)
    if jet is None and span.stepper == "taylor":
        raise no_series()
    native = NativeTouching(hybrid, parts, jet)
    motion = EngineMotion(native)
    if whole:
        from dalembert.motions.whole_course import describe  # other motions need not load it

        describe(motion, hybrid, x)
        hybrid.check_start(x)
    motion.set(span.settings(), y0, hybrid.natural(x, span.length))
    room = 1024 + 8 * (laws.contacts + laws.frictions) + 60 * (native.struct.counts.guards + 1)
    buffers = Buffers.of(np.asarray(span.samples, dtype=float), native.size, room, span.dense)
    buffers.touching(laws.contacts + laws.frictions, system.n + laws.rows)
    return _motion(motion, native, buffers, run(motion, buffers, span), y0, span)


def _motion(
    motion: EngineMotion,
    native: NativeTouching,
    buffers: Buffers,
    status: Status | None,
    y0: np.ndarray,
    span: TimeSpan,
) -> HybridMotion:
    desk, laws, n = buffers.desk, native.hybrid.laws, native.system.n
    count = laws.contacts + laws.frictions
    mode = np.zeros(max(count, 1), np.int32)
    motion.library.dalembert_modes(motion.handle, mode.ctypes.data)
    assert buffers.modes is not None and buffers.forces is not None
    forces = buffers.forces[: desk.sampled]
    found = computed(motion, buffers, status, span.stepper, partial(failure, motion, native))
    rows = None if buffers.record is None else buffers.record[: desk.recorded]
    return HybridMotion(
        **found,
        dense=None if rows is None else pieces(rows, y0, span.start, found["end_state"], found["end"]),
        modes=buffers.modes[: desk.sampled, :count].astype(np.int64),
        accelerations=forces[:, :n],
        multipliers=forces[:, n:],
        end_mode=mode[:count].astype(np.int64),
        events=EventTable(*(part[: desk.event_count] for part in (buffers.events, buffers.before, buffers.after))),
    )


def failure(motion: EngineMotion, native: NativeTouching, status: Status) -> str:
    """Why a motion failed."""
    from dalembert.motions.sentences import sentence

    report, hybrid, u = motion.report(), native.hybrid, native.hybrid.unilateral
    if status in SENTENCES and native.kinks is not None:
        parts: tuple[Any, ...] = (*hybrid.equations.constraints, *u.contacts, *u.frictions)
        return sentence(motion, status, dict.fromkeys(part.name for part in parts))
    if status < Status.CONTRADICTS and status not in (Status.SINGULAR, Status.INCONSISTENT, Status.NONFINITE):
        return sentence(motion, status)
    bad = motion.vector(report.bad, native.system.dynamics.inputs)
    at = bad if bad.any() else hybrid.system.along(report.t, motion.vector(report.y, native.size))
    return contact_failure(hybrid, status, report.t, report.row, at)


def pieces(rows: np.ndarray, y0: np.ndarray, start: float, final: np.ndarray, end: float) -> Dense:
    """The steps, between the given state at the start and the final state: either may lie after an impact."""
    size = len(y0)
    outer = np.zeros((2, TERMS, size))
    outer[0, 7], outer[1, 7] = y0, final
    steps = rows[:, 2:].reshape(len(rows), TERMS, size)
    return Dense(
        np.concatenate([[start - 1.0], rows[:, 0], [end]]),
        np.concatenate([[start], rows[:, 1], [end + 1.0]]),
        np.concatenate([outer[:1], steps, outer[1:]]),
    )
