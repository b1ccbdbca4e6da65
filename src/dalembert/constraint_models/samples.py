"""Sample states on the constraints near the initial one, at which identities and generic ranks are tested."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dalembert.errors import MathematicsError
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from dalembert.motions.initial import consistent
from dalembert.programs.system import CompiledSystem

COUNT = 5


@dataclass(frozen=True, slots=True)
class Initial:
    """The initial state of the model. `given` marks the speeds that the model states."""

    time: float
    q: np.ndarray
    v: np.ndarray
    given: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))


def initial(record: ModelRecord) -> Initial:
    """The initial state as the model gives it."""
    values, names = initial_values(record), tuple(record.coordinates)
    q = np.array([values.coordinates[name] for name in names])
    v = np.array([values.speeds[name] or 0.0 for name in names])
    given = np.array([values.speeds[name] is not None for name in names])
    return Initial(float(record.simulation.start), q, v, given)


def samples(system: CompiledSystem, start: Initial) -> np.ndarray:
    """The consistent initial state, then states near it that satisfy the constraints and lie inside every domain."""
    q, v, _ = consistent(system, start.q, start.v, start.given, False, start.time, start.z)
    chance = np.random.default_rng(5)
    states = [system.state(start.time, q, v, start.z)]
    given = np.ones(system.n, dtype=bool)
    later = _holds_time(system)
    for _ in range(6 * COUNT):
        t = start.time + (chance.uniform(0.05, 0.4) if later else 0.0)
        near_q, near_v = q + chance.uniform(-0.4, 0.4, system.n), v + chance.uniform(-0.5, 0.5, system.n)
        try:
            q1, v1, _ = consistent(system, near_q, near_v, given, False, t, start.z)
        except MathematicsError:
            continue
        x = system.state(t, q1, v1, start.z)
        if np.isfinite(system.dynamics(x)).all():
            states.append(x)
        if len(states) == COUNT:
            break
    return np.array(states)


def _holds_time(system: CompiledSystem) -> bool:
    eq = system.equations
    entries = (*eq.d, *eq.b, *eq.psi, *(e for row in (*eq.D, *eq.A, *(eq.R or ())) for e in row))
    return any(eq.t in e.free_symbols for e in entries)
