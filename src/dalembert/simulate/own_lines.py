"""A thread's memory on cache lines of its own, each array at the beginning of one.

Vectors of eight numbers are as long as a line of 64 bytes. One that lies across two lines costs two accesses, and
NumPy begins arrays at any 16 bytes: motions in lanes took up to 1.7 times as long, by the allocator's chance and thread
by thread. Arrays of two threads on one line send it to and fro between their cores. Processors fetch lines in pairs.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

LINES = 128  # bytes

Memory = TypeVar("Memory")


def own_lines(memory: Memory) -> Memory:
    """The same with every array of it, and of the tuples in it, copied to lines that no other memory is on."""
    if isinstance(memory, np.ndarray):
        return _alone(memory)  # type: ignore[return-value]
    if isinstance(memory, tuple):
        parts = [own_lines(part) for part in memory]
        return type(memory)(*parts) if hasattr(memory, "_fields") else type(memory)(parts)  # type: ignore[return-value]
    return memory


def _alone(array: np.ndarray) -> np.ndarray:
    room = np.zeros(-(-array.nbytes // LINES) * LINES + LINES, np.uint8)
    first = -room.ctypes.data % LINES
    found = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found
