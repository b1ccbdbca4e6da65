"""The pictures of the tutorials. `python docs/tutorial_pictures.py` makes them again, from the code of the pages."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import dalembert as da

DOCS = Path(__file__).resolve().parent
SIZE = (7, 3.2)


def names_of(page: str) -> dict[str, Any]:
    """Everything that the code of a page defines."""
    names: dict[str, Any] = {"da": da}
    for block in re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE):
        exec(compile(block, page, "exec"), names)  # noqa: S102 - our own pages
    return names


def path(names: dict[str, Any]) -> Figure:
    figure: Figure = names["figure"]
    return figure


def robot(names: dict[str, Any]) -> Figure:
    figure: Figure = names["motion"].plot(["y", "theta", "thrust", "turn"])
    return figure


def sections(names: dict[str, Any]) -> Figure:
    figure, places = plt.subplots(1, 2, figsize=SIZE, layout="constrained")
    for place, name in zip(places, ("regular", "chaotic"), strict=True):
        place.plot(*names[name].T, ".", markersize=3)
        place.set(xlabel="theta2", ylabel="theta2'", title=name)
    return figure


def pitchfork(names: dict[str, Any]) -> Figure:
    figure, place = plt.subplots(figsize=SIZE, layout="constrained")
    critical = names["locus"].critical[0].value
    bent = np.linspace(critical + 0.01, 8, 40)
    found = [names["hoop"].linearize(settings={"theta": 1, "w": w}, steady=True).coordinates["theta"] for w in bent]
    place.plot([2, critical], [0, 0], "C0")
    place.plot([critical, 8], [0, 0], "C0--", label="unstable")
    for sign in (1, -1):
        place.plot(bent, sign * np.abs(found), "C0")
    place.set(xlabel="w [rad/s]", ylabel="theta [rad]")
    place.legend(frameon=False)
    return figure


def fitting(names: dict[str, Any]) -> Figure:
    figure, place = plt.subplots(figsize=SIZE, layout="constrained")
    times = np.linspace(0, 1.6, 400)
    fitted = names["ball"].simulate(at=times, settings=dict(zip(names["names"], names["fit"].x, strict=True)))
    place.plot(names["at"], names["data"], ".", label="data")
    place.plot(times, fitted["z"], label="fit")
    place.set(xlabel="t [s]", ylabel="z [m]")
    place.legend(frameon=False)
    return figure


PICTURES: dict[str, tuple[str, Callable[[dict[str, Any]], Figure]]] = {
    "tutorials/first-model.png": ("tutorials/first-model.md", path),
    "tutorials/robot.png": ("tutorials/robot.md", robot),
    "tutorials/sections.png": ("tutorials/sections.md", sections),
    "tutorials/pitchfork.png": ("tutorials/sections.md", pitchfork),
    "tutorials/fitting.png": ("tutorials/fitting.md", fitting),
    "explanation/models-of-constraint.png": ("explanation/models-of-constraint.md", path),
}


def main() -> None:
    model = re.search(r"^```toml\n(.*?)^```", (DOCS.parent / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert model
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("sleigh.toml").write_text(model[1], encoding="utf-8")
        for file, (page, drawn) in PICTURES.items():
            made = BytesIO()
            drawn(names_of(page)).savefig(made, dpi=110)
            Image.open(made).convert("RGB").quantize(64).save(DOCS / file, optimize=True)
            print(f"written: {file}, {(DOCS / file).stat().st_size // 1000} kB")
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
