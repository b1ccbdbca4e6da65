"""Quantities of a sweep that need more than a motion: eigenvalues near a start, and derivatives of its motion.

eigenvalues              all of them, those that grow fastest first: real and imaginary parts
growth                   the greatest real part, without the zeros of ignorable coordinates; if it is positive, the
                         state is unstable
critical v = 0:10:41     the values of v in this range at which a mode begins to grow or to decay
d(theta)/d(R)            the derivative of a quantity by another that can vary, at the end of the motion or at times
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from dalembert.analysis.derivatives import Gradients, Place
from dalembert.analysis.linear import Family, critical_values, eigenvalues, followed, held, linearized
from dalembert.api.open_contacts import without_open_contacts
from dalembert.errors import MathematicsError
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.prepared import Prepared, Start
from dalembert.results.linearization import NEUTRAL
from dalembert.sweep.order import Order
from dalembert.sweep.quantities import require_scalar
from dalembert.sweep.records import Wish

MOST_CRITICAL = 8  # values that are kept; there are seldom more than two or three


class Inspector:
    """Examines one model at any settings. The model is derived once; `added` maps quantities to their definitions."""

    def __init__(self, once: Prepared, asked: Order, added: Mapping[str, str], wishes: Sequence[Wish]) -> None:
        self.once, self.asked, self.added, self.wishes = once, asked, added, wishes

    def columns(self) -> list[tuple[Wish, int]]:
        """The wishes, and the number of columns of each."""
        return [(wish, self._columns(wish)) for wish in self.wishes]

    def _columns(self, wish: Wish) -> int:
        if wish.kind == "derivative":
            require_scalar(self.once, self.added.get(wish.quantity, wish.quantity), wish)
            return max(1, len(wish.times))
        return {"growth": 1, "eigenvalues": 2 * self.size, "critical": MOST_CRITICAL}[wish.kind]

    def values(self, settings: Mapping[str, float]) -> np.ndarray:
        """The numbers of all wishes at one start."""
        kinds = {wish.kind for wish in self.wishes}
        spectrum = self._spectrum(settings) if kinds & {"growth", "eigenvalues"} else np.zeros(0)
        slopes = self._slopes([w for w in self.wishes if w.kind == "derivative"], settings)
        found: list[np.ndarray] = []
        for wish in self.wishes:
            if wish.kind == "growth":
                found.append(np.array([_growth(spectrum)]))
            elif wish.kind == "eigenvalues":
                found += [spectrum.real, spectrum.imag]
            else:
                found.append(slopes[wish] if wish in slopes else self._critical(wish, settings))
        return np.concatenate(found)

    @cached_property
    def _gradients(self) -> Gradients:
        record, quasi = self.once.record, {}
        without_open_contacts(record)  # which refuses those that touch
        if record.quasi_velocities:
            quasi = dict(System(record, numeric=True, open=self.once.open).quasi_velocities)
        return Gradients(self.once.system, quasi)

    @cached_property
    def size(self) -> int:
        """The number of eigenvalues at the model's own values. Every other start must have as many."""
        return len(self._eigenvalues(self.once.at()))

    def _eigenvalues(self, start: Start) -> np.ndarray:
        gradients = self._gradients.valued(start.system.parameters)
        return eigenvalues(
            linearized(gradients, Place(start.time, start.q, start.v, start.z[: gradients.extra]))[0].linear.matrix
        )

    def _spectrum(self, settings: Mapping[str, float]) -> np.ndarray:
        found = self._eigenvalues(self.once.at(settings, self.asked.strict))
        if len(found) != self.size:
            raise MathematicsError(
                "there are {count} eigenvalues here, and {size} at the model's own values",
                count=len(found),
                size=self.size,
            )
        return found[np.lexsort((-found.imag, -found.real))] + 0.0

    def _critical(self, wish: Wish, settings: Mapping[str, float]) -> np.ndarray:
        others = {name: value for name, value in settings.items() if name != wish.quantity}
        model = replace(self.once, record=with_settings(self.once.record, others))
        along = Family(model, self._gradients, held(self._gradients, {}), wish.quantity, steady=False)
        nodes = np.array(wish.times)
        branches = followed(lambda v: along.at(v).eigenvalues, nodes, [along.at(v).eigenvalues for v in nodes.tolist()])
        turns, lost = critical_values(lambda v: along.at(v).eigenvalues, branches)
        if lost:
            raise MathematicsError(
                "eigenvalues turn between {lost:.6g} and {lost2:.6g}, where no state was found to locate it",
                lost=lost[0][0],
                lost2=lost[0][1],
            )
        values = sorted(turn.value for turn in turns if turn.kind == "crossing")[:MOST_CRITICAL]
        return np.array([*values, *[np.nan] * (MOST_CRITICAL - len(values))])

    def _slopes(self, wishes: Sequence[Wish], settings: Mapping[str, float]) -> dict[Wish, np.ndarray]:
        """All derivatives of one motion. A time that the motion does not reach gives NaN."""
        if not wishes:
            return {}
        from dalembert.api.calls import sampling, stepping
        from dalembert.api.sensitivity import sensitivities_from

        asked, start = self.asked, self.once.at(settings, self.asked.strict)
        names = [self.added.get(wish.quantity, wish.quantity) for wish in wishes]
        by = tuple(dict.fromkeys(wish.by for wish in wishes))
        times = np.unique([asked.end, *(time for wish in wishes for time in wish.times)])
        chosen = stepping(start.record, asked.tolerance, asked.stepper, asked.step)
        exactly = sampling(start.record, asked.end, at=times)
        last = found = sensitivities_from(start, by, dict.fromkeys(names), exactly, chosen)
        if found.motion.status == "stopped":
            ends = sampling(start.record, asked.end, samples=2)
            last = sensitivities_from(start, by, dict.fromkeys(names), ends, chosen)
        slopes = {}
        for wish, name in zip(wishes, names, strict=True):
            known = dict(zip(found.times.tolist(), found[name, wish.by].tolist(), strict=True))
            at_end = [float(last[name, wish.by][-1])]
            slopes[wish] = np.array([known.get(t, np.nan) for t in wish.times] if wish.times else at_end)
        return slopes


def _growth(spectrum: np.ndarray) -> float:
    size = np.abs(spectrum)
    return float(spectrum.real[size > NEUTRAL * size.max(initial=0.0)].max(initial=-np.inf)) if size.any() else 0.0
