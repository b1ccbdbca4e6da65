"""Consistent initial states by the engine (engine/start.hpp), of one motion or of many on threads."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.library import library
from dalembert.motions.native import Native, called_back, code, room_of
from dalembert.programs.system import CompiledSystem

if TYPE_CHECKING:
    from dalembert.motions.unilateral import HybridSystem

STOP_ASKED_EVERY = 0.05  # seconds


def run_threads(threads: int, task: Callable[[int], object], stop: Callable[[], bool], flag: np.ndarray) -> None:
    """Run `task(i)` on that many threads. `flag` is set when `stop()` becomes true or the wait is interrupted."""
    from concurrent.futures import Future, ThreadPoolExecutor, wait  # a single motion need not load them

    with ThreadPoolExecutor(threads) as pool:
        left: set[Future[object]] = {pool.submit(task, i) for i in range(threads)}
        try:
            while left:
                done, left = wait(left, STOP_ASKED_EVERY)
                for future in done:
                    future.result()
                if left and stop():
                    flag[0] = 1
        except BaseException:
            flag[0] = 1  # threads end with their current motion, and the pool waits for them
            raise


class ManyStarts:
    """Finds consistent initial states. `given` marks the stated speeds.

    With `few`, functions are called in Python: for a few evaluations no machine code is made.
    """

    def __init__(self, model: CompiledSystem | HybridSystem, given: np.ndarray, threads: int, few: bool = False):
        coded = called_back if few else code
        if isinstance(model, CompiledSystem):
            self.native = Native(model, coded=coded, begins=True)
        else:
            from dalembert.motions.touching import NativeTouching  # other motions need not load it

            self.native = NativeTouching(model, coded=coded, begins=True)
        counts = self.native.struct.counts
        self.rows = counts.m, counts.holonomic
        self.left = max(*self.rows, 1)  # residuals that are kept of a start that failed
        self.given = np.ascontiguousarray(given, dtype=np.uint8)
        room = library().dalembert_start_memory(c.byref(self.native.struct))
        self.rooms = [room_of(room) for _ in range(threads)]

    def run(self, time: float, parameters: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Make `states` consistent. Return the status of each, and the remaining residuals of those that failed."""
        status, left = np.zeros(len(states), dtype=np.int64), np.zeros((len(states), self.left))
        claimed = room_of(8).view(np.int64)
        arrays = (self.given, parameters, states, left, status, claimed)
        struct = engine.Starts(time, *(array.ctypes.data for array in arrays), len(states), self.left)
        begin = library().dalembert_starts

        def task(i: int) -> None:
            begin(self.rooms[i].ctypes.data, c.byref(self.native.struct), c.byref(struct))

        if len(self.rooms) == 1:
            task(0)
        else:
            run_threads(len(self.rooms), task, lambda: False, np.zeros(1))
        return status, left
