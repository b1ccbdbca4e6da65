"""Exports of the bicycle: seconds to write each target, and nanoseconds of an evaluation of our C and of PyDy's.

Our C solves for the accelerations. PyDy's C evaluates only the mass matrix and the forces.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from benchmarks import environment
from benchmarks.measure import Failed

PATIENCE = 900.0
COUNT = 200_000
FLAGS = ("-O2", "-ffp-contract=off")

_EXPORTS = """
import json, sys
from pathlib import Path
from time import process_time
import dalembert as da
from dalembert.exchange.export import TARGETS, export
from dalembert.exchange.export import fmu

def written(to, what):  # from a model that is read; what a process has derived once is not derived again
    ending = __import__(f"dalembert.exchange.export.{TARGETS[to][what]}", fromlist=["ENDING"]).ENDING
    record = da.gallery("whipple-bicycle").record
    begin = process_time()
    export(record, to, Path(sys.argv[1]) / f"plant{ending}", None, what)
    return process_time() - begin

fmu.compilers = lambda: ()  # the binary is a compiler's work
found = {}
for to, kinds in TARGETS.items():
    for what in kinds:
        da.gallery("simple-pendulum").export(to, Path(sys.argv[1]) / ("plant" + __import__(
            f"dalembert.exchange.export.{kinds[what]}", fromlist=["ENDING"]).ENDING), what=what)  # late imports
        found[f"{to} {what}"] = written(to, what)
export(da.gallery("whipple-bicycle").record, "c", Path(sys.argv[1]) / "plant.c", None, "slopes")
print(json.dumps(found))
"""

_PYDY = """
import sys
import sympy as sm
from pydy.codegen.c_code import CMatrixGenerator
from benchmarks.peers import sympy_models
from benchmarks.systems import system

statement = sympy_models.state(system("whipple"))
constants = [symbol for symbol, _ in statement.parameters]
writer = CMatrixGenerator((list(statement.q), list(statement.u), constants), (statement.mass, statement.forcing))
header, source = writer.doprint(prefix="theirs")
open(sys.argv[1] + "/theirs.h", "w").write(header)
open(sys.argv[1] + "/theirs.c", "w").write(source)
n, m = len(statement.q), len(statement.u)
first = ", ".join(repr(float(value)) for value in statement.start)
values = ", ".join(repr(float(value)) for _, value in statement.parameters)
open(sys.argv[1] + "/theirs_main.c", "w").write(f'''
#include <stdio.h>
#include <time.h>
#include "theirs.h"
int main(void) {{
  static double start[] = {{{first}}}, p[] = {{{values}}}, M[{len(statement.mass)}], f[{len(statement.forcing)}];
  double *q = start, *u = start + {n}, sum = 0.0;
  clock_t begin = clock();
  for (int i = 0; i < COUNT; ++i) {{ q[0] += 1e-9; evaluate(q, u, p, M, f); sum += M[0] + f[0]; }}
  printf("%.17g %.17g\\\\n", (double)(clock() - begin) / CLOCKS_PER_SEC / COUNT, sum);
}}''')
"""

_OURS = """
#include <stdio.h>
#include <time.h>
#include "plant.h"
int main(void) {
  static double p[PLANT_PARAMETERS], q[] = {%s}, v[] = {%s}, a[PLANT_COORDINATES];
  double sum = 0.0;
  plant_parameters(p);
  clock_t begin = clock();
  for (int i = 0; i < COUNT; ++i) { q[0] += 1e-9; plant_slopes(0.0, q, v, p, 0, a); sum += a[3]; }
  printf("%%.17g %%.17g\\n", (double)(clock() - begin) / CLOCKS_PER_SEC / COUNT, sum);
}
"""

_START = """
import json
import dalembert as da
start = da.gallery("whipple-bicycle").solve()
print(json.dumps([list(start.coordinates.values()), list(start.speeds.values())]))
"""


def measured() -> dict[str, float]:
    """Seconds by target, and of an evaluation of `C` and `PyDy's C`."""
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, float] = json.loads(_run(_EXPORTS, folder))
        (q, v) = (", ".join(map(repr, part)) for part in json.loads(_run(_START, folder)))
        (Path(folder) / "main.c").write_text(_OURS % (q, v))
        found["C"] = _timed(folder, "main.c", "plant.c")
        _run(_PYDY, folder)
        found["PyDy's C"] = _timed(folder, "theirs_main.c", "theirs.c")
    return found


def _run(code: str, folder: str) -> str:
    try:
        done = subprocess.run(
            [str(environment.PYTHON), "-c", code, folder], capture_output=True, text=True, check=False,
            timeout=PATIENCE, env=environment.variables(), cwd=os.fspath(environment.ROOT),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"> {PATIENCE:.0f} s") from None
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["ended without a word"])[-1])
    return (done.stdout.splitlines() or [""])[-1]


def _timed(folder: str, *sources: str) -> float:
    """The least of three runs."""
    built = ["cc", "-std=c99", *FLAGS, f"-DCOUNT={COUNT}", *sources, "-o", "timed", "-lm"]
    subprocess.run(built, cwd=folder, check=True)
    runs = [subprocess.run(["./timed"], cwd=folder, check=True, capture_output=True, text=True) for _ in range(3)]
    return min(float(run.stdout.split()[0]) for run in runs)
