"""`again`: makes a motion again from the description in its file, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert import __version__
from dalembert.api.motion import simulate_from
from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.model.read import read_text
from dalembert.model.values import initial_values
from dalembert.prepared import prepared
from dalembert.results.origin import origin_of

if TYPE_CHECKING:
    from dalembert.results.motion import Motion

SETTINGS = {  # with their types
    "until": float, "samples": int, "at": list, "tolerance": float, "stepper": str, "step": float, "dense": bool,
    "reactions": list,
}  # fmt: skip


def again(path: str | Path, progress: Callable[[float], None] | None = None) -> Motion:
    """The motion of a file, computed again from the model and the settings that the file contains.

    The same version of this program gives the same bits. Another version adds a note.
    """
    found = origin_of(Path(path))
    record = read_text(str(found.model))
    opened = [name for name in found.settings.get("open", ()) if name in record.parameters]
    settings = {name: found.settings.get(name) for name in SETTINGS}
    if not all(value is None or isinstance(value, SETTINGS[name]) for name, value in settings.items()):
        raise ModelError("{path}: the settings of this motion cannot be read: {settings}", path=path, settings=settings)
    settings["dense"] = bool(settings["dense"])
    ready = prepared(record, found.method, opened, often=bool(found.settings.get("often")))
    start = ready.start(record, initial_values(record), False)
    motion = simulate_from(start, **settings, progress=progress)  # type: ignore[arg-type]
    made = found.versions.get("dalembert", "?")
    if made != __version__:
        note = tr(
            "The file was made by dalembert {made}; this is {version}, so its last digits may differ.",
            made=made,
            version=__version__,
        )
        return replace(motion, notes=(*motion.notes, note))
    return motion
