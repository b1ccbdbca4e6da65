"""The Whipple bicycle, derived and linearized: SymPy's own test of it against this package, in one run.

SymPy's test (sympy.physics.mechanics.tests.test_kane3.test_bicycle) states the benchmark bicycle, forms Kane's
equations, linearizes them and checks the eigenvalues at six speeds. Ours reads the model, checks it, derives, finds a
consistent state, linearizes, and gives matrices, modes and eigenvalues; for six speeds it does all of that six times.
Each is a process of its own, imports not counted; ours is measured before and after SymPy's.
"""

from __future__ import annotations

import os
import subprocess

from benchmarks import environment
from benchmarks.measure import Failed

SPEEDS = 6  # 0 to 5 m/s
PATIENCE = 3600.0  # some minutes on a quiet core
SYMPY, ONCE, SIX = "SymPy's own test", "dalembert, one speed", "dalembert, six speeds"

_THEIRS = """
from time import perf_counter
from sympy.physics.mechanics.tests.test_kane3 import test_bicycle
begin = perf_counter()
test_bicycle()
print(perf_counter() - begin)
"""
_OURS = """
from time import perf_counter
import dalembert as da
da.gallery("simple-pendulum").linearize()  # late imports, as SymPy's are done before its clock runs
begin = perf_counter()
found = [da.gallery("whipple-bicycle").linearize(settings={"v": float(v), "push": 0}) for v in range(SPEEDS)]
print(perf_counter() - begin)
weave = [e for e in found[-1].eigenvalues if e.imag > 1]
assert len(found) < 6 or abs(weave[0] - (-0.775341882195845 + 4.46486771378823j)) < 1e-9
"""


def measured(quick: bool) -> dict[str, list[float]]:
    """Seconds of each; SymPy's only in a full run."""
    found: dict[str, list[float]] = {ONCE: [], SIX: [], SYMPY: []}
    for part in range(2):
        for _ in range(3):
            found[ONCE].append(_seconds(_OURS.replace("SPEEDS", "1")))
            found[SIX].append(_seconds(_OURS.replace("SPEEDS", str(SPEEDS))))
        if part == 0 and not quick:
            found[SYMPY].append(_seconds(_THEIRS))
    return found


def _seconds(code: str) -> float:
    variables = {name: value for name, value in environment.variables().items() if name not in ("CI", "TRAVIS")}
    try:
        done = subprocess.run(
            [str(environment.PYTHON), "-c", code], capture_output=True, text=True, check=False, timeout=PATIENCE,
            env=variables, cwd=os.fspath(environment.ROOT),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"> {PATIENCE:.0f} s") from None
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["ended without a word"])[-1])
    return float(done.stdout.split()[-1])
