"""Wheels for every platform from this one: `make wheels [TARGETS="linux-arm64 windows-x86_64"]`.

zig cross-compiles the engine. Every function that Python will look for must be in the table of exports of the library
inside the wheel. Then `engine_check.cpp` is compiled for the platform and follows a motion with that library wherever
it can run here: on this machine itself, Windows by Wine, Linux on arm64 by QEMU. So does `fmu_check.cpp` with the
library of an FMU that is made from the shells inside the wheel.
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

import dalembert as da  # noqa: E402
from dalembert.engine import build, interface, sources  # noqa: E402
from dalembert.exchange.export import fmu  # noqa: E402
from dalembert.exchange.export.fmu import packed, shells  # noqa: E402
from dalembert.exchange.export.taken import taken  # noqa: E402

FUNCTIONS = list(interface.functions())
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
        own = [name for name in files.namelist() if name.startswith("dalembert/engine/")]
        inside = [name for name in own if name.endswith((".so", ".dylib", ".dll"))]
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
    text = tried(name, ROOT / "tools/engine_check.cpp", path, sources.sources(), *FUNCTIONS)
    return f"{len(FUNCTIONS)} functions found, {'not run' if text is None else f'a motion: {text}'}"


def tried(name: str, program: Path, library: Path, *words: str) -> str | None:
    """What a program for the platform says about a library; None if it cannot run here."""
    runner = () if name == OWN else RUNNERS.get(name)
    if runner is None or (runner and not shutil.which(runner[0])):
        return None
    built = library.with_name(f"{program.stem}.exe")
    flags = ("-std=c++17", "-O1", "-Wno-psabi", f"-I{build.ROOM}", *build.cross_flags(name))
    more = [] if "windows" in name else ["-ldl"]
    subprocess.run([*build.ZIG, *flags, str(program), "-o", str(built), *more], check=True)
    quiet = {**os.environ, "WINEDEBUG": "-all"}
    done = subprocess.run(
        [*runner, str(built), str(library), *words], capture_output=True, text=True, env=quiet, timeout=300
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def fmu_checked(name: str, wheel: Path, folder: Path) -> str:
    """Check the shells of FMUs in a wheel: all are there, and that of the wheel's platform follows an impact."""
    (where,) = (one for one in shells.PLATFORMS.values() if one.target == name)
    with zipfile.ZipFile(wheel) as files:
        for entry in files.namelist():
            if entry.startswith("dalembert/exchange/export/fmu/") and entry.endswith(".zz"):
                (folder / Path(entry).name).write_bytes(files.read(entry))
    missing = [p.name for p in shells.PLATFORMS.values() for v in shells.VERSIONS if shells.shell(v, p, folder) is None]
    if missing:
        raise SystemExit(f"{wheel.name} lacks the shells of FMUs for {', '.join(missing)}")
    ball, empty = da.gallery("bouncing-ball"), shells.shell(3, where, folder)
    found = taken(ball.record, "ball", None)
    hole = packed.holes_of(found, fmu.token(found), [where.processor])[where.processor]
    library = folder / f"ball.{where.ending}"
    library.write_bytes(packed.with_model(empty, hole))
    said = tried(name, ROOT / "tools/fmu_check.cpp", library, fmu.token(found), "1.5", "2")
    if said is None:
        return f"{2 * len(shells.PLATFORMS)} shells of FMUs, not run"
    motion = ball.simulate(at=[1.5], tolerance=1e-10)
    apart = max(abs(float(a) - b) for a, b in zip(said.split(), (motion["z"][0], motion["z'"][0]), strict=True))
    if apart > 1e-9:
        raise SystemExit(f"{name}: the ball of the FMU is at {said}, {apart:.1e} from the engine's")
    return f"{2 * len(shells.PLATFORMS)} shells of FMUs, a motion within {apart:.0e} of the engine's"


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
            seen = f"{checked(name, found[0])}; {fmu_checked(name, wheel, Path(place))}"
        print(f"{name:16s} {wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB, {seen}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
