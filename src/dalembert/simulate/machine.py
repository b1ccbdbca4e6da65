"""A motion by the compiled steppers: buffers, chunks, progress, and the sentence where it fails."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.motions.accelerations import explained, lost
from dalembert.motions.raw import Crossings, Dense
from dalembert.simulate import advance as steps
from dalembert.simulate import core, dop853, gauss, linear

Progress = Callable[[float], None]
CHUNK_SECONDS = 0.2


@dataclass
class Motion:
    """The state of a computation that can be interrupted, looked at, and resumed."""

    system: CompiledSystem
    calls: core.Calls
    memory: core.Memory
    real: np.ndarray
    whole: np.ndarray
    samples: np.ndarray
    sampled: np.ndarray
    events: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # None where there are no guards
    recorded: np.ndarray
    method: int | None
    chunk: int = 2000
    status: int = field(default=steps.CONTINUE)


def prepare(
    system: CompiledSystem,
    y0: np.ndarray,
    samples: np.ndarray,
    start: float,
    end: float,
    tolerance: float,
    method: str = "dop853",
    step: float | None = None,
    stiff_steps: float = np.inf,
    record: bool = False,
    active: list[int] | None = None,
    excluded: tuple[int, ...] = (),
) -> Motion:
    """Everything allocated for a motion from y0 = (q, v, z); `excluded` guards have a past root at the start."""
    calls = core.calls_of(system, active)
    memory = core.memory_of(system, calls)
    memory.bank[core.OLD, : len(y0)] = y0
    memory.guards[list(excluded), core.EXCLUDED] = 1.0
    real, whole = np.zeros(core.REALS), np.zeros(core.WHOLES, dtype=np.int64)
    real[[core.T, core.T_START, core.T_END]] = start, start, end
    real[core.TOLERANCE], real[core.H_MAX], real[core.STIFF_STEPS] = tolerance, end - start, stiff_steps
    if method == "gauss":
        length = (end - start) / 1000 if step is None else step
        real[core.H] = (end - start) / max(1, round((end - start) / length))
    elif step is not None:
        real[core.H_MAX] = step
    real[core.H_LIMIT] = real[core.H_MAX]
    whole[core.FRESH], whole[core.RANK_PHI], whole[core.RANK_PSI] = 1, -1, -1
    return Motion(
        system, calls, memory, real, whole, np.ascontiguousarray(samples, dtype=float),
        np.zeros((len(samples), max(calls.size, 1))), _event_room(calls, 4),
        np.zeros((64 if record else 0, 2 + 8 * calls.size)), steps.GAUSS if method == "gauss" else steps.DOP853,
    )  # fmt: skip


def _event_room(calls: core.Calls, steps_worth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    if not calls.guard_count:
        return None
    count = calls.guard_count * steps.NODES * steps_worth
    return np.zeros(count), np.zeros((count, 2), dtype=np.int64), np.zeros((count, calls.size))


def run(motion: Motion, progress: Progress | None = None) -> int:
    """On until the motion ends, fails or turns stiff; KeyboardInterrupt passes through with the motion intact."""
    while True:
        began = clock.perf_counter()
        motion.status = int(
            steps.advance(
                motion.method, motion.calls, motion.memory, motion.real, motion.whole, motion.samples, motion.sampled,
                motion.events, motion.recorded, motion.chunk,
            )
        )  # fmt: skip
        took = clock.perf_counter() - began
        if motion.status == steps.NEED_BUFFERS:
            _grow(motion)
            continue
        if motion.status != steps.CONTINUE:
            return motion.status
        motion.chunk = int(np.clip(motion.chunk * CHUNK_SECONDS / max(took, 1e-6), 1, 2 * motion.chunk))
        if progress is not None:
            start, end = motion.real[core.T_START], motion.real[core.T_END]
            progress(float((motion.real[core.T] - start) / (end - start)))


def _grow(motion: Motion) -> None:
    if motion.whole[core.RECORDED] >= len(motion.recorded) > 0:
        motion.recorded = np.concatenate([motion.recorded, np.zeros_like(motion.recorded)])
    if (
        motion.events is not None
        and len(motion.events[0]) - motion.whole[core.EVENTS] < motion.calls.guard_count * steps.NODES
    ):
        motion.events = tuple(np.concatenate([e, np.zeros_like(e)]) for e in motion.events)  # type: ignore[assignment]


def crossings(motion: Motion) -> Crossings:
    """The events so far; a negative mass is none."""
    size, count = motion.calls.size, int(motion.whole[core.EVENTS])
    if motion.events is None:
        nothing = np.zeros(0, int)
        return Crossings(motion.system, np.zeros(0), nothing, nothing, np.zeros((0, size)))
    times, marks, states = (column[:count] for column in motion.events)
    events = marks[:, 0] < len(motion.system.equations.events)
    return Crossings(motion.system, times[events], marks[events, 0], marks[events, 1], states[events])


def dense_of(motion: Motion) -> Dense:
    count, size = int(motion.whole[core.RECORDED]), motion.calls.size
    kept = motion.recorded[:count]
    return Dense(kept[:, 0].copy(), kept[:, 1].copy(), kept[:, 2:].reshape(count, 8, size).copy())


def sentence(motion: Motion) -> str:
    """Why the motion failed."""
    system, status = motion.system, motion.status
    t = motion.real[core.T]
    x = system.state(t, *_parts(motion, motion.memory.bank[core.OLD]))
    if status in {linear.SINGULAR, linear.INCONSISTENT, linear.NONFINITE, linear.OVERDETERMINED}:
        return explained(
            system, motion.memory.bad, status, int(motion.whole[core.ROW]), motion.calls.shape.active.tolist()
        )
    if status == dop853.PROJECTION_FAILED and motion.method == steps.GAUSS:
        return f"at t = {t:.9g} {lost(system, x)}, or the step of {motion.real[core.H]:.3g} is too long"
    if status == dop853.PROJECTION_FAILED:
        return f"at t = {t:.9g} {lost(system, x)}"
    if status == dop853.BLOW_UP:
        return f"at t = {t:.9g} the motion grows beyond all bounds ({_fastest(motion)})"
    if status == steps.MASS_NEGATIVE:
        assert motion.events is not None
        guard = int(motion.events[1][motion.whole[core.EVENTS] - 1, 0])
        body = list(system.equations.masses)[guard - len(system.equations.events)]
        return f"at t = {t:.9g} the mass of {body} becomes negative; end the motion before, or keep the mass positive"
    if status == gauss.NOT_CONVERGED:
        never = ", unless branches of a mechanism cross there" if system.m else ""
        return (
            f"at t = {t:.9g} the equations of a step of {motion.real[core.H]:.3g} cannot be solved by iteration; "
            f"give a smaller step{never}"
        )
    return (
        f"at t = {t:.9g} the step became too small for the tolerance {motion.real[core.TOLERANCE]:.3g} "
        f"({_fastest(motion)}): the motion is singular or not smooth there"
    )


def _parts(motion: Motion, y: np.ndarray) -> tuple[Any, Any, Any]:
    n = motion.system.n
    return y[:n], y[n : 2 * n], y[2 * n : motion.calls.size]


def _fastest(motion: Motion) -> str:
    n, slope = motion.system.n, motion.memory.bank[core.K]
    which = int(np.abs(slope[n : 2 * n]).argmax())
    return f"the acceleration of {motion.system.equations.coordinates[which]} is {slope[n + which]:.3g}"
