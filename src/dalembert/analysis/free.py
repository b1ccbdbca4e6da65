"""Free motion as a part of `analyze`."""

from __future__ import annotations

import numpy as np

from dalembert.analysis.question import Question
from dalembert.constraint_models.free import free_motion
from dalembert.constraint_models.samples import Initial
from dalembert.formalisms import derive
from dalembert.model.values import initial_values
from dalembert.results.free import Condition, Free


def free(question: Question) -> Free:
    """From which states the constraints need no force."""
    record = question.record
    values = initial_values(record)
    names = tuple(record.coordinates)
    q = np.array([values.coordinates[name] for name in names])
    v = np.array([values.speeds[name] or 0.0 for name in names])
    given = np.array([values.speeds[name] is not None for name in names])
    found = free_motion(derive(record, "chetaev"), Initial(float(record.simulation.start), q, v, given))
    conditions = tuple(Condition(text, text, value) for text, value in found.conditions)
    return Free(found.here, found.always, conditions, found.reason)
