"""A player and a lab as widgets of a notebook (anywidget): the same player as in pages, moved by the kernel.

`animation.widget()` is a `Player`, `model.lab()` a `Lab`. They work in Jupyter, VS Code, Colab and marimo. Nothing is
fetched: three.js and the player travel with the widget. Sliders ask the kernel, which follows the motion again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import traitlets

from dalembert.errors import DalembertError
from dalembert.results.motion import Motion
from dalembert.view.assets import own, player_script, player_style, three

Scene = dict[str, Any]
Follow = Callable[[Mapping[str, float]], Sequence[Motion]]

# three.js asks whether a loader of modules is there, and a notebook has one. It must not find it.
_ONCE = """if (!globalThis.dalembert?.mountPlayer) (function (exports, module, define) {{
{three}
{player}
}}).call(globalThis);
{widget}"""


def script() -> str:
    """One module: three.js and the player, which define globals once a page, then the widget."""
    return _ONCE.format(three=three(), player=player_script(), widget=own("widget.js"))


def style() -> str:
    return player_style() + own("widget.css")


class Player(anywidget.AnyWidget):
    """A motion that plays. `time` is where it stands; set it to move there. `ghost` is a second motion over it."""

    _esm = script()
    _css = style()
    scene = traitlets.Dict().tag(sync=True)
    ghost = traitlets.Dict().tag(sync=True)  # empty: there is none
    options = traitlets.Dict().tag(sync=True)
    time = traitlets.Float(0.0).tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)  # a refusal, shown over the picture
    sliders: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)


class Lab(Player):
    """A model with sliders. Every change of `values`, by a slider or from Python, follows the motion again.

    `motion` is the motion that is shown, and `over` the second one, if there is one. A refusal leaves the last motion
    on screen and stands in `said`.
    """

    motion: Motion
    over: Motion | None

    def __init__(
        self, sliders: list[dict[str, Any]], follow: Follow, draw: Callable[[Motion], Scene], **options: Any
    ) -> None:
        self._follow, self._draw = follow, draw
        values = {control["name"]: control["value"] for control in sliders if control["value"] is not None}
        super().__init__(sliders=sliders, options=options, **self._shown({}))
        self.set_trait("values", values)
        self.observe(self._changed, "values")

    def _shown(self, values: Mapping[str, float]) -> dict[str, Scene]:
        self.motion, *others = self._follow(values)
        self.over = others[0] if others else None
        return {"scene": self._draw(self.motion), "ghost": {} if self.over is None else self._draw(self.over)}

    def _changed(self, change: Mapping[str, Any]) -> None:
        try:
            shown = self._shown(_differing(change["new"], self.sliders))
        except DalembertError as error:
            self.said = str(error)
            return
        with self.hold_sync():
            self.said, self.scene, self.ghost = "", shown["scene"], shown["ghost"]


def _differing(values: Mapping[str, float], sliders: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What is not as the model states it: a value that follows a parameter goes on following it."""
    stated = {control["name"]: control["value"] for control in sliders}
    return {name: value for name, value in values.items() if value != stated.get(name)}
