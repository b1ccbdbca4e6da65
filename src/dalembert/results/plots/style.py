"""The style of pictures: colours for colour-blind readers (Okabe and Ito), thin rules, quiet labels."""

from __future__ import annotations

import logging
from typing import Any

from matplotlib.font_manager import fontManager

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b5a100", "#333333", "#7a7a7a")
INK, SOFT, FAINT, RULE = "#1d2430", "#5b6472", "#b9c1cc", "#e6e9ee"
KINDS = {  # of events: colours
    "impact": "#d55e00", "chatter": "#cc79a7", "contact": "#0072b2", "liftoff": "#56b4e9", "stick": "#009e73",
    "slip": "#e69f00", "crossing": "#7a7a7a", "kink": "#8c6bb1",
}  # fmt: skip
CHINESE = (
    "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Zen Hei", "Microsoft YaHei", "SimHei", "PingFang SC",
)  # fmt: skip
INSTALLED = {font.name for font in fontManager.ttflist}
FONTS = ["DejaVu Sans", *(name for name in CHINESE if name in INSTALLED)][:2]  # the second for letters the first lacks
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # silence notes on missing weights
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
    "font.family": FONTS,
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
