"""Lets the tests of this directory import the running lab."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
