"""Programs as functions: machine code behind an address that C can call, or NumPy if there is no compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np

from dalembert.counters import WORK
from dalembert.programs import llvm, machine
from dalembert.programs.evaluate import values_of
from dalembert.programs.expressions import program as program_of
from dalembert.programs.program import Program

Backend = Literal["llvm", "numpy"]

# LLVM's levels of code generation. Level 0 compiles three to ten times faster, and its code runs 1.0 to 2.5 times
# slower, for chains of 2 to 16 links and the bicycle. Both give the same bits, so a motion may switch between them.
OFTEN, FEW_TIMES = 1, 0
PAYS_AFTER = 500_000  # calls after which level 1 has paid for its compilation, for any size
LANES = llvm.LANES
_ROWS = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 3)
Key = tuple[bytes, int, int]  # of a module: its digest; LLVM's level; lanes, or another mark of how it was written
MOST_KNOWN = 1000  # functions kept for the next request; those in use live on outside of this table
FEW = 2000  # states for which a function that is called a few times needs no machine code
# Calls after which a function that was expected to be called a few times is compiled after all. A call for many states
# counts as OF_MANY. For programs of 200 to 2000 operations, NumPy takes as long for PAID calls as LLVM compiles; an
# analysis, which calls again and again, waits no longer. A second motion of a model shall compile nothing, so that
# others wait longer. The lab must never compile while a slider is dragged: `patience` sets another number.
A_FEW_TIMES, PAID, ALWAYS = 300, 40, 2**62
OF_MANY = 15
_patience = ContextVar("patience", default=A_FEW_TIMES)


class Machine(NamedTuple):
    """Machine code: the engine that holds it, and the loop over states."""

    engine: Any
    rows: Any


_KNOWN: dict[Key, Machine] = {}
_LOCK = Lock()


@contextmanager
def patience(calls: int) -> Iterator[None]:
    """Inside, a function that was expected to be called a few times is compiled after so many calls."""
    before = _patience.set(calls)
    try:
        yield
    finally:
        _patience.reset(before)


@dataclass(frozen=True)
class Function:
    """A program as a function. It may be called from any thread.

    `address` is what C calls; it is 0 for NumPy. Machine code is made when it is first needed: for a function that is
    called a few times, calls with few states go by NumPy, and only the address, many states or many calls ask for it.
    With `lanes` above one every number of in and out is that many, one for each state, and only C calls it.
    """

    program: Program = field(repr=False)
    level: int = OFTEN
    backend: Backend = "llvm"
    lanes: int = 1
    key: Key | None = field(default=None, repr=False)  # of a module that is not the program's own
    module: Callable[[], str] | None = field(default=None, repr=False)
    width: int | None = None  # outputs of such a module
    name: str = "f"  # in its module
    library: Mapping[str, Program] | None = field(
        default=None, repr=False, compare=False
    )  # all programs of this module
    _calls: list[int] = field(default_factory=lambda: [0], repr=False, compare=False)  # so far

    @property
    def inputs(self) -> int:
        return len(self.program.inputs)

    @property
    def outputs(self) -> int:
        return len(self.program.outputs) if self.width is None else self.width

    @cached_property
    def _machine(self) -> Machine:
        programs, lanes = self.library or {self.name: self.program}, self.lanes
        digest = b"".join([name.encode() + program.digest for name, program in programs.items()])
        return _made(self.key or (digest, self.level, lanes), self.module or (lambda: llvm.library(programs, lanes)[0]))

    @cached_property
    def address(self) -> int:
        return self._machine.engine.get_function_address(self.name) if self.backend == "llvm" and self.outputs else 0

    @property
    def is_compiled(self) -> bool:
        return "_machine" in vars(self)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The values at `x`, or at every row of it."""
        states = np.size(x) // max(self.inputs, 1)
        few = self.level == FEW_TIMES and states <= FEW and self._calls[0] < _patience.get()
        self._calls[0] += 1 if states == 1 else OF_MANY
        return self._values(x, self.backend == "numpy" or few)

    def by_machine(self, x: np.ndarray) -> np.ndarray:
        """The same values by machine code, even for few states."""
        return self._values(x, self.backend == "numpy")

    def _values(self, x: np.ndarray, by_numpy: bool) -> np.ndarray:
        x = np.ascontiguousarray(x, dtype=float)
        if x.shape[-1] != self.inputs:
            raise ValueError(f"a compiled function of {self.inputs} inputs was called with {x.shape[-1]}")
        shape = (*x.shape[:-1], self.outputs)
        if not self.outputs or 0 in x.shape[:-1]:
            return np.zeros(shape)
        if by_numpy:
            return values_of(self.program, x)
        out, code = np.empty(shape), self._machine
        code.rows(self.address, out.ctypes.data, x.ctypes.data, out.size // self.outputs, self.outputs, self.inputs)
        return out


def compiled(inputs: Sequence[Any], outputs: Sequence[Any], level: int = OFTEN, backend: Backend = "llvm") -> Function:
    """The function inputs -> outputs of SymEngine expressions."""
    return function(program_of(inputs, outputs), level, backend)


def function(program: Program, level: int = OFTEN, backend: Backend = "llvm", lanes: int = 1) -> Function:
    """A program as a function. The same program is compiled once in a process."""
    return Function(program, level, backend, lanes)


def made(key: Key, module: Callable[[], str], program: Program, outputs: int) -> Function:
    """The function `f` of a module in LLVM's language. A module with a known key is not compiled again."""
    return Function(program, key[1], key=key, module=module, width=outputs)


def _made(key: Key, module: Callable[[], str]) -> Machine:
    with _LOCK:
        known = _KNOWN.get(key)
    if known is None:
        WORK["compiled"] += 1
        engine = machine.linked(module(), key[1])
        found = Machine(engine, _ROWS(machine.rows()))
        with _LOCK:
            known = _KNOWN.setdefault(key, found)
            if len(_KNOWN) > MOST_KNOWN:
                del _KNOWN[next(iter(_KNOWN))]
    return known
