"""NVRTC compiles every kernel with the programs of a model inlined. Compiling needs no GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import nvrtc
import pytest
from host_device import Host

import dalembert as da
from dalembert.api.sweep import build, ordered
from dalembert.motions.device import QUICKLY
from dalembert.sweep.gpu import OnDevice


class _Texts(Host):
    """A device that keeps the texts it is given."""

    def compiled(self, text: str, long: bool = False) -> None:  # type: ignore[override]
        self.texts.append(text)


def texts(
    name: str, folder: Path, vary: dict[str, str], step: float | None = None, full: bool = False, **how: Any
) -> dict[str, str]:
    """The kernels of a sweep, by their files; with `full`, those of the full loop."""
    made = build(ordered(da.gallery(name).record, vary, **how), 1)
    ensemble = made.ensemble(0, made.order.space.size)[0]
    if step is not None:
        ensemble = replace(ensemble, span=replace(ensemble.span, stepper="rk4", step=step))
    device = _Texts(folder)
    run = OnDevice(None, device, processor=False).begun(ensemble)  # type: ignore[arg-type]
    crew = run.crew
    main = "kernel.cu" if crew.way else "bounce.cu" if crew.bouncing and not full else "follow.cu"
    assert (run.starts.kernels, crew.kernels(main)) == (None, None)
    return {text.split('#include "')[-1].split(".cu")[0]: text for text in device.texts}


CASES = [
    ("kernel", "rolling-disk", {"lean": "0.1,0.2"}, {"keep": ("final",)}),
    pytest.param("follow", "double-pendulum", {"theta1": "0.1,0.2"}, {"keep": ("max theta2",)}, marks=pytest.mark.slow),
    ("kernel", "double-pendulum", {"theta1": "0.1,0.2"}, {"keep": ("final",), "step": 0.1}),
    ("bounce", "sliding-rod", {"theta": "0.5,0.6"}, {"keep": ("final", "events")}),
    pytest.param("follow", "bouncing-ball", {"z": "1,2"}, {"keep": ("events",), "full": True}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("kernel", "name", "vary", "how"), CASES)
def test_kernels_compile(kernel: str, name: str, vary: dict[str, str], how: dict[str, Any], tmp_path: Path) -> None:
    nvrtc.compiler()
    found = texts(name, tmp_path, vary, until=1.0, **how)
    assert list(found) == ["starts", kernel]
    for file, text in found.items():
        assert ".entry" in nvrtc.compiled(text, QUICKLY if file == "follow" else ()), file


def test_a_fault_is_told_in_the_compiler_s_words() -> None:
    """Shows that the tests above can fail."""
    nvrtc.compiler()
    with pytest.raises(AssertionError, match="no_such_thing"):
        nvrtc.compiled('#include "motion.hpp"\nextern "C" __global__ void f(double* x) { *x = no_such_thing; }')
