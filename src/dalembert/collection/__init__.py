"""The models of the gallery: files in the package, each a known problem with a known answer.

Listing the gallery must be cheap, so this module only reads TOML. Callers read a model from `text(name)` or
`path(name)`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.language import tr

__all__ = ["names", "path", "summary", "text"]

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The names of all models of the gallery, in alphabetical order."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def path(name: str) -> Path:
    """The file of the model `name`."""
    if name not in names():
        import difflib  # needed only for a fault

        nearest = difflib.get_close_matches(name, names(), n=1)
        hint = (
            tr("the nearest is {nearest}", nearest=nearest[0])
            if nearest
            else tr("`dalembert gallery` lists what there is")
        )
        raise ModelError("the gallery has no model {name!r}; {hint}.", name=name, hint=hint)
    return _FOLDER / f"{name}.toml"


def text(name: str) -> str:
    """The text of the model file of `name`."""
    return path(name).read_text(encoding="utf-8")


def summary(name: str) -> tuple[str, str]:
    """Title and reference of the model `name`."""
    table = tomllib.loads(text(name))
    return tr(table.get("title", "")), table.get("reference", "")
