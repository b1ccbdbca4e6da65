"""Measure dalembert against its peers, print the ratios, write RESULTS.md.

    python benchmarks/run.py [--quick] [--no-install] [--only KEY,KEY]
    python benchmarks/run.py --exports [--no-install]       exports alone, put into RESULTS.md

Everything runs in benchmarks/.venv, in separate processes, peers in turn within every repeat. A first motion is
timed from the start of a process; `integrate` is the time at equal achieved error, interpolated on every peer's own
work-precision curve; `all together` is state + derive + compile + integrate.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import analyses, environment, exports, linearization, sliders, table
from benchmarks.measure import Failed, Record, Worker, cold, distance
from benchmarks.plan import (
    BUDGET,
    BUILD_ONLY,
    BUILD_SECONDS,
    DEFAULT_TOLERANCES,
    ERROR,
    NAMES,
    NEVER_WARM,
    PACKAGES,
    PLAN,
    QUICK,
    REPEATS,
    SWEEPS,
    SWEPT_TOLERANCES,
    TOLERANCES,
)
from benchmarks.systems import FIRST_TOLERANCE, System, system
from benchmarks.systems import MANY as SWEPT
from benchmarks.targets import export_targets, found_targets

T = TypeVar("T")
Results = dict[System, dict[str, Record]]
EXPORTS = "## Exports of the bicycle, and an evaluation of its C"


def main() -> int:
    options = arguments()
    began = perf_counter()
    faults = {} if options.no_install else environment.prepare()
    if options.exports:
        found = exports.measured()
        print(table.exported(found))
        results_file = environment.HERE / "RESULTS.md"
        results_file.write_text(renewed(results_file.read_text(encoding="utf-8"), found), encoding="utf-8")
        return 0
    installed = environment.versions()
    missing = {peer for peer, packages in PACKAGES.items() if not set(packages) <= set(installed)}
    keys = options.only.split(",") if options.only else list(QUICK if options.quick else PLAN)
    results: Results = {}
    for key in keys:
        results[system(key)] = measured(system(key), PLAN[key], missing, options.quick)
    bicycle: dict[str, list[float]] = (
        answered("linearizing the bicycle", lambda: linearization.measured(options.quick), faults)
        if not options.only
        else {}
    )
    dragged: dict[str, float] = answered("sliders of the lab", sliders.measured, faults) if not options.only else {}
    analysed: dict[str, float] = (
        answered("analyses", analyses.measured, faults) if not options.only and not options.quick else {}
    )
    exported: dict[str, float] = answered("exports", exports.measured, faults) if not options.only else {}
    commands = start_up_commands()
    started: dict[str, list[float]] = answered("start-up", lambda: cold(commands, 3 if options.quick else 9), faults)
    for what, records in results.items():
        faults |= {f"{what.title}, {NAMES[peer]}": record.fault for peer, record in records.items() if record.fault}
    measures = (started, bicycle, dragged, analysed, exported)
    report = written(results, *measures, faults, installed, perf_counter() - began)
    print(report)
    if not options.quick and not options.only:
        (environment.HERE / "RESULTS.md").write_text(report.rstrip() + "\n", encoding="utf-8")
    return 0


def answered(what: str, measure: Callable[[], dict[str, T]], faults: dict[str, str]) -> dict[str, T]:
    """Measurements, or none and a line among the faults."""
    try:
        return measure()
    except Failed as fault:
        faults[what] = str(fault)
        return {}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure dalembert against its peers.")
    parser.add_argument("--quick", action="store_true", help="a sample of the systems, fewer repeats, no RESULTS.md")
    parser.add_argument("--no-install", action="store_true", help="take benchmarks/.venv as it is")
    parser.add_argument("--only", default="", help="systems by key, separated by commas; no RESULTS.md")
    parser.add_argument("--exports", action="store_true", help="exports alone; their rows of RESULTS.md are renewed")
    return parser.parse_args()


def renewed(report: str, found: Mapping[str, float]) -> str:
    """A report with other rows of exports: two targets, and the table of its section."""
    lines = report.splitlines()
    for target in export_targets(found):
        (place,) = (i for i, line in enumerate(lines) if line.startswith(f"| {target.claim.split(',')[0]}"))
        cells = [cell.strip() for cell in table.targets([target]).splitlines()[-1].split("|")[1:-1]]
        sizes = [len(cell) - 2 for cell in lines[place].split("|")[1:-1]]
        lines[place] = "| " + " | ".join(cell.ljust(size) for cell, size in zip(cells, sizes, strict=True)) + " |"
    begin = lines.index(EXPORTS) + 2
    end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("|"))
    return "\n".join([*lines[:begin], table.exported(found), *lines[end:], ""])


def measured(what: System, peers: Sequence[str], missing: set[str], quick: bool) -> dict[str, Record]:
    """All peers on one system: builds in turn, then motions in turn."""
    print(f"measuring: {what.title}", file=sys.stderr)
    records = {peer: Record(fault="not installed" if peer in missing else "") for peer in peers}
    workers: dict[str, Worker] = {}
    for repeat in range(1 if quick else REPEATS):
        for peer, record in records.items():
            spent = sum(record.first) + sum(record.derive) + sum(record.compile)
            if not record.fault and (repeat == 0 or spent < BUILD_SECONDS):
                try:
                    if what.key not in BUILD_ONLY and what.key not in SWEPT:
                        record.first.append(first_motion(what, peer))
                    build(what, peer, record, workers)
                except Failed as fault:
                    record.fault = str(fault)
    if what.key not in BUILD_ONLY:
        sweep(what, records, workers, 1 if quick else SWEEPS)
    for worker in workers.values():
        worker.close()
    return records


def first_motion(what: System, peer: str) -> float:
    """CPU seconds from the start of a process to the end of its first motion."""
    worker = Worker(peer, what.key)
    try:
        worker.ask(BUDGET, prepare=True)
        return worker.ask(BUDGET, integrate=FIRST_TOLERANCE)["since start"]
    finally:
        worker.close()


def build(what: System, peer: str, record: Record, workers: dict[str, Worker]) -> None:
    """Derive and compile in a process of its own, which stays for the motions."""
    if peer in workers:
        workers.pop(peer).close()
    worker = workers[peer] = Worker(peer, what.key)
    try:
        if peer not in NEVER_WARM:
            worker.ask(BUDGET, warm=True)
        built = worker.ask(BUDGET, prepare=True)
    except Failed:
        workers.pop(peer).close()
        raise
    for part in ("state", "derive", "compile"):
        if built[part] is not None:
            getattr(record, part).append(built[part])


def sweep(what: System, records: dict[str, Record], workers: dict[str, Worker], repeats: int) -> None:
    """Motions at all tolerances, one peer after the other in every repeat, against the reference."""
    reference = reference_of(what, workers)
    if reference is None:
        return
    for _ in range(repeats):
        for peer, worker in list(workers.items()):
            record = records[peer]
            try:
                for tolerance in SWEPT_TOLERANCES if what.key in SWEPT else TOLERANCES.get(peer, DEFAULT_TOLERANCES):
                    motion = worker.ask(BUDGET, integrate=tolerance)
                    record.motions.setdefault(tolerance, []).append(motion["seconds"])
                    record.errors[tolerance] = distance(motion["state"], reference)
                taken = worker.ask(BUDGET, evaluate=300)["seconds"]
                if taken is not None:
                    record.evaluation.append(taken)
            except Failed as fault:
                record.fault = str(fault)
                workers.pop(peer).close()


def reference_of(what: System, workers: dict[str, Worker]) -> list[float] | None:
    """A closed form, or heyoka in extended precision, or SymPy's equations at 1e-13; never our own."""
    exactly = {"reference": True}
    closely = {"integrate": 1e-13}
    asked = {
        "scipy_events": exactly, "heyoka_taylor": exactly, "sympy_scipy": closely, "joblib_scipy": closely,
    }  # fmt: skip
    for peer, question in asked.items():
        if peer in workers:
            try:
                return workers[peer].ask(BUDGET, **question)["state"]
            except Failed:
                workers.pop(peer).close()
    return None


def start_up_commands() -> dict[str, list[str]]:
    command = str(environment.BIN / "dalembert")
    return {
        "python -c 'import sympy'": [str(environment.PYTHON), "-c", "import sympy"],
        "dalembert simulate rolling-disk": [command, "simulate", "rolling-disk"],
        "dalembert simulate bouncing-ball": [command, "simulate", "bouncing-ball"],
        "dalembert sweep rolling-disk": [command, "sweep", "rolling-disk", "--vary", "m=1:2:5"],
        "dalembert sweep bouncing-ball": [command, "sweep", "bouncing-ball", "--vary", "e=0.5:0.8:5"],
        "dalembert solve chaplygin-sleigh": [command, "solve", "chaplygin-sleigh"],
        "dalembert simulate chaplygin-sleigh": [command, "simulate", "chaplygin-sleigh"],
        "dalembert solve whipple-bicycle": [command, "solve", "whipple-bicycle"],
        "dalembert simulate whipple-bicycle": [command, "simulate", "whipple-bicycle"],
    }


def written(
    results: Results,
    started: dict[str, list[float]],
    bicycle: dict[str, list[float]],
    dragged: dict[str, float],
    analysed: dict[str, float],
    exported: dict[str, float],
    faults: dict[str, str],
    installed: dict[str, str],
    spent: float,
) -> str:
    wanted = sorted({*chain.from_iterable(PACKAGES.values()), "numpy", "llvmlite", "symengine"})
    shown = ", ".join(f"{package} {installed[package]}" for package in wanted if package in installed)
    parts = [
        "# Measured against the peers",
        f"{date.today().isoformat()}, {machine()}, Python {platform.python_version()}; {shown}. "
        f"The run took {spent / 60:.0f} minutes. Seconds are CPU time, but for PyDy, joblib and threads, which are "
        "measured by the clock.",
        "## Ratios",
        f"Seconds of the peer divided by seconds of dalembert, best of repeats in turn: above 1, dalembert is faster. "
        f"*Integrate* is at an achieved error of {ERROR:g} at the end of the motion, interpolated on each one's own "
        "work-precision curve; *first motion* is from the start of a process; *all together* is state + derive + "
        "compile + integrate; *evaluation* is one right-hand side (ours: a whole motion divided by its evaluations).",
        table.ratios(results, NAMES, ERROR),
        "MuJoCo and Exudyn have no symbolic derivation and no nonholonomic constraint of the kind, so they move the "
        "pendulums only; heyoka needs an explicit right-hand side, so the pendulums only, with the elimination of the "
        "mass matrix written by hand; its cache of compiled code on the disk is off, since a system met before would "
        "cost it a look-up only. PyDy starts from SymPy's equations. SymPy states Andrews' squeezer by Lagrange's "
        "equations with multipliers, everything else by Kane's method. For 32 and 64 links no motion is compared. "
        "The last three systems have hundreds or thousands of impacts, and closed forms as reference; SciPy and heyoka "
        "have their equations and impacts written out by hand: SciPy is started again at every impact, a callback of "
        "heyoka's reflects the state. Of sweeps, the seconds are those of one motion: of a whole sweep on one thread "
        "or two, its derivation, compilation and Dataset included; of joblib on one of all cores, scaled from 33. "
        "*dalembert, taylor* is `--stepper taylor`, for long and exact motions of small systems.",
        "## Targets",
        table.targets(found_targets(results, started, bicycle, dragged, analysed, exported)),
    ]
    if bicycle:
        parts += ["## The bicycle, derived and linearized", table.linearized(bicycle)]
    if dragged:
        parts += ["## A slider of the lab, to the motion that the page draws", table.dragged(dragged)]
    if analysed:
        parts += ["## `analyze`, from a model to every answer", table.dragged(analysed)]
    if exported:
        parts += [EXPORTS, table.exported(exported)]
    if started:
        parts += ["## Start-up", table.start_up(started, "python -c 'import sympy'")]
    parts += ["## Seconds on this machine", table.seconds(results, NAMES, ERROR)]
    if faults:
        parts += ["## What did not work", "\n".join(f"- {name}: {fault}" for name, fault in faults.items())]
    return "\n\n".join(parts) + "\n"


def machine() -> str:
    """The processor's name and the system."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":", 1)[1].strip() for line in information.read_text().splitlines() if "model name" in line]
        model = f"{names[0]} ({len(names)} threads)" if names else model
    return f"{model}, {platform.system()}"


if __name__ == "__main__":
    sys.exit(main())
