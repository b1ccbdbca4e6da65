"""Steady motions as a part of `analyze`: the initial state, or the nearest steady motion, linearized."""

from __future__ import annotations

from dalembert.analysis.question import Question
from dalembert.api.linearize import here_and_nearest
from dalembert.errors import MathematicsError, ModelError
from dalembert.language import tr
from dalembert.results.stability import Stability


def stability(question: Question) -> Stability:
    """Eigenvalues and verdict at the initial state if it moves steadily, otherwise at the nearest steady state."""
    states = here_and_nearest(question.record)
    try:
        here = next(states)
    except ModelError as error:
        return Stability(None, False, str(error))
    if here.steady.holds:
        return Stability(here, True)
    try:
        return Stability(next(states), False)
    except MathematicsError as error:
        sentence = f"{str(error)[0].upper()}{str(error)[1:]}."
        return Stability(None, False, tr("The initial state is no steady motion. {sentence}", sentence=sentence))
