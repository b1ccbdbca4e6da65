"""The player's own files, and three.js from the package jupyter-threejs-sage, which is not copied into ours."""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.language import tr

SCRIPTS = tuple(  # in this order
    f"{name}.js"
    for name in "scene camera shapes canvas webgl over miniature plots portrait layout input player".split()
)
COMPUTING = tuple(f"{name}.js" for name in "engine figures wrench simulated sliders live computing".split())
STYLES = ("player.css",)


@cache
def own(name: str) -> str:
    """One of the player's files, as text."""
    return files("dalembert.view").joinpath("static", name).read_text(encoding="utf-8")


@cache
def three() -> str:
    """The newest three.js of the installed package, from its own folder or the environment's share folder."""
    try:
        package = Path(str(files("jupyter_threejs_sage"))) / "static"
    except ModuleNotFoundError:
        package = Path()
    shared = Path(sys.prefix) / "share" / "jupyter" / "nbextensions" / "threejs-sage"
    found = [path for folder in (package, shared) for path in folder.glob("r*/three.min.js") if path.is_file()]
    if not found:
        raise ModelError(
            tr(
                "three.js was not found; it comes with the package jupyter-threejs-sage: pip install "
                "jupyter-threejs-sage."
            )
        )
    newest = max(found, key=lambda path: int(path.parent.name[1:]) if path.parent.name[1:].isdigit() else 0)
    return newest.read_text(encoding="utf-8")


def player_script() -> str:
    """The whole player without three.js, as one script. It defines `dalembert.mountPlayer`."""
    return "\n".join(own(name) for name in SCRIPTS)


def computing_script() -> str:
    """The script for pages that compute. It defines `dalembert.Computing`."""
    return "\n".join(own(name) for name in COMPUTING)


def player_style() -> str:
    return "\n".join(own(name) for name in STYLES)
