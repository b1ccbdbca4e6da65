"""`compare`: the same state and motion by every applicable method, and which methods agree.

Methods of the same model of constraint are compared state by state along one motion, so that a motion that is
sensitive to rounding does not count against them. Models of constraint that differ (WangGao) are compared by their
motions from the same state: equal accelerations at one instant would say little about the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import CHETAEV, applicable, default_method, method
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.motions.accelerations import solve_accelerations
from dalembert.motions.raw import uninterrupted
from dalembert.prepared import prepare, require_closed
from dalembert.results.comparison import AGREED, Answer, Comparison
from dalembert.results.motion import Motion

SAMPLES = 101
STATES = 11  # samples of the motion at which accelerations are compared
TOLERANCE = 1e-12  # tolerance of the motions that are compared


def compare(
    record: ModelRecord, methods: Iterable[str] | None = None, until: float | None = None, samples: int | None = None
) -> Comparison:
    """Compare `methods`, or all that apply. The first method that has an answer is the reference."""
    names = _chosen(record, methods)
    require_closed(record)
    answers = {name: _answer(record, name, until, samples) for name in names}
    able = [name for name in names if answers[name].motion is not None] or [n for n in names if answers[n].state]
    if not able:
        raise MathematicsError("no method has an answer for this model: {error}", error=answers[names[0]].error)
    own = default_method(record)
    reference = own if own in able else able[0]
    found = {name: _measured(record, answer, answers[reference]) for name, answer in answers.items()}
    motion = found[reference].motion
    return Comparison(
        answers=found,
        reference=reference,
        groups=_groups(found, reference),
        start=float(record.simulation.start),
        end=float(record.simulation.start) if motion is None else float(motion.times[-1]),
        samples=0 if motion is None else len(motion.times),
        notes=_notes(found),
        title=tr(record.title),
    )


def _chosen(record: ModelRecord, asked: Iterable[str] | None) -> list[str]:
    if asked is None:
        return applicable(record)
    names = list(dict.fromkeys(asked))
    if not names:
        raise ModelError("no method is named to compare; name some, or none at all for every one that takes the model.")
    for name in names:
        method(name)  # refuses an unknown name, and names the nearest one
    return names


def _answer(record: ModelRecord, name: str, until: float | None, samples: int | None) -> Answer:
    model = "chetaev" if name in CHETAEV else name
    try:
        state = solve(record, name)
    except MathematicsError as error:
        return Answer(name, model, error=str(error))
    try:
        tolerance = min(TOLERANCE, record.simulation.tolerance)
        motion = uninterrupted(simulate(record, name, until=until, samples=samples or SAMPLES, tolerance=tolerance))
    except MathematicsError as error:
        return Answer(name, model, state, error=str(error))
    return Answer(name, model, state, motion)


def _measured(record: ModelRecord, answer: Answer, reference: Answer) -> Answer:
    """The answer, completed by its differences from the reference."""
    if answer.state is None or reference.state is None:
        return answer
    apart = _apart(_row(answer.state.accelerations), _row(reference.state.accelerations))
    forces = _apart(_row(answer.control_forces), _row(reference.control_forces))
    answer = replace(answer, accelerations=apart, control=forces)
    if answer.motion is None or reference.motion is None:
        return answer
    one_sided = record.contacts or record.frictions  # their accelerations depend on the mode: the motions tell
    if answer.model == reference.model and answer.method in CHETAEV and not one_sided:
        apart = max(apart, _along(record, answer.method, reference.motion))
    shared = min(len(answer.motion.times), len(reference.motion.times))  # an event may have stopped one of them
    moved = _apart(_table(answer.motion)[:shared], _table(reference.motion)[:shared])
    return replace(answer, accelerations=apart, coordinates=moved)


def _along(record: ModelRecord, name: str, motion: Motion) -> float:
    """The largest difference between this method's accelerations and those of a motion, at the states of the motion."""
    system = prepare(record, name, often=False).system
    places = np.unique(np.linspace(0, len(motion.times) - 1, STATES).astype(int))
    X = system.state(motion.times, _table(motion), np.column_stack([*motion.speeds.values()]))[places]
    a = np.array([solve_accelerations(system, x).a for x in X])
    return _apart(a, np.column_stack([*motion.accelerations.values()])[places])


def _groups(answers: dict[str, Answer], reference: str) -> tuple[tuple[str, ...], ...]:
    """Group the methods: those that agree with the reference, then those that agree with the first one left, …"""
    left = [name for name, answer in answers.items() if answer.state is not None]
    left.sort(key=lambda name: name != reference)
    groups: list[tuple[str, ...]] = []
    while left:
        first = answers[left[0]]
        group = tuple(name for name in left if _agree(answers[name], first, left[0] == reference))
        groups.append(group)
        left = [name for name in left if name not in group]
    return tuple(groups)


def _agree(answer: Answer, first: Answer, measured: bool) -> bool:
    if answer.method == first.method:
        return True
    if answer.state is None or first.state is None:
        return False
    if answer.model == first.model:  # the same equations: compared along one motion
        if measured and answer.accelerations is not None and answer.control is not None:
            return max(answer.accelerations, answer.control) <= AGREED
        return _apart(_row(answer.state.accelerations), _row(first.state.accelerations)) <= AGREED
    if answer.motion is None or first.motion is None:
        return False
    shared = min(len(answer.motion.times), len(first.motion.times))
    return _apart(_table(answer.motion)[:shared], _table(first.motion)[:shared]) <= AGREED


def _notes(answers: dict[str, Answer]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for answer in answers.values():
        for note in (*(answer.state.notes if answer.state else ()), *(answer.motion.notes if answer.motion else ())):
            found.setdefault(note)
    return tuple(found)


def _apart(values: np.ndarray, others: np.ndarray) -> float:
    """The largest difference, relative to the largest value if that is more than one."""
    scale = max(1.0, float(np.abs(others).max(initial=0.0)))
    return float(np.abs(values - others).max(initial=0.0)) / scale


def _row(numbers: Mapping[str, float]) -> np.ndarray:
    return np.array(list(numbers.values()))


def _table(motion: Motion) -> np.ndarray:
    return np.column_stack([*motion.coordinates.values()])
