"""What benchmarks/gpu.py runs on a machine that has nothing of this package: sources, states, and the right answers.

Sources come from the generator as they are; answers of fixed steps from the same source compiled by g++, of adaptive
ones from the default engine. JAX's peers are the same record's expressions, with jax.numpy's own solve.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from benchmarks import gpu_peers
from benchmarks.gpu import states_of
from benchmarks.gpu_flops import LOOPS, WRITTEN_OUT, flops_of_a_motion
from dalembert.cuda import device
from dalembert.cuda.bouncing import bouncing_source
from dalembert.cuda.expressions import write
from dalembert.cuda.fast import places
from dalembert.cuda.kernels import expressions_of
from dalembert.cuda.many import Kept, many_source
from dalembert.cuda.solve import pivots_of
from dalembert.cuda.source import Source, fast_source
from dalembert.cuda.writer import Writer, text
from dalembert.prepared import Start, prepare
from dalembert.simulate import ensemble, hybrid_drive, tableau
from dalembert.simulate.crew import Span, Wanted, note_size
from dalembert.simulate.drive import integrate
from dalembert.simulate.hybrid_drive import run_hybrid

SEED, CHECKED, COUNTED, TOLERANCE, EXACT = 7, 16, 65, 1e-9, 1e-13
FLOPS = {"sincos": 37}  # of one of a kind; the others are one
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
    """All that the other machine needs, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = [_case(case, folder) for case in CASES]
    (folder / "cases.json").write_text(json.dumps(cases))


def ties(start: Start, names: list[str], spread: dict[str, float]) -> np.ndarray:
    """How deviations of independent speeds move the dependent ones, where that is the same in all states of the spread.

    Elsewhere states are as they are drawn, and the kernel projects them.
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


def _case(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    print(case["model"], case["stepper"])
    start = prepare(da.gallery(case["model"]).record)
    stepper = case["stepper"]
    if start.hybrid is None:
        source = fast_source(start.system, start.x, stepper)
    else:
        source, loops = bouncing_source(start.hybrid, start.x), _touching(start, case["end"])
    name = f"{case['model']}-{stepper}"
    (folder / f"{name}.cu").write_text(source.text)
    if "hand" in case["peers"]:
        (folder / f"{name}-hand.cu").write_text(gpu_peers.by_hand(case["model"], stepper))
    if "jax" in case["peers"]:
        known = stepper == "hybrid" or case["model"] == "double-pendulum"
        (folder / f"{name}.py").write_text(gpu_peers.by_jax(case["model"], stepper, None if known else _jax(start)))
    coordinates = start.system.equations.coordinates
    names = [*coordinates, *(f"{c}'" for c in coordinates)]
    base = np.concatenate([start.q, start.v])
    checked = case.get("checked", CHECKED)
    case = case | {"base": base.tolist(), "names": names, "seed": SEED}
    case["ties"] = ties(start, names, case["spread"]).tolist()
    states = states_of(case, checked)
    answers, steps = _answers(case, start, source, states)
    evaluation = sum(FLOPS.get(kind, 1) * times for kind, times in source.operations.items())
    step_flops = 14 * source.stepped if stepper == "rk4" else _dop853_flops(source)
    reals = (
        hybrid_drive.room_for(start.hybrid, np.zeros(0), 0.0, case["end"], TOLERANCE, None).real if start.hybrid else []
    )
    case |= {"size": source.size, "notes": note_size(source.size, start.system.dynamics.inputs), "reals": list(reals)}
    case["tolerance"] = TOLERANCE
    case["hand_tolerance"] = equal_tolerance(case, source, states, answers) if stepper == "dop853" else TOLERANCE
    if start.hybrid is not None:
        (folder / f"{name}-loops.cu").write_text(loops.text)
        case["motion_flops"] = flops_of_a_motion(source.text, WRITTEN_OUT, case, states[:COUNTED])
        case["loops_flops"] = flops_of_a_motion(loops.text, LOOPS, case, states[:COUNTED])
        case["options"] = device.options(device.CALLING)
        case["tallies"] = start.hybrid.laws.contacts + 2
    return case | {
        "name": name, "evaluation_flops": evaluation, "step_flops": step_flops,
        "checked": checked, "answers": answers.tolist(), "mean_steps": steps,
    }  # fmt: skip


def _dop853_flops(source: Source) -> int:
    """Of a step besides its slopes: stages, the end and two errors of every component, with what its error is held to.

    Where all speeds are stepped, sums of a coordinate go by the slopes of its speed; one that is idle has no stages.
    """
    A, ends = tableau.A[:12, :12], (tableau.B, tableau.E3[:12], tableau.E5[:12])
    stages, sums = int((A != 0.0).sum()), sum(int((row != 0.0).sum()) for row in ends)
    if source.stepped < source.size:
        return 2 * (stages * (source.stepped - source.idle) + sums * source.stepped) + (11 + 10) * source.stepped
    terms = stages + sums + sum(int((weights @ A != 0.0).sum()) for weights in (A[1:], *ends))
    return (2 * terms + 2 * (2 * 11 + 10) + 2 * 12) * source.size // 2


def _touching(start: Start, end: float) -> Source:
    """The default engine's loops, with a count of all events."""
    assert start.hybrid is not None
    count = np.ones((1, len(hybrid_drive.KINDS), 1), dtype=np.int64)
    none = np.zeros((0, 3), dtype=np.int64)
    column = np.array([[ensemble.COUNTED, 0, 0]])
    energy = start.system.outputs
    wanted = Wanted(None, False, energy, False, column, count, None, False, none, np.zeros(0), 1)
    span = Span(start.time, end, np.zeros(0), TOLERANCE)
    many = many_source(start.system, start.hybrid, span, Kept(wanted, start.system.equations.inputs, (), ()))
    return Source(many.text, many.size, 0)


def _answers(case: dict[str, Any], start: Start, source: Source, states: np.ndarray) -> tuple[np.ndarray, float]:
    """The states at the end of the first motions, and how many steps those took."""
    if case["stepper"] == "rk4":
        return _by_gcc(case, source, states), case["steps"]
    if case["stepper"] == "hybrid":
        assert start.hybrid is not None
        none = np.zeros(0)
        touched = [run_hybrid(start.hybrid, y, none, 0.0, case["end"], TOLERANCE) for y in states]
        assert all(m.status == "finished" for m in touched)
        return np.array([m.end_state for m in touched]), float(np.mean([m.steps for m in touched]))
    found = [integrate(start.system, y, [], 0.0, case["end"], EXACT) for y in states]
    return np.array([m.end_state for m in found]), 0.0


def _library(text: str, folder: str) -> ctypes.CDLL:
    file, library = Path(folder, "source.cpp"), Path(folder, "source.so")
    file.write_text(text)
    subprocess.run(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", "-o", library, file], check=True)
    return ctypes.CDLL(str(library))


def _passed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int(value)


def _by_gcc(case: dict[str, Any], source: Source, states: np.ndarray) -> np.ndarray:
    """The states at the end by the generated source, on a processor."""
    count = len(states)
    given, finals = np.ascontiguousarray(states.T), np.zeros((source.size, count))
    reached, books, none = np.zeros(count), np.zeros((6, count), np.int32), np.zeros(1)
    with tempfile.TemporaryDirectory() as folder:
        built = _library(source.text, folder)
        if case["stepper"] == "rk4":
            call = built.fixed_steps, (count, none, given, 0.0, case["step"], case["steps"], finals, reached, books)
        else:
            span = 0.0, case["end"], TOLERANCE, 0.0, float("inf"), 0, none, none
            call = built.adaptive_steps, (count, none, given, *span, finals, reached, books)
        call[0](*map(_passed, call[1]))
    return finals.T


def equal_tolerance(case: dict[str, Any], source: Source, states: np.ndarray, right: np.ndarray) -> float:
    """At which the kernel by hand errs as the generated one does: by the medians of the same motions."""
    start = _by_gcc({**case, "end": 0.0}, source, states)  # on the constraints
    ours = _median_error(_by_gcc(case, source, states), right)
    text = gpu_peers.ON_A_PROCESSOR + gpu_peers.by_hand(case["model"], case["stepper"])
    tolerance = 16.0 * TOLERANCE
    with tempfile.TemporaryDirectory() as folder:
        by_hand = _library(text, folder).by_hand
        while True:
            found, made = np.zeros_like(right), np.zeros(1, np.int32)
            for i, y in enumerate(start):
                end = np.zeros_like(y)
                by_hand(ctypes.c_longlong(1), *map(_passed, (y.copy(), case["end"], tolerance, end, made)))
                found[i] = end
            if _median_error(found, right) <= ours:
                return tolerance
            tolerance *= 2.0**-0.5


def _median_error(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.median((np.abs(found - right) / np.maximum(1.0, np.abs(right))).max(axis=1)))


def _jax(start: Start) -> str:
    """Slopes of y, an array of components by motions, as a JAX user would have them: K as a whole, solved by JAX."""
    system, writer = start.system, Writer("e")
    n, m = system.n, system.m
    cells = [text(c) for c in write(writer, places(system), expressions_of(system, "dynamics"))]
    upper, start_d = n * (n + 1) // 2, n * (n + 1) // 2 + n
    lines = ["def reciprocal(x):", "    return 1.0 / x", "", "", "def quotient(a, b):", "    return a / b", "", ""]
    lines.append("def slopes(t, y):")
    for line in writer.lines:
        pair = re.fullmatch(r"double (\w+)s, \w+; sine_and_cosine\((.+), \w+, \w+\);", line)
        found = f"{pair[1]}s, {pair[1]}c = jnp.sin({pair[2]}), jnp.cos({pair[2]})" if pair else line
        found = re.sub(r"^const double (.*);$", r"\1", found)
        found = re.sub(r"reciprocal_root\(([^()]*)\)", r"(1.0/jnp.sqrt(\1))", found)
        lines.append("    " + re.sub(r"(?<![\w.])(sqrt|fabs)\(", r"jnp.\1(", found))
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
