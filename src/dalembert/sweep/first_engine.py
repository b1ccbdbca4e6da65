"""Motions that still go by the first engine: those of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.engine.library import Status
from dalembert.simulate import core, hybrid_drive, machine
from dalembert.simulate import ensemble as kernels
from dalembert.simulate.crew import Span, Wanted, hybrid_crew, motions_of, note_size, smooth_crew
from dalembert.simulate.drive import PATIENCE
from dalembert.simulate.forces_in_mode import forces_in_mode
from dalembert.sweep import ensemble as seam
from dalembert.sweep.columns import Plan, plan_of
from dalembert.sweep.ensemble import Engine, Ensemble
from dalembert.sweep.threads import Run


class FirstRun(Run):
    """One ensemble by the first engine's threads."""

    def __init__(self, ensemble: Ensemble, reference: Engine, threads: int, lanes: bool):
        super().__init__(ensemble, reference, threads, lanes)
        self.notes = note_size(self.size, self.system.dynamics.inputs)
        self.kept = (0, 0)
        if self.plan.outside is not None and self.hybrid is not None:
            self.kept = len(self.plan.samples) + 1, self.hybrid.laws.contacts + self.hybrid.laws.frictions
        stepper, patience = ("gauss" if self.span.stepper == "gauss" else "dop853"), self.span.stepper == "auto"
        self.first_span = Span(
            self.span.start, self.span.end, self.span.samples, self.span.tolerance, stepper, self.span.step,
            PATIENCE if patience else np.inf,
        )  # fmt: skip
        self.quick: Any = None

    def planned(self, ensemble: Ensemble) -> Plan:
        return plan_of(ensemble, apart=True)

    @cached_property
    def wanted(self) -> Wanted:
        return Wanted(**{name: getattr(self.plan.wanted, name) for name in Wanted._fields})

    @cached_property
    def crew(self) -> Any:
        if self.hybrid is None:
            return smooth_crew(self.system, self.first_span, self.wanted, self.threads)
        return hybrid_crew(self.hybrid, self.first_span, self.wanted, self.threads)

    def room(self, parameters: np.ndarray, states: np.ndarray, columns: int) -> Any:
        return motions_of(parameters, states, columns, self.notes, self.kept)

    def follow(self, motions: Any, stop: Callable[[], bool]) -> None:
        if self.quick is not None:
            self.quick.run(motions, stop)
        if (motions.status == kernels.WAITING).any() and not motions.stop[0]:
            self.crew.run(motions, stop)

    def complete(self, motions: Any, done: np.ndarray) -> None:
        """Columns of forces of contacts, at samples and at the end, from the states and modes kept."""
        if self.plan.outside is None or self.hybrid is None:
            return
        last, names = motions.kept.shape[1] - 1, self.system.multiplier_names
        rows = [*range(len(names)), *(row for name, row in self.hybrid.forces.items() if name not in names)]
        for column, value, sample in self.plan.columns:
            place = last if sample < 0 else sample
            chosen = done[motions.kept_modes[done, place, 0] == 1]
            if not len(chosen):
                continue
            times = motions.ends[chosen] if sample < 0 else np.full(len(chosen), self.plan.samples[sample])
            X = np.hstack([times[:, None], motions.kept[chosen, place], motions.parameters[chosen]])
            a, nu = forces_in_mode(self.hybrid, X, motions.kept_modes[chosen, place, 1:])
            motions.values[chosen, column] = self.plan.outside(np.hstack([X, a, nu[:, rows]]))[:, value]

    def _ended(self, motions: Any, i: int) -> tuple[int, str]:
        note, size, status = motions.notes[i], self.size, int(motions.status[i])
        time, row, step, guard = note[: kernels.NOTES].tolist()
        y, slope, at = np.split(note[kernels.NOTES :], [size, 2 * size])
        if self.hybrid is not None:
            hybrid = self.hybrid.valued(motions.parameters[i].tolist())
            return seam.FAILED, hybrid_drive.failure(hybrid, status, time, int(row), at)
        system = self.system.valued(motions.parameters[i].tolist())
        motion = machine.prepare(system, y, self.plan.samples[:0], self.span.start, self.span.end, self.span.tolerance)
        motion.status, motion.memory.bad[:], motion.memory.bank[core.K, :size] = Status(status), at, slope
        motion.real[[core.T, core.H]], motion.whole[core.ROW] = (time, step), int(row)
        if motion.events is not None:
            motion.events[1][0, 0], motion.whole[core.EVENTS] = int(guard), 1
        return seam.FAILED, machine.sentence(motion)
