"""A GPU through CuPy: sources compiled by NVRTC, arrays copied there and back, as many threads as fit at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dalembert.errors import ModelError

BLOCK = 64
REGISTERS = 65536  # of a multiprocessor
CALLING = 240  # registers where functions call each other: without a limit a ball on an H200 took 2.7 times as long
Argument = np.ndarray | int | float


class Program(Protocol):
    """A compiled source."""

    def threads(self, entry: str, motions: int) -> int:
        """How many threads take part, where each claims motion after motion."""

    def run(self, entry: str, threads: int, arguments: Sequence[Argument], changed: Sequence[int]) -> None:
        """The entry on so many threads; arrays at the places `changed` come back."""


class Device(Protocol):
    """What compiles a source: a GPU, or in tests a compiler of the host."""

    def compiled(self, text: str, registers: int | None = None) -> Program:
        """The program, its functions limited to so many registers."""


class Gpu:
    """The first GPU of this machine."""

    def __init__(self) -> None:
        self.cupy = _cupy()

    def compiled(self, text: str, registers: int | None = None) -> Program:
        return _Module(self.cupy, text, registers)


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise ModelError(
            f"a GPU is used through CuPy, which cannot be loaded here ({error}); install dalembert[cuda], or leave out "
            "--gpu"
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ModelError(f"this machine has no GPU that CUDA can use ({error}); leave out --gpu") from error
    if not count:
        raise ModelError("this machine has no GPU that CUDA can use; leave out --gpu")
    return cupy


class _Module:
    def __init__(self, cupy: Any, text: str, registers: int | None):
        self.cupy = cupy
        self.module = cupy.RawModule(code=text, options=options(registers), backend="nvrtc")

    def threads(self, entry: str, motions: int) -> int:
        kernel = self.module.get_function(entry)
        processors = self.cupy.cuda.Device().attributes["MultiProcessorCount"]
        blocks = max(1, min(32, REGISTERS // (BLOCK * kernel.num_regs)))
        return BLOCK * min(-(-motions // BLOCK), processors * blocks)

    def run(self, entry: str, threads: int, arguments: Sequence[Argument], changed: Sequence[int]) -> None:
        there: list[Any] = [_number(a) if isinstance(a, (int, float)) else self.cupy.asarray(a) for a in arguments]
        self.module.get_function(entry)((-(-threads // BLOCK),), (BLOCK,), tuple(there))
        for i in changed:
            given = arguments[i]
            assert isinstance(given, np.ndarray)
            given[...] = there[i].get()


def options(registers: int | None) -> tuple[str, ...]:
    """Of the compiler."""
    return ("-std=c++17",) if registers is None else ("-std=c++17", f"--maxrregcount={registers}")


def with_room(array: np.ndarray) -> np.ndarray:
    """Never empty: a device has no address for nothing."""
    return array if array.size else np.zeros(1, array.dtype)


def _number(value: float) -> np.generic:
    return np.float64(value) if isinstance(value, float) else np.int32(value)
