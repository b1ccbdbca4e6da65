"""The engine on a GPU: one thread computes one motion, from its start to its records.

Motions use the engine's own source text, compiled for the device with the model's programs inlined (`motions.gpu`). A
start that needs closer examination goes to the reference engine.

Steps of one length use the Runge–Kutta method. Their length is the nearest to the requested one that divides the
duration, h = (end − start)/round((end − start)/step), as for gauss. A motion that does not reach its end in this way is
computed with variable steps, and a sentence reports this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from dalembert.engine.interface import WAITING, Status
from dalembert.errors import MathematicsError, ModelError
from dalembert.language import mark, tr
from dalembert.motions.device import Device
from dalembert.motions.gpu import DeviceCrew, DeviceStarts, way_of
from dalembert.motions.many import Crew, MotionTable
from dalembert.motions.span import TimeSpan
from dalembert.sweep.columns import events_of
from dalembert.sweep.ensemble import FINISHED, Engine, Ensemble, Outcome
from dalembert.sweep.threads import Run, Threads, cores, follows

ROOM, FEWEST, MOST = 2**30, 2**10, 2**20  # bytes and motions of one launch
RUNNING = 2**15  # threads that run at once with the most registers each
NOT_FIXED = mark("steps of one length failed, so variable steps were taken, to the tolerance")


class OnDevice(Threads):
    """Computes motions on a device. `reference` computes those that need closer examination."""

    def __init__(self, reference: Engine, device: Device, processor: bool = True):
        super().__init__(reference)
        self.device, self.processor = device, processor

    def refusal(self, ensemble: Ensemble) -> str | None:
        if ensemble.span.stepper == "rk4":
            sentence = cannot_step(ensemble)
            if sentence is not None:
                return sentence
        if self.follows(ensemble):
            return super().refusal(ensemble)
        return tr("the GPU does not follow {ensemble}; leave out --gpu", ensemble=_unknown(free(ensemble)))

    def follows(self, ensemble: Ensemble) -> bool:
        ensemble = free(ensemble)
        return follows(ensemble) and ensemble.span.stepper in ("auto", "dop853")

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """A launch takes as long for one motion as for all motions that the GPU has registers for."""
        return 1, RUNNING

    def begun(self, ensemble: Ensemble) -> Run:
        run = _FixedRun if ensemble.span.stepper == "rk4" else _Run
        return run(ensemble, self.reference, self.device, self.processor)


def free(ensemble: Ensemble) -> Ensemble:
    """The same motions with variable steps, if they had steps of one length."""
    if ensemble.span.stepper != "rk4":
        return ensemble
    return replace(ensemble, span=replace(ensemble.span, stepper="auto", step=None))


def cannot_step(ensemble: Ensemble) -> str | None:
    """The reason why these motions cannot have steps of one length, as a sentence, or None if they can."""
    forces = [record.name for record in ensemble.records if record.quantity is not None and record.quantity.forces]
    if forces:
        return tr(
            "the stepper rk4 keeps states, and {forces!r} is of forces; leave it out, or leave out --stepper rk4",
            forces=forces[0],
        )
    kinks = events_of(ensemble)["kink"]
    if kinks:
        return tr(
            "the stepper rk4 does not end its steps at kinks (at {name} = 0); leave out --stepper rk4",
            name=kinks[0],
        )
    try:
        x = ensemble.prepared.at().x
    except (ModelError, MathematicsError) as error:
        return tr("the stepper rk4 is written out for the model's own start, and there is none: {error}", error=error)
    if ensemble.prepared.hybrid is not None or way_of(ensemble.prepared.system, x, sampled=False) is None:
        return tr(
            "the stepper rk4 follows coordinates and speeds with reactions along the constraints, "
            "and this model has more to it (variable mass, multipliers that move, general virtual "
            "displacements, first-order states, data or controllers); leave out --stepper rk4"
        )
    return None


def _unknown(ensemble: Ensemble) -> str:
    """The feature of an ensemble that only other engines support."""
    record = ensemble.prepared.record
    if ensemble.span.stepper not in ("auto", "dop853"):
        return tr("the stepper {stepper}, only dop853", stepper=ensemble.span.stepper)
    if ensemble.prepared.hybrid is not None and record.simulation.description == "whole-course":
        return tr("the whole-course description")
    if ensemble.prepared.hybrid is not None:
        return tr("extrema and crossings of the forces of contacts")
    return tr("motions without coordinates, or of no duration")


class _Run(Run):
    """One ensemble on a device."""

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device, processor: bool):
        super().__init__(ensemble, reference, cores(), True)
        self.device, self.processor = device, processor
        self.starts: Any = DeviceStarts(self.starts, device, *(() if processor else (0,)))
        each = 8 * (4 * self.size + (len(self.span.samples) + 1) * self.size + ensemble.columns)
        self.at_a_time = int(np.clip(ROOM // each, FEWEST, MOST))

    @cached_property
    def crew(self) -> Any:
        return self.crew_by(self.span)

    def crew_by(self, span: TimeSpan) -> DeviceCrew:
        try:
            x = self.prepared.at().x  # its pivots are written out; they do not depend on the motions
        except (ModelError, MathematicsError):
            x = None
        model, wanted = self.hybrid or self.system, self.wanted
        few = partial(Crew, model, span, wanted, self.threads, self.lanes) if self.processor else None
        return DeviceCrew(model, span, wanted, self.device, x, few)


class _FixedRun(_Run):
    """One ensemble with steps of one length. A note marks finished motions that needed variable steps."""

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device, processor: bool):
        super().__init__(free(ensemble), reference, device, processor)
        assert ensemble.span.step is not None  # `order` requires a step
        steps = max(1, round(self.span.length / ensemble.span.step))
        self.stepped = replace(self.span, stepper="rk4", step=self.span.length / steps)
        self.fixed = np.zeros(0, bool)  # the motions of the last part that used steps of one length

    @cached_property
    def fixed_crew(self) -> DeviceCrew:
        return self.crew_by(self.stepped)

    def follow(self, motions: MotionTable, stop: Callable[[], bool]) -> None:
        begun = motions.states.copy()
        waited = motions.status == WAITING
        self.fixed_crew.run(motions, stop)
        self.fixed = waited & (motions.status == Status.FINISHED)
        others = waited & ~self.fixed & (motions.status != WAITING)
        if others.any() and not stop():
            motions.states[others], motions.status[others] = begun[others], WAITING
            self.crew.run(motions, stop)

    def part(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        self.fixed = np.zeros(ensemble.size, bool)
        found = super().part(free(ensemble), stop)
        others = np.flatnonzero((found.status == FINISHED) & ~self.fixed)
        found.sentences.update(dict.fromkeys(others.tolist(), tr(NOT_FIXED)))
        return found
