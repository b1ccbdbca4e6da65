"""Wheels for every platform from this one: `make wheels`. zig cross-compiles the engine; symbols are checked.

What this machine cannot run is linked, and every function that Python will look for is found in the library's file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "src"))

from hatch_build import engine_build  # noqa: E402

from dalembert.engine.build import BROWSER  # noqa: E402
from dalembert.engine.library import SIGNATURES  # noqa: E402


def made(name: str, folder: Path) -> Path:
    """The wheel of one platform."""
    before = set(folder.glob("*.whl"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, "DALEMBERT_TARGET": name})
    return next(iter(set(folder.glob("*.whl")) - before))


def checked(wheel: Path, library: str) -> None:
    """That the wheel holds its library, and the library every function that Python calls."""
    with zipfile.ZipFile(wheel) as files:
        data = files.read(f"dalembert/engine/{library}")
    missing = [name for name in SIGNATURES if name.encode() + b"\0" not in data]
        if f"dalembert/engine/{BROWSER}" not in files.namelist():
            raise SystemExit(f"{wheel.name}: there is no {BROWSER}, which pages carry")
    if missing:
        raise SystemExit(f"{wheel.name}: {library} lacks {', '.join(missing)}")


def main() -> None:
    module, folder = engine_build(), ROOT / "dist"
    folder.mkdir(exist_ok=True)
    for name, target in module.TARGETS.items():
        wheel = made(name, folder)
        checked(wheel, module.library_name(target.system))
        print(f"{name:16s} {wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB, {len(SIGNATURES)} functions found")
    module.build()  # this machine's own library again: some targets share its name


if __name__ == "__main__":
    main()
