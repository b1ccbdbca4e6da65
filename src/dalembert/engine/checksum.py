"""A checksum file next to the engine's library. A damaged library must be found before it is loaded: the system maps
the file into memory, and a truncated file ends the whole process with a bus error.
"""

from __future__ import annotations

import zlib
from pathlib import Path


def checksum_file(library: Path) -> Path:
    return library.with_name(f"{library.name}.crc32")


def seal(library: Path) -> None:
    """Write the checksum of a library that has just been built."""
    checksum_file(library).write_text(_checksum(library), encoding="ascii")


def is_whole(library: Path) -> bool:
    """Whether the library is the file that was built."""
    file = checksum_file(library)
    return file.exists() and file.read_bytes() == _checksum(library).encode()


def _checksum(library: Path) -> str:
    return f"{zlib.crc32(library.read_bytes()):08x}"
