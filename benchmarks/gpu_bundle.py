"""Records the calls of a device here, and replays them on a machine without this package.

`Recorder` is a device that only records texts, arrays and launches. Its memory has special addresses, so that
`Replay` finds them inside structs and replaces them by real ones. `Replay` needs only numpy and CuPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MARK = 0x7ADD << 48  # marks an address that stands for memory; its number and 32 bits of offset follow
QUICKLY = ("--Ofast-compile=mid",)  # as in dalembert.motions.device, which is not on the other machine
Notes = list[tuple[Any, ...]]


@dataclass
class Recorder:
    """`answer` gives the contents of memory, by its shape."""

    answer: Callable[[np.ndarray], np.ndarray] = lambda array: array
    notes: Notes = field(default_factory=list)
    known: dict[int, np.ndarray] = field(default_factory=dict)
    texts: int = 0

    def compiled(self, text: str, long: bool = False) -> _Recorded:
        self.notes.append(("compile", self.texts, text, long))
        self.texts += 1
        return _Recorded(self, self.texts - 1)

    def there(self, array: np.ndarray) -> int:
        return self._kept("there", np.array(array) if array.size else np.zeros(1, array.dtype))

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> int:
        return self._kept("room", np.zeros(shape if np.prod(shape) else (1,), dtype))

    def _kept(self, how: str, array: np.ndarray) -> int:
        number = len(self.known) + 1
        self.known[number] = array
        self.notes.append((how, number, array if how == "there" else (array.shape, array.dtype.str)))
        return number

    def back(self, number: int) -> np.ndarray:
        self.notes.append(("back", number))
        return self.answer(self.known[number])

    def address(self, number: int) -> int:
        return MARK | number << 32


@dataclass
class _Recorded:
    recorder: Recorder
    number: int

    def threads(self, entry: str, most: int) -> int:
        return most

    def run(self, entry: str, threads: int, arguments: Sequence[int]) -> None:
        self.recorder.notes.append(("run", self.number, entry, threads, tuple(arguments)))


class Replay:
    """Replays the record on a GPU; `arrays` holds memory by its number, `back` the results."""

    def __init__(self, notes: Notes, modules: dict[str, Any], headers: str, block: int = 64):
        import cupy

        self.cupy, self.notes, self.modules, self.headers, self.block = cupy, notes, modules, headers, block
        self.arrays: dict[int, Any] = {}
        self.found: dict[int, np.ndarray] = {}
        self.texts: dict[int, tuple[str, bool]] = {}
        self.seconds: dict[str, float] = {}

    def module(self, text: str, long: bool) -> Any:
        if text not in self.modules:
            options = ("-std=c++17", f"-I{self.headers}", *(QUICKLY if long else ()))
            self.modules[text] = self.cupy.RawModule(code=text, options=options, backend="nvrtc")
        return self.modules[text]

    def relocated(self, array: np.ndarray) -> np.ndarray:
        """Structs are bytes: recorded addresses in them are replaced by real ones."""
        if array.dtype != np.uint8 or array.size % 8:
            return array
        words = array.view(np.uint64).copy()
        for i, word in enumerate(words.tolist()):
            if word >> 48 == MARK >> 48:
                words[i] = self.arrays[(word >> 32) & 0xFFFF].data.ptr + (word & 0xFFFFFFFF)
        return words.view(np.uint8)

    def run(self) -> None:
        for note in self.notes:
            getattr(self, f"_{note[0]}")(*note[1:])

    def _compile(self, number: int, text: str, long: bool) -> None:
        self.texts[number] = text, long

    def _there(self, number: int, array: np.ndarray) -> None:
        self.arrays[number] = self.cupy.asarray(self.relocated(array))

    def _room(self, number: int, made: tuple[Any, str]) -> None:
        self.arrays[number] = self.cupy.full(made[0], 77, np.dtype(made[1]))

    def _back(self, number: int) -> None:
        self.found[number] = self.arrays[number].get()

    def _run(self, number: int, entry: str, threads: int, arguments: tuple[int, ...]) -> None:
        kernel = self.module(*self.texts[number]).get_function(entry)
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        kernel((-(-threads // self.block),), (self.block,), tuple(self.arrays[a] for a in arguments))
        end.record()
        end.synchronize()
        self.seconds[entry] = self.cupy.cuda.get_elapsed_time(begin, end) / 1e3
