"""The generated source as plain C++ on this machine: compiled by g++ or clang++, run as a device would."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dalembert.cuda.device import Argument


def compiler() -> str:
    found = shutil.which("g++") or shutil.which("clang++")
    if found is None:
        pytest.skip("no C++ compiler is to be had here")
    return found


def library(text: str, folder: Path, *options: str) -> ctypes.CDLL:
    """The source as a library; numbers are not contracted, as a processor without that would have them."""
    name = f"source{len(list(folder.glob('*.cpp')))}"
    file, built = folder / f"{name}.cpp", folder / f"{name}.so"
    file.write_text(text)
    command = [compiler(), "-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC", *options]
    subprocess.run([*command, "-o", str(built), str(file)], check=True)
    return ctypes.CDLL(str(built))


def passed(argument: Argument) -> object:
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return argument.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_double(argument) if isinstance(argument, float) else ctypes.c_int(argument)


class Host:
    """A device of one thread."""

    def __init__(self, folder: Path, *options: str):
        self.folder, self.options = folder, options
        self.sources: list[str] = []

    def compiled(self, text: str, registers: int | None = None) -> _Program:
        self.sources.append(text)
        return _Program(library(text, self.folder, *self.options))


class _Program:
    def __init__(self, library: ctypes.CDLL):
        self.library = library

    def threads(self, entry: str, motions: int) -> int:
        return 1

    def run(self, entry: str, threads: int, arguments: Sequence[Argument], changed: Sequence[int]) -> None:
        getattr(self.library, entry)(*(passed(a) for a in arguments))
