"""The last answers about a model, found by its identity: checking, evaluating, lowering and drawing ask the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from dalembert.model.record import ModelRecord

Found = TypeVar("Found")
KEPT = 4


def kept(function: Callable[[ModelRecord], Found]) -> Callable[[ModelRecord], Found]:
    """The function with a memory of its last few answers, which must not be changed. The memory keeps models alive."""
    recent: deque[tuple[ModelRecord, Found]] = deque(maxlen=KEPT)

    @wraps(function)
    def answer(model: ModelRecord) -> Found:
        for known, found in tuple(recent):
            if known is model:
                return found
        found = function(model)
        recent.append((model, found))
        return found

    return answer
