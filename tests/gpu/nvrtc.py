"""NVRTC without a GPU: the compiler of the package `nvidia-cuda-nvrtc`, by ctypes. It makes PTX, which nothing runs."""

from __future__ import annotations

import ctypes as c
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from dalembert.motions.device import OPTIONS, marked

OLDEST = "-arch=compute_75"  # of GPUs that CUDA 13 still compiles for


@cache
def compiler() -> c.CDLL:
    """The library; the test is skipped where the package is not installed."""
    found = find_spec("nvidia")
    folders = list(found.submodule_search_locations or ()) if found else []
    files = [file for folder in folders for file in Path(folder).glob("c*/lib/libnvrtc.so.*")]
    if not files:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    return c.CDLL(str(files[0]))


def compiled(text: str, more: tuple[str, ...] = ()) -> str:
    """The PTX of a text, or an error with the compiler's own words."""
    library, program, size = compiler(), c.c_void_p(), c.c_size_t()
    assert library.nvrtcCreateProgram(c.byref(program), marked(text).encode(), b"program", 0, None, None) == 0
    flags = [flag.encode() for flag in (*OPTIONS, *more, OLDEST)]
    status = library.nvrtcCompileProgram(program, len(flags), (c.c_char_p * len(flags))(*flags))
    ask, get = (
        (library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog)
        if status
        else (library.nvrtcGetPTXSize, library.nvrtcGetPTX)
    )
    assert ask(program, c.byref(size)) == 0
    answer = c.create_string_buffer(size.value)
    assert get(program, answer) == 0
    library.nvrtcDestroyProgram(c.byref(program))
    assert status == 0, answer.value.decode()
    return answer.value.decode()
