"""The style of pictures: colours for colour-blind readers (Okabe and Ito), thin rules, quiet labels."""

from __future__ import annotations

from typing import Any

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b5a100", "#333333", "#7a7a7a")
INK, SOFT, FAINT, RULE = "#1d2430", "#5b6472", "#b9c1cc", "#e6e9ee"
KINDS = {  # of events: colours
    "impact": "#d55e00", "chatter": "#cc79a7", "contact": "#0072b2", "liftoff": "#56b4e9", "stick": "#009e73",
    "slip": "#e69f00", "crossing": "#7a7a7a", "kink": "#8c6bb1",
}  # fmt: skip
STYLE: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelcolor": SOFT,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlepad": 6,
    "font.size": 9,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.5,
    "lines.solid_capstyle": "round",
    "svg.hashsalt": "dalembert",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
}
