"""`python -m dalembert` and the console script."""

from __future__ import annotations

import gc
import sys

from dalembert.processes import one_thread

OBJECTS = 100_000  # new objects before the collector looks for cycles: a command makes few, and ends soon


def main() -> None:
    """Run the command line and leave with its exit status."""
    gc.set_threshold(OBJECTS)
    one_thread()
    from dalembert.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
