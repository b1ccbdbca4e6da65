"""The plots of a motion over time, with both sides of every jump."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.language import tr
from dalembert.results.lines import CHANGE, with_jumps
from dalembert.results.motion import Motion
from dalembert.view.packing import exact, single

MOST_LINES = 12
MOST_SAMPLES = 4000


def panels(motion: Motion) -> list[dict[str, Any]]:
    """Energy, reactions and residuals come first and are shown. Coordinates, speeds and definitions can be selected."""
    total = motion.energy["total"]
    found: list[tuple[str, str, Mapping[str, np.ndarray]]] = [
        ("energy", "Energy", motion.energy),
        ("reactions", "Reactions (multipliers)", motion.multipliers),
        ("residuals", tr("Residuals of the constraints"), motion.residuals),
        ("change", tr("Change of the energy"), {CHANGE: total - total[0]} if len(total) else {}),
        ("coordinates", "Coordinates", motion.coordinates),
        ("speeds", "Speeds", {f"{name}'": values for name, values in motion.speeds.items()}),
        ("definitions", "Definitions", motion.definitions),
        ("states", "States", motion.states),
        ("inputs", "Inputs", motion.inputs),
    ]
    return [_panel(motion, key, title, lines) for key, title, lines in found if lines]


def _panel(motion: Motion, key: str, title: str, lines: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The lines of one plot. If all lines have the same times, only the first carries them."""
    shown = list(lines.items())[:MOST_LINES]
    drawn: list[dict[str, Any]] = []
    shared: np.ndarray | None = None
    for name, values in shown:
        times, line = with_jumps(motion, key, name, values)
        order = np.argsort(times, kind="stable")
        times, line = times[order], line[order]
        if len(times) > MOST_SAMPLES:
            keep = np.unique(np.linspace(0, len(times) - 1, MOST_SAMPLES).astype(int))
            times, line = times[keep], line[keep]
        told = {} if shared is not None and np.array_equal(shared, times) else {"times": exact(times)}
        shared = times if shared is None else shared
        drawn.append({"name": name, "unit": motion.unit(name), "values": single(line), **told})
    return {"key": key, "title": title, "lines": drawn, "left_out": len(lines) - len(shown)}
