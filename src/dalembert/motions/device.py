"""A GPU through CuPy: text compiled by NVRTC, memory there, and kernels with one motion to a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dalembert.engine.sources import ROOM, sources
from dalembert.errors import ModelError

BLOCK = 64
REGISTERS = 65536  # of a multiprocessor


class Kernels(Protocol):
    """Compiled text."""

    def threads(self, entry: str, most: int) -> int:
        """How many threads of a kernel run at once, at most so many."""

    def run(self, entry: str, threads: int, arguments: Sequence[Any]) -> None:
        """A kernel on so many threads, with arrays that are there as arguments."""


class Device(Protocol):
    """Where kernels run: a GPU, or in tests a processor."""

    def compiled(self, text: str) -> Kernels: ...

    def there(self, array: np.ndarray) -> Any:
        """A copy on the device; never empty, since a device has no address for nothing."""

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> Any:
        """Memory there that nobody has written to; never empty."""

    def back(self, array: Any) -> np.ndarray: ...

    def address(self, array: Any) -> int: ...


class Gpu:
    """The first GPU of this machine."""

    def __init__(self) -> None:
        self.cupy = _cupy()

    def compiled(self, text: str) -> Kernels:
        return _Module(self.cupy, marked(text))

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


def marked(text: str) -> str:
    """With a mark of the headers that it includes: CuPy keeps what was compiled by the text alone."""
    return f"// headers {sources()}\n{text}"


def options(headers: str = str(ROOM)) -> tuple[str, ...]:
    """Of the compiler."""
    return "-std=c++17", f"-I{headers}"


class _Module:
    def __init__(self, cupy: Any, text: str):
        self.cupy = cupy
        self.module = cupy.RawModule(code=text, options=options(), backend="nvrtc")

    def threads(self, entry: str, most: int) -> int:
        kernel = self.module.get_function(entry)
        processors = self.cupy.cuda.Device().attributes["MultiProcessorCount"]
        blocks = max(1, min(32, REGISTERS // (BLOCK * kernel.num_regs)))
        return BLOCK * min(-(-most // BLOCK), processors * blocks)

    def run(self, entry: str, threads: int, arguments: Sequence[Any]) -> None:
        self.module.get_function(entry)((-(-threads // BLOCK),), (BLOCK,), tuple(arguments))
