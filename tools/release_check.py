"""A rehearsal of a release: versions agree, packages build, install and work, also with the lowest dependencies.

    make release-check              everything
    python tools/release_check.py --no-lowest

1. The version of the package, of CITATION.cff and of the changelog agree, and the changelog's section has a date.
2. sdist and wheel build, and contain the right files.
3. The wheel works in an empty environment (tools/smoke.py), with the newest dependencies.
4. The wheel that is built from the sdist works in another, with the lowest versions that pyproject.toml allows.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = ("__init__.py", "__init__.pyi", "py.typed", "collection/rolling-disk.toml", "view/static/player.js")


def main() -> None:
    version = agreed()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel, sdist = built(place)
        contents(wheel, sdist)
        works(place / "newest", str(wheel))
        if "--no-lowest" not in sys.argv:
            works(place / "lowest", str(sdist), lowest(place / "build"))
    print(f"release-check: {version} is ready; {wheel.name} and {sdist.name} are in dist/")


def agreed() -> str:
    """The version, the same everywhere."""
    text = (ROOT / "src/dalembert/__init__.py").read_text(encoding="utf-8")
    version = found(r'^__version__ = "(.*)"', text, "__version__")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert found(r"^version: (\S+)", citation, "version in CITATION.cff") == version, "CITATION.cff has another version"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    date = found(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", changes, f"a dated section {version}")
    released = found(r"^date-released: (\S+)", citation, "date in CITATION.cff")
    assert released == date, f"CITATION.cff says {released}, the changelog {date}"
    return version


def found(pattern: str, text: str, what: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    assert match, f"{what} was not found"
    return match[1]


def built(place: Path) -> tuple[Path, Path]:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    tool = environment(place / "build", ["build"])
    called(tool, "-m", "build", "--outdir", str(dist), str(ROOT))
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    return wheel, sdist


def contents(wheel: Path, sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    for name in NEEDED:
        assert f"dalembert/{name}" in names, f"the wheel lacks {name}"
    for name in names:
        assert name.startswith("dalembert") and "__pycache__" not in name, f"the wheel has {name}"
    with tarfile.open(sdist) as packed_sources:
        inside = {Path(*Path(name).parts[1:]).as_posix() for name in packed_sources.getnames()}
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "tests/conftest.py", "docs/README.md"):
        assert name in inside, f"the sdist lacks {name}"


def works(place: Path, package: str, constraints: list[str] | None = None) -> None:
    """The package in an empty environment, away from the clone."""
    extra: list[str] = []
    if constraints:
        listed = place.with_suffix(".txt")
        listed.write_text("\n".join(constraints) + "\n", encoding="utf-8")
        extra = ["--constraint", str(listed)]
    python = environment(place, [package, *extra])
    shutil.copy(ROOT / "tools/smoke.py", place / "smoke.py")
    called(python, str(place / "smoke.py"), cwd=place)


def lowest(tool: Path) -> list[str]:
    """Every dependency at the lowest published version that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = []
    for wanted in project["dependencies"]:
        name = found(r"^([\w.-]+)", wanted, "a name")
        bound = numbers(found(r">=([\w.]+)", wanted, f"a lower bound of {name}"))
        listed = subprocess.run(
            [str(python_of(tool)), "-m", "pip", "index", "versions", "--disable-pip-version-check", name],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        versions = found(r"^Available versions: (.*)$", listed.stdout, f"the versions of {name}").split(", ")
        pins.append(f"{name}=={min((v for v in versions if numbers(v) >= bound), key=numbers)}")
    return pins


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, without zeros at its end: 1.26.0 is 1.26."""
    return tuple(int(part) for part in re.sub(r"(\.0)+$", "", version).split(".") if part.isdigit())


def environment(place: Path, install: list[str]) -> Path:
    venv.create(place, with_pip=True)
    python = python_of(place)
    called(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *install)
    return python


def python_of(place: Path) -> Path:
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def called(python: Path, *arguments: str, cwd: Path | None = None) -> None:
    subprocess.run([str(python), *arguments], check=True, cwd=cwd)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"release-check: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"release-check: {' '.join(error.cmd)} failed with status {error.returncode}")
