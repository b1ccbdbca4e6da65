"""Motions by steppers written out for a model, on a device; what is kept is worked out here from their states."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from dalembert.cuda.bouncing import bouncing_source
from dalembert.cuda.device import Argument, Device, Program, with_room
from dalembert.cuda.source import LEFT, fast_source
from dalembert.motions.unilateral import HybridSystem
from dalembert.programs.system import CompiledSystem
from dalembert.simulate import advance
from dalembert.simulate import ensemble as kernels
from dalembert.simulate.crew import Span, Wanted
from dalembert.simulate.events import IMPACT, SLIPS, STICKS


def finish(motions: kernels.Motions, places: np.ndarray, ends: np.ndarray, states: np.ndarray) -> None:
    motions.status[places], motions.ends[places] = advance.FINISHED, ends
    motions.states[places] = states


def stated(motions: kernels.Motions, chosen: np.ndarray) -> list[Argument]:
    """The arguments with which every entry begins: how many motions, their parameters, their states."""
    parameters, states = (np.ascontiguousarray(a[chosen].T) for a in (motions.parameters, motions.states))
    return [len(chosen), with_room(parameters), states]


class Quick:
    """Steppers written out; what is kept is worked out here from the states at samples and at the end."""

    def __init__(
        self, device: Device, system: CompiledSystem, reference: np.ndarray, span: Span, wanted: Wanted, size: int
    ):
        self.device, self.system, self.reference = device, system, reference
        self.span, self.wanted, self.size = span, wanted, size
        self.sampled = len(span.samples) > 0

    @cached_property
    def plain(self) -> Program:
        return self.device.compiled(fast_source(self.system, self.reference, sampled=self.sampled).text)

    @cached_property
    def rescuing(self) -> Program:
        source = fast_source(self.system, self.reference, rescued=True, sampled=self.sampled)
        return self.device.compiled(source.text)

    def run(self, motions: kernels.Motions, stop: Callable[[], bool]) -> None:
        """All motions that wait; those that do not simply finish go on waiting."""
        left = self._follow(self.plain, motions, np.flatnonzero(motions.status == kernels.WAITING))
        if len(left):
            self._follow(self.rescuing, motions, left)

    def _follow(self, program: Program, motions: kernels.Motions, chosen: np.ndarray) -> np.ndarray:
        """The chosen motions by a program; which of them it left."""
        count, samples = len(chosen), self.span.samples
        if not count:
            return chosen
        sampled, finals = np.zeros((count, max(len(samples), 1), self.size)), np.zeros((self.size, count))
        reached, books = np.zeros(count), np.zeros((6, count), np.int32)
        span = self.span
        arguments: list[Argument] = [
            *stated(motions, chosen), float(span.start), float(span.end), float(span.tolerance),
            float(span.step or 0.0), float(span.stiff_steps), len(samples), with_room(samples), sampled, finals,
            reached, books,
        ]  # fmt: skip
        program.run("adaptive_steps", count, arguments, range(10, 14))
        done = books[0] == advance.FINISHED
        finish(motions, chosen[done], reached[done], finals.T[done])
        self.fill(motions, chosen[done], sampled[done])
        return chosen[books[0] == LEFT]

    def fill(self, motions: kernels.Motions, places: np.ndarray, sampled: np.ndarray) -> None:
        """What is kept of motions that are done, from their states at samples and at the end."""
        wanted, columns = self.wanted, self.wanted.columns
        motions.values[np.ix_(places, np.flatnonzero(columns[:, 0] == kernels.COUNTED))] = 0.0
        for sample in [-1, *range(len(self.span.samples))]:
            kind = kernels.FINAL if sample < 0 else kernels.AT
            filled = np.flatnonzero((columns[:, 0] == kind) & ((columns[:, 2] == sample) | (sample < 0)))
            if not len(filled) or wanted.function is None:
                continue
            times = motions.ends[places] if sample < 0 else np.full(len(places), self.span.samples[sample])
            y = motions.states[places] if sample < 0 else sampled[:, sample]
            x = np.hstack([times[:, None], y, motions.parameters[places]])
            X = np.hstack([x, np.zeros((len(x), wanted.inputs - x.shape[1]))])  # no quantity looks at forces
            motions.values[np.ix_(places, filled)] = wanted.function(X)[:, columns[filled, 1]]


class Bouncing(Quick):
    """Motions with contacts; those that meet more than is written out go on waiting, as they began."""

    def __init__(
        self, device: Device, touching: HybridSystem, reference: np.ndarray, span: Span, wanted: Wanted, size: int
    ):
        super().__init__(device, touching.system, reference, span, wanted, size)
        self.touching = touching

    @cached_property
    def plain(self) -> Program:
        return self.device.compiled(bouncing_source(self.touching, self.reference).text)

    def run(self, motions: kernels.Motions, stop: Callable[[], bool]) -> None:
        chosen, span = np.flatnonzero(motions.status == kernels.WAITING), self.span
        count, laws = len(chosen), self.touching.laws
        if not count:
            return
        finals, reached, books = np.zeros((self.size, count)), np.zeros(count), np.zeros((6, count), np.int32)
        tallies = np.zeros((laws.contacts + 2, count), np.int32)
        arguments: list[Argument] = [
            *stated(motions, chosen), float(span.start), float(span.end), float(span.tolerance),
            float(span.step or 0.0), finals, reached, books, tallies,
        ]  # fmt: skip
        self.plain.run("bouncing_motions", count, arguments, range(7, 11))
        done = books[0] == advance.FINISHED
        finish(motions, chosen[done], reached[done], finals.T[done])
        self.fill(motions, chosen[done], np.zeros((int(done.sum()), 0, self.size)))
        self._count(motions, chosen[done], tallies[:, done])

    def _count(self, motions: kernels.Motions, places: np.ndarray, tallies: np.ndarray) -> None:
        """Impacts of every contact, then how often the friction stuck and slipped."""
        columns, counted, contacts = self.wanted.columns, self.wanted.counted, self.touching.laws.contacts
        for column in np.flatnonzero(columns[:, 0] == kernels.COUNTED):
            weights = counted[columns[column, 1]]
            times = weights[IMPACT, :contacts] @ tallies[:contacts]
            if self.touching.laws.frictions:
                times = times + weights[STICKS, 0] * tallies[contacts] + weights[SLIPS, 0] * tallies[contacts + 1]
            motions.values[places, column] = times
