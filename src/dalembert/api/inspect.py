"""What a sweep keeps of the equations near a start, and not of a motion: eigenvalues, growth, critical values.

eigenvalues              all of them, those that grow fastest first: real and imaginary parts
growth                   the greatest real part: the state is unstable where it is positive
critical v = 0:10:41     the values of v, among those between, at which a mode begins to grow or to fade
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dalembert.analysis.family import Family
from dalembert.analysis.gradients import Gradients, Place
from dalembert.analysis.locus import critical_values, followed
from dalembert.analysis.relative import held
from dalembert.analysis.spectrum import eigenvalues
from dalembert.analysis.steady import linearized
from dalembert.api.linearize import refuse_unilateral
from dalembert.errors import MathematicsError
from dalembert.mechanics.system import System
from dalembert.model.change import with_settings
from dalembert.prepared import Prepared
from dalembert.results.linearization import NEUTRAL
from dalembert.sweep.records import Wish

MOST_CRITICAL = 8  # values that are kept; there are seldom more than two or three


class Inspector:
    """Linearizes a model that is derived once, at any settings."""

    def __init__(self, once: Prepared) -> None:
        record = once.record
        refuse_unilateral(record)
        quasi = dict(System(record, numeric=True, open=once.open).quasi_velocities) if record.quasi_velocities else {}
        self.once, self.gradients = once, Gradients(once.system, quasi, often=True)
        self.size = len(self._eigenvalues({}, False))

    def columns(self, wish: Wish) -> int:
        return {"growth": 1, "eigenvalues": 2 * self.size, "critical": MOST_CRITICAL}[wish.kind]

    def values(self, wishes: Sequence[Wish], settings: Mapping[str, float], strict: bool) -> np.ndarray:
        """The numbers of all wishes at one start."""
        found: list[np.ndarray] = []
        spectrum = self._eigenvalues(settings, strict) if any(w.kind != "critical" for w in wishes) else np.zeros(0)
        for wish in wishes:
            if wish.kind == "growth":
                found.append(np.array([_growth(spectrum)]))
            elif wish.kind == "eigenvalues":
                found += [spectrum.real, spectrum.imag]
            else:
                found.append(self._critical(wish, settings))
        return np.concatenate(found)

    def _eigenvalues(self, settings: Mapping[str, float], strict: bool) -> np.ndarray:
        start = self.once.at(settings, strict)
        gradients = self.gradients.valued(start.system.parameters)
        found = eigenvalues(linearized(gradients, Place(start.time, start.q, start.v, start.z))[0].linear.matrix)
        known = getattr(self, "size", len(found))
        if len(found) != known:
            raise MathematicsError(f"there are {len(found)} eigenvalues here, and {known} at the model's own values")
        return found[np.lexsort((-found.imag, -found.real))] + 0.0

    def _critical(self, wish: Wish, settings: Mapping[str, float]) -> np.ndarray:
        others = {name: value for name, value in settings.items() if name != wish.quantity}
        model = replace(self.once, record=with_settings(self.once.record, others))
        along = Family(model, self.gradients, held(self.gradients, {}), wish.quantity, steady=False)
        nodes = np.array(wish.times)
        branches = followed(lambda v: along.at(v).eigenvalues, nodes, [along.at(v).eigenvalues for v in nodes.tolist()])
        turns = critical_values(lambda v: along.at(v).eigenvalues, branches)
        values = sorted(turn.value for turn in turns if turn.kind == "crossing")[:MOST_CRITICAL]
        return np.array([*values, *[np.nan] * (MOST_CRITICAL - len(values))])


def _growth(spectrum: np.ndarray) -> float:
    size = np.abs(spectrum)
    return float(spectrum.real[size > NEUTRAL * size.max(initial=0.0)].max(initial=-np.inf)) if size.any() else 0.0
