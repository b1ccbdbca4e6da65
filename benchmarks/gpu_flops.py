"""What a motion with contacts calculates: its source as a program of its own, watched by valgrind's lackey.

By x87 instructions every operation on a double is one of the type F64, whatever the compiler makes of it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

LOOPS = """
int main() {{
  static double reals[] = {reals}, states[] = {rows};
  static double none[1], sampled[{size}], ends[{count}], values[{count}], notes[{notes}], kept[1];
  static int modes[64], status[{count}], marks[1], claimed[1], stop[1];
  for (int i = 0; i < {count}; i++) status[i] = -2;
  many({count}, reals, 0, none, sampled, modes, none, states, ends, status, values, notes, kept, marks, claimed, stop);
  for (int i = 0; i < {count}; i++) if (status[i] != 10) return 1;
  return 0;
}}
"""


WRITTEN_OUT = """
int main() {{
  static double states[] = {columns}, none[1], finals[{size} * {count}], reached[{count}];
  static int books[6 * {count}], tallies[64 * {count}];
  bouncing_motions({count}, none, states, 0.0, {end}, {tolerance}, 0.0, finals, reached, books, tallies);
  for (int i = 0; i < {count}; i++) if (books[i] != 10) return 1;
  return 0;
}}
"""


def flops_of_a_motion(text: str, main: str, case: dict[str, Any], states: np.ndarray) -> float:
    """The mean over these states, by a LOOPS or WRITTEN_OUT main; what starting a program takes is not among them."""
    counts = [_counted(text, main, case, part) for part in (states[:1], states)]
    return (counts[1] - counts[0]) / (len(states) - 1)


def _counted(text: str, main: str, case: dict[str, Any], states: np.ndarray) -> int:
    main = main.format(
        reals=_numbers(np.array(case["reals"])), rows=_numbers(states), columns=_numbers(states.T), size=case["size"],
        count=len(states), notes=len(states) * case["notes"], end=case["end"], tolerance=case["tolerance"],
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file, program = Path(folder, "source.cpp"), str(Path(folder, "source"))
        file.write_text(text + main)
        flags = ["-std=c++17", "-O1", "-mfpmath=387", "-ffp-contract=off"]
        subprocess.run(["g++", *flags, "-o", program, str(file)], check=True)
        command = ["valgrind", "--tool=lackey", "--detailed-counts=yes", program]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.search(r"F64 +[\d,]+ +[\d,]+ +([\d,]+)", said)
    assert found is not None, said
    return int(found[1].replace(",", ""))


def _numbers(values: np.ndarray) -> str:
    return "{" + ", ".join(repr(float(value)).replace("inf", "INFINITY") for value in values.ravel()) + "}"
