"""This package with the stepper `taylor`, for long and exact motions of small systems.

`auto` does not choose it for smooth motions: sweeps, pages and exports step by DOP853, and promise the same digits.
"""

from __future__ import annotations

from benchmarks.peers import Prepared, ours
from benchmarks.systems import System

warm = ours.warm


def prepare(system: System) -> Prepared:
    return ours.prepare(system, "taylor")
