"""The picture of a linear system: its Bode diagram, and its outputs after a step of every input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.language import tr
from dalembert.results.control import Control
from dalembert.results.plots.style import COLOURS, INK, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.results.plots.figure import Picture

MOST = 10  # lines


def figure(control: Control) -> Picture:
    """A Matplotlib figure."""
    from matplotlib import rc_context

    from dalembert.results.plots.figure import blank

    with rc_context(STYLE):
        made = blank(10.5, 6.4)
        grid = made.add_gridspec(2, 2, width_ratios=(1.25, 1))
        size = made.add_subplot(grid[0, 0])
        phase = made.add_subplot(grid[1, 0], sharex=size)
        steps = made.add_subplot(grid[:, 1])
        _bode(size, phase, control)
        _steps(steps, control)
        title = control.title or tr("inputs and outputs")
        made.suptitle(title, x=0.012, ha="left", fontsize=12.5, fontweight="bold")
        made.legend(*size.get_legend_handles_labels(), loc="outside lower left", ncols=5, handlelength=1.4)
    return made


def _channels(control: Control) -> list[tuple[str, int, int]]:
    found = [
        (tr("{output} by {name}", output=output, name=name), i, j)
        for i, output in enumerate(control.outputs)
        for j, name in enumerate(control.inputs)
        if control.transfer(output, name).gain != 0.0
    ]
    return found[:MOST]


def _bode(size: Axes, phase: Axes, control: Control) -> None:
    from matplotlib.ticker import FuncFormatter

    omega = control.frequencies
    response = control.response(omega)
    for order, (label, i, j) in enumerate(_channels(control)):
        colour = COLOURS[order % len(COLOURS)]
        size.loglog(omega, np.abs(response[:, i, j]), color=colour, label=label)
        phase.semilogx(omega, np.degrees(np.unwrap(np.angle(response[:, i, j]))), color=colour)
    size.set_title(tr("amplitude, output over input"))
    size.tick_params(labelbottom=False)
    phase.set_title("phase [°]")
    phase.set_xlabel("frequency [rad/s]")
    size.yaxis.set_major_formatter(FuncFormatter(_plain))
    for place in (size, phase):
        place.margins(x=0)
        place.xaxis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: int) -> str:
    """Powers of ten as numbers, since the style has no formulas."""
    return f"{value:g}"


def _steps(place: Axes, control: Control) -> None:
    times, values = control.step()
    for order, (_, i, j) in enumerate(_channels(control)):
        place.plot(times, values[:, i, j], color=COLOURS[order % len(COLOURS)])
    place.axhline(0.0, color=INK, lw=0.8, zorder=1.5)
    place.set_title(tr("after a unit step of the input"))
    place.set_xlabel("t [s]")
    place.margins(x=0)
