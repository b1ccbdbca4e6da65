"""Checks whether the tests cover enough lines of the package, from the report of `make coverage`.

    python tools/covered.py out/coverage.json

Branches are in the report, too. The bound is on lines.
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


if __name__ == "__main__":
    sentence, kept = told(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["totals"])
    print(sentence)
    sys.exit(not kept)
