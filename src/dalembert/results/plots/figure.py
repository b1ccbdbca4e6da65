"""A Matplotlib figure that a notebook shows directly, without pyplot and without a magic line."""

from __future__ import annotations

import warnings
from io import BytesIO

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dalembert.results.plots.style import STYLE


class Picture(Figure):
    """A figure with a canvas of its own. It is drawn in the style of this package wherever it is shown or saved."""

    def _repr_png_(self) -> bytes:
        return picture(self, "png")


def blank(width: float, height: float) -> Picture:
    """An empty picture, in inches."""
    made = Picture(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def picture(made: Figure, form: str) -> bytes:
    """The figure as a file of that form, the same bytes for the same figure."""
    stream = BytesIO()
    with rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # letters that the font lacks are drawn as boxes
        made.savefig(stream, format=form, dpi=160, metadata={"Date": None} if form == "svg" else None)
    return stream.getvalue()
