"""A worker's memory between requests: models that it has read, and those that it has compiled.

Equations keep their notes in the language in which they were derived.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.counters import WORK
from dalembert.language import language

if TYPE_CHECKING:
    from dalembert.equations import Equations
    from dalembert.model.record import ModelRecord
    from dalembert.prepared import Prepared
    from dalembert.view.stage import Stage

MODELS, COMPILED = 32, 8
FIRST = "rolling-disk"  # the model that the page opens with: every worker has it ready


_beside: Path | None = None  # the lab's folder, from which models read meshes and data


def look_beside(folder: Path | None) -> None:
    """Let models read meshes and data from a folder."""
    global _beside
    _beside = folder


class RecentResults:
    """The last `most` results. Each is made on first request."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._things: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        if key not in self._things:
            self._things[key] = make()
        self._things.move_to_end(key)
        while len(self._things) > self.most:
            self._things.popitem(last=False)
        return self._things[key]


_models, _derived, _compiled, _stages = (
    RecentResults(MODELS),
    RecentResults(COMPILED),
    RecentResults(COMPILED),
    RecentResults(COMPILED),
)


def model(text: str) -> ModelRecord:
    """The model of a text. Faults raise a ModelError."""
    from dalembert.model.read import read_text

    return _models.get(text, lambda: read_text(text, folder=_beside))


def derived(text: str, method: str | None) -> Equations:
    """The equations of the model of a text, in symbols, to be displayed."""
    from dalembert.api.derive import derive

    return _derived.get((text, method, language()), lambda: derive(model(text), method).equations)


def compiled(text: str, method: str | None) -> Prepared:
    """The model of a text, derived by a method and compiled for all values of its parameters."""
    from dalembert.prepared import prepared

    return _compiled.get((text, method, language()), lambda: prepared(model(text), method))


def stage(text: str) -> Stage:
    """The stage of the model of a text: the functions for drawing, compiled for all values of its parameters."""
    from dalembert.view.stage import Stage

    return _stages.get(text, lambda: Stage.of(model(text)))


def work() -> dict[str, int]:
    """The number of derivations and compilations of this process so far."""
    return {"derived": WORK["derived"], "compiled": WORK["compiled"]}
