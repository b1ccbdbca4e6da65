"""The player's own files, and the libraries that the build took from other packages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from dalembert.errors import ModelError
from dalembert.view.vendored import ROOM, THREE

SCRIPTS = tuple(  # in this order
    f"{name}.js"
    for name in (
        *("scene", "camera", "shapes", "canvas", "surroundings", "webgl", "over", "miniature"),
        *("plots", "portrait", "layout", "input", "saving", "side", "player"),
    )
)
COMPUTING = tuple(
    f"{name}.js" for name in "engine figures wrench quantities horizon simulated sliders live computing".split()
)
STYLES = ("player.css",)


@cache
def own(name: str) -> str:
    """One of the player's files, as text."""
    return files("dalembert.view").joinpath("static", name).read_text(encoding="utf-8")


@cache
def library(name: str) -> str:
    """One of the libraries that the build took from other packages, as text."""
    try:
        return (ROOM / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ModelError(
            "{name} was not found: this copy of dalembert was built without it. Install dalembert again, or run "
            "python -m dalembert.view.vendored.",
            name=name,
        ) from None


def three() -> str:
    """three.js with its OrbitControls, as a script that defines THREE."""
    return library(THREE)


def player_script() -> str:
    """The whole player without three.js, as one script. It defines `dalembert.mountPlayer`."""
    return "\n".join(own(name) for name in SCRIPTS)


def computing_script() -> str:
    """The script for pages that compute. It defines `dalembert.Computing`."""
    return "\n".join(own(name) for name in COMPUTING)


def player_style() -> str:
    return "\n".join(own(name) for name in STYLES)
