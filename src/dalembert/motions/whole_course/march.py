"""The whole-course description: one auxiliary motion through all impacts, without resets (ZhangMei section 3).

The auxiliary motion (q*, π*) continues through q₁* = 0. There s = sgn q₁* changes sign, and with it the q and q̇ that
are read from it. Its right-hand side is smooth only between these instants. So they are located, as in the segmented
description, and steps end there. Frictions change their modes by the same decisions. If impacts accumulate, or a motion
begins in contact, q₁* stays at zero: contact is sustained, and the segmented description takes over.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np

from dalembert.errors import Fault, ModelError
from dalembert.language import tr
from dalembert.motions.contact import HybridMotion, event_table, pieces, run_hybrid
from dalembert.motions.raw import JumpPieces
from dalembert.motions.span import Span
from dalembert.motions.unilateral import TOUCHING, HybridSystem
from dalembert.motions.whole_course.auxiliary import AuxiliarySystem
from dalembert.motions.whole_course.course import Course, Flights, on_constraints, piece, projected, take_samples
from dalembert.motions.whole_course.events import happen, impact, prepare_slip, settle
from dalembert.motions.whole_course.guards import APEX, CROSSING, search
from dalembert.motions.whole_course.modes import Fails, Modes
from dalembert.programs.modes import OFF

SAME_INSTANT = 200  # number of events at one instant after which a motion counts as stuck


def run_whole_course(hybrid_system: HybridSystem, y0: np.ndarray, span: Span) -> HybridMotion:
    """Like `run_hybrid`, by the auxiliary system. A ModelError names the precondition that a model does not satisfy."""
    y0, samples = np.asarray(y0, dtype=float), np.asarray(span.samples, dtype=float)
    n, modes = hybrid_system.system.n, Modes(hybrid_system)
    x0 = hybrid_system.system.state(span.start, y0[:n], y0[n:])
    auxiliary = AuxiliarySystem(hybrid_system, modes, _restitution(hybrid_system, x0))
    hybrid_system.check_start(x0)
    course = Course(hybrid_system, modes, auxiliary, samples, span.start, y0, Flights(span.start), span.dense)
    status, message = "finished", ""
    try:
        _begin(course)
        _march(course, span)
    except Fails as failure:
        status, message = "failed", str(failure)
    except KeyboardInterrupt:
        status, message = "interrupted", tr("interrupted at t = {t:.9g}", t=course.t)
    if course.stopped:
        status, message = "stopped", course.stopped
    motion = _motion(course, y0, span.start, status, message)
    if status != "finished" or not course.closed:
        return motion
    left = replace(span, start=course.t, samples=samples[len(motion.times) :], stepper="auto")
    return _joined(motion, run_hybrid(hybrid_system, motion.end_state, left))


def _restitution(hybrid_system: HybridSystem, x: np.ndarray) -> float:
    contacts = hybrid_system.unilateral.contacts
    if len(contacts) != 1:
        return 1.0  # refused with the other preconditions
    value = float(hybrid_system.function(x)[-1])
    if not 0.0 < value <= 1.0:
        message = tr(
            'description = "whole-course" does not apply: the restitution is {value:g}, and '
            'Ivanov\'s substitution needs one greater than 0 and at most 1; use "segmented"',
            value=value,
        )
        raise ModelError([Fault("contacts", f"{contacts[0].name}.restitution", None, message)])
    return value


def _begin(course: Course) -> None:
    """Set the first mode, s and σ, and the auxiliary state. A closed gap that closes further is an impact at once."""
    system, modes = course.auxiliary, course.modes
    course.y = y = projected(course, course.t, course.y, modes.active())
    x = course.x(course.t, y)
    rate, tiny = float(course.hybrid.system.velocity(x)[course.hybrid.laws.bilateral]), modes.tiny_speed(x)
    gap, slow = float(course.hybrid.gaps(x)[0]), abs(rate) <= tiny
    touching = abs(gap) <= TOUCHING
    modes.settle(x, touching and slow, set(), set())
    for j in range(modes.laws.frictions):
        prepare_slip(course, j, x, OFF)
    if modes.touches():
        return
    acceleration = _gap_acceleration(course, x)
    course.powers |= {APEX: 1} if slow else {}
    course.powers |= {CROSSING: 2 if slow else 1} if touching else {}
    system.sigma = 1.0 if (acceleration if slow else rate) > 0.0 else -1.0
    system.alpha = abs(acceleration) or rate**2 / (2.0 * gap or 1.0) or 1.0
    course.go_on_from(y)
    if touching and rate < -tiny:
        impact(course)
        settle(course, set(), set())
    take_samples(course, lambda _: course.now(), course.t, True)


def _gap_acceleration(course: Course, x: np.ndarray) -> float:
    a, _, b = course.modes.accelerations(x)
    m, row = course.hybrid.laws.rows, course.hybrid.laws.bilateral
    gradient = course.hybrid.system.velocity(x)[m + row * len(a) : m + (row + 1) * len(a)]
    return float(gradient @ a - b[row])


def _march(course: Course, span: Span) -> None:
    """Step by DOP853 from event to event."""
    from scipy.integrate import DOP853

    end, tolerance = span.end, span.tolerance
    at_once, last, told, h = 0, -np.inf, clock.perf_counter(), None
    while course.t < end and course.Y is not None and not course.stopped:
        solver = DOP853(
            course.auxiliary.slope,
            course.t,
            course.Y,
            end,
            rtol=max(tolerance, 2.3e-14),
            atol=tolerance * np.maximum(np.abs(course.Y), 1e-3),
            first_step=None if h is None else min(h, end - course.t),
            max_step=np.inf if span.step is None else span.step,
        )
        while course.t < end and not _step(course, solver):
            if span.progress is not None and clock.perf_counter() - told > 0.2:
                told = clock.perf_counter()
                span.progress((course.t - span.start) / span.length)
        h = solver.h_abs
        at_once = at_once + 1 if course.t == last else 0
        last = course.t
        if at_once > SAME_INSTANT:
            raise Fails(
                tr(
                    "at t = {t:.9g} the state of contacts and frictions changes again and again without time "
                    'advancing; loosen the tolerance, or use description = "segmented"',
                    t=course.t,
                )
            )


def _step(course: Course, solver) -> bool:  # type: ignore[no-untyped-def]
    """Make one step. Return True if the next one needs a new leg."""
    system, modes = course.auxiliary, course.modes
    system.failure = ""
    with np.errstate(all="ignore"):
        solver.step()
    if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
        raise Fails(
            system.failure
            or tr(
                "at t = {t:.9g} the step became too small to go on; loosen the tolerance, or use "
                'description = "segmented"',
                t=course.t,
            )
        )
    course.steps += 1
    between, t_new, new = solver.dense_output(), solver.t, solver.y
    if modes.active():
        y = on_constraints(course, t_new, new)
        new = system.encoded(t_new, y[: system.n], y[system.n :])
        solver.y, solver.f = new, system.slope(t_new, new)

    def at(t: float) -> np.ndarray:
        return new if t >= t_new else between(t)

    until, hits = search(course, at, course.t, t_new)
    take_samples(course, lambda t: on_constraints(course, t, at(t)), until, not hits)
    if course.record:
        course.pieces.append(piece(course, at, course.t, until))
    course.powers = {}
    for friction in modes.frictions:
        friction.from_rest = 0
    course.t, course.Y = until, at(until).copy()
    if hits:
        happen(course, hits)
        if not course.closed:
            take_samples(course, lambda _: course.now(), course.t, True)
        return True
    y = course.now()
    worn = system.worn(until, y[: system.n])
    if worn:
        course.go_on_from(y)
    return worn


def _motion(course: Course, y0: np.ndarray, start: float, status: str, message: str) -> HybridMotion:
    final = course.now()
    done, size, width = len(course.sampled), 2 * course.auxiliary.n, len(course.modes.statuses())
    rows = np.array(course.pieces).reshape(len(course.pieces), 2 + 8 * size)
    return HybridMotion(
        status=status,
        message=message,
        times=course.samples[:done],
        states=np.array(course.sampled).reshape(done, size),
        modes=np.array(course.marks, dtype=np.int64).reshape(done, width),
        events=event_table(course.events, size),
        steps=course.steps,
        evaluations=course.modes.evaluations,
        residual=course.residual,
        rate_residual=course.rate_residual,
        end=course.t,
        end_state=final,
        end_mode=course.modes.statuses(),
        dense=pieces(rows, y0, start, final, course.t) if course.record else None,
    )


def _joined(first: HybridMotion, rest: HybridMotion) -> HybridMotion:
    """A motion joined with its continuation."""
    dense = None
    if first.dense is not None and rest.dense is not None:
        parts = zip(
            (first.dense.starts, first.dense.ends, first.dense.coefficients),
            (rest.dense.starts, rest.dense.ends, rest.dense.coefficients),
            strict=True,
        )
        dense = JumpPieces(*(np.concatenate([a[:-1], b[1:]]) for a, b in parts))
    return replace(
        rest,
        times=np.concatenate([first.times, rest.times]),
        states=np.concatenate([first.states, rest.states]),
        modes=np.concatenate([first.modes, rest.modes]),
        events=event_table((*first.events, *rest.events), first.states.shape[1]),
        steps=first.steps + rest.steps,
        evaluations=first.evaluations + rest.evaluations,
        residual=max(first.residual, rest.residual),
        rate_residual=max(first.rate_residual, rest.rate_residual),
        dense=dense,
        accelerations=None,
        multipliers=None,
    )
