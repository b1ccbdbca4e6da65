"""The place of the engine's files, the name of its library, and a hash of its sources."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

ROOM = Path(__file__).parent


def library_name(platform: str = sys.platform) -> str:
    """The file name of the library on a platform."""
    ending = {"win32": "dll", "darwin": "dylib"}.get(platform, "so")
    return f"dalembert_engine.{ending}"


def files(room: Path = ROOM, browser: bool = False) -> list[Path]:
    """All sources of the library, or of the browser's file."""
    doors = [path for path in room.glob("*.cpp") if browser or path.name != "browser.cpp"]
    return sorted([*room.glob("*.hpp"), *room.glob("contact/*.hpp"), *doors])


def sources(room: Path = ROOM, browser: bool = False) -> str:
    """A hash of all sources."""
    digest = hashlib.sha256()
    for path in files(room, browser):
        digest.update(path.relative_to(room).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
