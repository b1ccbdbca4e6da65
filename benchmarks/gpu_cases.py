"""Cases of benchmarks/gpu.py for a machine without this package: texts, states, and the right answers.

Texts are those of a sweep, with the engine's headers; answers of fixed steps come from the same text
compiled by g++, those of adaptive ones from the processor's engine. JAX's peers are the same record's expressions, with
jax.numpy's own solve.
"""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from benchmarks import gpu_peers
from benchmarks.gpu import POINTERS, motions_struct, states_of
from dalembert.api.sweep import build, ordered
from dalembert.engine.sources import ROOM
from dalembert.motions.contact import run_hybrid
from dalembert.motions.device import marked
from dalembert.motions.gpu import DeviceCrew
from dalembert.motions.one import integrate
from dalembert.motions.span import TimeSpan
from dalembert.prepared import Start, prepare
from dalembert.programs import c99
from dalembert.programs.nullspace import pivots_of
from dalembert.sweep.columns import wanted_of

SEED, CHECKED, TOLERANCE, EXACT = 7, 16, 1e-9, 1e-13
COMPARED = 256  # motions whose median error is made equal
FLOPS = {"sincos": 37}  # flops of one operation of this kind; other kinds count as one
CASES: tuple[dict[str, Any], ...] = (
    {"model": "double-pendulum", "stepper": "rk4", "log2": 20, "step": 1e-3, "steps": 1000, "peers": ["hand", "jax"],
     "spread": {"theta1": 0.5, "theta2": 0.5, "theta1'": 1.0, "theta2'": 1.0}},
    {"model": "double-pendulum", "stepper": "dop853", "log2": 20, "end": 3.0, "peers": ["hand", "jax"],
     "spread": {"theta1": 0.5, "theta2": 0.5, "theta1'": 1.0, "theta2'": 1.0}},
    {"model": "rolling-disk", "stepper": "rk4", "log2": 18, "step": 1e-3, "steps": 1000, "peers": ["hand", "jax"],
     "jax_steps": 100, "spread": {"lean": 0.1, "lean'": 0.2, "yaw'": 0.3, "roll'": 0.5}},
    {"model": "rolling-disk", "stepper": "dop853", "log2": 18, "end": 5.0, "peers": ["hand", "jax"],
     "spread": {"lean": 0.1, "lean'": 0.2, "yaw'": 0.3, "roll'": 0.5}},
    {"model": "whipple-bicycle", "stepper": "rk4", "log2": 17, "step": 1e-3, "steps": 500, "peers": ["hand", "jax"],
     "jax_steps": 20, "spread": {"phi": 0.02, "delta": 0.02, "phi'": 0.1, "delta'": 0.1}},
    {"model": "whipple-bicycle", "stepper": "dop853", "log2": 17, "end": 2.0, "peers": ["hand", "jax"],
     "spread": {"phi": 0.02, "delta": 0.02, "phi'": 0.1, "delta'": 0.1}},
    {"model": "zhang-mei-ball", "stepper": "hybrid", "log2": 18, "end": 16.0, "checked": 512, "peers": ["hand", "jax"],
     "spread": {"x": 0.2, "x'": 0.1, "ry'": 0.3}},
)  # fmt: skip


def generate(folder: Path) -> None:
    """Write all files that the other machine needs into a folder."""
    headers(folder)
    cases = [_case(case, folder) for case in CASES]
    (folder / "cases.json").write_text(json.dumps(cases))


def headers(folder: Path) -> None:
    """Copy the engine's headers into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    others = shutil.ignore_patterns("dalembert_engine.*", "*.py", "__pycache__", "tmp*")
    shutil.copytree(ROOM, folder / "engine", ignore=others, dirs_exist_ok=True)


def ties(start: Start, names: list[str], spread: dict[str, float]) -> np.ndarray:
    """The change of dependent speeds with the independent ones, if it is the same in all states.

    Otherwise the kernel projects the random states.
    """
    system, found = start.system, np.eye(len(names))

    def rows(x: np.ndarray) -> np.ndarray:
        return system.unpacked(system.dynamics(x))[2]

    A = rows(start.x)
    width = np.array([spread.get(name, 0.0) for name in names])
    states = np.concatenate([start.q, start.v]) + width * np.random.default_rng(1).uniform(-1.0, 1.0, (8, len(width)))
    if not system.m or any(np.abs(rows(system.state(0.0, *np.split(y, 2))) - A).max() > 1e-12 for y in states):
        return found
    n, pivots = system.n, pivots_of(A)
    chosen, dependent, free = list(pivots.rows), list(pivots.columns), list(pivots.free)
    block = -np.linalg.solve(A[np.ix_(chosen, dependent)], A[np.ix_(chosen, free)])
    for row, column in enumerate(dependent):
        found[n + column] = 0.0
        found[n + column, [n + c for c in free]] = block[row]
    return found


def crew_of(case: dict[str, Any], start: Start) -> DeviceCrew:
    """The launches of a sweep that records a final coordinate, or the number of events for models with contacts."""
    coordinate = next(iter(start.system.equations.coordinates))
    end = case["end"] if "end" in case else case["step"] * case["steps"]
    keep = ("events",) if start.hybrid is not None else (f"final {coordinate}",)
    record = da.gallery(case["model"]).record
    asked = ordered(record, {coordinate: [0.1, 0.2]}, keep=keep, until=end, tolerance=TOLERANCE)
    ensemble = build(asked, 1).ensemble(0, 1)[0]
    span = ensemble.span
    if "steps" in case:
        span = replace(span, stepper="rk4", step=span.length / case["steps"])
    return DeviceCrew(start.hybrid or start.system, span, wanted_of(ensemble), _Nowhere(), start.x)


class _Nowhere:
    """A device that only collects texts and structs."""

    def compiled(self, text: str, long: bool = False) -> Any:
        raise NotImplementedError

    def there(self, array: np.ndarray) -> np.ndarray:
        return np.array(array) if array.size else np.zeros(1, array.dtype)

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> np.ndarray:
        return np.zeros(shape, dtype)

    def back(self, array: np.ndarray) -> np.ndarray:
        return array

    def address(self, array: np.ndarray) -> int:
        return array.ctypes.data


def _case(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    print(case["model"], case["stepper"], flush=True)
    start = prepare(da.gallery(case["model"]).record)
    stepper, crew = case["stepper"], crew_of(case, start)
    text = marked(crew.text("kernel.cu" if start.hybrid is None else "bounce.cu"))
    name = f"{case['model']}-{stepper}"
    (folder / f"{name}.cu").write_text(text)
    if "hand" in case["peers"]:
        (folder / f"{name}-hand.cu").write_text(gpu_peers.by_hand(case["model"], stepper))
    if "jax" in case["peers"]:
        known = stepper == "hybrid" or case["model"] == "double-pendulum"
        (folder / f"{name}.py").write_text(gpu_peers.by_jax(case["model"], stepper, None if known else _jax(start)))
    coordinates = start.system.equations.coordinates
    names = [*coordinates, *(f"{c}'" for c in coordinates)]
    checked = case.get("checked", CHECKED)
    case = case | {"base": np.concatenate([start.q, start.v]).tolist(), "names": names, "seed": SEED}
    case["ties"] = ties(start, names, case["spread"]).tolist()
    case |= {"plan": bytes(crew._plan).hex(), "tolerance": TOLERANCE, "carried": crew.rooms["CARRIED_ROOM"]}
    case["structs"] = {name: array.tolist() for name, array in _pointed(crew).items()}
    states = states_of(case, checked)
    answers = _answers(case, start, text, states)
    case["hand_tolerance"] = equal_tolerance(case, start, text) if stepper == "dop853" else TOLERANCE
    way = crew.way
    if way is not None:
        evaluation = sum(FLOPS.get(kind, 1) * times for kind, times in way.slopes.cost.items())
        step = 14 * way.stepped if stepper == "rk4" else _dop853_flops(way.stepped, len(way.idle))
        stages = 4 if stepper == "rk4" else 12
        case["step_flops"] = stages * evaluation + step
    return case | {"name": name, "checked": checked, "answers": answers.tolist()}


def _pointed(crew: DeviceCrew) -> dict[str, np.ndarray]:
    """The data that the plan points to, as bytes."""
    words, there = np.frombuffer(bytes(crew._plan), np.uint64), {array.ctypes.data: array for array in crew._there}
    return {name: np.frombuffer(there[int(words[at])].tobytes(), np.uint8) for at, name in POINTERS.items()}


def _dop853_flops(stepped: int, idle: int) -> int:
    """Flops of a step without its slopes: stages, the end, two errors of every component and their scale.

    A component on which no slope depends has no stages.
    """
    tables = gpu_peers.tables()
    stages = int((tables["A"][:12, :12] != 0.0).sum())
    sums = sum(int((tables[name] != 0.0).sum()) for name in ("B", "E3", "E5"))
    return 2 * (stages * (stepped - idle) + sums * stepped) + (11 + 10) * stepped


def _answers(case: dict[str, Any], start: Start, text: str, states: np.ndarray) -> np.ndarray:
    """The states at the end of the first motions."""
    if case["stepper"] == "rk4":
        return _by_gcc(case, text, states)
    if case["stepper"] == "hybrid":
        assert start.hybrid is not None
        none = np.zeros(0)
        touched = [run_hybrid(start.hybrid, y, TimeSpan(0.0, case["end"], none, TOLERANCE)) for y in states]
        assert all(m.status == "finished" for m in touched)
        return np.array([m.end_state for m in touched])
    return np.array([integrate(start.system, y, TimeSpan(0.0, case["end"], [], EXACT)).end_state for y in states])


def _library(text: str, folder: str) -> ctypes.CDLL:
    file, library = Path(folder, "source.cpp"), Path(folder, "source.so")
    file.write_text(text)
    command = ["g++", "-std=c++17", "-O2", f"-I{ROOM}", "-Wno-psabi", "-shared", "-fPIC", "-o", library, file]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def _passed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int(value)


def _by_gcc(case: dict[str, Any], text: str, states: np.ndarray, still: bool = False) -> np.ndarray:
    """The states at the end by the kernel's text, on a processor; `still`: at the start, on the constraints."""
    count, found = len(states), np.array(states)
    plan = np.frombuffer(bytes.fromhex(case["plan"]), np.uint8).copy()
    status, ends, natural = np.full(count, -2, np.int64), np.zeros(count), np.zeros_like(found)
    made, none = np.zeros(count, np.int32), np.zeros(1)
    pointers = {"parameters": none, "states": found, "ends": ends, "status": status, "values": none}
    motions = motions_struct({name: array.ctypes.data for name, array in pointers.items()}, count)
    with tempfile.TemporaryDirectory() as folder:
        built = _library(text, folder)
        built.sizes(*map(_passed, (plan, motions, natural)))
        if not still:
            built.steps(*map(_passed, (plan, motions, natural, none, made)))
    return found


def equal_tolerance(case: dict[str, Any], start: Start, text: str) -> float:
    """The tolerance at which the kernel by hand has the same median error as the generated one.

    Between steps of 2^(1/4) the logarithm of the error is a straight line.
    """
    states = states_of(case, COMPARED)
    right = _answers(case, start, text, states)
    ours, before = _median_error(_by_gcc(case, text, states), right), np.inf
    states = _by_gcc(case, text, states, still=True)
    by = gpu_peers.ON_A_PROCESSOR + gpu_peers.by_hand(case["model"], case["stepper"])
    tolerance = 16.0 * TOLERANCE
    with tempfile.TemporaryDirectory() as folder:
        by_hand = _library(by, folder).by_hand
        while True:
            found, made = np.zeros_like(right), np.zeros(1, np.int32)
            for i, y in enumerate(states):
                end = np.zeros_like(y)
                by_hand(ctypes.c_longlong(1), *map(_passed, (y.copy(), case["end"], tolerance, end, made)))
                found[i] = end
            error = _median_error(found, right)
            if error <= ours:
                back = np.log(ours / error) / np.log(before / error) if np.isfinite(before) else 0.0
                return float(tolerance * 2.0 ** (0.25 * back))
            tolerance, before = tolerance * 2.0**-0.25, error


def _median_error(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.median((np.abs(found - right) / np.maximum(1.0, np.abs(right))).max(axis=1)))


def _jax(start: Start) -> str:
    """Slopes of y, an array of components by motions, as a JAX user would have them: K as a whole, solved by JAX."""
    system = start.system
    n, m = system.n, system.m
    program = system.dynamics.program
    lines = ["def slopes(t, y):"]
    for line in c99.body(program):
        found = re.sub(r"^const (?:double|int) (.*);$", r"\1", line)
        found = re.sub(r"\bin\[(\d+)\]", lambda place: "t" if place[1] == "0" else f"y[{int(place[1]) - 1}]", found)
        found = re.sub(r"^out\[(\d+)\] = (.*);$", r"o\1 = \2", found)
        lines.append("    " + re.sub(r"(?<![\w.])(sqrt|fabs|sin|cos|tan)\(", r"jnp.\1(", found))
    cells = [f"o{i}" for i in range(len(program.outputs))]
    upper, start_d = n * (n + 1) // 2, n * (n + 1) // 2 + n
    order = np.zeros((n, n), int)
    order[np.triu_indices(n)] = range(upper)
    order = np.maximum(order, order.T)
    rows = [[cells[order[i, j]] for j in range(n)] for i in range(n)]
    A = [[cells[start_d + i * n + j] for j in range(n)] for i in range(m)]
    K = [row + [f"-({A[k][i]})" for k in range(m)] for i, row in enumerate(rows)] + [row + ["0.0"] * m for row in A]
    right = cells[upper:start_d] + cells[start_d + m * n : start_d + m * n + m]
    lines += [
        "    one = jnp.ones_like(y[0])",
        f"    K = jnp.stack([{', '.join(f'one*({e})' for row in K for e in row)}], axis=-1)",
        f"    K = K.reshape(-1, {n + m}, {n + m})",
        f"    right = jnp.stack([{', '.join(f'one*({e})' for e in right)}], axis=-1)",
        f"    a = jnp.linalg.solve(K, right[..., None])[..., :{n}, 0].T",
        f"    return jnp.concatenate([y[{n}:], a])",
    ]
    return "\n".join(lines)
