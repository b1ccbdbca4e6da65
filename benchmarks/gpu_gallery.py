"""Compare motions of every gallery model on a GPU with those of one thread of the processor.

    python benchmarks/gpu_gallery.py [--jobs 4] [--seconds 240] [--only NAME] [-o TABLE]

It needs CuPy and a GPU. There are 64 motions of each model, their first coordinate varied by a hundredth, until the
model's own end or 5 s, at the tolerance 1e-9. Smooth models keep `final`, which steps in registers compute where the
model allows it. Models with contacts keep `final` and `events`: in registers, and by the full loop at unusual events.
A difference is |a - b| / max(1, |b|), over everything that was kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

MOTIONS, TOLERANCE, LONGEST = 64, 1e-9, 5.0
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=4, help="models at a time")
    parser.add_argument("--seconds", type=float, default=240.0, help="the most that one model may take")
    parser.add_argument("--only", default="", help="models by name, separated by commas")
    parser.add_argument("-o", "--output", type=Path, help="write the table here as well")
    parser.add_argument("--model", help="one model, in this process; prints its row as JSON")
    asked = parser.parse_args()
    if asked.model:
        print(json.dumps(compared(asked.model)))
        return 0
    import dalembert as da

    names = asked.only.split(",") if asked.only else list(da.gallery())
    rows: list[Row] = []
    with ThreadPoolExecutor(asked.jobs) as pool:
        for row in pool.map(lambda name: _apart(name, asked.seconds), names):
            rows.append(row)
            print(_line(row), flush=True)
            if asked.output:
                asked.output.write_text(table(rows))
    return 0


def _apart(name: str, seconds: float) -> Row:
    command = [sys.executable, __file__, "--model", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"model": name, "said": f"not done within {seconds:g} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        return {"model": name, "said": lines[-1]}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def compared(name: str) -> Row:
    """The row of one model."""
    import dalembert as da
    from dalembert.motions import gpu

    gpu.FEW = 0  # so few motions would be computed by the processor
    model = da.gallery(name)
    stated = model.record
    first = next(iter(stated.coordinates))
    until = min(float(stated.simulation.duration or LONGEST), LONGEST)
    centre = float(model.simulate(until=until, samples=2)[first][0])
    low, high = centre - 0.01, centre + 0.01
    keep = ("final", "events") if stated.contacts or stated.frictions else ("final",)
    asked: dict[str, Any] = {"record": keep, "until": until, "tolerance": TOLERANCE}
    vary = {first: np.linspace(low, high, MOTIONS)}
    began = perf_counter()
    there = model.sweep(vary, engine="gpu", **asked)
    between = perf_counter()
    here = model.sweep(vary, threads=1, **asked)
    assert set(there.data_vars) == set(here.data_vars)
    assert (there["status"].values == here["status"].values).all(), "motions do not end alike"
    differences = []
    for variable in here.data_vars:
        a, b = there[variable].values, here[variable].values
        if b.dtype.kind == "f":
            found = np.abs(a - b) / np.maximum(1.0, np.abs(b))
            differences.append(found[np.isfinite(a) | np.isfinite(b)].ravel())
    each = np.concatenate(differences)
    wrong = int(np.sum(~np.isfinite(each)))
    return {
        "model": name, "kept": "+".join(keep), "largest": float(np.nanmax(each)), "median": float(np.nanmedian(each)),
        "unlike": wrong, "gpu": between - began, "processor": perf_counter() - between,
    }  # fmt: skip


def _line(row: Row) -> str:
    if "said" in row:
        return f"| {row['model']} | {row['said']} | | | |"
    return (
        f"| {row['model']} | {row['kept']} | {row['largest']:.1e} | {row['median']:.1e} | {row['unlike']} "
        f"| {row['gpu']:.1f} | {row['processor']:.1f} |"
    )


def table(rows: list[Row]) -> str:
    head = "| model | kept | largest difference | median | not a number | GPU, s | processor, s |"
    return "\n".join([head, "| --- | --- |" + " ---: |" * 5, *map(_line, rows)]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
