"""The single pictures: each one draws one array of a sweep into one panel."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.results.plots.style import COLOURS, FAINT, INK
from dalembert.sweep.ensemble import WORDS

FEW = 9  # up to this many different integers are classes, not a scale
LINES = 12
SHADES = ((0.05, 0.95, 0.18), (0.25, 0.75, 0.32))  # two quantiles, and the opacity of the band between them


def classes(data: Any) -> list[tuple[float, str]] | None:
    """The different values with their names if they are a few integers, otherwise None."""
    values = np.asarray(data.values)
    values = values[np.isfinite(values)]
    if not values.size or np.any(values != np.round(values)):
        return None
    found = np.unique(values)
    if len(found) > FEW:
        return None
    words = WORDS if data.name == "status" else {}
    return [(float(value), words.get(int(value), f"{value:g}")) for value in found]


def _label(data: Any, name: str) -> str:
    unit = data[name].attrs.get("units", "")
    return f"{name} [{unit}]" if unit else name


def _axis(place: Any, axis: str, data: Any, name: str) -> None:
    """Label an axis, and give it a logarithmic scale if its values are spaced by a factor."""
    getattr(place, f"set_{axis}label")(_label(data, name))
    values = np.sort(data[name].values)
    if len(values) > 2 and np.all(values > 0):
        steps = np.diff(np.log(values))
        if np.ptp(steps) < 1e-6 * abs(steps).max() and values.max() / values.min() > 8:
            getattr(place, f"set_{axis}scale")("log")


def _edges(values: np.ndarray) -> np.ndarray:
    """Boundaries of the cells around the values."""
    order = values.astype(float)
    logarithmic = len(order) > 2 and np.all(order > 0) and np.ptp(np.diff(np.log(order))) < 1e-9
    inner = np.log(order) if logarithmic else order
    middle = (inner[1:] + inner[:-1]) / 2
    found = np.concatenate([[2 * inner[0] - middle[0]], middle, [2 * inner[-1] - middle[-1]]])
    return np.exp(found) if logarithmic else found


def _cells(place: Any, data: Any, values: np.ndarray, **how: Any) -> Any:
    """Draw a map with the first dimension across and the second upwards, ascending."""
    across, up = (str(d) for d in data.dims)
    x, y = data[across].values, data[up].values
    sorted_x, sorted_y = np.argsort(x), np.argsort(y)
    shown = place.pcolormesh(
        _edges(x[sorted_x]), _edges(y[sorted_y]), values[np.ix_(sorted_x, sorted_y)].T, rasterized=True, **how
    )
    place.grid(False)
    _axis(place, "x", data, across)
    _axis(place, "y", data, up)
    return shown


def _bar(made: Any, place: Any, shown: Any, **how: Any) -> Any:
    """The scale of colours next to a picture."""
    bar = made.colorbar(shown, ax=place, pad=0.02, aspect=28, **how)
    bar.outline.set_visible(False)
    return bar


def surface(made: Any, place: Any, data: Any, log: bool) -> None:
    """A map in shades. The scale is symmetric about zero if the values lie on both sides of it."""
    from matplotlib.colors import LogNorm, Normalize

    values = np.ma.masked_invalid(data.values)
    norm: Any = Normalize()
    colours, beyond = "viridis", "neither"
    if values.count():
        low, high, beyond = data.attrs.get("shades") or shades(values.compressed())
        if log and low > 0:
            norm = LogNorm(low, high)
        elif low < 0 < high and min(-low, high) > 0.25 * max(-low, high):
            norm, colours = Normalize(-max(-low, high), max(-low, high)), "RdBu_r"
        else:
            norm = Normalize(low, high if high > low else low + 1)
    shown = _cells(place, data, values, cmap=colours, norm=norm)
    if "real part" in data.attrs.get("long_name", "") and values.min() < 0 < values.max():
        across, up = (data[d].values for d in data.dims)
        place.contour(across, up, values.T, [0.0], colors="white", linewidths=1.6)  # the limit of stability
    _bar(made, place, shown, extend=beyond).ax.tick_params(length=2)


def shades(values: np.ndarray) -> tuple[float, float, str]:
    """The range of shades and the ends at which values lie beyond it. A few values far outside are not counted."""
    low, high = float(values.min()), float(values.max())
    inner = np.quantile(values, [0.01, 0.99])
    if not 0 < inner[1] - inner[0] < 0.5 * (high - low):
        return low, high, "neither"
    room = 0.1 * (inner[1] - inner[0])
    below, above = low < inner[0] - room, high > inner[1] + room
    name = {(True, True): "both", (True, False): "min", (False, True): "max"}.get((below, above), "neither")
    return (float(inner[0]) if below else low), (float(inner[1]) if above else high), name


def basins(made: Any, place: Any, data: Any, log: bool) -> None:
    """A map in classes, each with its share."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    known = classes(data) or []
    values = np.full(data.shape, np.nan)
    for i, (value, _) in enumerate(known):
        values[data.values == value] = i
    colours = ListedColormap(_class_colours(len(known)))
    norm = BoundaryNorm(np.arange(len(known) + 1) - 0.5, max(len(known), 1))
    shown = _cells(place, data, np.ma.masked_invalid(values), cmap=colours, norm=norm)
    bar = _bar(made, place, shown, ticks=np.arange(len(known)))
    shares = [100 * float(np.mean(data.values == value)) for value, _ in known]
    bar.ax.set_yticklabels([f"{word}: {share:.3g} %" for (_, word), share in zip(known, shares, strict=True)])
    bar.minorticks_off()
    bar.ax.tick_params(length=0)


def _class_colours(count: int) -> list[Any]:
    """Contrasting colours for a few classes, shades of a scale for many."""
    from matplotlib import colormaps

    if count <= 2:
        return ["#e7eef3", "#0b6e99"][:count] if count == 2 else ["#0b6e99"]
    if count <= 4:
        return [*COLOURS[:count]]
    return [colormaps["viridis"](i / (count - 1)) for i in range(count)]


def curve(made: Any, place: Any, data: Any, log: bool) -> None:
    """A curve against the one varied quantity."""
    (across,) = (str(d) for d in data.dims)
    x, y = data[across].values, data.values.astype(float)
    order = np.argsort(x, kind="stable")
    few = classes(data) is not None and len(np.unique(y[np.isfinite(y)])) > 1
    place.plot(
        x[order], y[order], color=COLOURS[0], marker="o" if len(x) < 40 else None, ms=3,
        drawstyle="steps-mid" if few else "default",
    )  # fmt: skip
    _axis(place, "x", data, across)
    if log and np.nanmin(y) > 0:
        place.set_yscale("log")
    if data.name in ("growth",) or (np.nanmin(y) < 0 < np.nanmax(y)):
        place.axhline(0, color=FAINT, lw=0.8, zorder=1)
    if few:
        _whole(place, data)


def _whole(place: Any, data: Any) -> None:
    known = classes(data) or []
    place.set_yticks([value for value, _ in known], [word for _, word in known])


def histogram(made: Any, place: Any, data: Any, log: bool) -> None:
    """How often values occur, with the median and the middle nine tenths."""
    values = data.values[np.isfinite(data.values)].astype(float).ravel()
    if not values.size:
        place.text(0.5, 0.5, tr("no values"), ha="center", va="center", transform=place.transAxes)
        return
    low, high = np.quantile(values, [0.0005, 0.9995])  # a few extreme values would squeeze the rest into one bar
    inside = values[(values >= low) & (values <= high)]
    around = 0.05 * max(abs(low), abs(high)) or 1.0
    same = high - low <= 1e-9 * around  # equal up to rounding, too close for bars
    bins = np.linspace(low - around, high + around, 16) if same else _bins(inside)
    place.hist(inside, bins=bins, color=COLOURS[0], alpha=0.85)
    for level, style in ((0.05, ":"), (0.5, "-"), (0.95, ":")):
        place.axvline(float(np.quantile(values, level)), color=COLOURS[1], ls=style, lw=1.1)
    five, half, most = np.quantile(values, [0.05, 0.5, 0.95])
    place.set_ylabel("motions")
    place.set_xlabel(
        tr("median {half:.4g}, 90 % between {five:.4g} and {most:.4g}", half=half, five=five, most=most),
        color=INK,
        fontsize=8,
    )
    place.grid(axis="x", visible=False)
    if log:
        place.set_yscale("log")


def _bins(values: np.ndarray) -> Any:
    """The number of bins, or their edges if the values are integers: each bin then covers equally many integers."""
    count = int(np.clip(np.sqrt(len(values)), 8, 80))
    if np.any(values != np.round(values)):
        return count
    width = max(1, round(np.ptp(values) / count))
    return np.arange(values.min() - 0.5, values.max() + width, width)


def bars(made: Any, place: Any, data: Any, log: bool) -> None:
    """The number of motions for each of a few values."""
    known = classes(data) or []
    counts = [int(np.sum(data.values == value)) for value, _ in known]
    drawn = place.bar([word for _, word in known], counts, color=COLOURS[0], alpha=0.85, width=0.7)
    place.bar_label(drawn, [f"{100 * count / max(1, data.size):.3g} %" for count in counts], fontsize=8, padding=2)
    place.set_ylabel("motions")
    place.margins(y=0.12)
    place.grid(axis="x", visible=False)


def bands(made: Any, place: Any, data: Any, log: bool) -> None:
    """Median and quantiles of random starts along the varied quantity."""
    across = next(str(d) for d in data.dims if d != "all_samples")
    _banded(place, data, across, data.transpose("all_samples", across).values)
    if log:
        place.set_yscale("log")


def _banded(place: Any, data: Any, across: str, rows: np.ndarray) -> None:
    x = data[across].values
    order = np.argsort(x, kind="stable")
    x, rows = x[order], rows[:, order].astype(float)
    with np.errstate(all="ignore"):
        for low, high, dark in SHADES:
            edges = np.nanquantile(rows, [low, high], axis=0)
            label = f"{100 * low:.0f}–{100 * high:.0f} %"
            place.fill_between(x, *edges, color=COLOURS[0], alpha=dark, lw=0, label=label)
        place.plot(x, np.nanmedian(rows, axis=0), color=COLOURS[0], label="median")
    _axis(place, "x", data, across)
    place.legend(loc="best")


def shares(made: Any, place: Any, data: Any, log: bool) -> None:
    """The share of each class along the varied quantity, stacked."""
    across = next(str(d) for d in data.dims if d != "all_samples")
    rows = data.transpose("all_samples", across).values
    known = classes(data) or []
    parts = [np.mean(rows == value, axis=0) for value, _ in known]
    labels = [word for _, word in known]
    place.stackplot(data[across].values, *parts, labels=labels, colors=_class_colours(len(known)), alpha=0.9, lw=0)
    place.set_ylim(0, 1)
    place.set_ylabel(tr("share of the motions"))
    place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=0.9)
    _axis(place, "x", data, across)


def motions(made: Any, place: Any, data: Any, log: bool) -> None:
    """Some of the motions over time, coloured by the varied quantity if there is only one."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    time = str(data.dims[-1])
    varied = [str(d) for d in data.dims[:-1]]
    rows = data.values.reshape(-1, data.sizes[time])
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), LINES)).round().astype(int))
    colours = colormaps["viridis"]
    if len(varied) == 1:
        levels = data[varied[0]].values.astype(float)
        norm = Normalize(float(levels.min()), float(levels.max()) if np.ptp(levels) else float(levels.min()) + 1)
    else:
        levels, norm = np.arange(len(rows)), Normalize(0, max(1, len(rows) - 1))
    order = np.argsort(data[time].values, kind="stable")
    for i in chosen:
        place.plot(data[time].values[order], rows[i][order], color=colours(norm(levels[i])), lw=1.1)
    place.set_xlabel(_label(data, time))
    if len(varied) == 1:
        _bar(made, place, ScalarMappable(norm, colours)).set_label(_label(data, varied[0]))


def fan(made: Any, place: Any, data: Any, log: bool) -> None:
    """Quantiles of all motions over time."""
    time = str(data.dims[-1])
    _banded(place, data, time, data.values.reshape(-1, data.sizes[time]))


def modes(made: Any, place: Any, data: Any, log: bool) -> None:
    """Eigenvalues along the varied quantity. They are drawn as points, since it is not known which values belong
    together.
    """
    mode = str(data.dims[-1])
    others = [str(d) for d in data.dims[:-1]]
    x = data[others[0]].values if others else np.zeros(1)
    rows = data.transpose(mode, *others).values.reshape(data.sizes[mode], -1)
    for row in rows:
        place.plot(x, row, ".", color=COLOURS[0], ms=2.5 if len(x) > 40 else 6)
    if mode == "mode":
        place.axhline(0, color=FAINT, lw=0.8, zorder=1)
    if others:
        _axis(place, "x", data, others[0])
