"""CPU seconds of `analyze` for every model of the gallery, in one process, without imports."""

from __future__ import annotations

import json
import os
import subprocess

from benchmarks import environment
from benchmarks.measure import Failed

PATIENCE = 900.0

_CODE = """
import json
from time import process_time
import dalembert as da
from dalembert.collection import names

found = {}
da.gallery("rolling-disk").analyze()  # late imports, SymPy among them
for name in names():
    model = da.gallery(name)
    begin = process_time()
    try:
        model.analyze()
    except da.DalembertError:  # what has no motion of its own is refused, in no time
        pass
    found[name] = process_time() - begin
print(json.dumps(found))
"""


def measured() -> dict[str, float]:
    """Seconds by model."""
    try:
        done = subprocess.run(
            [str(environment.PYTHON), "-c", _CODE], capture_output=True, text=True, check=False, timeout=PATIENCE,
            env=environment.variables(), cwd=os.fspath(environment.ROOT),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"> {PATIENCE:.0f} s") from None
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["ended without a word"])[-1])
    return json.loads(done.stdout.splitlines()[-1])
