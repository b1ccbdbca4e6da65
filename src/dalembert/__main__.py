"""`python -m dalembert` and the console script."""

from __future__ import annotations

import gc
import os
import sys

OBJECTS = 100_000  # new objects before the collector looks for cycles: a command makes few, and ends soon


def main() -> None:
    """Run the command line and leave with its exit status."""
    gc.set_threshold(OBJECTS)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # matrices are small: threads of BLAS would only wait for each other
    from dalembert.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
