"""A GPU through a stand-in for CuPy: the requests it gets, and the sentences without a GPU."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.engine.sources import ROOM, sources
from dalembert.motions import device


class CudaError(Exception):
    pass


class Array(np.ndarray):
    def get(self) -> np.ndarray:
        return np.array(self)


class Kernel:
    def __init__(self, registers: int) -> None:
        self.num_regs, self.calls = registers, []

    def __call__(self, blocks: tuple[int], threads: tuple[int], arguments: tuple[Any, ...]) -> None:
        self.calls.append((blocks, threads, arguments))


class Cupy(SimpleNamespace):
    """The used part of CuPy, with one GPU of ten processors."""

    def __init__(self, devices: int = 1, registers: int = 128) -> None:
        runtime = SimpleNamespace(getDeviceCount=lambda: devices, CUDARuntimeError=CudaError)
        gpu = SimpleNamespace(attributes={"MultiProcessorCount": 10})
        nvrtc = SimpleNamespace(getVersion=lambda: self.version)
        cuda = SimpleNamespace(runtime=runtime, Device=lambda: gpu, nvrtc=nvrtc)
        super().__init__(cuda=cuda, kernel=Kernel(registers), asked=[], version=(13, 2))

    def asarray(self, array: np.ndarray) -> Array:
        return array.view(Array)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        return np.empty(shape, dtype).view(Array)

    def RawModule(self, **asked: Any) -> SimpleNamespace:
        self.asked.append(asked)
        return SimpleNamespace(get_function=lambda name: self.kernel)


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Cupy:
    made = Cupy()
    monkeypatch.setitem(sys.modules, "cupy", made)  # type: ignore[arg-type]
    return made


def test_text_is_compiled_with_the_engine_s_headers_and_a_mark_of_them(cupy: Cupy) -> None:
    device.Gpu().compiled("kernel text")
    (asked,) = cupy.asked
    assert asked["code"] == f"// headers {sources()}\nkernel text"
    assert asked["backend"] == "nvrtc"
    assert f"-I{ROOM}" in asked["options"]


def test_only_a_long_text_is_compiled_quickly_and_only_by_a_compiler_that_can(cupy: Cupy) -> None:
    for long, version in ((False, (13, 2)), (True, (13, 2)), (True, (12, 4))):
        cupy.version = version
        device.Gpu().compiled("kernel text", long)
    assert [device.QUICKLY[0] in asked["options"] for asked in cupy.asked] == [False, True, False]


@pytest.mark.parametrize(
    ("registers", "most", "threads"),
    [
        (128, 10**6, 10 * 8 * 64),  # 65536 registers of a processor hold 8 blocks of 64 threads with 128 each
        (255, 10**6, 10 * 4 * 64),
        (2000, 10**6, 10 * 64),  # never less than a block
        (16, 10**6, 10 * 32 * 64),  # never more than 32 blocks
        (128, 100, 2 * 64),  # as many as asked for, in whole blocks
    ],
)
def test_as_many_threads_as_registers_allow(cupy: Cupy, registers: int, most: int, threads: int) -> None:
    cupy.kernel.num_regs = registers
    kernels = device.Gpu().compiled("")
    assert kernels.threads("steps", most) == threads
    kernels.run("steps", most, ["array"])
    assert cupy.kernel.calls == [((-(-most // 64),), (64,), ("array",))]


def test_memory_is_never_empty(cupy: Cupy) -> None:
    gpu = device.Gpu()
    assert gpu.there(np.zeros(0)).size == gpu.room((0, 3)).size == 1
    there = gpu.there(np.arange(3.0))
    np.testing.assert_array_equal(gpu.back(there), [0, 1, 2])


def test_a_machine_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", Cupy(devices=0))  # type: ignore[arg-type]
    with pytest.raises(da.ModelError, match="has no GPU that CUDA can use; leave out --gpu"):
        device.Gpu()
    broken = Cupy()

    def fails() -> int:
        raise CudaError("driver is too old")

    broken.cuda.runtime.getDeviceCount = fails
    monkeypatch.setitem(sys.modules, "cupy", broken)  # type: ignore[arg-type]
    with pytest.raises(da.ModelError, match=r"driver is too old\); leave out --gpu"):
        device.Gpu()
