"""The default picture of a motion: panels of coordinates, speeds, reactions, definitions and energy over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.results.lines import CHANGE, with_jumps
from dalembert.results.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0b6e99", "#d9480f", "#2b8a3e", "#862e9c", "#c92a2a", "#5f3dc4", "#0c8599", "#a16207", "#495057", "#d6336c")
INK, FAINT = "#343a40", "#adb5bd"
STYLE: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": "#e9ecef",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
MOST_LINES = 10  # in one panel
KINDS = {  # of events: colours
    "impact": "#e03131", "chatter": "#9c36b5", "contact": "#1971c2", "liftoff": "#66a80f", "stick": "#f08c00",
    "slip": "#0ca678", "crossing": "#868e96",
}  # fmt: skip


def figure(motion: Motion, names: Sequence[str] | None = None) -> Figure:
    """A Matplotlib figure; with `names`, one panel for each of them."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = _panels(motion) if names is None else [(name, {name: motion[name]}) for name in names]
    columns = 1 if len(panels) < 3 else 2
    rows = -(-len(panels) // columns)
    with rc_context(STYLE):
        made = Figure(figsize=(5.6 * columns, 0.7 + 2.3 * rows), layout="constrained")
        FigureCanvasAgg(made)
        grid = made.subplots(rows, columns, squeeze=False, sharex=True)
        for place, (title, lines) in zip(grid.flat, panels, strict=False):
            _draw(place, title, lines, motion)
        for place in list(grid.flat)[len(panels) :]:
            place.set_visible(False)
        for column in range(columns):
            last = [place for place in grid[:, column] if place.get_visible()][-1]
            last.set_xlabel("t")
            last.tick_params(labelbottom=True)
        made.suptitle(motion.title or "Motion", x=0.01, ha="left", fontsize=12, fontweight="bold")
        _footing(made, motion)
        _kinds(made, motion)
    return made


def _panels(motion: Motion) -> list[tuple[str, Mapping[str, np.ndarray]]]:
    total = motion.energy["total"]
    found = [
        ("coordinates", motion.coordinates),
        ("speeds", {f"{name}'": values for name, values in motion.speeds.items()}),
        ("definitions", motion.definitions),
        ("multipliers", motion.multipliers),
        ("energy", motion.energy),
        ("energy, change of the total", {CHANGE: total - total[0]}),
    ]
    return [(title, lines) for title, lines in found if lines]


def _draw(place: Any, title: str, lines: Mapping[str, np.ndarray], motion: Motion) -> None:
    shown = list(lines.items())[:MOST_LINES]
    few = "o" if len(motion.times) < 4 else None
    drawn = []
    for (name, values), colour in zip(shown, COLOURS, strict=False):
        unit = motion.unit(name)
        times, line = with_jumps(motion, title, name, values)
        drawn.append(line)
        place.plot(times, line, color=colour, marker=few, ms=3, label=f"{name} [{unit}]" if unit else name)
    for kind in dict.fromkeys(event.kind for event in motion.events):
        when = [event.time for event in motion.events if event.kind == kind]
        bottom_to_top = place.get_xaxis_transform()
        place.vlines(
            when, 0, 1, KINDS.get(kind, FAINT), (0, (4, 3)), lw=0.6, alpha=0.5, zorder=1.6, transform=bottom_to_top
        )
    rest = len(lines) - len(shown)
    place.set_title(f"{title} (the first {MOST_LINES} of {len(lines)})" if rest > 0 else title)
    if len(motion.times) > 1:
        place.set_xlim(motion.times.min(), motion.times.max())
    _limits(place, drawn)
    place.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=False)
    place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2, borderaxespad=0.2)


def _limits(place: Any, rows: Sequence[np.ndarray]) -> None:
    """Room above and below; a line that is constant up to rounding stays in the middle instead of filling the panel."""
    low, high = min(float(np.nanmin(row)) for row in rows), max(float(np.nanmax(row)) for row in rows)
    size = max(abs(low), abs(high))
    if high - low <= 1e-11 * size:
        low, high = low - 0.05 * size, high + 0.05 * size
    if high == low:
        low, high = low - 1.0, high + 1.0
    place.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))


def _footing(made: Figure, motion: Motion) -> None:
    about = motion.diagnostics
    parts = [f"method {motion.method}", motion.status, f"{about.steps} steps"]
    if motion.multipliers:
        parts.append(f"constraint residual {about.constraint_residual:.1e}")
    made.supxlabel(" · ".join(parts), x=0.99, ha="right", fontsize=7.5, color="#868e96")


def _kinds(made: Figure, motion: Motion) -> None:
    """What the dashed lines mark: the kinds of events, with the names of what they happened to."""
    from matplotlib.lines import Line2D

    handles = []
    for kind in dict.fromkeys(event.kind for event in motion.events):
        names = list(dict.fromkeys(event.name for event in motion.events if event.kind == kind))
        told = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
        handles.append(Line2D([], [], color=KINDS.get(kind, FAINT), ls=(0, (4, 3)), lw=1.2, label=f"{kind}: {told}"))
    if handles:
        made.legend(handles=handles, loc="outside lower left", ncols=4, fontsize=7.5, handlelength=2.2)
