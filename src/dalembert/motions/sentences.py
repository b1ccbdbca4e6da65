"""Why a motion failed away from contacts: a sentence with a remedy."""

from __future__ import annotations

import numpy as np

from dalembert.engine.interface import Status, Stepper
from dalembert.language import tr
from dalembert.motions.accelerations import explained, lost
from dalembert.motions.kinked import ROW_TURNS, SENTENCES, stopped_at
from dalembert.motions.native import EngineMotion


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
