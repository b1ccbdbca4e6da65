"""Answers as pictures. Matplotlib is imported when the first picture is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.results.plots.motion import figure, panels
from dalembert.results.plots.style import COLOURS, FAINT, INK, KINDS, RULE, SOFT, STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "FAINT", "INK", "KINDS", "RULE", "SOFT", "STYLE", "figure", "panels", "picture"]


def picture(made: Figure, form: str) -> bytes:
    """The figure as a file of that form (png, svg): the same bytes for the same figure."""
    from dalembert.results.plots.figure import picture

    return picture(made, form)
