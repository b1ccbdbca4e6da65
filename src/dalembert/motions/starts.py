"""Consistent initial states by the engine (engine/start.hpp), of one motion or of many on threads.

A block of memory begins at a pair of cache lines that it shares with no other block. Vectors of eight numbers are as
long as a line, and two threads that write to one line would send it back and forth between their cores.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.engine import interface as engine
from dalembert.engine.library import library
from dalembert.motions.native import called_back
from dalembert.motions.native import code as machine_code
from dalembert.motions.scales import angles
from dalembert.programs.system import CompiledSystem

if TYPE_CHECKING:
    from dalembert.motions.unilateral import HybridSystem

STOP_ASKED_EVERY = 0.05  # seconds
LINES = 128  # bytes; processors fetch cache lines in pairs


def alone(array: np.ndarray) -> np.ndarray:
    """The same array on cache lines that it shares with no other memory."""
    room = np.zeros(-(-array.nbytes // LINES) * LINES + LINES, np.uint8)
    first = -room.ctypes.data % LINES
    found = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


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


def held_rows(bilateral: int, hybrid: HybridSystem | None) -> list[tuple[int, int]]:
    """Rows that frictions hold from the start, each with the contact that must be at rest for it, or -1."""
    return [
        (bilateral + row, -1 if friction.contact is None else friction.contact)
        for friction in (() if hybrid is None else hybrid.unilateral.frictions)
        for row in (*friction.held, *(friction.slips if friction.rough else ()))
    ]


class ManyStarts:
    """Finds consistent initial states. `given` marks the stated speeds.

    With `few`, functions are called in Python: for a few evaluations no machine code is made.
    """

    def __init__(
        self, system: CompiledSystem, hybrid: HybridSystem | None, given: np.ndarray, threads: int, few: bool = False
    ):
        bilateral, holonomic, contacts, held = system.m, system.mh, 0, held_rows(system.m, hybrid)
        if hybrid is not None:
            system, contacts = hybrid.system, hybrid.laws.contacts
        n, eq = system.n, system.equations
        self.left = max(system.m, system.mh, 1)
        self._rows = np.array(held, dtype=engine.HeldRow)
        self._given = np.ascontiguousarray(given, dtype=np.uint8)
        self._angles = np.ascontiguousarray(system.once("angles", lambda: angles(system)), dtype=np.int32)
        self.arrays = self._rows, self._given, self._angles
        self._kept: list[Any] = [system]
        code = called_back if few else machine_code
        self.struct = engine.Constraints(
            position=code(system.position if system.mh else None, self._kept),
            velocity=code(system.velocity if system.m else None, self._kept),
            dynamics=code(system.dynamics, self._kept), n=n, size=system.size, phi=system.mh, psi=system.m,
            holonomic=holonomic, bilateral=bilateral, contacts=contacts,
            at_A=(n * (n + 1) // 2 if eq.symmetric else n * n) + n, inputs=system.dynamics.inputs,
            outputs=system.dynamics.outputs, parameters=len(system.parameters) - system.s, held=self._rows.ctypes.data,
            held_count=len(self._rows), given=self._given.ctypes.data, angles=self._angles.ctypes.data,
            symmetric=bool(eq.symmetric),
        )  # fmt: skip
        room = library().dalembert_start_memory(c.byref(self.struct))
        self.rooms = [alone(np.zeros(room, np.uint8)) for _ in range(threads)]

    def run(self, time: float, parameters: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Make `states` consistent. Return the status of each, and the remaining residuals of those that failed."""
        status, left = np.zeros(len(states), dtype=np.int64), np.zeros((len(states), self.left))
        claimed = alone(np.zeros(1, dtype=np.int64))
        struct = engine.Starts(
            time, parameters.ctypes.data, states.ctypes.data, left.ctypes.data, status.ctypes.data,
            claimed.ctypes.data, len(states), self.left,
        )  # fmt: skip
        begin = library().dalembert_starts

        def task(i: int) -> None:
            begin(self.rooms[i].ctypes.data, c.byref(self.struct), c.byref(struct))

        if len(self.rooms) == 1:
            task(0)
        else:
            run_threads(len(self.rooms), task, lambda: False, np.zeros(1))
        return status, left
