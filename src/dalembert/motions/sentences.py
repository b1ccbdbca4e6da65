"""Why a motion failed away from contacts: a sentence with a remedy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status, Stepper
from dalembert.language import Sentences, tr
from dalembert.motions.accelerations import explained, lost
from dalembert.motions.kinked import ROW_TURNS, SENTENCES, stopped_at
from dalembert.motions.native import Native, vector

WHY: Sentences = {
    "lost by gauss": "at t = {t:.9g} {system}, or give a step smaller than {h:.3g}",
    "lost": "at t = {t:.9g} {system}",
    "grows": "at t = {t:.9g} the motion grows beyond all bounds ({fastest}); end the motion before, or check the signs "
    "and sizes of the forces",
    "negative mass": "at t = {t:.9g} the mass of {body} becomes negative; end the motion before, or keep the mass "
    "positive",
    "unsolved": "at t = {t:.9g} the equations of a step of {h:.3g} cannot be solved by iteration; give a smaller "
    "step{never}",
    "torn": "at t = {t:.9g} accelerations change too much within a step of {h:.3g} ({fastest}): "
    "the motion is singular or not smooth there, or the step is too long; give a smaller "
    "step, or another stepper",
    "too small": "at t = {t:.9g} the step became too small for the tolerance ({fastest}): the motion is "
    "singular or not smooth there; end the motion before, or loosen the tolerance",
}


def sentence(native: Native, report: engine.Report, status: Status, rows: Iterable[str] | None = None) -> str:
    """Why a motion failed. `rows` are the names of all that acts at kinks, if those are not the constraints alone."""
    system, eq, n, t = native.system, native.system.equations, native.system.n, report.t
    x = system.along(t, vector(report.y, native.size))
    facts = {"t": t, "h": report.h}
    gauss = report.stepper == Stepper.GAUSS
    status = Status.KINK_STUCK if status == Status.STUCK else status
    if status in SENTENCES and native.kinks is not None:
        names = ", ".join(rows or [row.name for row in eq.constraints])
        kinks = stopped_at(native.kinks, status, report.failed_guard, names)
        return tr("at t = {t:.9g} {kinks}", t=t, kinks=kinks)
    if status in (Status.SINGULAR, Status.INCONSISTENT, Status.NONFINITE, Status.OVERDETERMINED):
        return explained(system, vector(report.bad, len(x)), int(status), report.row, native.tables["rows"])
    if status == Status.ROW_TURNS:
        return tr("at t = {t:.9g} {kinks}", t=t, kinks=tr(ROW_TURNS, name=eq.constraints[report.row].name))
    if status == Status.PROJECTION_FAILED:
        return tr(WHY["lost by gauss" if gauss else "lost"], **facts, system=lost(system, x))
    if status == Status.MASS_NEGATIVE:
        return tr(WHY["negative mass"], **facts, body=list(eq.masses)[report.failed_guard - len(eq.events)])
    if status == Status.NOT_CONVERGED and gauss:
        never = tr(", unless branches of a mechanism cross there") if system.m else ""
        return tr(WHY["unsolved"], **facts, never=never)
    a, fastest = vector(report.slope, native.size)[n : 2 * n], ""
    if n:
        which = int(np.abs(a).argmax())
        name, slope = eq.coordinates[which], a[which]
        fastest = tr("the acceleration of {coordinates} is {slope:.3g}", coordinates=name, slope=slope)
    key = "grows" if status == Status.BLOW_UP else "torn" if gauss else "too small"
    return tr(WHY[key], **facts, fastest=fastest)
