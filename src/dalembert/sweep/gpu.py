"""The engine on a GPU: one motion to a thread, from its start to what is kept of it, in one launch.

Smooth motions of which states are kept go by steppers written out for the model; everything else, and what those
leave, by the default engine's own loops, translated. Consistent starts are found on the processor, by all its cores;
a motion that turns stiff goes to the reference engine. Steps of one length are those of `fixed_steps`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.cuda.bouncing import bounces
from dalembert.cuda.device import CALLING, Argument, Device, Program, with_room
from dalembert.cuda.fast import applies
from dalembert.cuda.many import Kept, many_source
from dalembert.errors import MathematicsError, ModelError
from dalembert.simulate import ensemble as kernels
from dalembert.simulate import machine
from dalembert.simulate.crew import Span
from dalembert.simulate.hybrid_drive import room_for
from dalembert.sweep.ensemble import FINISHED, Engine, Ensemble, Outcome
from dalembert.sweep.first_engine import FirstRun
from dalembert.sweep.fixed_steps import NOT_FIXED, FixedSteps, cannot_step, free
from dalembert.sweep.quantities import inputs
from dalembert.sweep.threads import Run, Threads, cores, follows
from dalembert.sweep.written_out import Bouncing, Quick

ROOM, FEWEST, MOST = 2**28, 2**10, 2**18  # bytes, and motions, of a launch
RUNNING = 2**15  # threads that run at once, with the most registers each


class OnDevice(Threads):
    """Motions by a device; `reference` computes what turns stiff."""

    def __init__(self, reference: Engine, device: Device):
        super().__init__(reference, name="gpu")
        self.device = device

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
        return follows(ensemble) and ensemble.stepper in ("auto", "dop853")

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """A launch takes as long for one motion as for all that a GPU has registers for."""
        return 1, RUNNING

    def begun(self, ensemble: Ensemble) -> Run:
        run = _FixedRun if ensemble.stepper == "rk4" else _Run
        return run(ensemble, self.reference, self.device)


def _unknown(ensemble: Ensemble) -> str:
    """What of an ensemble only other engines do."""
    record = ensemble.prepared.record
    if ensemble.stepper not in ("auto", "dop853"):
        return f"the stepper {ensemble.stepper}, only dop853"
    if ensemble.prepared.hybrid is not None and record.simulation.description == "whole-course":
        return "the whole-course description"
    if ensemble.prepared.hybrid is not None:
        return "extrema and crossings of the forces of contacts"
    return "motions without coordinates, or of no duration"


class _Run(FirstRun):
    """One ensemble on a device."""

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device):
        self.device, self.ensemble = device, ensemble
        super().__init__(ensemble, reference, cores(), True)
        self.quick = self.quickly(ensemble)
        each = 8 * (self.notes + 3 * self.size + (len(self.plan.samples) + 1) * self.size + ensemble.columns)
        self.at_a_time = int(np.clip(ROOM // each, FEWEST, MOST))

    def quickly(self, ensemble: Ensemble) -> Any:
        wanted, kinds = self.wanted, self.plan.wanted.columns[:, 0]
        plain = not wanted.stepwise and not wanted.forces and self.plan.outside is None
        if not plain or kernels.FIRST in kinds:
            return None
        try:
            reference = self.prepared.at().x  # whose pivots are written out; they do not depend on the motions
        except (ModelError, MathematicsError):
            return None
        if self.hybrid is None and applies(self.system):
            return Quick(self.device, self.system, reference, self.first_span, wanted, self.size)
        if self.hybrid is not None and not len(self.plan.samples) and bounces(self.hybrid, reference):
            return Bouncing(self.device, self.hybrid, reference, self.first_span, wanted, self.size)
        return None

    @cached_property
    def crew(self) -> Any:
        quantities = self.ensemble.quantities
        kept = Kept(
            self.wanted, inputs(self.prepared), [quantities[i].expression for i in self.plan.inside],
            [quantities[i].expression for i in self.plan.watched], self.kept,
        )  # fmt: skip
        source = many_source(self.system, self.hybrid, self.first_span, kept)
        program = self.device.compiled(source.text, CALLING)
        return _Claiming(program, self.first_span, self._reals(), source.size, source.modes)

    def _reals(self) -> np.ndarray:
        """The numbers that every motion begins with."""
        span = self.first_span
        if self.hybrid is None:
            state = np.zeros(self.size)
            return machine.prepare(
                self.system, state, span.samples, span.start, span.end, span.tolerance, span.method, span.step,
                span.stiff_steps,
            ).real  # fmt: skip
        return room_for(self.hybrid, span.samples, span.start, span.end, span.tolerance, span.step).real


class _FixedRun(_Run):
    """One ensemble by steps of one length; what does not go so is said of a motion that is finished."""

    def __init__(self, ensemble: Ensemble, reference: Engine, device: Device):
        assert ensemble.step is not None  # `order` asks for one
        self.step = ensemble.step
        super().__init__(free(ensemble), reference, device)

    def quickly(self, ensemble: Ensemble) -> Any:
        self.fixed = FixedSteps(super().quickly(ensemble), self.step)
        return self.fixed

    def part(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        found = super().part(free(ensemble), stop)
        others = np.flatnonzero((found.status == FINISHED) & ~self.fixed.done)
        return Outcome(found.values, found.status, {**found.sentences, **dict.fromkeys(others.tolist(), NOT_FIXED)})


@dataclass(frozen=True)
class _Claiming:
    """Threads that claim motions, each with all that is kept of one."""

    program: Program
    span: Span
    reals: np.ndarray
    size: int
    modes: int

    def run(self, motions: kernels.Motions, stop: Callable[[], bool]) -> None:
        """All motions that wait; a launch is not interrupted."""
        count, samples = len(motions.status), self.span.samples
        threads = self.program.threads("many", count)
        rows = threads * max(len(samples), 1)
        shared = [_there(array) for array in motions._replace(claimed=np.zeros(1, np.int64))]
        arguments: list[Argument] = [
            count, self.reals, len(samples), with_room(samples), np.empty(rows * self.size),
            np.empty(rows * max(self.modes, 1), np.int32), *shared,
        ]  # fmt: skip
        changed = range(len(arguments) - len(shared), len(arguments) - 2)
        self.program.run("many", threads, arguments, changed)
        for mine, there in zip(motions, shared, strict=True):
            mine[...] = there.reshape(-1)[: mine.size].reshape(mine.shape)


def _there(array: np.ndarray) -> np.ndarray:
    """As the device has it: whole numbers of 32 bits."""
    return with_room(array.astype(np.int32) if array.dtype.kind == "i" else array.copy())
