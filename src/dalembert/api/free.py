"""Free motion as a part of `analyze`: the set of free states, and the forces that the constraints need elsewhere."""

from __future__ import annotations

from dataclasses import replace

from dalembert.analysis.free import free as free_states
from dalembert.analysis.question import Question
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError
from dalembert.motions.raw import uninterrupted
from dalembert.results.free import Free

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
    return replace(found, effort=motion.effort())
