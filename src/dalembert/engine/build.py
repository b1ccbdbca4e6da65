"""Builds the engine's library: a few C++ files, compiled by the machine's compiler or by PyPI's `ziglang`.

    python -m dalembert.engine.build

The wheel's build calls `build`, and so does an editable install. Nothing is compiled on a user's machine. The code is
compiled for the baseline processor without contraction of products and sums, so the bits are the same everywhere. Steps
in lanes and the solve of large matrices are compiled for several kinds of processors, and the best available one is
chosen at run time. Zig alone compiles the same headers for wasm32: `browser_build`. Pages that compute contain that
file.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from dalembert.engine.checksum import checksum_file as checksum_file
from dalembert.engine.checksum import seal
from dalembert.engine.interface import digest
from dalembert.engine.sources import ROOM, library_name, sources

ZIG = [sys.executable, "-m", "ziglang", "c++"]
FLAGS = (
    "-std=c++17", "-O3", "-fPIC", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off", "-fno-math-errno",
    "-fno-trapping-math", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-psabi",
)  # fmt: skip
KINDS = {  # kinds of processors, for steps in lanes and large matrices
    "baseline": (),
    "avx2": ("-mavx2",),
    "avx512": ("-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mprefer-vector-width=512"),
}
X86 = ("x86_64", "amd64", "x86")
BROWSER = "dalembert_engine.wasm"
BROWSER_FLAGS = (
    "-target", "wasm32-wasi", "-mexec-model=reactor", "-Os", "-Wl,--no-entry", "-Wl,--export-table",
    "-Wl,--growable-table", "-Wl,--strip-all", "-Wl,--gc-sections", "-nostdlib++",
)  # fmt: skip
BROWSER_DOORS = (
    "memory motion set run report solve take give_back start start_memory natural sources".split()
)  # functions that a page calls


class BuildTarget(NamedTuple):
    """A platform that zig compiles for: its name there, the wheel's tag, and Python's name of the system."""

    triple: str
    tag: str
    system: str


TARGETS = {
    "linux-x86_64": BuildTarget("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", "linux"),
    "linux-arm64": BuildTarget("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", "linux"),
    "windows-x86_64": BuildTarget("x86_64-windows-gnu", "win_amd64", "win32"),
    "windows-arm64": BuildTarget("aarch64-windows-gnu", "win_arm64", "win32"),
    "macos-x86_64": BuildTarget("x86_64-macos.11.0", "macosx_11_0_x86_64", "darwin"),
    "macos-arm64": BuildTarget("aarch64-macos.11.0", "macosx_11_0_arm64", "darwin"),
}


def compilers() -> list[list[str]]:
    """Commands that compile C++ here, the machine's own first."""
    found = [[name] for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++") if name and shutil.which(name)]
    return [*found, ZIG] if has_zig() else found


def has_zig() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def build(target: Path | None = None, flags: Sequence[str] = (), compiler: Sequence[str] | None = None) -> Path:
    """Compile the library to a temporary file, and rename it to `target`. Returns the path."""
    target = ROOM / library_name() if target is None else target
    commands = [list(compiler)] if compiler else compilers()
    if not commands:
        raise RuntimeError("no C++ compiler was found: install one (g++ or clang++), or `pip install ziglang`")
    chosen = [*commands[0], *FLAGS, *flags, *_marks(sources())]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = Path(folder) / target.name
        parts = [
            ([*chosen, *more, "-c", str(ROOM / f"{name}.cpp"), "-o", f"{folder}/{place}.o"])
            for place, (name, more) in enumerate(_parts(flags))
        ]
        list(pool.map(_compiled, parts))
        _compiled([*chosen, "-shared", *(part[-1] for part in parts), "-o", str(made), "-lm"])
        os.replace(made, target)
    seal(target)
    return target


def cross_build(name: str, folder: Path) -> Path:
    """Compile the library for another platform into a folder, by zig. Returns the path."""
    target = TARGETS[name]
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / library_name(target.system)
    return build(made, cross_flags(name), ZIG)


def cross_flags(name: str) -> tuple[str, ...]:
    """Zig's flags for a platform. The engine uses nothing of C++'s library, which zig would have to compile first."""
    return ("-target", TARGETS[name].triple, "-nostdlib++")


def browser_build(target: Path = ROOM / BROWSER) -> Path | None:
    """Compile the engine for wasm32, by zig. Returns the path, or None if there is no zig."""
    if not has_zig():
        return None
    flags = [flag for flag in FLAGS if flag not in ("-O3", "-fPIC")]
    doors = [f"-Wl,--export=dalembert_{name}" for name in BROWSER_DOORS]
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        marks = _marks(sources(browser=True))
        _compiled([*ZIG, *flags, *BROWSER_FLAGS, *doors, *marks, str(ROOM / "browser.cpp"), "-o", str(made)])
        made.chmod(0o644)
        os.replace(made, target)
    return target


def _marks(of_sources: str) -> list[str]:
    """What the library knows of its text: a hash of it, and of its interface."""
    return [f'-DDALEMBERT_SOURCES="{of_sources}"', f'-DDALEMBERT_INTERFACE="{digest()}"']


def _parts(flags: Sequence[str]) -> list[tuple[str, list[str]]]:
    """All files to compile, with their own flags."""
    machine = next(
        (flag for flag in flags if "linux" in flag or "windows" in flag or "macos" in flag), platform.machine()
    )
    kinds = KINDS if machine.lower().startswith(X86) else {"baseline": ()}
    known = ["-DDALEMBERT_X86"] if len(kinds) > 1 else []
    lanes = [
        ("lanes", [f"-Ddalembert=dalembert_{kind}", f"-DLEAN_CODE=dalembert_lean_{kind}", *own])
        for kind, own in kinds.items()
    ]
    return [*((name, known) for name in ("library", "look", "solve", "many")), *lanes]


def _compiled(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the engine could not be compiled by {command[0]}:\n{done.stderr}")


if __name__ == "__main__":
    print(build())
    print(browser_build() or "no ziglang: pages are made without the engine")
