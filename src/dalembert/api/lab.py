"""`model.lab()`: a model in a notebook, with sliders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from dalembert.api.prepare import prepare
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.results.motion import Motion
from dalembert.view.animation import Animation
from dalembert.view.controls import controls
from dalembert.view.scene import scene
from dalembert.view.stage import Stage

if TYPE_CHECKING:
    from dalembert.view.widget import Lab

INSTANTS = 1500  # largest number of instants at which a motion is drawn


def lab(
    record: ModelRecord,
    names: Iterable[str] | None = None,
    method: str | None = None,
    over: str | None = None,
    until: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Lab:
    """The widget. Both methods are derived once, so a move of a slider costs only a motion and its picture."""
    from dalembert.view.animation import widgets

    runs = [prepare(record, name) for name in ([method] if over is None else [method, over])]
    stage = Stage.of(record)

    def follow(values: Mapping[str, float]) -> list[Motion]:
        return [run.motion(values, until=until) for run in runs]

    def draw(motion: Motion) -> dict[str, Any]:
        shown: Animation = motion.animate()
        return scene(motion, shown.record, stage, most=INSTANTS)

    return widgets().Lab(_chosen(record, names), follow, draw, equations=False, **(options or {}))


def _chosen(record: ModelRecord, names: Iterable[str] | None) -> list[dict[str, Any]]:
    """The requested sliders; by default all parameters and initial values that the model states."""
    offered = {control["name"]: control for control in controls(record)}
    if names is None:
        return [control for control in offered.values() if control["value"] is not None]
    for name in (chosen := list(names)):
        if name not in offered:
            near = get_close_matches(name, offered, 1)
            hint = (
                tr("did you mean {near}?", near=near[0])
                if near
                else tr("known are {offered}.", offered=", ".join(offered))
            )
            raise ModelError("lab: there is no {name} to set; {hint}", name=name, hint=hint)
    return [offered[name] for name in chosen]
