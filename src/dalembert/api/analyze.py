"""`analyze`: runs the parts of an analysis, one after the other, within one limit of time.

To add a part: (1) write a record that is a `results.analysis.Part`; (2) write a function `(Question) -> that record` in
a room below this one, or here if it needs motions; (3) add a line to PARTS, with its share of the time.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from time import perf_counter

from dalembert.analysis.question import Limit, Question
from dalembert.errors import MathematicsError, ModelError
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.prepared import require_closed
from dalembert.processes import uncollected
from dalembert.programs.functions import PAID, patience
from dalembert.results.analysis import Analysis, Part, Unanswered

LOG = logging.getLogger(__name__)
SECONDS = 24.0  # for all parts; the time that a part does not use goes to the parts after it

PARTS: dict[str, tuple[str, float]] = {  # name: module and function, share of the time
    "constraints": ("dalembert.analysis.constraints:constraints", 6.0),
    "free": ("dalembert.api.free:free", 9.0),
    "models": ("dalembert.api.models:models", 3.0),
    "conserved": ("dalembert.analysis.conserved:conserved", 8.0),
    "stability": ("dalembert.api.stability:stability", 2.0),
}


def analyze(
    record: ModelRecord,
    parts: Iterable[str] | None = None,
    *,
    inputs: Iterable[str] = (),
    checks: Iterable[str] = (),
    until: float | None = None,
    basis: Iterable[str] = (),
    quadratic: bool = False,
    seconds: float = SECONDS,
) -> Analysis:
    """Run `parts`, or all of them. A part whose mathematics fails says so, and the others still run."""
    from threadpoolctl import threadpool_limits

    names = _chosen(parts)
    if not seconds > 0:
        raise ModelError("the time for the analysis is {seconds:g} s; it must be greater than 0.", seconds=seconds)
    require_closed(record)
    limit, found, took = Limit(seconds), {}, {}
    for i, name in enumerate(names):
        module, share = PARTS[name]
        left = sum(PARTS[other][1] for other in names[i:])
        began = perf_counter()
        question = Question(
            record, limit.part(share / left), _several(inputs), _several(checks), until, _several(basis), quadratic
        )
        # The matrices are small: threads of BLAS cost more than they save, above all on a busy machine.
        with threadpool_limits(1, user_api="blas"), patience(PAID), uncollected():
            found[name] = _answered(name, module, question)
        took[name] = perf_counter() - began
        LOG.info("%s: %s answered in %.3f s", record.title or "model", name, took[name])
    return Analysis(found, tr(record.title), took)


def _answered(name: str, place: str, question: Question) -> Part:
    module, _, function = place.partition(":")
    try:
        return getattr(import_module(module), function)(question)
    except MathematicsError as error:
        return Unanswered(name, str(error))


def _chosen(asked: Iterable[str] | None) -> list[str]:
    if asked is None:
        return list(PARTS)
    names = list(dict.fromkeys(_several(asked)))
    for name in names:
        if name not in PARTS:
            near = get_close_matches(name, PARTS, 1)
            hint = (
                tr("did you mean {near}?", near=near[0]) if near else tr("known are {parts}.", parts=", ".join(PARTS))
            )
            raise ModelError("there is no part {name!r} of an analysis; {hint}", name=name, hint=hint)
    if not names:
        raise ModelError("no part of the analysis is asked for; there are {parts}.", parts=", ".join(PARTS))
    return names


def _several(asked: Iterable[str]) -> tuple[str, ...]:
    """One text alone stands for itself, not for its letters."""
    return (asked,) if isinstance(asked, str) else tuple(asked)
