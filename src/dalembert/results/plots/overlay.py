"""Several motions in one picture: a panel for each quantity, a colour for each motion.

Examples: Chetaev's and the vakonomic motion, two tolerances, a model before and after a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.results.lines import with_jumps
from dalembert.results.motion import Motion
from dalembert.results.plots.motion import limits, quantity
from dalembert.results.plots.style import COLOURS, STYLE

if TYPE_CHECKING:
    from dalembert.results.plots.figure import Picture

MOST = 6  # number of quantities that are drawn if none is named
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))  # distinct without colours, too


def plot(
    *motions: Motion,
    names: Sequence[str] = (),
    labels: Sequence[str] = (),
    kind: str = "time",
    title: str = "",
) -> Picture:
    """Draw several motions over each other: the quantities `names`, or the first coordinates that all motions have.

    `kind="phase"` draws speeds over coordinates, `kind="path"` the second name over the first. `labels` name the
    motions; without them they are named by method, or by title, or by number.
    """
    _require(motions, labels, kind)
    told = list(labels) or _labels(motions)
    if kind == "path":
        if len(names) != 2:
            raise ModelError(
                "a path is one quantity over another: two names are expected, not {count}.", count=len(names)
            )
        pairs = [(names[0], names[1])]
    elif kind == "phase":
        pairs = [(name, f"{name}'") for name in names or _shared(motions)]
    else:
        pairs = [("t", name) for name in names or _shared(motions)]
    return _drawn(
        motions, told, pairs, title or next((motion.title for motion in motions if motion.title), tr("Motions"))
    )


def _require(motions: Sequence[Motion], labels: Sequence[str], kind: str) -> None:
    if not motions:
        raise ModelError("there is nothing to draw: give at least one motion.")
    for i, motion in enumerate(motions, 1):
        if not isinstance(motion, Motion):
            raise ModelError(
                "argument {i} is a {name}; a Motion is expected, as `simulate` returns.",
                i=i,
                name=type(motion).__name__,
            )
        if not len(motion.times):
            raise ModelError("motion {i} ended before the first of the times asked for; ask for earlier ones.", i=i)
    if labels and len(labels) != len(motions):
        raise ModelError(
            "{count} labels were given for {count2} motions; give one for each.", count=len(labels), count2=len(motions)
        )
    if kind not in ("time", "phase", "path"):
        raise ModelError("{kind!r} is no kind of picture; time, phase and path are.", kind=kind)


def _labels(motions: Sequence[Motion]) -> list[str]:
    for told in ([motion.method for motion in motions], [motion.title for motion in motions]):
        if len(set(told)) == len(told) and all(told):
            return told
    return [f"{i}: {motion.method}" for i, motion in enumerate(motions, 1)]


def _shared(motions: Sequence[Motion]) -> list[str]:
    first, *others = motions
    shared = [name for name in first.coordinates if all(name in other.coordinates for other in others)]
    if not shared:
        raise ModelError("these motions have no coordinate in common; name what to draw.")
    return shared[:MOST]


def _drawn(motions: Sequence[Motion], labels: list[str], pairs: list[tuple[str, str]], title: str) -> Picture:
    from matplotlib import rc_context

    from dalembert.results.plots.figure import blank

    columns = 1 if len(pairs) < 3 else 2
    rows = -(-len(pairs) // columns)
    over_time = all(across == "t" for across, _ in pairs)
    with rc_context(STYLE):
        made = blank(5.4 * columns + (1.2 if columns == 1 else 0.0), 1.1 + (2.1 if over_time else 3.4) * rows)
        places = list(made.subplots(rows, columns, squeeze=False).flat)
        for spare in places[len(pairs) :]:
            spare.set_visible(False)
        for place, (across, up) in zip(places, pairs, strict=False):
            _panel(place, motions, labels, across, up)
        handles, named = places[0].get_legend_handles_labels()
        made.legend(handles, named, loc="outside lower left", ncols=4, handlelength=2.4)
        made.suptitle(title, x=0.012, ha="left", fontsize=12.5, fontweight="bold")
    return made


def _panel(place: Any, motions: Sequence[Motion], labels: list[str], across: str, up: str) -> None:
    lines = []
    for i, (motion, label) in enumerate(zip(motions, labels, strict=True)):
        times, line = with_jumps(motion, "", up, quantity(motion, up))
        x = times if across == "t" else with_jumps(motion, "", across, quantity(motion, across))[1]
        if len(x) != len(line):  # only one of the two jumps; both are drawn at the samples
            x, line = quantity(motion, across), quantity(motion, up)
        lines.append(line)
        place.plot(x, line, color=COLOURS[i % len(COLOURS)], ls=DASHES[i % len(DASHES)], label=label)
    place.set_xlabel("t [s]" if across == "t" else _with_unit(motions[0], across))
    place.set_title(_with_unit(motions[0], up)) if across == "t" else place.set_ylabel(_with_unit(motions[0], up))
    limits(place.set_ylim, lines)


def _with_unit(motion: Motion, name: str) -> str:
    unit = motion.unit(name)
    return f"{name}  [{unit}]" if unit else name
