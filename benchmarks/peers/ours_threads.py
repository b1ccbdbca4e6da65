"""This package's sweeps on two threads."""

from __future__ import annotations

from benchmarks.peers import Prepared, ours
from benchmarks.systems import System

warm = ours.warm


def prepare(system: System) -> Prepared:
    return ours.prepare_many(system, 2)
