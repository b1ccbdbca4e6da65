"""Compare motions of every gallery model on a GPU with those of one thread of the processor.

    python benchmarks/gpu_gallery.py [--jobs 4] [--seconds 240] [--only NAME] [-o TABLE]
    python benchmarks/gpu_gallery.py --generate FOLDER [--only NAME]   here: the first launches, and the answers
    python benchmarks/gpu_gallery.py --replay FOLDER [--jobs 8]        on a machine with numpy, CuPy and a GPU alone

It needs CuPy and a GPU, but for `--generate`. There are 64 motions of each model, their first coordinate varied by a
hundredth, until the model's own end or 5 s, at the tolerance 1e-9. Smooth models keep `final`, which steps in registers
compute where the model allows it. Models with contacts keep `final` and `events`: in registers, and by the full loop at
unusual events. A difference is |a - b| / max(1, |b|), over everything that was kept.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

MOTIONS, TOLERANCE, LONGEST = 64, 1e-9, 5.0
FINISHED = 10  # of a motion on a device, as in engine/status.hpp
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=4, help="models at a time")
    parser.add_argument("--seconds", type=float, default=240.0, help="the most that one model may take")
    parser.add_argument("--only", default="", help="models by name, separated by commas")
    parser.add_argument("-o", "--output", type=Path, help="write the table here as well")
    parser.add_argument("--generate", type=Path, help="a folder for launches and answers")
    parser.add_argument("--replay", type=Path, help="the folder of `--generate`")
    parser.add_argument("--model", help="one model, in this process; prints its row as JSON")
    asked = parser.parse_args()
    if asked.model:
        print(json.dumps(replayed(asked.model, asked.replay) if asked.replay else compared(asked.model)))
        return 0
    if asked.replay:
        names, more = sorted(file.stem for file in asked.replay.glob("*.pickle")), ["--replay", str(asked.replay)]
    else:
        import dalembert as da

        names, more = asked.only.split(",") if asked.only else list(da.gallery()), []
    if asked.generate:
        generate(asked.generate, names)
        return 0
    rows: list[Row] = []
    with ThreadPoolExecutor(asked.jobs) as pool:
        for row in pool.map(lambda name: _apart(name, asked.seconds, more), names):
            rows.append(row)
            print(_line(row), flush=True)
            if asked.output:
                asked.output.write_text(table(rows))
    return 0


def _apart(name: str, seconds: float, more: list[str]) -> Row:
    command = [sys.executable, __file__, "--model", name, *more]
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
    began = perf_counter()
    there = swept(name, engine="gpu")
    between = perf_counter()
    here = swept(name, threads=1)
    assert set(there.data_vars) == set(here.data_vars)
    assert (there["status"].values == here["status"].values).all(), "motions do not end alike"
    pairs = [(there[v].values, here[v].values) for v in here.data_vars if here[v].values.dtype.kind == "f"]
    return row_of(name, kept(da.gallery(name)), pairs) | {"gpu": between - began, "processor": perf_counter() - between}


def swept(name: str, **engine: Any) -> Any:
    """The motions of a model, by an engine."""
    import dalembert as da

    model = da.gallery(name)
    first, until = next(iter(model.record.coordinates)), float(model.record.simulation.duration or LONGEST)
    until = min(until, LONGEST)
    centre = float(model.simulate(until=until, samples=2)[first][0])
    vary = {first: np.linspace(centre - 0.01, centre + 0.01, MOTIONS)}
    return model.sweep(vary, record=kept(model), until=until, tolerance=TOLERANCE, **engine)


def kept(model: Any) -> tuple[str, ...]:
    return ("final", "events") if model.record.contacts or model.record.frictions else ("final",)


def row_of(name: str, what: tuple[str, ...], pairs: list[tuple[np.ndarray, np.ndarray]]) -> Row:
    """How far the numbers of a GPU and of the processor are from each other."""
    differences = []
    for a, b in pairs:
        found = np.abs(a - b) / np.maximum(1.0, np.abs(b))
        differences.append(found[np.isfinite(a) | np.isfinite(b)].ravel())
    each = np.concatenate(differences)
    return {
        "model": name, "kept": "+".join(what), "largest": float(np.nanmax(each)),
        "median": float(np.nanmedian(each)), "unlike": int(np.sum(~np.isfinite(each))),
    }  # fmt: skip


def generate(folder: Path, names: list[str]) -> None:
    """Write the launches, and the processor's numbers.

    Launches go in registers, with contacts until the first unusual event. Other models go by the full loop.
    """
    from benchmarks.gpu_cases import headers

    headers(folder)
    for name in names:
        notes = launches(name)
        here = swept(name, threads=1)
        values = [here[v].values.reshape(MOTIONS, -1) for v in here.data_vars if here[v].values.dtype.kind == "f"]
        answer = notes, np.concatenate(values, axis=1), here["status"].values
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(answer))
        print(name, flush=True)


def launches(name: str) -> list[tuple[Any, ...]]:
    """What the first launches of a sweep ask of a device, to the numbers that they give back."""
    from benchmarks.gpu_bundle import Recorder
    from dalembert.motions import device, gpu
    from dalembert.sweep.run import Unfinished

    recorder, gpu.FEW = Recorder(), 0
    device.Gpu = lambda: recorder  # type: ignore[assignment,misc]
    with suppress(Unfinished):  # no motion is computed here
        swept(name, engine="gpu")
    notes = recorder.notes
    last = next(i for i, note in enumerate(notes) if note[0] == "run" and note[2] in ("columns", "follow"))
    return notes[: next((i for i in range(last + 1, len(notes)) if notes[i][0] != "back"), None)]


def replayed(name: str, folder: Path) -> Row:
    """The row of one model, from its record."""
    from benchmarks.gpu_bundle import Replay

    notes, want, status = pickle.loads((folder / f"{name}.pickle").read_bytes())
    replay = Replay(notes, {}, str(folder / "engine"))
    began = perf_counter()
    replay.run()
    last = max(i for i, note in enumerate(notes) if note[0] == "run")
    reached, _, _, values, *_ = [replay.found[number] for _, number in notes[last + 1 :]]
    ended = np.flatnonzero(reached == FINISHED)  # others go on in the full loop, which is not replayed after registers
    assert len(ended) and (status[ended] == 0).all(), "motions do not end alike"
    pairs = [(values.reshape(want.shape)[ended], want[ended])]
    said = row_of(name, (f"{len(ended)} motions",), pairs)
    return said | {"gpu": perf_counter() - began, "processor": 0.0}


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
