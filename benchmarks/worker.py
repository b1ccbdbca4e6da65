"""A measured process: one peer, one system; asked line by line in JSON, answers line by line.

`{"warm": true}`, `{"prepare": true}`, `{"integrate": tolerance}`, `{"evaluate": count}`, `{"reference": true}`.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from importlib import import_module
from typing import Any

from benchmarks import systems
from benchmarks.plan import BY_THE_CLOCK


def main(peer: str, key: str) -> None:
    if peer not in BY_THE_CLOCK and key not in systems.MANY:
        time.perf_counter = time.process_time  # before the imports below: other threads must not count
    # output of libraries must not mix with the answers
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    module, system = import_module(f"benchmarks.peers.{peer}"), systems.system(key)
    ready: Any = None
    for line in sys.stdin:
        question = json.loads(line)
        if "warm" in question:
            getattr(module, "warm", lambda: module.prepare(systems.pendulum(1)))()
            answer: dict[str, Any] = {}
        elif "prepare" in question:
            gc.collect()  # the garbage of the warm-up, whose collection takes as long as stating a small model
            ready = module.prepare(system)
            answer = {"state": ready.state, "derive": ready.derive, "compile": ready.compile}
        elif "integrate" in question:
            seconds, state = ready.integrate(question["integrate"])
            answer = {"seconds": seconds, "state": list(state), "since start": time.process_time()}
        elif "evaluate" in question:
            answer = {"seconds": ready.evaluate(question["evaluate"]) if ready.evaluate else None}
        else:
            answer = {"state": list(module.reference(system))}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:3])
