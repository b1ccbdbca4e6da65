"""Lines and branches of the C++ engine that the tests run, header by header. Needs g++ and gcov.

    make coverage-engine                                  the tests in `TESTS`
    python tools/engine_coverage.py tests/motions -n 2    other arguments of pytest

The engine is compiled with counters into out/engine-coverage, and the tests load that build (DALEMBERT_ENGINE). Every
process adds its counts at its end. A template or a file that is compiled for several processors counts as one text.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from dalembert.engine import build
from dalembert.engine.sources import ROOM, library_name, sources

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "out" / "engine-coverage"
FLAGS = (*build.FLAGS, "-O0", "--coverage", *build._marks(sources()))
ROOMS = ["tests/engine", "tests/motions", "tests/unilateral", "tests/findings"]
TESTS = [*ROOMS, "tests/sweep/test_threads.py", "tests/sweep/test_motions.py", "-n", "2"]


def built() -> Path:
    """The library with counters."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    objects = []
    for place, (name, more) in enumerate(build._parts(())):
        objects.append(str(FOLDER / f"{name}{place}.o"))
        subprocess.run(["g++", *FLAGS, *more, "-c", str(ROOM / f"{name}.cpp"), "-o", objects[-1]], check=True)
    library = FOLDER / library_name()
    subprocess.run(["g++", *FLAGS, "-shared", *objects, "-o", str(library), "-lm"], check=True)
    build.seal(library)
    return library


def counted() -> dict[str, tuple[int, int, int, int]]:
    """Lines that ran, lines, branches that were taken, branches: by header."""
    subprocess.run(["gcov", "--json-format", "--branch-probabilities", *map(str, FOLDER.glob("*.gcda"))],
                   cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    lines: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    branches: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    for report in FOLDER.glob("*.gcov.json.gz"):
        for file in json.loads(gzip.decompress(report.read_bytes()))["files"]:
            path = (FOLDER / file["file"]).resolve()
            if not path.is_relative_to(ROOM):
                continue
            name = path.relative_to(ROOM).as_posix()
            for line in file["lines"]:
                lines[name][line["line_number"]] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    branches[name][line["line_number"], i] += branch["count"]
    return {
        name: (sum(map(bool, at.values())), len(at), sum(map(bool, branches[name].values())), len(branches[name]))
        for name, at in sorted(lines.items())
    }


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f} %" if whole else "      –"


def main() -> int:
    environment = os.environ | {"DALEMBERT_ENGINE": str(built())}
    done = subprocess.run([sys.executable, "-m", "pytest", *(sys.argv[1:] or TESTS)], cwd=ROOT, env=environment)
    found = counted()
    print(f"{'header':28}{'lines':>16}{'branches':>18}")
    for name, (ran, of, taken, all_of) in (*found.items(), ("all", tuple(map(sum, zip(*found.values(), strict=True))))):
        print(f"{name:28}{share(ran, of)} of {of:4}  {share(taken, all_of)} of {all_of:4}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
