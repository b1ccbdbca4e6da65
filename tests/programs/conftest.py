"""Lets the tests of this directory import the random systems, `trees.py` and `exact.py`."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
