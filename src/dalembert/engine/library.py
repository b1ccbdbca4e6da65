"""The engine's library, loaded by ctypes, and one sentence if it cannot be loaded."""

from __future__ import annotations

import ctypes as c
import os
from functools import cache
from pathlib import Path
from typing import Any

from dalembert.engine.callbacks import passed_on
from dalembert.engine.checksum import is_whole
from dalembert.engine.interface import digest, functions
from dalembert.engine.sources import ROOM, library_name, sources
from dalembert.errors import DalembertError
from dalembert.language import Sentences, mark, tr

REMEDY = mark("reinstall dalembert for this platform (pip install --force-reinstall dalembert), or in a clone run make")
WRONG: Sentences = {
    "missing": "the engine is missing: there is no {path}; {remedy}",
    "damaged": "the engine {path} is damaged: it is not the file that was built; {remedy}",
    "sources": "the engine {path} was built from other sources than those next to it; {remedy}",
    "platform": "the engine {path} cannot be loaded on this machine ({error}); {remedy}",
    "structs": "the engine {path} does not fit this version of dalembert; {remedy}",
}


class EngineError(DalembertError):
    """The engine cannot be loaded."""


@cache
def library() -> Any:
    """The library, loaded once; an EngineError with a remedy if that is impossible."""
    chosen = os.environ.get("DALEMBERT_ENGINE")  # another build, for work on the engine
    path = Path(chosen) if chosen else ROOM / library_name()

    def wrong(what: str, error: object = None) -> EngineError:
        return EngineError(tr(WRONG[what], path=path, remedy=tr(REMEDY), error=error))

    if not path.is_file():
        raise wrong("missing")
    if not chosen and not is_whole(path):
        raise wrong("damaged")
    try:
        loaded = c.CDLL(str(path))
        loaded.dalembert_sources.restype = c.c_char_p
        if not chosen and loaded.dalembert_sources().decode() != sources():
            raise wrong("sources")
        for name, (result, arguments) in functions().items():
            function = getattr(loaded, name)
            function.restype, function.argtypes, function.errcheck = result, arguments, passed_on
    except (OSError, AttributeError) as error:
        raise wrong("platform", error) from error
    if loaded.dalembert_interface().decode() != digest():
        raise wrong("structs")
    return loaded
