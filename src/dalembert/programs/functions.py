"""Programs as functions: machine code behind an address that C can call, or NumPy where there is none."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal

import numpy as np

from dalembert.counters import WORK
from dalembert.programs import llvm, machine
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program as program_of
from dalembert.programs.program import Program

Backend = Literal["llvm", "numpy"]

# LLVM's levels of code generation. Level 0 is ready three to ten times sooner and runs 1.0 to 2.5 times slower, on
# chains of 2 to 16 links and the bicycle. Both give the same bits, so a motion may change over on its way.
OFTEN, FEW_TIMES = 1, 0
PAYS_AFTER = 500_000  # calls: then the time that level 1 takes to compile has come back, whatever the size
LANES = llvm.LANES
_ROWS = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 3)
Key = tuple[bytes, int, int]  # of a program: its digest; LLVM's level; lanes, or another mark of how it was written
MOST_KNOWN = 1000  # functions that are kept for whoever asks again; those in use live on without
_KNOWN: dict[Key, Any] = {}
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Function:
    """A compiled program. `address` and `data` are what C needs; both are 0 for NumPy. A call may come from any thread.

    With `lanes` above one every number of in and out is that many, one for each state.
    """

    inputs: int
    outputs: int
    address: int
    data: int
    program: Program = field(repr=False)
    lanes: int = 1
    _engine: Any = field(default=None, repr=False)  # holds the code
    _rows: Any = field(default=None, repr=False)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The values at `x`, or at every row of it."""
        x = np.ascontiguousarray(x, dtype=float)
        if x.shape[-1] != self.inputs:
            raise ValueError(f"a compiled function of {self.inputs} inputs was called with {x.shape[-1]}")
        shape = (*x.shape[:-1], self.outputs)
        if not self.outputs or 0 in x.shape[:-1]:
            return np.zeros(shape)
        if self._engine is None:
            return values_of(self.program, x)
        if self.lanes > 1:
            return self._in_lanes(x.reshape(-1, self.inputs)).reshape(shape)
        out = np.empty(shape)
        self._each(out, x, out.size // self.outputs)
        return out

    def _each(self, out: np.ndarray, x: np.ndarray, count: int) -> None:
        width = self.lanes
        self._rows(self.address, out.ctypes.data, x.ctypes.data, count, width * self.outputs, width * self.inputs)

    def _in_lanes(self, x: np.ndarray) -> np.ndarray:
        """LANES rows at a time; the last ones are filled up with the last row."""
        count = -(-len(x) // self.lanes)
        whole = np.concatenate([x, np.repeat(x[-1:], count * self.lanes - len(x), axis=0)])
        given = np.ascontiguousarray(whole.reshape(count, self.lanes, self.inputs).swapaxes(1, 2))
        out = np.empty((count, self.outputs, self.lanes))
        self._each(out, given, count)
        return out.swapaxes(1, 2).reshape(-1, self.outputs)[: len(x)]


def compiled(inputs: Sequence[Any], outputs: Sequence[Any], level: int = OFTEN, backend: Backend = "llvm") -> Function:
    """The function inputs -> outputs of SymEngine expressions."""
    return function(program_of(inputs, outputs), level, backend)


def function(program: Program, level: int = OFTEN, backend: Backend = "llvm", lanes: int = 1) -> Function:
    """A program as a function. The same program is compiled once in a process, whoever asks for it."""
    if backend == "numpy" or not program.outputs:
        return Function(len(program.inputs), len(program.outputs), 0, 0, program)
    return made(
        (program.digest, level, lanes), lambda: llvm.module(program, lanes), program, len(program.outputs), lanes
    )


def made(key: Key, module: Callable[[], str], program: Program, outputs: int, lanes: int = 1) -> Function:
    """The function `f` of a module in LLVM's language. What is known by its key is not compiled again."""
    with _LOCK:
        known = _KNOWN.get(key)
    if known is None:
        WORK["compiled"] += 1
        engine = machine.linked(module(), key[1])
        found = engine, engine.get_function_address("f"), _ROWS(machine.rows())
        with _LOCK:
            known = _KNOWN.setdefault(key, found)
            if len(_KNOWN) > MOST_KNOWN:
                del _KNOWN[next(iter(_KNOWN))]
    engine, address, rows = known
    return Function(len(program.inputs), outputs, address, 0, program, lanes, engine, rows)
