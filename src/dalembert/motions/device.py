"""A GPU through CuPy: text compiled by NVRTC, memory on the device, and kernels with one motion per thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dalembert.engine.sources import ROOM, sources
from dalembert.errors import ModelError

BLOCK = 64
OPTIONS = ("-std=c++17", f"-I{ROOM}")  # of the compiler
REGISTERS = 65536  # of a multiprocessor
QUICKLY = ("--Ofast-compile=mid",)  # the full loop in 10 s, not in 140; it then runs between 0.8 and 1.1 times as fast
SINCE = (13, 0)  # the version of NVRTC that is known to have this option


class Kernels(Protocol):
    """Compiled text."""

    def threads(self, entry: str, most: int) -> int:
        """The number of threads of a kernel that run at once, at most `most`."""

    def run(self, entry: str, threads: int, arguments: Sequence[Any]) -> None:
        """Run a kernel on that many threads, with device arrays as arguments."""


class Device(Protocol):
    """A place for kernels to run: a GPU, or in tests a processor."""

    def compiled(self, text: str, long: bool = False) -> Kernels:
        """Kernels of a text. One that is long is compiled quickly, at some cost of speed."""

    def there(self, array: np.ndarray) -> Any:
        """A copy on the device. It is never empty, since an empty array has no address there."""

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> Any:
        """Uninitialized memory on the device, never empty."""

    def back(self, array: Any) -> np.ndarray: ...

    def address(self, array: Any) -> int: ...


class Gpu:
    """The first GPU of this machine."""

    def __init__(self) -> None:
        self.cupy = _cupy()

    def compiled(self, text: str, long: bool = False) -> Kernels:
        known = self.cupy.cuda.nvrtc.getVersion() >= SINCE
        return _Module(self.cupy, marked(text), (*OPTIONS, *QUICKLY) if long and known else OPTIONS)

    def there(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array if array.size else np.zeros(1, array.dtype))

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> Any:
        return self.cupy.empty(shape if np.prod(shape) else (1,), dtype)

    def back(self, array: Any) -> np.ndarray:
        found: np.ndarray = array.get()
        return found

    def address(self, array: Any) -> int:
        return int(array.data.ptr)


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise ModelError(
            "a GPU is used through CuPy, which cannot be loaded here ({error}); install "
            "dalembert[cuda], or leave out --gpu",
            error=error,
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ModelError("this machine has no GPU that CUDA can use ({error}); leave out --gpu", error=error) from error
    if not count:
        raise ModelError("this machine has no GPU that CUDA can use; leave out --gpu")
    return cupy


def marked(text: str) -> str:
    """The text with a mark of the headers that it includes, because CuPy caches compiled code by the text alone."""
    return f"// headers {sources()}\n{text}"


class _Module:
    def __init__(self, cupy: Any, text: str, how: tuple[str, ...]):
        self.cupy = cupy
        self.module = cupy.RawModule(code=text, options=how, backend="nvrtc")

    def threads(self, entry: str, most: int) -> int:
        kernel = self.module.get_function(entry)
        processors = self.cupy.cuda.Device().attributes["MultiProcessorCount"]
        blocks = max(1, min(32, REGISTERS // (BLOCK * kernel.num_regs)))
        return BLOCK * min(-(-most // BLOCK), processors * blocks)

    def run(self, entry: str, threads: int, arguments: Sequence[Any]) -> None:
        self.module.get_function(entry)((-(-threads // BLOCK),), (BLOCK,), tuple(arguments))
