"""Checks whether the tests cover enough lines of the package, from the report of `make coverage`.

    python tools/covered.py out/coverage.json

The bound is on lines. Branches are printed for all rooms.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

BOUND = 90.0  # percent of the lines


def told(totals: dict[str, float]) -> tuple[str, bool]:
    """A sentence, and whether the bound is kept."""
    share = 100 * totals["covered_lines"] / totals["num_statements"]
    return f"{share:.1f} % of the lines are covered; at least {BOUND:g} % are asked for", share >= BOUND


def branches(files: dict[str, dict[str, dict[str, int]]]) -> str:
    """The share of branches that were taken, room by room."""
    rooms: dict[str, list[int]] = {}
    for path, report in files.items():
        room = Path(path).parts[Path(path).parts.index("dalembert") + 1].removesuffix(".py")
        for name in ("all", room):
            counts = rooms.setdefault(name, [0, 0])
            counts[0] += report["summary"]["covered_branches"]
            counts[1] += report["summary"]["num_branches"]
    shares = [f"{room} {100 * part / whole:.0f} %" for room, (part, whole) in sorted(rooms.items()) if whole]
    return "branches that were taken: " + ", ".join(shares)


if __name__ == "__main__":
    measured = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sentence, kept = told(measured["totals"])
    print(branches(measured["files"]))
    print(sentence)
    sys.exit(not kept)
