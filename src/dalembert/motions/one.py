"""One motion by the engine: buffers, chunks, progress, and the sentence if it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.engine import library as engine
from dalembert.engine.library import EVENT_KINDS, Status, Stepper
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.tables import ONE_LENGTH, STEPPERS
from dalembert.motions.accelerations import Solution, explained, lost, solve_accelerations
from dalembert.motions.buffers import TERMS, Buffers, Progress, run
from dalembert.motions.kinked import ROW_TURNS, SENTENCES, Kinked, kinked, stopped_at
from dalembert.motions.native import EngineMotion, Native
from dalembert.motions.raw import Crossings, Dense, Raw, Turns
from dalembert.motions.scales import natural_sizes
from dalembert.motions.series import Jet, jet_of
from dalembert.motions.written import Written, written
from dalembert.programs.evaluate import values_of
from dalembert.programs.system import CompiledSystem

# A stiff motion keeps explicit steps if it needs no more of them than this: implicit ones cost more each.
PATIENCE = 2000
GAUSS_STEPS = 1000  # of a motion without a given step
STALLED, LONGEST_STALL = 1e-9, 20_000  # a motion is stuck if that many steps cover less than this fraction of it
CROSSING, KINK = EVENT_KINDS.index("crossing"), EVENT_KINDS.index("kink")


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
    """The motion from y0 = (q, v, z, s) at `start`, at the ascending times `samples`, and how it ended.

    If the mathematics fails, the status is "failed", with a sentence and all samples up to that time.
    """
    times = np.asarray(samples, dtype=float)
    _check(stepper, step, times, start, end)
    kinks = kinked(system)
    if kinks is not None and stepper in ONE_LENGTH:
        raise ModelError(
            tr(
                "the stepper {stepper} has steps of fixed length and does not end them at kinks ({names} = "
                "0); use auto, dop853 or radau for this model",
                stepper=stepper,
                names=kinks.names[0],
            )
        )
    y0 = np.asarray(y0, dtype=float)
    record = record_dense and stepper != "gauss"
    stepper = "dop853" if record and stepper == "taylor" else stepper  # records use DOP853's interpolant
    parts = _written(system, y0, start) if active is None else None
    jet = _jet(system, parts if kinks is None else None, y0, start, tolerance) if stepper == "taylor" else None
    native = Native(system, active, written=parts, jet=jet)
    motion = native.motion()
    motion.set(settings_of(start, end, tolerance, stepper, step), y0, _sizes(system, y0, start, end, active))
    buffers = Buffers.of(times, native.size, 64 + 31 * native.struct.counts.guards, record)
    if kinks is not None:
        buffers.touching(0, system.n + system.reactions)
    try:
        status = run(motion, buffers, start, end, progress, None if kinks is None else Patience(start, end).over)
    except KeyboardInterrupt:
        status = None
    return _raw(motion, buffers, status, stepper, step)


class Patience:
    """Checks that a motion advances: events that no law of decay describes may never end."""

    def __init__(self, start: float, end: float):
        self.least, self.reached, self.made = STALLED * (end - start), start, 0

    def over(self, t: float, steps: int) -> bool:
        if t - self.reached > self.least:
            self.reached, self.made = t, steps
        return steps - self.made > LONGEST_STALL


def between_sides(system: CompiledSystem, x: np.ndarray, first: Solution) -> tuple[Solution, tuple[str, ...]]:
    """The solution at x, and notes on it; at a kink that a model rests at or slides along, between its sides."""
    if kinked(system) is None:
        return first, ()
    t = float(x[0])
    found = integrate(system, x[1 : 1 + system.size], [t], t, t)
    if found.status == "failed":
        return first, (one_side(found.message),)
    if not found.slides or found.forces is None:
        return first, ()
    return replace(first, a=found.forces[0, : system.n], multipliers=found.forces[0, system.n :]), ()


def one_side(why: str) -> str:
    """The note on accelerations at a kink at which no motion can continue."""
    return tr("These accelerations are those on one side of a kink: {why}.", why=why)


def _written(system: CompiledSystem, y0: np.ndarray, start: float) -> Written | None:
    """The written-out programs of the system, if they are valid at the start. With redundant rows they are not."""
    kinks = kinked(system)
    found, n = written(system if kinks is None else kinks.system), system.n
    if found is None or kinks is not None:
        return found
    x = system.state(start, y0[:n], y0[n : 2 * n], y0[2 * n :])
    return found if values_of(found.slopes, x)[n] == 1.0 else None


def _jet(system: CompiledSystem, parts: Written | None, y0: np.ndarray, start: float, tolerance: float) -> Jet:
    slopes = None if parts is None else parts.slopes
    if slopes is None and not system.equations.varying:  # too large to be written out for other steppers
        from dalembert.programs import slopes as ways

        known = ways.slopes(system.equations, system.state(start, *np.split(y0, [system.n, 2 * system.n])), ways.QUICK)
        slopes = None if known is None or known.redundant else known.program
    found = None if slopes is None or system.equations.varying else jet_of(system, slopes, tolerance)
    if found is None:
        raise no_series()
    return found


def no_series() -> ModelError:
    return ModelError(
        tr(
            "the stepper taylor needs equations without abs, sign, min, max or cases, whose constraints are not "
            "redundant and follow Chetaev's rule, and no states, data or controllers; use auto for this model"
        )
    )


def _check(stepper: str, step: float | None, times: np.ndarray, start: float, end: float) -> None:
    if stepper not in STEPPERS:
        raise ModelError(
            tr("{stepper!r} is no stepper: expected one of {steppers}", stepper=stepper, steppers=", ".join(STEPPERS))
        )
    if step is not None and not step > 0:
        raise ModelError(tr("the step is {step!r}: expected a positive number", step=step))
    if end < start:
        raise ModelError(tr("the motion ends at {end!r}, before it starts at {start!r}", end=end, start=start))
    if len(times) and (np.any(np.diff(times) < 0) or times[0] < start or times[-1] > end):
        raise ModelError(tr("the times of samples must ascend from {start!r} to {end!r}", start=start, end=end))


def settings_of(start: float, end: float, tolerance: float, stepper: str, step: float | None) -> engine.Settings:
    longest = end - start if step is None else step
    if stepper in ONE_LENGTH:
        length = (end - start) / GAUSS_STEPS if step is None else step
        longest = (end - start) / max(1, round((end - start) / length)) if end > start else 1.0
    chosen = Stepper.DOP853 if stepper == "auto" else Stepper[stepper.upper()]
    return engine.Settings(start, end, tolerance, longest, PATIENCE, chosen, stepper == "auto")


def _sizes(system: CompiledSystem, y0: np.ndarray, start: float, end: float, active: list[int] | None) -> np.ndarray:
    n = system.n
    x = system.state(start, y0[:n], y0[n : 2 * n], y0[2 * n :])
    return natural_sizes(system, x, solve_accelerations(system, x, active).a, end - start)


def _raw(motion: EngineMotion, buffers: Buffers, status: Status | None, stepper: str, step: float | None) -> Raw:
    system, report, size = motion.native.system, motion.report(), motion.native.size
    n, desk = system.n, buffers.desk
    y = buffers.samples[: desk.sampled, :size]
    events = _crossings(system, buffers)
    word, message = "failed", ""
    if status is None:
        word, message = "interrupted", tr("interrupted at t = {t:.9g}", t=report.t)
    elif status == Status.FINISHED:
        word = "finished"
    elif status == Status.STOPPED_BY_EVENT:
        last = events[-1]
        word, message = (
            "stopped",
            tr("the event {name} ended the motion at t = {time:.9g}", name=last.name, time=last.time),
        )
    else:
        message = sentence(motion, status)
    dense = None
    if buffers.record is not None:
        kept = buffers.record[: desk.recorded]
        dense = Dense(kept[:, 0].copy(), kept[:, 1].copy(), kept[:, 2:].reshape(len(kept), TERMS, size).copy())
    first = "dop853" if stepper == "auto" else stepper
    return Raw(
        t=buffers.times[: desk.sampled], q=y[:, :n], v=y[:, n : 2 * n], z=y[:, 2 * n :], events=events, status=word,
        message=message, end=report.t, end_state=motion.vector(report.y, size), steps=report.steps,
        evaluations=report.evaluations, residual=report.residual, rate_residual=report.rate_residual,
        steppers=(first, "radau") if report.switches else (first,), dense=dense,
        seconds=buffers.seconds,
        turns=_turns(motion.native.kinks, buffers),
        forces=None if buffers.forces is None else buffers.forces[: desk.sampled],
        slides=report.sliding > 0,
    )  # fmt: skip


def _crossings(system: CompiledSystem, buffers: Buffers) -> Crossings:
    """The events so far, without negative masses."""
    found = buffers.events[: buffers.desk.event_count]
    own = (found["kind"] == CROSSING) & (found["index"] < len(system.equations.events))
    states = buffers.before[: buffers.desk.event_count][own]
    return Crossings(
        system, found["time"][own].copy(), found["index"][own].astype(int), found["side"][own].astype(int), states
    )


def _turns(kinks: Kinked | None, buffers: Buffers) -> Turns | None:
    if kinks is None:
        return None
    count = buffers.desk.event_count
    own = buffers.events[:count]["kind"] == KINK
    found = buffers.events[:count][own]
    columns = (found[name].copy() for name in ("time", "side", "energy"))
    states = (part[:count][own] for part in (buffers.before, buffers.after))
    return Turns(kinks.names, found["index"].astype(int), *columns, *states)


def sentence(motion: EngineMotion, status: Status) -> str:
    """Why a motion failed."""
    system, report = motion.native.system, motion.report()
    eq, n, t = system.equations, system.n, report.t
    y = motion.vector(report.y, motion.native.size)
    x = system.state(t, y[:n], y[n : 2 * n], y[2 * n :])
    gauss = report.stepper == Stepper.GAUSS
    status = Status.KINK_STUCK if status == Status.STUCK else status
    if status in SENTENCES and motion.native.kinks is not None:
        rows = ", ".join(row.name for row in eq.constraints)
        return tr(
            "at t = {t:.9g} {kinks}", t=t, kinks=stopped_at(motion.native.kinks, status, report.failed_guard, rows)
        )
    if status in (Status.SINGULAR, Status.INCONSISTENT, Status.NONFINITE, Status.OVERDETERMINED):
        bad = motion.vector(report.bad, len(x))
        return explained(system, bad, int(status), report.row, motion.native.arrays[0].tolist())
    if status == Status.ROW_TURNS:
        return tr("at t = {t:.9g} {kinks}", t=t, kinks=tr(ROW_TURNS, name=eq.constraints[report.row].name))
    if status == Status.PROJECTION_FAILED and gauss:
        return tr(
            "at t = {t:.9g} {system}, or give a step smaller than {h:.3g}", t=t, system=lost(system, x), h=report.h
        )
    if status == Status.PROJECTION_FAILED:
        return tr("at t = {t:.9g} {system}", t=t, system=lost(system, x))
    slope = motion.vector(report.slope, motion.native.size)
    which = int(np.abs(slope[n : 2 * n]).argmax()) if n else 0
    fastest = (
        tr(
            "the acceleration of {coordinates} is {slope:.3g}",
            coordinates=eq.coordinates[which],
            slope=slope[n + which],
        )
        if n
        else ""
    )
    if status == Status.BLOW_UP:
        return tr(
            "at t = {t:.9g} the motion grows beyond all bounds ({fastest}); end the motion before, or check the signs "
            "and sizes of the forces",
            t=t,
            fastest=fastest,
        )
    if status == Status.MASS_NEGATIVE:
        body = list(eq.masses)[report.failed_guard - len(eq.events)]
        return tr(
            "at t = {t:.9g} the mass of {body} becomes negative; end the motion before, or keep the mass positive",
            t=t,
            body=body,
        )
    if status == Status.NOT_CONVERGED and gauss:
        return tr(
            "at t = {t:.9g} the equations of a step of {h:.3g} cannot be solved by iteration; give a smaller "
            "step{never}",
            t=t,
            h=report.h,
            never=tr(", unless branches of a mechanism cross there") if system.m else "",
        )
    if gauss:
        return tr(
            "at t = {t:.9g} accelerations change too much within a step of {h:.3g} ({fastest}): "
            "the motion is singular or not smooth there, or the step is too long; give a smaller "
            "step, or another stepper",
            t=t,
            h=report.h,
            fastest=fastest,
        )
    return tr(
        "at t = {t:.9g} the step became too small for the tolerance ({fastest}): the motion is "
        "singular or not smooth there; end the motion before, or loosen the tolerance",
        t=t,
        fastest=fastest,
    )
