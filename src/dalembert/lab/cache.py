"""What a worker keeps from one request to the next: models that it has read, and those that it has compiled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.counters import WORK

if TYPE_CHECKING:
    from dalembert.equations import Equations
    from dalembert.model.record import Model
    from dalembert.prepared import Prepared
    from dalembert.view.stage import Stage

MODELS, COMPILED = 32, 8


_beside: Path | None = None  # the lab's folder: meshes of models stand there


def look_beside(folder: Path | None) -> None:
    """Let models read their meshes from a folder."""
    global _beside
    _beside = folder


class Kept:
    """The `most` things asked for last, each made when it is first asked for."""

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


_models, _derived, _compiled, _stages = Kept(MODELS), Kept(COMPILED), Kept(COMPILED), Kept(COMPILED)


def model(text: str) -> Model:
    """The model of a text; faults are ModelError."""
    from dalembert.model.read import read_text

    return _models.get(text, lambda: read_text(text, folder=_beside))


def derived(text: str, method: str | None) -> Equations:
    """The equations of the model of a text, in symbols, for reading."""
    from dalembert.api.derive import derive

    return _derived.get((text, method), lambda: derive(model(text), method).equations)


def compiled(text: str, method: str | None) -> Prepared:
    """The model of a text, derived by a method and compiled, with every parameter left open."""
    from dalembert.prepared import prepared

    return _compiled.get((text, method), lambda: prepared(model(text), method))


def stage(text: str) -> Stage:
    """What of the model of a text is drawn, compiled with every parameter left open."""
    from dalembert.view.stage import Stage

    return _stages.get(text, lambda: Stage.of(model(text)))


def work() -> dict[str, int]:
    """How many derivations and compilations this process has made so far."""
    return {"derived": WORK["derived"], "compiled": WORK["compiled"]}
