"""The environment of the benchmark: its own virtual environment with the peers and this package in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDER = HERE / ".venv"
BIN = FOLDER / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = BIN / "python"
QUIET = ["--quiet", "--disable-pip-version-check"]

_VERSIONS = """
import json
from importlib.metadata import distributions
print(json.dumps({found.metadata["Name"].lower(): found.version for found in distributions()}))
"""


def prepare() -> dict[str, str]:
    """Create the environment, install the peers and this package. Returns the faults of failed installations."""
    if not PYTHON.exists():
        print("creating benchmarks/.venv")
        venv.create(FOLDER, with_pip=True)
    faults = {}
    for line in (HERE / "peers.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            fault = install(line)
            if fault:
                faults[line] = fault
    fault = install("--upgrade", str(ROOT))
    if fault:
        faults["dalembert"] = fault
    return faults


def install(*what: str) -> str:
    """The last line of pip's error, empty if there is no error."""
    done = subprocess.run(
        [str(PYTHON), "-m", "pip", "install", *QUIET, *what], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or ["pip failed without a word"])[-1]


def versions() -> dict[str, str]:
    """The installed distributions, by lower-case name."""
    text = subprocess.run([str(PYTHON), "-c", _VERSIONS], capture_output=True, text=True, check=True).stdout
    return json.loads(text)


def variables() -> dict[str, str]:
    """Environment of every measured process: the benchmark on the path, one thread for linear algebra."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": str(ROOT)}
