"""Computes a motion with contacts and frictions by the engine: events, modes and forces at the samples, and its end."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from dalembert.motions.buffers import TERMS, followed
from dalembert.motions.contact_sentences import failure
from dalembert.motions.native import EngineMotion
from dalembert.motions.raw import Dense, Raw
from dalembert.motions.series import no_series
from dalembert.motions.span import TimeSpan
from dalembert.motions.touching import NativeTouching, of_flights
from dalembert.motions.unilateral import HybridSystem


def run_hybrid(hybrid: HybridSystem, y0: np.ndarray, span: TimeSpan, whole: bool = False) -> Raw:
    """The motion from y0 = (q, v, s) at the start of `span`, at its samples, through every event.

    With `whole` it follows the auxiliary system of the whole-course description, by DOP853. If the mathematics fails,
    the status is "failed", with a sentence and all samples up to that time.
    """
    y0 = np.asarray(y0, dtype=float)
    x = hybrid.system.along(span.start, y0)
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
    found = followed(motion, span, partial(failure, native))
    if found.dense is None:
        return found
    return replace(found, dense=between_ends(found.dense, y0, span.start, found.end_state, found.end))


def between_ends(steps: Dense, y0: np.ndarray, start: float, final: np.ndarray, end: float) -> Dense:
    """The steps, between the given state at the start and the final state: either may lie after an impact."""
    outer = np.zeros((2, TERMS, len(y0)))
    outer[0, 7], outer[1, 7] = y0, final
    return Dense(
        np.concatenate([[start - 1.0], steps.starts, [end]]),
        np.concatenate([[start], steps.ends, [end + 1.0]]),
        np.concatenate([outer[:1], steps.coefficients, outer[1:]]),
    )
