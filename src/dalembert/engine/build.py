"""How the engine's library is made: one C++ file, compiled by the machine's compiler or by PyPI's `ziglang`.

    python -m dalembert.engine.build

The wheel's build calls `build`; so does an editable install. Nothing is compiled on a user's machine. The text is
compiled for the processor's baseline without contraction of products and sums, so the same bits come out everywhere.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOM = Path(__file__).parent
FLAGS = (
    "-std=c++17", "-O3", "-fPIC", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off", "-fno-math-errno",
    "-fno-trapping-math", "-fvisibility=hidden", "-Wall", "-Wextra",
)  # fmt: skip


def library_name(platform: str = sys.platform) -> str:
    """What the library is called on a platform."""
    ending = {"win32": "dll", "darwin": "dylib"}.get(platform, "so")
    return f"dalembert_engine.{ending}"


def sources(room: Path = ROOM) -> str:
    """A hash of everything that goes into the library."""
    digest = hashlib.sha256()
    for path in sorted([*room.glob("*.hpp"), *room.glob("contact/*.hpp"), room / "library.cpp"]):
        digest.update(path.relative_to(room).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def compilers() -> list[list[str]]:
    """Commands that compile C++ here, the machine's own first."""
    found = [[name] for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++") if name and shutil.which(name)]
    try:
        import ziglang  # noqa: F401
    except ImportError:
        return found
    return [*found, [sys.executable, "-m", "ziglang", "c++"]]


def build(target: Path | None = None, flags: Sequence[str] = (), compiler: Sequence[str] | None = None) -> Path:
    """Compile the library to `target`, written beside and renamed; the path."""
    target = ROOM / library_name() if target is None else target
    commands = [list(compiler)] if compiler else compilers()
    if not commands:
        raise RuntimeError("no C++ compiler was found: install one (g++ or clang++), or `pip install ziglang`")
    stamp = f'-DDALEMBERT_SOURCES="{sources()}"'
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        command = [*commands[0], *FLAGS, *flags, stamp, "-shared", str(ROOM / "library.cpp"), "-o", str(made), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the engine could not be compiled by {commands[0][0]}:\n{done.stderr}")
        os.replace(made, target)
    return target


if __name__ == "__main__":
    print(build())
