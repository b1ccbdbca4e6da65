"""Draw zhang-mei-energy.svg: the energy of Zhang and Mei's ball under the impact law in print and under the right one.

python docs/zhang_mei_energy.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import dalembert as da

STYLE = {"svg.hashsalt": "dalembert", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
LAWS = (  # model, colour, label, where the label stands
    ("zhang-mei-ball-paper", "#c0392b", "law in print", (15.9, 5.6)),
    ("zhang-mei-ball", "#1f5f99", "right law: a sliding contact carries no impulse", (7.2, 0.55)),
)


def energy(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times and total energy, just before and just after every impact among them, and the times of the impacts."""
    model = da.gallery(name)
    first = model.simulate(samples=2, tolerance=1e-12)
    impacts = np.array([event.time for event in first.events if event.kind == "impact"])
    times = np.unique(np.concatenate([np.linspace(0, 20, 2001), impacts - 1e-9, impacts + 1e-9]))
    motion = model.simulate(at=times, tolerance=1e-12)
    return times, motion.energy["total"], impacts


def main() -> None:
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for name, colour, label, place in LAWS:
        times, total, impacts = energy(name)
        axes.plot(times, total, color=colour, linewidth=1.6)
        axes.plot(impacts, np.interp(impacts + 1e-9, times, total), ".", color=colour, markersize=5)
        axes.annotate(label, place, color=colour)
    axes.set(xlabel="t", ylabel="energy T + V", xlim=(0, 20))
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    figure.savefig(Path(__file__).with_name("zhang-mei-energy.svg"), metadata={"Date": None})


if __name__ == "__main__":
    with rc_context(STYLE):
        main()
