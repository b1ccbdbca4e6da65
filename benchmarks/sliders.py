"""A slider of the lab: CPU seconds from a new value of a parameter to the answer that the page draws.

Every model of the gallery, in one process like a worker of the lab. The first motion
derives and compiles. The timed motions do neither; a counter checks that. The time is that of the whole answer: initial
state, motion, scene, JSON. The values differ little, so the timed motions are nearly the same.
"""

from __future__ import annotations

import json
import os
import subprocess

from benchmarks import environment
from benchmarks.measure import Failed

PATIENCE = 900.0

_CODE = """
import json
from time import process_time as clock
from dalembert.collection import names, text
from dalembert.lab import cache, tasks
from dalembert.model.values import initial_values

found = {}
tasks.load()
for name in names():
    model = cache.model(text(name))
    values = initial_values(model)
    dragged, value = next(iter((values.parameters or values.coordinates).items()))
    tasks.motion({"text": text(name)}, lambda fraction: None)
    before, seconds = cache.work(), []
    for k in range(5):
        begin = clock()
        tasks.motion({"text": text(name), "settings": {dragged: value * (1 + 1e-8 * k)}}, lambda fraction: None)
        seconds.append(clock() - begin)
    assert cache.work() == before, f"{name} was derived or compiled again"
    found[name] = min(seconds)
print(json.dumps(found))
"""


def measured() -> dict[str, float]:
    """Seconds by model, best of five."""
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
