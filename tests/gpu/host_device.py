"""Kernels as plain C++ on this machine: compiled by g++ or clang++, run one motion after the other."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from dalembert.motions.device import OPTIONS


def compiler() -> str:
    found = shutil.which("g++") or shutil.which("clang++")
    if found is None:
        pytest.skip("no C++ compiler is to be had here")
    return found


def library(text: str, folder: Path, *flags: str) -> ctypes.CDLL:
    """A text as a library; numbers are not contracted, as on the processor."""
    name = f"kernel{crc32(text.encode()):08x}"
    file, built = folder / f"{name}.cpp", folder / f"{name}.so"
    if not built.exists():
        file.write_text(text)
        command = [compiler(), *OPTIONS, "-O0", "-ffp-contract=off", "-shared", "-fPIC", "-Wno-psabi", *flags]
        subprocess.run([*command, "-o", str(built), str(file)], check=True)
    return ctypes.CDLL(str(built))


def passed(argument: np.ndarray | float) -> object:
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_double(argument) if isinstance(argument, float) else ctypes.c_int(argument)


class Host:
    """A device of one thread."""

    def __init__(self, folder: Path, *flags: str):
        self.folder, self.flags = folder, flags
        self.texts: list[str] = []

    def compiled(self, text: str, long: bool = False) -> _Kernels:
        self.texts.append(text)
        return _Kernels(library(text, self.folder, *self.flags))

    def there(self, array: np.ndarray) -> np.ndarray:
        return np.array(array) if array.size else np.zeros(1, array.dtype)

    def room(self, shape: tuple[int, ...], dtype: Any = float) -> np.ndarray:
        return np.full(shape if np.prod(shape) else (1,), 77, dtype)

    def back(self, array: np.ndarray) -> np.ndarray:
        return array.copy()

    def address(self, array: np.ndarray) -> int:
        return array.ctypes.data


class _Kernels:
    def __init__(self, library: ctypes.CDLL):
        self.library = library

    def threads(self, entry: str, most: int) -> int:
        return 1

    def run(self, entry: str, threads: int, arguments: Sequence[np.ndarray]) -> None:
        getattr(self.library, entry)(*(ctypes.c_void_p(array.ctypes.data) for array in arguments))
