"""Shells: the library of an FMU with a hole where its model stands, compiled once, when the engine is.

    python src/dalembert/exchange/export/fmu/shells.py

An FMU's binary is then a copy of a shell with the model's tables and machine code in the hole (packed.py). It needs no
compiler on the user's machine and a fraction of a second. There are shells for Linux on x86-64; elsewhere the FMU's
sources are compiled as a whole. This file needs Python's own library alone, as engine/build.py does.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dalembert.engine.build import FLAGS, X86, compilers
from dalembert.engine.checksum import is_whole, seal
from dalembert.engine.sources import ROOM as ENGINE
from dalembert.engine.sources import sources

ROOM = Path(__file__).parent
VERSIONS = (2, 3)
HOLE = 1 << 20  # bytes; a larger model is compiled from its sources
JUMP = 16  # bytes of a jump to a function of C
CALLED = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log pow floor".split()
)  # functions of C that programs call


def shell_file(version: int) -> Path:
    return ROOM / f"dalembert_fmi{version}.so"


def is_known_platform() -> bool:
    return sys.platform == "linux" and platform.machine().lower() in X86


def shell_sources() -> str:
    """A hash of what shells are compiled from: 16 characters, with which an empty hole begins."""
    digest = hashlib.sha256(f"{sources()} {HOLE} {CALLED}".encode())
    for path in sorted([*ROOM.glob("*.[hc]pp"), *ROOM.parent.glob("*.hpp")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def shell(version: int) -> bytes | None:
    """The shell, or None if there is none that is whole and of these sources."""
    file = shell_file(version)
    if not is_known_platform() or not file.exists() or not is_whole(file):
        return None
    found = file.read_bytes()
    return found if shell_sources().encode() in found else None


def build(folder: Path = ROOM, flags: Sequence[str] = (), compiler: Sequence[str] | None = None) -> list[Path]:
    """Compile the shells into a folder, for Linux on x86-64; the paths."""
    chosen = [*(compiler or compilers()[0]), *FLAGS, "-O2", *flags, "-I", str(ENGINE)]
    jumps = "".join(f"jmp {name}@PLT\\n.balign {JUMP}\\n" for name in CALLED)
    words = {"JUMPS": jumps, "SHELL": shell_sources(), "HOLE": str(HOLE - 16)}
    chosen += [f'-DDALEMBERT_{name}="{text}"' for name, text in words.items()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda version: _built(chosen, version, folder), VERSIONS))


def _built(chosen: Sequence[str], version: int, place: Path) -> Path:
    target = place / shell_file(version).name
    with tempfile.TemporaryDirectory(dir=place) as folder:
        made = Path(folder) / target.name
        command = [
            *chosen,
            "-shared",
            "-s",
            "-Wl,--as-needed",
            str(ROOM / f"shell{version}.cpp"),
            "-o",
            str(made),
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the shell of FMUs could not be compiled by {command[0]}:\n{done.stderr}")
        os.replace(made, target)
    seal(target)
    return target


if __name__ == "__main__":
    print(*build(), sep="\n")
