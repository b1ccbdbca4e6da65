"""Pictures of a sweep, chosen by the kind of data.

| what varies | a number | one of a few numbers | a quantity over time |
| --- | --- | --- | --- |
| two quantities | map | basins | motions |
| one quantity | curve | steps | motions, coloured by it |
| random starts | histogram | bars | quantiles over time |
| random starts and one quantity | quantiles along it | shares along it | quantiles over time |

For more than two quantities, a map is drawn for a few values of each further one. Failed motions are white and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest
from dalembert.language import tr
from dalembert.results.plots import picture
from dalembert.results.plots.style import STYLE
from dalembert.results.write import check_target, placed
from dalembert.sweep import draw
from dalembert.sweep.ensemble import FAILED, REFUSED, STOPPED
from dalembert.sweep.targets import TARGETS, opened

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

MOST_PANELS = 8
MOST_SLICES = 4
PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class SweepPanel:
    """One picture: its data, its title, and the function that draws it."""

    title: str
    data: Any  # an xarray DataArray
    draw: Any


def saved(file: Path, names: Sequence[str], output: Path | None, log: bool = False) -> Path:
    """Save the picture of a result, next to it unless a path is given."""
    if not file.exists():
        raise ModelError("there is no file {file}", file=file)
    if file.suffix not in TARGETS:
        raise ModelError(
            "{file} is no result of a sweep: the endings of those are {targets}", file=file, targets=", ".join(TARGETS)
        )
    output = output or file.with_suffix(".png")
    check_target(output, PICTURES)
    found = opened(file)
    if "status" not in found.data_vars:
        raise ModelError("{file} is no result of a sweep: it does not tell how each motion ended", file=file)
    made = figure(found, names, log)
    placed(output, lambda beside: beside.write_bytes(picture(made, output.suffix[1:].lower())))
    return output


def figure(found: xarray.Dataset, names: Sequence[str] = (), log: bool = False) -> Figure:
    """A Matplotlib figure of the result, or of some of its variables."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = _panels(found, names)
    left = max(0, len(panels) - MOST_PANELS)
    panels = panels[:MOST_PANELS]
    columns = 1 if len(panels) == 1 else 2 if len(panels) in (2, 4) else 3 if len(panels) in (3, 5, 6) else 4
    rows = ceil(len(panels) / columns)
    with rc_context(STYLE):
        made = Figure(figsize=(max(6.0, 4.6 * columns), 0.9 + 3.5 * rows), layout="constrained")
        FigureCanvasAgg(made)
        grid = made.subplots(rows, columns, squeeze=False)
        for place, panel in zip(grid.flat, panels, strict=False):
            panel.draw(made, place, panel.data, log)
            place.set_title(panel.title)
        for place in list(grid.flat)[len(panels) :]:
            place.set_visible(False)
        made.suptitle(found.attrs.get("title") or "Sweep", x=0.01, ha="left", fontsize=12, fontweight="bold")
        made.supxlabel(_footing(found, left), x=0.99, ha="right", fontsize=7.5, color="#868e96")
    return made


def _footing(found: xarray.Dataset, left: int) -> str:
    status = found["status"].values
    parts = [" × ".join(f"{name} {size:,}" for name, size in found["status"].sizes.items())]
    for code, word in ((STOPPED, tr("stopped by an event")), (FAILED, "failed"), (REFUSED, "refused")):
        count = int((status == code).sum())
        if count:
            parts.append(f"{count:,} {word}")
    if left:
        parts.append(tr("{left} more variables: name those to be drawn", left=left))
    return " · ".join(parts)


def _panels(found: xarray.Dataset, names: Sequence[str]) -> list[SweepPanel]:
    known = [str(name) for name in found.data_vars if name != "message"]
    for name in names:
        if name not in known:
            raise ModelError(
                "the result has no variable {name!r}{name2}",
                name=name,
                name2=nearest(name, known) or "; it has " + ", ".join(known),
            )
    wanted = list(names) or [name for name in known if name != "status"]
    if not names and (not wanted or np.unique(found["status"].values).size > 1):
        wanted.append("status")
    panels: list[SweepPanel] = []
    for name in wanted:
        panels += _drawn(found, name)
    return panels


def _drawn(found: xarray.Dataset, name: str) -> list[SweepPanel]:
    data = found[name].load()
    varied = [str(d) for d in found["status"].dims]
    counted = [d for d in varied if d not in found.coords or found[d].dtype.kind == "i"]  # numbers of rows
    sampled = [d for d in varied if d == "sample" or d in counted]
    grid = [d for d in varied if d not in sampled and data.sizes[d] > 1]
    beyond = [str(d) for d in data.dims if d not in varied]
    data = data.squeeze([d for d in varied if data.sizes[d] == 1], drop=True)
    sampled = [d for d in sampled if d in data.dims]
    label = f"{name} [{data.attrs['units']}]" if data.attrs.get("units") else name
    if "mode" in beyond or "crossing" in beyond:
        if len(grid) <= 1 and not sampled:
            return [SweepPanel(label, data, draw.modes)]
        return [
            panel
            for i in range(data.sizes[beyond[0]])
            if np.isfinite(data.isel({beyond[0]: i})).any() and i < MOST_SLICES
            for panel in _plain(data.isel({beyond[0]: i}, drop=True), f"{label}, {i + 1}", grid, sampled)
        ]
    if beyond:
        return [SweepPanel(label, data, draw.fan if sampled else draw.motions)]
    return _plain(data, label, grid, sampled)


def _plain(data: Any, label: str, grid: list[str], sampled: list[str]) -> list[SweepPanel]:
    """Panels for one number of each motion."""
    few = draw.classes(data) is not None
    if sampled:
        flat = data.stack(all_samples=sampled) if len(sampled) > 1 else data.rename({sampled[0]: "all_samples"})
        if not grid:
            return [SweepPanel(label, flat, draw.bars if few else draw.histogram)]
        if len(grid) == 1:
            return [SweepPanel(label, flat, draw.shares if few else draw.bands)]
        return [
            SweepPanel(tr("mean of {label}", label=label), part, draw.surface)
            for part in _slices(flat.mean("all_samples"), grid)
        ]
    if not grid:
        return [SweepPanel(label, data, draw.histogram)]
    if len(grid) == 1:
        return [SweepPanel(label, data, draw.curve)]
    return [
        SweepPanel(_sliced(label, part), part, draw.basins if few else draw.surface) for part in _slices(data, grid)
    ]


def _slices(data: Any, grid: list[str]) -> list[Any]:
    """Maps over the first two dimensions, at a few values of the others."""
    rest = grid[2:]
    if not rest:
        return [data]
    dimension = rest[0]
    size = data.sizes[dimension]
    finite = data.values[np.isfinite(data.values)]
    if "shades" not in data.attrs and finite.size:  # the same for all slices
        data = data.assign_attrs(shades=draw.shades(finite))
    chosen = np.unique(np.linspace(0, size - 1, min(size, MOST_SLICES)).round().astype(int))
    return [part for i in chosen for part in _slices(data.isel({dimension: int(i)}), [*grid[:2], *rest[1:]])]


def _sliced(label: str, data: Any) -> str:
    fixed = [f"{name} = {float(value):.4g}" for name, value in data.coords.items() if value.ndim == 0]
    return f"{label}, {', '.join(fixed)}" if fixed else label
