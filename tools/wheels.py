"""Wheels for every platform from this one: `make wheels [TARGETS="linux-arm64 windows-x86_64"]`.

zig cross-compiles the engine. Every function that Python will look for must be in the table of exports of the library
inside the wheel. Then `engine_check.cpp` is compiled for the platform and follows a motion with that library wherever
it can run here: on this machine itself, Windows by Wine, Linux on arm64 by QEMU.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from dalembert.engine import build, library, many  # noqa: E402

FUNCTIONS = [*library.SIGNATURES, *many.SIGNATURES]
OWN = f"{sys.platform}-{platform.machine().lower()}".replace("aarch64", "arm64").replace("amd64", "x86_64")
RUNNERS = {"windows-x86_64": ("wine",), "linux-arm64": ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")}


def made(name: str, folder: Path) -> Path:
    """The wheel of one platform."""
    before = set(folder.glob("*.whl"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run(
        [*command, "--wheel-dir", str(folder), str(ROOT)], check=True, env={**os.environ, "DALEMBERT_TARGET": name}
    )
    return next(iter(set(folder.glob("*.whl")) - before))


def libraries(wheel: Path, folder: Path) -> list[Path]:
    """The compiled files that the wheel holds, in a folder."""
    with zipfile.ZipFile(wheel) as files:
        inside = [name for name in files.namelist() if name.endswith((".so", ".dylib", ".dll"))]
        if f"dalembert/engine/{build.BROWSER}" not in files.namelist():
            raise SystemExit(f"{wheel.name}: there is no {build.BROWSER}, which pages carry")
        return [Path(files.extract(name, folder)) for name in inside]


def checked(name: str, path: Path) -> str:
    """Check a library: its functions, and a motion if a program of that platform can run here."""
    data = path.read_bytes()
    # A Mach-O file writes a C name with an underscore; the two others write it as it is.
    before = b"_" if name.startswith("macos") else b"\0"
    missing = [function for function in FUNCTIONS if before + function.encode() + b"\0" not in data]
    if missing:
        raise SystemExit(f"{name}: the engine lacks {', '.join(missing)}")
    runner = () if name == OWN else RUNNERS.get(name)
    if runner is None or (runner and not shutil.which(runner[0])):
        return f"{len(FUNCTIONS)} functions found, not run"
    program = path.with_name("engine_check.exe")
    flags = ("-std=c++17", "-O1", "-Wno-psabi", f"-I{build.ROOM}", *build.cross_flags(name))
    built = [str(ROOT / "tools/engine_check.cpp"), "-o", str(program), *([] if "windows" in name else ["-ldl"])]
    subprocess.run([*build.ZIG, *flags, *built], check=True)
    quiet = {**os.environ, "WINEDEBUG": "-all"}
    done = subprocess.run(
        [*runner, str(program), str(path), *FUNCTIONS], capture_output=True, text=True, env=quiet, timeout=300
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
    return f"{len(FUNCTIONS)} functions found, a motion: {done.stdout.strip()}"


def main(names: list[str]) -> None:
    folder = ROOT / "dist"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.whl"):
        old.unlink()
    for name in names or build.TARGETS:
        wheel = made(name, folder)
        with tempfile.TemporaryDirectory() as place:
            found = libraries(wheel, Path(place))
            if [path.name for path in found] != [build.library_name(build.TARGETS[name].system)]:
                raise SystemExit(f"{wheel.name} holds {[path.name for path in found]}")
            seen = checked(name, found[0])
        print(f"{name:16s} {wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB, {seen}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
