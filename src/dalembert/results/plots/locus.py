"""The picture of a root locus: real and imaginary parts over the varied quantity, and the complex plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.language import tr
from dalembert.results.locus import Locus
from dalembert.results.plots.style import COLOURS, FAINT, INK, STYLE
from dalembert.results.state import labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.results.plots.figure import Picture

SHADES = {"stable": "#d6efe6", "neutral": "#f7edcf", "unstable": "#fbe3d6"}  # also distinct for colour-blind readers


def figure(locus: Locus) -> Picture:
    """A Matplotlib figure."""
    from matplotlib import rc_context

    from dalembert.results.plots.figure import blank

    with rc_context(STYLE):
        made = blank(10.5, 6.4)
        grid = made.add_gridspec(2, 2, width_ratios=(1.25, 1))
        real = made.add_subplot(grid[0, 0])
        imaginary = made.add_subplot(grid[1, 0], sharex=real)
        plane = made.add_subplot(grid[:, 1])
        _over(real, locus, locus.eigenvalues.real, tr("real parts: growth [1/s]"))
        _over(imaginary, locus, locus.eigenvalues.imag, tr("imaginary parts: frequency [rad/s]"))
        real.tick_params(labelbottom=False)
        imaginary.set_xlabel(labelled(locus.vary, locus.units))
        _plane(plane, locus)
        title = locus.title or tr("eigenvalues over {vary}", vary=locus.vary)
        made.suptitle(title, x=0.012, ha="left", fontsize=12.5, fontweight="bold")
        handles, names = real.get_legend_handles_labels()
        once = dict(zip(names, handles, strict=True))
        made.legend(once.values(), once.keys(), loc="outside lower left", ncols=5, handlelength=1.4)
    return made


def _moving(locus: Locus) -> list[int]:
    """The branches that are not zero throughout."""
    sizes = np.nanmax(np.abs(locus.eigenvalues), axis=0)
    return [int(k) for k in np.flatnonzero(sizes > 1e-9 * np.nanmax(sizes, initial=1e-300))]


def _over(place: Axes, locus: Locus, parts: np.ndarray, title: str) -> None:
    for first, last, word in locus.ranges:
        place.axvspan(first, last, fc=SHADES[word], ec=FAINT, lw=0.3, label=word)
    for order, k in enumerate(_moving(locus)):
        place.plot(locus.values, parts[:, k], color=COLOURS[order % len(COLOURS)])
    for turn in locus.critical:
        meets = turn.kind == "meeting"
        label = tr("two meet") if meets else tr("crosses zero")
        place.axvline(turn.value, color=INK, lw=0.8, ls=":" if meets else "--", label=label)
    place.axhline(0.0, color=INK, lw=0.8, zorder=1.5)
    place.set_title(title)
    place.margins(x=0)


def _plane(place: Axes, locus: Locus) -> None:
    rows = locus.eigenvalues
    for order, k in enumerate(_moving(locus)):
        colour = COLOURS[order % len(COLOURS)]
        place.plot(rows[:, k].real, rows[:, k].imag, color=colour)
        place.plot(rows[0, k].real, rows[0, k].imag, "o", color=colour, ms=4, mfc="white")
        place.plot(rows[-1, k].real, rows[-1, k].imag, "o", color=colour, ms=4)
    for turn in locus.critical:
        if turn.kind == "crossing":
            for sign in (1, -1):
                place.plot(turn.eigenvalue.real, sign * turn.eigenvalue.imag, "x", color=INK, ms=6)
    place.axvline(0.0, color=INK, lw=0.8, zorder=1.5)
    place.axhline(0.0, color=INK, lw=0.8, zorder=1.5)
    first, last = (f"{value:.6g}" for value in (locus.values[0], locus.values[-1]))
    place.set_title(tr("root locus: ○ {vary} = {first}, ● {last}", vary=locus.vary, first=first, last=last))
    place.set_xlabel(tr("real part [1/s]"))
    place.set_ylabel(tr("imaginary part [rad/s]"))
