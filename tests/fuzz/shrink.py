"""Reduces a failing case, as long as it fails in the same way."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fuzz.cases import Case, Model
from fuzz.judge import Verdict, judge

SHORT = 0.05  # seconds: the motion is not made shorter
OPTIONAL = ("forces", "contacts", "constraints", "frictions", "bodies")


def shrunk(verdict: Verdict, seconds: float = 60.0) -> Verdict:
    """The smallest case found within the time. A case with a formula is not changed: it fits this case only."""
    best = verdict
    if verdict.case.exact is not None or verdict.case.instead is not None:
        return best
    ends = time.monotonic() + seconds
    again = True
    while again and time.monotonic() < ends:
        again = False
        for smaller in _smaller(best.case):
            if time.monotonic() > ends:
                break
            tried = _tried(smaller)
            if tried is not None and tried.kind == best.kind:
                best, again = tried, True
                break
    return best


def _tried(case: Case) -> Verdict | None:
    """The verdict, or None if the reduced model is invalid or has no reference."""
    try:
        return judge(case, laws=False)
    except Exception:  # noqa: BLE001 - a part was left out that another needs
        return None


def _smaller(case: Case) -> Iterator[Case]:
    model = case.model
    for table in OPTIONAL:
        for name in model.get(table, {}):
            changed = copy.deepcopy(model)
            del changed[table][name]
            if not changed[table]:
                del changed[table]
            yield replace(case, model=changed)
    if case.until > SHORT:
        yield replace(case, until=0.5 * case.until)
    for path in _numbers(model, ()):
        for digits in (0, 1):
            value = _at(model, path)
            rounded = round(value, digits)
            if rounded != value:
                changed = copy.deepcopy(model)
                _at(changed, path[:-1])[path[-1]] = rounded
                yield replace(case, model=changed)


def _numbers(part: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _numbers(value, (*path, key))
    elif isinstance(part, list):
        for key, value in enumerate(part):
            yield from _numbers(value, (*path, key))
    elif isinstance(part, float):
        yield path


def _at(model: Model, path: tuple[Any, ...]) -> Any:
    found: Any = model
    for key in path:
        found = found[key]
    return found
