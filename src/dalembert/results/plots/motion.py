"""Pictures of a motion over time: panels of coordinates, speeds, definitions, reactions, residuals and energy.

A panel holds at most six lines. They have one unit and similar sizes, so that no line is flattened by another. Each
name that the caller gives has its own panel. Residuals are rounding noise, so the greatest value so far is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import Sentences, tr
from dalembert.results.lines import CHANGE, with_jumps
from dalembert.results.motion import Motion
from dalembert.results.plots.style import COLOURS, FAINT, KINDS, SOFT, STYLE

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

MOST_LINES = 6  # in one panel
MOST_PANELS = 12
ALIKE = 25.0  # sizes within this factor share a panel
ENERGIES: Sentences = {"kinetic": "kinetic", "potential": "potential", "total": "total"}
LOWEST = 1e-18  # smallest residual on the logarithmic scale
ROUNDING = 1e-13  # relative to the largest line: a smaller one counts as zero and gets no panel of its own


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    key: str  # the kind of lines, used to find their jumps
    lines: Mapping[str, np.ndarray]
    logarithmic: bool = False
    more: int = 0  # number of lines that were left out


def figure(motion: Motion, names: Sequence[str] | None = None, kind: str = "time", of: Sequence[str] = ()) -> Picture:
    """A Matplotlib figure: over `time`, in the `phase` plane or along a `path`."""
    motion = motion.in_units()
    if kind == "time":
        chosen = [Panel(name, "", {name: quantity(motion, name)}) for name in names or of] or panels(motion)
        return _over_time(motion, chosen)
    from dalembert.results.plots.portraits import path, phase

    if kind not in ("phase", "path"):
        raise ModelError("{kind!r} is no kind of picture; time, phase and path are.", kind=kind)
    return (phase if kind == "phase" else path)(motion, tuple(names or ()) + tuple(of))


def quantity(motion: Motion, name: str) -> np.ndarray:
    """A quantity of the motion by name. Refuse names that are unknown or have no numbers."""
    try:
        found = motion[name]
    except KeyError as error:
        raise ModelError(f"{error.args[0]}.") from None
    if found.dtype.kind not in "fiu":
        raise ModelError(
            "{name} has words as values and cannot be drawn over time; name a quantity that has numbers.", name=name
        )
    return found


def panels(motion: Motion) -> list[Panel]:
    total = motion.energy["total"]
    drift = float(np.abs(total - total[0]).max(initial=0.0)) if len(total) else 0.0
    order = np.argsort(motion.times, kind="stable")
    residuals = {name: _greatest(values, order) for name, values in motion.residuals.items() if np.any(values != 0)}
    speeds = {f"{name}'": values for name, values in motion.speeds.items()}
    found = [
        *_grouped(motion, tr("coordinates"), motion.coordinates),
        *_grouped(motion, tr("speeds"), speeds),
        *_grouped(motion, tr("definitions"), motion.definitions),
        *_grouped(motion, tr("states"), motion.states),
        *_grouped(motion, tr("inputs"), motion.inputs),
        *_grouped(motion, tr("reactions (multipliers)"), motion.multipliers),
        *([Panel(tr("energy"), "energy", motion.energy)] if np.any(total != 0) or drift else []),
        *([Panel(tr("change of the energy"), "change", {CHANGE: total - total[0]})] if drift else []),
        *(
            [Panel(tr("residuals of the constraints, the greatest so far"), "", *_first(residuals, True))]
            if residuals
            else []
        ),
    ]
    return found[:MOST_PANELS]


def _greatest(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    so_far = np.empty(len(values))
    so_far[order] = np.maximum.accumulate(np.maximum(np.abs(values[order]), LOWEST))
    return so_far


def _first(lines: Mapping[str, np.ndarray], logarithmic: bool) -> tuple[Mapping[str, np.ndarray], bool, int]:
    """The largest of the lines, as many as one panel holds."""
    order = sorted(lines, key=lambda name: -float(lines[name].max(initial=0.0)))
    kept = {name: lines[name] for name in lines if name in order[:MOST_LINES]}
    return kept, logarithmic, len(lines) - len(kept)


def _grouped(motion: Motion, title: str, lines: Mapping[str, np.ndarray]) -> list[Panel]:
    """Distribute lines over panels: by unit, then by size, then by number."""
    by_unit: dict[str, list[str]] = {}
    for name in lines:
        by_unit.setdefault(motion.unit(name), []).append(name)
    groups = [part for names in by_unit.values() for alike in _alike(names, lines) for part in _chunks(alike)]
    return [Panel(title, "", {name: lines[name] for name in names}) for names in groups]


def _alike(names: Sequence[str], lines: Mapping[str, np.ndarray]) -> list[list[str]]:
    sizes = {name: float(np.nanmax(np.abs(lines[name]), initial=0.0)) for name in names}
    least = ROUNDING * max(sizes.values(), default=0.0)
    moving = sorted((name for name in names if sizes[name] > least), key=lambda name: -sizes[name])
    groups: list[list[str]] = []
    for name in moving:
        if groups and sizes[groups[-1][0]] <= ALIKE * sizes[name]:
            groups[-1].append(name)
        else:
            groups.append([name])
    still = [name for name in names if sizes[name] <= least]
    if len(groups) > 2:  # three scales are enough: smaller lines share the last
        groups = [*groups[:2], [name for group in groups[2:] for name in group]]
    if still:
        groups = [*groups[:-1], [*groups[-1], *still]] if groups else [still]
    return [sorted(group, key=list(names).index) for group in groups]


def _chunks(names: Sequence[str]) -> Iterable[list[str]]:
    parts = -(-len(names) // MOST_LINES)
    size = -(-len(names) // parts) if parts else 1
    return [list(names[i : i + size]) for i in range(0, len(names), size)]


def _over_time(motion: Motion, shown: Sequence[Panel]) -> Picture:
    from matplotlib import rc_context

    from dalembert.results.plots.figure import blank

    columns = 1 if len(shown) < 3 else 2
    rows = max(1, -(-len(shown) // columns))
    with rc_context(STYLE):
        made = blank(5.4 * columns + (1.2 if columns == 1 else 0), 0.9 + 2.0 * rows)
        made.set_layout_engine("constrained", w_pad=0.08, h_pad=0.06, hspace=0.03, wspace=0.03)
        grid = made.add_gridspec(rows, columns)
        for i, panel in enumerate(shown):
            row, column = divmod(i, columns)
            alone = i == len(shown) - 1 and column == 0  # it fills its row
            place = made.add_subplot(grid[row, :] if alone else grid[row, column])
            _draw(place, panel, motion)
            if row + 2 < rows or (row + 1 < rows and len(shown) % columns == 0):  # the panel below has the same times
                place.tick_params(labelbottom=False)
            else:
                place.set_xlabel("t [s]")
        titled(made, motion)
        footing(made, motion)
        _kinds(made, motion)
    return made


def _draw(place: Any, panel: Panel, motion: Motion) -> None:
    few = "o" if len(motion.times) < 4 else None
    drawn = []
    units = {motion.unit(name) for name in panel.lines}
    for i, (name, values) in enumerate(panel.lines.items()):
        times, line = with_jumps(motion, panel.key, name, values)
        drawn.append(line)
        label = tr(ENERGIES.get(name, name)) if panel.key in ("energy", "change") else name
        place.plot(times, line, color=COLOURS[i % len(COLOURS)], marker=few, ms=3, label=label)
    for kind in dict.fromkeys(event.kind for event in motion.events):
        when = [event.time for event in motion.events if event.kind == kind]
        strong = 0.55 if len(when) < 60 else 0.2
        place.vlines(
            when, 0, 1, KINDS.get(kind, FAINT), (0, (4, 3)), lw=0.7, alpha=strong, zorder=1.6,
            transform=place.get_xaxis_transform(),
        )  # fmt: skip
    unit = next(iter(units)) if len(units) == 1 else ""
    more = tr(", {more} smaller ones not shown", more=panel.more) if panel.more else ""
    place.set_title(panel.title + more + (f"  [{unit}]" if unit else ""))
    if len(motion.times) > 1:
        place.set_xlim(motion.times.min(), motion.times.max())
    if panel.logarithmic:
        place.set_yscale("log")
        place.yaxis.set_major_formatter(_power_of_ten)
        place.minorticks_off()
    else:
        limits(place.set_ylim, drawn)
        place.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=False)
    if len(panel.lines) > 1 or list(panel.lines) != [panel.title]:
        place.legend(
            loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.1, borderaxespad=0.2, labelspacing=0.35
        )


def _power_of_ten(value: float, _: int) -> str:
    return f"{value:.0e}"


def limits(put: Any, rows: Sequence[np.ndarray]) -> None:
    """Set limits with room above and below. A line that is constant up to rounding is put in the middle."""
    finite = [row[np.isfinite(row)] for row in rows]
    finite = [row for row in finite if len(row)]
    if not finite:
        return
    low, high = min(float(row.min()) for row in finite), max(float(row.max()) for row in finite)
    size = max(abs(low), abs(high))
    if high - low <= 1e-11 * size:
        low, high = low - 0.05 * size, high + 0.05 * size
    if high == low:
        low, high = low - 1.0, high + 1.0
    put(low - 0.06 * (high - low), high + 0.06 * (high - low))


def titled(made: Picture, motion: Motion) -> None:
    made.suptitle(motion.title or tr("Motion"), x=0.012, ha="left", fontsize=12.5, fontweight="bold")


def footing(made: Picture, motion: Motion) -> None:
    about = motion.diagnostics
    parts = [tr("method {method}", method=motion.method), tr(motion.status), tr("{steps} steps", steps=about.steps)]
    if motion.multipliers:
        residual = f"{about.constraint_residual:.1e}".replace("0.0e+00", "0")
        parts.append(tr("constraint residual {residual}", residual=residual))
    made.supxlabel(" · ".join(parts), x=0.99, ha="right", fontsize=7.5, color=SOFT)


def _kinds(made: Picture, motion: Motion) -> None:
    """The legend of the dashed lines: kinds of events, with the names of contacts and frictions."""
    from matplotlib.lines import Line2D

    handles = []
    for kind in dict.fromkeys(event.kind for event in motion.events):
        named = [event.name for event in motion.events if event.kind == kind]
        names = list(dict.fromkeys(named))
        told = ", ".join(names[:4]) + (" …" if len(names) > 4 else "") + (f" ({len(named)})" if len(named) > 1 else "")
        label = f"{tr(kind)}: {told}"
        handles.append(Line2D([], [], color=KINDS.get(kind, FAINT), ls=(0, (4, 3)), lw=1.2, label=label))
    if handles:
        made.legend(handles=handles, loc="outside lower left", ncols=4, fontsize=7.5, handlelength=2.2)
