"""The engine on a GPU: one motion to a thread, from its start to what is kept of it.

Motions go by the engine's own text, compiled for the device with the model's programs inlined (`motions.gpu`). A start
that needs a closer look goes to the reference engine.

Steps of one length are Runge and Kutta's: as many as come nearest to the length asked for end at the end,
h = (end − start)/round((end − start)/step), as those of gauss do. A motion that does not come to its end so is followed
by steps of free length, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from dalembert.engine.library import Status
from dalembert.engine.many import WAITING
from dalembert.errors import MathematicsError, ModelError
from dalembert.motions.device import Device
from dalembert.motions.gpu import DeviceCrew, DeviceStarts, way_of
from dalembert.motions.many import Crew
from dalembert.motions.native import Native
from dalembert.motions.touching import Touching
from dalembert.sweep.columns import kink_names
from dalembert.sweep.ensemble import FINISHED, Engine, Ensemble, Outcome
from dalembert.sweep.threads import Run, Threads, cores, follows

ROOM, FEWEST, MOST = 2**30, 2**10, 2**20  # bytes, and motions, of a launch
RUNNING = 2**15  # threads that run at once, with the most registers each
NOT_FIXED = "steps of one length did not do, and it was followed by steps of free length, to the tolerance"


class OnDevice(Threads):
    """Motions by a device; `reference` computes what needs a closer look."""

    def __init__(self, reference: Engine, device: Device, processor: bool = True):
        super().__init__(reference, name="gpu")
        self.device, self.processor = device, processor

    def refusal(self, ensemble: Ensemble) -> str | None:
        if ensemble.stepper == "rk4":
            sentence = cannot_step(ensemble)
            if sentence is not None:
                return sentence
        if self.follows(ensemble):
            return super().refusal(ensemble)
        return f"the GPU does not follow {_unknown(free(ensemble))}; leave out --gpu"

    def follows(self, ensemble: Ensemble) -> bool:
        ensemble = free(ensemble)
        eq = ensemble.prepared.equations
        plain = not eq.varying and not eq.guards_forces and not kink_names(ensemble)
        return plain and follows(ensemble) and ensemble.stepper in ("auto", "dop853")

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """A launch takes as long for one motion as for all that a GPU has registers for."""
        return 1, RUNNING

    def begun(self, ensemble: Ensemble) -> Run:
        run = _FixedRun if ensemble.stepper == "rk4" else _Run
        return run(ensemble, self.reference, self.device, self.processor)


def free(ensemble: Ensemble) -> Ensemble:
    """The same motions by steps of free length, if they were to have one length."""
    return replace(ensemble, stepper="auto", step=None) if ensemble.stepper == "rk4" else ensemble


def cannot_step(ensemble: Ensemble) -> str | None:
    """Why motions that `order` lets through cannot have steps of one length, as a sentence; None where they can."""
    kept = [record for record in ensemble.records if record.quantity >= 0]
    forces = [record.name for record in kept if ensemble.quantities[record.quantity].forces]
    if forces:
        return f"the stepper rk4 keeps states, and {forces[0]!r} is of forces; leave it out, or leave out --stepper rk4"
    try:
        x = ensemble.prepared.at().x
    except (ModelError, MathematicsError) as error:
        return f"the stepper rk4 is written out for the model's own start, and there is none: {error}"
    if ensemble.prepared.hybrid is not None or way_of(ensemble.prepared.system, x, sampled=False) is None:
        return (
            "the stepper rk4 follows coordinates and speeds with reactions along the constraints, and this model has "
            "more to it (variable mass, multipliers that move, general virtual displacements); leave out --stepper rk4"
        )
    return None


def _unknown(ensemble: Ensemble) -> str:
    """What of an ensemble only other engines do."""
    record = ensemble.prepared.record
    if kink_names(ensemble):
        return f"kinks (at {kink_names(ensemble)[0]} = 0), where steps must end"
    if ensemble.prepared.equations.varying:
        names = ", ".join(map(str, ensemble.prepared.equations.varying))
        return f"states, inputs from data and sampled controllers ({names})"
    if ensemble.prepared.equations.guards_forces:
        return f"events of accelerations and reactions ({', '.join(ensemble.prepared.equations.guards_forces)})"
    if ensemble.stepper not in ("auto", "dop853"):
        return f"the stepper {ensemble.stepper}, only dop853"
    if ensemble.prepared.hybrid is not None and record.simulation.description == "whole-course":
        return "the whole-course description"
    if ensemble.prepared.hybrid is not None:
        return "extrema and crossings of the forces of contacts"
    return "motions without coordinates, or of no duration"


class _Run(Run):
    """One ensemble on a device."""

    steps = 0

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device, processor: bool):
        super().__init__(ensemble, reference, cores(), True)
        self.device, self.processor = device, processor
        native = Native(self.system) if self.hybrid is None else Touching(self.hybrid)
        self.starts: Any = DeviceStarts(self.starts, native, device, *(() if processor else (0,)))
        each = 8 * (4 * self.size + (len(self.plan.samples) + 1) * self.size + ensemble.columns)
        self.at_a_time = int(np.clip(ROOM // each, FEWEST, MOST))

    @cached_property
    def crew(self) -> Any:
        return self.crew_by(self.steps)

    def crew_by(self, steps: int) -> DeviceCrew:
        """Steps of one length, or with 0 of free length."""
        try:
            x = self.prepared.at().x  # whose pivots are written out; they do not depend on the motions
        except (ModelError, MathematicsError):
            x = None
        few = partial(self._few, steps) if self.processor else None
        return DeviceCrew(self.hybrid or self.system, self.span, self.plan.wanted, self.device, x, few, steps)

    def _few(self, steps: int) -> Crew:
        """The processor's threads."""
        span = self.span
        if steps:
            span = replace(span, stepper="rk4", step=(span.end - span.start) / steps)
        return Crew(self.hybrid or self.system, span, self.plan.wanted, self.threads, self.lanes)


class _FixedRun(_Run):
    """One ensemble by steps of one length; what does not go so is said of a motion that is finished."""

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device, processor: bool):
        assert ensemble.step is not None  # `order` asks for one
        self.steps = max(1, round((ensemble.end - ensemble.start) / ensemble.step))
        super().__init__(free(ensemble), reference, device, processor)

        self.fixed = np.zeros(0, bool)  # which motions of the last part went so

    @cached_property
    def free_crew(self) -> DeviceCrew:
        return self.crew_by(0)

    def follow(self, motions: Any, stop: Callable[[], bool]) -> None:
        begun = motions.states.copy()
        waited = motions.status == WAITING
        self.crew.run(motions, stop)
        self.fixed = waited & (motions.status == Status.FINISHED)
        others = waited & ~self.fixed & (motions.status != WAITING)
        if others.any() and not stop():
            motions.states[others], motions.status[others] = begun[others], WAITING
            self.free_crew.run(motions, stop)

    def part(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        self.fixed = np.zeros(ensemble.size, bool)
        found = super().part(free(ensemble), stop)
        others = np.flatnonzero((found.status == FINISHED) & ~self.fixed)
        return Outcome(found.values, found.status, {**found.sentences, **dict.fromkeys(others.tolist(), NOT_FIXED)})
