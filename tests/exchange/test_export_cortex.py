"""Exported C on a microcontroller: compiled for a Cortex-M3, it runs in QEMU and has the engine's accelerations.

The board is ARM's MPS2 with the image AN385: code from address 0, memory from 0x20000000. A double is computed by the
compiler's own library there. Results come out by semihosting, as bits.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of

COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
MISSING = [tool for tool in (COMPILER, EMULATOR) if shutil.which(tool) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off", "-mcpu=cortex-m3", "-mthumb"]
BOARD = """
MEMORY { code (rx) : ORIGIN = 0, LENGTH = 4M  data (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
__stack = ORIGIN(data) + LENGTH(data);
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) KEEP(*(.init)) KEEP(*(.fini)) } > code
  .ARM.exidx : { *(.ARM.exidx*) } > code
  .data : { *(.data*) } > data
  .bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; } > data
  end = .;
  __end__ = .;
}
ENTRY(_start)
"""
MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "plant.h"
extern unsigned __stack;
extern void _start(void);
__attribute__((section(".vectors"), used)) static const void *vectors[] = {&__stack, (void *)_start};
static const double Q[][PLANT_COORDINATES] = {%s}, V[][PLANT_COORDINATES] = {%s}, P[] = {%s};
int main(void) {
  double a[PLANT_COORDINATES];
  for (unsigned s = 0; s < sizeof Q / sizeof *Q; ++s) {
    plant_slopes(%s, Q[s], V[s], P, 0, a);
    for (int i = 0; i < PLANT_COORDINATES; ++i) {
      uint32_t word[2];
      memcpy(word, &a[i], sizeof word);
      printf("%%08lx%%08lx\\n", (unsigned long)word[1], (unsigned long)word[0]);
    }
  }
  return 0;
}
"""


@pytest.mark.parametrize("name", ["rolling-disk", "whipple-bicycle"])
def test_on_a_cortex_m3(name, tmp_path):
    states = states_of(name)
    da.gallery(name).export("c", tmp_path / "plant.c")

    def row(values):
        return ", ".join(float(value).hex() for value in values)

    rows = [", ".join(f"{{{row(one)}}}" for one in part) for part in (states.q, states.v)]
    (tmp_path / "main.c").write_text(MAIN % (*rows, row([*states.p, 0.0]), float(states.t).hex()))
    (tmp_path / "board.ld").write_text(BOARD)
    parts = ["--specs=rdimon.specs", "-T", "board.ld", "main.c", "plant.c", "-lm"]
    subprocess.run([COMPILER, *FLAGS, *parts, "-o", "plant.elf"], cwd=tmp_path, check=True)
    board = [EMULATOR, "-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none"]
    semihosting = ["-semihosting-config", "enable=on,target=native", "-kernel", "plant.elf"]
    done = subprocess.run([*board, *semihosting], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120)
    found = np.array([np.frombuffer(bytes.fromhex(word), ">f8")[0] for word in done.stdout.split()])
    assert np.abs(found.reshape(states.a.shape) - states.a).max() <= 1e-12 * (1.0 + np.abs(states.a).max())
