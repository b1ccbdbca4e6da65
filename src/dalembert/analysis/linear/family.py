"""A family of states, linearized one after the other: over a parameter, an initial coordinate or an initial speed.

The model is derived and compiled once. With `steady`, every state is the steady motion nearest to the one before it;
the first is nearest to the stated state. The varied quantity and the held ones keep their values (natural
continuation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dalembert.analysis.derivatives.gradients import Array, Gradients, Place
from dalembert.analysis.linear.linearize import Linearized
from dalembert.analysis.linear.relative import Held, held, steady_motion
from dalembert.analysis.linear.spectrum import eigenvalues
from dalembert.analysis.linear.steady import Steadiness, linearized
from dalembert.errors import MathematicsError, ModelError
from dalembert.expressions.parse import nearest as nearest_name
from dalembert.mechanics.system import System
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.prepared import Prepared, Start, prepared_once


@dataclass(frozen=True, slots=True)
class FamilyState:
    """One state of a family."""

    value: float
    start: Start
    found: Linearized
    about: Steadiness
    eigenvalues: Array

    @property
    def place(self) -> Place:
        return self.found.place


@dataclass(frozen=True)
class Family:
    """A model over a family of states. `vary` names the quantity that changes, if there is one."""

    model: Prepared
    gradients: Gradients
    kept: Held
    vary: str | None
    steady: bool
    known: dict[float, FamilyState] = field(default_factory=dict)  # states found so far, from which a search may start

    def nearest(self) -> Family:
        """The family of the steady motions near its states."""
        return replace(self, gradients=replace(self.gradients, few=False), steady=True)

    def at(self, value: float | None = None, strict: bool = False) -> FamilyState:
        """The state at a value of the varied quantity. Raises an error if there is none."""
        settings = {} if self.vary is None or value is None else {self.vary: value}
        start = self.model.at(settings, strict)
        gradients = self.gradients.valued(start.system.parameters)
        if start.system.equations is not self.model.equations:  # hidden constraints were found at this start
            gradients = replace(self.gradients, system=start.system)
        place = Place(start.time, start.q, start.v, start.z[: gradients.extra])
        point = 0.0 if value is None else float(value)
        if not self.steady:
            return self._point(point, start, *linearized(gradients, place))
        goal = self._goal(start)
        if self.known:
            near = self.known[min(self.known, key=lambda other: abs(other - point))]
            try:
                return self._point(point, start, *steady_motion(gradients, self._moved(near, place), self.kept, goal))
            except MathematicsError:  # the branch may end there: try again from the stated state
                pass
        return self._point(point, start, *steady_motion(gradients, place, self.kept, goal))

    def _goal(self, start: Start) -> Array:
        """Values to hold: coordinates and speeds as the model states them, not as the constraints corrected them."""
        n, values = start.system.n, initial_values(start.record)
        x = start.system.state(start.time, start.q, start.v, start.z)
        goal = self.kept.at(x, self.gradients.size)[0].copy()
        names = self.model.equations.coordinates
        for i, place in enumerate(self.kept.places):
            if place is not None and place < 2 * n:
                told = values.coordinates[names[place]] if place < n else values.speeds[names[place - n]]
                goal[i] = goal[i] if told is None else told
        return goal

    def _moved(self, near: FamilyState, stated: Place) -> Place:
        """A neighbour's state with the varied coordinate or speed at its new value."""
        names = self.model.equations.coordinates
        q, v = near.place.q.copy(), near.place.v.copy()
        bare = (self.vary or "").rstrip("'")
        if bare in names:
            part, new = (v, stated.v) if self.vary != bare else (q, stated.q)
            part[names.index(bare)] = new[names.index(bare)]
        return Place(stated.t, q, v, near.place.z)

    def _point(self, value: float, start: Start, found: Linearized, about: Steadiness) -> FamilyState:
        point = FamilyState(value, start, found, about, eigenvalues(found.linear.matrix))
        if self.steady:
            self.known[value] = point
        return point


def family(
    record: ModelRecord,
    method: str | None = None,
    vary: str | None = None,
    steady: bool = False,
    hold: Sequence[str] = (),
    inputs: Sequence[str] = (),
) -> Family:
    """Derive and compile the model. The varied parameter and the parameters that are inputs stay open."""
    open_ = [*inputs, *([vary] if vary is not None and vary in record.parameters else [])]
    model = prepared_once(record, method, open_)  # a search that needs many states is compiled on its way
    quasi: dict[str, Any] = {}
    if record.quasi_velocities:
        quasi = dict(System(record, numeric=True, open=model.open).quasi_velocities)
    symbols = {str(symbol): symbol for symbol in model.equations.parameters}
    few = vary is None and not steady
    gradients = Gradients(model.system, quasi, tuple(symbols[name] for name in inputs), few)
    return Family(model, gradients, _held(gradients, hold, vary if steady else None), vary, steady)


def _held(gradients: Gradients, names: Sequence[str], vary: str | None) -> Held:
    eq = gradients.system.equations
    known = {
        **dict(zip(eq.coordinates, eq.q, strict=True)),
        **{f"{name}'": v for name, v in zip(eq.coordinates, eq.v, strict=True)},
        **gradients.quasi,
        **eq.outputs,
    }
    for name in names:
        if name not in known:
            raise ModelError(
                "there is no coordinate, speed, quasi-velocity or definition {name} to hold{name2}.",
                name=name,
                name2=nearest_name(name, list(known)),
            )
    wanted = [*names, *([vary] if vary in known and vary not in names else [])]
    return held(gradients, {name: known[name] for name in wanted if name is not None})
