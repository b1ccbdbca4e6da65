"""A player and a lab as widgets of a notebook (anywidget). The player is that of pages, controlled by the kernel.

`animation.widget()` is a `Player`, `model.lab()` a `Lab`. They work in Jupyter, VS Code, Colab and marimo. Nothing is
fetched: the widget contains three.js and the player. Sliders ask the kernel, which computes the motion again.
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

# These arguments hide the notebook's module loader from three.js, which would use it.
_ONCE = """if (!globalThis.dalembert?.mountPlayer) (function (exports, module, define) {{
{three}
{player}
}}).call(globalThis);
{widget}"""


def script() -> str:
    """One module: three.js and the player, which define globals once per page, then the widget."""
    return _ONCE.format(three=three(), player=player_script(), widget=own("widget.js"))


def style() -> str:
    return player_style() + own("widget.css")


class Player(anywidget.AnyWidget):
    """A motion that plays. Set `time` to move it. `ghost` is a second motion over it."""

    _esm = script()
    _css = style()
    scene = traitlets.Dict().tag(sync=True)
    ghost = traitlets.Dict().tag(sync=True)  # empty if there is no second motion
    options = traitlets.Dict().tag(sync=True)
    time = traitlets.Float(0.0).tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)  # a refusal, shown over the picture
    sliders: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)


class Lab(Player):
    """A model with sliders. Every change of `values`, by a slider or from Python, computes the motion again.

    `motion` is the motion on screen, and `over` the second one, if any. After a refusal the last motion stays on
    screen, and `said` has the sentence.
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
    """The values that differ from the model. A value that depends on a parameter continues to follow it."""
    stated = {control["name"]: control["value"] for control in sliders}
    return {name: value for name, value in values.items() if value != stated.get(name)}
