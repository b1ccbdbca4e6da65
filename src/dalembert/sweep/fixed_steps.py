"""Steps of one length on a device: Runge and Kutta's fourth order, written out for the model at hand.

As many steps as come nearest to the length asked for end at the end: h = (end − start)/round((end − start)/step), as
those of gauss do. Nothing is estimated on the way. A motion that the source leaves (`cuda/reduced.h`, `cuda/rk4.h`) is
taken again with the same steps and the default engine's solve beside the pivots written out; one that does not come to
its end so either, or becomes too large, is followed by steps of free length, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from dalembert.cuda.device import Argument, Program
from dalembert.cuda.fast import applies
from dalembert.cuda.source import fast_source
from dalembert.errors import MathematicsError, ModelError
from dalembert.simulate import advance, dop853
from dalembert.simulate import ensemble as kernels
from dalembert.sweep.ensemble import Ensemble
from dalembert.sweep.written_out import Quick, finish, stated

NOT_FIXED = "steps of one length did not do, and it was followed by steps of free length, to the tolerance"


def free(ensemble: Ensemble) -> Ensemble:
    """The same motions by steps of free length, if they were to have one length."""
    return replace(ensemble, stepper="auto", step=None) if ensemble.stepper == "rk4" else ensemble


def cannot_step(ensemble: Ensemble) -> str | None:
    """Why motions that `order` lets through cannot be written out, as a sentence; None where they can."""
    kept = [record for record in ensemble.records if record.quantity >= 0]
    forces = [record.name for record in kept if ensemble.quantities[record.quantity].forces]
    if forces:
        return f"the stepper rk4 keeps states, and {forces[0]!r} is of forces; leave it out, or leave out --stepper rk4"
    if ensemble.prepared.hybrid is not None or not applies(ensemble.prepared.system):
        return (
            "the stepper rk4 follows coordinates and speeds with reactions along the constraints, and this model has "
            "more to it (variable mass, multipliers that move, general virtual displacements); leave out --stepper rk4"
        )
    try:
        ensemble.prepared.at()
    except (ModelError, MathematicsError) as error:
        return f"the stepper rk4 is written out for the model's own start, and there is none: {error}"
    return None


class FixedSteps:
    """Motions by steps of one length, then by `quick`; `done` tells which of those it was given last took the first."""

    def __init__(self, quick: Quick, step: float):
        self.quick, duration = quick, quick.span.end - quick.span.start
        self.steps = max(1, round(duration / step))
        self.step = duration / self.steps
        self.done = np.zeros(0, bool)

    @cached_property
    def plain(self) -> Program:
        return self._compiled(rescued=False)

    @cached_property
    def rescuing(self) -> Program:
        return self._compiled(rescued=True)

    def _compiled(self, rescued: bool) -> Program:
        quick = self.quick
        return quick.device.compiled(fast_source(quick.system, quick.reference, "rk4", rescued).text)

    def run(self, motions: kernels.Motions, stop: Callable[[], bool]) -> None:
        """All motions that wait; those that do not simply finish go on waiting."""
        self.done = np.zeros(len(motions.status), bool)
        left = np.flatnonzero(motions.status == kernels.WAITING)
        for turn in ("plain", "rescuing"):
            if len(left) and not self._stopped(motions, stop):
                left = self._follow(getattr(self, turn), motions, left)
        if len(left) and not self._stopped(motions, stop):
            self.quick.run(motions, stop)

    def _stopped(self, motions: kernels.Motions, stop: Callable[[], bool]) -> bool:
        """Then nobody else follows what waits: how a motion goes does not depend on when a sweep is stopped."""
        motions.stop[0] = motions.stop[0] or stop()
        return bool(motions.stop[0])

    def _follow(self, program: Program, motions: kernels.Motions, chosen: np.ndarray) -> np.ndarray:
        """The chosen motions by a program; which of them did not come to their end."""
        count, span = len(chosen), self.quick.span
        finals, reached, books = np.zeros((self.quick.size, count)), np.zeros(count), np.zeros((6, count), np.int32)
        arguments: list[Argument] = [
            *stated(motions, chosen), float(span.start), self.step, self.steps, finals, reached, books,
        ]  # fmt: skip
        program.run("fixed_steps", count, arguments, range(6, 9))
        good = (books[0] == advance.FINISHED) & (np.abs(finals) <= dop853.TOO_LARGE).all(axis=0)
        places = chosen[good]
        finish(motions, places, np.full(len(places), span.end), finals.T[good])
        self.quick.fill(motions, places, np.zeros((len(places), 0, self.quick.size)))
        self.done[places] = True
        return chosen[~good]
