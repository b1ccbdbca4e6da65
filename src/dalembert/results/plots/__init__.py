"""Answers as pictures. Matplotlib is imported when the first picture is drawn."""

from dalembert.results.plots.motion import figure, panels, picture
from dalembert.results.plots.style import COLOURS, FAINT, INK, KINDS, RULE, SOFT, STYLE

__all__ = ["COLOURS", "FAINT", "INK", "KINDS", "RULE", "SOFT", "STYLE", "figure", "panels", "picture"]
