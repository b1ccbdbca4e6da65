"""Pictures of a motion without time: speeds over coordinates, and paths in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.results.lines import with_jumps
from dalembert.results.motion import Motion
from dalembert.results.plots.motion import footing, limits, quantity, titled
from dalembert.results.plots.style import COLOURS, SOFT, STYLE

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

MOST = 6
FINE = 4000  # places of a curve


def phase(motion: Motion, names: Sequence[str]) -> Picture:
    """Draw q̇ over q for the named coordinates, or for the first few. The line breaks at jumps of the speed."""
    chosen = list(names) or list(motion.coordinates)[:MOST]
    for name in chosen:
        if name not in motion.coordinates:
            known = ", ".join(motion.coordinates)
            raise ModelError(
                "{name!r} is no coordinate of this motion, so it has no phase portrait; those are {known}.",
                name=name,
                known=known,
            )
    made, places = _figure(len(chosen))
    between = _between(motion)
    for i, (place, name) in enumerate(zip(places, chosen, strict=True)):
        if between is not None:
            q, v = between[name], between[f"{name}'"]
        else:
            times, q = with_jumps(motion, "", name, motion.coordinates[name])
            _, v = with_jumps(motion, "", f"{name}'", motion.speeds[name])
            q = q if len(q) == len(v) else np.interp(times, motion.times, motion.coordinates[name])
        _curve(place, _bridged(q), v, COLOURS[i % len(COLOURS)])
        _named(place, _with_unit(motion, name), _with_unit(motion, f"{name}'"))
        limits(place.set_xlim, [q])
        limits(place.set_ylim, [v])
    return _finished(made, motion)


def _between(motion: Motion) -> dict[str, np.ndarray] | None:
    """Coordinates and speeds at many times and on both sides of every event, with NaN between the sides.

    None if the motion has no interpolant.
    """
    if motion.dense is None or len(motion.times) < 2:
        return None
    first, last = motion.times.min(), motion.times.max()
    events = np.array(sorted({event.time for event in motion.events if first <= event.time <= last}))
    times = np.setdiff1d(np.linspace(first, last, max(FINE, len(motion.times))), events)
    before, after = (np.hstack(motion.dense(events, side)) for side in (False, True))
    rows = np.vstack([np.hstack(motion.dense(times, True)), before, np.full_like(before, np.nan), after])
    order = np.argsort(np.concatenate([times, events, events, events]), kind="stable")
    names = [*motion.coordinates, *(f"{name}'" for name in motion.coordinates)]
    return dict(zip(names, rows[order].T, strict=True))


def _line(values: np.ndarray, name: str) -> np.ndarray:
    return values if name.endswith("'") else _bridged(values)


def _bridged(q: np.ndarray) -> np.ndarray:
    """Fill the breaks of a coordinate's line. Coordinates do not jump."""
    missing = np.isnan(q)
    if not missing.any() or missing.all():
        return q
    at = np.arange(len(q))
    return np.where(missing, np.interp(at, at[~missing], q[~missing]), q)


def path(motion: Motion, names: Sequence[str]) -> Picture:
    """Draw pairs of quantities, one over the other. Without names, draw the paths of the bodies on the screen."""
    if len(names) % 2:
        raise ModelError(
            "a path needs two quantities, one over the other, as in x, y; given: {names}.", names=", ".join(names)
        )
    made, places = _figure(1 if not names else len(names) // 2, tall=True)
    if names:
        between = _between(motion) or {}
        for i, place in enumerate(places):
            across, up = names[2 * i], names[2 * i + 1]
            fine = across in between and up in between
            x, y = (_line(between[name], name) if fine else quantity(motion, name) for name in (across, up))
            _curve(place, x, y, COLOURS[i % len(COLOURS)])
            _named(place, _with_unit(motion, across), _with_unit(motion, up))
            _square(place, motion.unit(across) == motion.unit(up))
        return _finished(made, motion)
    place = places[0]
    labels, ways = motion.animate().ways()
    if not ways:
        raise ModelError("This model has no bodies whose paths could be drawn; name two quantities: path:x,y.")
    for i, (name, way) in enumerate(ways.items()):
        _curve(place, way[:, 0], way[:, 1], COLOURS[i % len(COLOURS)], name)
    _named(place, *labels)
    _square(place, True)
    place.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.1, borderaxespad=0.2, frameon=False, fontsize=8
    )
    return _finished(made, motion)


def _figure(count: int, tall: bool = False) -> tuple[Picture, list[Any]]:
    from matplotlib import rc_context

    from dalembert.results.plots.figure import blank

    columns = 1 if count == 1 else 2 if count in (2, 4) else 3
    rows = -(-count // columns)
    size = (6.4, 5.2) if count == 1 else (3.5 * columns, 0.9 + (3.3 if tall else 2.9) * rows)
    with rc_context(STYLE):
        made = blank(*size)
        places = list(made.subplots(rows, columns, squeeze=False).flat)
    for spare in places[count:]:
        spare.set_visible(False)
    return made, places[:count]


def _curve(place: Any, x: np.ndarray, y: np.ndarray, colour: str, label: str | None = None) -> None:
    """Draw a line with an open dot at its start, a full dot at its end, and an arrow in between."""
    place.plot(x, y, color=colour, lw=1.3, label=label)
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not len(known):
        return
    first, last = known[0], known[-1]
    place.plot(x[first], y[first], "o", ms=5.5, mfc="white", mec=colour, mew=1.3, zorder=5)
    place.plot(x[last], y[last], "o", ms=5.5, color=colour, zorder=5)
    if len(known) > 10:
        middle = known[len(known) // 3]
        ahead = known[min(len(known) // 3 + max(1, len(known) // 200), len(known) - 1)]
        place.annotate(
            "", xy=(x[ahead], y[ahead]), xytext=(x[middle], y[middle]),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def _named(place: Any, across: str, up: str) -> None:
    place.set_xlabel(across)
    place.set_ylabel(up)


def _with_unit(motion: Motion, name: str) -> str:
    unit = motion.unit(name)
    return f"{name} [{unit}]" if unit else name


def _square(place: Any, equal: bool) -> None:
    """Use equal scales if both axes have the same unit. A straight line or a point gets room on both sides."""
    place.margins(0.06)
    if equal and np.isfinite(place.dataLim.get_points()).all():
        low, high = place.dataLim.min, place.dataLim.max
        span, size = float(np.max(high - low)), float(np.abs(low).max())
        room = 1e-3 * (span if span > 1e-9 * size else size or 1.0)
        place.update_datalim([(low + high) / 2 - room, (low + high) / 2 + room])
        place.set_aspect("equal", adjustable="datalim")


def _finished(made: Picture, motion: Motion) -> Picture:
    from matplotlib import rc_context

    with rc_context(STYLE):
        titled(made, motion)
        footing(made, motion)
        made.text(0.012, 0.008, tr("○ start   ● end"), fontsize=7.5, color=SOFT, ha="left", va="bottom")
        made.draw_without_rendering()  # equal scales change the labels, and this makes room for them
    return made
