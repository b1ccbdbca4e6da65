"""From a compiled system and an initial state to a motion: the choice of stepper, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.errors import ModelError
from dalembert.motions.raw import Raw, crossings_of

if TYPE_CHECKING:
    from dalembert.simulate.machine import Motion

Progress = Callable[[float], None]
STEPPERS = ("auto", "dop853", "gauss", "radau")
# A stiff motion goes on with DOP853 while that needs no more steps than this: Radau's cost hundreds of times more.
PATIENCE = 20_000


def integrate(
    system: CompiledSystem,
    y0: np.ndarray,
    samples: Sequence[float] | np.ndarray,
    start: float,
    end: float,
    tolerance: float = 1e-9,
    stepper: str = "auto",
    step: float | None = None,
    progress: Progress | None = None,
    record_dense: bool = False,
    active: list[int] | None = None,
) -> Raw:
    """The motion from y0 = (q, v, z) at `start`, at the times `samples` (ascending), and how it ended.

    A failure of the mathematics comes back as status "failed" with a sentence and all samples up to there.
    """
    times = np.asarray(samples, dtype=float)
    _check(stepper, step, times, start, end)
    if end == start or not _machine(system) or stepper == "radau":
        return _by_scipy(system, y0, times, start, end, tolerance, stepper, progress)
    return _by_machine(system, y0, times, start, end, tolerance, stepper, step, progress, record_dense, active)


def _check(stepper: str, step: float | None, times: np.ndarray, start: float, end: float) -> None:
    if stepper not in STEPPERS:
        raise ModelError(f"{stepper!r} is no stepper: expected one of {', '.join(STEPPERS)}")
    if step is not None and not step > 0:
        raise ModelError(f"the step is {step!r}: expected a positive number")
    if end < start:
        raise ModelError(f"the motion ends at {end!r}, before it starts at {start!r}")
    if len(times) and (np.any(np.diff(times) < 0) or times[0] < start or times[-1] > end):
        raise ModelError(f"the times of samples must ascend from {start!r} to {end!r}")


def _machine(system: CompiledSystem) -> bool:
    if not (system.n and system.dynamics.address):
        return False
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def _by_machine(
    system: CompiledSystem, y0: Any, times: np.ndarray, start: float, end: float, tolerance: float, stepper: str,
    step: float | None, progress: Progress | None, record: bool, active: list[int] | None,
) -> Raw:  # fmt: skip
    from dalembert.simulate import advance as steps
    from dalembert.simulate import dop853, machine

    method = "gauss" if stepper == "gauss" else "dop853"
    patience = PATIENCE if stepper == "auto" and active is None else np.inf
    record = record and method == "dop853"
    motion = machine.prepare(
        system, np.asarray(y0, dtype=float), times, start, end, tolerance, method, step, patience, record, active
    )
    try:
        status = machine.run(motion, progress)
    except KeyboardInterrupt:
        return _raw(motion, "interrupted", f"interrupted at t = {motion.real[0]:.9g}", method, record)
    if status == dop853.IS_STIFF:
        return _continued(motion, tolerance, end, progress)
    if status == steps.FINISHED:
        return _raw(motion, "finished", "", method, record)
    if status == steps.STOPPED_BY_EVENT:
        last = machine.crossings(motion)[-1]
        return _raw(motion, "stopped", f"the event {last.name} ended the motion at t = {last.time:.9g}", method, record)
    return _raw(motion, "failed", machine.sentence(motion), method, record)


def _raw(motion: Motion, status: str, message: str, method: str, record: bool) -> Raw:
    from dalembert.simulate import core, machine

    n, done = motion.system.n, int(motion.whole[core.SAMPLE])
    y = motion.sampled[:done]
    return Raw(
        t=motion.samples[:done], q=y[:, :n], v=y[:, n : 2 * n], z=y[:, 2 * n :],
        events=machine.crossings(motion), status=status, message=message, end=float(motion.real[core.T]),
        end_state=motion.memory.bank[core.OLD, : motion.calls.size].copy(), steps=int(motion.whole[core.STEPS]),
        evaluations=int(motion.whole[core.EVALUATIONS]), residual=float(motion.real[core.RESIDUAL]),
        rate_residual=float(motion.real[core.RATE_RESIDUAL]), steppers=(method,),
        dense=machine.dense_of(motion) if record else None,
    )  # fmt: skip


def _continued(motion: Motion, tolerance: float, end: float, progress: Progress | None) -> Raw:
    """The rest of a motion that turned stiff, by Radau, joined to what there is."""
    first = _raw(motion, "stiff", "", "dop853", False)
    left = motion.samples[len(first.t) :]
    rest = _by_scipy(motion.system, first.end_state, left, first.end, end, tolerance, "radau", progress)
    return Raw(
        t=np.concatenate([first.t, rest.t]), q=np.concatenate([first.q, rest.q]), v=np.concatenate([first.v, rest.v]),
        z=np.concatenate([first.z, rest.z]), events=first.events.joined(rest.events), status=rest.status,
        message=rest.message, end=rest.end, end_state=rest.end_state, steps=first.steps + rest.steps,
        evaluations=first.evaluations + rest.evaluations, residual=max(first.residual, rest.residual),
        rate_residual=max(first.rate_residual, rest.rate_residual), steppers=("dop853", "radau"),
    )  # fmt: skip


def _by_scipy(
    system: CompiledSystem, y0: Any, times: np.ndarray, start: float, end: float, tolerance: float, stepper: str,
    progress: Progress | None,
) -> Raw:  # fmt: skip
    from dalembert.simulate.stiff import run_scipy

    if stepper == "gauss":
        raise ModelError("the stepper gauss needs machine code, which is not available here; use auto")
    name = "radau" if stepper == "radau" else "dop853"
    method = "Radau" if name == "radau" else "DOP853"
    books = run_scipy(system, y0, times, start, end, tolerance, method, progress)
    n, done = system.n, len(books.sampled)
    y = np.array(books.sampled, dtype=float).reshape(done, 2 * n + system.k)
    return Raw(
        t=times[:done], q=y[:, :n], v=y[:, n : 2 * n], z=y[:, 2 * n :], events=crossings_of(system, books.events),
        status=books.status, message=books.message, end=books.t, end_state=books.y, steps=books.steps,
        evaluations=books.evaluations, residual=books.residual, rate_residual=books.rate_residual, steppers=(name,),
    )  # fmt: skip
