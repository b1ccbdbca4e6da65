"""Shells: the library of an FMU with a hole where its model stands, compiled once, when the engine is.

    python src/dalembert/exchange/export/fmu/shells.py [all]

An FMU's binary is then a copy of a shell with the model's tables and machine code in the hole (packed.py). It needs no
compiler on the user's machine and a fraction of a second. A wheel has shells for all PLATFORMS, so that an FMU runs on
each of them. A clone has one for its own, unless it asks for `all`, which zig cross-compiles. This file needs Python's
own library alone, as engine/build.py does.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from dalembert.engine.build import FLAGS, ZIG, compilers, cross_flags
from dalembert.engine.sources import ROOM as ENGINE
from dalembert.engine.sources import sources

ROOM = Path(__file__).parent
VERSIONS = (2, 3)
HOLE = 1 << 20  # bytes; a larger model is compiled from its sources
PAGE = 4096
JUMP = 16  # bytes of a jump to a function of C
CALLED = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log pow floor".split()
)  # functions of C that programs call


class Platform(NamedTuple):
    """A platform by its names: FMI 3.0's, FMI 2.0's ("" if it has none), and that of engine/build.py."""

    name: str
    old: str
    target: str
    ending: str
    jump: str  # to a function of C

    @property
    def processor(self) -> str:
        return self.name.partition("-")[0]

    def place(self, version: int, library: str) -> str:
        """The path of a library in an FMU. "" if that version of FMI has no name for the platform."""
        folder = self.name if version == 3 else self.old
        return f"binaries/{folder}/{library}.{self.ending}" if folder else ""


PLATFORMS = {
    found.name: found
    for found in (
        Platform("x86_64-linux", "linux64", "linux-x86_64", "so", "jmp {}@PLT"),
        Platform("aarch64-linux", "", "linux-arm64", "so", "b {}"),
        Platform("x86_64-windows", "win64", "windows-x86_64", "dll", "jmp dalembert_{}"),
        Platform("aarch64-windows", "", "windows-arm64", "dll", "b {}"),
        Platform("x86_64-darwin", "darwin64", "macos-x86_64", "dylib", "jmp _{}"),
        Platform("aarch64-darwin", "", "macos-arm64", "dylib", "b _{}"),
    )
}


def own_platform() -> Platform | None:
    machine = platform.machine().lower()
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return PLATFORMS.get(f"{processor}-{'windows' if sys.platform == 'win32' else sys.platform}")


def shell_file(version: int, where: Platform, room: Path | None = None) -> Path:
    return (room or ROOM) / f"dalembert_fmi{version}-{where.name}.zz"


def shell_sources() -> str:
    """A hash of what shells are compiled from: 16 characters, with which an empty hole begins."""
    digest = hashlib.sha256(f"{sources()} {HOLE} {CALLED}".encode())
    for path in sorted([*ROOM.glob("*.[hc]pp"), *ROOM.parent.glob("*.hpp")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def shell(version: int, where: Platform, room: Path | None = None) -> bytes | None:
    """The shell, or None if there is none that is whole and of these sources."""
    try:
        found = zlib.decompress(shell_file(version, where, room).read_bytes())
    except (OSError, zlib.error):
        return None
    return found if shell_sources().encode() in found else None


def build(folder: Path = ROOM) -> list[Path]:
    """Compile the shells of this platform into a folder; none if FMI has no name for the platform."""
    own = own_platform()
    return [] if own is None else _all_built([(version, own) for version in VERSIONS], folder, compilers()[0])


def cross_build(folder: Path) -> list[Path]:
    """The shells of all platforms in a folder, by zig. Those that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [(version, where) for where in PLATFORMS.values() for version in VERSIONS]
    _all_built([pair for pair in pairs if shell(*pair, folder) is None], folder, None)
    return [shell_file(*pair, folder) for pair in pairs]


def _all_built(pairs: list[tuple[int, Platform]], folder: Path, compiler: Sequence[str] | None) -> list[Path]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda pair: _built(pair[0], pair[1], folder, compiler), pairs))


def _built(version: int, where: Platform, folder: Path, compiler: Sequence[str] | None) -> Path:
    chosen = [*(compiler or [*ZIG, *cross_flags(where.target)]), *FLAGS, "-O2", "-I", str(ENGINE)]
    jumps = "".join(f"{where.jump.format(name)}\\n.balign {JUMP}\\n" for name in CALLED)
    words = {
        "JUMPS": jumps,
        "BEFORE": str(PAGE - JUMP * len(CALLED)),
        "SHELL": shell_sources(),
        "HOLE": str(HOLE - 16),
    }
    chosen += [f'-DDALEMBERT_{name}="{text}"' for name, text in words.items()]
    lean = {"so": ["-s", "-Wl,--as-needed", "-lm"], "dll": ["-s"], "dylib": []}[where.ending]
    target = shell_file(version, where, folder)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        made = Path(place) / f"model.{where.ending}"
        command = [*chosen, "-shared", str(ROOM / f"shell{version}.cpp"), "-o", str(made), *lean]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the shell of FMUs for {where.name} could not be compiled:\n{done.stderr}")
        packed = Path(place) / target.name
        packed.write_bytes(zlib.compress(made.read_bytes(), 9))
        os.replace(packed, target)
    return target


if __name__ == "__main__":
    print(*(cross_build(ROOM) if sys.argv[1:] == ["all"] else build()), sep="\n")
