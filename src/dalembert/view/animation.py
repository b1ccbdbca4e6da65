"""A motion that can be played in a page, in a notebook, or as a film."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.report.html import equations_fragment
from dalembert.report.latex import fragment
from dalembert.results.motion import Motion
from dalembert.results.write import placed
from dalembert.view.film import gif, mp4
from dalembert.view.instants import course
from dalembert.view.laboratory import engine_text, laboratory
from dalembert.view.outlook import screen
from dalembert.view.page import page
from dalembert.view.scene import scene
from dalembert.view.stage import Stage

if TYPE_CHECKING:
    from dalembert.view.widget import Player

LONGEST = 600_000  # characters of equations; those of a bicycle fit


@dataclass(frozen=True, repr=False)
class Animation:
    """The animated page of a motion. A notebook displays it. `options` are those of the player."""

    motion: Motion
    record: ModelRecord
    options: Mapping[str, Any] = field(default_factory=dict)
    height: int = 720  # in a notebook, in pixels

    def __repr__(self) -> str:
        return f"<Animation of {self.motion!r}>"

    @cached_property
    def scene(self) -> dict[str, Any]:
        equations = derive(self.record, self.motion.method)
        return scene(self.motion, self.record, equations=shown(equations)) | {"latex": copied(equations)}

    def ways(self) -> tuple[tuple[str, str], dict[str, np.ndarray]]:
        """The path of every moving body in the plane of the screen, and the names of that plane's axes."""
        run = course(self.motion)
        stage = Stage.of(self.record)
        times = np.unique(np.concatenate([np.linspace(run.start, run.end, 2000), run.times]))
        drawn = stage.drawn(stage.states(self.record, times, *run.at(times), self.motion))
        places = {name: drawn[f"body {name}"][:, :3] for name in self.record.bodies}
        moving = {name: way for name, way in places.items() if np.ptp(way, axis=0).max(initial=0.0) > 0}
        right, up = screen(list(moving.values()))
        return ("xyz"[right], "xyz"[up]), {name: way[:, [right, up]] for name, way in moving.items()}

    def html(self) -> str:
        """One self-contained file. Its sliders compute other motions if a page can compute the model."""
        try:
            found, why = laboratory(self.record, self.motion.method) | {"engine": engine_text()}, ""
        except (ModelError, MathematicsError) as error:
            found, why = None, str(error).rstrip(".")
        return page(self.scene, self.options, found, why)

    def widget(self, over: Motion | None = None) -> Player:
        """The animation as a widget that Python can move: `widget.time = 2`. `over` is a second motion, as a ghost."""
        ghost = {} if over is None else scene(over, over.animate().record)
        start = self.options.get("time", float(self.motion.times[0]))
        made: Player = widgets().Player(scene=self.scene, ghost=ghost, options=dict(self.options), time=start)
        return made

    def gif(self) -> bytes:
        """The motion as a moving picture, without plots and forces."""
        return gif(self.scene)

    def mp4(self) -> bytes:
        """The same as H.264 video, which needs the extra `film`."""
        return mp4(self.scene)

    def save(self, path: str | Path) -> None:
        def written(beside: Path) -> None:
            beside.write_text(self.html(), encoding="utf-8")

        placed(Path(path), written)

    def _repr_html_(self) -> str:
        """A frame that runs its own scripts and cannot reach the notebook around it."""
        title = escape(tr(self.record.title or "Motion"), quote=True)
        style = f"width:100%;height:{self.height}px;border:0"
        return (
            f'<iframe sandbox="allow-scripts" title="{title}" style="{style}" '
            f'srcdoc="{escape(self.html(), quote=True)}"></iframe>'
        )


def widgets() -> ModuleType:
    """The widgets of notebooks. Only these need the package anywidget."""
    try:
        import anywidget  # noqa: F401
    except ImportError:
        raise ModelError("Widgets need the package anywidget: pip install dalembert[notebook].") from None
    from dalembert.view import widget

    return widget


def shown(equations: Equations) -> str:
    """The equations of motion in MathML, or a sentence if they are too long."""
    found = equations_fragment(equations)
    if len(found) <= LONGEST:
        return found
    return "<p>The equations of this model are long; <span>derive --format html</span> writes them as a page.</p>"


def copied(equations: Equations) -> str:
    """The same in LaTeX, to be copied. Empty if too long."""
    found = fragment(equations)
    return found if len(found) <= LONGEST // 6 else ""


def animation(record: ModelRecord, motion: Motion, **options: Any) -> Animation:
    """The answer of `Motion.animate`."""
    height = options.pop("height", 720)
    return Animation(motion, record, options, height)
