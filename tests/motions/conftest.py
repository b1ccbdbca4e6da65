"""Lets the tests of this directory import their shared systems, and those of all tests."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
