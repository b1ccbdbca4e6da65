"""Measure the generated kernels on a GPU, against kernels written by hand and JAX.

    python benchmarks/gpu.py --generate FOLDER     here: texts, states, answers (by this package and g++)
    python benchmarks/gpu.py FOLDER [-o RESULTS]   on a machine with numpy, CuPy and a GPU; JAX where it is installed

Times are the best of three launches after a first one, by the device's clock. States stay on the device.
Flops are those of the generated expressions: one for a sum, product, quotient, root or comparison, 37 for a sine with
its cosine, and those of the stepper's sums. The peak is that of FP64 without tensor cores. Differences are from the
same source on a processor (rk4; disk and bicycle by hand step other variables, so that theirs are errors of the fourth
order), from motions to 1e-13 (dop853) or from the default engine (hybrid). Adaptive steps are compared at equal error:
kernels by hand and JAX use the tolerance at which 256 of these motions have the same median error as by the generated
kernel.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import struct
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import gpu_peers

PEAK = 132 * 64 * 2 * 1.98e9  # of an H200: SMs, units, a product and a sum, clock
BLOCKS = (32, 64, 128, 256)
OPTIONS = ("-std=c++17",)
POINTERS = {10: "rows", 15: "rows", 18: "sample_times", 19: "wishes", 20: "columns", 21: "counted"}  # words of a plan
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--generate", action="store_true", help="write the folder instead of running it")
    parser.add_argument("-o", "--output", type=Path, help="write the table here as well")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    if options.generate:
        from benchmarks.gpu_cases import generate

        generate(options.folder)
        return 0
    began = perf_counter()
    rows: list[Row] = []
    for case in json.loads((options.folder / "cases.json").read_text()):
        if options.only in case["name"]:
            rows += measured(case, options.folder)
            if options.output:
                options.output.write_text(report(rows, perf_counter() - began) + "\n")  # so far
    print(report(rows, perf_counter() - began))
    return 0


def states_of(case: Row, motions: int) -> np.ndarray:
    """Random states near the model's start, the same on both machines; dependent speeds follow the independent ones."""
    width = np.array([case["spread"].get(name, 0.0) for name in case["names"]])
    random = np.random.default_rng(case["seed"]).uniform(-1.0, 1.0, (motions, len(case["names"])))
    return np.array(case["base"]) + (width * random) @ np.array(case["ties"]).T


def measured(case: Row, folder: Path) -> list[Row]:
    import cupy

    motions = 1 << case["log2"]
    states = cupy.asarray(np.ascontiguousarray(states_of(case, motions).T))
    source = (folder / f"{case['name']}.cu").read_text()
    rows = [generated(case, source, states, motions, folder)]
    say(rows[-1])
    if "hand" in case["peers"]:
        hand = (folder / f"{case['name']}-hand.cu").read_text()
        rows.append(by_hand(case, gpu_peers.HEAD + hand, states, motions))
        say(rows[-1])
    if "jax" in case["peers"]:
        try:
            rows.append(by_jax(case, folder, cupy.asnumpy(states), motions))
        except ImportError as fault:
            print(f"no JAX: {fault}", file=sys.stderr)
        else:
            say(rows[-1])
    return rows


def say(row: Row) -> None:
    print({key: value for key, value in row.items() if key != "case"}, file=sys.stderr, flush=True)


def timed(
    kernel: Any, motions: int, arguments: tuple[Any, ...], before: Callable[[], None] = lambda: None,
    blocks: tuple[int, ...] = BLOCKS,
) -> tuple[float, int]:  # fmt: skip
    """Seconds of the best launch, and its block."""
    import cupy

    best, block = float("inf"), 0
    for threads in blocks:
        if threads * kernel.num_regs > 65536:
            continue
        for turn in range(4):
            before()
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((-(-motions // threads),), (threads,), arguments)
            end.record()
            end.synchronize()
            seconds = cupy.cuda.get_elapsed_time(begin, end) / 1e3
            if turn and seconds < best:
                best, block = seconds, threads
            if seconds > 3.0 and turn:
                break
    return best, block


def compiled(text: str, name: str, options: tuple[str, ...] = OPTIONS) -> tuple[Any, float]:
    import cupy

    began = perf_counter()
    module = cupy.RawModule(code=text, options=options, backend="nvrtc")
    module.get_function(name)
    return module, perf_counter() - began


def motions_struct(pointers: dict[str, int], count: int, notes: int = 0) -> np.ndarray:
    """The engine's struct `Motions` (engine/plan.hpp), as bytes."""
    names = "parameters states ends status values notes claimed stop left".split()
    words = struct.pack("<9Qqi4x", *(pointers.get(name, 0) for name in names), count, notes)
    return np.frombuffer(words, np.uint8).copy()


def plan_struct(case: Row) -> tuple[Any, list[Any]]:
    """The engine's struct `Plan` on the device, and what it points to."""
    import cupy

    words = np.frombuffer(bytes.fromhex(case["plan"]), np.uint8).copy()
    there = {name: cupy.asarray(np.array(part, np.uint8)) for name, part in case["structs"].items()}
    for place, name in POINTERS.items():
        words.view(np.uint64)[place] = there[name].data.ptr
    return cupy.asarray(words), list(there.values())


def generated(case: Row, source: str, states: Any, motions: int, folder: Path) -> Row:
    """Projects `states` onto the constraints, so that peers start from the same states."""
    import cupy

    hybrid = case["stepper"] == "hybrid"
    modules, compile_seconds = compiled(source, "bounce" if hybrid else "steps", (*OPTIONS, f"-I{folder / 'engine'}"))
    rows = cupy.ascontiguousarray(states.T)
    size, none = rows.shape[1], cupy.zeros(1)
    mine, ends, status = cupy.zeros_like(rows), cupy.zeros(motions), cupy.zeros(motions, np.int64)
    values, notes, numbers = cupy.zeros(motions), cupy.zeros(64 * motions if hybrid else 1), cupy.zeros(3, np.int64)
    named = {"parameters": none, "states": mine, "ends": ends, "status": status, "values": values, "notes": notes}
    at = {name: array.data.ptr for name, array in named.items()}
    at |= {"claimed": numbers.data.ptr, "stop": numbers.data.ptr + 8, "left": numbers.data.ptr + 16}
    plan, _kept = plan_struct(case)
    both = plan, cupy.asarray(motions_struct(at, motions, 64))

    def renew() -> None:
        mine[...] = rows
        status[...] = -2  # waiting
        numbers[...] = 0

    kernel = modules.get_function("bounce" if hybrid else "steps")
    natural, made = cupy.zeros((motions, size)), cupy.zeros(motions, np.int32)
    blocks = (-(-motions // 64),), (64,)
    renew()
    modules.get_function("sizes")(*blocks, (*both, natural))
    if hybrid:
        carriage = cupy.zeros(motions * case["carried"], np.uint8)

        def opened() -> None:
            renew()
            modules.get_function("open")(*blocks, (*both, carriage))

        seconds, block = timed(kernel, motions, (*both, natural, carriage), opened)
        modules.get_function("columns")(*blocks, (*both, carriage))
        steps, flops, events = 0, None, int(cupy.nansum(values).get())
    else:
        rows[...] = mine
        states[...] = mine.T
        seconds, block = timed(kernel, motions, (*both, natural, none, made), renew)
        steps, events = int(made.sum().get()), 0
        flops = steps * case["step_flops"]
    found = difference(mine[: case["checked"]].get(), case)
    return {
        "case": case, "who": "generated", "motions": motions, "seconds": seconds, "steps": steps, "block": block,
        "registers": kernel.num_regs, "local": kernel.local_size_bytes, "compile": compile_seconds, "flops": flops,
        "finished": int((status.get() == 10).sum()), "events": events, "difference": found,
    }  # fmt: skip


def difference(found: np.ndarray, case: Row) -> float:
    """The largest difference, relative to the size of a component if that is more than one."""
    right = np.array(case["answers"])
    return float((np.abs(found - right) / np.maximum(1.0, np.abs(right))).max())


def by_hand(case: Row, text: str, states: Any, motions: int) -> Row:
    import cupy

    module, compile_seconds = compiled(text, "by_hand")
    kernel = module.get_function("by_hand")
    finals, made, events = cupy.zeros_like(states), cupy.zeros(motions, np.int32), cupy.zeros(motions, np.int32)
    arguments: tuple[Any, ...] = (np.int64(motions), states)
    if case["stepper"] == "rk4":
        arguments += (np.float64(case["step"]), np.int32(case["steps"]), finals)
    else:
        arguments += (np.float64(case["end"]), np.float64(case["hand_tolerance"]), finals, made)
    if case["stepper"] == "hybrid":
        arguments += (events,)
    seconds, block = timed(kernel, motions, arguments)
    return {
        "case": case, "who": "by hand", "motions": motions, "seconds": seconds, "block": block,
        "steps": motions * case["steps"] if case["stepper"] == "rk4" else int(made.sum().get()),
        "registers": kernel.num_regs, "local": kernel.local_size_bytes, "compile": compile_seconds,
        "flops": None, "events": int(events.sum().get()),
        "difference": difference(finals[:, : case["checked"]].get().T, case),
    }  # fmt: skip


def by_jax(case: Row, folder: Path, states: np.ndarray, motions: int) -> Row:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX shares the device's memory
    import jax

    jax.config.update("jax_enable_x64", True)
    spec = importlib.util.spec_from_file_location("peer", folder / f"{case['name']}.py")
    assert spec is not None and spec.loader is not None
    peer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    fixed = case["stepper"] == "rk4"
    steps = case.get("jax_steps", case.get("steps"))
    span = (case["step"], steps) if fixed else (case["end"], case["hand_tolerance"])
    run = jax.jit(lambda y: peer.motions(y, *span))
    y = jax.device_put(states)
    began = perf_counter()
    final, made = jax.block_until_ready(run(y))
    first = perf_counter() - began
    best = float("inf")
    for _ in range(3):
        began = perf_counter()
        final, made = jax.block_until_ready(run(y))
        best = min(best, perf_counter() - began)
    same = not fixed or steps == case["steps"]
    return {
        "case": case, "who": f"JAX {jax.__version__} ({jax.devices()[0].platform})", "motions": motions,
        "seconds": best, "steps": int(made.sum()), "block": 0, "registers": 0, "local": 0, "compile": first - best,
        "flops": None, "difference": difference(np.asarray(final)[:, : case["checked"]].T, case) if same else None,
    }  # fmt: skip


def report(rows: list[Row], seconds: float) -> str:
    import cupy

    device = cupy.cuda.runtime.getDeviceProperties(0)
    runtime = cupy.cuda.runtime.runtimeGetVersion()
    lines = [
        "# Many motions on a GPU",
        "",
        f"{date.today()}, {device['name'].decode()}, CUDA runtime {runtime}, driver "
        f"{cupy.cuda.runtime.driverGetVersion()}, CuPy {cupy.__version__}, Python {platform.python_version()}. "
        f"The whole run took {seconds:.0f} s.",
        "",
        *(f"    {line}".rstrip() for line in str(__doc__).splitlines()[2:]),
        "",
        *str(gpu_peers.__doc__).splitlines()[2:],
        "",
        "| system | stepper | who | motions | steps/s | motions/s | share of FP64 peak | registers | local bytes "
        "| compile | largest difference |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        case = row["case"]
        share = "" if not row["flops"] else f"{100 * row['flops'] / row['seconds'] / PEAK:.2g}%"
        error = "" if row["difference"] is None else f"{row['difference']:.1e}"
        lines.append(
            f"| {case['model']} | {case['stepper']} | {row['who']} | {row['motions']} "
            f"| {row['steps'] / row['seconds']:.3g} | {row['motions'] / row['seconds']:.3g} | {share} "
            f"| {row['registers'] or ''} | {row['local'] or ''} | {row['compile']:.1f} s | {error} |"
        )
    return "\n".join([*lines, "", *verdicts(rows)])


def verdicts(rows: list[Row]) -> list[str]:
    """The generated kernel against its peers; adaptive steps are counted by motions and by steps."""
    lines = []
    for row in rows:
        if row["who"] != "generated":
            continue
        same = [r for r in rows if r["case"] is row["case"] and r is not row]
        for peer in same:
            motions, steps = ((row[k] / row["seconds"]) / (peer[k] / peer["seconds"]) for k in ("motions", "steps"))
            line = f"- {row['case']['model']}, {row['case']['stepper']}: "
            if row["case"]["stepper"] == "rk4":
                lines.append(line + f"{steps:.2f} times {peer['who']}")
            elif row["case"]["stepper"] == "hybrid":
                lines.append(line + f"{motions:.2f} times {peer['who']} in motions")
            else:
                lines.append(line + f"{motions:.2f} times {peer['who']} in motions, {steps:.2f} times in steps")
        if row["finished"] < row["motions"]:
            lines.append(f"- {row['case']['name']}: {row['motions'] - row['finished']} motions did not finish")
        if row["case"]["stepper"] == "hybrid":
            events = row["events"] / row["seconds"]
            lines.append(f"- {row['case']['model']}: {row['events']} events, {events:.3g} a second")
    return lines


if __name__ == "__main__":
    sys.exit(main())
