"""The default engine: compiled threads over all cores, without Python in a motion, and the same bits on any number of
them.

Smooth motions run several at once in the lanes of vectors. Motions that are not smooth there, and all others, use the
loop of a single motion. A start that needs closer examination goes to the reference engine, motion by motion. So does a
whole ensemble whose records only that engine supports.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.interface import Status
from dalembert.errors import ModelError
from dalembert.motions import initial
from dalembert.motions.initial import unclosed
from dalembert.motions.many import Crew, MotionTable, fits_lanes, note_size, why
from dalembert.motions.starts import ManyStarts
from dalembert.programs.functions import LANES
from dalembert.sweep import ensemble as seam
from dalembert.sweep.columns import WATCHED, wanted_of
from dalembert.sweep.ensemble import Engine, Ensemble, Outcome
from dalembert.sweep.screen import moved, nearly_singular

ROOM = 2**25  # bytes at a time for the records of motions
FEWEST, MOST = 8, 2**14  # motions at a time
HANDED_ON = -3  # status of motions that another engine computes


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Threads:
    """Computes motions with compiled threads. `reference` computes those that they cannot."""

    reference: Engine
    threads: int = 0  # 0: one per core
    lanes: bool = True  # several smooth motions at once in vectors; otherwise the bits are those of a single motion
    # Code and memory for the next part of the same sweep. A caller takes them off the list while it computes.
    _spare: list[tuple[tuple[object, ...], Run]] = field(default_factory=list, repr=False)

    def refusal(self, ensemble: Ensemble) -> str | None:
        """The reason why the reference engine refuses; this engine accepts the same ensembles."""
        return self.reference.refusal(ensemble)

    def follows(self, ensemble: Ensemble) -> bool:
        """Whether it computes this ensemble itself."""
        return follows(ensemble)

    def at_once(self, ensemble: Ensemble) -> tuple[int, int]:
        """The number of threads, and of lanes: a vector takes as long for one motion as for one in every lane."""
        if not self.follows(ensemble):
            return self.reference.at_once(ensemble)
        smooth = ensemble.prepared.hybrid is None and fits_lanes(ensemble.prepared.system, ensemble.span)
        return self.threads or cores(), LANES if self.lanes and smooth else 1

    def run(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        if not self.follows(ensemble):
            return self.reference.run(ensemble, stop)
        asked, run = self._prepared(ensemble)
        outcome = Outcome.blank(ensemble.size, ensemble.columns)
        for first in range(0, ensemble.size, run.at_a_time):
            if stop():
                break
            rows = slice(first, min(first + run.at_a_time, ensemble.size))
            outcome.put(rows, run.part(ensemble.part(rows), stop))
        self._spare.append((asked, run))
        return outcome

    def _prepared(self, ensemble: Ensemble) -> tuple[tuple[object, ...], Run]:
        """Code and memory for an ensemble: those of the previous part, or new ones."""
        asked = (ensemble.prepared, ensemble.records, ensemble.span, ensemble.added, ensemble.given.tobytes())
        while self._spare:
            known, run = self._spare.pop()
            if all(a is b or a == b for a, b in zip(known, asked, strict=True)):
                return asked, run
        return asked, self.begun(ensemble)

    def begun(self, ensemble: Ensemble) -> Run:
        """New code and memory for a sweep."""
        return Run(ensemble, self.reference, self.threads or cores(), self.lanes)


def follows(ensemble: Ensemble) -> bool:
    """Whether compiled threads can compute this ensemble."""
    prepared, span = ensemble.prepared, ensemble.span
    searched = [record for record in ensemble.records if record.kind in WATCHED and not record.event]
    if not (prepared.system.n and prepared.system.dynamics.address and span.length > 0):
        return False
    if prepared.hybrid is not None:
        forces = any(record.quantity is not None and record.quantity.forces for record in searched)
        segmented = prepared.record.simulation.description != "whole-course"
        return span.stepper in ("auto", "dop853") and segmented and not forces
    return span.stepper in ("auto", "dop853") or (span.stepper == "gauss" and not searched)


class Run:
    """Computes one ensemble with one crew, part after part."""

    def __init__(self, ensemble: Ensemble, reference: Engine, threads: int, lanes: bool):
        self.prepared, self.reference = ensemble.prepared, reference
        self.system, self.hybrid = ensemble.prepared.system, ensemble.prepared.hybrid
        self.wanted = wanted_of(ensemble)
        self.span = ensemble.span
        self.starts = ManyStarts(self.hybrid or self.system, ensemble.given, threads)
        self.threads, self.lanes = threads, lanes
        self.size = self.system.size
        each = 8 * (note_size(self.size, ensemble.starts.shape[1] - self.size) + 3 * self.size + ensemble.columns)
        self.at_a_time = int(np.clip(ROOM // each, FEWEST, MOST))

    @cached_property
    def crew(self) -> Crew:
        """Follows any motion and keeps all its records."""
        return Crew(self.hybrid or self.system, self.span, self.wanted, self.threads, self.lanes)

    def follow(self, motions: MotionTable, stop: Callable[[], bool]) -> None:
        """Follow all motions that wait."""
        self.crew.run(motions, stop)

    def part(self, ensemble: Ensemble, stop: Callable[[], bool]) -> Outcome:
        """Compute as many motions as there is memory for."""
        stated, parameters = np.split(ensemble.starts, [self.size], axis=1)
        states, parameters = np.array(stated, order="C"), np.ascontiguousarray(parameters)
        begun, left = self.starts.run(self.span.start, parameters, states)
        doubtful = self._closer_look(ensemble, stated, states, parameters, begun)
        motions = MotionTable.of(parameters, states, ensemble.columns)
        motions.status[doubtful | (begun != engine.CONSISTENT)] = HANDED_ON
        if (motions.status == engine.WAITING).any():
            self.follow(motions, stop)
        return self._outcome(ensemble, motions, begun, left, doubtful, stop)

    def _closer_look(
        self, ensemble: Ensemble, stated: np.ndarray, states: np.ndarray, parameters: np.ndarray, begun: np.ndarray
    ) -> np.ndarray:
        """The starts that the reference engine would refuse, or nearly so."""
        n, doubtful = self.system.n, np.zeros(len(states), bool)
        if ensemble.strict:
            counts = np.concatenate([np.ones(n, bool), ensemble.given, np.zeros(self.system.k + self.system.s, bool)])
            doubtful |= moved(stated, states, counts)
        if self.prepared.whole and (self.system.k or self.prepared.equations.method == "virtual-displacements"):
            fine = np.flatnonzero(begun == engine.CONSISTENT)
            X = np.hstack([np.full((len(fine), 1), self.span.start), states[fine], parameters[fine]])
            doubtful[fine] |= nearly_singular(self.system, X)
        return doubtful | (begun == engine.DOUBTFUL)

    def _outcome(
        self, ensemble: Ensemble, motions: MotionTable, begun: np.ndarray, left: np.ndarray, doubtful: np.ndarray,
        stop: Callable[[], bool],
    ) -> Outcome:  # fmt: skip
        code, outcome = motions.status, Outcome(motions.values, np.full(len(motions.status), seam.UNDONE, np.int8))
        outcome.status[code == Status.FINISHED] = seam.FINISHED
        outcome.status[code == Status.STOPPED_BY_EVENT] = seam.STOPPED
        again = doubtful | (code == Status.IS_STIFF)
        unknown = (engine.WAITING, engine.INTERRUPTED, Status.FINISHED, Status.STOPPED_BY_EVENT, Status.IS_STIFF)
        for i in np.flatnonzero(~np.isin(code, unknown) & ~again).tolist():
            if code[i] != HANDED_ON:
                outcome.status[i], outcome.sentences[i] = seam.FAILED, why(self.crew.model, motions, i)
                continue
            x = np.concatenate([[self.span.start], motions.states[i], motions.parameters[i]])
            found = self._started(begun[i], x, left[i])
            if found is None:
                again[i] = True
            else:
                outcome.status[i], outcome.sentences[i] = found
        if again.any():
            rows = np.flatnonzero(again)
            outcome.put(rows, self.reference.run(ensemble.part(rows), stop))
        return outcome

    def _started(self, begun: int, x: np.ndarray, left: np.ndarray) -> tuple[int, str] | None:
        """Why a motion did not start, or None if the reference engine words it better."""
        if begun == engine.NEGATIVE_GAP and self.hybrid is not None:
            try:
                self.hybrid.check_start(x)
            except ModelError as error:
                return seam.REFUSED, str(error)
        if begun == engine.NO_POSITION:
            names = [row.name for row in self.system.equations.constraints if row.kind == "holonomic"]
            refusal = unclosed(self.prepared.record, initial.no_position(x[0], left[: len(names)], names))
            return seam.REFUSED if isinstance(refusal, ModelError) else seam.FAILED, str(refusal)
        return None
