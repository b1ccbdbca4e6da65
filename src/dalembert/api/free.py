"""Free motion with what the constraint forces cost along the motion, as a part of `analyze`.

Q^c of a constraint (λ ∂f/∂q̇, or what the model of constraint says): a controller that supplies it keeps the constraint
power Q^c·q̇,  work ∫ Q^c·q̇ dt,  effort ∫ |Q^c|² dt                                        (WangGao, section 2)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.analysis.free import free as free_states
from dalembert.analysis.question import Question
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError
from dalembert.results.free import Effort, Force, Free
from dalembert.results.motion import Motion
from dalembert.simulate.raw import uninterrupted

SAMPLES = 1001


def free(question: Question) -> Free:
    """The set of free states, and the constraint forces along the motion from the initial one."""
    found = free_states(question)
    if not found.chain:
        return found
    try:
        motion = uninterrupted(simulate(question.record, until=question.until, samples=SAMPLES))
    except MathematicsError as error:
        return replace(found, notes=(*found.notes, f"There is no motion to tell forces of: {error}."))
    return replace(found, effort=effort(motion))


def effort(motion: Motion) -> Effort:
    """What keeping each constraint takes along a motion, and all of them together."""
    forces = {name: parts for name, parts in motion.reactions.items() if name in motion.multipliers}
    names = list(motion.coordinates)
    rows = [_force(name, _table(motion, parts, names), motion) for name, parts in forces.items()]
    if len(rows) > 1:
        whole = sum(_table(motion, parts, names) for parts in forces.values())
        rows.append(_force("together", np.asarray(whole), motion))
    return Effort(float(motion.times[0]), float(motion.times[-1]), motion.method, tuple(rows))


def _table(motion: Motion, parts: object, names: list[str]) -> np.ndarray:
    still = np.zeros(len(motion.times))
    return np.column_stack([dict(parts).get(name, still) for name in names])  # type: ignore[call-overload]


def _force(name: str, Q: np.ndarray, motion: Motion) -> Force:
    from scipy.integrate import simpson

    v = np.column_stack([*motion.speeds.values()])
    power, square = (Q * v).sum(axis=1), (Q * Q).sum(axis=1)
    return Force(
        name,
        largest=float(np.sqrt(square.max(initial=0.0))),
        effort=float(simpson(square, x=motion.times)),
        work=float(simpson(power, x=motion.times)),
        power=float(np.abs(power).max(initial=0.0)),
    )
