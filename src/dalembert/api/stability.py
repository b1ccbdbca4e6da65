"""Steady motions as a part of `analyze`: the initial state, or the nearest steady motion, linearized."""

from __future__ import annotations

from dalembert.analysis.question import Question
from dalembert.api.linearize import here_and_nearest
from dalembert.errors import MathematicsError
from dalembert.language import tr
from dalembert.results.stability import Stability


def stability(question: Question) -> Stability:
    """Eigenvalues and verdict at the initial state if it moves steadily, otherwise at the nearest steady state."""
    record = question.record
    if record.contacts or record.frictions:
        return Stability(
            None, False, tr("Contacts and frictions switch, so that there is no linearization for all of them.")
        )
    states = here_and_nearest(record)
    here = next(states)
    if here.steady.holds:
        return Stability(here, True)
    try:
        return Stability(next(states), False)
    except MathematicsError as error:
        sentence = f"{str(error)[0].upper()}{str(error)[1:]}."
        return Stability(None, False, tr("The initial state is no steady motion. {sentence}", sentence=sentence))
