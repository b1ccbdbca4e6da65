"""One motion by the engine: buffers, chunks, progress, and the sentence if it fails."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.tables import ONE_LENGTH
from dalembert.motions.accelerations import Solution, solve_accelerations
from dalembert.motions.buffers import followed
from dalembert.motions.kinked import kinked
from dalembert.motions.native import EngineMotion, Native
from dalembert.motions.raw import Raw
from dalembert.motions.scales import natural_sizes
from dalembert.motions.series import Jet, jet_of, no_series
from dalembert.motions.span import TimeSpan, require_stepper
from dalembert.motions.written import Written, written
from dalembert.programs.system import CompiledSystem


def integrate(system: CompiledSystem, y0: np.ndarray, span: TimeSpan) -> Raw:
    """The motion from y0 = (q, v, z, s) at the start of `span`, at its samples, and how it ended.

    If the mathematics fails, the status is "failed", with a sentence and all samples up to that time.
    """
    _check(span)
    kinks = kinked(system)
    if kinks is not None and span.stepper in ONE_LENGTH:
        raise ModelError(
            "the stepper {stepper} has steps of fixed length and does not end them at kinks ({names} = "
            "0); use auto, dop853 or radau for this model",
            stepper=span.stepper,
            names=kinks.names[0],
        )
    y0 = np.asarray(y0, dtype=float)
    if span.dense and span.stepper == "taylor":
        span = replace(span, stepper="dop853")  # records use DOP853's interpolant
    parts = _written(system, y0, span.start)
    jet = _jet(system, parts if kinks is None else None, y0, span) if span.stepper == "taylor" else None
    native = Native(system, written=parts, jet=jet)
    motion = EngineMotion(native)
    x = system.along(span.start, y0)
    motion.set(span.settings(), y0, natural_sizes(system, x, solve_accelerations(system, x).a, span.length))
    return followed(motion, span, partial(_why, native))


def between_sides(system: CompiledSystem, x: np.ndarray, first: Solution) -> tuple[Solution, tuple[str, ...]]:
    """The solution at x, and notes on it; at a kink that a model rests at or slides along, between its sides."""
    if kinked(system) is None:
        return first, ()
    t = float(x[0])
    found = integrate(system, x[1 : 1 + system.size], TimeSpan(t, t, [t]))
    if found.status == "failed":
        return first, (one_side(found.message),)
    if not found.slides:
        return first, ()
    return replace(first, a=found.accelerations[0], multipliers=found.multipliers[0]), ()


def one_side(why: str) -> str:
    """The note on accelerations at a kink at which no motion can continue."""
    return tr("These accelerations are those on one side of a kink: {why}.", why=why)


def _written(system: CompiledSystem, y0: np.ndarray, start: float) -> Written | None:
    """The written-out programs of the system, if they are valid at the start. With redundant rows they are not."""
    kinks = kinked(system)
    found, n = written(system if kinks is None else kinks.system), system.n
    if found is None or kinks is not None:
        return found
    x = system.along(start, y0)
    slopes = found.functions(level=system.level)["slopes"]
    assert slopes is not None
    return found if slopes.by_machine(x)[n] == 1.0 else None


def _jet(system: CompiledSystem, parts: Written | None, y0: np.ndarray, span: TimeSpan) -> Jet:
    slopes = None if parts is None else parts.slopes
    if slopes is None and not system.equations.varying:  # too large to be written out for other steppers
        from dalembert.programs import slopes as ways

        known = ways.slopes(system.equations, system.along(span.start, y0), ways.QUICK)
        slopes = None if known is None or known.redundant else known.program
    found = None if slopes is None or system.equations.varying else jet_of(system, slopes, span.tolerance)
    if found is None:
        raise no_series()
    return found


def _check(span: TimeSpan) -> None:
    start, end, times = span.start, span.end, np.asarray(span.samples, dtype=float)
    require_stepper(span.stepper, span.step, span.length)
    if end < start:
        raise ModelError("the motion ends at {end!r}, before it starts at {start!r}", end=end, start=start)
    if len(times) and (np.any(np.diff(times) < 0) or times[0] < start or times[-1] > end):
        raise ModelError("the times of samples must ascend from {start!r} to {end!r}", start=start, end=end)


def _why(native: Native, report: engine.Report, status: Status) -> str:
    from dalembert.motions.sentences import sentence  # a motion that succeeds need not load them

    return sentence(native, report, status)
