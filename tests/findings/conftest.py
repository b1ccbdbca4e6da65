"""Lets the tests of this directory import references and what asks the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
